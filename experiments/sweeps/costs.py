"""Costs: the seconds that jobs take, learned from jobs that are done; what a sweep would take."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import cast

import numpy as np

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import (
    Cell,
    CellKind,
    CellPart,
    Size,
    UsersOfPart,
    kind_of,
    size_of,
    units_of,
)
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.store import Store
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.sampling.streams import BLOCK

# A priori time is in proportion to `_proportion`; so far a slope may be off (a doubling for each
# ideal is .69), and a job from what its size says, in logarithms.
_SLOPES = (0.5, 0.5, 0.35)
_NOISE = 0.5
# The law is found anew when so many more jobs were measured.
_GROWTH = 1.1
# Cells tried of each kind, from small to large, but none after so many seconds.
_TRIED = 5
_LONG = 2.0


@dataclass(slots=True)
class _Measured:
    jobs: int = 0
    units: int = 0
    seconds: float = 0.0


class JobCosts:
    """Seconds for a unit of work, by kind and size.

    Sizes that were measured have their mean; others what a regression of log seconds on log ranks,
    log ideals and ideals says, which keeps to proportion until jobs tell otherwise. A job that
    warmed its process up (imported, read files) counts while there is no other of its kind. A kind
    that was not seen is as on other campaigns.
    """

    def __init__(self) -> None:
        self._kinds: dict[CellKind, dict[Size, _Measured]] = defaultdict(dict)
        self._warming: dict[CellKind, tuple[Size, float]] = {}
        self._laws: dict[CellKind, tuple[int, _Law]] = {}
        self._num_jobs: dict[CellKind, int] = defaultdict(int)

    def add(self, cell: Cell, num_users: int, seconds: float, *, warm_up: bool = False) -> None:
        """Take note of a job that is done."""
        kind, size, units = kind_of(cell), size_of(cell), units_of(cell, num_users)
        if warm_up:
            rate = seconds / units
            cheapest = self._warming.get(kind)
            if cheapest is None or rate / _proportion(kind, size) < cheapest[1] / _proportion(
                kind, cheapest[0]
            ):
                self._warming[kind] = size, rate
            return
        measured = self._kinds[kind].setdefault(size, _Measured())
        measured.jobs += 1
        measured.units += units
        measured.seconds += seconds
        self._num_jobs[kind] += 1

    def rate(self, kind: CellKind, size: Size) -> float | None:
        """Return the seconds of a unit; None where nothing like it was seen."""
        law = self._law(kind)
        if law is None:
            others = [rate for other in self._like(kind) if (rate := self.rate(other, size))]
            return sum(others) / len(others) if others else None
        expected = law.rate(kind, size)
        own = self._kinds[kind].get(size)
        if own is None:
            return expected
        return (own.jobs * own.seconds / own.units + expected) / (own.jobs + 1)

    def _like(self, kind: CellKind) -> Iterator[CellKind]:
        known = dict.fromkeys((*self._kinds, *self._warming))
        return (
            other for other in known if other != kind and other[0] == kind[0] and self._law(other)
        )

    def _law(self, kind: CellKind) -> "_Law | None":
        num_jobs = self._num_jobs.get(kind, 0)
        if not num_jobs:
            warming = self._warming.get(kind)
            return (
                None
                if warming is None
                else _Law.of(kind, {warming[0]: _Measured(1, 1, warming[1])})
            )
        known = self._laws.get(kind)
        if known is None or num_jobs >= _GROWTH * known[0]:
            known = self._laws[kind] = num_jobs, _Law.of(kind, self._kinds[kind])
        return known[1]


@dataclass(frozen=True, slots=True)
class _Law:
    """rate = factor * proportion * exp(slopes . (features - middle))."""

    factor: float
    slopes: Floats
    middle: Floats

    @classmethod
    def of(cls, kind: CellKind, measured: dict[Size, _Measured]) -> "_Law":
        """Return the law of the greatest posterior density, and so that the seconds add up."""
        jobs = np.array([each.jobs for each in measured.values()], dtype=np.float64)
        seconds = np.array([max(each.seconds, 1e-9) for each in measured.values()])
        units = np.array([each.units for each in measured.values()], dtype=np.float64)
        proportions = np.array([_proportion(kind, size) for size in measured])
        logs = np.log(seconds / units / proportions)
        features = np.array([_features(kind, size) for size in measured])
        middle = jobs @ features / jobs.sum()
        apart = features - middle
        precision = apart.T @ (apart * jobs[:, None]) / _NOISE**2
        precision += np.diag([slope**-2 for slope in _SLOPES])
        slopes = np.linalg.solve(precision, apart.T @ (jobs * (logs - jobs @ logs / jobs.sum())))
        slopes /= _NOISE**2
        factor = float(seconds.sum() / (units * proportions * np.exp(apart @ slopes)).sum())
        return cls(factor, slopes, middle)

    def rate(self, kind: CellKind, size: Size) -> float:
        """Return the seconds of a unit."""
        exponent = float((_features(kind, size) - self.middle) @ self.slopes)
        return self.factor * _proportion(kind, size) * math.exp(min(exponent, 50.0))


def is_simulated(kind: CellKind) -> bool:
    """Return whether cells of a kind are simulated, not formulas."""
    what = kind[0]
    return isinstance(what, tuple) and what[0] == "simulated"


def _proportion(kind: CellKind, size: Size) -> float:
    """Return what the time of a unit is in proportion to, as far as is known before."""
    ranks, ideals = size
    return float(ranks + ideals if is_simulated(kind) else ranks * ideals)


def _features(kind: CellKind, size: Size) -> Floats:
    ranks, ideals = size
    # Exact values may take time 2^t.
    return np.array([math.log(ranks), math.log(ideals), 0.0 if is_simulated(kind) else ideals])


# --- estimates ---------------------------------------------------------------------------------


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
