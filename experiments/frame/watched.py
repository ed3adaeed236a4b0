"""What long work says of itself where Python is used by hand: a terminal, or a notebook."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Seconds until a line is shown, and between two looks at the work.
AFTER, EVERY = 2.0, 0.5

_busy = threading.Lock()


def _is_by_hand() -> bool:
    """Return whether somebody sees standard error as it is written."""
    return "ipykernel" in sys.modules or bool(sys.stderr and sys.stderr.isatty())


@contextmanager
def watched(what: str) -> Iterator[Callable[[float | None], None]]:
    """Give a function that is told the share of the work that is done, if anybody knows it.

    Work of more than two seconds has a line on standard error: its name, the share and the seconds.
    The line is wiped at the end. What is done within other work shows nothing of its own.
    """
    share: float | None = None

    def tell(done: float | None) -> None:
        nonlocal share
        share = done

    if not _is_by_hand() or not _busy.acquire(blocking=False):
        yield tell
        return
    ended, began = threading.Event(), time.monotonic()

    def show() -> None:
        wait, width = AFTER, 0
        while not ended.wait(wait):
            known = "" if share is None else f"{share:.0%}, "
            line = f"prum: {what}, {known}{time.monotonic() - began:.0f} s"
            wait, width = EVERY, max(width, len(line))
            print(f"\r{line:<{width}}", end="", file=sys.stderr, flush=True)
        if width:
            print(f"\r{'':<{width}}\r", end="", file=sys.stderr, flush=True)

    shows = threading.Thread(target=show, daemon=True)
    shows.start()
    try:
        yield tell
    finally:
        ended.set()
        shows.join()
        _busy.release()


@contextmanager
def shown_otherwise() -> Iterator[None]:
    """Keep work from showing a line of its own, where a bar shows it."""
    taken = _busy.acquire(blocking=False)
    try:
        yield
    finally:
        if taken:
            _busy.release()
