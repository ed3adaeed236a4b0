"""Fast sampler against closed forms by the project's own judging, and beside the naive walker."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from prum.analytic import closed_form
from prum.simulator.model import Independent, Navigation, Task, Walk
from prum.simulator.sampling.sampler import simulate
from prum.simulator.sampling.streams import BLOCK
from prum.simulator.sampling.ways.samplers import compiled
from tests.judging import judge, quantities
from tests.oracle.cases import CASES, HIGH_REACH
from tests.oracle.naive import naive_users
from tests.samples import random_task
from tests.tiers import slow, spread_random
from tests.twins.drawing import drawn

Ints = NDArray[np.int64]
Case = tuple[Task, Navigation]

# P(any false alarm in one test of this file), whatever the seed.
FAMILY_WISE = 1e-6
TASKS: dict[str, Case] = {
    **CASES,
    "high reach": HIGH_REACH,
    **{
        f"random {'walk ' * walk}{number}": random_task(
            np.random.default_rng([number, walk, 7]), walk=walk
        )
        for walk in (False, True)
        for number in range(30)
    },
}


def _stronger(navigation: Navigation, factor: float) -> Navigation:
    """Return the navigation with every uncertain probability times `factor`, at most 1."""
    links = {
        (source, target): p if p in (0, 1) else min(1.0, p * factor)
        for source, target, p in navigation.links
    }
    return Walk(links) if isinstance(navigation, Walk) else Independent(links)


# --- sampler and closed form ------------------------------------------------------------------


@slow
def test_every_task_agrees_with_its_closed_form() -> None:
    """E[CL] and E[C] of all tasks at every r under one family-wise level."""
    cases = [
        quantities(closed_form(*case), simulate(*case, num_users=200_000, seed=30))
        for case in TASKS.values()
    ]
    judged, num_tested = judge(cases, FAMILY_WISE)
    verdicts = {name: set(one.verdicts) for name, one in zip(TASKS, judged, strict=True)}
    assert {name: found for name, found in verdicts.items() if found != {"agrees"}} == {}
    assert num_tested == sum(3 * task.num_ideals for task, _ in TASKS.values())


@slow
def test_expected_draws_agree() -> None:
    """Where they leave no variance at all, C is right to the tally's 2^-20."""
    off = []
    for name, (task, navigation) in TASKS.items():
        truth = closed_form(task, navigation)
        assert truth is not None
        simulation = simulate(task, navigation, num_users=BLOCK * 12, seed=31, unranked="expected")
        threshold = norm.isf(FAMILY_WISE / 2 / len(TASKS) / 3 / task.num_ideals)
        for quantity in ("leading", "consulted", "precision"):
            error = getattr(simulation, f"{quantity}_error")
            distance = np.abs(getattr(simulation, quantity) - getattr(truth, quantity))
            if (distance > threshold * error + 2.0**-20).any():
                off.append((name, quantity))
    assert off == []


PERTURBED = ["table III", "unranked part", "duplicates", "walk, fig. 2", "walk with cycle"]


@pytest.mark.parametrize("name", PERTURBED)
@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_five_percent_more_or_less_browsing_is_rejected(name: str, factor: float) -> None:
    """Negative control: the closed form of a model whose links are 5 percent off."""
    task, navigation = CASES[name]
    simulation = simulate(task, navigation, num_users=200_000, seed=30)
    wrong = quantities(closed_form(task, _stronger(navigation, factor)), simulation)
    (judged,), _ = judge([wrong], FAMILY_WISE)
    assert "disagrees" in judged.verdicts
    right = quantities(closed_form(task, navigation), simulation)
    (judged,), _ = judge([right], FAMILY_WISE)
    assert set(judged.verdicts) == {"agrees"}


def test_one_element_more_in_the_collection_is_rejected() -> None:
    """Negative control for the unranked part: u one larger."""
    task, navigation = CASES["unranked part"]
    simulation = simulate(task, navigation, num_users=200_000, seed=30)
    larger = Task(task.ranking, task.ideals, task.collection_size + 1)
    (judged,), _ = judge([quantities(closed_form(larger, navigation), simulation)], FAMILY_WISE)
    assert "disagrees" in judged.verdicts


def test_a_walk_s_noisy_or_summary_is_rejected() -> None:
    """One path is not independent visits with the same P(x -> y)."""
    task = Task(["x", "a", "b"], ["a", "b"], 3)
    halves = {("x", "a"): 0.5, ("x", "b"): 0.5}
    simulation = simulate(task, Walk(halves), num_users=20_000, seed=30)
    wrong = quantities(closed_form(task, Independent(halves)), simulation)
    (judged,), _ = judge([wrong], FAMILY_WISE)
    assert judged.verdicts == ["disagrees", "disagrees"]


# --- sampler and naive walker -----------------------------------------------------------------

NAIVE_USERS = 4_000
FAST_USERS = 4 * BLOCK


def _fast(case: Case, num_blocks: int = 4) -> tuple[Ints, Ints]:
    task, navigation = case
    blocks = [
        compiled(task, navigation).block(32, number, sampled=True) for number in range(num_blocks)
    ]
    parts = [drawn(block, [BLOCK], task.num_ideals) for block in blocks]
    consulted_parts, leading_parts = zip(*parts, strict=True)
    return np.concatenate(consulted_parts), np.concatenate(leading_parts)


def _differences(one: tuple[Ints, Ints], two: tuple[Ints, Ints], num_tests: int) -> list[str]:
    """Compare means of C, CL, C^2, C CL and CL / C at each r: two-sample z, Bonferroni.

    Where neither sample varies both must hold the same number.
    """
    beyond = []
    threshold = norm.isf(FAMILY_WISE / 2 / num_tests)
    for r in range(one[0].shape[1]):
        values = []
        for consulted, leading in (one, two):
            c, cl = consulted[:, r].astype(float), leading[:, r].astype(float)
            values.append({"C": c, "CL": cl, "C^2": c * c, "C CL": c * cl, "CL / C": cl / c})
        for what, x in values[0].items():
            y = values[1][what]
            difference = x.mean() - y.mean()
            error = np.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y))
            if abs(difference) > (threshold * error if error > 1e-12 else 1e-9):
                beyond.append(f"{what} at r = {r + 1}")
    return beyond


def _num_tests() -> int:
    return sum(5 * task.num_ideals for task, _ in TASKS.values())


@pytest.mark.parametrize("name", spread_random(13, TASKS))
def test_naive_walker_and_fast_sampler_agree(name: str) -> None:
    """The naive walker tosses every visit of every consulted element and knows no law."""
    task, navigation = TASKS[name]
    naive = naive_users(task, navigation, NAIVE_USERS, np.random.default_rng(33))
    assert _differences(naive, _fast(TASKS[name]), _num_tests()) == []


@pytest.mark.parametrize("name", PERTURBED)
def test_naive_walker_who_browses_more_is_rejected(name: str) -> None:
    """Negative control: links 20 percent stronger (rows over 1 are followed in order)."""
    task, navigation = CASES[name]
    stronger = (
        _stronger(navigation, 1.2) if name != "walk with cycle" else _stronger(navigation, 0.8)
    )
    naive = naive_users(task, stronger, NAIVE_USERS, np.random.default_rng(33))
    assert _differences(naive, _fast(CASES[name]), _num_tests()) != []
