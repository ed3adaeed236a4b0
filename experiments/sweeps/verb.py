"""Sweeps: a specification's grid, computed into a store, and read from it as a table."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prum.analytic.precision.result import PrecisionRecall
from prum.experiments.frame.frames import frame_table
from prum.experiments.frame.numbers import count
from prum.experiments.frame.view import View
from prum.experiments.sweeps.cells import Cell
from prum.experiments.sweeps.engine import UserBudget, run
from prum.experiments.sweeps.shards import Shard
from prum.experiments.sweeps.specification import SweepSpecification
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Here, Workers
from prum.simulator.model import InputError
from prum.simulator.model.process import own_version
from prum.simulator.model.task import canonical_json
from prum.simulator.sampling.simulation import Simulation

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
    def num_distinct(self) -> int:
        """Number of cells that compute something of their own."""
        return len({cell.key for cell in self.cells})

    def to_frame(self) -> "pd.DataFrame":
        """Return a row for each computed cell and recall value; see `prum.experiments.sweeps.verb`.

        The same specification gives the same rows, on any workers and in any order.
        """

        done = [cell for cell in self.cells if cell.key not in self.failures]
        place = self.store
        with (
            Store(place, read_only=True) if isinstance(place, Path) else nullcontext(place)
        ) as store:
            return table(done, store.result, self.specification.users.budget())

    def to_html(self) -> str:
        """Return a page of the results by what varied; see `sweep_view`."""
        from prum.experiments.frame.html import page

        view = sweep_view(self.specification.name, self.to_frame())
        return page(view, command=self.specification.command, version=own_version(), options={})

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
    progress: Callable[[int, int], object] | None = None,
) -> Sweep:
    """Compute those of a specification's cells that a store does not hold yet.

    Parameters
    ----------
    specification
        A TOML file, or a mapping like one: campaigns, the grid over them, users, judges.
    store
        A file, made if it isn't there; in memory by default.
    workers
        Where to compute: `Here` by default, `Processes(n)`, or `Cluster(scheduler)`. Results don't
        depend on it.
    shard
        "I/N": only the cells of this one of N shards, counted from 1.
    progress
        Called after each write with the number of cells that are done, and of all.

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
    if not isinstance(store, Store | str | Path | None):
        raise InputError("store", store, "be a file", remedy="leave it out to keep nothing")
    if not isinstance(specification, SweepSpecification):
        specification = SweepSpecification.read(specification)
    parsed = None if shard is None else Shard.parse(shard)
    cells = specification.cells()
    cells = cells if parsed is None else parsed.cells(cells)
    place = Path(store) if isinstance(store, str | Path) else store or Store()
    with Store(place) if isinstance(place, Path) else nullcontext(place) as opened:
        budget = specification.users.budget()
        outcome = run(cells, opened, workers or Here(), budget, progress=progress)
    return Sweep(specification, tuple(cells), place, *outcome)


CellResult = PrecisionRecall | Simulation | None

# Every column, in order, with its type; those of a simulation are empty for a formula.
COLUMNS = {
    "campaign": "string",
    "topic": "string",
    "system": "string",
    "navigation": "string",
    "estimator": "string",
    "seed": "UInt64",
    "unranked": "string",
    "r": "int64",
    "recall": "float64",
    "leading": "float64",
    "leading_error": "float64",
    "consulted": "float64",
    "consulted_error": "float64",
    "precision": "float64",
    "precision_error": "float64",
    "low": "float64",
    "high": "float64",
    "mean_ratio": "float64",
    "num_users": "Int64",
    "users": "string",
    "stopped": "string",
    "num_ranked": "int64",
    "num_ideals": "int64",
    "version": "string",
    "key": "string",
    "parameters": "string",
}


def table(
    cells: Iterable[Cell], result: Callable[[str], CellResult], budget: UserBudget
) -> "pd.DataFrame":
    """Return a row for each cell and recall value, in the order of the cells.

    `low` and `high` are precision's interval at the budget's confidence. A simulation has all the
    users that were found, be it more than the budget asks for; `stopped` says why there are no
    more: "users" (as many as were asked for), "half-width" (met) or "budget" (spent before).
    Without a closed form an exact value is empty.
    """
    import pandas as pd

    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for cell in cells:
        for row in _rows(cell, result(cell.key), budget):
            for name, values in columns.items():
                values.append(row.get(name))
    # Column by column: what is empty would make floats of whole numbers.
    array: Any = pd.array
    return pd.DataFrame({name: array(columns[name], kind) for name, kind in COLUMNS.items()})


def csv_bytes(rows: "pd.DataFrame") -> bytes:
    """Return rows as CSV; numbers with all their digits."""
    return rows.to_csv(index=False).encode("utf-8", "surrogateescape")


def _rows(cell: Cell, result: CellResult, budget: UserBudget) -> Iterator[dict[str, Any]]:
    common: dict[str, Any] = {
        **cell.names,
        "num_ranked": cell.num_ranked,
        "num_ideals": cell.num_ideals,
        "version": cell.content["version"],
        "key": cell.key,
        "parameters": canonical_json(cell.content),
    }
    names = ["leading", "consulted", "precision"] if result is not None else []
    values: dict[str, Any] = {}
    if isinstance(result, Simulation):
        names += [f"{name}_error" for name in names]
        names += ["mean_ratio"] if result.unranked == "sampled" else []
        values["low"], values["high"] = result.interval(budget.confidence)
        common["num_users"] = result.num_users
        common["users"] = " ".join(f"{x.first}-{x.first + x.count - 1}" for x in result.users)
        common["stopped"] = budget.stopped(result)
    values |= {name: getattr(result, name) for name in names}
    columns = {name: column.tolist() for name, column in values.items()}
    for number in range(cell.num_ideals):
        row = {name: column[number] for name, column in columns.items()}
        r = number + 1
        yield {**common, "r": r, "recall": r / cell.num_ideals, **row}


# Seeds and `unranked` are averaged over: formulas have none.
_AXES = ("campaign", "system", "navigation")
_ESTIMATORS = ("no-browsing", "prum", "prum-normal", "independent", "independent-normal")
_TRUE = ("exact", "simulated")


def sweep_view(name: str, rows: "pd.DataFrame") -> View:
    """Return the means over recall values, then topics, of the rows of a sweep.

    Where a value lacks on some topic, as an exact one that has no closed form, the mean does too.
    """
    varied = [axis for axis in _AXES if rows[axis].nunique() > 1] or [*_AXES[:1]]
    by_topic = _means(rows, [*varied, "estimator", "topic"])
    means = _means(by_topic, [*varied, "estimator"]).set_index([*varied, "estimator"])["precision"]
    table = means.unstack("estimator", sort=False)
    estimators = [estimator for estimator in (*_ESTIMATORS, *_TRUE) if estimator in table]
    forms = dict.fromkeys(varied, "<") | dict.fromkeys(estimators, ".4f")
    num_topics = len(rows[["campaign", "topic"]].drop_duplicates())
    num_cells = rows["key"].nunique()
    return View(
        title=f"Sweep {name}",
        headline="Precision by what varied.",
        story=(),
        tables=(
            frame_table(
                "Precision: mean over recall values, then topics",
                table[estimators].reset_index().fillna(dict.fromkeys(varied, "–")),
                forms,
            ),
        ),
        notes=(f"{count(num_topics, 'topic')}, {count(num_cells, 'distinct cell')}.",),
    )


def _means(rows: "pd.DataFrame", keys: list[str]) -> "pd.DataFrame":
    """Return the mean precision of groups, in order; none where a value of the group lacks."""
    grouped = rows.groupby(keys, dropna=False, sort=False)["precision"]
    return grouped.agg(lambda values: values.mean(skipna=False)).reset_index()
