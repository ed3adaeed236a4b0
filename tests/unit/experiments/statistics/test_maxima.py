"""The largest t of a family: critical values, and max-t beside Tukey, Dunnett and drawn topics."""

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from prum.experiments.statistics import maxima
from prum.experiments.statistics.maxima import bonferroni_critical, normal_maxima, shrunk
from prum.experiments.statistics.simultaneous import compared
from tests.tiers import slow
from tests.unit.experiments.statistics.families import LEVEL, against, all_pairs, made

# --- critical values ------------------------------------------------------------------------------


def _wrong(largest: Any, own: Any, extra: int, level: float) -> tuple[Any, float]:
    """Take an order statistic too small."""
    share, _ = maxima._placed(largest, own, extra, level)
    return share, float(np.sort(largest)[-1 - int(np.ceil(level * (extra + len(largest))))])


@pytest.mark.parametrize(("placed", "right"), [(maxima._placed, True), (_wrong, False)])
def test_the_critical_value_is_that_of_p(placed: Callable[..., Any], right: bool) -> None:
    rng = np.random.default_rng(1)
    differs = 0
    for number, extra in product([1, 18, 19, 20, 99, 100], [0, 1]):
        largest = np.round(rng.gamma(3, size=number), 1)  # some are tied
        # A family's own maximum is always counted: as one more, or among them.
        own = np.concatenate([largest, largest - 0.05, largest + 0.05])[: (2 + extra) * number]
        for level in (0.01, 0.05, 0.1, 0.5):
            try:
                share, critical = placed(largest, own, extra, level)
            except IndexError:
                continue
            differs += int(((share < level) != (own > critical)).sum())
    assert (differs == 0) == right


def test_too_few_draws_show_nothing_by_themselves() -> None:
    share, critical = maxima._placed(np.arange(1.0, 19.0), np.array([100.0]), 1, 0.05)
    assert share.tolist() == [1 / 19]
    assert critical == np.inf


# --- max-t ----------------------------------------------------------------------------------------


def test_of_one_pair_max_t_is_students() -> None:
    values = made(2, 14, 2, 0.6)
    family = compared(values, np.array([[1, 0]]))
    wanted = stats.ttest_rel(values[1], values[0])
    low, high = wanted.confidence_interval(1 - LEVEL)
    assert float(family.p[0]) == float(family.adjusted[0]) == pytest.approx(wanted.pvalue)
    assert (float(family.low[0]), float(family.high[0])) == pytest.approx((low, high))
    assert family.critical == pytest.approx(stats.t.ppf(1 - LEVEL / 2, 13))


def naive_maxima(covariance: Any, num: int, pairs: Any, draws: int, seed: int) -> Any:
    """Draw topics one by one and test each pair."""
    rng = np.random.default_rng(seed)
    drawn = rng.multivariate_normal(np.zeros(len(covariance)), covariance, (draws, num))
    differences = drawn[:, :, pairs[:, 0]] - drawn[:, :, pairs[:, 1]]
    return np.abs(stats.ttest_1samp(differences, 0, axis=1).statistic).max(axis=1)


@pytest.mark.parametrize(("num_systems", "num_topics"), [(3, 2), (3, 4), (4, 30), (9, 5), (6, 6)])
@pytest.mark.parametrize("baseline", [None, 1])
def test_maxima_are_those_of_drawn_topics(
    num_systems: int, num_topics: int, baseline: int | None
) -> None:
    values = made(num_systems, num_topics, num_systems)
    values[0] *= 3
    pairs = all_pairs(num_systems) if baseline is None else against(baseline, num_systems)
    pairs = pairs[1:] if len(pairs) == 6 else pairs  # neither all nor of one
    used, covariance = np.unique(pairs), shrunk(values)[0]
    assert len(used) == num_systems
    drawn = normal_maxima(values, pairs, 3_000, np.random.default_rng(4))
    wanted = naive_maxima(covariance, num_topics, pairs, 3_000, 5)
    # 10 comparisons at .001 together.
    assert stats.ks_2samp(drawn, wanted).pvalue > 1e-4
    assert stats.ks_2samp(drawn, wanted * 1.3).pvalue < 1e-4


@pytest.mark.parametrize("num", [3, 6])
def test_max_t_is_tukeys_where_variances_are_equal(num: int) -> None:
    values = (
        np.random.default_rng(num).normal(size=(num, 1_500)) + np.linspace(0, 0.1, num)[:, None]
    )
    pairs = all_pairs(num)
    family = compared(values, pairs, draws=9_999)
    tukey = stats.tukey_hsd(*values)
    wanted = np.array([tukey.pvalue[first, second] for first, second in pairs])
    # Errors of pairs are not pooled, and 9,999 draws have an error of .005 at most.
    assert family.adjusted == pytest.approx(wanted, abs=0.04)
    far = stats.studentized_range.ppf(1 - LEVEL, num, 1_499 * num) / 2**0.5
    assert family.critical == pytest.approx(far, rel=0.02)


def test_max_t_is_dunnetts_beside_a_baseline() -> None:
    values = np.random.default_rng(3).normal(size=(6, 1_500)) + np.linspace(0, 0.1, 6)[:, None]
    family = compared(values, against(0, 6), draws=9_999)
    wanted = stats.dunnett(*values[1:], control=values[0], rng=np.random.default_rng(1)).pvalue
    assert family.adjusted == pytest.approx(wanted, abs=0.04)


def test_max_t_lies_between_student_and_bonferroni() -> None:
    for seed, (num_systems, num_topics) in enumerate(product([3, 8, 30], [2, 3, 8, 40])):
        values, pairs = made(num_systems, num_topics, seed), all_pairs(num_systems)
        family = compared(values, pairs, draws=99)
        most = bonferroni_critical(len(pairs), num_topics, LEVEL)
        assert bonferroni_critical(1, num_topics, LEVEL) <= family.critical <= most
        assert (family.adjusted <= len(pairs) * family.p + 1e-12).all()


def test_what_is_independent_is_shrunk_and_what_goes_together_is_not() -> None:
    rng = np.random.default_rng(2)
    independent = rng.normal(size=(30, 20))
    clusters = rng.normal(size=(3, 20)).repeat(10, axis=0) + 0.2 * independent
    shares = [shrunk(values)[1] for values in (independent, clusters)]
    assert shares[0] > 0.9
    assert shares[1] < 0.2
    covariance = shrunk(clusters)[0]
    assert np.linalg.eigvalsh(covariance).min() > 0
    # What topics do to all alike has no part.
    moved, share = shrunk(clusters + rng.normal(size=20))
    assert moved == pytest.approx(covariance)
    assert share == pytest.approx(shares[1])


def test_the_share_is_the_error_of_the_covariance_beside_its_distance_from_independent() -> None:
    """By eigenvalues and projections, and the error itself by what it is off by in many samples."""
    k, n = 6, 4
    rng = np.random.default_rng(4)
    root = np.diag([1.0, 1, 2, 2, 3, 3]) + rng.normal(size=(k, k)) / 4
    centring = np.eye(k) - 1 / k
    truth = centring @ root @ root.T @ centring
    off, biased = [], []
    for _ in range(800):
        values = root @ rng.normal(size=(k, n))
        covariance, share = shrunk(values)
        sample = centring @ np.cov(values) @ centring
        own = ((covariance - (1 - share) * sample) / share).diagonal()
        assert own == pytest.approx(_variances(sample), rel=1e-9)
        away = ((sample - centring @ np.diag(own) @ centring) ** 2).sum()
        total, squares = np.linalg.eigvalsh(sample).sum(), (np.linalg.eigvalsh(sample) ** 2).sum()
        unbiased = (n - 1) ** 2 * (squares - total**2 / (n - 1)) / ((n - 2) * (n + 1))
        error = (total**2 + (1 - 2 / (n - 1)) * unbiased) / (n - 1)
        assert share == pytest.approx(min(error / away, 1), rel=1e-9)
        off.append(error - ((sample - truth) ** 2).sum())
        biased.append(off[-1] + (1 - 2 / (n - 1)) * (squares - unbiased) / (n - 1))
    z, of_biased = (np.mean(x) / np.std(x, ddof=1) * len(x) ** 0.5 for x in (off, biased))
    assert abs(z) < 4 < abs(of_biased)


def _variances(sample: Any) -> Any:
    """Return the variances of independent systems whose own differences vary as those of these."""
    k = len(sample)
    # The diagonal of P diag(v) P, by the matrix of squared entries of P, solved for v.
    squares = (np.eye(k) - 1 / k) ** 2
    return np.maximum(
        np.linalg.solve(squares, sample.diagonal()), 0.01 * np.trace(sample) / (k - 1)
    )


def test_variances_of_independent_systems_are_told_apart() -> None:
    values = np.random.default_rng(2).normal(size=(10, 4_000)) * np.arange(1, 11)[:, None]
    covariance, _ = shrunk(values)
    differences = covariance.diagonal()[:, None] + covariance.diagonal() - 2 * covariance
    squares = np.arange(1, 11) ** 2
    wanted = squares[:, None] + squares
    np.fill_diagonal(wanted, 0)
    assert differences == pytest.approx(wanted, rel=0.1, abs=1)


@slow
def test_results_do_not_depend_on_threads() -> None:
    code = (
        "import numpy as np; from prum.experiments.statistics import compared;"
        "values = np.random.default_rng(1).normal(size=(80, 30));"
        "pairs = np.array(np.triu_indices(80, 1)).T;"
        "print(*(f(getattr(compared(values, pairs, method=m, draws=199), 'adjusted')).hex()"
        " for m in ('max-t', 'randomisation', 'bootstrap') for f in (lambda a: a.tobytes(),)))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(outputs) == 1
