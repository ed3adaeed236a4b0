"""The simulator: what users face, where tasks come from, many users at once and one in time.

What users type stands here; the rest in the rooms. Names are loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
