"""Measures as users who stop at a rank and what they have by then: Carterette's framework."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
