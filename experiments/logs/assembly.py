"""Visits put together to sessions, and whatever is wrong with them, each with its place."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from prum.experiments.logs.coded import Coded
from prum.experiments.logs.seen_names import SeenNames
from prum.experiments.logs.sessions import Sessions
from prum.experiments.logs.trails import depths, led_to
from prum.experiments.logs.visit_rows import LEFT, VisitRows
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Ints

_FLAGS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_SORT = "sort the log by session and time"


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
        self._seen_names = SeenNames()
        self._entries_are_flags: bool | None = None
        self._num_sessions, self._most_visits = 0, 0
        self._some_elements: set[str] = set()

    def sessions(self, rows: VisitRows, *, are_made: bool) -> Iterator[Sessions]:
        """Yield the sessions of these rows, all of each; none if nothing was visited.

        Raises
        ------
        InputError
            for the first of the rows that is wrong.
        """
        if are_made:
            rows = rows[np.argsort(rows.session.codes, kind="stable")]
        self._check_names(rows)
        changes = np.diff(rows.session.codes, prepend=-2) != 0
        self._check_sessions(rows, changes)
        is_cut = np.zeros(len(rows.session.names), dtype=np.bool_)
        is_back: Flags = rows.element.codes == _codes(rows.element, [self._back])[0]
        if are_made:
            is_cut[rows.session.codes] = True
            is_cut[rows.session.codes[rows.stop == LEFT]] = False
            rows, is_back = self._returning(rows[rows.stop == 0])
            if not len(rows):
                return
            changes = np.diff(rows.session.codes, prepend=-2) != 0
        first = np.flatnonzero(changes)
        is_entry = changes | self._begins(rows)
        element = led_to(rows.element.codes, is_entry, is_back)
        wrong = depths(is_entry, is_back) < 1
        if are_made:
            wrong |= is_back & (
                element != _codes(rows.element, rows.origin.names)[rows.origin.codes]
            )
            rule = "be the element before, or the one that was consulted"
            self._refuse(wrong, rows, "origin", _name(rows.origin), rule, "correct the log")
        rule = "lead to an element before it"
        self._refuse(wrong, rows, "back click", lambda _: self._back, rule, "leave it out")
        visited = Coded(element, rows.element.names).used()
        person = rows.person[first].used()
        self._num_sessions += len(first)
        self._most_visits = max(self._most_visits, int(np.diff(first, append=len(rows)).max()))
        self._some_elements = set([*self._some_elements, *visited.names[:2].tolist()][:3])
        yield Sessions(
            tuple(visited.names.tolist()), visited.codes, np.append(first, len(rows)), is_entry,
            is_back, tuple(person.names.tolist()), person.codes, is_cut[rows.session.codes[first]],
        )  # fmt: skip

    def check(self, *, are_made: bool) -> None:
        """Raise for a log that was read to its end and tells nothing of where people went.

        Raises
        ------
        InputError
            for a log of no session, of single visits, of one element.
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
        self,
        wrong: Flags,
        rows: VisitRows,
        thing: str,
        value: Callable[[int], Any],
        rule: str,
        remedy: str,
    ) -> None:
        """Raise for the first row that is wrong."""
        if wrong.any():
            row = int(np.argmax(wrong))
            place = f"{self._place}, {self.unit} {rows.number[row]}"
            raise InputError(thing, value(row), rule, remedy=remedy, place=place)

    def _check_names(self, rows: VisitRows) -> None:
        """Raise for a session or an element without a name, and for names that are no text.

        Half a pair of surrogates, which JSON can write, is no character.
        """
        for thing, column in (
            ("session", rows.session),
            ("element", rows.element),
            ("person", rows.person),
        ):
            names = column.names.tolist()
            texts = [name if isinstance(name, str) else "" for name in names]
            if not _is_unicode("".join(texts)):
                broken = [not _is_unicode(text) for text in texts]
                wrong = np.append(broken, False).astype(np.bool_)[column.codes]
                rule, remedy = "be a string of Unicode characters", "write it without \\ud800"
                self._refuse(wrong, rows, thing, _name(column), rule, remedy)
            if set(map(type, names)) <= {str} and (thing == "person" or column.codes.min() >= 0):
                continue
            is_text = [isinstance(name, str) for name in names]
            wrong = ~np.append(is_text, thing == "person").astype(np.bool_)[column.codes]
            if thing == "element":
                wrong &= rows.stop == 0
            rule, remedy = "be a text that is not empty", "name it, or leave the row out"
            self._refuse(wrong, rows, thing, _name(column), rule, remedy)

    def _check_sessions(self, rows: VisitRows, changes: Flags) -> None:
        """Raise for sessions that are there twice, of two people, or whose time runs backwards."""
        import pandas as pd

        first = np.flatnonzero(changes)
        codes = rows.session.codes[first]
        twice = np.zeros(len(rows), dtype=np.bool_)
        once = ~pd.Series(codes).duplicated().to_numpy()
        twice[first[~once]] = True
        twice[first[once]] = self._seen_names.again(rows.session.names[codes[once]])
        twice |= ~changes & (np.roll(rows.stop, 1) > 0)
        name = _name(rows.session)
        rule = "have its rows one after the other, and end once"
        self._refuse(twice, rows, "session", name, rule, _SORT)
        backwards = ~changes & np.append(False, rows.time[1:] < rows.time[:-1])
        rule = "not be before that of the row before it in the session"
        self._refuse(backwards, rows, "time", lambda row: _plain(rows.time[row]), rule, _SORT)
        other = ~changes & (np.diff(rows.person.codes, prepend=0) != 0)
        rule = "be that of the row before it in the session"
        remedy = "give each person sessions of their own"
        self._refuse(other, rows, "person", _name(rows.person), rule, remedy)

    def _begins(self, rows: VisitRows) -> Flags:
        """Return which rows begin a path, besides the first of each session."""
        entry = rows.entry.used()
        names = [str(name).lower() for name in entry.names]
        if self._entries_are_flags is None and names:
            self._entries_are_flags = set(names) <= set(_FLAGS)
        if self._entries_are_flags is False:
            remedy = "give each row the id of its entry"
            self._refuse(entry.codes < 0, rows, "entry", lambda _: "", "not be empty", remedy)
            differs: Flags = np.diff(entry.codes, prepend=0) != 0
            return differs
        wrong = np.array([name not in _FLAGS for name in names] + [False])[entry.codes]
        rule = "be true or false, or 1 or 0, as in the rows before"
        self._refuse(wrong, rows, "entry", _name(entry), rule, "correct the row")
        begins = np.array([_FLAGS.get(name, False) for name in names] + [False])
        return np.asarray(begins[entry.codes], dtype=np.bool_)

    def _returning(self, rows: VisitRows) -> tuple[VisitRows, Flags]:
        """Return visits of logs that are made, with the back clicks in between, and these.

        People who see y and then z from x went back to x.
        """
        origin = _codes(rows.element, rows.origin.names)[rows.origin.codes]
        before = np.roll(rows.element.codes, 1)
        returns = (rows.origin.codes >= 0) & (origin != before)
        changes = np.diff(rows.session.codes, prepend=-2) != 0
        wrong = changes & (rows.origin.codes >= 0)
        rule, remedy = "have been consulted before", "give the log from the sessions' beginnings"
        self._refuse(wrong, rows, "origin", _name(rows.origin), rule, remedy)
        whole = np.repeat(np.arange(len(rows)), 1 + returns)
        return rows[whole], np.append(whole[1:] == whole[:-1], False)


def _codes(coded: Coded, names: Any) -> Ints:
    """Return the codes of names, -2 for those that no row has; and at the end -2 for none."""
    own = {name: code for code, name in enumerate(coded.names.tolist())}
    return np.array([*(own.get(name, -2) for name in names), -2])


def _name(coded: Coded) -> Callable[[int], Any]:
    """Return a function from a row to what stands there."""
    return lambda row: "" if coded.codes[row] < 0 else coded.names[coded.codes[row]]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(time: Any) -> float | str:
    return str(time) if isinstance(time, np.datetime64) else float(time)
