"""Logs in whatever shape Python has them, as batches of sessions."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from prum.experiments.logs.session_files import read_sessions, sessions_of_frames
from prum.experiments.logs.sessions import BACK, Sessions
from prum.simulator.model import InputError

_SESSIONS_AT_ONCE = 50_000


def sessions_of(log: Any, *, back: str | None = BACK) -> Iterator[Sessions]:
    """Yield the sessions of a log, batch by batch.

    Parameters
    ----------
    log
        The name of a file as `read_sessions` takes it, a data frame of pandas with the same
        columns, `Sessions`, batches of these or of frames, or sequences of names of elements, a
        session each. What can be gone through once only is used up.

    Raises
    ------
    InputError, OSError
        as `read_sessions` and `Sessions.of`; for anything else.

    >>> [len(batch) for batch in sessions_of([["a", "b"], ["b"]])]
    [2]
    """
    if isinstance(log, Sessions):
        yield log
        return
    import pandas as pd

    if isinstance(log, pd.DataFrame):
        yield from sessions_of_frames([log], back=back)
        return
    if isinstance(log, str | os.PathLike):
        yield from read_sessions(log, back=back)
        return
    try:
        items = iter(log)
    except TypeError:
        raise _no_log(log) from None
    for first in items:
        rest = chain([first], items)
        if isinstance(first, Sessions):
            yield from rest
            return
        if isinstance(first, pd.DataFrame):
            yield from sessions_of_frames(rest, back=back)
            return
        yield from _of_names(rest, back)


def _of_names(sessions: Iterable[Any], back: str | None) -> Iterator[Sessions]:
    rows = iter(sessions)
    while batch := list(islice(rows, _SESSIONS_AT_ONCE)):
        for session in batch:
            if isinstance(session, str) or not isinstance(session, Sequence):
                raise _no_log(session)
        yield Sessions.of(batch, back=back)


def _no_log(value: object) -> InputError:
    rule = "be a file, a data frame, Sessions, or sequences of names of elements"
    return InputError("log", value, rule, remedy='give [["a", "b"], ["c"]], say')
