"""Users in time: those of every system, summed up and logged, and one of them step by step."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
