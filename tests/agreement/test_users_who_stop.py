"""Closed forms of measures of users who stop, against all that such users may do, rank by rank.

Users decide at each rank whether to go on, by theta, by what they see, or on seeing what they want;
no law of ranks is computed. Means over all of them are exact.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import roots_jacobi

from prum.analytic.utility.diversity import (
    discounts,
    fresh_gains,
    geometric,
    intent_aware,
    preference_utility,
)
from prum.analytic.utility.laws import beta_stopping, mixed_stopping, stopping
from prum.analytic.utility.measures import MODELS, accumulate, utility

Floats = NDArray[np.float64]
DISTRIBUTIONS = ("RBP", "DCG", "RR", "ERR", "AP", "RRR")
N, BASE, THETA = 8, 3.0, 0.3
each_distribution = pytest.mark.parametrize("distribution", DISTRIBUTIONS)
each_list = pytest.mark.parametrize("seed", range(6))


def relevance_of(seed: int) -> Floats:
    rng = np.random.default_rng([81, seed])
    gains = rng.choice([0.25, 0.5, 1.0], size=N) if seed % 2 else np.ones(N)
    return np.where(rng.random(N) < 0.5, gains, 0) if seed else np.zeros(N)


def thetas_of(a: float, b: float) -> list[tuple[float, float]]:
    """Return thetas of a beta law and their shares, for polynomials of degree 19."""
    x, weights = roots_jacobi(10, b - 1, a - 1)
    return [*zip((x + 1) / 2, weights / weights.sum(), strict=True)]


def users(
    distribution: str,
    relevance: Floats,
    thetas: list[tuple[float, float]] | None = None,
    kept: Floats | None = None,
) -> Iterator[tuple[float, int, float, float]]:
    """Yield share, last rank (0: none), gain there and gain in all.

    One relevant element is not in the list. `kept`: who is interested when they find one more.
    """
    gains = relevance * (1 if kept is None else np.append(0, kept)[(relevance > 0).cumsum()])
    every = thetas_of(1, 1) if distribution in ("RR", "RRR") else thetas or [(THETA, 1.0)]
    wanting = [(k, g / (relevance.sum() + 1)) for k, g in enumerate([*relevance, 1.0])]
    for theta, share in every:
        for wanted, part in wanting if distribution == "AP" else [(-1, 1.0)]:
            going, total = share * part, 0.0
            for k, (relevant, gain) in enumerate(zip(relevance, gains, strict=True)):
                total += gain
                leaving = {
                    "DCG": 1 - np.log(k + BASE) / np.log(k + 1 + BASE),
                    "ERR": theta * relevant,
                    "RRR": theta * relevant,
                    "AP": float(k == wanted),
                }.get(distribution, theta)
                yield going * leaving, k + 1, gain, total
                going *= 1 - leaving
            yield going, 0, 0.0, total


def means(of_users: Iterator[tuple[float, int, float, float]], effort: str = "1 / k") -> Floats:
    """Return what users have in the mean by the four models."""
    sums = np.zeros(4)
    for share, last, gain, total in of_users:
        f = (last if effort == "k" else 1 / last) if last else 0.0
        sums += share * np.array([gain, total, f, f * total])
    return sums


@each_list
@each_distribution
def test_plain(distribution: str, seed: int) -> None:
    relevance = relevance_of(seed)
    pool, given = [*relevance, 1.0], {"theta": THETA, "base": BASE, "gain": float}
    closed = [utility((distribution, model), relevance, pool, **given) for model in MODELS]
    assert closed == pytest.approx(means(users(distribution, relevance)), abs=1e-12)


@each_list
@each_distribution
def test_stops_follow_the_law(distribution: str, seed: int) -> None:
    relevance = relevance_of(seed)
    mass = np.zeros(N + 1)
    for share, last, *_ in users(distribution, relevance):
        mass[last] += share
    law = stopping(distribution, relevance, [*relevance, 1], theta=THETA, base=BASE, gain=float)
    assert [law.remainder, *law.mass] == pytest.approx(mass, abs=1e-12)


def test_an_effort_of_ones_own() -> None:
    relevance = relevance_of(2)
    given = {"theta": THETA, "effort": lambda k: k}
    closed = [utility(("ERR", model), relevance, **given) for model in MODELS]
    assert closed == pytest.approx(means(users("ERR", relevance), "k"), abs=1e-12)


@pytest.mark.parametrize("shape", [(1.0, 1.0), (2.0, 5.0), (0.5, 0.5)])
@pytest.mark.parametrize("distribution", ["RBP", "ERR"])
@pytest.mark.parametrize("seed", [5, 6])
def test_thetas_from_a_beta_law(distribution: str, shape: tuple[float, float], seed: int) -> None:
    (a, b), relevance = shape, relevance_of(seed)
    given = {"n": N} if distribution == "RBP" else {"relevance": relevance, "gain": float}
    law = beta_stopping(distribution, a=a, b=b, **given)
    closed = [accumulate(model, law, relevance) for model in MODELS]
    expected = means(users(distribution, relevance, thetas_of(a, b)))
    assert closed == pytest.approx(expected, abs=1e-12)


def test_a_mixture_of_distributions() -> None:
    relevance, shares, names = relevance_of(8), [0.5, 0.3, 0.2], ("RBP", "DCG", "RRR")
    law = mixed_stopping([stopping(x, relevance, theta=THETA, base=BASE) for x in names], shares)
    expected = sum(p * means(users(x, relevance)) for p, x in zip(shares, names, strict=True))
    assert [accumulate(m, law, relevance) for m in MODELS] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("behind", [0, 1])
@pytest.mark.parametrize("sample", ["one", "all"])
@pytest.mark.parametrize("itself", [True, False])
@each_distribution
def test_preferences(distribution: str, sample: str, itself: bool, behind: int) -> None:
    rng, relevance = np.random.default_rng([83, behind]), relevance_of(2)
    preferred = rng.choice([-1.0, 0.0, 0.5, 1.0], size=(N, N + behind))
    expected = 0.0
    for share, last, *_ in users(distribution, relevance):
        column = preferred[: last if itself else max(last - 1, 0), last - 1]
        if not last:
            column = preferred[:, N:].ravel() if sample == "all" else []
        if len(column):
            expected += share * (np.mean(column) if sample == "one" else np.sum(column))
    law = stopping(distribution, relevance, [*relevance, 1], theta=THETA, base=BASE)
    closed = preference_utility(law, preferred, sample=sample, itself=itself)
    assert closed == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("names", [("ERR", "ERR"), ("RBP", "RRR"), ("AP", "DCG")])
@pytest.mark.parametrize("redundancy", [geometric(0.4), stopping("DCG", n=9)])
def test_intents_with_redundancy(names: tuple[str, str], redundancy: object) -> None:
    factors, shares = discounts(redundancy, 9), [0.7, 0.3]
    relevance = np.stack([relevance_of(2) > 0, relevance_of(6) > 0]).astype(float)
    pairs = [*zip(names, relevance, strict=True)]
    laws = [stopping(name, row, [*row, 1], theta=THETA, base=BASE) for name, row in pairs]
    fresh = fresh_gains(relevance, redundancy)
    each = [means(users(name, row, kept=factors)) for name, row in pairs]
    closed = [intent_aware(model, laws, fresh, shares) for model in MODELS]
    assert closed == pytest.approx(np.array(shares) @ each, abs=1e-12)
