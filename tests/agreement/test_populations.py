"""Users who differ: kernel and twin, enumeration, naive walker, closed form."""

import numpy as np
import pytest

from prum.analytic import closed_form, prum_of
from prum.simulator import Beta, Browsing, Independent, Task, Types, simulate
from prum.simulator.sampling.ways.samplers import compiled
from tests.judging import judge, quantities
from tests.oracle.enumeration import expectations
from tests.oracle.naive import naive_users
from tests.samples import floats, random_task
from tests.tiers import slow, spread
from tests.twins.drawing import drawn
from tests.twins.independent import reference_users

# P(any false alarm in one test of this file), whatever the seed.
FAMILY_WISE = 1e-6
LAWS: list[Types | Beta] = [
    Types([0.5, 0.5], [0, 1]),
    Types([0.25, 0.5, 0.25], [0.1, 0.5, 0.9]),
    Types([1], [1]),
    Beta(1, 1),
    Beta(0.3, 2),
]


def tasks(law: Types | Beta, number: int) -> list[tuple[Task, Browsing]]:
    """Return small tasks, degenerate ones and certain links included."""
    made = []
    for seed in range(number):
        task, navigation = random_task(np.random.default_rng([seed, 9]), walk=False)
        assert isinstance(navigation, Independent)
        made.append((task, Browsing(navigation, law)))
    return made


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("sampled", [True, False])
def test_kernel_and_twin_give_the_same_users(law: Types | Beta, sampled: bool) -> None:
    for task, navigation in tasks(law, 20):
        expected = reference_users(task, navigation, num_users=300, seed=4, sampled=sampled)
        block = compiled(task, navigation).block(4, 0, sampled=sampled)
        users = drawn(block, [1, 129, 170], task.num_ideals)
        assert [column.tolist() for column in users] == [column.tolist() for column in expected]


@pytest.mark.parametrize("law", LAWS[:3], ids=str)
def test_closed_forms_are_those_of_the_enumeration(law: Types | Beta) -> None:
    for task, navigation in tasks(law, 40):
        truth, value = expectations(task, navigation), closed_form(task, navigation)
        assert value is not None
        assert value.leading == pytest.approx(floats(e.leading for e in truth), rel=1e-12)
        assert value.consulted == pytest.approx(floats(e.consulted for e in truth), rel=1e-12)


@pytest.mark.parametrize("law", spread(3, LAWS), ids=str)
def test_users_agree_with_closed_forms(law: Types | Beta) -> None:
    cases = [
        quantities(closed_form(*case), simulate(*case, num_users=200_000, seed=41))
        for case in tasks(law, 30)
    ]
    judged, num_tested = judge(cases, FAMILY_WISE)
    assert {verdict for one in judged for verdict in one.verdicts} == {"agrees"}
    assert num_tested > 50


@slow
@pytest.mark.parametrize("law", spread(3, LAWS), ids=str)
def test_the_naive_walker_agrees_with_closed_forms(law: Types | Beta) -> None:
    z = []
    for number, case in enumerate(tasks(law, 12)):
        users = naive_users(*case, 4_000, np.random.default_rng([number, 42]))
        value = closed_form(*case)
        assert value is not None
        for theirs, exact in zip(users, (value.consulted, value.leading), strict=True):
            error = theirs.std(axis=0, ddof=1) / np.sqrt(len(theirs))
            difference = theirs.mean(axis=0) - exact
            assert difference[error == 0] == pytest.approx(0, abs=1e-9)
            z += (difference[error > 0] / error[error > 0]).tolist()
    assert np.abs(z).max() < 6


@pytest.mark.parametrize("law", [LAWS[0], LAWS[3]], ids=str)
def test_users_who_are_all_average_are_noticed(law: Types | Beta) -> None:
    """Negative control: the same P(x -> y), but everybody has the mean factor."""
    task = Task(["x", "y", "a", "b"], ["a", "b"], 4)
    links = {(x, y): 0.8 for x in "xy" for y in "ab"}
    average = {pair: p * law.mean for pair, p in links.items()}
    case = quantities(
        closed_form(task, Browsing(Independent(links), law)),
        simulate(task, Independent(average), num_users=400_000, seed=43),
    )
    (judged,), _ = judge([case], FAMILY_WISE)
    assert "disagrees" in judged.verdicts


def test_prum_sees_the_average_user() -> None:
    task = Task(["x", "a"], ["a"], 2)
    half = Browsing(Independent({("x", "a"): 1.0}), Types([0.5, 0.5], [0, 1]))
    assert prum_of(task, half) == prum_of(task, Independent({("x", "a"): 0.5}))
