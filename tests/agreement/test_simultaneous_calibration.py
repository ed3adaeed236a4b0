"""Families of comparisons err, and intervals and places miss, no more often than promised.

Over many seeds of made scores with known means. Rates are held against binomial quantiles of 1e-4;
nothing is scaled.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, stdtrit

from prum.experiments.statistics.maxima import bonferroni_critical
from prum.experiments.statistics.simultaneous import METHODS, Compared, compared, places
from tests.tiers import slow

Floats = Any
LEVEL, TAIL, DRAWS = 0.05, 1e-4, 399
FEWER, NUM_SEEDS = 40, 500
seeds = pytest.mark.parametrize("num_seeds", [FEWER, pytest.param(NUM_SEEDS, marks=slow)])


@dataclass(frozen=True)
class World:
    """Scores that can be drawn, with the true means of systems, and the pairs that are compared."""

    means: Floats
    draw: Callable[[np.random.Generator], Floats]
    baseline: bool = False

    @property
    def pairs(self) -> Any:
        num = len(self.means)
        if self.baseline:
            return np.array([(system, 0) for system in range(1, num)])
        return np.array(list(combinations(range(num), 2)))


def normal(
    means: Floats, num_topics: int, *, deviations: Any = 1.0, clusters: Any = None, **more: bool
) -> World:
    """Return normal systems with effects of topics; those of a cluster have most in common."""
    means = np.asarray(means, dtype=np.float64)

    def draw(rng: np.random.Generator) -> Floats:
        own = rng.normal(size=(len(means), num_topics))
        if clusters is not None:
            common = rng.normal(size=(max(clusters) + 1, num_topics))[list(clusters)]
            own = 0.95 * common + 0.05**0.5 * own
        deviation = np.broadcast_to(deviations, len(means))[:, None]
        return means[:, None] + deviation * own + rng.normal(size=num_topics)

    return World(means, draw, **more)


def bounded(shapes: Any, num_topics: int) -> World:
    """Return scores of Beta laws, between 0 and 1 and skewed, high together on easy topics."""
    a, b = np.array(shapes).T[:, :, None]

    def draw(rng: np.random.Generator) -> Floats:
        common, own = rng.normal(size=num_topics), rng.normal(size=(len(a), num_topics))
        scores: Floats = stats.beta.ppf(ndtr(0.8 * common + 0.6 * own), a, b)
        return scores

    return World((a / (a + b))[:, 0], draw)


WORLDS = {
    "nothing differs": normal(np.zeros(5), 20),
    "some differ": normal([0, 0, 0, 0.6, 1.2], 20, deviations=[0.2, 1, 1, 1, 3]),
    "clusters": normal(np.repeat([0, 0.3], 4), 15, clusters=[0, 0, 1, 1, 2, 2, 3, 3]),
    "beside a baseline": normal([0, 0, 0, 0, 1], 15, deviations=[0.3, 1, 1, 1, 1], baseline=True),
    "more systems than topics": normal(np.repeat([0, 1], 8), 10),
    "scores like AP": bounded([(0.8, 2.4)] * 3 + [(1.2, 2.4), (1.2, 3.6)], 30),
}


def errors(
    world: World, num_seeds: int, compare: Callable[[Floats, Any, int], Compared]
) -> dict[str, int]:
    """Return of how many seeds a pair without a difference was shown, and what was missed."""
    pairs, means = world.pairs, world.means
    true = means[pairs[:, 0]] - means[pairs[:, 1]]
    first = 1 + (means > means[:, None] + 1e-12).sum(axis=1)
    last = len(means) - (means < means[:, None] - 1e-12).sum(axis=1)
    counts = dict.fromkeys(("shown", "missed", "misplaced"), 0)
    for seed in range(num_seeds):
        family = compare(world.draw(np.random.default_rng([seed, 17])), pairs, seed)
        counts["shown"] += bool((family.adjusted[true == 0] < LEVEL).any())
        counts["missed"] += not ((family.low <= true) & (true <= family.high)).all()
        lowest, highest = places(len(means), pairs, family)
        counts["misplaced"] += not ((lowest <= first) & (last <= highest)).all()
    return counts


def most(num_seeds: int) -> int:
    return int(stats.binom.ppf(1 - TAIL, num_seeds, LEVEL))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("world", WORLDS)
@seeds
def test_errors_come_no_more_often_than_promised(world: str, method: str, num_seeds: int) -> None:
    """At level .05 some 5 % of families show what is not there, or miss what is; not more."""
    counts = errors(
        WORLDS[world],
        num_seeds,
        lambda values, pairs, seed: compared(values, pairs, method=method, draws=DRAWS, seed=seed),
    )
    print(f"{world}, {method}: {counts} of {num_seeds}, at most {most(num_seeds)} allowed")
    assert max(counts.values()) <= most(num_seeds)


# --- what must be noticed -------------------------------------------------------------------------


def unadjusted(values: Floats, pairs: Any, seed: int) -> Compared:
    """Leave out that there are other pairs."""
    family = compared(values, pairs, draws=DRAWS, seed=seed)
    half = bonferroni_critical(1, values.shape[1], LEVEL) * family.error
    low, high = family.difference - half, family.difference + half
    return family._replace(low=low, high=high, adjusted=family.p)


def one_error(values: Floats, pairs: Any, seed: int) -> Compared:
    """Give all pairs the error of their mean square."""
    family = compared(values, pairs, draws=DRAWS, seed=seed)
    half = family.critical * np.sqrt((family.error**2).mean())
    low, high = family.difference - half, family.difference + half
    adjusted = np.where((low > 0) | (high < 0), 0.0, 1.0)
    return family._replace(low=low, high=high, adjusted=adjusted)


def wrong_order(values: Floats, pairs: Any, seed: int) -> Compared:
    """Take the maximum that four times as many exceed."""
    return compared(values, pairs, level=4 * LEVEL, draws=DRAWS, seed=seed)


def every_bound_stepped_down(values: Floats, pairs: Any, seed: int) -> Compared:
    """Bound pairs that Holm's method rejects as it bounds the others."""
    family = compared(values, pairs, method="Holm", seed=seed)
    left = max(1, len(pairs) - int((family.adjusted < LEVEL).sum()))
    half = -stdtrit(values.shape[1] - 1, LEVEL / 2 / left) * family.error
    low, high = family.difference - half, family.difference + half
    return family._replace(low=low, high=high)


FAR = normal(np.arange(5) * 5.0, 20)


@pytest.mark.parametrize(
    ("world", "fault"),
    [
        (WORLDS["nothing differs"], unadjusted),
        (normal(np.zeros(12), 20, deviations=[3, *[0.2] * 11]), one_error),
        (WORLDS["nothing differs"], wrong_order),
        (FAR, every_bound_stepped_down),
    ],
)
def test_a_planted_fault_misses_too_often(
    world: World, fault: Callable[[Floats, Any, int], Compared]
) -> None:
    counts = errors(world, 200, fault)
    print(f"{fault.__name__}: {counts} of 200, at most {most(200)} allowed")
    assert counts["missed"] > most(200)
