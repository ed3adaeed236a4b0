"""The events of logs of `prum simulate` and `prum generate`: their columns, read as they are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.tables.files import FilePath, no_lines
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.read import read

# Each with its type in Parquet. `rank` counts on after the list, `reason` is that of "stop".
COLUMNS = {
    "system": "string",
    "user": "int64",
    "session": "int32",
    "query": "string",
    "time": "float64",
    "action": "string",
    "rank": "int64",
    "element": "string",
    "origin": "string",
    "ideal": "bool",
    "new": "bool",
    "reason": "string",
}
# And of logs in which elements without a name that follow each other are one row: how many elements
# were consulted by this time, the first at this rank; 0 for what is no consultation.
STRETCHES = {"elements": "int64"}
# People who stop for these reasons were in the middle of an element, and had no turn to go on.
BROKEN_OFF = ("found", "budget", "patience")
# Whole numbers up to here are floats, too.
_MOST = 2.0**53


def read_log(path: FilePath, names: Iterable[str]) -> dict[str, Any]:
    """Return some columns of a log by name: lists of texts, arrays of whole numbers and of flags.

    The file is JSON lines, Parquet, CSV or TSV, whatever other columns it has; a text that is null
    or empty is None if events may lack it; `elements` are 1 in a log without that column.
    """
    layout = layout_of(names)
    columns = read(path, layout).columns
    if not len(columns[0]):
        raise no_lines(path)
    return {
        column.name: values
        if not column.number
        else np.array([1 if value is None else value for value in values], dtype=np.int64)
        if column.nullable
        else np.asarray(values).astype(np.bool_ if column.flag else np.int64)
        for column, values in zip(layout.columns, columns, strict=True)
    }


def layout_of(names: Iterable[str]) -> Layout:
    """Return the layout of a log of which these columns are read."""
    return Layout(
        what="log",
        columns=tuple(map(_column, names)),
        rule=f"be a whole number from 0 to {_MOST:.0f}",
        remedy="give a log of prum simulate or prum generate",
        bounds_in_csv=True,
        others=True,
    )


def _column(name: str) -> FileColumn:
    if name in STRETCHES:
        return FileColumn(
            name=name, number=True, whole=True, nullable=True, optional=True, most=_MOST
        )
    kind = COLUMNS[name]
    if kind == "bool":
        return FileColumn(name=name, number=True, flag=True, most=1.0)
    if kind.startswith("int"):
        return FileColumn(name=name, number=True, whole=True, most=_MOST)
    if kind == "float64":
        return FileColumn(name=name, number=True, most=_MOST)
    return FileColumn(name=name, nullable=name == "reason")


_COLUMNS = (
    "system",
    "user",
    "session",
    "query",
    "action",
    "rank",
    "element",
    "origin",
    "new",
    "reason",
)


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """Rows of a log, those of one session together and in their order; texts are codes.

    Parameters
    ----------
    systems, users, topics, elements, reasons
        What the codes mean; the reason None is -1.
    session
        Counts sessions over all systems and users.
    """

    systems: tuple[str, ...]
    users: tuple[int, ...]
    topics: tuple[str, ...]
    elements: Mapping[str, int]
    reasons: tuple[str, ...]
    session: Ints
    system: Ints
    user: Ints
    topic: Ints
    rank: Ints
    element: Ints
    is_consult: Flags
    is_see: Flags
    is_from_elsewhere: Flags
    new: Flags
    reason: Ints

    def lists(self) -> dict[str, dict[str, list[str]]]:
        """Return lists as users went down them; behind one, each comes to another element."""
        import pandas as pd

        names = list(self.elements)
        at = self.is_consult
        kept = ("system", "topic", "rank", "element")
        frame = pd.DataFrame({name: getattr(self, name)[at] for name in kept})
        lists: dict[str, dict[str, list[str]]] = {system: {} for system in self.systems}
        ends = frame.groupby(["system", "topic", "rank"])["element"].agg(["min", "max"])
        going: dict[tuple[int, int], bool] = {}
        for (system, topic, _), (one, other) in zip(
            ends.index, ends.to_numpy().tolist(), strict=True
        ):
            going[system, topic] = (
                going.get((system, topic), True) and one == other and one >= 0 and names[one] != ""
            )
            if going[system, topic]:
                own = lists[self.systems[system]].setdefault(self.topics[topic], [])
                own.append(names[one])
        return lists

    def wanted(self) -> dict[str, int] | None:
        """Return after how many ideals users stopped, by topic; None if that is not all alike."""
        found = [code for code, name in enumerate(self.reasons) if name == "found"]
        reasons = set(np.unique(self.reason[self.reason >= 0]).tolist())
        others = [code for code, name in enumerate(self.reasons) if name in ("budget", "patience")]
        if reasons & set(others):
            return None
        news = np.bincount(self.session, self.new)
        stops = np.isin(self.reason, found)
        wanted: dict[str, int] = {}
        for number, topic in enumerate(self.topics):
            numbers = np.unique(news[self.session[stops & (self.topic == number)]])
            if len(numbers) > 1:
                return None
            # Whom nothing stopped in the middle, nothing could have.
            wanted[topic] = int(numbers[0]) if len(numbers) else np.iinfo(np.int32).max
        return wanted

    def broken_off(self, consults: Ints) -> Flags:
        """Return which consultations end a session that stopped in the middle of an element.

        A session without an end counts as broken off.
        """
        codes = [code for code, name in enumerate(self.reasons) if name in BROKEN_OFF]
        ended = self.reason >= 0
        num_sessions = int(self.session[-1]) + 1
        whole = np.zeros(num_sessions, dtype=np.bool_)
        whole[self.session[ended & ~np.isin(self.reason, codes)]] = True
        session = self.session[consults]
        consulting = np.flatnonzero(self.is_consult)
        last = np.zeros(num_sessions, dtype=np.int64)
        last[self.session[consulting]] = consulting  # the last one written stays
        broken: Flags = (last[session] == consults) & ~whole[session]
        return broken


def read_events(path: FilePath) -> Events:
    """Return the events of a log."""
    import pandas as pd

    columns = read_log(path, _COLUMNS)

    def codes(name: str) -> tuple[Any, Any]:
        return pd.factorize(np.asarray(columns[name], dtype=object))

    system, systems = codes("system")
    topic, topics = codes("query")
    element, elements = codes("element")
    reason, reasons = codes("reason")
    user, users = pd.factorize(columns["user"])
    number = columns["session"]
    whole = np.stack([system, user, number, topic]).astype(np.int64)
    session = np.unique(whole, axis=1, return_inverse=True)[1].ravel()  # NumPy 2.0 keeps an axis
    order = np.argsort(session, kind="stable")
    action = np.asarray(columns["action"], dtype=object)
    origin = np.asarray(columns["origin"], dtype=object)
    return Events(
        tuple(systems),
        tuple(users.tolist()),
        tuple(topics),
        {name: code for code, name in enumerate(elements)},
        tuple(reasons),
        session[order].astype(np.int64),
        system[order].astype(np.int64),
        user[order].astype(np.int64),
        topic[order].astype(np.int64),
        columns["rank"][order],
        element[order].astype(np.int64),
        (action == "consult")[order],
        (action == "see")[order],
        (origin != "")[order],
        columns["new"][order],
        reason[order].astype(np.int64),
    )
