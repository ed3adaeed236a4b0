"""What every verb and study has in common: one result, its views, and all that is made of them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
