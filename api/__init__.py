"""Users of ranked lists who browse: closed forms and simulated users beside each other.

The verbs, and the few nouns they need; more stands in the rooms `prum.analytic` (closed forms),
`prum.simulator` (users who are simulated) and `prum.experiments` (formula beside simulation).
Names are loaded when first used.
"""

import sys
from typing import Any

import lazy_loader

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from prum.simulator.model.process import own_version

        return own_version()
    if name in ("exact", "prum"):  # of arrays: not listed, for `precision` is the way to a value
        return getattr(_load("analytic"), name)
    if name not in __all__:
        # Readers and navigations for few are not listed, either.
        for room in ("model", "collections", "sampling", "sessions"):
            if name in (module := getattr(_load("simulator"), room)).__all__:
                return getattr(module, name)
        # With name and module Python suggests the nearest name.
        message = f"module 'prum' has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    return _load(name)
