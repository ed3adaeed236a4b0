"""What pooling does to scores and rankings, for systems of the pool and those left out of it.

Hypothesis: what nobody judged counts as not relevant, so that scores change with the pool's depth,
those of systems left out of it more than those of systems in it. Design: the first ranks of the
pool's systems are judged, to 1, 5, 10, 20 and 50 ranks and as the dataset was; what is not in the
pool is not relevant, and a topic without an ideal in it is left out. Lists, number of elements and
navigation stay as they are. Bias is pooled less complete scores on the topics that are left;
rankings are compared by means over the topics that are left, with complete scores and with
ExactPRUM, over all topics. Intervals are over topics, of tau by the standard deviation of 200
resamples of all topics, the same for both rankings. Cost: all lists are scored anew for each depth,
some seconds.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from prum.experiments.generate.dataset import Dataset, Grades
from prum.experiments.statistics.intervals import Interval, mean_interval
from prum.experiments.statistics.rankings import tau_b, tau_interval
from prum.experiments.studies.estimators.given import Estimator
from prum.experiments.studies.estimators.rows import EstimatorRows
from prum.experiments.studies.estimators.scoring import REFERENCE, scores_by
from prum.experiments.studies.estimators.truth import ALL
from prum.simulator.model.arrays import Floats, Ints

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
