"""Simulated users of ranked lists: the model they follow, collections, samplers.

Names are loaded when first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prum.simulator.collections.campaign import (
        Campaign,
        built_in_campaign,
        read_campaign,
        web_example,
    )
    from prum.simulator.collections.read import ideals_of, read_links, read_qrels, read_run
    from prum.simulator.model import Independent, InputError, Links, Task, Walk
    from prum.simulator.sampling.comparison import Difference, compare
    from prum.simulator.sampling.sampler import simulate
    from prum.simulator.simulation import Simulation

_HOMES = {
    "Campaign": "collections.campaign",
    "Difference": "sampling.comparison",
    "Independent": "model",
    "InputError": "model",
    "Links": "model",
    "Simulation": "simulation",
    "Task": "model",
    "Walk": "model",
    "built_in_campaign": "collections.campaign",
    "compare": "sampling.comparison",
    "ideals_of": "collections.read",
    "read_campaign": "collections.campaign",
    "read_links": "collections.read",
    "read_qrels": "collections.read",
    "read_run": "collections.read",
    "simulate": "sampling.sampler",
    "web_example": "collections.campaign",
}

__all__ = [
    "Campaign",
    "Difference",
    "Independent",
    "InputError",
    "Links",
    "Simulation",
    "Task",
    "Walk",
    "built_in_campaign",
    "compare",
    "ideals_of",
    "read_campaign",
    "read_links",
    "read_qrels",
    "read_run",
    "simulate",
    "web_example",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"prum.simulator.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
