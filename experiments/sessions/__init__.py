"""Users in time: of every system, one of them step by step, and all of them beside real ones."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
