"""Made collections: structure, topics, judgements and systems from dials and a seed."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
