"""What files are, what they hold, what goes with what, and the commands that use them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
