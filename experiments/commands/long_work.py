"""Parts shared by long-running commands: workers, progress, and an early end."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import click

from prum.experiments.commands.ending import INTERRUPTED, signals_taken
from prum.experiments.frame.design import Design, Option, option

if TYPE_CHECKING:
    from prum.experiments.frame.verb import Advance
    from prum.experiments.sweeps.workers import Workers

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
        from prum.experiments.sweeps.workers import Cluster

        return Cluster(self.scheduler)


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
def progress_bar(parts: int | None = None, *, is_told: bool = True) -> "Iterator[Advance]":
    """Give a function that shows on a terminal what is done: of `parts`, else as a share.

    So is the time left, if the work goes on as it has. Work that tells nothing has a bar alone.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    done = "{task.percentage:.0f} %" if parts is None else "{task.completed:.0f}/{task.total}"
    with Progress(
        BarColumn(24),
        done if is_told else "",
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
        speed_estimate_period=_SPEED_OF,
    ) as progress:
        number = progress.add_task("", total=(parts or 1.0) if is_told else None)
        yield lambda done: progress.update(number, completed=done)
