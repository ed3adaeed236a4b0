"""Sessions against closed forms: every rule of stopping, depth, finds and time."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from prum.analytic import Reading, closed_form, consulted_pmf, reach_matrix
from prum.analytic.stopping import stopped
from prum.analytic.utility import DepthLaw, time_biased_gain
from prum.simulator import Independent, Task
from prum.simulator.model.costs import Constant, Costs, Exponential
from prum.simulator.model.stopping import (
    Budget,
    Found,
    Fruitless,
    Patience,
    Persistence,
    Ranks,
    Rule,
    Stopping,
)
from prum.simulator.sessions.session import sessions
from prum.simulator.sessions.trace import time_curve
from tests.tiers import slow, spread, spread_rows

TASK = Task(["x", "a", "y", "x", "z"], ["a", "b", "d"], 10)
BROWSING = Independent(
    {
        ("x", "a"): 0.5,
        ("x", "b"): 0.3,
        ("y", "b"): 0.5,
        ("y", "d"): 0.5,
        ("z", "a"): 0.9,
        ("a", "b"): 0.4,
    }
)
RULES: list[Rule] = [
    Found(1),
    Found(3),
    Persistence(0.8),
    Ranks([0.1, 0.2, 0.0, 0.3, 0.1]),
    Fruitless(1),
    Fruitless(2),
    Fruitless(4),
    Budget(3),
    Budget(6.5),
    Patience(Exponential(4)),
    Patience(Constant(2.5)),
]
USERS = 4_000
# One rate of false alarms for all comparisons of this file, three for each rule.
LEVEL = 0.001 / (3 * len(RULES) + 20)


def far(values: NDArray[np.float64], true: float) -> bool:
    """Whether a mean is further from the truth than chance has it."""
    error = values.std(ddof=1) / math.sqrt(len(values))
    if error == 0:
        return bool(abs(values[0] - true) > 1e-9)
    return bool(abs(values.mean() - true) > norm.isf(LEVEL / 2) * error)


def measured(rule: Rule, seed: int = 1) -> NDArray[np.float64]:
    """Return C, CL and the ideals seen of each user."""
    told = sessions(TASK, BROWSING, num_users=USERS, seed=seed, stopping=Stopping(rule))
    return np.array([(s.consulted, s.leading, s.found[-1] if s.found else 0) for s in told]).T


@pytest.mark.parametrize("rule", spread(5, RULES), ids=repr)
def test_every_rule_has_its_closed_form(rule: Rule) -> None:
    exact = stopped(reach_matrix(TASK, BROWSING), TASK.num_unranked, rule)
    consulted, leading, found = measured(rule)
    assert not far(consulted, exact.consulted)
    assert not far(leading, exact.leading)
    if isinstance(rule, Found):
        # They go as soon as they have what they want, be there more to see.
        assert (found == rule.ideals).all()
        assert exact.found >= rule.ideals
    else:
        assert not far(found, exact.found)


@pytest.mark.parametrize(
    ("played", "claimed"),
    spread_rows(
        4,
        [
            (Persistence(0.8), Persistence(0.82)),
            (Fruitless(2), Fruitless(3)),
            (Budget(3), Budget(4)),
            (Patience(Exponential(4)), Patience(Exponential(4.4))),
            (Ranks([0.1, 0.2, 0.0, 0.3, 0.1]), Ranks([0.14, 0.2, 0.0, 0.3, 0.1])),
            (Found(3), Found(2)),
        ],
    ),
    ids=repr,
)
def test_another_rule_is_told_apart(played: Rule, claimed: Rule) -> None:
    exact = stopped(reach_matrix(TASK, BROWSING), TASK.num_unranked, claimed)
    assert far(measured(played)[0], exact.consulted)


def test_depth_of_an_endless_list_is_no_sum_cut_short() -> None:
    law = DepthLaw.from_persistence(0.9)
    assert law.expected_depth == pytest.approx(10)
    cut = stopped(np.zeros((7, 1)), 1, Persistence(0.9)).consulted
    assert cut == pytest.approx(sum(0.9**k for k in range(8)))
    told = sessions(
        Task([f"e{k}" for k in range(7)], ["a"], 8),
        Independent({}),
        num_users=USERS,
        seed=2,
        stopping=Stopping(Persistence(0.9)),
    )
    assert not far(np.array([float(session.consulted) for session in told]), cut)


@slow
def test_seconds_to_r_ideals() -> None:
    """Times to the end of the element that brought the r-th ideal, all visits made.

    Nothing but ideals stands behind the list: others would be judged there, and not read.
    """
    task = Task(TASK.ranking, TASK.ideals, 6)
    costs = Costs(Exponential(4), Exponential(2), Constant(1.5), 0.5, 2.0, {"a": 10.0, "z": 0.0})
    exact = closed_form(task, BROWSING, costs=Reading(task, BROWSING, costs).along())
    assert exact is not None
    times = []
    whole = sessions(task, BROWSING, num_users=USERS, seed=3, stopping=Stopping(), costs=costs)
    for session in whole:
        ends = {event.rank: event.time for event in session.events[:-1]}
        ranks = [event.rank for event in session.events if event.new]
        times.append([ends[rank] for rank in ranks])
    seconds = np.array(times).T
    for r in (1, 2, 3):
        assert not far(seconds[r - 1], float(exact.consulted[r - 1])), r
        assert far(seconds[r - 1] * 1.05, float(exact.consulted[r - 1])), r


def test_time_biased_gain_of_who_reads_all() -> None:
    """Gains seen at constant times decay by their own time, which is its expectation."""
    task = Task(["a", "x", "b"], ["a", "b"], 3)
    lengths = {"a": 100.0, "x": 50.0, "b": 10.0}
    costs = Costs.smucker_clarke(lengths)
    (session,) = sessions(
        task, Independent({}), num_users=1, seed=1, stopping=Stopping(), costs=costs
    )
    gain = time_biased_gain([1, 0, 1], [100, 50, 10], click=(1.0, 1.0), save=1.0)
    arrivals = [event.time for event in session.events if event.action == "consult"]
    assert gain.seconds == pytest.approx(np.array(arrivals) - 4.4)
    by_hand = sum(2 ** (-(time - 4.4) / 224) for time in (arrivals[0], arrivals[2]))
    assert gain.value == pytest.approx(by_hand)
    assert gain.exact == pytest.approx(gain.value)


def test_the_time_curve_of_who_goes_on_is_expected_depth() -> None:
    exact = closed_form(TASK, BROWSING)
    assert exact is not None
    costs = Costs(Exponential(3), Constant(0), Constant(0))
    told = sessions(TASK, BROWSING, num_users=USERS, seed=5, costs=costs)
    curve = time_curve(told, 3)
    assert (curve["share"] == 1).all()
    z = (curve["seconds"] - 3 * exact.consulted) / curve["seconds_error"]
    assert np.abs(z).max() < norm.isf(LEVEL / 2)
    assert np.abs((curve["seconds"] - 3.2 * exact.consulted) / curve["seconds_error"]).max() > 6
    assert (curve["per_minute"] * curve["seconds"]).to_numpy() == pytest.approx(60 * curve["r"])


def test_the_time_curve_of_who_stops_has_fewer_users() -> None:
    law = Ranks([0, 1])
    told = sessions(TASK, BROWSING, num_users=USERS, seed=5, stopping=Stopping(law))
    curve = time_curve(told, 3)
    reach = reach_matrix(TASK, BROWSING).toarray()[:2]
    for r in (1, 2):
        share = consulted_pmf(reach, 9, r)[:3].sum()
        row = curve.iloc[r - 1]
        assert abs(row["share"] - share) <= norm.isf(LEVEL / 2) * max(row["share_error"], 1e-9)
        # Of those who come so far, at a second for each element.
        depths = np.arange(3) * consulted_pmf(reach, 9, r)[:3]
        miss = abs(row["seconds"] - depths.sum() / share)
        assert miss <= norm.isf(LEVEL / 2) * max(row["seconds_error"], 1e-9)
    # The third ideal is not to be seen from the first two elements.
    assert curve["share"][2] == 0
    assert np.isnan(curve["seconds"][2])
    assert np.isnan(time_curve([], 2)["seconds"]).all()


def test_time_biased_gain_of_random_times() -> None:
    """E[2^(-T/h)] of k exponential times is (1 + mean ln 2 / h)^-k, not 2^(-E[T]/h)."""
    task = Task(["x", "a", "y", "b"], ["a", "b"], 4)
    costs = Costs(Exponential(100), Constant(0), Constant(0))
    gains = np.array(
        [
            0.5 * sum(2 ** (-time / 224) for time in session.finds)
            for session in sessions(task, Independent({}), num_users=USERS, seed=6, costs=costs)
        ]
    )
    once = 1 / (1 + 100 * math.log(2) / 224)
    assert not far(gains, 0.5 * (once**2 + once**4))
    assert far(gains, 0.5 * (2 ** (-200 / 224) + 2 ** (-400 / 224)))
