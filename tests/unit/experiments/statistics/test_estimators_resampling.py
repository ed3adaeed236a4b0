"""Estimators by few topics: every number a second time, and wrong intervals and tests seen."""

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binom

from prum.experiments.generate.dataset import read_dataset
from prum.experiments.statistics.intervals import mean_intervals, student_factor
from prum.experiments.statistics.rankings import average_precision_tau, tau_b
from prum.experiments.statistics.tests import t_test
from prum.experiments.studies.estimators import resampling
from prum.experiments.studies.estimators.resampling import covered, pairs_of, rejected
from prum.experiments.studies.estimators.scoring import REFERENCE, EstimatorRows
from prum.experiments.studies.estimators.truth import (
    _tau,
    against_truth,
    by_topics,
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
    against_truth(rows, data.systems, data.scores, data.errors[REFERENCE], ["PRUM", "AP"])
    for measure, subject in product(("PRUM", "AP"), (*data.systems, "all")):
        chosen = data.systems if subject == "all" else (subject,)
        errors = [
            data.scores[measure][data.systems.index(s), t]
            - data.scores[REFERENCE][data.systems.index(s), t]
            for s in chosen
            for t in range(12)
        ]
        found = {
            name: value(rows, "truth", subject=subject, method=measure, quantity=name)
            for name in ("bias", "rmse", "largest")
        }
        assert found == pytest.approx(
            {
                "bias": sum(errors) / len(errors),
                "rmse": (sum(e * e for e in errors) / len(errors)) ** 0.5,
                "largest": max(map(abs, errors)),
            }
        )


def test_the_noise_of_a_simulated_truth_is_taken_off() -> None:
    rng = np.random.default_rng(2)
    exact = rng.random((3, 4000))
    scores = {REFERENCE: exact + rng.normal(0, 0.1, exact.shape), "PRUM": exact + 0.05}
    rows = EstimatorRows()
    against_truth(rows, ["a", "b", "c"], scores, np.full(exact.shape, 0.1), ["PRUM"])
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
        taus, tops, best = [], [], []
        for order in orders:
            assert len(set(order[:number].tolist())) == number
            means = scores[measure][:, order[:number]].mean(axis=1)
            taus.append(tau_b(means, true.mean(axis=1)))
            tops.append(average_precision_tau(means, true.mean(axis=1)))
            best.append(np.argmax(means) == np.argmax(true.mean(axis=1)))
        for name, wanted in (("tau-b", taus), ("tau_ap", tops), ("best", best)):
            found = value(rows, "topics", method=measure, at=number, quantity=name)
            assert found == pytest.approx(np.mean(wanted))


def test_all_topics_give_the_true_ranking() -> None:
    true = np.random.default_rng(1).random((5, 10))
    rows = EstimatorRows()
    by_topics(rows, {REFERENCE: true}, 4, np.random.default_rng(1))
    assert value(rows, "topics", method=REFERENCE, at=10, quantity="tau-b") == 1
    # The variance of a mean of 5 of 10 is that of 9 of an endless number.
    assert value(rows, "topics", method="", at=5, quantity="endless") == pytest.approx(9)
    subsets = [true[0, list(some)].mean() for some in combinations(range(10), 5)]
    assert np.var(subsets) == pytest.approx(true[0].var() / 9)


def test_a_constant_estimator_ranks_as_chance_does() -> None:
    true = np.random.default_rng(3).random((6, 12)) + np.linspace(0, 0.9, 6)[:, None]
    for order in (slice(None), slice(None, None, -1)):
        rows = EstimatorRows()
        scores = {REFERENCE: true[order], "constant": np.full(true.shape, 0.5)}
        by_topics(rows, scores, 20, np.random.default_rng(1))
        of = {"method": "constant", "at": 5}
        assert value(rows, "topics", quantity="tau_ap", **of) == 0
        assert value(rows, "topics", quantity="best", **of) == pytest.approx(1 / 6)


@pytest.mark.parametrize("num_worlds", [40, pytest.param(300, marks=slow)])
def test_intervals_of_tau_under_pooling_cover_its_mean(num_worlds: int) -> None:
    rng = np.random.default_rng(71)
    kept, found = np.arange(0, 30, 2), []
    for _ in range(num_worlds):
        full = np.linspace(0, 0.6, 10)[:, None] + rng.normal(size=(10, 30))
        shallow = full[:, kept] + 0.5 * rng.normal(size=(10, len(kept)))
        chosen = rng.integers(0, 30, (200, 30))
        found.append(_tau(shallow, kept, full, chosen))
        # A pool of everything ranks alike on whatever topics.
        assert _tau(full, np.arange(30), full, chosen) == (1, 1, 1)
    taus, low, high = np.array(found).T
    assert ((low <= taus) & (taus <= high)).all()
    covered = np.count_nonzero((low <= taus.mean()) & (taus.mean() <= high))
    assert covered >= binom.ppf(1e-4, num_worlds, 0.93)
    assert (high - low).mean() < 1.4 * 2 * student_factor(29) * taus.std()


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
        below, above, _ = found[name]
        assert _tally(~(below | above)[0], wanted)
        assert not _tally(~(below | above)[0], wanted - 0.05)


def test_an_interval_with_the_wrong_n_misses() -> None:
    """Each topic taken for two: Student's interval is too narrow, and that is seen."""
    series = np.random.default_rng(6).normal(size=(1, 5000))

    def doubled(samples: Any, counts: Any) -> Any:
        return {"t": mean_intervals(np.tile(samples, 2), np.tile(counts, 2))["t"]}

    rng = np.random.default_rng(2)
    honest = covered(series, 10, 600, rng)["t"]
    wrong = covered(series, 10, 600, rng, doubled)["t"]
    assert _tally(~(honest[0] | honest[1])[0], 0.95)
    assert not _tally(~(wrong[0] | wrong[1])[0], 0.95)


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
        assert _tally(found[test][2][0], rate)
    # The sign test asks whether medians are 0; Student's, means.
    assert _tally(found["paired t"][3][0], 0.05)
    # Each topic taken for two: seen.
    monkeypatch.setattr(
        resampling, "p_values", lambda samples, _: {"t": t_test(np.tile(samples, 2))}
    )
    assert not _tally(rejected(row, 12, 3000, np.random.default_rng(6))["t"][2][0], 0.05)


def test_pairs_rise_by_difference_and_are_not_too_many() -> None:
    assert pairs_of(np.array([0.1, 0.5, 0.2])) == [(2, 0), (1, 2), (1, 0)]
    many = pairs_of(np.random.default_rng(1).random(40))
    assert len(many) == len(set(many)) == resampling.MOST_PAIRS
