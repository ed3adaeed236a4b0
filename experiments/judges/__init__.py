"""Judges measured beside people: their rates, what their labels are worth, and probabilities."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
