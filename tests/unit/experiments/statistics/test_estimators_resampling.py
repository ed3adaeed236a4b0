"""Estimators by few topics: every number a second time, and wrong intervals and tests seen."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from prum.experiments.generate.dataset import read_dataset
from prum.experiments.statistics.rankings import tau_b
from prum.experiments.statistics.tests import t_test
from prum.experiments.studies import estimators
from prum.experiments.studies.estimators import (
    REFERENCE,
    EstimatorRows,
    against_truth,
    by_coverage,
    by_power,
    by_topics,
    covered,
    pairs_of,
    rejected,
)
from tests.made_folders import LEVEL, value, whole_in
from tests.tiers import slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole_in(tmp_path_factory.mktemp("whole") / "made")


# --- one list, and few topics --------------------------------------------------------------------


@slow
def test_errors_against_truth_are_those_of_loops(whole: Path) -> None:
    data = read_dataset(whole)
    rows = EstimatorRows()
    against_truth(rows, data.scores, data.errors[REFERENCE], ["PRUM", "AP"])
    for measure in ("PRUM", "AP"):
        errors = (data.scores[measure] - data.scores[REFERENCE]).ravel().tolist()
        expected = {
            "bias": sum(errors) / len(errors),
            "rmse": (sum(e * e for e in errors) / len(errors)) ** 0.5,
            "largest": max(map(abs, errors)),
        }
        for name, number in expected.items():
            found = value(rows, "truth", method=measure, quantity=name)
            assert found == pytest.approx(number)


def test_the_noise_of_a_simulated_truth_is_taken_off() -> None:
    rng = np.random.default_rng(2)
    exact = rng.random((3, 4000))
    scores = {REFERENCE: exact + rng.normal(0, 0.1, exact.shape), "PRUM": exact + 0.05}
    rows = EstimatorRows()
    against_truth(rows, scores, np.full(exact.shape, 0.1), ["PRUM"])
    found = value(rows, "truth", subject="all", method="PRUM", quantity="rmse")
    assert found == pytest.approx(0.05, abs=0.01)


def test_rankings_by_few_topics_are_those_of_loops() -> None:
    rng = np.random.default_rng(1)
    true = rng.random((5, 11)) + np.linspace(0, 0.4, 5)[:, None]
    scores = {REFERENCE: true, "AP": true + rng.normal(0, 0.2, true.shape)}
    rows = EstimatorRows()
    by_topics(rows, scores, 7, np.random.default_rng(9))
    orders = np.random.default_rng(9).permuted(np.tile(np.arange(11), (7, 1)), axis=1)
    for measure, number in product(scores, (5, 10)):
        taus = []
        for order in orders:
            assert len(set(order[:number].tolist())) == number
            means = scores[measure][:, order[:number]].mean(axis=1)
            taus.append(tau_b(means, true.mean(axis=1)))
        found = value(rows, "topics", method=measure, at=number, quantity="tau-b")
        assert found == pytest.approx(np.mean(taus))


def test_a_constant_estimator_has_no_tau() -> None:
    true = np.random.default_rng(3).random((6, 12))
    rows = EstimatorRows()
    scores = {REFERENCE: true, "constant": np.full(true.shape, 0.5)}
    by_topics(rows, scores, 20, np.random.default_rng(1))
    assert {row.value for row in rows if row.method == "constant"} == {None}


def test_rows_of_series_are_means_of_their_own() -> None:
    """Means and differences, and ranges of true differences, each by what was drawn for it."""
    true = np.array([[0.3], [0.9], [0.31]]) + np.random.default_rng(1).normal(0, 0.1, (3, 40))
    rows = EstimatorRows()
    by_coverage(rows, true, [5], 40, np.random.default_rng(2))
    ranked = true[np.argsort(-true.mean(axis=1))]
    series = np.concatenate([true, ranked[:-1] - ranked[1:]])
    for method, hit in covered(series, 5, 40, np.random.default_rng(2)).items():
        for subject, part in (("mean of a system", hit[:3]), ("difference of two", hit[3:])):
            found = value(rows, "coverage", subject=subject, method=method)
            assert found == pytest.approx(part.mean())
    by_power(rows, true, [5], 40, np.random.default_rng(2))
    pairs = pairs_of(true.mean(axis=1))
    differences = np.array([true[a] - true[b] for a, b in pairs])
    flags = rejected(differences, 5, 40, np.random.default_rng(2))["paired t"]
    wide = differences.mean(axis=1) > 0.1
    assert wide.tolist() == [False, True, True]
    found = value(rows, "power", subject=".1 and more", method="paired t")
    assert found > 0.9
    assert found == pytest.approx(flags[0][wide].mean())
    for kind, own in (("swapped", flags[1]), ("centred", flags[2])):
        assert value(rows, "false alarms", subject=kind, method="paired t") == own.mean()


# --- intervals and coverage ----------------------------------------------------------------------


def _tally(hit: Any, probability: float) -> bool:
    """Whether a count of independent hits fits a probability."""
    return bool(stats.binomtest(int(np.sum(hit)), len(hit), probability).pvalue > LEVEL)


def test_coverage_is_that_of_all_samples() -> None:
    series = np.array([[0.0, 0.2, 1.0]])
    true = series.mean()
    held = dict.fromkeys(("t", "normal"), 0.0)
    for sample in product(series[0], repeat=4):
        mean, error = np.mean(sample), stats.sem(sample)
        for name, law in (("t", stats.t(3)), ("normal", stats.norm)):
            half = law.ppf(0.975) * error
            held[name] += (mean - half - 1e-9 <= true <= mean + half + 1e-9) / 3**4
    found = covered(series, 4, 4000, np.random.default_rng(5))
    for name, wanted in held.items():
        assert _tally(found[name][0], wanted)
        assert not _tally(found[name][0], wanted - 0.05)


# --- tests ---------------------------------------------------------------------------------------


def test_power_of_t_is_that_of_the_noncentral_law() -> None:
    quantiles = stats.norm.ppf((np.arange(4000) + 0.5) / 4000)
    row = (quantiles / quantiles.std() + 0.5)[None]
    found = rejected(row, 20, 2000, np.random.default_rng(3))
    edge, shift = stats.t.ppf(0.975, 19), 0.5 * 20**0.5
    right = 1 - stats.nct.cdf(edge, 19, shift)
    assert _tally(found["paired t"][0][0], right)
    assert not _tally(found["paired t"][0][0], right - 0.06)


def test_equal_systems_give_false_alarms_at_the_promised_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = np.random.default_rng(5).normal(0.2, 1, (1, 3000))
    found = rejected(row, 12, 3000, np.random.default_rng(6))
    # Of 12 signs two or fewer, or ten or more: the level that the sign test has.
    exact = 2 * stats.binom.cdf(2, 12, 0.5)
    for test, rate in (("paired t", 0.05), ("randomization", 0.05), ("sign", exact)):
        assert _tally(found[test][1][0], rate)
    # The sign test asks whether medians are 0; Student's, means.
    assert _tally(found["paired t"][2][0], 0.05)
    # Each topic taken for two: seen.
    monkeypatch.setattr(
        estimators, "p_values", lambda samples, _: {"t": t_test(np.tile(samples, 2))}
    )
    assert not _tally(rejected(row, 12, 3000, np.random.default_rng(6))["t"][1][0], 0.05)
