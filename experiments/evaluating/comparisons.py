"""Systems beside each other: paired differences over topics, tested together."""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prum.experiments.evaluating.evaluation import Evaluation
from prum.experiments.intervals import mean_interval
from prum.simulator.model import InputError

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


def compare_systems(evaluation: Evaluation, *, baseline: str | None = None) -> "pd.DataFrame":
    """Return a row for each measure and pair of systems: their difference, and whether it is one.

    All pairs, or each system beside the baseline. `difference` is the mean over topics of the
    first system's score less the second's, `low` and `high` the ends of its 95 % interval; `p` is
    that of Student's paired t-test, two-sided, and `adjusted` Holm's, which bounds the chance of
    any false alarm among all rows. A difference that is the same on every topic has no error: p is
    0, or 1 if it is none. With one topic all of them are NaN.

    Raises
    ------
    InputError
        if the baseline is no system.
    """
    import pandas as pd

    if baseline is not None and baseline not in evaluation.systems:
        raise InputError(
            "baseline",
            baseline,
            f"be one of the runs, like {evaluation.systems[0]!r}",
            remedy="name a run by its file",
        )
    rows = []
    for number, measure in enumerate(evaluation.measures):
        scores = evaluation.of(number)
        for one, other in _pairs(evaluation, baseline):
            differences = scores[one] - scores[other]
            mean, low, high = mean_interval(differences) if len(differences) else (np.nan,) * 3
            rows.append(
                {
                    "measure": str(measure),
                    "system": evaluation.systems[one],
                    "other": evaluation.systems[other],
                    "difference": mean,
                    "low": low,
                    "high": high,
                    "topics": len(differences),
                    "p": _p_value(differences),
                }
            )
    table = pd.DataFrame(
        rows, columns=["measure", "system", "other", "difference", "low", "high", "topics", "p"]
    )
    table["adjusted"] = holm(table["p"].to_numpy(dtype=np.float64))
    return table


def holm(p: Floats) -> Floats:
    """Return p-values adjusted for their number (Holm 1979); NaN is not counted.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p)[: np.count_nonzero(~np.isnan(p))]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1)
    return adjusted


def _pairs(evaluation: Evaluation, baseline: str | None) -> Iterator[tuple[int, int]]:
    numbers = range(len(evaluation.systems))
    if baseline is None:
        yield from combinations(numbers, 2)
        return
    fixed = evaluation.systems.index(baseline)
    yield from ((number, fixed) for number in numbers if number != fixed)


def _p_value(differences: Floats) -> float:
    from scipy.special import stdtr

    n = len(differences)
    if n < 2:
        return np.nan
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    # What rounding leaves of no spread at all.
    if spread <= 1e-12 * max(abs(mean), float(np.abs(differences).max())):
        return float(abs(mean) <= 1e-15)
    return float(2 * stdtr(n - 1, -abs(mean) / (spread / n**0.5)))
