"""What commands that compute long have in common: where, how far, and how they end early."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from prum.experiments.sweeps.progress import Progress
    from prum.experiments.sweeps.workers import Workers


class NotComputed(Exception):
    """A value that is needed could not be computed; the message says which, and why."""


def chosen_workers(
    number: int | None,
    scheduler: str | None = None,
    ca: str | None = None,
    certificate: str | None = None,
    key: str | None = None,
) -> "Workers":
    """Return the workers that a command's options name: all processors by default.

    Raises
    ------
    UsageError
        for options that contradict each other.
    """
    from prum.experiments.sweeps.cluster import Cluster
    from prum.experiments.sweeps.workers import Here, Processes

    if scheduler is None:
        if ca or certificate or key:
            raise click.UsageError("--tls-... go with --scheduler")
        number = len(os.sched_getaffinity(0)) if number is None else number
        return Here() if number == 1 else Processes(number)
    if number is not None:
        raise click.UsageError("--workers and --scheduler exclude each other")
    return Cluster(scheduler, ca=ca, certificate=certificate, key=key)


@contextmanager
def interruptible(place: str | Path | None) -> Iterator[None]:
    """Take the system's request to end as Ctrl-C, and say what is left of an interrupted sweep."""

    def end(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except KeyboardInterrupt:
        if place is not None:
            click.echo(f"prum: what was computed is in {place}; run again to go on", err=True)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def progress_bar() -> "Iterator[Callable[[Progress], object]]":
    """Give a function that shows progress, on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.fields[done]:,} of {task.fields[cells]:,} cells"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=1.0, done=0, cells=0)

        def advance(progress: "Progress") -> None:
            bar.update(
                task, completed=progress.share, done=progress.cells_done, cells=progress.num_cells
            )

        yield advance
