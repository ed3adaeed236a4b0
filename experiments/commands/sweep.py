"""The `prum sweep` command."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.generator import Command, check_possible, command, made, say
from prum.experiments.commands.long_work import WorkerOptions, interruptible, progress_bar
from prum.experiments.commands.options import schema_option
from prum.experiments.frame.design import option
from prum.experiments.frame.verb import Content, Outputs, writes
from prum.simulator.tables.files import STANDARD_INPUT

if TYPE_CHECKING:
    from prum.experiments.sweeps.cells import Cell
    from prum.experiments.sweeps.engine import UserBudget
    from prum.experiments.sweeps.specification import SweepSpecification
    from prum.experiments.sweeps.store import Store


class SweepDesign(WorkerOptions):
    """Compute a grid of lists, ways of browsing and estimators.

    SPEC.TOML names campaigns, the values to cross and how many users to simulate. Finished cells
    are kept: run again, a sweep computes what is missing in the store and nothing else; more values
    or users in SPEC.TOML add to it. Rows are the same bytes for any number of workers.

    --shard deals the cells to the tasks of a queue, and --merge makes one store of theirs.

    Exit status 0 if all is computed, 1 if a cell failed or is missing, 2 for bad input.
    """

    specification: str = option(..., "The grid.", "SPEC.TOML", file="input", positional=True)
    stores: tuple[str, ...] = option(
        (), "Other stores.", "[STORES]...", file="store", positional=True
    )
    store: str | None = option(
        None,
        "SQLite file of results; SPEC.sqlite by default. A shard adds -I-of-N to its name.",
        file="store",
    )
    shard: str | None = option(None, "Compute only shard I of N, counted from 1.", "I/N")
    merge: bool = option(False, "Take over the results of STORES.")
    status: bool = option(
        False, "Say what STORES lack and the line that submits it; compute nothing."
    )
    dry_run: bool = option(False, "List the cells and what the store has; compute nothing.")

    @property
    def place(self) -> Path:
        """The store."""
        return Path(self.store) if self.store else Path(self.specification).with_suffix(".sqlite")

    def check(self) -> None:
        """Raise UsageError for options that do not go together."""
        super().check()
        if self.store is None and self.specification == STANDARD_INPUT and not self.status:
            raise click.UsageError("a specification from standard input needs --store FILE")
        if bool(self.stores) != (self.merge or self.status):
            raise click.UsageError("STORES go with --merge or --status, which need them")
        if self.status and (self.merge or self.shard or self.dry_run):
            raise click.UsageError("--status computes nothing: leave the other options out")


class SweepOutputs(Outputs):
    """Where rows are written."""

    csv: str | None = option(None, writes("all rows as CSV"))
    html: str | None = option(None, writes("a page of the results by what varied"))

    is_drawn = False


def _swept(options: dict[str, Any]) -> None:
    from prum.experiments.frame.files import deliver
    from prum.experiments.sweeps.shards import Shard
    from prum.experiments.sweeps.specification import SweepSpecification
    from prum.experiments.sweeps.store import Store

    context = click.get_current_context()
    design, outputs = made(SweepDesign, options), made(SweepOutputs, options)
    specification = SweepSpecification.read(design.specification)
    budget, cells, place = specification.users.budget(), specification.cells(), design.place
    if design.status:
        if outputs.files("output"):
            raise click.UsageError("--status writes no files")
        check_possible(outputs, design, more=specification.files())
        context.exit(_print_status(specification, cells, design.stores))
    if design.shard is not None:
        shard = Shard.parse(design.shard)
        cells, place = shard.cells(cells), shard.store_of(place)
    check_possible(outputs, design, more=(place, *specification.files()))
    if design.dry_run:
        # One that is not there yet is empty.
        with Store(place, read_only=True) if place.exists() else Store() as opened:
            deliver((), lambda: _print_plan(cells, opened, budget))
        return
    # What can be wrong is found before a store is made.
    for other in design.stores:
        Store(other, read_only=True).close()
    context.exit(_compute(specification, cells, place, design, outputs))


def _compute(
    specification: "SweepSpecification",
    cells: "list[Cell]",
    place: Path,
    design: SweepDesign,
    outputs: SweepOutputs,
) -> int:
    """Compute what a store lacks, and write it; return the status."""
    from prum.experiments.frame.files import deliver
    from prum.experiments.sweeps.engine import run
    from prum.experiments.sweeps.store import Store
    from prum.experiments.sweeps.verb import Sweep, csv_bytes

    lines, budget = list[str](), specification.users.budget()
    with interruptible(place), design.chosen() as workers, Store(place) as opened:
        if others := design.stores:
            number = sum(_taken_over(opened, other) for other in others)
            name = others[0] if len(others) == 1 else f"{len(others):,} stores"
            lines.append(f"{name}: {_number_of(number, 'part')} taken over")
        with progress_bar() as advance:
            outcome = run(
                cells, opened, workers, budget, progress=lambda done, number: advance(done / number)
            )
    for reason in outcome.failures.values():
        say(f"not computed: {reason}")
    sweep = Sweep(specification, tuple(cells), place, outcome.failures, outcome.num_computed)
    shared = f" ({sweep.num_distinct:,} distinct)" if sweep.num_distinct < len(cells) else ""
    lines.append(
        f"{place}: {_number_of(len(cells), 'cell')}{shared}, "
        f"{outcome.num_computed:,} computed now, {len(outcome.failures):,} failed"
    )
    files: list[tuple[str | None, Content]] = [
        (outputs.csv, lambda: csv_bytes(sweep.to_frame())),
        (outputs.html, sweep.to_html),
    ]
    deliver(files, lambda: print("\n".join(lines)))
    return 1 if outcome.failures else 0


def _taken_over(store: "Store", other: str) -> int:
    """Take over what another store has; return the number of parts."""
    with type(store)(other, read_only=True) as opened:
        return store.merge(opened)


def _print_status(
    specification: "SweepSpecification", cells: "Sequence[Cell]", stores: Sequence[str]
) -> int:
    """Print what stores lack and the line that submits it; return 1 if they lack something."""
    from prum.experiments.sweeps.shards import status
    from prum.simulator.model.errors import printable

    missing, submit = status(cells, stores, specification.users.budget(), specification.command)
    distinct = len({cell.key for cell in cells})
    print(
        f"{_number_of(len(stores), 'store')}: {len(missing):,} of "
        f"{_number_of(distinct, 'distinct cell')} missing"
    )
    if submit:
        print(printable(submit))
    return 1 if missing else 0


def _number_of(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _print_plan(cells: "Sequence[Cell]", store: "Store", budget: "UserBudget") -> None:
    """Print a line for each cell, then how many are not complete."""
    from prum.experiments.sweeps.shards import not_complete
    from prum.simulator.model.errors import printable

    stored = store.ranges()
    for cell in cells:
        users = sum(count for _, count in stored.get(cell.key, []))
        state = (
            f"{users:,} users stored" if users else "stored" if cell.key in stored else "missing"
        )
        print(f"{cell.key[:16]}  {printable(str(cell))}  [{state}]")
    print(
        f"{_number_of(len(cells), 'cell')}, {len({cell.key for cell in cells}):,} distinct, "
        f"{len(not_complete(cells, store, budget)):,} not complete."
    )


sweep = command(
    Command("sweep", SweepDesign, None, SweepOutputs),
    _swept,
    more=(schema_option("prum.experiments.sweeps.specification:SweepSpecification"),),
)
