"""Closed forms of sampled ADM, random estimates and regret, against samples and users drawn.

Bias, variance and estimated variance of each way to sample; users with a threshold who browse. A
planted mistake of each kind is found.
"""

from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import norm

from prum.analytic.adm.measures import adm
from prum.analytic.adm.regret import expected_regret
from prum.analytic.adm.sampling import (
    HansenHurwitz,
    HorvitzThompson,
    RetrievedOnly,
    SimpleRandom,
    inclusion_of,
)
from prum.analytic.adm.strata import Stratified, allocation, spreads_of
from prum.simulator.model import InputError
from prum.simulator.sampling.measured.judging import (
    Judges,
    Judgings,
    Trusting,
    simulate_judging,
    simulate_trust,
)

Floats = NDArray[np.float64]
Design: TypeAlias = SimpleRandom | Stratified | HansenHurwitz | HorvitzThompson

# P(any false alarm in this file), whatever the seed.
FAMILY_WISE = 1e-3
# Comparisons of this file, at most; the last test counts them.
COMPARISONS = 200
THRESHOLD = float(norm.isf(FAMILY_WISE / 2 / COMPARISONS))
SAMPLES = 40_000
USERS = 100_000
BOUNDS = [0.2, 0.5, 0.8]
NUM_POPULATIONS = 4
NUM_SEEDS = 4
every = pytest.mark.parametrize("seed", range(NUM_POPULATIONS))
SCHEMES = ("random", "proportional", "neyman", "replacement", "inclusion")
each_scheme = pytest.mark.parametrize("name", SCHEMES)


def documents(seed: int, n: int = 40) -> tuple[Floats, Floats]:
    """Return estimates that agree more where SRE is low, as in a database of mostly irrelevant."""
    rng = np.random.default_rng([94, seed])
    sre = rng.beta(0.6, 1.5, size=n)
    ure = np.clip(sre + sre * rng.normal(0, 0.5, size=n), 0, 1)
    return (np.round(8 * sre) / 8, np.round(8 * ure) / 8) if seed % 2 else (sre, ure)


def design_of(name: str, sre: Floats, ure: Floats, m: int = 12) -> tuple[Design, Judges]:
    if name == "random":
        return SimpleRandom(sre, m), Judges("random", num_judged=m)
    if name in ("proportional", "neyman"):
        strata = np.digitize(sre, BOUNDS)
        spreads = spreads_of(sre, ure, BOUNDS) if name == "neyman" else None
        drawn = allocation(np.bincount(strata, minlength=4), m, spreads)
        return Stratified(sre, BOUNDS, drawn), Judges("strata", strata=strata, drawn=drawn)
    weights = sre + 0.1
    if name == "replacement":
        p = weights / weights.sum()
        return (
            HansenHurwitz(sre, weights, m),
            Judges("replacement", num_judged=m, probabilities=p),
        )
    pi = inclusion_of(weights, m)
    return HorvitzThompson(sre, pi), Judges("inclusion", probabilities=pi)


def z_of_bias(found: Judgings, bias: float = 0.0) -> float:
    return abs(found.bias - bias) / found.bias_error


def z_of_variance(found: Judgings, variance: float) -> float:
    return abs(found.variance - variance) / found.variance_error


# --- samples ------------------------------------------------------------------------------------


@every
@each_scheme
def test_samples(name: str, seed: int) -> None:
    sre, ure = documents(seed)
    design, judges = design_of(name, sre, ure)
    found = simulate_judging(judges, sre, ure, num_samples=SAMPLES, seed=seed)
    assert found.adm == pytest.approx(adm(sre, ure))
    assert z_of_bias(found) < THRESHOLD
    assert z_of_variance(found, design.variance(ure)) < THRESHOLD
    assert found.rms_error == pytest.approx(np.hypot(found.bias, np.sqrt(found.variance)), rel=1e-3)


@every
def test_what_is_retrieved_first(seed: int) -> None:
    sre, ure = documents(seed)
    judges = Judges("retrieved", num_judged=12)
    found = simulate_judging(judges, sre, ure, num_samples=2, seed=seed)
    assert found.variance == pytest.approx(0)
    assert found.bias == pytest.approx(RetrievedOnly(sre, 12).bias(ure))
    assert found.bias < -0.02


def test_a_forgotten_correction_is_found() -> None:
    sre, ure = documents(0)
    design, judges = design_of("random", sre, ure)
    found = simulate_judging(judges, sre, ure, num_samples=SAMPLES, seed=1)
    assert z_of_variance(found, design.variance(ure) / (1 - 12 / 40)) > THRESHOLD


def test_strata_not_weighted_are_found() -> None:
    sre, ure = documents(0)
    _, judges = design_of("neyman", sre, ure)
    counts = judges.draw(sre, SAMPLES, np.random.default_rng(1))
    plain = 1 - counts @ np.abs(sre - ure) / 12
    assert z_of_bias(Judgings(adm(sre, ure), plain)) > THRESHOLD


@pytest.mark.parametrize("name", ["replacement", "inclusion"])
def test_the_other_scheme_with_weights_is_found(name: str) -> None:
    sre, ure = documents(0)
    other = "inclusion" if name == "replacement" else "replacement"
    _, judges = design_of(name, sre, ure)
    found = simulate_judging(judges, sre, ure, num_samples=SAMPLES, seed=1)
    wrong = design_of(other, sre, ure)[0].variance(ure)
    assert z_of_variance(found, wrong) > THRESHOLD


# --- users who trust ----------------------------------------------------------------------------


def reach_of(seed: int, n: int) -> Floats:
    rng = np.random.default_rng([98, seed])
    return np.where(rng.random((n, n)) < 0.3, rng.choice([0.2, 0.5, 1], size=(n, n)), 0)


def z_of_trust(found: Trusting, closed: float) -> float:
    return abs(found.mean - closed) / found.error


@pytest.mark.parametrize("seed", range(NUM_SEEDS))
@pytest.mark.parametrize("tau", [None, 0.375])
@pytest.mark.parametrize("loss", ["decision", "distance"])
def test_users_who_browse(loss: Any, tau: float | None, seed: int) -> None:
    sre, ure = documents(seed, 12)
    reach = reach_of(seed, 12)
    settings: dict[str, Any] = {"reach": reach, "loss": loss, "tau": tau}
    found = simulate_trust(sre, ure, num_users=USERS, seed=seed, **settings)
    assert z_of_trust(found, expected_regret(sre, ure, **settings)) < THRESHOLD


def test_a_forgotten_link_is_found() -> None:
    (sre, ure), reach = documents(0, 12), reach_of(0, 12)
    fewer = reach.copy()
    start = np.argmax(sre)
    np.fill_diagonal(fewer, 0)
    fewer[start, np.argmax(fewer[start])] = 0
    found = simulate_trust(sre, ure, reach=reach, num_users=USERS, seed=1)
    same = simulate_trust(sre, ure, reach=sparse.coo_array(reach), num_users=USERS, seed=1)
    assert same == found
    assert z_of_trust(found, expected_regret(sre, ure, reach=fewer)) > THRESHOLD
    assert z_of_trust(found, 1 - adm(sre, ure)) > THRESHOLD


def test_visits_added_up_are_found() -> None:
    """Taking 1 - prod (1 - p) for min(1, sum p) is seen."""
    sre, ure = np.array([0.9, 0.9, 0.1]), np.array([0.9, 0.9, 0.1])
    reach = np.zeros((3, 3))
    reach[:2, 2] = 0.5
    found = simulate_trust(sre, ure, reach=reach, num_users=USERS, seed=1)
    assert z_of_trust(found, expected_regret(sre, ure, reach=reach)) < THRESHOLD
    certain = np.zeros((3, 3))
    certain[0, 2] = 1
    assert z_of_trust(found, expected_regret(sre, ure, reach=certain)) > THRESHOLD


# --- the samplers -------------------------------------------------------------------------------


def test_same_seed_same_numbers() -> None:
    sre, ure = documents(0)
    judges = Judges("random", num_judged=5)
    one, same, other = (
        simulate_judging(judges, sre, ure, num_samples=100, seed=seed).estimates.tolist()
        for seed in (1, 1, 2)
    )
    assert one == same != other
    users = [simulate_trust(sre, ure, num_users=100, seed=seed).mean for seed in (1, 1, 2)]
    assert users[0] == users[1] != users[2]


def test_bad_input() -> None:
    judges = Judges("random", num_judged=1)
    with pytest.raises(InputError, match="shape of SRE"):
        simulate_judging(judges, [0.5], [0.5, 1], num_samples=10, seed=1)
    with pytest.raises(InputError, match="number is 1"):
        simulate_judging(judges, [0.5], [0.5], num_samples=1, seed=1)
    with pytest.raises(InputError, match="seed"):
        simulate_judging(judges, [0.5], [0.5], num_samples=10, seed=-1)
    other: Any = "lottery"
    with pytest.raises(InputError, match="scheme"):
        simulate_judging(Judges(other), [0.5], [0.5], num_samples=10, seed=1)
    with pytest.raises(InputError, match="loss"):
        simulate_trust([0.5], [0.5], loss=other, num_users=10, seed=1)
    with pytest.raises(InputError, match="reach"):
        simulate_trust([0.5], [0.5], reach=[1], num_users=10, seed=1)


def test_number_of_comparisons() -> None:
    samples = NUM_POPULATIONS * len(SCHEMES) * 2 + len(SCHEMES) + NUM_POPULATIONS * 2
    trust = NUM_SEEDS * 4 + NUM_SEEDS * 2 + 1
    assert samples + trust < COMPARISONS
