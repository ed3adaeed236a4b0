"""Laws of sweeps for all input: users counted once, cuts that leave no trace, JSON that returns."""

import json
import random
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import cast

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.sweeps.cells import CellPart, Given, UsersOfPart, grid, missing
from prum.experiments.sweeps.engine import UserBudget
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.store import Store
from prum.simulator import Simulation, simulate
from prum.simulator.collections.examples import example_campaign
from prum.simulator.sampling.streams import BLOCK
from tests.samples import random_task
from tests.tiers import examples

WEB = example_campaign("web")
(CELL,) = grid([Given(WEB)], estimators=("simulated",))
# A cell whose users are simulated block by block.
LARGE = replace(CELL, num_ideals=1024)

RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12)), max_size=8)


def users_of(ranges: Iterable[UsersOfPart]) -> set[int]:
    return {user for first, count in ranges for user in range(first, first + count)}


def disjoint(ranges: Iterable[UsersOfPart]) -> list[UsersOfPart]:
    """Return those ranges that overlap none before them."""
    kept: list[UsersOfPart] = []
    for one in ranges:
        if not users_of(kept) & users_of([one]):
            kept.append(one)
    return kept


# --- users --------------------------------------------------------------------------------------


@given(RANGES, st.tuples(st.integers(0, 30), st.integers(0, 20)))
def test_missing_users_are_those_in_no_part(parts: list[UsersOfPart], wanted: UsersOfPart) -> None:
    gaps = missing(parts, wanted)
    assert users_of(gaps) == users_of([wanted]) - users_of(parts)
    # In order, none empty, none touching the next.
    edges = [edge for first, count in gaps for edge in (first, first + count)]
    assert edges == sorted(set(edges))


@cache
def part(first: int, count: int) -> CellPart:
    return compute(Job(CELL, first, count))


def store_of(parts: Iterable[UsersOfPart]) -> Store:
    store = Store()
    store.add(part(*users) for users in parts)
    return store


@settings(max_examples=examples(200))
@given(st.lists(RANGES.map(disjoint), min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_merging_counts_every_user_once(
    all_parts: list[list[UsersOfPart]], shuffle: random.Random
) -> None:
    merged = Store()
    for parts in shuffle.sample(all_parts, len(all_parts)):
        before, other = merged.ranges().get(CELL.key, []), store_of(parts)
        merged.merge(other)
        after = users_of(merged.ranges().get(CELL.key, []))
        # Those of the one that has more.
        assert after == max(users_of(before), users_of(parts), key=len)
    if parts := merged.ranges().get(CELL.key, []):
        gaps = missing(parts, (0, 50))
        assert merged.result(CELL.key) == store_of(missing(gaps, (0, 50))).result(CELL.key)


# --- runs cut off anywhere ------------------------------------------------------------------------


class Errors:
    """The result of any users, and its error: any function of who they are, falling or not."""

    num_ideals = 1

    def __init__(self, parts: Iterable[UsersOfPart], salt: int) -> None:
        self.error = random.Random(f"{salt} {sorted(users_of(parts))}").random()

    def widest(self, _recall: object, _confidence: object) -> float:
        return self.error


def in_blocks(parts: Iterable[UsersOfPart]) -> list[UsersOfPart]:
    assert all(first % BLOCK == count % BLOCK == 0 for first, count in parts)
    return [(first // BLOCK, count // BLOCK) for first, count in parts]


def run_through(budget: UserBudget, salt: int, cuts: random.Random | None) -> tuple[set[int], str]:
    """Run a cell to its end, and return its blocks and why it ended.

    A look's parts are all computed; or, by `cuts`, any of them before the run begins anew.
    """
    parts: list[UsersOfPart] = []

    def result() -> Simulation:
        return cast("Simulation", Errors(in_blocks(parts), salt))

    while wanted := budget.missing(LARGE, parts, result):
        assert all(count == BLOCK for _, count in wanted)
        assert not set(wanted) & set(parts)
        if cuts is not None and cuts.random() < 0.7:
            wanted = cuts.sample(wanted, cuts.randrange(len(wanted) + 1))
        parts += wanted
    return users_of(in_blocks(parts)), budget.stopped(result())


@settings(max_examples=examples(300))
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.05, 0.2, 0.5]),
    st.integers(1, 40),
    st.integers(0, 10**6),
)
def test_cuts_leave_no_trace_in_a_sequential_run(
    salt: int, half_width: float, most: int, cuts: int
) -> None:
    budget = UserBudget(half_width=half_width, max_users=most * BLOCK + salt % BLOCK)
    blocks, stopped = run_through(budget, salt, None)
    assert run_through(budget, salt, random.Random(cuts)) == (blocks, stopped)
    assert blocks == set(range(len(blocks)))
    assert len(blocks) == most or len(blocks).bit_count() == 1


@given(st.integers(1, 10**6), RANGES)
def test_a_number_of_users_is_reached_from_any_parts(
    num_users: int, stored: list[UsersOfPart]
) -> None:
    parts = disjoint(stored)

    def never() -> Simulation:
        raise AssertionError

    wanted = UserBudget(num_users).missing(LARGE, parts, never)
    assert missing([*parts, *wanted], (0, num_users)) == []
    # Nobody twice, and nobody else.
    assert sum(count for _, count in wanted) == sum(
        count for _, count in missing(parts, (0, num_users))
    )
    assert UserBudget(num_users).missing(LARGE, [*parts, *wanted], never) == []


# --- JSON -----------------------------------------------------------------------------------------


@settings(max_examples=examples(150))
@given(
    st.integers(0, 2**32),
    st.booleans(),
    st.sampled_from(["sampled", "expected"]),
    st.lists(st.integers(1, 300), min_size=1, max_size=4),
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=2, unique=True),
)
def test_a_simulation_comes_back_from_json_bit_by_bit(
    number: int, walk: bool, unranked: str, counts: list[int], seeds: list[int]
) -> None:
    task, navigation = random_task(np.random.default_rng(number), walk=walk)
    runs = [
        simulate(
            task,
            navigation,
            num_users=count,
            first_user=2_048 * position,
            seed=seed,
            unranked=unranked,  # type: ignore[arg-type]
            threads=1,
        )
        for seed in seeds
        for position, count in enumerate(counts)
    ]
    simulation = sum(runs[1:], runs[0])
    back = Simulation.from_json(simulation.to_json())
    assert back == simulation
    assert back.users == simulation.users
    assert (back.num_ranked, back.num_unranked) == (task.num_ranked, task.num_unranked)
    for name in ("leading", "consulted", "precision", "mean_ratio"):
        for column in (name, f"{name}_error"):
            assert getattr(back, column).tobytes() == getattr(simulation, column).tobytes()
    assert back.to_json() == simulation.to_json()
    # Results from JSON add up like the runs themselves.
    parts = [Simulation.from_json(run.to_json()) for run in reversed(runs)]
    assert sum(parts[1:], parts[0]) == back
    # A single count that differs shows.
    content = json.loads(simulation.to_json())
    content["sums"][0][-1] += 1
    assert Simulation.from_json(json.dumps(content)) != back


FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.data(), st.integers(1, 5), st.text())
def test_a_closed_form_comes_back_from_json_bit_by_bit(
    data: st.DataObject, t: int, method: str
) -> None:
    columns = st.lists(FLOATS, min_size=t, max_size=t)
    result = PrecisionRecall(
        data.draw(columns),
        data.draw(columns),
        method=method,
        consulted_deviation=data.draw(st.none() | columns),
        consulted_skewness=data.draw(st.none() | columns),
    )
    assert_same(PrecisionRecall.from_json(result.to_json()), result)


def assert_same(one: PrecisionRecall, two: PrecisionRecall) -> None:
    assert one.method == two.method
    for name in ("leading", "consulted", "consulted_deviation", "consulted_skewness"):
        mine, theirs = getattr(one, name), getattr(two, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert mine.tobytes() == theirs.tobytes()
