"""What each estimate does to intervals and tests: whether they tell of true means, by Student's t.

Hypothesis: an estimate whose error is the same for all systems covers differences as ExactPRUM
does, though not means; and a test with an estimate that is kinder to one system finds what
is not there. Design: n topics drawn with replacement, the same for every estimate;
systems, neighbours in the true ranking and pairs as in `coverage` and `power`. An interval is that
of the estimate's mean, and is to hold the true one. For false alarms the true mean difference is
taken off the estimate's differences, so that what is left is chance and error of the estimate.
Done only where estimators are given. Cost: a second.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from prum.experiments.statistics.intervals import mean_interval, student_factor
from prum.experiments.studies.estimators.coverage import DIFFERENCE, MEAN, neighbours
from prum.experiments.studies.estimators.power import EDGES, difference_label, pairs_of
from prum.experiments.studies.estimators.rows import EstimatorRows
from prum.experiments.studies.estimators.scoring import REFERENCE
from prum.simulator.model.arrays import Floats, Ints

EQUAL = "true difference taken off"
# Draws that are held at once.
_AT_ONCE = 50


def by_estimate(
    rows: EstimatorRows,
    scores: Mapping[str, Floats],
    numbers: Sequence[int],
    draws: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> None:
    """Add coverage, power and false alarms of each estimate of ExactPRUM, itself among them.

    Parameters
    ----------
    scores
        By estimate, (systems, topics); those of ExactPRUM are true.
    """
    true = scores[REFERENCE].mean(axis=1)
    near, pairs = neighbours(true), pairs_of(true)
    bins = np.digitize([true[better] - true[other] for better, other in pairs], EDGES[1:-1])
    for number in numbers:
        chosen = rng.integers(0, scores[REFERENCE].shape[1], (draws, number))
        for name, table in scores.items():
            _add_coverage(rows, name, MEAN, table, scores[REFERENCE], chosen)
            if near:
                _add_coverage(
                    rows, name, DIFFERENCE, _differences(table, near),
                    _differences(scores[REFERENCE], near), chosen,
                )  # fmt: skip
                gaps = _differences(scores[REFERENCE], pairs).mean(axis=1)
                _add_tests(rows, name, _differences(table, pairs), gaps, bins, chosen)
        step()


def _differences(table: Floats, pairs: Sequence[tuple[int, int]]) -> Floats:
    return np.array([table[better] - table[other] for better, other in pairs])


def _student(series: Floats, chosen: Ints) -> tuple[Floats, Floats]:
    """Return means and half widths of 95 % intervals, (series, draws)."""
    factor = student_factor(chosen.shape[1] - 1)
    means, halves = [], []
    for begin in range(0, len(chosen), _AT_ONCE):
        samples = series[:, chosen[begin : begin + _AT_ONCE]]
        means.append(samples.mean(axis=2))
        halves.append(factor * samples.std(axis=2, ddof=1) / chosen.shape[1] ** 0.5)
    return np.concatenate(means, axis=1), np.concatenate(halves, axis=1)


def _add_coverage(
    rows: EstimatorRows, name: str, subject: str, series: Floats, true: Floats, chosen: Ints
) -> None:
    means, halves = _student(series, chosen)
    error = means - true.mean(axis=1)[:, None]
    # What rounding makes of equal values does not miss them.
    halves = halves + 1e-9 * np.abs(true).max(initial=0)
    for quantity, flags in (
        ("coverage", np.abs(error) <= halves),
        ("too low", error < -halves),
        ("too high", error > halves),
    ):
        value = mean_interval(_over_series(flags))
        rows.add("coverage by estimate", subject, name, quantity, value, at=chosen.shape[1])


def _add_tests(
    rows: EstimatorRows, name: str, differences: Floats, gaps: Floats, bins: Ints, chosen: Ints
) -> None:
    number = chosen.shape[1]
    means, halves = _student(differences, chosen)
    rejected = np.abs(means) > halves
    for bin_ in np.unique(bins).tolist():
        of_bin = bins == bin_
        for quantity, flags in (
            ("power", rejected & (means > 0)),
            ("wrong sign", rejected & (means < 0)),
        ):
            value = mean_interval(_over_series(flags[of_bin]))
            rows.add("power by estimate", difference_label(bin_), name, quantity, value, at=number)
    off = np.abs(means - gaps[:, None]) > halves + 1e-12
    value = mean_interval(_over_series(off))
    rows.add("false alarms by estimate", EQUAL, name, "rejected", value, at=number)


def _over_series(flags: Any) -> Floats:
    """Return shares over series, one for each draw."""
    shares: Floats = flags.mean(axis=0).astype(np.float64)
    return shares
