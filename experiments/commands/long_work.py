"""Parts shared by long-running commands: workers, progress, and an early end."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from prum.experiments.sweeps.progress import Progress
    from prum.experiments.sweeps.workers import Workers


def chosen_workers(
    workers: int | None,
    scheduler: str | None = None,
    tls_ca: str | None = None,
    tls_certificate: str | None = None,
    tls_key: str | None = None,
) -> "Workers":
    """Return the workers that a command's options name: all processors by default.

    Raises
    ------
    UsageError
        for options that contradict each other.
    """
    from prum.experiments.sweeps.cluster import Cluster
    from prum.experiments.sweeps.workers import on_processors

    if scheduler is None:
        if tls_ca or tls_certificate or tls_key:
            raise click.UsageError("--tls-... go with --scheduler")
        return on_processors(workers)
    if workers is not None:
        raise click.UsageError("--workers and --scheduler exclude each other")
    return Cluster(scheduler, ca=tls_ca, certificate=tls_certificate, key=tls_key)


@contextmanager
def interruptible(place: str | Path | None) -> Iterator[None]:
    """Take the system's request to end as Ctrl-C, and say what is left of an interrupted sweep."""

    signals = (signal.SIGINT, signal.SIGTERM)

    def end(_: int, __: FrameType | None) -> None:
        # Once is enough; a second time would only disturb the end.
        for number in signals:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = [signal.signal(number, end) for number in signals]
    try:
        yield
    except KeyboardInterrupt:
        kept = f"; what was computed is in {place}, run again to go on" if place else ""
        click.echo(f"prum: interrupted{kept}", err=True)
        raise SystemExit(130) from None
    finally:
        if signal.getsignal(signal.SIGINT) is end:
            for number, handler in zip(signals, before, strict=True):
                signal.signal(number, handler)


@contextmanager
def shown_bar(
    before: str = "", after: str = "", *, total: float | None = 1.0, **fields: Any
) -> Iterator[Callable[..., None]]:
    """Give a function that updates a bar on a terminal, as `Progress.update` of rich has it.

    `before` and `after` stand beside the bar, with places for what is known of the `task`. No time
    to come is shown: what jobs took on other sizes and processors would be a guess.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TimeElapsedColumn

    console = Console(stderr=True)
    texts: list[str | ProgressColumn] = [before, BarColumn(), after, TimeElapsedColumn()]
    columns = [column for column in texts if column]
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        yield partial(progress.update, progress.add_task("", total=total, **fields))


@contextmanager
def progress_bar() -> "Iterator[Callable[[Progress], object]]":
    """Give a function that shows the progress of a sweep, on a terminal."""
    cells = "{task.fields[done]:,} of {task.fields[cells]:,} cells"
    with shown_bar(cells, "{task.fields[share]}", total=None, done=0, cells=0, share="") as update:

        def advance(progress: "Progress") -> None:
            share = progress.share
            update(
                total=None if share is None else 1.0,
                completed=share or 0.0,
                done=progress.cells_done,
                cells=progress.num_cells,
                share="" if share is None else f"{share:.0%}",
            )

        yield advance
