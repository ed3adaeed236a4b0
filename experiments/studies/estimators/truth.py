"""Estimates against the true scores: of one list; of the ranking by few topics, and by pools."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from prum.experiments.generate import Dataset
from prum.experiments.generate.dataset import Grades
from prum.experiments.statistics.intervals import Interval, mean_interval, root_mean_square
from prum.experiments.statistics.rankings import (
    average_precision_tau,
    best_found,
    tau_b,
    tau_interval,
)
from prum.experiments.studies.estimators.given import Estimator
from prum.experiments.studies.estimators.scoring import REFERENCE, EstimatorRows, Values, scores_by
from prum.simulator.model.arrays import Floats, Ints

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

    `errors`: standard errors of the true scores, where they were simulated; their mean square is
    taken off that of the differences.
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


# --- pools and other assessors -------------------------------------------------------------------


DEPTHS = (1, 5, 10, 20, 50)
IN, OUT = "in the pool", "left out of it"
_RESAMPLES = 200


def pooled(dataset: Dataset, depth: int) -> dict[str, dict[str, int]]:
    """Return the judgements of what the pool's systems have down to a rank; others are not there.

    Elements that no complete judgement names are not relevant: 0.
    """
    pool: dict[str, dict[str, int]] = {}
    for topic, grades in dataset.grades.items():
        judged = pool.setdefault(topic, {})
        for system in dataset.pooling:
            for element in dataset.runs[system].get(topic, ())[:depth]:
                judged[element] = grades.get(element, 0)
    return pool


def by_pool(
    rows: EstimatorRows,
    dataset: Dataset,
    scores: Mapping[str, Floats],
    measures: Sequence[str],
    rng: np.random.Generator,
    step: Callable[[], object],
    estimators: Sequence[Estimator] = (),
    own_rng: np.random.Generator | None = None,
) -> list[str]:
    """Add bias and tau at each depth, and of each assessor and judge; return notes.

    Hypothesis: what nobody judged counts as not relevant, so that scores change with the pool's
    depth, those of systems left out of it more than those of systems in it. Design: the first ranks
    of the pool's systems are judged, to 1, 5, 10, 20 and 50 ranks and as the dataset was; what is
    not in the pool is not relevant, and a topic without an ideal in it is left out. Lists, number
    of elements and navigation stay as they are. Bias is pooled less complete scores on the topics
    that are left; rankings are compared by means over the topics that are left, with complete
    scores and with ExactPRUM, over all topics. Intervals are over topics, of tau by the standard
    deviation of 200 resamples of all topics, the same for both rankings. Cost: all lists are scored
    anew for each depth, some seconds.

    Parameters
    ----------
    scores
        By measure on complete judgements.
    measures
        Those that can be computed with other judgements.
    estimators
        Those that were given, of this kind; their resamples are of `own_rng`, so that other rows
        do not hang on them.
    """
    inside = set(dataset.pooling)
    is_in = np.array([system in inside for system in dataset.systems])
    place_of = {topic: place for place, topic in enumerate(dataset.topics)}
    shape = (_RESAMPLES, len(dataset.topics))

    def add(group: str, at: int, grades: Grades) -> None:
        """Add what other judgements make of every measure."""
        topics, others = scores_by(dataset, measures, grades)
        kept = np.array([place_of[topic] for topic in topics], dtype=np.int64)
        rows.add(group, ALL, "", {"topics": len(kept)}, at=at)
        if not len(kept):
            return
        again = {one.name: one.again(grades, None) for one in estimators if one.again is not None}
        for measure, table in (*others.items(), *again.items()):
            difference = table - scores[measure][:, kept]
            for subject, part in ((IN, is_in), (OUT, ~is_in)):
                if part.any():
                    bias = mean_interval(difference[part].mean(axis=0))
                    rows.add(group, subject, measure, {"bias": bias}, at=at)
            if len(is_in) > 1:
                draws = own_rng if own_rng is not None and measure in again else rng
                chosen = draws.integers(0, shape[1], shape)
                beside = {"tau-b": measure, "tau-b with truth": REFERENCE}
                taus = {
                    name: _tau(table, kept, scores[other], chosen) for name, other in beside.items()
                }
                rows.add(group, ALL, measure, taus, at=at)

    own, pool = dataset.other_grades("pooled"), dataset.specification.pool
    made = {pool.depth: own} if own is not None and pool is not None else {}
    for depth in sorted({*DEPTHS, *made}):
        add("pooling", depth, made[depth] if depth in made else pooled(dataset, depth))
        step()
    for kind in ("assessor", "judge"):
        for number in range(1, 101):
            others = dataset.other_grades(f"{kind}-{number}")
            if others is None:
                break
            add(f"{kind}s", number, others)
    return ["All systems make the pool: none is left out of it."] if is_in.all() else []


def _tau(table: Floats, kept: Ints, other: Floats, chosen: Ints) -> Interval:
    """Return tau-b of mean scores over the kept topics with other ones over all, with its interval.

    Both are resampled, so that rankings that agree on any topics have an interval of no width.
    """
    value = float(tau_b(table.mean(axis=1), other.mean(axis=1)))
    whole = np.full((len(table), other.shape[1]), np.nan)
    whole[:, kept] = table
    some = chosen[~np.isnan(whole[0, chosen]).all(axis=1)]
    means, others = (
        np.stack([np.nanmean(row[some], axis=1) for row in scores], axis=1)
        for scores in (whole, other)
    )
    low, high = tau_interval(value, tau_b(means, others), other.shape[1]) or (math.nan, math.nan)
    return value, low, high
