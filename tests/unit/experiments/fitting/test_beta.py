"""The base of visits: its slope by differences, what made the numbers told, nothing known borne."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import beta

from prum.experiments.fitting.beta import BetaLaws, beta_base, mixed_ends


def test_what_made_the_numbers_is_learned() -> None:
    rng = np.random.default_rng(2)
    columns, n = rng.normal(size=(6000, 2)), rng.poisson(6, 6000)
    m = expit(-1 + columns @ [0.6, 0.0])
    k = rng.binomial(n, rng.beta(5 * m, 5 * (1 - m)))
    base = beta_base(k, n, columns)
    assert base.weights == pytest.approx([0.6, 0.0], abs=0.08)
    assert base.intercept == pytest.approx(-1, abs=0.08)
    assert base.concentration == pytest.approx(5, rel=0.15)
    # Without what tells them apart, links look more scattered than they are.
    assert beta_base(k, n).concentration < 0.9 * base.concentration


def test_targets_tell_of_links_to_them_and_no_link_tells_of_itself() -> None:
    rng = np.random.default_rng(3)
    target = np.repeat(np.arange(400), 12)
    m = expit(rng.normal(-1, 1, 400))[target]
    n = rng.poisson(5, len(target))
    k = rng.binomial(n, rng.beta(20 * m, 20 * (1 - m)))
    others = tuple(np.bincount(target, part)[target].astype(int) - part for part in (k, n))
    base = beta_base(k, n, others=others)
    assert base.concentration == pytest.approx(20, rel=0.3)
    assert np.mean((base.means - m) ** 2) < 0.2 * m.var()
    # A target that has one source says nothing of it: the base is what all others say.
    alone = beta_base(k, n, others=(0 * k, 0 * n))
    assert alone.means == pytest.approx(beta_base(k, n).means, abs=1e-4)


@pytest.mark.parametrize("tried", [0, 9])
def test_little_that_is_known_leaves_much_open(tried: int) -> None:
    base = beta_base(np.zeros(5, int), np.full(5, tried))
    assert base.concentration < 10
    assert 0 < base.means[0] <= 0.5


def test_ends_of_mixtures_leave_as_much_below_as_above() -> None:
    rng = np.random.default_rng(5)
    a, b = np.exp(rng.uniform(-3, 3, (2, 16, 40)))
    means, variances = beta.mean(a, b), beta.var(a, b)
    low, high = mixed_ends(means, variances, 0.9)
    np.testing.assert_allclose(beta.cdf(low, a, b).mean(axis=0), 0.05, rtol=1e-4)
    # Close to 1 the high end is 1 in floating point.
    away = high < 1 - 1e-9
    assert away.sum() > 20
    np.testing.assert_allclose(beta.sf(high, a, b).mean(axis=0)[away], 0.05, rtol=1e-4)
    # The negative control: one law of the mixtures' moments.
    whole = variances.mean(axis=0) + means.var(axis=0)
    one = BetaLaws.of_moments(means.mean(axis=0), whole).ends(0.9)[0]
    assert np.abs(beta.cdf(one, a, b).mean(axis=0) - 0.05).max() > 0.02
    known = mixed_ends(np.full((3, 1), 0.3), np.zeros((3, 1)), 0.9)
    assert [end.tolist() for end in known] == [[pytest.approx(0.3)]] * 2
