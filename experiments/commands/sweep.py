"""The `prum sweep` command."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.generator import check_possible, command_of, made, say
from prum.experiments.commands.long_work import WorkerOptions, interruptible, progress_bar
from prum.experiments.commands.options import schema_option
from prum.experiments.frame.design import option
from prum.experiments.frame.verb import Outputs, writes
from prum.simulator.tables.files import STANDARD_INPUT

if TYPE_CHECKING:
    import pandas as pd
    from pydantic import BaseModel

    from prum.experiments.sweeps.budget import UserBudget
    from prum.experiments.sweeps.cells import Cell
    from prum.experiments.sweeps.specification import SweepSpecification
    from prum.experiments.sweeps.store import Store


def _specification() -> "type[BaseModel]":
    from prum.experiments.sweeps.specification import SweepSpecification

    return SweepSpecification


class SweepDesign(WorkerOptions):
    """Compute a grid of lists, ways of browsing and estimators.

    SPEC.TOML names campaigns, the values to cross and how many users to simulate. Finished cells
    are kept: run again, a sweep computes what is missing in the store and nothing else; more values
    or users in SPEC.TOML add to it. Rows are the same bytes for any number of workers.

    --shard deals the cells to the tasks of a queue, and STORES make one store of theirs.

    Exit status 0 if all is computed, 1 if a cell failed or is missing, 2 for bad input.
    """

    specification: str = option(..., "The grid.", "SPEC.TOML", file="input", positional=True)
    stores: tuple[str, ...] = option(
        (), "Stores to take results over from.", "[STORES]...", file="store", positional=True
    )
    store: str | None = option(
        None,
        "SQLite file of results; SPEC.sqlite by default. A shard adds -I-of-N to its name.",
        file="store",
    )
    shard: str | None = option(None, "Compute only shard I of N, counted from 1.", "I/N")
    status: bool = option(
        False, "Say what STORES lack and the line that submits it; compute nothing."
    )
    dry_run: bool = option(False, "List the cells, estimate the cost, compute nothing.")
    keys: tuple[str, ...] = option(
        (),
        "Compute a cell anew and print it, storing nothing. Any start of its key.",
        "KEY",
        singular="cell",
    )
    users: int | None = option(None, "Users of each cell, instead of SPEC's.", "N")
    first_user: int | None = option(None, "Number of the first of them.", "N")

    @property
    def place(self) -> Path:
        """The store."""
        return Path(self.store) if self.store else Path(self.specification).with_suffix(".sqlite")

    def check(self) -> None:
        """Raise UsageError for options that do not go together."""
        super().check()
        if self.store is None and self.specification == STANDARD_INPUT and not self.status:
            raise click.UsageError("a specification from standard input needs --store FILE")
        if self.status and (not self.stores or self.shard or self.keys or self.dry_run):
            raise click.UsageError("--status needs STORES, and writes nothing")
        if self.keys and self.shard:
            raise click.UsageError("--cell and --shard exclude each other")


class SweepOutputs(Outputs):
    """Where rows are written."""

    csv: str | None = option(None, writes("all rows as CSV, or as Parquet by the file's name"))
    html: str | None = option(None, writes("a page of the results by what varied"))

    is_drawn = False

    def check_possible(self) -> None:
        """Raise InputError if a package is not installed."""
        from prum.experiments.frame.files import check_packages

        super().check_possible()
        if _is_parquet(self.csv):
            check_packages("pyarrow", extra="parquet", use="write Parquet")


def _is_parquet(file: str | None) -> bool:
    return file is not None and file.lower().endswith(".parquet")


def _swept(options: dict[str, Any]) -> None:
    from prum.experiments.frame.files import deliver
    from prum.experiments.sweeps.shards import Shard
    from prum.experiments.sweeps.specification import SweepSpecification
    from prum.experiments.sweeps.store import Store

    context = click.get_current_context()
    design, outputs = made(SweepDesign, options), made(SweepOutputs, options)
    wanted = SweepSpecification.read(design.specification).with_users(
        design.users, design.first_user
    )
    budget, cells, place = wanted.users.budget(), wanted.cells(), design.place
    if design.status:
        if outputs.files("output"):
            raise click.UsageError("--status needs STORES, and writes nothing")
        check_possible(None, design, more=wanted.files())
        context.exit(_print_status(wanted, cells, design))
    if design.shard is not None:
        dealt = Shard.parse(design.shard)
        cells, place = dealt.cells(cells), dealt.store_of(place)
    check_possible(outputs, design, more=(place, *wanted.files()))
    if design.dry_run:
        # One that is not there yet is empty.
        with Store(place, read_only=True) if place.exists() else Store() as opened:
            deliver((), lambda: _print_plan(cells, opened, budget))
        return
    if design.keys:
        cells = _chosen(cells, design.keys)
    # What can be wrong is found before a store is made.
    for other in design.stores:
        Store(other, read_only=True).close()
    context.exit(_compute(wanted, cells, None if design.keys else place, design, outputs))


def _compute(
    wanted: "SweepSpecification",
    cells: "list[Cell]",
    place: Path | None,
    design: SweepDesign,
    outputs: SweepOutputs,
) -> int:
    """Compute what a store lacks, and write it; return the status."""
    from prum.experiments.frame.files import deliver
    from prum.experiments.sweeps.engine import run
    from prum.experiments.sweeps.store import Store
    from prum.experiments.sweeps.verb import csv_bytes, html_text, parquet_bytes, table

    budget, lines = wanted.users.budget(), list[str]()
    files: dict[Callable[[pd.DataFrame], str | bytes], str | None] = {
        parquet_bytes if _is_parquet(outputs.csv) else csv_bytes: outputs.csv,
        partial(html_text, wanted): outputs.html,
    }
    with (
        interruptible(place),
        design.chosen() as hands,
        Store(place) as opened,
    ):
        if others := design.stores:
            number = sum(_taken_over(opened, other) for other in others)
            name = others[0] if len(others) == 1 else f"{len(others):,} stores"
            lines.append(f"{name}: {_number_of(number, 'part')} taken over")
        with progress_bar() as advance:
            outcome = run(cells, opened, hands, budget, progress=advance)
        done = [cell for cell in cells if cell.key not in outcome.failures]
        wants_rows = place is None or any(files.values())
        rows = table(done, opened.result, budget, wanted.command) if wants_rows else None
    for reason in outcome.failures.values():
        say(f"not computed: {reason}")
    if place is not None:
        distinct = len({cell.key for cell in cells})
        shared = f" ({distinct:,} distinct)" if distinct < len(cells) else ""
        lines.append(
            f"{place}: {_number_of(len(cells), 'cell')}{shared}, "
            f"{outcome.num_computed:,} computed now, {len(outcome.failures):,} failed"
        )
    elif rows is not None:
        lines.append(_numbers(rows))
    written = [] if rows is None else [(file, partial(form, rows)) for form, file in files.items()]
    deliver(written, lambda: print("\n".join(lines)))
    return 1 if outcome.failures else 0


def _chosen(cells: "list[Cell]", keys: tuple[str, ...]) -> "list[Cell]":
    """Return the cells whose keys begin with `keys`."""
    from prum.simulator.model import InputError

    chosen: list[Cell] = []
    for key in keys:
        matches = {cell.key: cell for cell in cells if key and cell.key.startswith(key)}
        if len(matches) != 1:
            raise InputError(
                "--cell",
                key,
                f"begin the key of one cell (of {len(matches)} it does)",
                remedy="prum sweep --dry-run lists them",
            )
        chosen.extend(matches.values())
    return chosen


def _taken_over(store: "Store", other: str) -> int:
    """Take over what another store has; return the number of parts."""
    with type(store)(other, read_only=True) as opened:
        return store.merge(opened)


def _print_status(
    wanted: "SweepSpecification", cells: "Sequence[Cell]", design: SweepDesign
) -> int:
    """Print what stores lack and the line that submits it; return 1 if they lack something."""
    from prum.experiments.sweeps.shards import status
    from prum.simulator.model.errors import printable

    stores = design.stores
    given = (("--users", design.users), ("--first-user", design.first_user))
    words = (f"{name} {value}" for name, value in given if value is not None)
    lacking = status(cells, stores, wanted.users.budget(), " ".join([wanted.command, *words]))
    for reason in lacking.failures.values():
        say(f"not computed: {reason}")
    distinct = len({cell.key for cell in cells})
    print(
        f"{_number_of(len(stores), 'store')}: {len(lacking.missing):,} of "
        f"{_number_of(distinct, 'distinct cell')} missing, {len(lacking.failures):,} failed"
    )
    if lacking.submit:
        print(printable(lacking.submit))
    return 1 if lacking.missing else 0


def _number_of(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _print_plan(cells: "Sequence[Cell]", store: "Store", budget: "UserBudget") -> None:
    """Print a line for each cell, then what the missing ones would cost."""
    from prum.experiments.sweeps.costs import estimate
    from prum.simulator.model.errors import printable

    stored = store.ranges()
    for cell in cells:
        users = sum(count for _, count in stored.get(cell.key, []))
        state = (
            f"{users:,} users stored" if users else "stored" if cell.key in stored else "missing"
        )
        print(f"{cell.key[:16]}  {printable(str(cell))}  [{state}]")
    cost = estimate(cells, store, budget)
    print(
        f"{_number_of(len(cells), 'cell')}, {len({cell.key for cell in cells}):,} distinct, "
        f"{cost.num_missing:,} not complete. About {cost.seconds:,.1f} s of one processor, "
        f"{cost.num_users:,} users and {cost.num_bytes / 2**20:,.1f} MiB of store, judging by "
        f"{_number_of(cost.num_tried, 'cell')} tried."
    )


def _numbers(rows: "pd.DataFrame") -> str:
    """Return the numbers of a few cells as a table."""
    from prum.simulator.model.errors import printable

    names = ["campaign", "topic", "system", "navigation", "estimator", "seed", "judges", "r"]
    names = [name for name in names if name in rows]
    numbers = ["leading", "consulted", "precision", "precision_error", "num_users"]
    text = rows[names + numbers].to_string(index=False, na_rep="")
    return "\n".join(map(printable, text.split("\n")))


sweep = command_of(
    "sweep",
    SweepDesign.__doc__,
    SweepDesign,
    SweepOutputs,
    _swept,
    more=(schema_option(_specification),),
)
