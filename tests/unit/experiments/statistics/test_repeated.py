"""Variance by topics and trials: by hand, by sums of squares, and on scores drawn by the model."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.statistics.repeated import (
    Components,
    all_succeed,
    components,
    trial_variances,
)
from prum.simulator.model.arrays import Floats
from tests.tiers import slow

# Two trials of three topics: means of topics 4, 6, 11, of trials 3, 11.
HAND = np.array([[0.0, 3.0, 6.0], [8.0, 9.0, 16.0]])


def test_components_by_hand() -> None:
    """Squares: topics 2 (9 + 1 + 16) / 2 = 26, trials 3 (16 + 16) = 96, the rest 4 / 2 = 2."""
    parts = components(HAND)
    assert parts == Components(7.0, 12.0, pytest.approx(94 / 3), 2.0, 3, 2)
    assert parts.shares() == pytest.approx((36 / 136, 94 / 136, 6 / 136))
    # V = (26 + 96 - 2) / 6 = 20.
    freedom = 120**2 / (26**2 / 2 + 96**2 + 2**2 / 2)
    half = stats.t.isf(0.025, freedom) * 20**0.5
    (added,) = trial_variances([HAND])[0]
    _, low, high = mean_interval(HAND.mean(axis=0), added)
    assert (high - low) / 2 == pytest.approx(half)
    assert parts.half_width(3, 2) == pytest.approx(half)


def test_a_difference_has_the_trials_of_both_and_bonferronis_level() -> None:
    rng = np.random.default_rng(2)
    scores = [rng.normal(size=(m, 6)) + rng.normal(size=(m, 1)) * 3 for m in (3, 4, 2)]
    added = trial_variances(scores)
    for i, j in combinations(range(3), 2):
        first, second = scores[i], scores[j]
        by_topic = stats.sem(first.mean(axis=0) - second.mean(axis=0)) ** 2
        terms, free = [by_topic], [5.0]
        for own in (first, second):
            m, n = own.shape
            rest = own - own.mean(0) - own.mean(1)[:, None] + own.mean()
            trials = n * own.mean(axis=1).var(ddof=1) / (n * m)
            both = (rest**2).sum() / ((n - 1) * (m - 1)) / (n * m)
            if trials > both:
                terms, free = [*terms, trials, -both], [*free, m - 1, (n - 1) * (m - 1)]
        total = sum(terms)
        freedom = total**2 / sum(x**2 / d for x, d in zip(terms, free, strict=True))
        half = stats.t.isf(0.025 / 3, freedom) * total**0.5
        assert len(terms) > 1
        between = added[i, i] + added[j, j] - 2 * added[i, j]
        assert stats.t.isf(0.025 / 3, 5) * (by_topic + between) ** 0.5 == pytest.approx(half)


def test_single_trials_and_topics_add_nothing() -> None:
    assert trial_variances([HAND[:1], HAND[1:]]).tolist() == [[0, 0], [0, 0]]
    assert trial_variances([HAND[:, :1]]).tolist() == [[0]]
    alike = np.array([[1.0, 2.0, 4.0]] * 3)
    assert trial_variances([alike]).tolist() == [[0]]
    assert components(alike).shares() == (1, 0, 0)
    assert np.isnan(components(alike * 0).shares()).all()


def drawn(
    rng: np.random.Generator, by_topics: float, by_trials: float, by_both: float, n: int, m: int
) -> Floats:
    """Return scores of mean 0, (trials, topics), of the model that the module describes."""
    topics, trials, both = (rng.normal(size=of) for of in (n, (m, 1), (m, n)))
    scores: Floats = by_topics**0.5 * topics + by_trials**0.5 * trials + by_both**0.5 * both
    return scores


# Variances by topics, trials, and both; topics and trials.
WORLDS = [
    (1.0, 0.0, 1.0, 20, 3),
    (1.0, 0.3, 0.5, 20, 4),
    (0.2, 1.0, 0.2, 20, 3),
    (1.0, 0.3, 0.5, 50, 10),
]


@pytest.mark.parametrize("world", [pytest.param(x, marks=slow) for x in WORLDS[1:]] + WORLDS[:1])
def test_intervals_cover_what_trials_and_topics_vary(
    world: tuple[float, float, float, int, int],
) -> None:
    """Nearly as often as they say; those over topics alone do not where trials vary."""
    rng, draws = np.random.default_rng(1), 1_000
    whole = topics = pairs = 0
    for _ in range(draws):
        scores, other = drawn(rng, *world), drawn(rng, *world)
        added = trial_variances([scores, other])
        mean = scores.mean(axis=0)
        low, high = mean_interval(mean, added[0, 0])[1:]
        whole += low <= 0 <= high
        low, high = mean_interval(mean)[1:]
        topics += low <= 0 <= high
        between = added[0, 0] + added[1, 1] - 2 * added[0, 1]
        low, high = mean_interval(mean - other.mean(axis=0), between)[1:]
        pairs += low <= 0 <= high
    # Five standard errors below .95; Satterthwaite's degrees of freedom are no more than close.
    least = 0.95 - 5 * math.sqrt(0.95 * 0.05 / draws)
    assert whole / draws > least
    assert pairs / draws > least
    assert whole / draws < 0.99
    if world[1]:
        assert topics / draws < least


def test_the_plan_is_what_more_of_either_give() -> None:
    parts = Components(0.5, 0.04, 0.01, 0.02, 20, 5)
    for half in (0.12, 0.105):
        topics, trials = parts.needed(half)
        for n, m, is_enough in (
            (topics, 5, True),
            (topics - 1, 5, False),
            (20, trials, True),
            (20, trials - 1, False),
        ):
            if math.isfinite(n + m):
                assert (parts.half_width(int(n), int(m)) <= half) == is_enough
    # Trials alone leave at least the variance by topics, and topics that by trials.
    assert parts.needed(0.08) == (math.inf, math.inf)
    assert parts.needed(1.0) == (20, 5)


def test_all_of_several_trials_succeed_as_often_as_counted() -> None:
    scores = np.random.default_rng(3).integers(0, 2, (5, 7)).astype(float)
    for k in range(1, 6):
        each = [
            np.mean([all(topic[list(some)]) for some in combinations(range(5), k)])
            for topic in scores.T
        ]
        found = all_succeed(scores, k)
        assert found.value == pytest.approx(np.mean(each))
        assert found == pytest.approx(mean_interval(np.array(each)), nan_ok=True)
