"""Chunks that retrievers return against the spans of text that answer questions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
