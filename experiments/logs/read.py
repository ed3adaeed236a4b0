"""Logs in whatever shape people have them, read as sessions: visits put together and checked."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.logs.rows import LEFT, NO_STOP, LogColumns, codes, used
from prum.experiments.logs.sessions import BACK, Sessions, depths, led_to, places_in
from prum.experiments.logs.trajectories.agents import Tools
from prum.experiments.logs.trajectories.read import (
    Logs,
    as_trajectories,
    format_of_table,
    read_trajectories,
)
from prum.experiments.logs.trajectories.trajectory import sessions_of_trajectories
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.tables.files import place
from prum.simulator.tables.layout import RawTable, is_unicode
from prum.simulator.tables.read import as_frame, is_one_table, tables

if TYPE_CHECKING:
    import pandas as pd

_SESSIONS_AT_ONCE = 50_000


def sessions_of(
    log: Any, *, back: str | None = BACK, tools: str | Tools | None = None
) -> Iterator[Sessions]:
    """Yield the sessions of a log, batch by batch.

    Parameters
    ----------
    log
        The names of files as `read_sessions` takes them, a data frame or records with the same
        columns, `Sessions`, batches of these or of frames, or sequences of names of elements, a
        session each. What can be gone through once only is used up.
    back, tools
        As of `read_sessions`.

    >>> [len(batch) for batch in sessions_of([["a", "b"], ["b"]])]
    [2]
    """
    if not isinstance(back, str | None):
        remedy = "give the name that stands for one, or None"
        raise InputError("back click", back, "be a text", remedy=remedy)
    if isinstance(log, Sessions):
        yield log
        return
    if is_one_table(log):
        if format_of_table(log):
            yield from _checked(sessions_of_trajectories(read_trajectories(log, tools=tools)))
        else:
            yield from sessions_of_frames([log], back=back)
        return
    many = log if isinstance(log, list | tuple) else ()
    are_files = [isinstance(one, str | os.PathLike) and os.path.exists(one) for one in many]
    if isinstance(log, str | os.PathLike) or (many and all(are_files)):
        yield from read_sessions(log, back=back, tools=tools)
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
        if is_one_table(first):
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


def read_sessions(
    log: Logs, *, back: str | None = BACK, tools: str | Tools | None = None
) -> Iterator[Sessions]:
    """Yield the sessions of a log, some 100,000 rows at a time.

    The suffix of the name tells the format, as for `read_links`. A log has the columns session and
    element, and optionally time, person and entry, or their aliases (see docs/reference/logs.md);
    others are not read. Rows of a session follow each other, in the order of time. An element
    called `back` is a back click; with None there are none. Of a log of `prum simulate` or `prum
    generate`, whatever its order, each (system, user, session, query) is a session, and what was
    consulted an entry. Logs of agents and of other simulators are known by what they hold, and
    read as `read_trajectories` has it, with `tools`; `lost` of the sessions counts the rest. Of
    these alone there may be folders, and several files.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = path.write_text("session,time,element\\n1,0,a\\n1,4,b\\n1,9,<\\n2,0,b\\n")
    >>> [list(batch) for batch in read_sessions(path)]
    [[('a', 'b', 'a')], [('b',)]]
    """
    with as_trajectories(log, Tools.of(tools)) as (file, found):
        if found is None:
            yield from _sessions(lambda columns: tables(file, columns), place(file), back)
            return
        yield from _checked(sessions_of_trajectories(found), place(file))


def _checked(batches: Iterable[Sessions], place: str = "the log") -> Iterator[Sessions]:
    """Yield sessions, and raise InputError if they tell nothing of where people went."""
    assembly = Assembly(place, None)
    for batch in batches:
        assembly.note(batch)
        yield batch
    assembly.check(are_made=False)


def sessions_of_frames(frames: Iterable[Any], *, back: str | None = BACK) -> Iterator[Sessions]:
    """Yield the sessions of data frames with the columns of a log, read as if they were one.

    Raise InputError as `read_sessions`.
    """

    def as_tables(columns: LogColumns) -> Iterator[RawTable]:
        number = 0
        for frame in map(as_frame, frames):
            values = {name: frame[name] for name in columns(list(frame.columns), "")}
            yield RawTable(values, np.arange(number, number + len(frame)), "row", typed=True)
            number += len(frame)

    yield from _sessions(as_tables, "data frame", back)


def _sessions(
    read: Callable[[LogColumns], Iterator[RawTable]], place: str, back: str | None
) -> Iterator[Sessions]:
    columns = LogColumns(place)
    assembly = Assembly(columns.place, back)
    for rows, assembly.unit in columns.of_whole_sessions(read(columns)):
        yield from assembly.sessions(rows, are_made=columns.are_made)
    assembly.check(are_made=columns.are_made)


_FLAGS = {"true": True, "1": True, "1.0": True, "": False, "false": False, "0": False, "0.0": False}
_SORT = "sort the log by session and time"
_BACK_CLICK = "back click"


class Assembly:
    """Makes sessions of the rows of one log.

    Parameters
    ----------
    place
        Of the log, in messages.
    back
        How a back click is called; None if there are none.
    """

    def __init__(self, place: str, back: str | None) -> None:
        self._place, self._back = place, back
        self.unit = "row"
        # 64 bits of each name: among ten million two are the same by a chance of 3 in a million.
        self._seen = np.zeros(0, dtype=np.uint64)
        self._num_sessions, self._most_visits = 0, 0
        self._some_elements: set[str] = set()

    def sessions(self, rows: "pd.DataFrame", *, are_made: bool) -> Iterator[Sessions]:
        """Yield the sessions of these rows, all of each; none if nothing was visited.

        Raise InputError for the first of the rows that is wrong.
        """
        if are_made:
            rows = rows.iloc[np.argsort(rows["session"].cat.codes, kind="stable")]
        self._check_names(rows)
        self._check_sessions(rows)
        session, names = codes(rows, "session")
        is_cut = np.zeros(len(names), dtype=np.bool_)
        is_back: Flags = (rows["element"] == self._back).to_numpy(np.bool_)
        if are_made:
            is_cut[session] = True
            is_cut[session[rows["stop"] == LEFT]] = False
            rows, is_back = self._returning(rows[rows["stop"] == NO_STOP])
            if not len(rows):
                return
            session, _ = codes(rows, "session")
        changes = np.diff(session, prepend=-2) != 0
        first = np.flatnonzero(changes)
        is_entry = changes | self._begins(rows)
        own, names = codes(rows, "element")
        element = led_to(own, is_entry, is_back)
        wrong = depths(is_entry, is_back) < 1
        if are_made:
            wrong |= is_back & (element != _origins(rows))
            rule = "be the element before, or the one that was consulted"
            self._refuse(wrong, rows, "origin", rule, "correct the log")
        self._refuse(wrong, rows, _BACK_CLICK, "lead to an element before it", "leave it out")
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
        self.note(made)
        yield made

    def note(self, batch: Sessions) -> None:
        """Take note of sessions, for `check`."""
        self._num_sessions += len(batch)
        most = int(np.diff(batch.starts).max(initial=0))
        self._most_visits = max(self._most_visits, most)
        self._some_elements = set([*self._some_elements, *batch.elements[:2]][:3])

    def check(self, *, are_made: bool) -> None:
        """Raise for a log that was read to its end and tells nothing of where people went.

        Raise InputError for a log of no session, of single visits, of one element.
        """
        if not self._num_sessions:
            thing, value, rule = "number of visits in the log", 0, "be at least 1"
            remedy = "check what wrote the file"
        elif are_made:
            return
        elif self._most_visits < 2:
            thing, value, rule = "visits of each session", 1, "be at least 2 in one of them"
            remedy = "give rows of one session the same id"
        elif len(self._some_elements) < 2:
            thing, value, rule = "number of elements in the log", 1, "be at least 2"
            remedy = f"all visits are of {min(self._some_elements)!r}; check the column of elements"
        else:
            return
        raise InputError(thing, value, rule, remedy=remedy, place=self._place)

    def _refuse(
        self, wrong: Flags, rows: "pd.DataFrame", column: str, rule: str, remedy: str
    ) -> None:
        """Raise for what a column holds in the first row that is wrong, or for a back click."""
        if not wrong.any():
            return
        row = int(np.argmax(wrong))
        place = f"{self._place}, {self.unit} {rows['number'].iloc[row]}"
        value: Any = self._back if column == _BACK_CLICK else rows[column].iloc[row]
        if column == "time" and not isinstance(value, float):
            value = value.isoformat()
        elif isinstance(value, float) and value != value:
            value = ""
        raise InputError(column, value, rule, remedy=remedy, place=place)

    def _check_names(self, rows: "pd.DataFrame") -> None:
        """Raise for a session or an element without a name, and for names that are no text."""
        for thing in ("session", "element", "person"):
            own, names = codes(rows, thing)
            is_named = thing == "person" or own.min() >= 0
            if is_named and set(map(type, names)) <= {str} and is_unicode("".join(names)):
                continue
            is_text = [isinstance(name, str) and is_unicode(name) for name in names]
            wrong = ~np.array([*is_text, thing == "person"])[own]
            if thing == "element":
                wrong &= rows["stop"].to_numpy() == NO_STOP
            rule, remedy = "be a text that is not empty", "name it, or leave the row out"
            self._refuse(wrong, rows, thing, rule, remedy)

    def _check_sessions(self, rows: "pd.DataFrame") -> None:
        """Raise for sessions that are there twice, of two people, or whose time runs backwards."""
        import pandas as pd

        session, names = codes(rows, "session")
        changes = np.diff(session, prepend=-2) != 0
        first = np.flatnonzero(changes)
        twice = np.zeros(len(rows), dtype=np.bool_)
        once = ~pd.Series(session[first]).duplicated().to_numpy()
        twice[first[~once]] = True
        keys = pd.util.hash_array(names[session[first[once]]], categorize=False)
        twice[first[once]] = places_in(self._seen, keys) >= 0
        # Two runs in order are merged, not sorted.
        self._seen = np.sort(np.append(self._seen, np.sort(keys)), kind="stable")
        twice |= ~changes & (np.roll(rows["stop"], 1) > NO_STOP)
        rule = "have its rows one after the other, and end once"
        self._refuse(twice, rows, "session", rule, _SORT)
        time = rows["time"].to_numpy()
        backwards = ~changes & np.append(False, time[1:] < time[:-1])
        rule = "not be before that of the row before it in the session"
        self._refuse(backwards, rows, "time", rule, _SORT)
        other = ~changes & (np.diff(codes(rows, "person")[0], prepend=0) != 0)
        rule = "be that of the row before it in the session"
        remedy = "give each person sessions of their own"
        self._refuse(other, rows, "person", rule, remedy)

    def _begins(self, rows: "pd.DataFrame") -> Flags:
        """Return which rows begin a path, besides the first of each session."""
        entry, names = codes(rows, "entry")
        texts = [*(str(name).lower() for name in names), ""]
        wrong = np.array([name not in _FLAGS for name in texts])[entry]
        self._refuse(wrong, rows, "entry", "be true or false, or 1 or 0", "correct the row")
        begins: Flags = np.array([_FLAGS.get(name, False) for name in texts])[entry]
        return begins

    def _returning(self, rows: "pd.DataFrame") -> tuple["pd.DataFrame", Flags]:
        """Return visits of logs that are made, with the back clicks in between, and these.

        People who see y and then z from x went back to x.
        """
        came = rows["origin"].notna().to_numpy()
        returns = came & (_origins(rows) != np.roll(codes(rows, "element")[0], 1))
        changes = np.diff(codes(rows, "session")[0], prepend=-2) != 0
        rule, remedy = "have been consulted before", "give the log from the sessions' beginnings"
        self._refuse(changes & came, rows, "origin", rule, remedy)
        whole = np.repeat(np.arange(len(rows)), 1 + returns)
        return rows.iloc[whole], np.append(whole[1:] == whole[:-1], False)


def _origins(rows: "pd.DataFrame") -> Ints:
    """Return the origin of each row as a code of elements, -2 for what is none."""
    own = {name: code for code, name in enumerate(rows["element"].cat.categories)}
    origin, names = codes(rows, "origin")
    return np.array([*(own.get(name, -2) for name in names), -2], dtype=np.int64)[origin]
