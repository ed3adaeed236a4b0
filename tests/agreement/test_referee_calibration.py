"""How often a referee of simulators errs: false alarms, and what it says would have been seen."""

import numpy as np
import pytest
from scipy.stats import binom

from prum.experiments.sessions.sides import distance_test, divergence, largest_gap
from tests.tiers import slow

LEVEL = 0.05
VALUES = 8


def lengths(number: int, stop: float, rng: np.random.Generator) -> np.ndarray:
    """Return sessions of geometric lengths, as rows that count them."""
    drawn = np.minimum(rng.geometric(stop, number), VALUES) - 1
    return np.eye(VALUES)[drawn]


def law(stop: float) -> np.ndarray:
    p = stop * (1 - stop) ** np.arange(VALUES)
    p[-1] = 1 - p[:-1].sum()
    return p


def rejections(number: int, first: float, second: float, times: int) -> tuple[int, list[float]]:
    """Return how often sessions that stop so differ, and what is said to be detectable."""
    found, seen = 0, list[float]()
    for seed in range(times):
        rng = np.random.default_rng([11, seed])
        test = distance_test(
            lengths(number, first, rng),
            lengths(number + 20, second, rng),
            largest_gap,
            level=LEVEL,
            permutations=199,
            rng=rng,
        )
        assert test.p is not None
        found += test.p <= LEVEL
        seen.append(test.detectable)
    return found, seen


@pytest.mark.parametrize("times", [200, pytest.param(4000, marks=slow)])
def test_false_alarms_come_at_their_rate(times: int) -> None:
    """At most at the level; of 4,000 runs within a point of 5 %, less what ties take."""
    found, _ = rejections(60, 0.3, 0.3, times)
    assert found <= binom.ppf(0.9999, times, LEVEL)
    assert found >= binom.ppf(0.0001, times, 0.8 * LEVEL)


@pytest.mark.parametrize("times", [60, pytest.param(2000, marks=slow)])
def test_what_would_have_been_seen_is_seen(times: int) -> None:
    """Plant the distance that sessions drawn alike are said to show, and find it with power .8."""
    _, seen = rejections(80, 0.3, 0.3, 20)
    wanted = float(np.median(seen))
    stops = np.linspace(0.3, 0.9, 2001)
    distances = [float(largest_gap(law(0.3), law(stop))) for stop in stops]
    stop = float(stops[int(np.argmax(np.array(distances) >= wanted))])
    found, _ = rejections(80, 0.3, stop, times)
    low, high = binom.ppf([0.0005, 0.9995], times, 0.8)
    # The normal law stands in for that of a largest difference.
    slack = (0.03 if times > 100 else 0.08) * times
    assert low - slack <= found <= high + slack
    half = float(stops[int(np.argmax(np.array(distances) >= wanted / 2))])
    fewer, _ = rejections(80, 0.3, half, times)
    assert fewer < found


def test_distances_of_many_sessions_come_to_those_of_the_laws() -> None:
    rng = np.random.default_rng(5)
    sums = [lengths(200_000, stop, rng).sum(axis=0) for stop in (0.3, 0.4)]
    for distance in (largest_gap, divergence):
        assert distance(*sums) == pytest.approx(distance(law(0.3), law(0.4)), abs=4e-3)
