"""Closed forms: what expectation and probability calculus say about users of ranked lists.

Nothing here is simulated, and nothing here is shared with the samplers but the model's plain
data. The names of `precision` stand here too. Names are loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
