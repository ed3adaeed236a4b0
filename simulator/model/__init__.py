"""What users face and what they are like: parameters and their validation, nothing derived."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
