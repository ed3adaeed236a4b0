"""The events of logs of `prum simulate` and `prum generate`: their columns, read as they are."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.tables.files import FilePath, no_lines
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.read import read

if TYPE_CHECKING:
    import pandas as pd

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
    table = read(path, layout)
    if not len(table):
        raise no_lines(path)
    return {
        column.name: values
        if column.kind == "text"
        else np.array([1 if value is None else value for value in values], dtype=np.int64)
        if column.nullable
        else np.asarray(values).astype(np.bool_ if column.kind == "flag" else np.int64)
        for column, values in zip(layout.columns, table.columns.values(), strict=True)
    }


def layout_of(names: Iterable[str]) -> Layout:
    """Return the layout of a log of which these columns are read."""
    return Layout(rows="events", columns=tuple(map(_column, names)))


def _column(name: str) -> FileColumn:
    kind, rare = (COLUMNS | STRETCHES)[name], name in STRETCHES
    if kind == "string":
        return FileColumn((name,), "text", nullable=name == "reason")
    if kind == "bool":
        return FileColumn((name,), "flag")
    number: Literal["whole", "number"] = "whole" if kind.startswith("int") else "number"
    return FileColumn((name,), number, most=_MOST, nullable=rare, optional=rare)


_NAMED = ("system", "query", "element", "reason")


def read_events(path: FilePath) -> "pd.DataFrame":
    """Return the events of a log, those of one session together and in their order.

    Columns system, query, element and reason are categories, no reason is none of them; `user` is
    a number from 0, `session` counts sessions over all systems, users and queries; `rank` and `new`
    are as written; is_consult, is_see and is_from_elsewhere say what was done.
    """
    import pandas as pd

    written = read_log(path, (*_NAMED, "user", "session", "action", "rank", "origin", "new"))
    events = pd.DataFrame(
        {
            "user": pd.factorize(written["user"])[0],
            "rank": written["rank"],
            "new": written["new"],
            "is_consult": np.asarray(written["action"], dtype=object) == "consult",
            "is_see": np.asarray(written["action"], dtype=object) == "see",
            "is_from_elsewhere": np.asarray(written["origin"], dtype=object) != "",
        }
    )
    for name in _NAMED:
        codes, names = pd.factorize(np.asarray(written[name], dtype=object))
        events[name] = pd.Categorical.from_codes(codes, pd.Index(names, dtype=object))
    keys = [codes_in(events, "system"), events["user"], written["session"]]
    whole = np.stack([*keys, codes_in(events, "query")]).astype(np.int64)
    session = np.unique(whole, axis=1, return_inverse=True)[1].ravel()  # NumPy 2.0 keeps an axis
    return events.assign(session=session).sort_values("session", kind="stable", ignore_index=True)


def codes_in(rows: "pd.DataFrame", column: str) -> Ints:
    """Return the number of each category in a column, -1 for none."""
    numbers: Ints = np.asarray(rows[column].cat.codes, dtype=np.int64)
    return numbers


def lists_in(events: "pd.DataFrame") -> dict[str, dict[str, list[str]]]:
    """Return lists as users went down them; behind one, each comes to another element."""
    consulted = events[events["is_consult"]]
    consulted = consulted.assign(element=codes_in(consulted, "element"))
    names = events["element"].cat.categories.tolist()
    lists: dict[str, dict[str, list[str]]] = {
        system: {} for system in events["system"].cat.categories
    }
    ends = consulted.groupby(["system", "query", "rank"], observed=True)["element"]
    going: dict[tuple[str, str], bool] = {}
    for (system, topic, _), low, high in ends.agg(["min", "max"]).itertuples():
        going[system, topic] = (
            going.get((system, topic), True) and low == high and low >= 0 and names[low] != ""
        )
        if going[system, topic]:
            lists[system].setdefault(topic, []).append(names[low])
    return lists


def broken_off(events: "pd.DataFrame", consults: Ints) -> Flags:
    """Return which consultations end a session that stopped in the middle of an element.

    A session without an end counts as broken off.
    """
    session, reason = events["session"].to_numpy(), events["reason"]
    whole = np.zeros(int(session[-1]) + 1, dtype=np.bool_)
    whole[session[reason.notna() & ~reason.isin(BROKEN_OFF)]] = True
    consulting = np.flatnonzero(events["is_consult"])
    last = np.zeros(len(whole), dtype=np.int64)
    last[session[consulting]] = consulting  # the last one written stays
    broken: Flags = (last[session[consults]] == consults) & ~whole[session[consults]]
    return broken
