"""The base of Beta posteriors by a second road: a blind search on a likelihood written plainly."""

import math

import numpy as np
import pytest

from prum.experiments.fitting.beta import beta_base


@pytest.mark.parametrize("has_others", [False, True])
def test_a_search_without_slopes_finds_the_same_base(has_others: bool) -> None:
    from scipy.optimize import minimize
    from scipy.stats import betabinom, norm

    rng = np.random.default_rng(8)
    column = rng.normal(size=(150, 1))
    column = (column - column.mean()) / column.std()
    mean = 1 / (1 + np.exp(1.0 - 0.8 * column[:, 0]))
    tried = rng.integers(0, 30, size=150)
    seen = rng.binomial(tried, rng.beta(8 * mean, 8 * (1 - mean)))
    others = (rng.binomial(20, mean), np.full(150, 20)) if has_others else None

    def means(intercept: float, weight: float, pooling: float):
        first = 1 / (1 + np.exp(-intercept - weight * column[:, 0]))
        return first if others is None else (others[0] + pooling * first) / (20 + pooling)

    def loss(point) -> float:
        intercept, weight, log_c, log_pooling = point
        m, c = means(intercept, weight, math.exp(log_pooling)), math.exp(log_c)
        first = 1 / (1 + math.exp(-intercept))
        # Densities on the scale of log odds: Beta(1/2, 1/2) and uniform 1 / (1 + c).
        value = betabinom.logpmf(seen, tried, c * m, c * (1 - m)).sum()
        value += 0.5 * math.log(first * (1 - first)) + norm.logpdf(weight)
        for log_strength in (log_c, log_pooling):
            value += log_strength - 2 * math.log1p(math.exp(log_strength))
        return -value

    options = {"maxiter": 4000, "maxfev": 4000, "xatol": 1e-6, "fatol": 1e-9}
    best = minimize(loss, [-1, 0.5, 2, 1], method="Nelder-Mead", options=options).x
    base = beta_base(seen, tried, column, others)
    assert base.intercept == pytest.approx(best[0], abs=2e-3)
    assert base.weights[0] == pytest.approx(best[1], abs=2e-3)
    assert base.concentration == pytest.approx(math.exp(best[2]), rel=5e-3)
    assert base.means == pytest.approx(means(best[0], best[1], math.exp(best[3])), abs=1e-3)
    # Negative control: a weight of 0.1 more is not so likely.
    assert loss([*best[:1], best[1] + 0.1, *best[2:]]) > loss(best) + 0.1
