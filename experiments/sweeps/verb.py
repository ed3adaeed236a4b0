"""Sweeps: a specification's grid, computed into a store, and read from it as a table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prum.experiments.frame.watched import watched
from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Cell
from prum.experiments.sweeps.engine import run
from prum.experiments.sweeps.progress import Progress
from prum.experiments.sweeps.shards import Shard
from prum.experiments.sweeps.specification import SweepSpecification
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Here, Workers

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class Sweep:
    """A sweep that has run: its cells, where their results are, and what could not be computed.

    Attributes
    ----------
    cells
        The cells of the grid, in order.
    failures
        Content key -> error of each cell that could not be computed.
    num_computed
        Cells that were not complete in the store before; lists that are the same count once.
    """

    specification: SweepSpecification
    cells: tuple[Cell, ...]
    store: Store | Path
    failures: Mapping[str, str]
    num_computed: int

    @property
    def budget(self) -> UserBudget:
        """How many users each simulated cell got."""
        return self.specification.users.budget()

    @property
    def num_distinct(self) -> int:
        """Number of cells that compute something of their own."""
        return len({cell.key for cell in self.cells})

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each computed cell and recall value; see `prum.experiments.sweeps.rows`.

        The same specification gives the same rows, on any workers and in any order.
        """
        from prum.experiments.sweeps.rows import table

        done = [cell for cell in self.cells if cell.key not in self.failures]
        command = self.specification.command
        if isinstance(self.store, Store):
            return table(done, self.store.result, self.budget, command)
        with Store(self.store, read_only=True) as store:
            return table(done, store.result, self.budget, command)

    def __repr__(self) -> str:
        return (
            f"Sweep({self.specification.name!r}: {len(self.cells):,} cells, {self.num_distinct:,} "
            f"distinct, {self.num_computed:,} computed now, {len(self.failures):,} failed)"
        )


def sweep(
    specification: SweepSpecification | str | Path | Mapping[str, Any],
    *,
    store: Store | str | Path | None = None,
    workers: Workers | None = None,
    shard: str | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Sweep:
    """Compute those of a specification's cells that a store does not hold yet.

    Parameters
    ----------
    specification
        A TOML file, or a mapping like one: campaigns, the grid over them, users.
    store
        A file, made if it isn't there; in memory by default.
    workers
        Where to compute: `Here` by default, `Processes(n)`, or `Cluster(address)`. Results don't
        depend on it.
    shard
        "I/N": only the cells of this one of N shards, counted from 1.
    progress
        Called after each write with a `Progress`.

    Raises
    ------
    SpecificationError
        with all that is wrong with the specification, each with its path.
    InputError
        for a store that is none, or that another process writes, and for a shard that is none.
    OSError
        if the store can't be written or the workers can't be reached.

    >>> result = sweep({"campaigns": [{"example": "web"}], "users": {"num_users": 1_000}})
    >>> result
    Sweep('sweep': 4 cells, 4 distinct, 4 computed now, 0 failed)
    >>> result.to_frame()[["estimator", "r", "precision"]].head(4).round(4).to_dict("tight")["data"]
    [['no-browsing', 1, 0.3333], ['no-browsing', 2, 0.5], ['prum', 1, 0.6914], ['prum', 2, 0.6356]]
    """
    if not isinstance(specification, SweepSpecification):
        specification = SweepSpecification.read(specification)
    dealt = None if shard is None else Shard.parse(shard)
    cells = tuple(specification.cells() if dealt is None else dealt.cells(specification.cells()))
    budget = specification.users.budget()
    if store is None:
        store = Store()
    with watched("sweep") as tell:
        if progress is None:
            progress = lambda done: tell(done.share)  # noqa: E731
        if isinstance(store, Store):
            outcome = run(cells, store, workers or Here(), budget, progress=progress)
        else:
            store = Path(store)
            with Store(store) as opened:
                outcome = run(cells, opened, workers or Here(), budget, progress=progress)
    return Sweep(specification, cells, store, outcome.failures, outcome.num_computed)
