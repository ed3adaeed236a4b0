"""A page to play with: a list and its links, dials, and PRUM, the exact value and users."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
