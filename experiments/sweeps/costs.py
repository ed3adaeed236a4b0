"""Costs: what a sweep would take, judging by a few cells."""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import cast

import numpy as np

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Cell, CellPart, JudgedSource
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.store import Store
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.sampling.streams import BLOCK

# Cells tried of each kind, from small to large, but none after so many seconds.
_TRIED = 5
_LONG = 2.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What a sweep's missing cells would take: seconds of one processor, users, bytes."""

    num_missing: int = 0
    num_tried: int = 0
    seconds: float = 0.0
    num_users: int = 0
    num_bytes: int = 0


def estimate(cells: Iterable[Cell], store: Store, budget: UserBudget) -> Cost:
    """Return what the missing cells would cost, from trying a few of each kind.

    A kind is a campaign's cells of one navigation and one estimator, ordered by the size of the
    list; what lies between two that were tried takes what lies between their seconds. How many
    users an interval needs is judged by the error of the first 16,384.
    """
    stored = store.ranges()
    kinds: dict[Hashable, list[Cell]] = defaultdict(list)
    for cell in {cell.key: cell for cell in cells}.values():
        result = partial(_simulation, store, cell)
        if budget.missing(cell, stored.get(cell.key, []), result):
            # Whose ideals they are makes cells no slower.
            source = cell.source.base if isinstance(cell.source, JudgedSource) else cell.source
            kind = cell.estimator, cell.navigation, cell.content.get("unranked"), source
            kinds[kind].append(cell)
    total = Cost()
    for members in kinds.values():
        members.sort(key=lambda cell: max(cell.num_ranked, 1) * max(cell.num_ideals, 1))
        tried = _tried(members)
        places = np.array(list(tried))
        parts = tried.values()
        users = np.zeros(len(members))
        if members[0].estimator == "simulated":
            expected = [
                budget.expected_users(
                    members[place],
                    stored.get(members[place].key, []) or [(0, part.count)],
                    partial(Simulation.from_json, part.result),
                )
                for place, part in tried.items()
            ]
            done = [sum(count for _, count in stored.get(cell.key, [])) for cell in members]
            users = np.maximum(fmean(x or 0 for x in expected) - np.array(done), 0.0)
        rates = np.array([part.seconds / max(part.count, 1) for part in parts])
        units = users if users.any() else 1.0
        seconds = np.interp(np.arange(len(members)), places, rates) * units
        total = Cost(
            total.num_missing + len(members),
            total.num_tried + len(tried),
            total.seconds + float(seconds.sum()),
            total.num_users + round(float(users.sum())),
            total.num_bytes
            + round(len(members) * float(np.mean([len(part.result) for part in parts]))),
        )
    return total


def _tried(members: list[Cell]) -> dict[int, CellPart]:
    """Try a block of users of some cells, or formulas whole, by their places among all."""
    last = len(members) - 1
    tried, spent = dict[int, CellPart](), 0.0
    for place in sorted({last * number // (_TRIED - 1) for number in range(_TRIED)}):
        part = _first_part(members[place])
        if not tried:
            # It may have read files, which is done once and not for each cell.
            part = _first_part(members[place])
        tried[place] = part
        spent += part.seconds
        if spent > _LONG:
            break
    return tried


def _first_part(cell: Cell) -> CellPart:
    return compute(Job(cell, 0, BLOCK if cell.estimator == "simulated" else 0))


def _simulation(store: Store, cell: Cell) -> Simulation:
    return cast("Simulation", store.result(cell.key))
