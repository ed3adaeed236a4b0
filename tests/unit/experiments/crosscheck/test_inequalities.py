"""P-values of the verdict beside exact tails of small laws, which they are never below."""

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from prum.experiments.crosscheck.inequalities import (
    Law,
    detectable,
    half_width,
    p_of_mean,
    p_of_sample,
    p_of_spread,
    thresholds,
    users_for,
)
from tests.tiers import DRAWS_ALL, drawn

Floats = NDArray[np.float64]
ROUNDING = 1e-9
LEVEL = 1e-5


def law_of(values: Floats, chances: Floats) -> Law:
    """Return the law of a few points, its range their ends."""
    mean = values @ chances
    variance = (values - mean) ** 2 @ chances
    return Law(*(np.array(x) for x in (mean, variance, values.min(), values.max())))


def samples(values: Floats, chances: Floats, n: int) -> tuple[Floats, Floats, Floats]:
    """Return mean, variance and probability of each sample of n users, by its counts."""
    counts = np.array(
        [
            np.diff([-1, *bars, n + len(values) - 1]) - 1
            for bars in itertools.combinations(range(n + len(values) - 1), len(values) - 1)
        ]
    )
    logs = [math.lgamma(n + 1) - sum(math.lgamma(k + 1) for k in row) for row in counts.tolist()]
    probability = np.exp(np.array(logs) + counts @ np.log(chances))
    mean = counts @ values / n
    variance = np.maximum(counts @ values**2 - n * mean**2, 0) / max(n - 1, 1)
    return mean, variance, probability


def small_laws(number: int, points: int) -> list[tuple[Floats, Floats]]:
    """Return laws of a few points, rare ones far off among them."""
    rng = np.random.default_rng([number, points])
    laws = []
    for _ in range(number):
        values = 1 + np.cumsum(rng.choice([0.5, 1.0, 3.0, 40.0], points))
        chances = 10.0 ** rng.uniform(-3, 0, points)
        laws.append((values, chances / chances.sum()))
    return laws


@pytest.mark.parametrize("n", [1, 2, 7, 60, 1_000, 10_000])
@pytest.mark.parametrize("chance", [1e-4, 0.01, 0.2, 0.5, 0.97])
def test_bennett_is_never_below_a_binomial_tail(n: int, chance: float) -> None:
    """Of users who have 1 or 11."""
    law = law_of(np.array([1.0, 11.0]), np.array([1 - chance, chance]))
    k = np.arange(n + 1)
    means = 1 + 10 * k / n
    p = p_of_mean(Law(*(np.full(n + 1, of) for of in law)), means, n)
    tail = np.where(means > law.mean, binom.sf(k - 1, n, chance), binom.cdf(k, n, chance))
    assert (p >= np.minimum(2 * tail, 1) * (1 - ROUNDING)).all()


def sizes(p: Floats, probability: Floats) -> Floats:
    """Return how often p is at most each of its values, over that value: at most 1 if it holds."""
    order = np.argsort(p)
    ordered, cumulated = p[order], np.cumsum(probability[order])
    last = np.append(ordered[1:] > ordered[:-1], True)
    # Both underflow where n users are out of the question.
    return cumulated[last] / np.maximum(ordered[last], 1e-290)


@drawn
@pytest.mark.parametrize(("points", "n"), [(2, 400), (3, 40), (4, 14), (5, 9)])
def test_each_p_is_at_most_a_as_often_as_a(points: int, n: int) -> None:
    """Every sample of n users of laws of a few points, with its probability."""
    for values, chances in small_laws(60 if DRAWS_ALL else 20, points):
        law = law_of(values, chances)
        mean, variance, probability = samples(values, chances, n)
        assert probability.sum() == pytest.approx(1)
        each = Law(*(np.full(mean.shape, of) for of in law))
        length = each.most - each.least
        for p in (
            p_of_mean(each, mean, n),
            p_of_spread(each, mean, variance, n),
            p_of_sample(each.mean, length, mean, variance, n),
        ):
            assert sizes(p, probability).max() <= 1 + ROUNDING


def test_a_law_without_variance_allows_rounding_alone() -> None:
    """Of the mean and of the spread, whatever the range."""
    law = Law(np.full(3, 4.0), np.zeros(3), np.ones(3), np.full(3, 1e6))
    means = np.array([4.0, 4.0 * (1 + 1e-10), 4.0001])
    assert p_of_mean(law, means, 1000).tolist() == [1, 1, 0]
    assert p_of_spread(law, means, np.array([0.0, 1e-13, 5.0]), 1000).tolist() == [1, 1, 0]
    nothing = np.zeros(3)
    assert p_of_sample(law.mean, nothing, means, nothing, 1000).tolist() == [1, 1, 0]


def test_the_right_mean_with_a_wrong_spread_is_found() -> None:
    """Users who all have the mean, and users who stray ten percent too far."""
    law = law_of(np.array([1.0, 2.0, 60.0]), np.array([0.5, 0.4, 0.1]))
    constant, wider = (p_of_spread(law, law.mean, v, 100_000) for v in (0.0, 1.21 * law.variance))
    assert float(constant) < 1e-300
    assert float(wider) < 1e-6
    assert float(p_of_spread(law, law.mean, 1.001 * law.variance, 100_000)) > 0.1


@pytest.mark.parametrize("n", [10, 5_000, 2_000_000])
def test_thresholds_are_where_p_is_the_level(n: int) -> None:
    """Upwards and downwards, and of a sample with its own variance."""
    for values, chances in small_laws(40, 3):
        law = law_of(values, chances)
        above, below = thresholds(law, n, LEVEL)
        assert float(p_of_mean(law, law.mean + above, n)) == pytest.approx(LEVEL, rel=1e-6)
        assert float(p_of_mean(law, law.mean - below, n)) == pytest.approx(LEVEL, rel=1e-6)
        length = law.most - law.least
        half = half_width(length, law.variance, n, LEVEL)
        p = float(p_of_sample(law.mean, length, law.mean + half, law.variance, n))
        assert p == pytest.approx(LEVEL, rel=1e-6) or float(half) == float(length)


def test_the_fewest_users_are_those_to_whom_the_error_is_just_detectable() -> None:
    """Of many laws at once; what no number of users shows is infinite."""
    laws = [law_of(*law) for law in small_laws(200, 3)]
    law = Law(*(np.array(of) for of in zip(*laws, strict=True)))
    n = users_for(law, 0.1, LEVEL, most=1e9)
    assert np.isfinite(n).all()
    assert (detectable(law, n, LEVEL) <= 0.1 * law.mean * (1 + 1e-6)).all()
    fewer = detectable(law, np.maximum(n - 1, 0.5), LEVEL)
    assert (fewer > 0.1 * law.mean)[n > 1].all()
    assert (np.isinf(users_for(law, 0.1, LEVEL, most=100)) == (n > 100)).all()


def test_detectable_errors_solve_their_equation() -> None:
    """d = T + .8416 sqrt((s2 + d b) / n), where that is the larger."""
    law = law_of(np.array([1.0, 2.0, 400.0]), np.array([0.6, 0.399, 0.001]))
    n = 50_000
    d, (above, _), (b, _) = detectable(law, n, LEVEL), thresholds(law, n, LEVEL), law.rooms
    assert float(d) == pytest.approx(float(above + 0.8416 * np.sqrt((law.variance + d * b) / n)))


@pytest.mark.parametrize("n", [1_000, 100_000])
@pytest.mark.parametrize("rare", [1e-6, 1e-4, 0.001, 0.01, 0.1])
@pytest.mark.parametrize("far", [10.0, 100.0, 1_000.0])
def test_detectable_errors_are_shown_on_either_side(far: float, rare: float, n: int) -> None:
    """With probability .8, less what whole numbers of users take from it: exact, two points."""
    k = np.arange(n + 1)
    for common, other in [(1.0, far), (far, 1.0)]:
        law = law_of(np.array([common, other]), np.array([1 - rare, rare]))
        error = float(detectable(law, n, LEVEL))
        more = rare + error / (far - 1)
        if more < 1:
            means = common + (other - common) * k / n
            p = p_of_mean(Law(*(np.full(n + 1, of) for of in law)), means, n)
            assert binom.pmf(k, n, more)[p <= LEVEL].sum() > 0.75


def test_users_are_planned_for_any_law() -> None:
    """Of twenty thousand rows, from certain to nearly impossible to plan for."""
    rng = np.random.default_rng(1)
    size = 20_000
    most, mean = 10.0 ** rng.uniform(2, 6, size), 10.0 ** rng.uniform(0, 1.9, size)
    variance = (most - mean) * (mean - 1) * 10.0 ** rng.uniform(-6, 0, size)
    variance[rng.random(size) < 0.1] = 0
    n = users_for(Law(mean, variance, np.ones(size), most), 0.1, LEVEL, most=2.0**50)
    assert np.isfinite(n).all()
