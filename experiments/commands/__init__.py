"""The `prum` command, all of click and rich; and the schemas of all that is read and written."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
