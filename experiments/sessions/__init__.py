"""Users of every system of a campaign, in time: what they did, summed up and logged."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
