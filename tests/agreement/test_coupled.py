"""Visits that depend on each other: kernel and twin, enumeration, naive walker, closed form."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from prum.analytic import closed_form
from prum.simulator import Copula, Coupled, Independent, Task, simulate
from prum.simulator.model.navigation import Coupling
from prum.simulator.sampling.ways.samplers import compiled
from tests.judging import judge, quantities
from tests.oracle.enumeration import expectations
from tests.oracle.naive import naive_users
from tests.samples import floats, random_task
from tests.tiers import spread
from tests.twins.drawing import drawn
from tests.twins.independent import reference_users

Ints = NDArray[np.int64]

# P(any false alarm in one test of this file), whatever the seed.
FAMILY_WISE = 1e-6
COUPLINGS: list[Coupling] = ["exclusive", "comonotone", Copula(0.3), Copula(0.9)]
WEB = Task(["x", "a", "b"], ["a", "b"], 3)
HALVES = Independent({("x", "a"): 0.5, ("x", "b"): 0.5})


def tasks(coupling: Coupling, number: int = 20) -> list[tuple[Task, Coupled]]:
    """Return small tasks, degenerate ones included; margins of an entry often sum over 1."""
    made = []
    for seed in range(number):
        task, navigation = random_task(np.random.default_rng([seed, 8]), walk=False)
        assert isinstance(navigation, Independent)
        made.append((task, Coupled(navigation, coupling)))
    return made


def large(coupling: Coupling) -> tuple[Task, Coupled]:
    """Return a task whose users skip most ranks."""
    rng = np.random.default_rng(9)
    ideals = [f"i{number}" for number in range(20)]
    ranking = [f"p{number}" for number in range(300)] + ideals[:4]
    links = {
        (x, y): 0.02 * rng.random()
        for x in ranking
        for y in ideals
        if x != y and rng.random() < 0.3
    }
    return Task(ranking, ideals, 500), Coupled(Independent(links), coupling)


@pytest.mark.parametrize("coupling", spread(3, COUPLINGS), ids=str)
@pytest.mark.parametrize("sampled", [True, False])
def test_kernel_and_twin_give_the_same_users(coupling: Coupling, sampled: bool) -> None:
    for task, navigation in [*tasks(coupling), large(coupling)]:
        expected = reference_users(task, navigation, num_users=300, seed=3, sampled=sampled)
        block = compiled(task, navigation).block(3, 0, sampled=sampled)
        users = drawn(block, [1, 129, 170], task.num_ideals)
        assert [column.tolist() for column in users] == [column.tolist() for column in expected]


@pytest.mark.parametrize("coupling", ["exclusive", "comonotone"])
def test_users_agree_with_the_enumeration(coupling: Coupling) -> None:
    """E[CL(r)] and E[C(r)] of all tasks at every r under one family-wise level."""
    z = []
    for task, navigation in tasks(coupling, 40):
        truth = expectations(task, navigation)
        simulation = simulate(task, navigation, num_users=200_000, seed=31)
        for mine, error, exact in (
            (simulation.leading, simulation.leading_error, [e.leading for e in truth]),
            (simulation.consulted, simulation.consulted_error, [e.consulted for e in truth]),
        ):
            difference = mine - floats(exact)
            assert difference[error == 0] == pytest.approx(0, abs=1e-9)
            z += (difference[error > 0] / error[error > 0]).tolist()
    assert len(z) > 50
    assert np.abs(z).max() < norm.isf(FAMILY_WISE / (2 * len(z)))


@pytest.mark.parametrize("coupling", spread(3, COUPLINGS), ids=str)
def test_users_agree_with_the_naive_walker(coupling: Coupling) -> None:
    z = []
    for number, (task, navigation) in enumerate(tasks(coupling, 12)):
        rng = np.random.default_rng([number, 32])
        consulted, leading = naive_users(task, navigation, 4_000, rng)
        simulation = simulate(task, navigation, num_users=100_000, seed=32)
        for theirs, mine, error in (
            (leading, simulation.leading, simulation.leading_error),
            (consulted, simulation.consulted, simulation.consulted_error),
        ):
            spread = np.hypot(theirs.std(axis=0, ddof=1) / np.sqrt(len(theirs)), error)
            difference = theirs.mean(axis=0) - mine
            assert difference[spread == 0] == pytest.approx(0, abs=1e-9)
            z += (difference[spread > 0] / spread[spread > 0]).tolist()
    assert len(z) > 20
    assert np.abs(z).max() < norm.isf(FAMILY_WISE / (2 * len(z)))


@pytest.mark.parametrize("coupling", ["exclusive", "comonotone"])
def test_closed_forms_are_those_of_the_enumeration(coupling: Coupling) -> None:
    for task, navigation in tasks(coupling, 60):
        truth, value = expectations(task, navigation), closed_form(task, navigation)
        assert value is not None
        assert value.leading == pytest.approx(floats(e.leading for e in truth), rel=1e-12)
        assert value.consulted == pytest.approx(floats(e.consulted for e in truth), rel=1e-12)


@pytest.mark.parametrize("coupling", spread(3, COUPLINGS), ids=str)
def test_users_agree_with_closed_forms(coupling: Coupling) -> None:
    cases = [
        quantities(closed_form(*case), simulate(*case, num_users=200_000, seed=36))
        for case in tasks(coupling, 30)
    ]
    judged, num_tested = judge(cases, FAMILY_WISE)
    assert {verdict for one in judged for verdict in one.verdicts} == {"agrees"}
    assert num_tested > 50


@pytest.mark.parametrize("coupling", COUPLINGS, ids=str)
def test_users_of_slightly_other_links_are_noticed(coupling: Coupling) -> None:
    """Negative control: every probability two percent high."""
    links = {("x", "a"): 0.5, ("x", "b"): 0.4, ("a", "b"): 0.3, ("b", "a"): 0.2}
    higher = Coupled(Independent({pair: 1.02 * p for pair, p in links.items()}), coupling)
    case = quantities(
        closed_form(WEB, Coupled(Independent(links), coupling)),
        simulate(WEB, higher, num_users=4_000_000, seed=37),
    )
    (judged,), _ = judge([case], FAMILY_WISE)
    assert "disagrees" in judged.verdicts


@pytest.mark.parametrize(
    ("coupling", "precision"),
    [("independent", 7 / 9), ("exclusive", 4 / 5), ("comonotone", 3 / 4)],
)
def test_the_dial_turns_precision_where_ratios_stay(coupling: Coupling, precision: float) -> None:
    """The same P(x -> y), three precisions at r = 2, and one E[CL / C]."""
    second = expectations(WEB, Coupled(HALVES, coupling) if coupling != "independent" else HALVES)[
        1
    ]
    assert float(second.precision) == pytest.approx(precision, abs=1e-12)
    assert float(second.mean_ratio) == pytest.approx(5 / 6, abs=1e-12)
    simulation = simulate(WEB, Coupled(HALVES, coupling), num_users=1_000_000, seed=33)
    assert abs(simulation.precision[1] - precision) < 5 * simulation.precision_error[1]
    assert abs(simulation.mean_ratio[1] - 5 / 6) < 5 * simulation.mean_ratio_error[1]


def test_copulas_lie_between_independent_and_comonotone() -> None:
    precision = [
        simulate(WEB, Coupled(HALVES, Copula(rho)), num_users=400_000, seed=34).precision[0]
        for rho in (0, 0.3, 0.6, 0.9, 1)
    ]
    assert precision == sorted(precision, reverse=True)
    assert precision[0] == pytest.approx(0.8, abs=0.003)
    assert precision[-1] == pytest.approx(2 / 3, abs=0.003)


@pytest.mark.parametrize("coupling", COUPLINGS, ids=str)
def test_another_coupling_is_noticed(coupling: Coupling) -> None:
    """Negative control: users of independent visits, tested against the coupled truth."""
    task, navigation = WEB, Coupled(HALVES, coupling)
    coupled = simulate(task, navigation, num_users=200_000, seed=35)
    free = simulate(task, HALVES, num_users=200_000, seed=35)
    z = (coupled.consulted - free.consulted) / np.hypot(
        coupled.consulted_error, free.consulted_error
    )
    assert np.abs(z).max() > 10
