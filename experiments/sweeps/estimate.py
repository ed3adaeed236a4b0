"""Estimates of a sweep's cost: a few cells of each kind are tried, the rest follow from sizes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import cast

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Cell
from prum.experiments.sweeps.costs import CellKind, JobCosts, kind_of, size_of
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.parts import CellPart, UsersOfPart
from prum.experiments.sweeps.store import Store
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.sampling.streams import BLOCK

# Cells tried of each kind, from small to large, but none after so many seconds.
_TRIED = 5
_LONG = 2.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What a sweep's missing cells would take: seconds of one processor, users, bytes."""

    num_missing: int
    num_tried: int
    seconds: float
    num_users: int
    num_bytes: int


@dataclass(slots=True)
class _Trials:
    """What trials of a kind showed: how many, users that cells need, and bytes of their results."""

    number: int = 0
    users: int = 0
    bytes: int = 0


def estimate(cells: Iterable[Cell], store: Store, budget: UserBudget) -> Cost:
    """Return what the missing cells would cost, from trying a few of each kind.

    A kind is a campaign's cells of one navigation and one estimator; how its time grows with the
    size is judged as `JobCosts` does. How many users an interval needs is judged by the error of
    the first 16,384.
    """
    stored = store.ranges()
    kinds: dict[CellKind, list[Cell]] = defaultdict(list)
    for cell in {cell.key: cell for cell in cells}.values():
        if budget.missing(cell, stored.get(cell.key, []), partial(_simulation, store, cell)):
            kinds[kind_of(cell)].append(cell)
    costs = JobCosts()
    total = Cost(0, 0, 0.0, 0, 0)
    for kind, members in kinds.items():
        trials = _tried(members, costs, stored, budget)
        share = 1 / trials.number
        seconds = users = 0.0
        for cell in members:
            parts = stored.get(cell.key, [])
            known = budget.known_users(cell)
            wanted = trials.users * share if known is None else known
            missing = max(0.0, wanted - sum(count for _, count in parts))
            users += missing
            rate = costs.rate(kind, size_of(cell)) or 0.0
            seconds += rate * (missing if cell.estimator == "simulated" else 1)
        total = Cost(
            total.num_missing + len(members),
            total.num_tried + trials.number,
            total.seconds + seconds,
            total.num_users + round(users),
            total.num_bytes + round(share * len(members) * trials.bytes),
        )
    return total


def _tried(
    members: list[Cell],
    costs: JobCosts,
    stored: Mapping[str, list[UsersOfPart]],
    budget: UserBudget,
) -> _Trials:
    """Try a block of users of some cells, or formulas whole, and add what they take to `costs`."""
    ordered = sorted(members, key=lambda cell: prod(size_of(cell)))
    last = len(ordered) - 1
    trials, spent = _Trials(), 0.0
    for place in sorted({last * number // (_TRIED - 1) for number in range(_TRIED)}):
        cell = ordered[place]
        part = _first_part(cell)
        if part.warm_up:
            # It may have read files, which is done once and not for each cell.
            part = _first_part(cell)
        costs.add(cell, part.count, part.seconds)
        spent += part.seconds
        trials.number += 1
        trials.bytes += len(part.result)
        parts = stored.get(cell.key, []) or [(0, part.count)]
        result = partial(Simulation.from_json, part.result)
        trials.users += budget.expected_users(cell, parts, result) or 0
        if spent > _LONG:
            break
    return trials


def _first_part(cell: Cell) -> CellPart:
    return compute(Job(cell, 0, BLOCK if cell.estimator == "simulated" else 0))


def _simulation(store: Store, cell: Cell) -> Simulation:
    return cast("Simulation", store.result(cell.key))
