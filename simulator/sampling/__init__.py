"""Many simulated users at once: what they saw, summed up, with standard errors."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
