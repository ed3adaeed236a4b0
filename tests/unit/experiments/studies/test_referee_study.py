"""The study of referees: users of a known law, false alarms, power, and orders of systems."""

import numpy as np
import pytest

from prum.experiments.studies.referee import REFEREE
from prum.experiments.studies.referee.study import (
    DEVIATIONS,
    GOES_ON,
    METRICS,
    OPENS,
    SYSTEMS,
    exact_scores,
    users,
)
from tests.tiers import slow

_MANY = 200_000


def rng(number: int = 1) -> np.random.Generator:
    return np.random.default_rng([7, number])


@pytest.mark.parametrize("deviation", DEVIATIONS)
def test_no_deviation_is_the_law(deviation: str) -> None:
    """Rank k is opened by a_k c^(k-1), whichever deviation is of size 0; and systems' scores."""
    some = users(_MANY, deviation, 0.0, rng())
    shares = OPENS * GOES_ON ** np.arange(len(OPENS))
    error = np.sqrt(shares * (1 - shares) / _MANY)
    assert (np.abs(some.opened.mean(axis=0) - shares) < 4.5 * error).all()
    scores = (some.opened @ SYSTEMS.T).sum(axis=0) / some.opened.sum()
    assert scores == pytest.approx(exact_scores(), abs=4e-3)


def test_deviations_change_what_they_say() -> None:
    shares = OPENS * GOES_ON ** np.arange(len(OPENS))
    error = 4.5 * np.sqrt(shares * (1 - shares) / _MANY)
    dependent = users(_MANY, "dependence", 0.6, rng())
    assert (np.abs(dependent.opened.mean(axis=0) - shares) < error).all()
    both = dependent.opened[:, 0] & dependent.opened[:, 1]
    assert both.mean() > shares[0] * shares[1] + 0.05
    sooner = users(_MANY, "stop rule", 0.4, rng()).opened.mean(axis=0)
    wanted = OPENS * (GOES_ON * 0.8) ** np.arange(len(OPENS))
    assert (np.abs(sooner - wanted) < error).all()
    assert exact_scores(GOES_ON * 0.8) == pytest.approx(SYSTEMS @ wanted / wanted.sum())
    spread = users(_MANY, "spread", 1.0, rng()).looked
    alone = users(_MANY, "spread", 0.0, rng()).looked
    assert (spread >= 2).mean() == pytest.approx(GOES_ON, abs=5e-3)
    assert spread.var() > 1.1 * alone.var()
    memory = users(_MANY, "memory", 1.0, rng()).opened
    assert not (memory[:, 1:] & memory[:, :-1]).any()


def test_false_alarms_are_at_most_at_their_rate() -> None:
    found = REFEREE(sizes=(0.0,), sessions=30, experiments=12).found
    assert found.tests == 12 * len(DEVIATIONS) * len(METRICS)
    assert found.low <= 0.05


@slow
def test_false_alarms_are_five_in_a_hundred() -> None:
    """4,800 tests of users of one law, a point about .05; metrics of one experiment go together."""
    found = REFEREE(sizes=(0.0,), sessions=60, experiments=300).found
    assert found.tests == 4800
    assert 0.04 <= found.alarms / found.tests <= 0.06


def test_power_grows_with_the_deviation() -> None:
    result = REFEREE(sizes=(0.0, 0.3, 1.0), sessions=60, experiments=12)
    power = {(row.deviation, row.size, row.metric): row.power for row in result.rows}
    own = [power["stop rule", size, "lengths"] for size in (0.0, 0.3, 1.0)]
    assert own == sorted(own)
    assert own[-1] == 1.0
    for row in result.rows:
        assert row.low <= row.power + 1e-12
        assert row.power <= row.high + 1e-12


def test_orders_are_those_of_exact_scores() -> None:
    """With many users all pairs are right; with few some are not."""
    assert (np.diff(exact_scores()) < 0).all()
    few = REFEREE(sizes=(0.0,), sessions=8, experiments=20).found
    many = REFEREE(sizes=(0.0,), sessions=2000, experiments=2).found
    assert {row.right for row in many.orders} == {1.0}
    assert all(0.5 < row.right < 1 for row in few.orders)
    assert np.isnan(many.tau)
    assert (
        "whatever the deviation"
        in REFEREE(sizes=(0.0,), sessions=2000, experiments=2).view().headline
    )


def test_equal_designs_say_the_same() -> None:
    one, again = (REFEREE(sizes=(0.5,), sessions=12, experiments=3) for _ in range(2))
    assert one.to_csv() == again.to_csv()
    other = REFEREE(sizes=(0.5,), sessions=12, experiments=3, seed=2)
    assert one.to_csv() != other.to_csv()
