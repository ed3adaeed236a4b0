"""The `prum sweep` command."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prum.experiments.commands.long_work import chosen_workers, interruptible, progress_bar
from prum.experiments.commands.options import (
    check_files,
    file_option,
    input_file,
    named_file,
    schema_option,
    whole_number,
    workers_options,
)

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


@click.command()
@click.argument("specification", type=input_file, metavar="SPEC.TOML")
@click.argument("stores", type=named_file, nargs=-1, metavar="[STORES]...")
@click.option(
    "--store",
    type=named_file,
    metavar="FILE",
    help="SQLite file of results; SPEC.sqlite by default. A shard adds -I-of-N to its name.",
)
@click.option(
    "--merge",
    type=named_file,
    multiple=True,
    metavar="FILE",
    help="Take over the results of another store, and of all STORES; repeatable.",
)
@click.option(
    "--shard",
    metavar="I/N",
    help="Compute only shard I of N, counted from 1; in a SLURM array that of the task by default.",
)
@click.option(
    "--status",
    is_flag=True,
    help="Say what STORES lack and the line that submits it; compute nothing.",
)
@file_option("csv", "all rows as CSV")
@file_option("parquet", "all rows as Parquet")
@click.option("--dry-run", is_flag=True, help="List the cells, estimate the cost, compute nothing.")
@schema_option(_specification)
@workers_options
@click.option(
    "--cell",
    "keys",
    multiple=True,
    metavar="KEY",
    help="Compute a cell anew and print it, storing nothing; repeatable. Any start of its key.",
)
@click.option(
    "--users", type=whole_number, metavar="N", help="Users of each cell, instead of SPEC's."
)
@click.option("--first-user", type=whole_number, metavar="N", help="Number of the first of them.")
@click.pass_context
def sweep(
    context: click.Context,
    /,
    specification: str,
    stores: tuple[str, ...],
    store: str | None,
    merge: tuple[str, ...],
    shard: str | None,
    status: bool,
    csv_file: str | None,
    parquet_file: str | None,
    dry_run: bool,
    keys: tuple[str, ...],
    users: int | None,
    first_user: int | None,
    **where: Any,
) -> None:
    """Compute a grid of lists, ways of browsing and estimators.

    SPEC.TOML names campaigns, the values to cross and how many users to simulate. Finished cells
    are kept: run again, a sweep computes what is missing in the store and nothing else; more values
    or users in SPEC.TOML add to it. Rows are the same bytes for any workers.

    Shards are dealt to the tasks of a queue, and --merge makes one store of theirs.

    Exit status 0 if all is computed, 1 if a cell could not be or is missing, 2 for bad input.
    """
    from prum.experiments.sweeps.engine import run
    from prum.experiments.sweeps.rows import csv_bytes, parquet_bytes, table
    from prum.experiments.sweeps.shards import Shard
    from prum.experiments.sweeps.specification import SweepSpecification
    from prum.experiments.sweeps.store import Store
    from prum.experiments.views.files import check_packages, deliver
    from prum.simulator.model.errors import printable
    from prum.simulator.tables.files import STANDARD_INPUT

    outputs = {csv_bytes: csv_file, parquet_bytes: parquet_file}
    if parquet_file is not None:
        check_packages("pyarrow", extra="parquet", use="write Parquet")
    wanted = SweepSpecification.read(specification).with_users(users, first_user)
    budget, cells = wanted.users.budget(), wanted.cells()
    if store is None and specification == STANDARD_INPUT and not status:
        raise click.UsageError("a specification from standard input needs --store FILE")
    place = Path(store) if store else Path(specification).with_suffix(".sqlite")
    others = (*merge, *stores)
    if stores and not (merge or status):
        raise click.UsageError(f"{stores[0]}: stores go with --merge or --status")
    if status:
        if not others or shard or keys or dry_run or any(outputs.values()):
            raise click.UsageError("--status needs STORES, and writes nothing")
        check_files(context, *wanted.files())
        context.exit(_print_status(wanted, cells, others, users, first_user))
    if keys and shard:
        raise click.UsageError("--cell and --shard exclude each other")
    dealt = Shard.parse(shard) if shard is not None else Shard.of_array(os.environ)
    if dealt and shard is None:
        dealt.check_count(place)
    if dealt and not keys:
        cells, place = dealt.cells(cells), dealt.store_of(place)
    check_files(context, place, *wanted.files())
    if dry_run:
        # One that is not there yet is empty.
        with Store(place, read_only=True) if place.exists() else Store() as opened:
            deliver((), lambda: _print_plan(cells, opened, budget))
        return
    if keys:
        cells = _chosen(cells, keys)
    # What can be wrong is found before a store is made.
    for other in others:
        Store(other, read_only=True).close()
    with ExitStack() as stack:
        stack.enter_context(interruptible(None if keys else place))
        hands = stack.enter_context(chosen_workers(**where))
        opened = stack.enter_context(Store(None if keys else place))
        lines = []
        if others:
            number = sum(_taken_over(opened, other) for other in others)
            name = others[0] if len(others) == 1 else f"{len(others):,} stores"
            lines.append(f"{name}: {_number_of(number, 'part')} taken over")
        with progress_bar() as advance:
            outcome = run(cells, opened, hands, budget, progress=advance)
        done = [cell for cell in cells if cell.key not in outcome.failures]
        wants_rows = keys or any(outputs.values())
        rows = table(done, opened.result, budget, wanted.command) if wants_rows else None
    for reason in outcome.failures.values():
        click.echo(f"prum: not computed: {printable(reason)}", err=True)
    if not keys:
        distinct = len({cell.key for cell in cells})
        shared = f" ({distinct:,} distinct)" if distinct < len(cells) else ""
        lines.append(
            f"{place}: {_number_of(len(cells), 'cell')}{shared}, "
            f"{outcome.num_computed:,} computed now, {len(outcome.failures):,} failed"
        )
    elif rows is not None:
        lines.append(_numbers(rows))
    files = [] if rows is None else [(file, partial(form, rows)) for form, file in outputs.items()]
    deliver(files, lambda: print("\n".join(lines)))
    context.exit(1 if outcome.failures else 0)


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
    wanted: "SweepSpecification",
    cells: "Sequence[Cell]",
    stores: Sequence[str],
    users: int | None,
    first_user: int | None,
) -> int:
    """Print what stores lack and the line that submits it; return 1 if they lack something."""
    from prum.experiments.sweeps.shards import status
    from prum.simulator.model.errors import printable

    given = (("--users", users), ("--first-user", first_user))
    words = (f"{name} {value}" for name, value in given if value is not None)
    lacking = status(cells, stores, wanted.users.budget(), " ".join([wanted.command, *words]))
    for reason in lacking.failures.values():
        click.echo(f"prum: not computed: {printable(reason)}", err=True)
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

    names = ["campaign", "topic", "system", "navigation", "estimator", "seed", "r"]
    numbers = ["leading", "consulted", "precision", "precision_error", "num_users"]
    text = rows[names + numbers].to_string(index=False, na_rep="")
    return "\n".join(map(printable, text.split("\n")))
