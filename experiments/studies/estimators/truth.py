"""Estimates against the true scores: of one list, and of the ranking of systems by few topics."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from prum.experiments.statistics.intervals import mean_interval, root_mean_square
from prum.experiments.statistics.rankings import average_precision_tau, best_found, tau_b
from prum.experiments.studies.estimators.scoring import REFERENCE, EstimatorRows, Values
from prum.simulator.model.arrays import Floats

ALL = "all"
_PAIRS_AT_ONCE = 2**22
_STEPS = (5, 10, 25, 50, 100, 200, 400, 800, 1600, 3200)


def against_truth(
    rows: EstimatorRows,
    systems: Sequence[str],
    scores: Mapping[str, Floats],
    errors: Floats,
    measures: Sequence[str],
) -> None:
    """Add bias, root mean square and largest error of each measure, by system and of all.

    Hypothesis: PRUM (2.3 in place of the exact sum) errs little, and AP, whose users do not browse,
    errs by what browsing is worth. Design: every system and topic of the dataset, on complete
    judgements; intervals over topics. Cost: none, the scores are there.

    Parameters
    ----------
    errors
        Standard errors of the true scores, where they were simulated; their mean square is taken
        off that of the differences.
    """
    parts = [(system, slice(number, number + 1)) for number, system in enumerate(systems)]
    for measure in measures:
        for subject, part in (*parts, (ALL, slice(None))):
            difference = scores[measure][part] - scores[REFERENCE][part]
            squares = np.sqrt((difference**2).mean(axis=0))
            values: Values = {
                "bias": mean_interval(difference.mean(axis=0)),
                "rmse": root_mean_square(squares, float((errors[part] ** 2).mean())),
                "largest": float(np.abs(difference).max()),
            }
            rows.add("truth", subject, measure, values)


def numbers_of_topics(num_topics: int, most: int | None = None) -> list[int]:
    """Return 5, 10, 25, 50, 100, ... up to all, or `most`; all, if there are fewer.

    >>> numbers_of_topics(60), numbers_of_topics(3)
    ([5, 10, 25, 50], [3])
    """
    up_to = num_topics if most is None else min(num_topics, most)
    return [step for step in _STEPS if step <= up_to] or [num_topics]


def by_topics(
    rows: EstimatorRows, scores: Mapping[str, Floats], draws: int, rng: np.random.Generator
) -> None:
    """Add tau-b, tau_AP and how often the best is found, of each measure and number of topics.

    Hypothesis: by few topics the choice of topics costs more than the choice of the measure; by
    many the measure's own error remains. Design: true is the mean of ExactPRUM over all topics of
    the dataset; n of them are drawn without replacement, the same for every measure, those of fewer
    topics among those of more. As the n topics are part of the whole, ExactPRUM itself comes to 1
    at all topics; of an endless number of topics n (T - 1) / (T - n) would vary as little.
    Intervals are over draws, for this dataset. Cost: some seconds for 1,000 draws of 400 topics.
    """
    num_topics = scores[REFERENCE].shape[1]
    true = scores[REFERENCE].mean(axis=1)
    orders = rng.permuted(np.tile(np.arange(num_topics), (draws, 1)), axis=1)
    numbers = numbers_of_topics(num_topics)
    for measure, table in scores.items():
        for number in numbers:
            means = np.stack([row[orders[:, :number]].mean(axis=1) for row in table], axis=1)
            # Pairs of systems take memory: so many draws at once.
            parts = np.array_split(means, 1 + means.size * len(true) // _PAIRS_AT_ONCE)
            taus, tops = (
                np.concatenate([tau(part, true) for part in parts])
                for tau in (tau_b, average_precision_tau)
            )
            # A draw by which all systems are tied has no tau-b.
            known = taus[~np.isnan(taus)]
            values = {
                "tau-b": mean_interval(known) if len(known) else math.nan,
                "tau_ap": mean_interval(tops),
                "best": mean_interval(best_found(means, true)),
            }
            rows.add("topics", ALL, measure, values, at=number)
    for number in numbers:
        endless = math.nan
        if number < num_topics:
            endless = number * (num_topics - 1) / (num_topics - number)
        rows.add("topics", ALL, "", {"endless": endless or math.nan}, at=number)
