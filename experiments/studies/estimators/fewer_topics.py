"""How rankings of systems by few topics agree with the true one, as topics grow.

Hypothesis: by few topics the choice of topics costs more than the choice of the measure; by many
the measure's own error remains. Design: true is the mean of ExactPRUM over all topics of the
dataset; n of them are drawn without replacement, the same for every measure, those of fewer topics
among those of more. As the n topics are part of the whole, ExactPRUM itself comes to 1 at all
topics; of an endless number of topics n (T - 1) / (T - n) would vary as little. Intervals are over
draws, for this dataset. Cost: some seconds for 1,000 draws of 400 topics.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.statistics.rankings import average_precision_tau, best_found, tau_b
from prum.experiments.studies.estimators.rows import EstimatorRows
from prum.experiments.studies.estimators.scoring import REFERENCE
from prum.simulator.model.arrays import Floats, Ints

_PAIRS_AT_ONCE = 2**22
_STEPS = (5, 10, 25, 50, 100, 200, 400, 800, 1600, 3200)


def numbers_of_topics(num_topics: int, most: int | None = None) -> list[int]:
    """Return 5, 10, 25, 50, 100, ... up to all, or `most`; all, if there are fewer.

    >>> numbers_of_topics(60), numbers_of_topics(3)
    ([5, 10, 25, 50], [3])
    """
    up_to = num_topics if most is None else min(num_topics, most)
    return [step for step in _STEPS if step <= up_to] or [num_topics]


def by_topics(
    rows: EstimatorRows,
    scores: Mapping[str, Floats],
    draws: int,
    rng: np.random.Generator,
) -> None:
    """Add tau-b, tau_AP and how often the best is found, of each measure and number of topics."""
    num_topics = scores[REFERENCE].shape[1]
    true = scores[REFERENCE].mean(axis=1)
    orders = rng.permuted(np.tile(np.arange(num_topics), (draws, 1)), axis=1)
    numbers = numbers_of_topics(num_topics)
    for measure, table in scores.items():
        for number, means in zip(numbers, _means(table, orders, numbers), strict=True):
            # Pairs of systems take memory: so many draws at once.
            parts = np.array_split(means, 1 + means.size * len(true) // _PAIRS_AT_ONCE)
            taus = np.concatenate([tau_b(part, true) for part in parts])
            # A draw by which all systems are tied has no tau-b.
            known = taus[~np.isnan(taus)]
            mean = mean_interval(known) if len(known) else math.nan
            rows.add("topics", "all", measure, "tau-b", mean, at=number)
            tops = np.concatenate([average_precision_tau(part, true) for part in parts])
            rows.add("topics", "all", measure, "tau_ap", mean_interval(tops), at=number)
            best = mean_interval(best_found(means, true))
            rows.add("topics", "all", measure, "best", best, at=number)
    for number in numbers:
        endless = number * (num_topics - 1) / (num_topics - number) if number < num_topics else 0
        rows.add("topics", "all", "", "endless", endless or float("nan"), at=number)


def _means(table: Floats, orders: Ints, numbers: Sequence[int]) -> Iterator[Floats]:
    """Yield mean scores (draws, systems) over the first so many topics of each order."""
    for number in numbers:
        yield np.stack([row[orders[:, :number]].mean(axis=1) for row in table], axis=1)
