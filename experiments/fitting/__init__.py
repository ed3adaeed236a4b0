"""Navigation learned from logs, with its uncertainty, and P(x -> y) of those who walk."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
