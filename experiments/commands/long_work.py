"""Parts shared by long-running commands: workers, progress, and an early end."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from prum.experiments.commands.ending import INTERRUPTED, signals_taken
from prum.experiments.frame.design import Design, Option, option
from prum.experiments.sweeps.failures import NotComputed

if TYPE_CHECKING:
    from prum.experiments.sweeps.progress import Progress
    from prum.experiments.sweeps.workers import Workers

# Seconds until a line where there is no terminal, at least, and between two looks at a bar.
_SAY_EVERY = 30.0
_SHOW_EVERY = 0.2


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
    the time left, judging by the updates' `share` of the work or `left`, seconds. Where there is
    no terminal a line says the same now and then.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TimeElapsedColumn
    from rich.text import Text

    time_left = TimeLeft()

    class Left(ProgressColumn):
        def render(self, task: Task) -> Text:  # noqa: ARG002 - rich's signature
            seconds = time_left.seconds
            return Text("" if seconds is None else f"{clock_time(seconds)} left")

    console = Console(stderr=True)
    texts: list[str | ProgressColumn] = [before, BarColumn(24), after, TimeElapsedColumn(), Left()]
    columns = [column for column in texts if column]
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        number = progress.add_task("", total=total, **fields)

        def update(share: float | None = None, left: float | None = None, **changes: Any) -> None:
            time_left.hear(share, left)
            progress.update(number, **changes)

        def line() -> str:
            (task,) = progress.tasks
            words = [text.format(task=task) for text in (before, after) if text]
            seconds = time_left.seconds
            words += [] if seconds is None else [f"about {in_words(seconds)} left"]
            return ", ".join(word for word in words if word)

        shown = nullcontext() if console.is_terminal else _said_now_and_then(line)
        with shown:
            yield update


@contextmanager
def _said_now_and_then(line: Callable[[], str]) -> Iterator[None]:
    """Say a line on standard error after half a minute, and again after ever longer times."""
    ended, began = threading.Event(), time.monotonic()

    def say() -> None:
        while not ended.wait(max(_SAY_EVERY, (time.monotonic() - began) / 2)):
            if text := line():
                click.echo(f"prum: {text}", err=True)

    threading.Thread(target=say, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


@contextmanager
def progress_bar() -> "Iterator[Callable[[Progress], object]]":
    """Give a function that shows the progress of a sweep."""
    cells = "{task.fields[done]:,} of {task.fields[cells]:,} cells"
    with shown_bar(cells, "{task.fields[part]}", total=None, done=0, cells=0, part="") as update:
        shown = -_SHOW_EVERY

        def advance(progress: "Progress") -> None:
            nonlocal shown
            now = time.monotonic()
            if now < shown + _SHOW_EVERY:
                return
            shown, share = now, progress.share
            update(
                left=progress.left,
                total=1.0,
                completed=share,
                done=progress.cells_done,
                cells=progress.num_cells,
                part=f"{share:.0%}",
            )

        yield advance


class TimeLeft:
    """What is left, from shares of the work or from estimates of the time.

    Shares: the work goes on as fast as since the first of them, which took what has to be done
    once, such as reading files. Between reports the clock runs; what is overdue is taken to need as
    long again as it is late.

    >>> clock = iter([0.0, 2.0, 4.0, 5.0])
    >>> left = TimeLeft(lambda: next(clock))
    >>> left.hear(0.1)
    >>> left.hear(0.2)
    >>> left.seconds
    15.0
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._first: tuple[float, float] | None = None
        self._heard: tuple[float, float] | None = None

    def hear(self, share: float | None = None, seconds: float | None = None) -> None:
        """Take note of the share that is done, or of the seconds that are said to be left."""
        now = self._clock()
        if seconds is not None:
            self._heard = now, seconds
        elif share is not None and share > 0:
            begun, before = self._first or (self._began, 0.0)
            if self._first is None:
                self._first = now, share
            if share > before:
                self._heard = now, (1 - share) * (now - begun) / (share - before)

    @property
    def seconds(self) -> float | None:
        """Seconds left; None where nothing is known."""
        if self._heard is None:
            return None
        when, left = self._heard
        return abs(when + left - self._clock())


def clock_time(seconds: float) -> str:
    """Return seconds as a clock shows them.

    >>> clock_time(7.2), clock_time(200), clock_time(7384)
    ('0:00:08', '0:03:20', '2:03:04')
    """
    whole = math.ceil(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def in_words(seconds: float) -> str:
    """Return about how long that is: two digits, for nobody knows more.

    >>> [in_words(seconds) for seconds in (3, 75, 600, 5000, 100_000)]
    ['3 s', '75 s', '10 min', '83 min', '28 h']
    """
    for size, unit in ((1.0, "s"), (60.0, "min"), (3600.0, "h")):
        if seconds < 100 * size or unit == "h":
            return f"{max(1, round(seconds / size)):,} {unit}"
    raise AssertionError
