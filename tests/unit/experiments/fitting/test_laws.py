"""Laws of probabilities: evidence by urns, slopes by differences, beliefs by search and grid."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import beta, betabinom, dirichlet_multinomial, norm

from prum.experiments.fitting.laws import (
    beta_base,
    beta_belief,
    drawn,
    log_evidence,
    log_rising,
    mixed_ends,
)


def test_evidence_is_that_of_an_urn_from_which_each_choice_is_drawn() -> None:
    rng = np.random.default_rng(1)
    shapes, groups = rng.gamma(1.0, size=12), np.repeat([0, 1, 2], 4)
    counts, urn, logs = np.zeros(12, dtype=np.int64), shapes.copy(), np.zeros(3)
    for choice in rng.integers(8, size=50):  # nobody chooses in the last group
        logs[groups[choice]] += np.log(urn[choice] / urn[groups == groups[choice]].sum())
        urn[choice] += 1
        counts[choice] += 1
    np.testing.assert_allclose(log_evidence(counts, shapes, groups, 3), logs, atol=1e-12)


def test_all_that_three_people_may_choose_has_the_probability_of_an_enumeration() -> None:
    shapes, groups, whole = np.array([0.4, 1.5, 3.0]), np.zeros(3, np.int64), 0.0
    for choices in product(range(3), repeat=4):
        counts = np.bincount(choices, minlength=3)
        evidence = math.exp(log_evidence(counts, shapes, groups, 1)[0])
        ways = math.factorial(4) / np.prod([math.factorial(n) for n in counts])
        assert evidence * ways == pytest.approx(dirichlet_multinomial.pmf(counts, shapes, 4))
        whole += evidence
    assert whole == pytest.approx(1)


def test_what_is_no_choice_has_no_say_and_cannot_be_chosen() -> None:
    shapes, groups = np.array([1.0, 0.0, 2.0]), np.zeros(3, np.int64)
    without = log_evidence(np.array([2, 1]), shapes[[0, 2]], groups[:2], 1)
    assert log_evidence(np.array([2, 0, 1]), shapes, groups, 1) == without
    assert log_evidence(np.array([2, 1, 1]), shapes, groups, 1)[0] == -np.inf


def test_a_rising_of_a_huge_shape_loses_no_digits() -> None:
    a, n = np.array([1e12]), np.array([3.0])
    assert log_rising(a, n)[0] == pytest.approx(3 * np.log(1e12), abs=1e-9)


def test_a_beta_law_of_many_groups_is_recovered_and_evidence_is_largest_there() -> None:
    rng = np.random.default_rng(2)
    trials = rng.integers(1, 60, size=4000)
    won = rng.binomial(trials, rng.beta(2.0, 6.0, size=len(trials)))
    a, b = beta_belief(won, trials, 1, rng)[0]
    # Standard errors of the mean and of log(a + b) are about .003 and .04; four of each.
    assert a / (a + b) == pytest.approx(0.25, abs=0.012)
    assert np.log(a + b) == pytest.approx(np.log(8), abs=0.16)

    def evidence(mean: float, k: float) -> float:
        shapes = np.tile([k * mean, k * (1 - mean)], len(trials))
        counts = np.stack([won, trials - won], axis=1).ravel()
        groups = np.repeat(np.arange(len(trials)), 2)
        return float(log_evidence(counts, shapes, groups, len(trials)).sum())

    best = evidence(a / (a + b), a + b)
    for mean, k in ((0.23, 8.0), (0.27, 8.0), (0.25, 5.0), (0.25, 12.0)):
        assert evidence(mean, k) < best


@pytest.mark.parametrize(
    ("won", "trials"), [([], []), ([0, 0], [0, 0]), ([0] * 9, [50] * 9), ([10**6], [10**6])]
)
def test_a_beta_law_of_what_is_silent_or_one_sided_is_proper(
    won: list[int], trials: list[int]
) -> None:
    rng = np.random.default_rng(1)
    a, b = beta_belief(np.array(won, np.int64), np.array(trials, np.int64), 1, rng)[0]
    assert 0 < a < np.inf
    assert 0 < b < np.inf


def test_draws_have_the_moments_of_the_law_even_where_shapes_are_tiny() -> None:
    rng = np.random.default_rng(3)
    shapes, groups = np.array([1e-4, 2e-4, 0.0, 3.0, 1.0]), np.array([0, 0, 0, 1, 1])
    draws = np.array([drawn(shapes, groups, 2, rng) for _ in range(4000)])
    np.testing.assert_allclose(draws[:, :3].sum(1), 1)
    assert not draws[:, 2].any()
    for column, mean in ((0, 1 / 3), (3, 3 / 4)):
        error = draws[:, column].std() / np.sqrt(len(draws))
        assert abs(draws[:, column].mean() - mean) < 4 * error
    expected = quad(lambda p: p**2 * 3 * p**2, 0, 1)[0]
    assert (draws[:, 3] ** 2).mean() == pytest.approx(expected, abs=0.02)


def test_draws_of_beta_laws_are_as_wide_as_the_groups_leave_them() -> None:
    rng = np.random.default_rng(4)
    trials = rng.integers(1, 9, size=60)
    won = rng.binomial(trials, rng.beta(2.0, 6.0, size=60))
    mode, draws = beta_belief(won, trials, 400, rng)
    (a, b), first = draws.T, np.array([np.log(mode[0] / mode[1]), np.log(sum(mode))])

    def log_belief(place: tuple[float, float]) -> float:
        m, k = expit(place[0]), np.exp(place[1])
        evidence = betabinom.logpmf(won, trials, k * m, k * (1 - m)).sum()
        return float(evidence + np.log(m * (1 - m)) / 2 - ((place[1] - 3) / 3) ** 2 / 2)

    best = minimize(lambda place: -log_belief(place), [-1.0, 2.0], method="Nelder-Mead").x
    np.testing.assert_allclose(first, best, atol=2e-3)
    odds, log_k = np.meshgrid(np.linspace(-2.5, 0.5, 61), np.linspace(-2, 12, 71))
    logs = np.array([log_belief(place) for place in zip(odds.ravel(), log_k.ravel(), strict=True)])
    weights = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    for drawn_values, grid in ((np.log(a / b), odds.ravel()), (np.log(a + b), log_k.ravel())):
        mean = weights @ grid
        deviation = (weights @ (grid - mean) ** 2) ** 0.5
        assert abs(drawn_values.mean() - mean) < 0.2 * deviation
        assert drawn_values.std() == pytest.approx(deviation, rel=0.2)


# --- the base of independent visits --------------------------------------------------------------


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
    one = mixed_ends(means.mean(axis=0)[None], whole[None], 0.9)[0]
    assert np.abs(beta.cdf(one, a, b).mean(axis=0) - 0.05).max() > 0.02
    known = mixed_ends(np.full((3, 1), 0.3), np.zeros((3, 1)), 0.9)
    assert [end.tolist() for end in known] == [[pytest.approx(0.3)]] * 2


@pytest.mark.parametrize("has_others", [False, True])
def test_a_search_without_slopes_finds_the_same_base(has_others: bool) -> None:
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
    assert base.learned["intercept"] == pytest.approx(best[0], abs=2e-3)
    assert base.learned["weights"][0] == pytest.approx(best[1], abs=2e-3)
    assert base.concentration == pytest.approx(math.exp(best[2]), rel=5e-3)
    assert base.means == pytest.approx(means(best[0], best[1], math.exp(best[3])), abs=1e-3)
    # Negative control: a weight of 0.1 more is not so likely.
    assert loss([*best[:1], best[1] + 0.1, *best[2:]]) > loss(best) + 0.1
