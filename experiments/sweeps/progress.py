"""Progress: how far a sweep is, in cells, in shares of its work, and in time that is left."""

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

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
from prum.experiments.sweeps.costs import JobCosts, is_simulated

# What a cell will have in the end: users, 0 for a formula, None if that is not known.
Expected = Callable[[Cell], int | None]

# Seconds of experience that the promise of so many workers is worth.
_PROMISE = 0.02


@dataclass(slots=True)
class _Work:
    """Units of work on cells of one kind and size; `open` ones have an unknown number of users."""

    done: int = 0
    left: int = 0
    open: set[str] = field(default_factory=set)


class Progress:
    """Cells done, of how many; the share of the work that is done; the seconds that are left.

    Seconds for a unit of work are learned from the cells done (`JobCosts`): by kind, navigation and
    campaign, in a regression over sizes, without first calls, which read files. How many of these
    seconds pass in one of the wall clock is measured as well, from the first result on. What a
    cell's interval still needs is an estimate, and a cell that was not begun is taken to need what
    others of its kind do.
    """

    def __init__(
        self,
        cells: Iterable[Cell],
        parts: Mapping[str, Sequence[UsersOfPart]],
        expected: Expected,
        *,
        num_workers: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.cells_done = 0
        self.num_workers = num_workers
        self._clock = clock
        self._costs = JobCosts()
        self._work: dict[tuple[CellKind, Size], _Work] = defaultdict(_Work)
        self._done: dict[str, int] = {}
        self._left: dict[str, int | None] = {}
        # By kind: cells whose users are known, and how many they have in the end.
        self._known: dict[CellKind, list[int]] = defaultdict(lambda: [0, 0])
        # Cells that may be needed instead of others, by these; and how often they were, by kind.
        self._doubts: dict[str, tuple[CellKind, CellKind, Size, int]] = {}
        self._needed: dict[CellKind, list[int]] = defaultdict(lambda: [0, 0])
        self._first: float | None = None
        self._busy = 0.0
        for cell in cells:
            self.include(cell, parts[cell.key], expected(cell))

    def include(self, cell: Cell, parts: Sequence[UsersOfPart], num_users: int | None) -> None:
        """Take note of a cell, with parts that it has, and the users it will have if known."""
        done = sum(units_of(cell, count) for _, count in parts)
        left = None if num_users is None else max(0, units_of(cell, num_users) - done)
        self._set(cell, done, left)

    @property
    def num_cells(self) -> int:
        """Number of cells that compute something of their own."""
        return len(self._left)

    @property
    def share(self) -> float | None:
        """The share of the work that is done; None until each kind of cell was seen at work."""
        return self._computed()[0]

    @property
    def left(self) -> float | None:
        """The seconds until all is done; None until each kind of cell was seen at work."""
        return self._computed()[1]

    def expect(self, cell: Cell, num_users: int) -> None:
        """Take note of how many users a cell is expected to have in the end."""
        done = self._done[cell.key]
        self._set(cell, done, max(0, units_of(cell, num_users) - done))

    def add(self, cell: Cell, part: CellPart) -> None:
        """Take note of a part that is stored."""
        self._costs.add(cell, part.count, part.seconds, warm_up=part.warm_up)
        if self._first is None:
            self._first = self._clock() - part.seconds
        self._busy += part.seconds
        units, left = units_of(cell, part.count), self._left[cell.key]
        done = self._done[cell.key] + units
        self._set(cell, done, None if left is None else max(0, left - units))

    def doubt(self, cell: Cell, other: Cell, num_users: int | None) -> None:
        """Take note that `other` is computed as well if `cell` turns out to have no value."""
        if num_users is not None:
            units = units_of(other, num_users)
            self._doubts[cell.key] = kind_of(cell), kind_of(other), size_of(other), units

    def decide(self, cell: Cell, *, is_needed: bool) -> None:
        """Take note whether the cell instead of another is needed."""
        self._doubts.pop(cell.key, None)
        needed = self._needed[kind_of(cell)]
        needed[0] += 1
        needed[1] += is_needed

    def finish(self, cell: Cell) -> None:
        """Take note that a cell is done, or given up."""
        self.cells_done += 1
        self._set(cell, self._done[cell.key], 0)

    def _set(self, cell: Cell, done: int, left: int | None) -> None:
        key, kind = cell.key, kind_of(cell)
        work, known = self._work[kind, size_of(cell)], self._known[kind]
        if key in self._left:
            before = self._left[key]
            work.done -= self._done[key]
            if before is None:
                work.open.remove(key)
            else:
                work.left -= before
                known[0] -= 1
                known[1] -= self._done[key] + before
        work.done += done
        if left is None:
            work.open.add(key)
        else:
            work.left += left
            known[0] += 1
            known[1] += done + left
        self._done[key], self._left[key] = done, left

    def _computed(self) -> tuple[float | None, float | None]:
        if self.cells_done == self.num_cells:
            return 1.0, 0.0
        passed = left = longest = 0.0
        for (kind, size), work in self._work.items():
            units = self._units_left(kind, work)
            if units is None:
                return None, None
            rate = self._costs.rate(kind, size)
            if rate is None and units:
                return None, None
            passed += work.done * (rate or 0.0)
            left += units * (rate or 0.0)
            # Users are cut into parts, a formula is one.
            if units and not is_simulated(kind):
                longest = max(longest, rate or 0.0)
        for (of, kind, size), units in self._doubted():
            number, needed = self._needed[of]
            if not number:
                return None, None
            rate = self._costs.rate(kind, size) if needed else 0.0
            if rate is None:
                return None, None
            left += rate * units * needed / number
        share = passed / (passed + left) if passed + left else None
        if self._first is None:
            return share, None
        experience = self._clock() - self._first + _PROMISE
        speed = (self._busy + _PROMISE * self.num_workers) / experience
        return share, max(left / speed, longest)

    def _doubted(self) -> Iterable[tuple[tuple[CellKind, CellKind, Size], int]]:
        units: dict[tuple[CellKind, CellKind, Size], int] = defaultdict(int)
        for of, kind, size, number in self._doubts.values():
            units[of, kind, size] += number
        return units.items()

    def _units_left(self, kind: CellKind, work: _Work) -> float | None:
        if not work.open:
            return work.left
        number, users = self._known[kind]
        if not number:
            return None
        return work.left + sum(max(0.0, users / number - self._done[key]) for key in work.open)


def probes(cells: Iterable[Cell]) -> dict[str, None]:
    """Return the keys of the cells to begin with, so that the time of the others is soon known.

    They are one of each kind on three lists of each campaign: a smallest, a middle and a largest.
    """
    lists: dict[Hashable, dict[tuple[str, str], list[Cell]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for cell in cells:
        lists[cell.source][cell.topic, cell.system].append(cell)
    first: dict[str, None] = {}
    for of_source in lists.values():
        ordered = sorted(of_source.values(), key=lambda own: prod(size_of(own[0])))
        for place in sorted({0, len(ordered) // 2, len(ordered) - 1}):
            kinds = {kind_of(cell): cell.key for cell in reversed(ordered[place])}
            first.update(dict.fromkeys(reversed(kinds.values())))
    return first
