"""Estimates of a sweep's cost: a few cells of each kind are tried, the rest is in proportion."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Cell
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.parts import Range
from prum.experiments.sweeps.store import Store
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.sampling.streams import BLOCK

_KIND = ("navigation", "estimator", "unranked", "stratified")
# Cells tried of each kind; the first is not counted, for it compiles and fills caches.
_TRIED = 4


@dataclass(frozen=True, slots=True)
class Cost:
    """What a sweep's missing cells would take: seconds of one processor, users, bytes."""

    num_missing: int
    num_tried: int
    seconds: float
    num_users: int
    num_bytes: int


def estimate(cells: Iterable[Cell], store: Store, budget: UserBudget) -> Cost:
    """Return what the missing cells would cost, from trying a few of each kind.

    A kind is a campaign's cells of one navigation and one estimator. How many users an interval
    needs is judged by the error of the first 16,384.
    """
    stored = store.ranges()
    kinds: dict[tuple[object, ...], list[Cell]] = defaultdict(list)
    for cell in {cell.key: cell for cell in cells}.values():
        if budget.missing(cell, stored.get(cell.key, []), partial(_simulation, store, cell)):
            kind = (cell.source, *(cell.names[name] for name in _KIND))
            kinds[kind].append(cell)
    total = Cost(0, 0, 0.0, 0, 0)
    for members in kinds.values():
        places = np.linspace(0, len(members) - 1, min(_TRIED, len(members))).astype(int)
        trials = [_tried(members[place], stored, budget) for place in places]
        trials = trials[1:] or trials
        share = len(members) / len(trials)
        total = Cost(
            total.num_missing + len(members),
            total.num_tried + len(trials),
            total.seconds + share * sum(trial.seconds for trial in trials),
            total.num_users + round(share * sum(trial.num_users for trial in trials)),
            total.num_bytes + round(share * sum(trial.num_bytes for trial in trials)),
        )
    return total


def _tried(cell: Cell, stored: Mapping[str, list[Range]], budget: UserBudget) -> Cost:
    """Return what a cell would cost, from a block of its users or, of a formula, from all."""
    block = BLOCK if cell.estimator == "simulated" else 0
    part = compute(Job(cell, 0, block))
    parts = stored.get(cell.key, [])
    wanted = budget.expected_users(
        cell, parts or [(0, block)], lambda: Simulation.from_json(part.result)
    )
    users = max(0, wanted - sum(count for _, count in parts))
    blocks = users / block if block else 1
    return Cost(1, 1, part.seconds * blocks, users, len(part.result))


def _simulation(store: Store, cell: Cell) -> Simulation:
    return cast("Simulation", store.result(cell.key))
