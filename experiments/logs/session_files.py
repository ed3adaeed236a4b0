"""Logs as sessions: visits put together and checked, back clicks followed."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from prum.experiments.logs.assembly import Assembly
from prum.experiments.logs.sessions import BACK, Sessions
from prum.experiments.logs.visit_rows import LogColumns, VisitRows
from prum.simulator.model.arrays import Flags
from prum.simulator.tables.files import FilePath, place
from prum.simulator.tables.raw import RawTable, tables


def read_sessions(path: FilePath, *, back: str | None = BACK) -> Iterator[Sessions]:
    """Yield the sessions of a log, some 100,000 rows at a time.

    The suffix of the name tells the format, as for `read_links`. A log has the columns session and
    element, and at will time, person and entry, or their aliases (see docs/reference/logs.md);
    others are not read. Rows of a session follow each other, in the order of time. An element
    called `back` is a back click; with None there are none. Of a log of `prum simulate` or `prum
    generate`, whatever its order, each (system, user, session, query) is a session, and what was
    consulted an entry.

    Raises
    ------
    InputError
        for a file that breaks the format; an empty id, a time that is none, one before that of the
        row before, a session of two people or whose rows do not follow each other, a back click
        with nothing to go back to, all with the line; for a log in which no session has two visits,
        or all are of one element.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = path.write_text("session,time,element\\n1,0,a\\n1,4,b\\n1,9,<\\n2,0,b\\n")
    >>> [list(batch) for batch in read_sessions(path)]
    [[('a', 'b', 'a')], [('b',)]]
    """
    yield from _sessions(lambda columns: tables(path, columns), place(path), back)


def sessions_of_frames(frames: Iterable[Any], *, back: str | None = BACK) -> Iterator[Sessions]:
    """Yield the sessions of data frames with the columns of a log, read as if they were one.

    Raises
    ------
    InputError
        as `read_sessions`.
    """

    def as_tables(columns: LogColumns) -> Iterator[RawTable]:
        number = 0
        for frame in frames:
            values = {name: frame[name] for name in columns(list(frame.columns), "")}
            yield RawTable(values, np.arange(number, number + len(frame)), "row", typed=True)
            number += len(frame)

    yield from _sessions(as_tables, "data frame", back)


def _sessions(
    read: Callable[[LogColumns], Iterator[RawTable]], place: str, back: str | None
) -> Iterator[Sessions]:
    columns, rest = LogColumns(place), None
    assembly = Assembly(place, back)
    for table in read(columns):
        rows = columns.rows(table)
        rows = rows if rest is None else rest.and_then(rows)
        is_whole = _stopped(rows) if columns.are_made else _followed(rows)
        assembly.unit = table.unit
        if is_whole.any():
            yield from assembly.sessions(rows[is_whole], are_made=columns.are_made)
        rest = rows[~is_whole]
    if rest is not None and len(rest):
        yield from assembly.sessions(rest, are_made=columns.are_made)
    assembly.check(are_made=columns.are_made)


def _followed(rows: VisitRows) -> Flags:
    """Return which rows are of a session that another one follows."""
    changes = np.flatnonzero(np.diff(rows.session.codes))
    return np.arange(len(rows)) <= (changes[-1] if len(changes) else -1)


def _stopped(rows: VisitRows) -> Flags:
    """Return which rows are of a session whose end is there."""
    ended = np.zeros(len(rows.session.names), dtype=np.bool_)
    ended[rows.session.codes[rows.stop > 0]] = True
    return ended[rows.session.codes]
