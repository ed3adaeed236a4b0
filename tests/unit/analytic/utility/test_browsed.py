"""Measures of users who stop and browse: beside enumeration, PRUM, and who does not browse."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from prum.analytic.precision.independent import exact
from prum.analytic.utility.browsed import browsed_utility
from prum.analytic.utility.laws import StoppingLaw, stopping
from prum.analytic.utility.measures import MEASURES, MODELS, accumulate, utility
from prum.simulator.model import InputError

Floats = NDArray[np.float64]
DISTRIBUTIONS = ("RBP", "DCG", "RR", "ERR", "AP", "RRR")
TABLE_III = [[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]]
each_distribution = pytest.mark.parametrize("distribution", DISTRIBUTIONS)


def outcomes(reach: Floats) -> list[tuple[float, Floats]]:
    """Return all ways in which visits may turn out, (n, t) of new sights, with probabilities."""
    n, t = reach.shape
    found = []
    for made in product((0, 1), repeat=n * t):
        visits = np.array(made).reshape(n, t)
        p = float(np.where(visits, reach, 1 - reach).prod())
        if p:
            new = visits.cumsum(axis=0) * visits == 1
            found.append((p, new.astype(float)))
    return found


def law_given(distribution: str, new: Floats, gains: Floats, theta: float) -> StoppingLaw:
    """Return the law of the last rank of a user whose visits are known."""
    n = len(new)
    if distribution in ("RBP", "DCG", "RR"):
        return stopping(distribution, n=n, theta=theta)
    if distribution == "AP":
        return StoppingLaw.of(new @ gains / gains.sum())

    def of(theta: float) -> Floats:
        going = np.append(1.0, np.cumprod(np.prod(1 - theta * gains * new, axis=1)))
        return -np.diff(going)

    if distribution == "ERR":
        return StoppingLaw.of(of(theta))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    return StoppingLaw.of(sum(w / 2 * of((x + 1) / 2) for x, w in zip(nodes, weights, strict=True)))


@pytest.mark.parametrize("seed", range(6))
@each_distribution
def test_enumeration(distribution: str, seed: int) -> None:
    """M1 to M4, and P(K = k) as M3 of an effort that is 1 at one rank."""
    rng = np.random.default_rng(seed)
    reach = np.where(rng.random((3, 3)) < 0.7, rng.random((3, 3)), rng.random((3, 3)) < 0.3)
    gains = rng.random(3) if seed % 2 else np.ones(3)
    mass, values = np.zeros(3), np.zeros(4)
    for p, new in outcomes(reach):
        law = law_given(distribution, new, gains, 0.3)
        mass += p * law.mass
        values += [p * accumulate(model, law, new @ gains) for model in MODELS]
    settings = {"theta": 0.3, "gains": gains}
    for model, value in zip(MODELS, values, strict=True):
        of_model = browsed_utility((distribution, model), reach, **settings)  # type: ignore[arg-type]
        assert of_model == pytest.approx(value, abs=1e-12)
    for k, p in enumerate(mass, start=1):
        at_rank = browsed_utility(
            (distribution, "M3"),
            reach,
            effort=lambda ranks, k=k: ranks == k,  # type: ignore[misc]
            **settings,  # type: ignore[arg-type]
        )
        assert at_rank == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("graded", [False, True])
def test_without_browsing(name: str, graded: bool) -> None:
    relevance = np.array([0, 1, 1, 0, 1, 0, 0, 1]) * (np.arange(1, 9) / 8 if graded else 1)
    ranks = np.flatnonzero(relevance)
    reach = np.zeros((8, len(ranks) + 2))
    reach[ranks, np.arange(len(ranks))] = 1
    pool = [*relevance, 1, 1]
    expected = utility(name, relevance, pool, theta=0.3, base=3, gain=float)
    gains = [*relevance[ranks], 1, 1]
    assert browsed_utility(name, reach, theta=0.3, base=3, gains=gains) == pytest.approx(expected)


# --- PRUM's users ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_precision_is_total_utility_over_effort(seed: int) -> None:
    """PRUM's E[C(r)] and E[CL(r)] are M3 with f(k) = k and M2, of who stops at the r-th ideal."""
    reach = TABLE_III if not seed else np.random.default_rng(seed).random((3, 2))
    reach = np.concatenate((np.asarray(reach, dtype=float)[:2], np.eye(2)))
    expected = exact(reach, 0)
    effort, gained = np.zeros((2, 2))
    for p, new in outcomes(reach):
        gains = (new.sum(axis=1) > 0).astype(float)
        for r in (1, 2):
            law = StoppingLaw.of(np.diff(new.sum(axis=1).cumsum() >= r, prepend=0) > 0)
            effort[r - 1] += p * accumulate("M3", law, gains, effort=lambda k: k)
            gained[r - 1] += p * accumulate("M2", law, gains)
    assert effort == pytest.approx(expected.consulted)
    assert gained == pytest.approx(expected.leading)
    assert gained / effort == pytest.approx(expected.precision)


# --- input --------------------------------------------------------------------------------------


@each_distribution
def test_nothing_ranked_or_nothing_to_gain(distribution: str) -> None:
    for model in MODELS:
        assert browsed_utility((distribution, model), np.empty((0, 2))) == 0
    for model in ("M1", "M2", "M4"):
        assert browsed_utility((distribution, model), TABLE_III, gains=[0, 0]) == 0


def test_a_law_of_ones_own() -> None:
    law = stopping("DCG", n=4, base=3)
    for model in MODELS:
        value = browsed_utility((law, model), TABLE_III)
        assert value == browsed_utility(("DCG", model), TABLE_III, base=3)
    with pytest.raises(InputError, match=r"gains is \(1,\), must have shape \(4,\)"):
        browsed_utility((law, "M1"), [[1]])


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("nDCG", {}, "measure is 'nDCG', must be one of RBP"),
        (("RBP", "M5"), {}, "model is 'M5'"),
        (("Poisson", "M1"), {}, "distribution is 'Poisson'"),
        ("RBP", {"theta": 1.0}, "theta is 1.0, must lie strictly between 0 and 1"),
        ("DCG", {"base": 1}, "base is 1"),
        ("ERR", {"gains": [1, 2]}, "ideal 1: gain is 2.0, must lie in [0, 1]"),
        ("AP", {"gains": [1, -1]}, "ideal 1: gain is -1.0, must be a finite number of at least 0"),
        ("AP", {"gains": [1]}, "gains is (1,), must have shape (2,)"),
        ("AP", {"effort": lambda _: [1]}, "effort"),
        ("AP", {"reach": [[1.5]]}, "reach[0, 0] is 1.5"),
    ],
)
def test_bad_input(name: str, options: dict[str, object], told: str) -> None:
    with pytest.raises(InputError) as caught:
        browsed_utility(name, **{"reach": TABLE_III, **options})  # type: ignore[arg-type]
    assert told in str(caught.value)
