"""Parts shared by long-running commands: workers, progress, and an early end."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from prum.experiments.commands.ending import INTERRUPTED, signals_taken
from prum.experiments.frame.design import Design, Option, option
from prum.experiments.sweeps.failures import NotComputed

if TYPE_CHECKING:
    from prum.experiments.sweeps.workers import Workers

# Seconds between two looks at a bar.
_SHOW_EVERY = 0.2
# Seconds of the past by which the time left is judged.
_SPEED_OF = 600.0


def processes(what: str) -> Option:
    """Return the option of how many processes compute, on which numbers do not depend."""
    remedy = "give the number of processes"
    return Option(what, metavar="N", least=1, remedy=remedy, matters=False)


class WorkerOptions(Design):
    """Where to compute."""

    heading: ClassVar[str] = "Where to compute"

    workers: int | None = option(None, processes("Processes; all processors by default."))
    scheduler: str | None = option(
        None,
        "Dask scheduler to compute on: its address, or its scheduler file.",
        "ADDRESS",
        matters=False,
    )

    def check(self) -> None:
        """Raise UsageError for options that contradict each other."""
        super().check()
        if self.scheduler is not None and self.workers is not None:
            raise click.UsageError("--workers and --scheduler exclude each other")

    def chosen(self) -> "Workers":
        """Return the workers that are named: all processors by default."""
        if self.scheduler is None:
            from prum.experiments.sweeps.workers import on_processors

            return on_processors(self.workers)
        from prum.experiments.sweeps.cluster import Cluster

        return Cluster(self.scheduler)


@contextmanager
def computed_or(what: str) -> Iterator[None]:
    """Say in a line what came of workers that failed: "not made", say."""
    try:
        yield
    except BrokenExecutor:
        remedy = "more memory or fewer --workers may help"
        raise NotComputed(f"{what}: a process died; {remedy}") from None


@contextmanager
def interruptible(place: str | Path | None) -> Iterator[None]:
    """Take the system's request to end as Ctrl-C, and say what is left of an interrupted sweep."""
    with signals_taken() as came:
        try:
            yield
        except (KeyboardInterrupt, Exception) as error:
            if not (came or isinstance(error, KeyboardInterrupt)):
                raise
            kept = f"; what was computed is in {place}, run again to go on" if place else ""
            click.echo(f"prum: interrupted{kept}", err=True)
            raise SystemExit(INTERRUPTED) from None


@contextmanager
def shown_bar(
    before: str = "", after: str = "", *, total: float | None = 1.0, **fields: Any
) -> Iterator[Callable[..., None]]:
    """Give a function that updates a bar on a terminal, as `Progress.update` of rich has it.

    `before` and `after` stand beside the bar, with places for what is known of the `task`; so does
    the time left, if the work goes on as it has. Where there is no terminal nothing is shown.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns: list[str | ProgressColumn] = [before, BarColumn(24), after, TimeElapsedColumn()]
    with Progress(
        *(column for column in columns if column),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
        speed_estimate_period=_SPEED_OF,
    ) as progress:
        number = progress.add_task("", total=total, **fields)
        yield partial(progress.update, number)


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int], None]]:
    """Give a function that shows how many cells are done, and of how many."""
    cells = "{task.completed:,} of {task.total:,} cells"
    with shown_bar(cells, "{task.percentage:.0f}%", total=0) as update:
        shown = -_SHOW_EVERY

        def advance(done: int, number: int) -> None:
            nonlocal shown
            now = time.monotonic()
            if now >= shown + _SHOW_EVERY:
                shown = now
                update(total=number, completed=done)

        yield advance
