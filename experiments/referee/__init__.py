"""Simulated sessions beside real ones: how far apart they are, and what would have been seen."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
