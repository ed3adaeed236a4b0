"""Simulated users of ranked lists: the model they follow, collections, samplers.

Names are loaded when first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prum.simulator.model import Independent, InputError, Links, Task, Walk
    from prum.simulator.sampling.sampler import simulate
    from prum.simulator.simulation import Simulation

_HOMES = {
    "Independent": "prum.simulator.model",
    "InputError": "prum.simulator.model",
    "Links": "prum.simulator.model",
    "Simulation": "prum.simulator.simulation",
    "Task": "prum.simulator.model",
    "Walk": "prum.simulator.model",
    "simulate": "prum.simulator.sampling.sampler",
}

__all__ = [
    "Independent",
    "InputError",
    "Links",
    "Simulation",
    "Task",
    "Walk",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
