"""The events of a log in columns, as far as they tell who saw what from where."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.experiments.output import check_packages
from prum.simulator.collections.files import place, text_lines
from prum.simulator.model import InputError

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_COLUMNS = (
    "system", "user", "session", "query", "action", "rank", "element", "origin", "new", "reason",
)  # fmt: skip
_AGAIN = "make the log anew with prum generate"


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


def read_events(path: Path) -> Events:
    """Return the events of a log, Parquet or JSON lines.

    Raises
    ------
    InputError
        for a file without these columns, and for Parquet without pyarrow.
    OSError
        if the file cannot be read.
    """
    import pandas as pd

    columns = _parquet(path) if path.name.endswith(".parquet") else _json_lines(path)
    if not len(columns["system"]):
        raise InputError("events", 0, "be at least 1", remedy=_AGAIN, place=str(path))
    system, systems = pd.factorize(np.asarray(columns["system"], dtype=object))
    topic, topics = pd.factorize(np.asarray(columns["query"], dtype=object))
    element, elements = pd.factorize(np.asarray(columns["element"], dtype=object))
    reason, reasons = pd.factorize(np.asarray(columns["reason"], dtype=object))
    user, users = pd.factorize(np.asarray(columns["user"]))
    number = np.asarray(columns["session"], dtype=np.int64)
    whole = np.stack([system, user, number, topic]).astype(np.int64)
    _, session = np.unique(whole, axis=1, return_inverse=True)
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
        np.asarray(columns["rank"], dtype=np.int64)[order],
        element[order].astype(np.int64),
        (action == "consult")[order],
        (action == "see")[order],
        (origin != "")[order],
        np.asarray(columns["new"], dtype=np.bool_)[order],
        reason[order].astype(np.int64),
    )


def _parquet(path: Path) -> Mapping[str, Any]:
    check_packages("pyarrow", extra="parquet", use="read Parquet")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=list(_COLUMNS))
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InputError(
            "content", str(error), "be a readable Parquet file", remedy=_AGAIN, place=str(path)
        ) from None
    _check(table.column_names, place(path))
    return {name: table.column(name).to_numpy() for name in _COLUMNS}


def _json_lines(path: Path) -> Mapping[str, Any]:
    columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
    for line, text in enumerate(text_lines(path), start=1):
        where = place(path, line)
        try:
            row = json.loads(text)
            if not isinstance(row, dict):
                raise ValueError
        except ValueError:
            raise InputError(
                "line", text.strip(), "be one JSON object", remedy=_AGAIN, place=where
            ) from None
        _check(row, where)
        for name, values in columns.items():
            values.append(row[name])
    return columns


def _check(names: Any, where: str) -> None:
    for name in _COLUMNS:
        if name not in names:
            raise InputError(
                "columns", ", ".join(names), f"hold {name}", remedy=_AGAIN, place=where
            )
