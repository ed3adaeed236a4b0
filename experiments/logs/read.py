"""Logs in whatever shape people have them, read as sessions: visits put together and checked."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.logs.rows import LEFT, NO_STOP, LogRows, codes, rows_of_log, used
from prum.experiments.logs.sessions import BACK, Sessions, depths, led_to
from prum.experiments.logs.trajectories.agents import Tools
from prum.experiments.logs.trajectories.read import (
    as_trajectories,
    format_of_table,
    read_trajectories,
)
from prum.experiments.logs.trajectories.trajectory import sessions_of_trajectories
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.tables.files import place
from prum.simulator.tables.layout import Choice, DataTable, is_unicode
from prum.simulator.tables.read import as_frame, is_one_table, tables

if TYPE_CHECKING:
    import pandas as pd


def read_sessions(
    log: Any, *, back: str | None = BACK, tools: str | Tools | None = None
) -> Sessions:
    r"""Return the sessions of a log.

    Parameters
    ----------
    log
        A file, a data frame or records, `Sessions`, or sequences of names of elements, a session
        each. The suffix of a file's name tells the format, as for `read_links`. A table has the
        columns session and element, and optionally time, person and entry, or their aliases (see
        docs/reference/logs.md); others are not read. Rows of a session follow each other, in the
        order of time. Of a log of `prum simulate` or `prum generate`, whatever its order, each
        (system, user, session, query) is a session, and what was consulted an entry. Logs of agents
        and of other simulators are known by what they hold, and read as `read_trajectories` has it;
        `lost` of the sessions counts the rest. Of these alone there may be folders, and several
        files.
    back
        An element called so is a back click; with None there are none.
    tools
        As of `read_trajectories`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = path.write_text("session,time,element\n1,0,a\n1,4,b\n1,9,<\n2,0,b\n")
    >>> list(read_sessions(path)), list(read_sessions([["a", "b"], ["b"]]))
    ([('a', 'b', 'a'), ('b',)], [('a', 'b'), ('b',)])
    """
    if not isinstance(back, str | None):
        remedy = "give the name that stands for one, or None"
        raise InputError("back click", back, "be a text", remedy=remedy)
    if isinstance(log, Sessions):
        return log
    if is_one_table(log) and format_of_table(log):
        return _checked(sessions_of_trajectories(read_trajectories(log, tools=tools)), "the log")
    if is_one_table(log):
        frame = as_frame(log)

        def rows(choice: Choice) -> Iterator[DataTable]:
            values = {name: frame[name] for name in choice(list(frame.columns), "")}
            yield DataTable(values, range(len(frame)), origin="data frame")

        return _sessions(rows_of_log(rows, "data frame"), back)
    many = log if isinstance(log, list | tuple) else ()
    if isinstance(log, str | os.PathLike) or (
        many and all(isinstance(path, str | os.PathLike) for path in many)
    ):
        with as_trajectories(log, Tools.of(tools)) as (file, trajectories):
            if trajectories is not None:
                return _checked(sessions_of_trajectories(trajectories), place(file))
            return _sessions(rows_of_log(lambda choice: tables(file, choice), place(file)), back)
    sessions = [log] if isinstance(log, Mapping) or not hasattr(log, "__iter__") else list(log)
    for session in sessions:
        if isinstance(session, str) or not isinstance(session, Sequence):
            rule = "be a file, a data frame, Sessions, or sequences of names of elements"
            raise InputError("log", session, rule, remedy='give [["a", "b"], ["c"]], say')
    return _checked(Sessions.of(sessions, back=back), "the log", are_made=True)


def _checked(sessions: Sessions, place: str, *, are_made: bool = False) -> Sessions:
    """Return sessions, and raise InputError if they tell nothing of where people went."""
    if not len(sessions):
        thing, value, rule = "number of visits in the log", 0, "be at least 1"
        remedy = "check what wrote the file"
    elif are_made:
        return sessions
    elif len(sessions.element) == len(sessions):
        thing, value, rule = "visits of each session", 1, "be at least 2 in one of them"
        remedy = "give rows of one session the same id"
    elif len(sessions.elements) < 2:
        thing, value, rule = "number of elements in the log", 1, "be at least 2"
        remedy = f"all visits are of {sessions.elements[0]!r}; check the column of elements"
    else:
        return sessions
    raise InputError(thing, value, rule, remedy=remedy, place=place)


_FLAGS = {"true": True, "1": True, "1.0": True, "": False, "false": False, "0": False, "0.0": False}
_SORT = "sort the log by session and time"
_BACK_CLICK = "back click"


def _sessions(log: LogRows, back: str | None) -> Sessions:
    """Return the sessions of rows, in which an element of the name `back` is a back click.

    Raise InputError for the first row that is wrong, and for a log that tells nothing.
    """
    if log.are_made:
        order = np.argsort(log.frame["session"].cat.codes, kind="stable")
        log = replace(log, frame=log.frame.iloc[order])
    rows = log.frame
    if len(rows):
        _check_names(log)
        _check_sessions(log)
    session, names = codes(rows, "session")
    is_cut = np.zeros(len(names), dtype=np.bool_)
    is_back: Flags = (rows["element"] == back).to_numpy(np.bool_)
    if log.are_made:
        is_cut[session] = True
        is_cut[session[rows["stop"] == LEFT]] = False
        rows, is_back = _returning(replace(log, frame=rows[rows["stop"] == NO_STOP]))
        log = replace(log, frame=rows)
        session, _ = codes(rows, "session")
    changes = np.diff(session, prepend=-2) != 0
    first = np.flatnonzero(changes)
    is_entry = changes | _begins(log)
    written, names = codes(rows, "element")
    element = led_to(written, is_entry, is_back)
    wrong = depths(is_entry, is_back) < 1
    if log.are_made:
        wrong |= is_back & (element != _origins(rows))
        rule = "be the element before, or the one that was consulted"
        log.refuse(wrong, "origin", rule, "correct the log")
    log.refuse(wrong, _BACK_CLICK, "lead to an element before it", "leave it out", back)
    element, names = used(element, names)
    person, persons = codes(rows, "person")
    person, persons = used(person[first], persons)
    made = Sessions(
        tuple(names.tolist()),
        element,
        np.append(first, len(rows)),
        is_entry,
        is_back,
        tuple(persons.tolist()),
        person,
        is_cut[session[first]],
    )
    return _checked(made, log.place, are_made=log.are_made)


def _check_names(log: LogRows) -> None:
    """Raise for a session or an element without a name, and for names that are no text."""
    for thing in ("session", "element", "person"):
        code, names = codes(log.frame, thing)
        is_named = thing == "person" or code.min() >= 0
        if is_named and set(map(type, names)) <= {str} and is_unicode("".join(names)):
            continue
        is_text = [isinstance(name, str) and is_unicode(name) for name in names]
        wrong = ~np.array([*is_text, thing == "person"])[code]
        if thing == "element":
            wrong &= log.frame["stop"].to_numpy() == NO_STOP
        log.refuse(wrong, thing, "be a text that is not empty", "name it, or leave the row out")


def _check_sessions(log: LogRows) -> None:
    """Raise for sessions that are there twice, of two people, or whose time runs backwards."""
    import pandas as pd

    rows, (session, _) = log.frame, codes(log.frame, "session")
    changes = np.diff(session, prepend=-2) != 0
    twice = ~changes & (np.roll(rows["stop"], 1) > NO_STOP)
    twice[changes] = pd.Series(session[changes]).duplicated()
    log.refuse(twice, "session", "have its rows one after the other, and end once", _SORT)
    time = rows["time"].to_numpy()
    backwards = ~changes & np.append(False, time[1:] < time[:-1])
    log.refuse(backwards, "time", "not be before that of the row before it in the session", _SORT)
    other = ~changes & (np.diff(codes(rows, "person")[0], prepend=0) != 0)
    rule, remedy = "be that of the row before it in the session", "give each person sessions"
    log.refuse(other, "person", rule, f"{remedy} of their own")


def _begins(log: LogRows) -> Flags:
    """Return which rows begin a path, besides the first of each session."""
    entry, names = codes(log.frame, "entry")
    texts = [*(str(name).lower() for name in names), ""]
    wrong = np.array([name not in _FLAGS for name in texts])[entry]
    log.refuse(wrong, "entry", "be true or false, or 1 or 0", "correct the row")
    begins: Flags = np.array([_FLAGS.get(name, False) for name in texts])[entry]
    return begins


def _returning(log: LogRows) -> tuple["pd.DataFrame", Flags]:
    """Return visits of logs that are made, with the back clicks in between, and these.

    People who see y and then z from x went back to x.
    """
    rows = log.frame
    came = rows["origin"].notna().to_numpy()
    returns = came & (_origins(rows) != np.roll(codes(rows, "element")[0], 1))
    changes = np.diff(codes(rows, "session")[0], prepend=-2) != 0
    rule, remedy = "have been consulted before", "give the log from the sessions' beginnings"
    log.refuse(changes & came, "origin", rule, remedy)
    whole = np.repeat(np.arange(len(rows)), 1 + returns)
    return rows.iloc[whole], np.append(whole[1:] == whole[:-1], False)[: len(whole)]


def _origins(rows: "pd.DataFrame") -> Ints:
    """Return the origin of each row as a code of elements, -2 for what is none."""
    code_of = {name: code for code, name in enumerate(rows["element"].cat.categories)}
    origin, names = codes(rows, "origin")
    return np.array([*(code_of.get(name, -2) for name in names), -2], dtype=np.int64)[origin]
