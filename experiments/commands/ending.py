"""The end of a command: its exit status, and one line for what went wrong."""

import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import click

from prum.experiments.sweeps.failures import NotComputed

MISTAKE = 2
# EX_SOFTWARE of sysexits.h.
INTERNAL = 70
# As a shell tells that a signal ended a program.
INTERRUPTED, UNREAD = 128 + signal.SIGINT, 128 + signal.SIGPIPE

_MOST_TOLD = 300


def end(program: str, command: Callable[[], object]) -> NoReturn:
    """Run a command and exit with the status that it returns, 0 if that is none.

    What standard output can't encode is replaced. A mistake of the user is one line and status 2,
    an error of prum one line and 70 (and before it the traceback, if PRUM_TRACEBACK is set),
    an interruption 130; a reader who goes away ends it quietly, 141.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with quiet_if_unread():
            status = command()
            # What is still buffered fails here or never.
            if sys.stdout is not None:
                sys.stdout.flush()
    except click.ClickException as error:
        _fail(program, error.format_message())
    except click.Abort:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _fail(program, "interrupted", status=INTERRUPTED)
    except NotComputed as error:
        _fail(program, str(error), status=INTERNAL)
    except MemoryError as error:
        details = f" ({error})" if str(error) else ""
        _fail(
            program,
            f"out of memory{details}; a smaller input, fewer users, or fewer threads or workers "
            "need less",
        )
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        _fail(program, f"{name}{error.strerror or error}")
    except Exception as error:
        from prum.simulator.model import InputError

        if isinstance(error, InputError):
            _fail(program, *str(error).split("\n"))
        if os.environ.get("PRUM_TRACEBACK"):
            traceback.print_exc()
        _fail(program, _internal(error), status=INTERNAL)
    raise SystemExit(status if isinstance(status, int) else 0)


class CommandGroup(click.Group):
    """A group of commands where a reader who goes away is no status 1, as click would have it."""

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
        "line and the command to the developers of prum; with PRUM_TRACEBACK=1 it tells more"
    )


def _fail(program: str, *messages: str, status: int = MISTAKE) -> NoReturn:
    _drop_unwritable()
    from prum.simulator.model.errors import printable

    with suppress(OSError):
        for message in messages:
            click.echo(f"{program}: " + printable(" ".join(message.split())), err=True)
    raise SystemExit(status)


def _drop_unwritable() -> None:
    """Keep Python from saying at exit what has been said: that output can't be written."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        sys.stdout = None
