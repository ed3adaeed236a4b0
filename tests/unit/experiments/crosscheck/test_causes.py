"""Splitting errors by cause, and rankings beside each other."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import kendalltau

from prum.experiments.statistics.rankings import (
    agreement,
    average_precision_tau,
    best_found,
    tau_b,
)
from prum.experiments.studies.hypotheses import shapley, subsets
from tests.tiers import slow


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


def test_tau_ap_of_the_ends_and_of_one_swap() -> None:
    scores = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    assert average_precision_tau(scores, scores) == 1
    assert average_precision_tau(scores, -scores) == -1
    top, bottom = scores[[1, 0, 2, 3, 4]], scores[[0, 1, 2, 4, 3]]
    # A swap at the top: C(2) / 1 = 0, at the bottom: C(5) / 4 = 3/4, the rest 1.
    assert average_precision_tau(scores, top) == pytest.approx(2 * 3 / 4 - 1)
    assert average_precision_tau(scores, bottom) == pytest.approx(2 * (3 + 3 / 4) / 4 - 1)
    assert tau_b(scores, top) == tau_b(scores, bottom) == pytest.approx(0.8)


def test_tau_ap_of_ties_is_the_mean_over_their_orders() -> None:
    rng = np.random.default_rng(4)
    for _ in range(5):
        estimated, true = rng.integers(0, 3, 5).astype(float), rng.integers(0, 4, 5).astype(float)
        # Any order of equal systems is one that a little noise gives.
        orders = [estimated + 0.1 * np.array(noise) for noise in itertools.permutations(range(5))]
        taus = average_precision_tau(np.array(orders), true)
        best = best_found(np.array(orders), true)
        assert average_precision_tau(estimated, true) == pytest.approx(taus.mean())
        assert best_found(estimated, true) == pytest.approx(best.mean())
        # Whatever names systems have.
        assert average_precision_tau(estimated[::-1], true[::-1]) == pytest.approx(taus.mean())
    assert average_precision_tau(np.ones(4), np.arange(4.0)) == 0
    assert average_precision_tau(np.ones(4), -np.arange(4.0)) == 0
    assert best_found(np.ones(4), np.arange(4.0)) == 0.25


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
    points = {told.tau_b: told.tau_b_interval, told.tau_ap: told.tau_ap_interval}
    for point, interval in points.items():
        assert point is not None
        assert interval is not None
        low, high = interval
        assert -1 <= low <= point <= high < 0
    assert told.tau_b == pytest.approx(-0.949, abs=0.001)


@slow
def test_agreement_over_topics() -> None:
    rng = np.random.default_rng(5)
    true = np.array([[0.3], [0.5], [0.7]]) + 0.01 * rng.normal(size=(3, 30))
    same = agreement(true + 0.1, true, np.random.default_rng(0))
    assert (same.tau_b, same.tau_ap, same.best_changes) == (1, 1, 0)
    assert same.tau_b_interval == same.tau_ap_interval == (1, 1)
    # The estimate has the two best the wrong way round.
    wrong = agreement(true[[0, 2, 1]], true, np.random.default_rng(0))
    assert wrong.best_changes == 1
    assert wrong.tau_b == pytest.approx(1 / 3)
    assert wrong.tau_ap == pytest.approx(0.0)
    # Two systems of which nobody can say which is better.
    level = 0.5 + 0.1 * rng.normal(size=(2, 30))
    unsure = agreement(0.5 + 0.1 * rng.normal(size=(2, 30)), level, np.random.default_rng(0))
    assert 0.02 < unsure.best_changes < 0.98
    one_topic = agreement(true[:, :1], true[:, :1], np.random.default_rng(0))
    assert one_topic.tau_b_interval is None
    assert one_topic.best_changes == 0
