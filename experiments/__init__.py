"""Formula beside simulation: the cross-check, sweeps, made datasets, and the `prum` command."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prum.experiments.crosschecking import Crosscheck, crosscheck, crosscheck_campaigns
    from prum.experiments.generating.generate import generate_dataset
    from prum.experiments.generating.verifying import verify
    from prum.experiments.sweeps.cluster import Cluster
    from prum.experiments.sweeps.store import Store
    from prum.experiments.sweeps.sweeping import Sweep, sweep
    from prum.experiments.sweeps.workers import Processes

_HOMES = {
    "Cluster": "sweeps.cluster",
    "Crosscheck": "crosschecking",
    "Processes": "sweeps.workers",
    "Store": "sweeps.store",
    "Sweep": "sweeps.sweeping",
    "crosscheck": "crosschecking",
    "crosscheck_campaigns": "crosschecking",
    "generate_dataset": "generating.generate",
    "sweep": "sweeps.sweeping",
    "verify": "generating.verifying",
}

__all__ = [
    "Cluster",
    "Crosscheck",
    "Processes",
    "Store",
    "Sweep",
    "crosscheck",
    "crosscheck_campaigns",
    "generate_dataset",
    "sweep",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"prum.experiments.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
