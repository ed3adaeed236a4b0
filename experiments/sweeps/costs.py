"""Costs: the seconds that jobs take, by kind and size, learned from jobs that are done."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from prum.experiments.sweeps.cells import Cell
from prum.simulator.model.arrays import Floats

# What cells share whose times are alike but for their sizes, and where other campaigns are like it.
CellKind = tuple[Hashable, Hashable]
# Ranks and ideals.
Size = tuple[int, int]

# A priori time is in proportion to `_proportion`; so far a slope may be off (a doubling for each
# ideal is .69), and a job from what its size says, in logarithms.
_SLOPES = (0.5, 0.5, 0.35)
_NOISE = 0.5
# The law is found anew when so many more jobs were measured.
_GROWTH = 1.1


def kind_of(cell: Cell) -> CellKind:
    """Return the kind of a cell: what is computed, and on which campaign."""
    return (cell.estimator, cell.navigation, cell.content.get("unranked")), cell.source


def size_of(cell: Cell) -> Size:
    """Return the size of a cell."""
    return max(cell.num_ranked, 1), max(cell.num_ideals, 1)


def units_of(cell: Cell, num_users: int) -> int:
    """Return the work of a cell in units of its kind: users, or 1 for a formula."""
    return num_users if cell.estimator == "simulated" else 1


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
