"""The end of a command: its exit status, and one line for what went wrong."""

import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

import click

from prum.experiments.sweeps.failures import NotComputed

MISTAKE = 2
# EX_SOFTWARE of sysexits.h.
INTERNAL = 70
# As a shell tells that a signal ended a program.
_SIGPIPE = 13  # Windows has none
INTERRUPTED, UNREAD = 128 + signal.SIGINT, 128 + _SIGPIPE

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# What is said where there is no memory for a thread's stack, or for a module to be loaded.
_NO_MEMORY = ("can't start new thread", "failed to map segment from shared object")

_MOST_TOLD = 300


def end(program: str, command: Callable[[], object]) -> NoReturn:
    """Run a command and exit with the status that it returns, 0 if that is none.

    What standard output can't encode is replaced. A mistake of the user is one line and status 2,
    an error of prum one line and 70 (and before it the traceback, if PRUM_TRACEBACK is set),
    an interruption, by Ctrl-C or SIGTERM, 130; a reader who goes away ends it quietly, 141.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    status, messages = None, list[str]()
    with signals_taken() as came:
        try:
            with quiet_if_unread():
                status = command()
                # What is still buffered fails here or never.
                if sys.stdout is not None:
                    sys.stdout.flush()
        except (click.Abort, KeyboardInterrupt):
            status, messages = INTERRUPTED, ["interrupted"]
        except Exception as error:
            status, messages = _reason(error)
        if came:
            # Whatever the library that was interrupted made of it.
            status, messages = INTERRUPTED, ["interrupted"]
    if messages:
        _drop_unwritable()
        from prum.simulator.model.errors import printable

        with suppress(OSError):
            for message in messages:
                click.echo(f"{program}: " + printable(" ".join(message.split())), err=True)
    raise SystemExit(status if isinstance(status, int) else 0)


def _reason(error: Exception) -> tuple[int, list[str]]:
    """Return the status of an error, and what is said of it."""
    from concurrent.futures import BrokenExecutor

    from prum.simulator.model import InputError

    match error:
        case click.ClickException():
            return MISTAKE, [error.format_message()]
        case NotComputed():
            lacks_memory = any(words in str(error) for words in ("MemoryError", *_NO_MEMORY))
            return MISTAKE if lacks_memory else INTERNAL, [str(error)]
        case InputError():
            return MISTAKE, str(error).split("\n")
        case BrokenExecutor():
            remedy = "more memory or fewer --workers may help"
            return INTERNAL, [f"not computed: a process died; {remedy}"]
    if isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY):
        details = f" ({error})" if str(error) else ""
        least = "a smaller input, fewer users, or fewer threads or workers need less"
        return MISTAKE, [f"out of memory{details}; {least}"]
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        return MISTAKE, [f"{name}{error.strerror or error}"]
    if os.environ.get("PRUM_TRACEBACK"):
        traceback.print_exception(error)
    return INTERNAL, [_internal(error)]


@contextmanager
def signals_taken() -> Iterator[list[int]]:
    """Raise KeyboardInterrupt for Ctrl-C and SIGTERM; give a list that holds the one that came.

    Once is enough: a second one would only disturb the end.
    """
    came: list[int] = []

    def take(number: int, _: FrameType | None) -> None:
        for signum in _SIGNALS:
            signal.signal(signum, signal.SIG_IGN)
        came.append(number)
        raise KeyboardInterrupt

    before = [signal.signal(signum, take) for signum in _SIGNALS]
    try:
        yield came
    finally:
        # Not where a signal came, here or within: what follows is the end.
        if signal.getsignal(signal.SIGINT) is take:
            for signum, handler in zip(_SIGNALS, before, strict=True):
                signal.signal(signum, handler)


class CommandGroup(click.Group):
    """A group of commands that ends alike under every click.

    Alone it shows its help, status 0; a name that is none comes with the nearest; and a reader who
    goes away is no status 1.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with help where there is nothing."""
        alone = not args and not ctx.resilient_parsing
        return super().parse_args(ctx, ["--help"] if alone else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest names where there is none."""
        name, commands = args[0], self.list_commands(ctx)
        if name in commands or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from prum.simulator.model.errors import did_you_mean

        remedy = did_you_mean(name, commands, f"{ctx.command_path} --help lists all")
        raise click.UsageError(f"no command {name!r}; {remedy}", ctx)

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """As click does; this is where help is printed."""
        with quiet_if_unread():
            return super().make_context(*arguments, **options)

    def invoke(self, context: click.Context) -> Any:
        """As click does."""
        with quiet_if_unread():
            return super().invoke(context)


@contextmanager
def quiet_if_unread() -> Iterator[None]:
    """Exit as a Unix tool does when nobody reads what it prints."""
    try:
        yield
    except BrokenPipeError:
        # Keep Python from saying so at exit.
        sys.stdout = None
        raise SystemExit(UNREAD) from None


def _internal(error: Exception) -> str:
    """Return what happened where, and what to do about it."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    message = f"internal error, {type(error).__name__}: {error}"
    if len(message) > _MOST_TOLD:
        message = f"{message[:_MOST_TOLD]}…"
    return (
        f"{message} ({os.path.basename(frame.filename)}, line {frame.lineno}); please report this "
        "line, the command and prum --info to the developers; with PRUM_TRACEBACK=1 it tells more"
    )


def _drop_unwritable() -> None:
    """Keep Python from saying at exit what has been said: that output can't be written."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        sys.stdout = None
