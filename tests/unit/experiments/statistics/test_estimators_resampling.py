"""Estimators by few topics: every number a second time, and wrong intervals and tests seen."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from prum.experiments.generate.dataset import read_dataset
from prum.experiments.statistics.intervals import mean_intervals
from prum.experiments.statistics.rankings import tau_b
from prum.experiments.studies.estimators import (
    REFERENCE,
    against_truth,
    by_coverage,
    by_topics,
    covered,
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
    rows = [*against_truth(data.scores, data.errors[REFERENCE], ["PRUM", "AP"])]
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
    rows = [*against_truth(scores, np.full(exact.shape, 0.1), ["PRUM"])]
    found = value(rows, "truth", subject="all", method="PRUM", quantity="rmse")
    assert found == pytest.approx(0.05, abs=0.01)


def test_rankings_by_few_topics_are_those_of_loops() -> None:
    rng = np.random.default_rng(1)
    true = rng.random((5, 11)) + np.linspace(0, 0.4, 5)[:, None]
    scores = {REFERENCE: true, "AP": true + rng.normal(0, 0.2, true.shape)}
    rows = [*by_topics(scores, 7, np.random.default_rng(9))]
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
    scores = {REFERENCE: true, "constant": np.full(true.shape, 0.5)}
    rows = by_topics(scores, 20, np.random.default_rng(1))
    assert {row["value"] for row in rows if row["method"] == "constant"} == {None}


def test_rows_of_series_are_means_of_their_own() -> None:
    """Means and differences, each by what was drawn for it."""
    true = np.array([[0.3], [0.9], [0.31]]) + np.random.default_rng(1).normal(0, 0.1, (3, 40))
    rows = [*by_coverage(true, [5], 40, np.random.default_rng(2))]
    ranked = true[np.argsort(-true.mean(axis=1))]
    series = np.concatenate([true, ranked[:-1] - ranked[1:]])
    for method, hit in covered(series, 5, 40, np.random.default_rng(2)).items():
        for subject, part in (("mean of a system", hit[:3]), ("difference of two", hit[3:])):
            found = value(rows, "coverage", subject=subject, method=method)
            assert found == pytest.approx(part.mean())


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


def test_an_interval_with_the_wrong_n_misses() -> None:
    """Each topic taken for two: Student's interval is too narrow, and that is seen."""
    series = np.random.default_rng(6).normal(size=(1, 5000))

    def doubled(samples: Any, counts: Any) -> Any:
        return {"t": mean_intervals(np.tile(samples, 2), np.tile(counts, 2))["t"]}

    rng = np.random.default_rng(2)
    honest = covered(series, 10, 600, rng)["t"]
    wrong = covered(series, 10, 600, rng, doubled)["t"]
    assert _tally(honest[0], 0.95)
    assert not _tally(wrong[0], 0.95)
