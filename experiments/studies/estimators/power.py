"""How surely tests tell two systems apart as topics grow, and how often they cry wolf.

Hypothesis: the randomization test and Student's t find a difference of means equally often, the
others less often where differences are rare and large; and all keep to 5 % where two systems are
equal. Design: n topics drawn with replacement; all pairs of systems (66 at most, evenly over true
differences) by true difference of mean ExactPRUM. Equal systems are made in two ways. "swapped":
each topic's two scores are swapped at random, so that the law of differences is symmetric.
"centred": the mean difference is taken off each topic's, so that only the means are equal: a test
of something else than means may reject then, and is right in its own terms. Intervals are over
draws, for this dataset. Cost: 999 randomizations of each sample, some seconds for each number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.statistics.tests import p_values
from prum.experiments.studies.estimators.rows import EstimatorRows
from prum.simulator.model.arrays import Floats

LEVEL = 0.05
MOST_PAIRS = 66
SWAPPED, CENTRED = "swapped", "centred"
EDGES = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 1.0)
_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class PairPower:
    """Two systems: mean and deviation of true differences, and power by test and topics."""

    better: str
    other: str
    difference: float
    deviation: float
    power: dict[str, dict[str, float]] = field(default_factory=dict)


def pairs_of(true: Floats) -> list[tuple[int, int]]:
    """Return pairs of systems, the better first, by rising difference; 66 at most, evenly."""
    order = np.argsort(-true, kind="stable").tolist()
    pairs = list(combinations(order, 2))
    pairs.sort(key=lambda pair: true[pair[0]] - true[pair[1]])
    if len(pairs) > MOST_PAIRS:
        places = np.linspace(0, len(pairs) - 1, MOST_PAIRS).round().astype(int)
        pairs = [pairs[place] for place in places]
    return pairs


def by_power(
    rows: EstimatorRows,
    systems: Sequence[str],
    scores: Floats,
    numbers: Sequence[int],
    draws: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> list[PairPower]:
    """Add power and wrong signs by true difference, and false alarms; return each pair's power.

    Parameters
    ----------
    scores
        True ones, (systems, topics).
    """
    true = scores.mean(axis=1)
    pairs = pairs_of(true)
    differences = np.array([scores[better] - scores[other] for better, other in pairs])
    gaps = differences.mean(axis=1)
    bins = np.digitize(gaps, EDGES[1:-1])
    powers = [
        PairPower(systems[better], systems[other], float(gap), float(row.std()))
        for (better, other), gap, row in zip(pairs, gaps, differences, strict=True)
    ]
    for number in numbers:
        results = rejected(differences, number, draws, rng)
        for test, (right, wrong, swapped, centred) in results.items():
            for bin_ in np.unique(bins).tolist():
                label = difference_label(bin_)
                for name, flags in (("power", right), ("wrong sign", wrong)):
                    value = mean_interval(flags[bins == bin_].mean(axis=0))
                    rows.add("power", label, test, name, value, at=number)
            for name, flags in ((SWAPPED, swapped), (CENTRED, centred)):
                value = mean_interval(flags.mean(axis=0))
                rows.add("false alarms", name, test, "rejected", value, at=number)
            for pair, share in zip(powers, right.mean(axis=1).tolist(), strict=True):
                pair.power.setdefault(test, {})[str(number)] = share
        step()
    return powers


def difference_label(bin_: int) -> str:
    """Return the name of a range of true differences.

    >>> difference_label(0), difference_label(5)
    ('0 to .005', '.1 and more')
    """
    low, high = (f"{edge:g}".removeprefix("0") or "0" for edge in EDGES[bin_ : bin_ + 2])
    return f"{low} and more" if high == "1" else f"{low} to {high}"


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
