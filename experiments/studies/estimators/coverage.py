"""How often 95 % intervals over topics hold the true mean, by method and number of topics.

Hypothesis: Student's t holds what it promises for means and differences of scores, though these
are bounded, skewed and often 0 or 1; the bootstrap's do not for few topics. Design: n topics are
drawn with replacement from the dataset's, so that the true mean is known: theirs. 23 series of the
same draws: ExactPRUM of each system, and its difference of neighbours in the true ranking. The
interval of a coverage carries the draws (Monte Carlo), for this dataset. Cost: a thousand resamples
for each draw, some seconds for each number of topics.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from prum.experiments.statistics.bootstrap import mean_intervals, resampled_counts
from prum.experiments.statistics.intervals import Ends, mean_interval
from prum.experiments.studies.estimators.rows import EstimatorRows
from prum.simulator.model.arrays import Flags, Floats

IntervalMethod = Callable[[Floats, Floats], Mapping[str, Ends]]

RESAMPLES = 999
MEAN, DIFFERENCE = "mean of a system", "difference of two"
# Draws that share the counts of their resamples.
_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class SeriesCoverage:
    """How often intervals by so many topics hold the true mean of a system or a difference."""

    series: str
    method: str
    topics: int
    coverage: float


def neighbours(true: Floats) -> list[tuple[int, int]]:
    """Return pairs of systems that stand next to each other in a ranking, the better first.

    >>> neighbours(np.array([0.1, 0.3, 0.2]))
    [(1, 2), (2, 0)]
    """
    order = np.argsort(-true, kind="stable").tolist()
    return list(pairwise(order))


def by_coverage(
    rows: EstimatorRows,
    systems: Sequence[str],
    scores: Floats,
    numbers: Sequence[int],
    draws: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> list[SeriesCoverage]:
    """Add coverage, misses to either side and mean width; return the coverage of each series.

    Parameters
    ----------
    scores
        True ones, (systems, topics).
    """
    pairs = neighbours(scores.mean(axis=1))
    differences = [scores[better] - scores[worse] for better, worse in pairs]
    series = np.stack([*scores, *differences])
    names = [*systems, *(f"{systems[better]} - {systems[worse]}" for better, worse in pairs)]
    alike = ((MEAN, slice(0, len(systems))), (DIFFERENCE, slice(len(systems), None)))
    coverages = list[SeriesCoverage]()
    for number in numbers:
        for method, (below, above, width) in covered(series, number, draws, rng).items():
            hit = ~(below | above)
            for subject, part in alike:
                if not len(names[part]):
                    continue

                def mean(values: Any, part: slice = part) -> tuple[float, float, float]:
                    """Over series, then over draws, which are independent."""
                    return mean_interval(values[part].mean(axis=0).astype(np.float64))

                rows.add("coverage", subject, method, "coverage", mean(hit), at=number)
                rows.add("coverage", subject, method, "too low", mean(above), at=number)
                rows.add("coverage", subject, method, "too high", mean(below), at=number)
                # Rarely an end is infinite: of a bootstrap t of very few topics.
                half = float(np.median(width[part])) / 2
                rows.add("coverage", subject, method, "half width", half, at=number)
            coverages += [
                SeriesCoverage(name, method, number, float(share))
                for name, share in zip(names, hit.mean(axis=1), strict=True)
            ]
        step()
    return coverages


def covered(
    series: Floats,
    number: int,
    draws: int,
    rng: np.random.Generator,
    method: IntervalMethod = mean_intervals,
) -> dict[str, tuple[Flags, Flags, Floats]]:
    """Return by method where the true mean is below and above the interval, and the width.

    Each has shape (series, draws); the true mean is that of all topics of the series.
    """
    true = series.mean(axis=1)[:, None]
    # What rounding makes of equal values does not miss them.
    slack = 1e-9 * np.abs(series).max(axis=1, initial=0)[:, None]
    parts: dict[str, list[tuple[Flags, Flags, Floats]]] = {}
    for begin in range(0, draws, _AT_ONCE):
        chosen = rng.integers(0, series.shape[1], (min(_AT_ONCE, draws - begin), number))
        counts = resampled_counts(number, RESAMPLES, rng)
        samples = series[:, chosen]
        ends = method(samples.reshape(-1, number), counts)
        for name, limits in ends.items():
            low, high = (end.reshape(len(series), -1) for end in limits)
            parts.setdefault(name, []).append((true < low - slack, true > high + slack, high - low))
    joined = {}
    for name, pieces in parts.items():
        below, above, widths = (
            np.concatenate(arrays, axis=1) for arrays in zip(*pieces, strict=True)
        )
        joined[name] = below, above, widths
    return joined
