"""Users of different kinds: mixtures by hand, quadrature against polynomials and adaptive rules."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import ArrayLike, NDArray
from scipy import integrate, sparse, special

from prum.analytic import (
    PrecisionRecall,
    beta_nodes,
    closed_form,
    exact,
    exact_joint,
    exact_mixture,
    mixture,
    normal_nodes,
    one_factor_reach,
)
from prum.simulator.model import Beta, Browsing, Independent, InputError, OneFactor, Task
from tests.populations import exact_of
from tests.tiers import slow

Floats = NDArray[np.float64]


def _thin(o: int, t: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    reach: Floats = rng.random((o, t)) * 0.6 * (rng.random((o, t)) < 0.5)
    return reach


# --- finite mixtures --------------------------------------------------------------------------


def test_by_hand() -> None:
    """Half of the users visit a and b from x, half neither: C(1) is 1 or 2, not noisy-or's law."""
    result = exact_mixture([[[1, 1], [1, 0]], [[0, 0], [1, 0]]], [0.5, 0.5], 1)
    assert result.leading.tolist() == [1, 1.5]
    assert result.consulted.tolist() == [1.5, 2.0]
    assert result.consulted_deviation == pytest.approx([0.5, 1])
    assert result.consulted_skewness == pytest.approx([0, 0])
    assert result.method == "exact mixture"


def test_nothing_random_stays_so() -> None:
    """C(1) = 3 for every type: no deviation, no skewness, whatever rounding makes of the mean."""
    certain = [[[0.0], [0.0], [1.0]]] * 3
    result = exact_mixture(certain, [0.1, 0.2, 0.7], 0)
    assert result.consulted_deviation == pytest.approx([0], abs=0)
    assert result.consulted_skewness == pytest.approx([0], abs=0)


def test_weight_zero_counts_for_nothing() -> None:
    one, two = exact(_thin(5, 3, 1), 5), exact(_thin(5, 3, 2), 5)
    assert mixture([one, two], [1, 0]) == one
    assert exact_mixture([_thin(5, 3, 1), _thin(5, 3, 2)], [0, 1], 5) == two


def test_joint_results_mix() -> None:
    walk = exact_joint([[0, 0.5, 0.5, 1], [0, 1, 0, 1], [0, 0, 1, 1]], 0)
    toss = exact([[0.5, 0.5], [1, 0], [0, 1]], 0)
    mixed = mixture([walk, toss], [0.25, 0.75])
    assert mixed.leading == pytest.approx(0.25 * walk.leading + 0.75 * toss.leading)
    assert mixed.consulted == pytest.approx(0.25 * walk.consulted + 0.75 * toss.consulted)
    assert mixed.consulted_deviation is not None
    bare = mixture([walk, PrecisionRecall([1, 2], [2, 3])], [0.5, 0.5])
    assert bare.consulted_deviation is None
    assert bare.consulted_skewness is None


def test_infinite_skewness_stays_with_its_rare_event() -> None:
    rare, plain = exact([[1.0], [1e-300]], 5), exact([[1 - 1e-16], [0.0]], 5)
    for result in (mixture([rare, rare], [0.5, 0.5]), mixture([rare, plain], [0.5, 0.5])):
        assert result.consulted_skewness is not None
        assert not np.isnan(result.consulted_skewness).any()
    odd = PrecisionRecall(
        [1], [2], consulted_deviation=[1e-150], consulted_skewness=[np.inf], method="rare"
    )
    assert mixture([odd], [1]).consulted_skewness == pytest.approx([np.inf])


# --- nodes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1),
        (0.5, 0.5),
        (2, 3),
        (1e-3, 1e-3),
        (1e-6, 2),
        (1, 1e-6),
        (0.25, 0.75),
        (1e4, 1e4),
        (1e6, 1),
    ],
)
@pytest.mark.parametrize("order", [1, 2, 5, 40])
def test_beta_moments(a: float, b: float, order: int) -> None:
    """E[X^k] = prod_{j<k} (a + j) / (a + b + j), for every k below twice the order."""
    nodes, weights = beta_nodes(a, b, order)
    assert nodes.shape == weights.shape == (order,)
    assert nodes.min() >= 0
    assert nodes.max() <= 1
    assert weights.min() >= 0
    for k in range(2 * order):
        moment = math.prod((a + j) / (a + b + j) for j in range(k))
        assert weights @ nodes**k == pytest.approx(moment, rel=1e-9, abs=1e-13)


def test_normal_nodes_equal_gauss_and_hermite() -> None:
    nodes, weights = normal_nodes(64)
    roots, shares = hermegauss(60)
    functions: list[Callable[[Floats], Floats]] = [
        np.cos,
        np.exp,
        lambda z: 1 / (1 + z**2 / 20),
        lambda z: z**6,
    ]
    for f in functions:
        wanted = float(shares @ f(roots)) / math.sqrt(2 * math.pi)
        assert weights @ f(nodes) == pytest.approx(wanted, rel=1e-9)
    assert set(nodes) <= set(normal_nodes(128)[0])


# --- browsing propensity ----------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [(1, 1), (2, 0.5), (0.3, 0.2)])
def test_beta_equals_an_adaptive_integral(a: float, b: float) -> None:
    """In x with f = sin^2 x the density is smooth enough at both ends."""
    reach = _thin(12, 4, 3)
    reach[2] = [0, 1, 0, 0]
    reach[4] = [1, 0.2, 0, 0]
    own = np.zeros((12, 4), dtype=bool)
    own[2, 1] = True
    result = exact_of(reach, 8, Beta(a, b), own={2: 1})

    def integral(of: Callable[[PrecisionRecall], float]) -> float:
        def integrand(f: float) -> float:
            return of(exact(np.where(own, 1.0, reach * f), 8))

        value, _ = integrate.quad(
            integrand, 0, 1, weight="alg", wvar=(a - 1, b - 1), epsabs=1e-11, epsrel=1e-11
        )
        return float(value / special.beta(a, b))

    for r in (0, 1, 3):
        assert result.leading[r] == pytest.approx(integral(lambda e, r=r: e.leading[r]), rel=1e-9)
        assert result.consulted[r] == pytest.approx(
            integral(lambda e, r=r: e.consulted[r]), rel=1e-9
        )


def test_beta_of_a_narrow_or_split_population() -> None:
    reach = _thin(10, 4, 4)
    narrow = exact_of(reach, 6, Beta(5e8, 5e8))
    assert narrow.precision == pytest.approx(exact(reach / 2, 6).precision, rel=1e-8)
    split = exact_of(reach, 6, Beta(1e-9, 1e-9))
    halves = exact_mixture([reach, np.zeros_like(reach)], [0.5, 0.5], 6)
    assert split.precision == pytest.approx(halves.precision, rel=1e-7)


# --- one factor -------------------------------------------------------------------------------


def test_one_factor_keeps_margins_and_ends() -> None:
    p = np.array([[1e-6, 0.1, 0.5, 0.999, 1.0, 0.0]])
    nodes, weights = normal_nodes(256)
    for rho in (0.0, 0.1, 0.5, 0.9):
        mean = sum(
            w * one_factor_reach(p, rho, z)
            for z, w in zip(nodes.tolist(), weights.tolist(), strict=True)
        )
        assert mean == pytest.approx(p, abs=1e-12)
    for rho in (0, 0.5, 1):
        thin = one_factor_reach(sparse.csr_array(p), rho, 0.3)
        assert sparse.issparse(thin)
        assert np.array_equal(thin.toarray(), one_factor_reach(p, rho, 0.3))
        assert thin[0, 4] == 1
        assert thin[0, 5] == 0
    assert one_factor_reach(p, 0, 3.0).tolist() == p.tolist()
    assert one_factor_reach(p, 1, 0.1).tolist() == [[0, 0, 0, 1, 1, 0]]


@slow
@pytest.mark.parametrize("rho", [0.2, 0.9, 0.999])
def test_one_factor_of_halves(rho: float) -> None:
    """Both of two visits of one half happen with 1/4 + asin(rho) / (2 pi) (Sheppard)."""
    result = exact_of([[0.5], [0.5]], 1, OneFactor(rho))
    neither = 1 / 4 + math.asin(rho) / (2 * math.pi)
    assert result.consulted == pytest.approx([1 + 0.5 + neither], rel=1e-9)


@slow
def test_one_factor_ends() -> None:
    reach = _thin(8, 3, 5)
    reach[3] = [0, 1, 0]
    assert exact_of(reach, 5, OneFactor(0)).precision == pytest.approx(
        exact(reach, 5).precision, rel=1e-12
    )
    near = exact_of(reach, 5, OneFactor(0.999))
    u = (np.arange(20_000) + 0.5) / 20_000
    levels, counts = np.unique(np.searchsorted(np.unique(reach), u), return_counts=True)
    types = [(reach >= np.unique(reach)[level]).astype(np.float64) for level in levels]
    together = exact_mixture(types, counts / 20_000, 5)
    assert near.precision == pytest.approx(together.precision, rel=0.02)


@slow
def test_visits_all_but_together_do_not_settle() -> None:
    task = Task(["x", "y"], ["a"], 3)
    links = Independent({("x", "a"): 0.5, ("y", "a"): 0.6})
    assert closed_form(task, Browsing(links, OneFactor(0.999))) is not None
    assert closed_form(task, Browsing(links, OneFactor(1 - 1e-7))) is None


# --- bad input --------------------------------------------------------------------------------

ONE = PrecisionRecall([1], [1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mixture([], []), "shape of weights is (0,), must be (1,); give at least one"),
        (lambda: mixture([ONE], [0.5, 0.5]), "shape of weights is (2,), must be (1,)"),
        (lambda: mixture([ONE], [[1]]), "shape of weights is (1, 1), must be (1,)"),
        (lambda: mixture([ONE, ONE], [1.5, -0.5]), "weight 0 is 1.5, must lie in [0, 1]"),
        (lambda: mixture([ONE, ONE], [0.5, np.nan]), "weight 1 is nan, must lie in [0, 1]"),
        (lambda: mixture([ONE, ONE], [0.5, 0.4]), "sum of weights is 0.9, must be 1; divide by"),
        (
            lambda: mixture([ONE, PrecisionRecall([1, 2], [1, 2])], [0.5, 0.5]),
            "numbers of ideals is [1, 2], must be equal; mix results of one task",
        ),
        (lambda: exact_mixture([[[1.0]], [[0.5]]], [0.5, 0.5], 0), "unranked is 0, must be at"),
        (lambda: exact_mixture([[[1.5]]], [1], 0), "reach[0, 0] is 1.5, must lie in [0, 1]"),
        (lambda: one_factor_reach([[0.5]], 2, 0), "rho is 2, must lie in [0, 1]; give a corr"),
        (lambda: one_factor_reach([[0.5]], 0.5, np.nan), "z is nan, must be a finite number"),
        (lambda: beta_nodes(1, np.inf, 3), "b is inf, must be positive and finite"),
        (lambda: beta_nodes(1, 1, 0), "order is 0, must be a whole number from 1 to 4096"),
        (lambda: normal_nodes(1), "order is 1, must be a whole number of at least 2"),
    ],
)
def test_bad_input(call: Callable[[], ArrayLike], message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value).startswith(message)
