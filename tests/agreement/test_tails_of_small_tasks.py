"""P-values of the verdict under the whole law of a few users of small tasks, by enumeration.

What each user may do is enumerated by the oracle, and all samples of n users with it: p is at most
a no more often than a, for every a. The law under test is the closed form's, its range the one that
the cross-check has.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

from prum.analytic import closed_form
from prum.experiments.crosscheck.inequalities import Law, p_of_mean, p_of_sample, p_of_spread
from prum.experiments.crosscheck.verdicts import Ends, law_of
from prum.simulator import Browsing, Coupled, Independent, Task, Types, Walk
from prum.simulator.model import ListCosts, Navigation
from tests.oracle.enumeration import Cost, expectations, one_each, user_outcomes
from tests.oracle.worlds import worlds
from tests.unit.experiments.crosscheck.test_inequalities import ROUNDING, sizes

# The probability of each value.
Values = Mapping[float, float]


class Case(NamedTuple):
    """A list, how its users browse, what its ranks and the others cost, and how these are drawn."""

    task: Task
    navigation: Navigation
    costs: tuple[int, ...] = ()
    unranked: str = "sampled"


TASK = Task(["x", "a", "y", "x"], ["a", "b", "c"], 8)
LIKELY = {("x", "b"): 0.5, ("x", "c"): 0.3, ("a", "b"): 0.6, ("y", "c"): 0.7}
RARE = {("x", "a"): 0.99, ("x", "b"): 0.98, ("y", "c"): 0.995}
PRICES = (40, 1, 9, 40, 5)
BEHIND = {("q", "a"): 0.6, ("q", "b"): 0.5, ("x", "a"): 0.9, ("a", "b"): 0.3}
CASES = {
    "independent": Case(TASK, Independent(LIKELY)),
    "rare": Case(TASK, Independent(RARE)),
    "repeated": Case(Task(["x"] * 6, ["a", "b"], 4), Independent({("x", "a"): 0.2})),
    "walk": Case(TASK, Walk(LIKELY)),
    "no list": Case(Task([], ["a", "b"], 7), Independent({})),
    "costs": Case(TASK, Independent(LIKELY), PRICES),
    "costs, rare": Case(TASK, Independent(RARE), PRICES),
    "costs, walk": Case(TASK, Walk(LIKELY), (1, 7, 2, 1, 50)),
    "need": Case(TASK, Browsing(Coupled(Independent(LIKELY), "exclusive"), need=[0.4, 1, 0.7])),
    "need, rare": Case(TASK, Browsing(Independent(RARE), need=[1, 0.99, 1])),
    "behind the list": Case(
        Task(["x"], ["a", "b"], 6), Browsing(Independent(BEHIND), unranked=True)
    ),
    "behind the list, types": Case(
        Task(["x"], ["a", "b"], 6),
        Browsing(Independent(BEHIND), Types([0.98, 0.02], [1, 0.1]), unranked=True),
    ),
    "expected": Case(TASK, Independent(LIKELY), unranked="expected"),
    "expected, rare": Case(TASK, Independent(RARE), unranked="expected"),
    "expected, costs": Case(TASK, Walk(LIKELY), PRICES, "expected"),
}


def laws_of_users(case: Case) -> list[tuple[Values, Values]]:
    """Return the laws of C(r) and of CL(r) at each r."""
    cost: Cost = (lambda number: case.costs[number - 1]) if case.costs else one_each
    if case.unranked == "sampled":
        joints = [of.joint for of in expectations(case.task, case.navigation, cost)]
    else:
        joints = [_expected(case, r, cost) for r in range(1, case.task.num_ideals + 1)]
    return [(_values(joint, 0), _values(joint, 1)) for joint in joints]


def _expected(case: Case, r: int, cost: Cost) -> dict[Any, Any]:
    """Return the law of users who count the draws behind the list by their mean."""
    joint: dict[Any, Any] = defaultdict(float)
    navigation: Any = case.navigation
    for probability, contexts in worlds(case.task, navigation):
        outcomes = list(user_outcomes(case.task, contexts, r, cost))
        assert len({leading for _, leading, _ in outcomes}) == 1
        mean = sum(consulted * p for consulted, _, p in outcomes)
        joint[mean, outcomes[0][1]] += probability
    return joint


def _values(joint: Mapping[Any, Any], place: int) -> Values:
    law: dict[float, float] = defaultdict(float)
    for outcome, p in joint.items():
        law[float(outcome[place])] += float(p)
    return law


def samples(law: Values, n: int) -> tuple[Any, Any, Any]:
    """Return mean, variance and probability of every sample of n users."""
    sums: dict[tuple[float, float], float] = {(0.0, 0.0): 1.0}
    for _ in range(n):
        longer: dict[tuple[float, float], float] = defaultdict(float)
        for (total, squares), p in sums.items():
            for value, chance in law.items():
                longer[total + value, squares + value**2] += p * chance
        sums = longer
    (total, squares), probability = np.array([*sums]).T, np.array([*sums.values()])
    mean = total / n
    return mean, np.maximum(squares - n * mean**2, 0) / (n - 1), probability


@pytest.mark.parametrize("name", CASES)
def test_each_p_is_at_most_a_as_often_as_a(name: str) -> None:
    case = CASES[name]
    costs = ListCosts(case.costs[:-1], case.costs[-1]) if case.costs else None
    exact = closed_form(case.task, case.navigation, costs=costs)
    assert exact is not None
    ends = Ends.of(case.task, case.navigation, costs)
    law = law_of(exact, ends)
    assert law is not None
    for r, (consulted, leading) in enumerate(laws_of_users(case)):
        assert law.least[r] <= min(consulted)
        assert max(consulted) <= law.most[r]
        assert max(leading) - min(leading) <= ends.leading[r]
        own = [of[r] for of in law]
        for n in range(2, 7):
            mean, variance, probability = samples(consulted, n)
            assert probability.sum() == pytest.approx(1)
            each = Law(*(np.full(mean.shape, of) for of in own))
            found = [p_of_mean(each, mean, n)]
            if case.unranked == "sampled":
                found.append(p_of_spread(each, mean, variance, n))
            for p in found:
                assert sizes(p, probability).max() <= 1 + ROUNDING
            mean, variance, probability = samples(leading, n)
            true, length = (np.full(mean.shape, of[r]) for of in (exact.leading, ends.leading))
            p = p_of_sample(true, length, mean, variance, n)
            assert sizes(p, probability).max() <= 1 + ROUNDING
