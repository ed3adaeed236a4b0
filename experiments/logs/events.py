"""The events of a log in columns, as far as they tell who saw what from where."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.experiments.logs.columns import read_log
from prum.simulator.model import Links
from prum.simulator.model.arrays import Flags, Ints
from prum.simulator.tables.files import FilePath

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


def read_events(path: FilePath) -> Events:
    """Return the events of a log.

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


def seen_links(events: Events) -> dict[str, Links]:
    """Return by topic from where what was seen, each with probability 1.

    From what elements are seen people know only by looking: these are the pairs of which a log
    tells a share above 0.
    """
    consults = np.flatnonzero(events.is_consult)
    sights = np.flatnonzero(events.is_see & events.is_from_elsewhere)
    during = np.searchsorted(consults, sights, side="right") - 1
    sights, during = sights[during >= 0], during[during >= 0]
    source, target = events.element[consults[during]], events.element[sights]
    triples = np.stack([events.topic[sights], source, target])[:, source != target]
    names = list(events.elements)
    pairs: dict[str, dict[tuple[str, str], float]] = {topic: {} for topic in events.topics}
    for topic, x, y in np.unique(triples, axis=1).T.tolist():
        pairs[events.topics[topic]][names[x], names[y]] = 1.0
    return {topic: Links(own) for topic, own in pairs.items()}
