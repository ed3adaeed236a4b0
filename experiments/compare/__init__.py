"""Systems beside each other by scores on topics: which is better, and by how much."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
