"""Splitting errors by cause, and rankings beside each other."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from scipy.stats import t as student

from prum.experiments.crosscheck.tables import rank_correlations
from prum.experiments.statistics.rankings import (
    agreement,
    tau_b,
)
from prum.experiments.studies.hypotheses import shapley, subsets


def test_shares_are_mean_contributions_over_all_orders() -> None:
    causes = ["a", "b", "c", "d"]
    rng = np.random.default_rng(1)
    values = {subset: rng.normal(size=3) for subset in subsets(causes)}
    shares = shapley(values, causes)
    for cause in causes:
        contributions = []
        for order in itertools.permutations(causes):
            before = frozenset(order[: order.index(cause)])
            contributions.append(values[before | {cause}] - values[before])
        assert len(contributions) == math.factorial(4)
        assert shares[cause] == pytest.approx(np.mean(contributions, axis=0), abs=1e-12)
    whole = values[frozenset(causes)] - values[frozenset()]
    assert sum(shares.values()) == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_tau_b_is_scipys_with_ties_too(seed: int) -> None:
    one, two = np.random.default_rng(seed).integers(0, 3, (2, 5)).astype(float)
    expected = kendalltau(one, two).statistic
    assert tau_b(one, two) == pytest.approx(expected, nan_ok=True)
    assert tau_b(np.stack([one, two]), two)[0] == pytest.approx(expected, nan_ok=True)


def test_systems_that_are_all_tied_have_no_tau_b() -> None:
    assert np.isnan(tau_b(np.ones(3), np.arange(3.0)))
    true = np.random.default_rng(1).random((3, 4))
    tied = agreement(np.ones((3, 4)), true, np.random.default_rng(0))
    assert (tied.tau_b, tied.tau_b_interval) == (None, None)


def test_an_interval_of_tau_holds_its_own_point() -> None:
    """Of 1,000 resamples 975 and more have a tau-b above that of these topics, -.949."""
    rng = np.random.default_rng(70)
    systems, topics = int(rng.integers(3, 7)), int(rng.integers(5, 15))
    estimated, true = rng.integers(0, 4, (2, systems, topics)).astype(float)
    told = agreement(estimated, true, np.random.default_rng(0))
    assert told.tau_b is not None
    assert told.tau_b_interval is not None
    low, high = told.tau_b_interval
    assert -1 <= low <= told.tau_b <= high < 0
    assert told.tau_b == pytest.approx(-0.949, abs=0.001)
    again, taus = np.random.default_rng(0), []
    for _ in range(1_000):
        some = again.integers(0, topics, topics)
        taus.append(tau_b(estimated[:, some].mean(axis=1), true[:, some].mean(axis=1)))
    half = float(student.ppf(0.975, topics - 1) * np.nanstd(taus, ddof=1))
    assert high == pytest.approx(told.tau_b + half, rel=1e-9)


def test_rankings_of_a_campaign_are_put_beside_that_by_reference() -> None:
    values = {"prum": [1, 2, 3], "classical": [3, 2, 1], "reference": [1, 3, 2]}
    systems = pd.DataFrame(values | {f"{name}_place": 0 for name in values})
    expected = {"prum": 1 / 3, "classical": -1 / 3}
    assert rank_correlations(systems) == pytest.approx(expected)
    assert rank_correlations(systems[:1]) == {}


def test_agreement_over_topics() -> None:
    rng = np.random.default_rng(5)
    true = np.array([[0.3], [0.5], [0.7]]) + 0.01 * rng.normal(size=(3, 30))
    same = agreement(true + 0.1, true, np.random.default_rng(0))
    assert (same.tau_b, same.best_changes) == (1, 0)
    assert same.tau_b_interval == (1, 1)
    # The estimate has the two best the wrong way round.
    wrong = agreement(true[[0, 2, 1]], true, np.random.default_rng(0))
    assert wrong.best_changes == 1
    assert wrong.tau_b == pytest.approx(1 / 3)
    # Two systems of which nobody can say which is better.
    level = 0.5 + 0.1 * rng.normal(size=(2, 30))
    unsure = agreement(0.5 + 0.1 * rng.normal(size=(2, 30)), level, np.random.default_rng(0))
    assert 0.02 < unsure.best_changes < 0.98
    one_topic = agreement(true[:, :1], true[:, :1], np.random.default_rng(0))
    assert one_topic.tau_b_interval is None
    assert one_topic.best_changes == 0
