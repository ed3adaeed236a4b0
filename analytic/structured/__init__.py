"""Measures of elements that contain each other: GRP, xCG, T2I, EPRUM and others."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
