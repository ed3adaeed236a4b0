"""Poisson-binomial law: exact beside fractions and SciPy, approximations beside their formulas."""

from fractions import Fraction
from math import exp, factorial, isclose

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm, poisson_binom

from prum.analytic import poisson_binomial
from prum.analytic.precision.seen import CountMethod
from prum.simulator.model import InputError

Floats = NDArray[np.float64]


def _fractions(probabilities: Floats) -> list[Fraction]:
    """Multiply the generating functions 1 - p + p z in fractions."""
    law = [Fraction(1)]
    for p in map(Fraction, probabilities.tolist()):
        grown = [Fraction(0)] * (len(law) + 1)
        for s, q in enumerate(law):
            grown[s] += q * (1 - p)
            grown[s + 1] += q * p
        law = grown
    return law


def _random(m: int, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).random(m)


# --- exact ------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [2, 7, 30, 60])
@pytest.mark.parametrize("spread", [1, 8])
def test_every_term_has_full_relative_accuracy(m: int, spread: int) -> None:
    """Far tails too: with `spread` 8 they go down to 1e-180."""
    p = _random(m) ** spread
    truth = _fractions(p)
    found = poisson_binomial(p)
    for s, q in enumerate(truth):
        # 1 - p is rounded once for each event, a term passes m products and sums.
        assert abs(Fraction(float(found[s])) - q) <= q * Fraction(4 * m, 2**53)
    assert m < 60 or spread == 1 or found[-1] < 1e-150


def test_tails_below_the_smallest_numbers_are_nothing() -> None:
    law = poisson_binomial(np.full(400, 1e-3))
    assert law[-1] == 0
    assert (law[:50] > 0).all()


@pytest.mark.parametrize("m", [1, 5, 40, 300])
def test_equals_scipy(m: int) -> None:
    p = _random(m, seed=m)
    assert np.abs(poisson_binomial(p) - poisson_binom(p).pmf(np.arange(m + 1))).max() < 1e-14


def test_certain_and_impossible_events_are_exact() -> None:
    p = _random(6)
    law = poisson_binomial(p)
    mixed = np.concatenate(([1.0, 0.0], p[:3], [1.0], p[3:], [0.0, 1.0]))
    shifted = poisson_binomial(mixed)
    assert (shifted[:3] == 0).all()
    assert shifted[3:10].tolist() == law.tolist()
    assert (shifted[10:] == 0).all()


# --- approximations ---------------------------------------------------------------------------


def test_normal_is_the_formula() -> None:
    """P(s - 1/2 < N <= s + 1/2), appendix A.1 of Piwowarski et al. (2007), sums for averages."""
    p = _random(25)
    normal = norm(p.sum(), np.sqrt((p * (1 - p)).sum()))
    s = np.arange(26)
    found = poisson_binomial(p, method="normal")
    assert found == pytest.approx(normal.cdf(s + 0.5) - normal.cdf(s - 0.5), abs=1e-15)
    assert found.sum() < 1


def test_normal_has_relative_accuracy_in_both_tails() -> None:
    p = np.full(100, 0.5)
    normal = norm(50, 5)
    found = poisson_binomial(p, method="normal")
    assert isclose(found[0], normal.cdf(0.5) - normal.cdf(-0.5), rel_tol=1e-10)
    assert isclose(found[100], normal.sf(99.5) - normal.sf(100.5), rel_tol=1e-10)
    assert found[100] == pytest.approx(found[0], rel=1e-10)


def test_refined_normal_is_the_formula() -> None:
    """Volkova (1996): Phi(x) + skewness (1 - x^2) phi(x) / 6 at x = (s + 1/2 - mean) / sigma."""
    p = _random(25) ** 2
    variance = (p * (1 - p)).sum()
    skewness = (p * (1 - p) * (1 - 2 * p)).sum() / variance**1.5
    x = (np.arange(25) + 0.5 - p.sum()) / np.sqrt(variance)
    distribution = norm.cdf(x) + skewness * (1 - x**2) * norm.pdf(x) / 6
    distribution = np.maximum.accumulate(np.clip(distribution, 0, 1))
    wanted = np.diff(np.concatenate(([0], distribution, [1])))
    found = poisson_binomial(p, method="refined normal")
    assert found == pytest.approx(wanted, abs=1e-15)
    assert found.sum() == pytest.approx(1, abs=1e-14)
    assert found.min() >= 0


def test_poisson_is_the_formula() -> None:
    p = _random(12) / 10
    mean = float(p.sum())
    wanted = [exp(-mean) * mean**s / factorial(s) for s in range(13)]
    assert poisson_binomial(p, method="poisson") == pytest.approx(np.array(wanted), rel=1e-12)


@pytest.mark.parametrize("method", ["exact", "normal", "refined normal", "poisson"])
@pytest.mark.parametrize(
    "p", [[], [0.0, 0.0], [1.0, 0.0, 1.0], [0.5], [1e-300], [5e-324], [1 - 2**-53]]
)
def test_degenerate_laws_are_laws(method: CountMethod, p: list[float]) -> None:
    law = poisson_binomial(p, method=method)
    assert law.shape == (len(p) + 1,)
    assert np.isfinite(law).all()
    assert law.min() >= 0
    assert law.sum() <= 1 + 1e-15
    if method != "poisson" and p and set(p) <= {0.0, 1.0}:
        assert law.argmax() == sum(p)
        assert law.max() == 1


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("probabilities", "method", "message"),
    [
        ([0.5, 1.5], "exact", "probability 1 is 1.5, must lie in [0, 1]; give probabilities"),
        ([-1e-9], "exact", "probability 0 is -1e-09, must lie in [0, 1]; give probabilities"),
        ([np.nan], "normal", "probability 0 is nan, must lie in [0, 1]; give probabilities"),
        ([[0.5]], "poisson", "probabilities is (1, 1), must have shape (m,); give one list"),
        (0.5, "exact", "probabilities is (), must have shape (m,); give one list"),
        ([0.5], "binomial", "method is 'binomial', must be one of ('exact', 'normal', "),
    ],
)
def test_bad_input(probabilities: object, method: CountMethod, message: str) -> None:
    with pytest.raises(InputError) as caught:
        poisson_binomial(probabilities, method=method)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)
