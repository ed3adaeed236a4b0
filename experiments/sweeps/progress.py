"""Progress: how far a sweep is, in cells and as a share of the work."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Progress:
    """Cells done, of how many; `share` counts users of a cell that has some of them.

    >>> progress = Progress(4)
    >>> progress.note("walk", 1.0)
    >>> progress.note("independent", 0.5)
    >>> progress.cells_done, progress.share
    (1, 0.375)
    """

    num_cells: int
    cells_done: int = field(default=0, init=False)
    _shares: dict[str, float] = field(default_factory=dict, init=False)
    _sum: float = field(default=0.0, init=False)

    def note(self, key: str, share: float) -> None:
        """Take note of the share of a cell that is done."""
        before = self._shares.get(key, 0.0)
        self._shares[key] = share
        self._sum += share - before
        self.cells_done += before < 1.0 <= share

    @property
    def share(self) -> float:
        """The share of the cells that is done."""
        return self._sum / self.num_cells if self.cells_done < self.num_cells else 1.0
