"""E[CL(r)] and E[C(r)], whose ratio is precision: their columns and headings in every table."""

import numpy as np

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.crosscheck.compared import Quantities
from prum.experiments.statistics.intervals import CONFIDENCE
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import ELEMENTS
from prum.simulator.sampling.simulation import Simulation, half_width

SYMBOLS = {"leading": "E[CL]", "consulted": "E[C]"}
# As `Crosscheck.comparisons` and `Crosscheck.systems` name them.
OF_LISTS = tuple(
    column
    for name in SYMBOLS
    for column in (f"prum_{name}", f"exact_{name}", f"simulated_{name}", f"{name}_error")
)
OF_SYSTEMS = tuple(
    column
    for name in SYMBOLS
    for column in (f"prum_{name}", f"reference_{name}", f"simulated_{name}", f"{name}_users_error")
)


def headings(*of_one: str) -> list[str]:
    """Return the headings of both means in a row.

    >>> headings("PRUM", "exact")
    ['E[CL]: PRUM', 'exact', 'E[C]: PRUM', 'exact']
    """
    first, *others = of_one
    return [text for symbol in SYMBOLS.values() for text in (f"{symbol}: {first}", *others)]


def title(unit: str) -> str:
    """Return what both are, with their unit if that is a cost."""
    return " and ".join(SYMBOLS.values()) + ("" if unit == ELEMENTS else f" in {unit}")


def measured_by(simulation: Simulation) -> dict[str, Floats]:
    """Return what users had, by its column: precision, both means, their errors, and the rest."""
    low, high = simulation.interval(CONFIDENCE)
    return {
        "simulated": simulation.precision,
        "error": simulation.precision_error,
        "low": low,
        "high": high,
        "mean_ratio": simulation.mean_ratio,
        "simulated_leading": simulation.leading,
        "leading_error": simulation.leading_error,
        "simulated_consulted": simulation.consulted,
        "consulted_error": simulation.consulted_error,
        "users": np.full(simulation.num_ideals, simulation.num_users),
    }


def with_law_error(
    measured: dict[str, Floats], exact: PrecisionRecall | None, compared: Quantities
) -> dict[str, Floats]:
    """Return what was measured, with errors that are not below the exact law's where unresolved.

    Of precision, by those of E[CL] and E[C]; and intervals as wide, within what precision can be.
    """
    if exact is None or compared.law_error is None:
        return measured
    simulated, error, low, high = (measured[name] for name in ("simulated", "error", "low", "high"))
    leading, consulted = compared.law_error / exact.consulted
    least = np.hypot(leading, consulted * exact.precision)
    half = half_width(CONFIDENCE, 2**31) * least
    is_less = error < least
    return {
        **measured,
        "error": np.where(is_less, least, error),
        "low": np.where(is_less, np.maximum(np.minimum(low, simulated - half), 0), low),
        "high": np.where(is_less, np.minimum(np.maximum(high, simulated + half), 1), high),
        "leading_error": np.maximum(measured["leading_error"], compared.law_error[0]),
        "consulted_error": np.maximum(measured["consulted_error"], compared.law_error[1]),
    }
