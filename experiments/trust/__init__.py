"""How far PRUM may be trusted on one's own data: what users who depend on something change."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
