"""Splitting errors by cause, and rankings beside each other."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import kendalltau

from prum.experiments.studies.hypotheses.causes import shapley, subsets
from prum.experiments.studies.ranking import agreement, average_precision_tau, kendall_tau


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


def test_a_cause_that_does_nothing_has_no_share_and_equal_ones_the_same() -> None:
    values = {subset: np.array([float(len(subset - {"c"}) ** 2)]) for subset in subsets("abc")}
    shares = shapley(values, "abc")
    assert shares["c"] == 0
    assert shares["a"] == shares["b"] == 2


@pytest.mark.parametrize("seed", range(20))
def test_tau_is_scipys_without_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = rng.normal(size=(2, 7))
    assert kendall_tau(one, two) == pytest.approx(kendalltau(one, two).statistic)


def test_tau_ap_of_the_ends_and_of_one_swap() -> None:
    scores = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    assert average_precision_tau(scores, scores) == 1
    assert average_precision_tau(scores, -scores) == -1
    top, bottom = scores[[1, 0, 2, 3, 4]], scores[[0, 1, 2, 4, 3]]
    # A swap at the top: C(2) / 1 = 0, at the bottom: C(5) / 4 = 3/4, the rest 1.
    assert average_precision_tau(scores, top) == pytest.approx(2 * 3 / 4 - 1)
    assert average_precision_tau(scores, bottom) == pytest.approx(2 * (3 + 3 / 4) / 4 - 1)
    assert kendall_tau(scores, top) == kendall_tau(scores, bottom) == pytest.approx(0.8)


def test_tau_ap_is_the_chance_that_a_system_above_belongs_there() -> None:
    rng = np.random.default_rng(3)
    estimated, true = rng.normal(size=(2, 6))
    order = sorted(range(6), key=lambda k: -estimated[k])
    chances = [sum(true[above] > true[order[i]] for above in order[:i]) / i for i in range(1, 6)]
    assert average_precision_tau(estimated, true) == pytest.approx(2 * sum(chances) / 5 - 1)


def test_equal_scores_count_half() -> None:
    assert kendall_tau(np.array([1.0, 1.0]), np.array([1.0, 2.0])) == 0
    assert average_precision_tau(np.array([2.0, 1.0]), np.array([1.0, 1.0])) == 0


def test_agreement_over_topics() -> None:
    rng = np.random.default_rng(5)
    true = np.array([[0.3], [0.5], [0.7]]) + 0.01 * rng.normal(size=(3, 30))
    same = agreement(true + 0.1, true, np.random.default_rng(0))
    assert (same.tau, same.tau_ap, same.best_changes) == (1, 1, 0)
    assert same.tau_interval == same.tau_ap_interval == (1, 1)
    # The estimate has the two best the wrong way round.
    wrong = agreement(true[[0, 2, 1]], true, np.random.default_rng(0))
    assert wrong.best_changes == 1
    assert wrong.tau == pytest.approx(1 / 3)
    assert wrong.tau_ap == pytest.approx(0.0)
    # Two systems of which nobody can say which is better.
    level = 0.5 + 0.1 * rng.normal(size=(2, 30))
    unsure = agreement(0.5 + 0.1 * rng.normal(size=(2, 30)), level, np.random.default_rng(0))
    assert 0.02 < unsure.best_changes < 0.98
    one_topic = agreement(true[:, :1], true[:, :1], np.random.default_rng(0))
    assert one_topic.tau_interval is None
    assert one_topic.best_changes == 0
