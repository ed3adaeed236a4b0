"""The simulator: what users face, where tasks come from, many users at once and one in time.

What stands in the rooms may be imported from here too. Names are loaded when first used.
"""

from importlib import import_module

import lazy_loader

_ROOMS = ("collections", "generation", "model", "sampling", "sessions")
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    _ROOMS,
    {room: getattr(import_module(f"{__name__}.{room}"), "__all__", ()) for room in _ROOMS},
)
