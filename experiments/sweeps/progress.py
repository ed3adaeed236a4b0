"""Progress: how far a sweep is, in cells, and in work as far as it is known."""

from collections.abc import Iterable, Mapping, Sequence

from prum.experiments.sweeps.cells import Cell
from prum.experiments.sweeps.parts import Part, Range
from prum.simulator.sampling.streams import BLOCK


class Progress:
    """Cells done, of how many, and the share of the work, in users times ideals.

    A formula counts as a block of users. What a cell's interval still needs is an estimate, so
    the share may fall.
    """

    def __init__(self, cells: Iterable[Cell], parts: Mapping[str, Sequence[Range]]) -> None:
        self.cells_done = 0
        self._done: dict[str, int] = {}
        self._all: dict[str, int] = {}
        self._sums = [0, 0]
        for cell in cells:
            users = sum(max(count, BLOCK) for _, count in parts[cell.key])
            done = users * cell.num_ideals
            self._set(cell.key, done, max(done, BLOCK * cell.num_ideals))

    @property
    def num_cells(self) -> int:
        """Number of cells that compute something of their own."""
        return len(self._all)

    @property
    def share(self) -> float:
        """The share of the work that is done."""
        done, all_work = self._sums
        return done / all_work if all_work else 1.0

    def expect(self, cell: Cell, num_users: int) -> None:
        """Take note of how many users a cell is expected to have in the end."""
        done = self._done[cell.key]
        self._set(cell.key, done, max(num_users * cell.num_ideals, done, BLOCK))

    def add(self, cell: Cell, part: Part) -> None:
        """Take note of a part that is stored."""
        done = self._done[cell.key] + max(part.count, BLOCK) * cell.num_ideals
        self._set(cell.key, done, max(done, self._all[cell.key]))

    def finish(self, cell: Cell) -> None:
        """Take note that a cell is done, or given up."""
        self.cells_done += 1
        self._set(cell.key, self._all[cell.key], self._all[cell.key])

    def _set(self, key: str, done: int, all_work: int) -> None:
        self._sums[0] += done - self._done.get(key, 0)
        self._sums[1] += all_work - self._all.get(key, 0)
        self._done[key], self._all[key] = done, all_work
