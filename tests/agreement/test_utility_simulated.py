"""Closed forms of measures of users who stop, against users who stop step by step.

Plain, browsed, over populations, by preferences and by intents, on random small lists; the sampler
computes no law of ranks. A planted mistake of each kind is found.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from prum.analytic.precision.mixtures import beta_nodes
from prum.analytic.utility.browsed import browsed
from prum.analytic.utility.diversity import discounts, fresh_gains, geometric, intent_aware
from prum.analytic.utility.laws import StoppingLaw, beta_stopping, mixed_stopping, stopping
from prum.analytic.utility.measures import MODELS, accumulate, preference_utility, utility
from prum.simulator.model import Beta
from prum.simulator.sampling.measured.stops import (
    DISTRIBUTIONS,
    StoppingUsers,
    Stops,
    simulate_preferences,
    simulate_stops,
    stopping_users,
)
from prum.simulator.sampling.streams import STOPS, stream
from tests.tiers import spread
from tests.twins.stops import reference_stops

Floats = NDArray[np.float64]

# P(any false alarm in this file), whatever the seed.
FAMILY_WISE = 1e-3
# Comparisons of this file, at most; the last test counts them.
COMPARISONS = 3_000
THRESHOLD = float(norm.isf(FAMILY_WISE / 2 / COMPARISONS))
# Means more skewed than this are not judged by z.
MOST_SKEWED = 0.05
EQUAL = 1e-9
USERS = 200_000
NUM_LISTS = 12
every = pytest.mark.parametrize("seed", spread(11, range(NUM_LISTS)))
each_distribution = pytest.mark.parametrize("distribution", DISTRIBUTIONS)


def z_of(simulated: Stops, closed: Floats) -> Floats:
    """Return z, nan where too few users are what is rare; infinite where there is no variance."""
    apart = simulated.mean - closed
    z = np.where(np.abs(apart) <= EQUAL, 0, np.inf)
    # Nobody drew what a hundred users would have been expected to.
    z[(simulated.error == 0) & (USERS * np.abs(apart) < 100) & (z > 0)] = np.nan
    np.divide(apart, simulated.error, out=z, where=simulated.error > 0)
    z[np.abs(simulated.skewness) > MOST_SKEWED] = np.nan
    return z


def agrees(simulated: Stops, closed: Floats) -> None:
    z = z_of(simulated, closed)
    assert np.isfinite(z).any()
    assert np.nanmax(np.abs(z)) < THRESHOLD, (simulated, closed, z)


def disagrees(simulated: Stops, closed: Floats) -> None:
    assert np.nanmax(np.abs(z_of(simulated, closed))) > THRESHOLD


# --- lists ------------------------------------------------------------------------------------


def relevance_of(seed: int) -> Floats:
    rng = np.random.default_rng([81, seed])
    gains = rng.choice([0.25, 0.5, 1.0], size=8) if seed % 2 else np.ones(8)
    return np.where(rng.random(8) < 0.5, gains, 0) if seed else np.zeros(8)


def reach_of(relevance: Floats, missing: int = 1) -> tuple[Floats, Floats]:
    """Return who is shown what without browsing, with documents that the list lacks; gains."""
    ranks = np.flatnonzero(relevance)
    reach = np.zeros((len(relevance), len(ranks) + missing))
    reach[ranks, np.arange(len(ranks))] = 1
    return reach, np.append(relevance[ranks], np.ones(missing))


def browsing(seed: int) -> tuple[Floats, Floats | None]:
    """Return a random reach of up to 5 ranks and 4 ideals, some of them ranked; gains."""
    rng = np.random.default_rng([82, seed])
    n, t = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    reach = np.where(rng.random((n, t)) < 0.6, rng.choice([0.2, 0.5, 0.8], size=(n, t)), 0)
    reach[int(rng.integers(n)), int(rng.integers(t))] = 1
    return reach, rng.choice([0.25, 0.5, 1.0], size=t) if seed % 2 else None


def theta_of(seed: int) -> float:
    return (0.2, 0.5, 0.8)[seed % 3]


def pool_of(relevance: Floats) -> list[float]:
    return [*relevance.tolist(), 1.0]


def closed_plain(distribution: str, relevance: Floats, theta: float) -> Floats:
    return np.array(
        [
            utility(
                (distribution, model),
                relevance,
                pool_of(relevance),
                theta=theta,
                base=3,
                gain=float,
            )
            for model in MODELS
        ]
    )


def simulated_plain(distribution: str, relevance: Floats, theta: float, seed: int) -> Stops:
    reach, gains = reach_of(relevance)
    users = stopping_users(distribution, reach, theta=theta, base=3, gains=gains)
    return simulate_stops(users, num_users=USERS, seed=seed)


# --- plain, browsed -----------------------------------------------------------------------------


@every
@each_distribution
def test_plain(distribution: str, seed: int) -> None:
    relevance, theta = relevance_of(seed), theta_of(seed)
    agrees(
        simulated_plain(distribution, relevance, theta, seed),
        closed_plain(distribution, relevance, theta),
    )


@pytest.mark.parametrize("distribution", ["RBP", "ERR"])
def test_a_wrong_theta_is_found(distribution: str) -> None:
    relevance = relevance_of(2)
    simulated = simulated_plain(distribution, relevance, 0.5, 1)
    disagrees(simulated, closed_plain(distribution, relevance, 0.51))


def test_a_forgotten_remainder_is_found() -> None:
    relevance = relevance_of(2)
    law = stopping("DCG", n=8, base=3)
    right = closed_plain("DCG", relevance, 0.5)
    wrong = right.copy()
    wrong[1] = accumulate("M2", StoppingLaw(law.mass, 0.0), relevance)
    simulated = simulated_plain("DCG", relevance, 0.5, 1)
    agrees(simulated, right)
    disagrees(simulated, wrong)


@each_distribution
def test_stops_follow_the_law(distribution: str) -> None:
    relevance = relevance_of(4)
    law = stopping(distribution, relevance, pool_of(relevance), theta=0.3)
    reach, _ = reach_of(relevance)
    users = stopping_users(distribution, reach, theta=0.3)
    stopped = simulate_stops(users, num_users=USERS, seed=3).stopped
    share = np.append(stopped, USERS - stopped.sum()) / USERS
    p = np.append(law.mass, law.remainder)
    often = p * (1 - p) * USERS > 500
    assert share[p == 0].sum() == 0
    z = (share - p)[often] / np.sqrt(p * (1 - p) / USERS)[often]
    assert np.abs(z).max() < THRESHOLD


@every
@each_distribution
def test_browsed(distribution: str, seed: int) -> None:
    (reach, gains), theta = browsing(seed), theta_of(seed)
    users = stopping_users(distribution, reach, theta=theta, gains=gains)
    closed = browsed(distribution, reach, theta=theta, gains=gains)
    agrees(
        simulate_stops(users, num_users=USERS, seed=seed),
        np.array([closed.value(model) for model in MODELS]),
    )


@each_distribution
def test_links_taken_from_the_closed_form_are_missed(distribution: str) -> None:
    reach = np.array([[0.5, 0.3], [1, 0], [0, 1]])
    closed = browsed(distribution, np.where(reach < 1, 0, reach))
    users = stopping_users(distribution, reach)
    disagrees(
        simulate_stops(users, num_users=USERS, seed=1),
        np.array([closed.value(model) for model in MODELS]),
    )


def test_an_effort_of_ones_own() -> None:
    relevance = relevance_of(2)
    reach, gains = reach_of(relevance)
    users = stopping_users("ERR", reach, gains=gains, effort=lambda k: k)
    closed = [
        utility(("ERR", model), relevance, effort=lambda k: k, gain=float) for model in MODELS
    ]
    agrees(simulate_stops(users, num_users=USERS, seed=1), np.array(closed))


# --- populations --------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1.0, 1.0), (2.0, 5.0), (0.5, 0.5)])
@pytest.mark.parametrize("distribution", ["RBP", "ERR"])
def test_thetas_from_a_beta_law(distribution: str, shape: tuple[float, float]) -> None:
    a, b = shape
    relevance = relevance_of(6)
    if distribution == "RBP":
        law = beta_stopping("RBP", a=a, b=b, n=8)
    else:
        law = beta_stopping("ERR", relevance, a=a, b=b)
    reach, _ = reach_of(relevance)
    users = stopping_users(distribution, reach, theta=Beta(a, b))
    simulated = simulate_stops(users, num_users=USERS, seed=5)
    closed = np.array([accumulate(model, law, relevance) for model in MODELS])
    agrees(simulated, closed)
    if shape != (1.0, 1.0):
        other = "RR" if distribution == "RBP" else "RRR"
        disagrees(simulated, closed_plain(other, relevance, 0.5))


@pytest.mark.parametrize("distribution", ["RBP", "ERR"])
def test_thetas_from_a_beta_law_browsed(distribution: str) -> None:
    reach, _ = browsing(4)
    users = stopping_users(distribution, reach, theta=Beta(2, 3))
    nodes, weights = beta_nodes(2, 3, 20)
    closed = sum(
        weight * np.array([browsed(distribution, reach, theta=node).value(m) for m in MODELS])
        for node, weight in zip(nodes, weights, strict=True)
    )
    agrees(simulate_stops(users, num_users=USERS, seed=6), np.asarray(closed))


def test_a_mixture_of_distributions() -> None:
    relevance = relevance_of(8)
    reach, _ = reach_of(relevance, missing=0)
    shares, names = [0.5, 0.3, 0.2], ("RBP", "DCG", "RRR")
    laws = [stopping(name, relevance, theta=0.3) for name in names]
    users = [stopping_users(name, reach, theta=0.3) for name in names]
    simulated = simulate_stops(users, num_users=USERS, seed=7, probabilities=shares)

    def closed(weights: list[float]) -> Floats:
        law = mixed_stopping(laws, weights)
        return np.array([accumulate(model, law, relevance) for model in MODELS])

    agrees(simulated, closed(shares))
    disagrees(simulated, closed(shares[::-1]))


# --- preferences --------------------------------------------------------------------------------


def preferences_of(seed: int) -> Floats:
    rng = np.random.default_rng([83, seed])
    return rng.choice([-1.0, 0.0, 0.5, 1.0], size=(8, 8 + seed % 2))


@pytest.mark.parametrize("seed", spread(3, range(4)))
@pytest.mark.parametrize("sample", ["one", "all"])
@pytest.mark.parametrize("itself", [True, False])
@each_distribution
def test_preferences(distribution: str, sample: str, itself: bool, seed: int) -> None:
    relevance, preferred = relevance_of(2 * seed + 2), preferences_of(seed)
    reach, _ = reach_of(relevance)
    users = stopping_users(distribution, reach, theta=0.3)
    simulated = simulate_preferences(
        users, preferred, sample=sample, itself=itself, num_users=USERS, seed=seed
    )
    law = stopping(distribution, relevance, pool_of(relevance), theta=0.3)
    closed = preference_utility(law, preferred, sample=sample, itself=itself)
    agrees(simulated, np.array([closed]))


def test_the_other_convention_is_found() -> None:
    preferred = preferences_of(1)
    users = stopping_users("DCG", np.zeros((8, 1)))
    simulated = simulate_preferences(users, preferred, num_users=USERS, seed=1)
    closed = preference_utility(stopping("DCG", n=8), preferred, itself=False)
    disagrees(simulated, np.array([closed]))


# --- diversity ----------------------------------------------------------------------------------


def redundancies() -> Iterator[tuple[str, Floats]]:
    yield "geometric", discounts(geometric(0.4), 9)
    yield "law", discounts(stopping("DCG", n=9), 9)


@pytest.mark.parametrize("names", [("ERR", "ERR"), ("RBP", "RRR"), ("AP", "DCG")])
@pytest.mark.parametrize("kind", ["geometric", "law"])
def test_intents_with_redundancy(names: tuple[str, str], kind: str) -> None:
    factors = dict(redundancies())[kind]
    shares = [0.7, 0.3]
    relevance = np.stack([relevance_of(2) > 0, relevance_of(6) > 0]).astype(float)
    users, laws = list[StoppingUsers](), list[StoppingLaw]()
    for name, row in zip(names, relevance, strict=True):
        reach, _ = reach_of(row)
        ratios = np.append(factors[0], factors[1:] / factors[:-1])[: reach.shape[1]]
        users.append(stopping_users(name, reach, theta=0.3, keeping=ratios))
        laws.append(stopping(name, row, pool_of(row), theta=0.3))
    simulated = simulate_stops(users, num_users=USERS, seed=8, probabilities=shares)
    fresh = fresh_gains(relevance, lambda r: factors[: len(r)])
    closed = np.array([intent_aware(model, laws, fresh, shares) for model in MODELS])
    agrees(simulated, closed)
    stale = np.array([intent_aware(model, laws, relevance, shares) for model in MODELS])
    disagrees(simulated, stale)


# --- the sampler ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", spread(3, range(4)))
@each_distribution
def test_twin(distribution: str, seed: int) -> None:
    reach, gains = browsing(seed)
    keeping = np.linspace(1, 0.5, reach.shape[1])
    users = stopping_users(distribution, reach, theta=Beta(2, 3), gains=gains, keeping=keeping)
    thetas = users.thetas(seed, 0, 300)
    values, ranks = users.draw(stream(seed, (), 0, STOPS), thetas)
    twins, twin_ranks = reference_stops(users, stream(seed, (), 0, STOPS), thetas.tolist())
    assert values.tolist() == [list(row) for row in twins]
    assert ranks.tolist() == twin_ranks


def test_number_of_comparisons() -> None:
    lists = 4 * len(DISTRIBUTIONS)
    preferences = 4 * len(list(product(range(4), DISTRIBUTIONS)))
    assert (2 * NUM_LISTS + 8) * lists + 3 * lists + preferences + 9 * lists < COMPARISONS
