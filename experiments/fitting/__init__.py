"""P(x -> y): by the shares of people in a log, and by the steps of walks."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
