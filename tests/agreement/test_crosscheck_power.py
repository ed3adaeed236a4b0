"""The cross-check catches planted faults, and passes the same engine without them."""

import numpy as np
import pytest

from prum.experiments.crosscheck import crosscheck
from prum.simulator import Simulation, simulate
from prum.simulator.model import Independent, Navigation, Task, Walk
from prum.simulator.sampling.ways.samplers import compiled
from tests.engines import naive_engine, simulation_of
from tests.oracle.cases import CASES, HIGH_REACH, WITNESSES
from tests.oracle.naive import FAULTS
from tests.tiers import slow, spread
from tests.twins.drawing import drawn

NUM_USERS = 20_000
TASKS: dict[str, tuple[Task, Navigation]] = {**CASES, "high reach": HIGH_REACH}


# --- an engine from outside -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["table III", "unranked part", "walk with cycle"])
def test_a_simulation_from_users_is_the_sampler_s_own(name: str) -> None:
    """Negative control of the engines' bookkeeping: the sampler's users give its own simulation."""
    task, navigation = CASES[name]
    block = compiled(task, navigation).block(40, 0, sampled=True)
    made = simulation_of(task, navigation, *drawn(block, [5000], task.num_ideals), seed=40)
    own = simulate(task, navigation, num_users=5000, seed=40)
    assert made.parameters == own.parameters
    for name in ("leading", "consulted", "precision", "mean_ratio"):
        assert getattr(made, name).tolist() == getattr(own, name).tolist()
        error = getattr(own, f"{name}_error")
        assert getattr(made, f"{name}_error") == pytest.approx(error, rel=1e-4, abs=1e-12)


# --- planted faults ---------------------------------------------------------------------------


@pytest.mark.parametrize("case", spread(5, sorted({*WITNESSES.values()})))
def test_the_engine_without_a_fault_agrees(case: str) -> None:
    check = crosscheck(*TASKS[case], num_users=NUM_USERS, seed=41, simulate=naive_engine())
    assert check.verdict == "agrees"
    assert check.num_tested == 3 * len(check.comparisons)


@pytest.mark.parametrize("fault", spread(5, FAULTS))
def test_every_fault_is_caught(fault: str) -> None:
    """All nineteen show in E[C] or E[CL]; none is excluded."""
    check = crosscheck(
        *TASKS[WITNESSES[fault]], num_users=NUM_USERS, seed=42, simulate=naive_engine(fault)
    )
    assert check.verdict == "disagrees"


@slow
def test_faults_are_caught_on_every_task_where_they_matter() -> None:
    """On all tasks together each fault is found at least once, and most more than once."""
    caught = dict.fromkeys(FAULTS, 0)
    # Links that lead to no ideal are refused, as of runs.
    tasks = [
        (task, navigation)
        for task, navigation in TASKS.values()
        if not len(navigation.links) or {*task.ideals} & {y for _, y, _ in navigation.links}
    ]
    for fault in FAULTS:
        for task, navigation in tasks:
            check = crosscheck(
                task, navigation, num_users=2_000, seed=43, simulate=naive_engine(fault)
            )
            caught[fault] += check.verdict == "disagrees"
    assert min(caught.values()) >= 1
    assert sum(count > 1 for count in caught.values()) >= 15


# --- faults in the fast sampler ---------------------------------------------------------------


def _with_links(navigation: Navigation, factor: float) -> Navigation:
    links = {
        (source, target): p if p in (0, 1) else p * factor for source, target, p in navigation.links
    }
    return Walk(links) if isinstance(navigation, Walk) else Independent(links)


@pytest.mark.parametrize(
    "name", spread(3, ["table III", "unranked part", "walk with cycle", "high reach"])
)
def test_a_sampler_of_slightly_other_links_is_caught(name: str) -> None:
    """Links one percent stronger or two percent weaker, on two million users."""
    for factor, verdict in ((1, "agrees"), (0.98, "disagrees"), (1.01, "disagrees")):

        def engine(
            task: Task, navigation: Navigation, *, num_users: int, seed: int, factor: float = factor
        ) -> Simulation:
            return simulate(task, _with_links(navigation, factor), num_users=num_users, seed=seed)

        check = crosscheck(*TASKS[name], num_users=2_000_000, seed=44, simulate=engine)
        assert check.verdict == verdict, factor


def test_a_task_without_variance_must_be_met_exactly() -> None:
    """Where every user does the same, one user in twenty thousand who does not is enough."""

    def engine(task: Task, navigation: Navigation, *, num_users: int, seed: int) -> Simulation:
        consulted = np.ones((num_users, 2), dtype=np.int64)
        leading = np.ones((num_users, 2), dtype=np.int64)
        consulted[0, 1] = 2
        return simulation_of(task, navigation, consulted, leading, seed=seed)

    case = CASES["best entry point"]
    assert crosscheck(*case, num_users=NUM_USERS, seed=45).verdict == "agrees"
    assert crosscheck(*case, num_users=NUM_USERS, seed=45, simulate=engine).verdict == "disagrees"
