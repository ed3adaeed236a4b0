"""Logs of people who browse: what they hold, how they are read, and what is counted in them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
