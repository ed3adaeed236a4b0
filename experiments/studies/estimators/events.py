"""The events of a log in columns, as far as they tell who saw what from where."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.experiments.studies.logs import read_log

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_COLUMNS = (
    "system", "user", "session", "query", "action", "rank", "element", "origin", "new", "reason",
)  # fmt: skip


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
    InputError, OSError
        as `read_log`.
    """
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
        columns["rank"][order],
        element[order].astype(np.int64),
        (action == "consult")[order],
        (action == "see")[order],
        (origin != "")[order],
        columns["new"][order],
        reason[order].astype(np.int64),
    )
