"""Progress: how far a sweep is, in cells, and as a share of the time that it takes."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from prum.experiments.sweeps.cells import Cell
from prum.experiments.sweeps.parts import CellPart, Range

# What a cell will have in the end: users, 0 for a formula, None if that is not known.
Expected = Callable[[Cell], int | None]


class Progress:
    """Cells done, of how many, and the share of the time, judging by what has been computed.

    Cells of a kind are taken to need time in proportion to their size: users times ranks and
    ideals, or ranks times ideals of a formula. How much of it is measured. What a cell's interval
    still needs is an estimate, so the share may fall.
    """

    def __init__(
        self, cells: Iterable[Cell], parts: Mapping[str, Sequence[Range]], expected: Expected
    ) -> None:
        self.cells_done = 0
        self._done: dict[str, int] = {}
        self._all: dict[str, int | None] = {}
        # By kind of cell: work done, and all of it; seconds measured, and the work they were for.
        self._work: dict[Hashable, list[int]] = defaultdict(lambda: [0, 0])
        self._measured: dict[Hashable, list[float]] = defaultdict(lambda: [0.0, 0])
        self._num_unknown = 0
        for cell in cells:
            done = sum(_size(cell, count) for _, count in parts[cell.key])
            users = expected(cell)
            self._set(cell, done, None if users is None else max(done, _size(cell, users)))

    @property
    def num_cells(self) -> int:
        """Number of cells that compute something of their own."""
        return len(self._all)

    @property
    def share(self) -> float | None:
        """The share of the time that has passed; None until each kind of cell was seen at work."""
        if self.cells_done == self.num_cells:
            return 1.0
        if self._num_unknown:
            return None
        passed = whole = 0.0
        for kind, (done, all_work) in self._work.items():
            seconds, measured = self._measured[kind]
            if measured:
                passed += done * seconds / measured
                whole += all_work * seconds / measured
            elif done < all_work:
                return None
        return passed / whole if whole else None

    def expect(self, cell: Cell, num_users: int) -> None:
        """Take note of how many users a cell is expected to have in the end."""
        done = self._done[cell.key]
        self._set(cell, done, max(_size(cell, num_users), done))

    def add(self, cell: Cell, part: CellPart) -> None:
        """Take note of a part that is stored."""
        size, all_work = _size(cell, part.count), self._all[cell.key]
        done = self._done[cell.key] + size
        measured = self._measured[_kind(cell)]
        measured[0] += part.seconds
        measured[1] += size
        self._set(cell, done, None if all_work is None else max(done, all_work))

    def finish(self, cell: Cell) -> None:
        """Take note that a cell is done, or given up."""
        self.cells_done += 1
        all_work = self._all[cell.key] or self._done[cell.key]
        self._set(cell, all_work, all_work)

    def _set(self, cell: Cell, done: int, all_work: int | None) -> None:
        before, work = self._all.get(cell.key, 0), self._work[_kind(cell)]
        work[0] += done - self._done.get(cell.key, 0)
        work[1] += (all_work or 0) - (before or 0)
        self._num_unknown += (all_work is None) - (before is None)
        self._done[cell.key], self._all[cell.key] = done, all_work


def _size(cell: Cell, num_users: int) -> int:
    if cell.estimator == "simulated":
        return num_users * (cell.num_ranked + cell.num_ideals)
    return max(cell.num_ranked, 1) * cell.num_ideals


def _kind(cell: Cell) -> Hashable:
    """Return what cells share whose time is in proportion; exact values may take time 2^t."""
    ideals = cell.num_ideals if cell.estimator == "exact" else None
    return cell.estimator, cell.navigation, ideals
