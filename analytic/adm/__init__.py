"""Mizzaro's average distance measure, of all documents or from samples of them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
