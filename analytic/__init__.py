"""Closed forms: what expectation and probability calculus say about users of ranked lists.

Nothing here is simulated, and nothing here is shared with the samplers but the model's plain
data. The names of `precision` stand here too. Names are loaded when first used.
"""

import lazy_loader

from prum.analytic.precision import __all__ as _of_precision

_ROOMS = (
    "adm",
    "expected",
    "precision",
    "ranked",
    "searching",
    "spans",
    "stopping",
    "structured",
    "utility",
)
__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, _ROOMS, {"precision": _of_precision})
