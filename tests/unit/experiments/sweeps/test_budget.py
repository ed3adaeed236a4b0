"""Budgets: which users come next, in which parts, and when there are enough."""

from dataclasses import replace
from typing import Any

import pytest

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import (
    Axes,
    Cell,
    EstimatorName,
    Given,
    UsersOfPart,
    grid,
    missing,
)
from prum.simulator import Simulation, simulate
from prum.simulator.collections.examples import example_campaign
from prum.simulator.sampling.streams import BLOCK

WEB = example_campaign("web")
TASK = WEB.task("list", "web")
# Users in a part of the Web example: 64 blocks.
SIZE = 64 * BLOCK


def cell(estimator: EstimatorName = "simulated") -> Cell:
    (found,) = grid([Given(WEB)], Axes(estimators=(estimator,)))
    return found


def run_of(parts: list[UsersOfPart]) -> Simulation:
    """Return the simulation of these users, added up."""
    first, *others = (
        simulate(
            TASK,
            WEB.navigation,
            num_users=count,
            first_user=first,
            seed=1,
            threads=1,
        )
        for first, count in parts
    )
    return sum(others, first)


def never() -> Simulation:
    raise AssertionError("nobody has to look at the result")


# --- a number of users ------------------------------------------------------------------------


@pytest.mark.parametrize("num_users", [1, BLOCK, SIZE, 3 * SIZE + 7])
@pytest.mark.parametrize("stored", [[], [(0, 1)], [(SIZE, 5), (SIZE + 5, SIZE)], [(3 * SIZE, 10)]])
def test_what_is_missing_of_a_number_comes_in_parts_cut_at_fixed_places(
    num_users: int, stored: list[UsersOfPart]
) -> None:
    wanted = UserBudget(num_users).missing(cell(), stored, never)
    assert missing(wanted, (0, 10 * SIZE)) == missing(
        missing(stored, (0, num_users)), (0, 10 * SIZE)
    )
    for begin, count in wanted:
        assert begin // SIZE == (begin + count - 1) // SIZE
    whole = UserBudget(num_users, whole=True).missing(cell(), stored, never)
    assert whole == missing(stored, (0, num_users))
    assert UserBudget(num_users).missing(cell(), [*stored, *wanted], never) == []


def test_more_users_of_a_topic_with_many_ideals_come_in_smaller_parts() -> None:
    many = tuple(f"ideal {number}" for number in range(500))
    campaign = replace(WEB, ideals={"web": many}, collection_size=1000)
    (large,) = grid([Given(campaign)], Axes(estimators=("simulated",)))
    parts = UserBudget(SIZE).missing(large, [], never)
    assert len(parts) > 10
    assert {count % BLOCK for _, count in parts} == {0}


def test_fewer_users_than_there_are_need_nothing() -> None:
    assert UserBudget(10).missing(cell(), [(0, 100)], never) == []
    assert UserBudget(100).missing(cell(), [(0, 10)], never) == [(10, 90)]


@pytest.mark.parametrize("budget", [UserBudget(10), UserBudget(half_width=0.1)])
def test_a_formula_is_one_part(budget: UserBudget) -> None:
    for estimator in ("prum", "exact", "no-browsing"):
        assert budget.missing(cell(estimator), [], never) == [(0, 0)]
        assert budget.missing(cell(estimator), [(0, 0)], never) == []


# --- an interval's half-width -----------------------------------------------------------------


def all_users(budget: UserBudget, cell: Cell) -> tuple[list[UsersOfPart], list[int]]:
    """Return all parts that a budget asks for, one after the other, and how many at each look."""
    parts: list[UsersOfPart] = []
    looks = []

    def result() -> Simulation:
        return run_of(parts)

    while wanted := budget.missing(cell, parts, result):
        parts += wanted
        looks.append(sum(count for _, count in parts) // BLOCK)
    return parts, looks


@pytest.mark.parametrize(
    ("half_width", "confidence", "max_users"),
    [
        (0.5, 0.95, 10**6),
        (0.002, 0.95, 10**6),
        (0.002, 0.999, 10**6),
        (0.0001, 0.95, 5 * BLOCK + 17),
        (0.0001, 0.95, BLOCK),
    ],
)
def test_the_users_are_those_of_simulate(
    half_width: float, confidence: float, max_users: int
) -> None:
    limits: dict[str, Any] = {"half_width": half_width, "max_users": max_users}
    budget = UserBudget(confidence=confidence, **limits)
    alone = simulate(TASK, WEB.navigation, seed=1, confidence=confidence, **limits)
    parts, looks = all_users(budget, cell())
    assert run_of(parts) == alone
    assert looks == [min(2**number, max_users // BLOCK) for number in range(len(looks))]
    met = alone.widest((1, 2), confidence) <= half_width
    assert budget.stopped(alone) == ("half-width" if met else "budget")


def test_a_narrower_interval_goes_on_where_the_wider_stopped() -> None:
    wide, narrow = UserBudget(half_width=0.004), UserBudget(half_width=0.0015)
    parts, _ = all_users(wide, cell())
    more = narrow.missing(cell(), parts, lambda: run_of(parts))
    assert more == [(sum(parts[-1]), sum(parts[-1]))]
    # And the wider one is content with what the narrower left.
    assert wide.missing(cell(), parts, lambda: run_of(parts)) == []


def test_fewer_users_allowed_than_there_are_need_nothing() -> None:
    parts = [(0, 4 * BLOCK)]
    for max_users in (BLOCK, 3 * BLOCK, 4 * BLOCK, 5 * BLOCK - 1):
        budget = UserBudget(half_width=1e-9, max_users=max_users)
        assert budget.missing(cell(), parts, lambda: run_of(parts)) == []
    budget = UserBudget(half_width=1e-9, max_users=5 * BLOCK)
    assert budget.missing(cell(), parts, lambda: run_of(parts)) == [(4 * BLOCK, BLOCK)]


def test_a_number_of_users_stops_at_users() -> None:
    assert UserBudget(10).stopped(run_of([(0, 10)])) == "users"
