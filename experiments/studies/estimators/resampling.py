"""What few topics, drawn again and again, do to intervals and to tests of two systems.

n topics are drawn with replacement from the dataset's, so that the true mean is known: theirs.
Intervals are over draws (Monte Carlo), for this dataset.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from prum.experiments.statistics.intervals import (
    Ends,
    Interval,
    mean_interval,
    mean_intervals,
    resampled_counts,
    student_factor,
)
from prum.experiments.statistics.tests import p_values
from prum.experiments.studies.estimators.scoring import REFERENCE, EstimatorRows, Values
from prum.simulator.model.arrays import Flags, Floats, Ints

IntervalMethod = Callable[[Floats, Floats], Mapping[str, Ends]]

RESAMPLES = 999
MEAN, DIFFERENCE = "mean of a system", "difference of two"
LEVEL = 0.05
MOST_PAIRS = 66
# How systems are made equal, to count false alarms.
SWAPPED, CENTRED, EQUAL = "swapped", "centred", "true difference taken off"
# Ranges of true differences.
EDGES = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 1.0)
# Draws that are held at once; in coverage they share the counts of their resamples.
_AT_ONCE = 50


def _ranked(true: Floats) -> list[int]:
    return [int(system) for system in np.argsort(-true, kind="stable")]


def neighbours(true: Floats) -> list[tuple[int, int]]:
    """Return pairs of systems that stand next to each other in a ranking, the better first.

    >>> neighbours(np.array([0.1, 0.3, 0.2]))
    [(1, 2), (2, 0)]
    """
    return list(pairwise(_ranked(true)))


def pairs_of(true: Floats) -> list[tuple[int, int]]:
    """Return pairs of systems, the better first, by rising difference; 66 at most, evenly."""
    pairs = list(combinations(_ranked(true), 2))
    pairs.sort(key=lambda pair: true[pair[0]] - true[pair[1]])
    if len(pairs) > MOST_PAIRS:
        places = np.linspace(0, len(pairs) - 1, MOST_PAIRS).round().astype(int)
        pairs = [pairs[place] for place in places]
    return pairs


def difference_label(bin_: int) -> str:
    """Return the name of a range of true differences.

    >>> difference_label(0), difference_label(5)
    ('0 to .005', '.1 and more')
    """
    low, high = (f"{edge:g}".removeprefix("0") or "0" for edge in EDGES[bin_ : bin_ + 2])
    return f"{low} and more" if high == "1" else f"{low} to {high}"


def _differences(table: Floats, pairs: Sequence[tuple[int, int]]) -> Floats:
    return np.array([table[better] - table[other] for better, other in pairs])


def _share(flags: Any) -> Interval:
    """Return the mean over series, then over draws, which are independent."""
    return mean_interval(flags.mean(axis=0).astype(np.float64))


def _add_power(
    rows: EstimatorRows, group: str, method: str, gaps: Floats, found: Mapping[str, Any], at: int
) -> None:
    """Add what tests found of pairs, by true difference."""
    bins = np.digitize(gaps, EDGES[1:-1])
    for bin_ in np.unique(bins).tolist():
        shares = {name: _share(flags[bins == bin_]) for name, flags in found.items()}
        rows.add(group, difference_label(bin_), method, shares, at=at)


def by_coverage(
    rows: EstimatorRows,
    systems: Sequence[str],
    scores: Floats,
    numbers: Sequence[int],
    draws: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> list[Any]:
    """Add how often 95 % intervals hold the true mean, by method; return it by series.

    Hypothesis: Student's t holds what it promises for means and differences of scores, though these
    are bounded, skewed and often 0 or 1; the bootstrap's do not for few topics. Design: 23 series
    of the same draws: ExactPRUM of each system, and its difference of neighbours in the true
    ranking. Beside coverage stand misses to either side and the median width. Cost: a thousand
    resamples for each draw, some seconds for each number of topics.

    `scores`: true ones, (systems, topics).
    """
    pairs = neighbours(scores.mean(axis=1))
    series = np.stack([*scores, *_differences(scores, pairs)])
    names = [*systems, *(f"{systems[better]} - {systems[worse]}" for better, worse in pairs)]
    alike = ((MEAN, slice(0, len(systems))), (DIFFERENCE, slice(len(systems), None)))
    coverages = list[Any]()
    for number in numbers:
        for method, (below, above, width) in covered(series, number, draws, rng).items():
            hit = ~(below | above)
            for subject, part in alike:
                if not len(names[part]):
                    continue
                told = {"coverage": hit, "too low": above, "too high": below}
                values: Values = {
                    **{name: _share(flags[part]) for name, flags in told.items()},
                    # Rarely an end is infinite: of a bootstrap t of very few topics.
                    "half width": float(np.median(width[part])) / 2,
                }
                rows.add("coverage", subject, method, values, at=number)
            coverages += [
                {"series": name, "method": method, "topics": number, "coverage": float(share)}
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


def by_power(
    rows: EstimatorRows,
    systems: Sequence[str],
    scores: Floats,
    numbers: Sequence[int],
    draws: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> list[Any]:
    """Add power and wrong signs by true difference, and false alarms; return each pair's power.

    Hypothesis: the randomization test and Student's t find a difference of means equally often, the
    others less often where differences are rare and large; and all keep to 5 % where two systems
    are equal. Design: all pairs of systems (66 at most, evenly over true differences) by true
    difference of mean ExactPRUM. Equal systems are made in two ways. "swapped": each topic's two
    scores are swapped at random, so that the law of differences is symmetric. "centred": the mean
    difference is taken off each topic's, so that only the means are equal: a test of something else
    than means may reject then, and is right in its own terms. Cost: 999 randomizations of each
    sample, some seconds for each number.

    `scores`: true ones, (systems, topics).
    """
    pairs = pairs_of(scores.mean(axis=1))
    differences = _differences(scores, pairs)
    gaps = differences.mean(axis=1)
    powers: list[Any] = [
        {"better": systems[better], "other": systems[other], "difference": float(gap)}
        | {"deviation": float(row.std()), "power": {}}
        for (better, other), gap, row in zip(pairs, gaps, differences, strict=True)
    ]
    for number in numbers:
        results = rejected(differences, number, draws, rng)
        for test, (right, wrong, swapped, centred) in results.items():
            _add_power(rows, "power", test, gaps, {"power": right, "wrong sign": wrong}, number)
            for kind, flags in ((SWAPPED, swapped), (CENTRED, centred)):
                rows.add("false alarms", kind, test, {"rejected": _share(flags)}, at=number)
            for pair, share in zip(powers, right.mean(axis=1).tolist(), strict=True):
                pair["power"].setdefault(test, {})[str(number)] = share
        step()
    return powers


def rejected(
    differences: Floats, number: int, draws: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Return by test (4, pairs, draws): rejected rightly, with the wrong sign, swapped, centred.

    `differences` are those of better less other, (pairs, topics).
    """
    centred = differences - differences.mean(axis=1, keepdims=True)
    parts: dict[str, list[Floats]] = {}
    for begin in range(0, draws, _AT_ONCE):
        chosen = rng.integers(0, differences.shape[1], (min(_AT_ONCE, draws - begin), number))
        samples = differences[:, chosen]
        signs = rng.integers(0, 2, samples.shape) * 2.0 - 1
        above = samples.mean(axis=2) > 0
        three = [samples, samples * signs, centred[:, chosen]]
        p = [p_values(part.reshape(-1, number), rng) for part in three]
        for test in p[0]:
            plain, swapped, equal = (
                (values[test] <= LEVEL).reshape(len(differences), -1) for values in p
            )
            flags = np.stack([plain & above, plain & ~above, swapped, equal]).astype(np.float64)
            parts.setdefault(test, []).append(flags)
    return {test: np.concatenate(pieces, axis=2) for test, pieces in parts.items()}


def by_estimate(
    rows: EstimatorRows,
    scores: Mapping[str, Floats],
    numbers: Sequence[int],
    draws: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> None:
    """Add coverage, power and false alarms by Student's t of each estimate of ExactPRUM.

    Hypothesis: an estimate whose error is the same for all systems covers differences as ExactPRUM
    does, though not means; and a test with an estimate that is kinder to one system finds what is
    not there. Design: the same draws for every estimate; systems, neighbours in the true ranking
    and pairs as in `by_coverage` and `by_power`. An interval is that of the estimate's mean, and is
    to hold the true one. For false alarms the true mean difference is taken off the estimate's
    differences, so that what is left is chance and error of the estimate. Done only where
    estimators are given. Cost: a second.

    `scores`: by estimate, (systems, topics), that of ExactPRUM, which is true, among them.
    """
    truth = scores[REFERENCE]
    near, pairs = (choose(truth.mean(axis=1)) for choose in (neighbours, pairs_of))
    for number in numbers:
        chosen = rng.integers(0, truth.shape[1], (draws, number))
        for name, table in scores.items():
            _add_coverage(rows, name, MEAN, table, truth, chosen)
            if near:
                own, true = (_differences(each, near) for each in (table, truth))
                _add_coverage(rows, name, DIFFERENCE, own, true, chosen)
                own, true = (_differences(each, pairs) for each in (table, truth))
                _add_tests(rows, name, own, true.mean(axis=1), chosen)
        step()


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
    shares = {
        "coverage": _share(np.abs(error) <= halves),
        "too low": _share(error < -halves),
        "too high": _share(error > halves),
    }
    rows.add("coverage by estimate", subject, name, shares, at=chosen.shape[1])


def _add_tests(
    rows: EstimatorRows, name: str, differences: Floats, gaps: Floats, chosen: Ints
) -> None:
    means, halves = _student(differences, chosen)
    found, at = np.abs(means) > halves, chosen.shape[1]
    told = {"power": found & (means > 0), "wrong sign": found & (means < 0)}
    _add_power(rows, "power by estimate", name, gaps, told, at)
    off = _share(np.abs(means - gaps[:, None]) > halves + 1e-12)
    rows.add("false alarms by estimate", EQUAL, name, {"rejected": off}, at=at)
