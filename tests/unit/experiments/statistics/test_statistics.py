"""Tests, intervals and rankings: every number a second time, by loops and by scipy."""

import numpy as np
import pytest
from scipy import stats

from prum.experiments.statistics.intervals import (
    mean_intervals,
    ratio_interval,
    resampled_counts,
    student_factor,
    wilson,
)
from prum.experiments.statistics.tests import (
    holm,
    mean_and_error,
    p_of_means,
    sign_test,
)


def test_intervals_are_those_of_loops_and_scipy() -> None:
    rng = np.random.default_rng(7)
    samples = rng.beta(0.4, 1, (3, 9))
    counts = resampled_counts(9, 399, rng)
    assert (counts.sum(axis=1) == 9).all()
    found = mean_intervals(samples, counts)
    for row, sample in enumerate(samples):
        mean, error = sample.mean(), stats.sem(sample)
        wanted = {
            "t": stats.t.interval(0.95, 8, mean, error),
            "normal": stats.norm.interval(0.95, mean, error),
        }
        resamples = [np.repeat(sample, count.astype(int)) for count in counts]
        means = np.array([one.mean() for one in resamples])
        wanted["percentile"] = tuple(np.quantile(means, [0.025, 0.975]))
        pulls = sorted((one.mean() - mean) / one.std(ddof=1) for one in resamples)
        low, high = pulls[int(np.ceil(0.025 * 399)) - 1], pulls[int(np.ceil(0.975 * 399)) - 1]
        deviation = sample.std(ddof=1)
        wanted["bootstrap t"] = mean - high * deviation, mean - low * deviation
        jackknife = np.array([np.delete(sample, k).mean() for k in range(9)])
        away = jackknife.mean() - jackknife
        acceleration = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
        bias = stats.norm.ppf(stats.percentileofscore(means, mean, "mean") / 100)
        levels = [
            stats.norm.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))
            for z in stats.norm.ppf([0.025, 0.975])
        ]
        wanted["BCa"] = tuple(np.quantile(means, levels))
        assert set(found) == set(wanted)
        for method, ends in wanted.items():
            assert [float(end[row]) for end in found[method]] == pytest.approx(ends), method


@pytest.mark.parametrize("num", [4, 9, 25])
def test_p_values_are_those_of_scipy(num: int) -> None:
    samples = np.random.default_rng(num).normal(0.3, 1, (12, num))
    samples[:, 0] = 0
    mean, error = mean_and_error(samples)
    wanted = stats.ttest_1samp(samples, 0, axis=1).pvalue
    assert p_of_means(mean, error, np.array(float(num))) == pytest.approx(wanted)
    for p, sample in zip(sign_test(samples), samples, strict=True):
        assert p == pytest.approx(stats.binomtest(int((sample > 0).sum()), num - 1).pvalue)
    # Of differences that are all alike, t has the p of their signs.
    alike = p_of_means(np.array([0.1]), np.zeros(1), np.array(float(num)))
    assert alike == pytest.approx(sign_test(np.full((1, num), 0.1)))


def test_intervals_of_proportions_are_those_of_scipy() -> None:
    happened, trials = np.array([0, 1, 3, 9, 40]), np.array([1, 4, 3, 30, 77])
    ends = np.transpose(wilson(happened, trials))
    for row, k, n in zip(ends, happened.tolist(), trials.tolist(), strict=True):
        expected = stats.binomtest(k, n).proportion_ci(method="wilson")
        assert row == pytest.approx([*expected], abs=1e-12)


def test_an_interval_of_clusters_of_one_is_students() -> None:
    values = np.random.default_rng(1).normal(size=9)
    mean, low, high = ratio_interval(values, np.ones(9))
    wanted = stats.t.interval(0.95, 8, values.mean(), stats.sem(values))
    assert (mean, low, high) == pytest.approx((values.mean(), *wanted))
    assert ratio_interval(4 * values, np.full(9, 4)) == pytest.approx((mean, low, high))


def test_adjusted_p_values_are_those_of_definitions() -> None:
    p = [0.04, 0.01, 0.03, 0.9]
    assert holm(p) == pytest.approx([0.09, 0.04, 0.09, 0.9])
    assert holm([0.7, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
    assert holm([None, 0.4]) == [None, 0.4]


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 29, 30, 49, 99, 999, 1000, 1001, 2.5])
def test_students_factor_is_the_quantile_of_his_law(freedom: float) -> None:
    assert student_factor(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-10)


def test_a_neighbour_of_students_factor_is_told_apart() -> None:
    assert student_factor(999) != pytest.approx(stats.t.ppf(0.975, 1000), rel=1e-13)
