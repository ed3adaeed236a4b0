"""Evidence of Dirichlet and Beta laws, by integration, by urns and by differences."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import approx_fprime
from scipy.special import expit
from scipy.stats import betabinom

from prum.experiments.fitting.dirichlet import (
    beta_draws,
    drawn,
    fitted_beta,
    log_evidence,
    log_rising,
    log_rising_bend,
    log_rising_slope,
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


def test_what_is_no_choice_has_no_say_and_cannot_be_chosen() -> None:
    shapes, groups = np.array([1.0, 0.0, 2.0]), np.zeros(3, np.int64)
    without = log_evidence(np.array([2, 1]), shapes[[0, 2]], groups[:2], 1)
    assert log_evidence(np.array([2, 0, 1]), shapes, groups, 1) == without
    assert log_evidence(np.array([2, 1, 1]), shapes, groups, 1)[0] == -np.inf


def test_slopes_are_those_of_differences() -> None:
    a, n = np.array([0.01, 0.7, 30.0, 5.0]), np.array([1.0, 4.0, 1000.0, 0.0])
    for row in range(len(a)):
        one = np.array([n[row]])
        slope = approx_fprime(a[[row]], lambda x, n=one: log_rising(x, n)[0], 1e-7)
        bend = approx_fprime(a[[row]], lambda x, n=one: log_rising_slope(x, n)[0], 1e-7)
        assert log_rising_slope(a, n)[row] == pytest.approx(slope[0], rel=1e-4)
        assert log_rising_bend(a, n)[row] == pytest.approx(bend[0], rel=1e-4)


def test_a_rising_of_a_huge_shape_loses_no_digits() -> None:
    a, n = np.array([1e12]), np.array([3.0])
    assert log_rising(a, n)[0] == pytest.approx(3 * np.log(1e12), abs=1e-9)


def test_a_beta_law_of_many_groups_is_recovered_and_evidence_is_largest_there() -> None:
    rng = np.random.default_rng(2)
    trials = rng.integers(1, 60, size=4000)
    won = rng.binomial(trials, rng.beta(2.0, 6.0, size=len(trials)))
    a, b = fitted_beta(won, trials)
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
    a, b = fitted_beta(np.array(won, np.int64), np.array(trials, np.int64))
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
    a, b = beta_draws(won, trials, fitted_beta(won, trials), 400, rng).T
    odds, log_k = np.meshgrid(np.linspace(-2.5, 0.5, 61), np.linspace(-2, 12, 71))
    logs = np.array(
        [
            float(betabinom.logpmf(won, trials, k * m, k * (1 - m)).sum())
            + np.log(m * (1 - m)) / 2
            - ((np.log(k) - 3) / 3) ** 2 / 2
            for m, k in zip(expit(odds.ravel()), np.exp(log_k.ravel()), strict=True)
        ]
    )
    weights = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    for drawn_values, grid in ((np.log(a / b), odds.ravel()), (np.log(a + b), log_k.ravel())):
        mean = weights @ grid
        deviation = (weights @ (grid - mean) ** 2) ** 0.5
        assert abs(drawn_values.mean() - mean) < 0.2 * deviation
        assert drawn_values.std() == pytest.approx(deviation, rel=0.2)
