"""Grids of cells, computed on any workers, kept in a store that nothing is lost from."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
