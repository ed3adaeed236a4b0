"""Formula beside simulation: the cross-check, its report, and the `prum` command."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prum.experiments.crosschecking import Crosscheck, crosscheck, crosscheck_campaigns

_HOMES = {
    "Crosscheck": "crosschecking",
    "crosscheck": "crosschecking",
    "crosscheck_campaigns": "crosschecking",
}

__all__ = ["Crosscheck", "crosscheck", "crosscheck_campaigns"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"prum.experiments.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
