"""Progress: how far a sweep is, in cells, as a share, and in time that is left."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Progress:
    """Cells done, of how many; `share` counts users of a cell that has some of them.

    >>> clock = iter([0.0, 3.0])
    >>> progress = Progress(4, clock=lambda: next(clock))
    >>> progress.note("one", 1.0)
    >>> progress.note("two", 0.5)
    >>> progress.cells_done, progress.share, progress.left
    (1, 0.375, 5.0)
    """

    num_cells: int
    clock: Callable[[], float] = time.monotonic
    cells_done: int = field(default=0, init=False)
    _began: float = field(init=False)
    _before: float = field(default=0.0, init=False)
    _sum: float = field(default=0.0, init=False)
    _shares: dict[str, float] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    def note(self, key: str, share: float) -> None:
        """Take note of the share of a cell that is done."""
        before = self._shares.get(key, 0.0)
        self._shares[key] = share
        self._sum += share - before
        self.cells_done += before < 1.0 <= share

    def begin(self) -> None:
        """Count time from now: what was noted so far had been stored."""
        self._before, self._began = self.share, self.clock()

    @property
    def share(self) -> float:
        """The share of the cells that is done."""
        return self._sum / self.num_cells if self.num_cells else 1.0

    @property
    def left(self) -> float | None:
        """The seconds until all is done if it goes on so; None where nothing is known."""
        passed = self.share - self._before
        return None if passed <= 0 else (1 - self.share) * (self.clock() - self._began) / passed
