"""Logs of `prum simulate` by themselves: what links, lists and order the log itself tells of."""

import os
import stat
from collections.abc import Iterable
from typing import Any

import numpy as np

from prum.experiments.logs.events import Events, read_events
from prum.experiments.logs.trials import TURN, Trials, trials_of
from prum.experiments.logs.visit_rows import LogColumns
from prum.simulator.model import InputError, Links
from prum.simulator.tables.files import place
from prum.simulator.tables.raw import tables


def is_simulated(log: Any) -> bool:
    """Return whether this is a file of its own, not a pipe, that has the columns of such a log.

    >>> is_simulated([["a", "b"]])
    False
    """
    if not isinstance(log, str | os.PathLike) or not os.path.exists(log):
        return False
    if not stat.S_ISREG(os.stat(log).st_mode):
        return False
    columns = LogColumns(place(log))
    next(tables(log, columns), None)
    return columns.are_made


def simulated_trials(
    log: str | os.PathLike[str], links: Links, *, skip_strays: bool = False
) -> tuple[Trials, list[tuple[str, str]] | None]:
    """Return the trials of such a log, and the pairs in the order in which users look, if known.

    Simulated users look at what they want alone: of each query, links to what nobody saw there are
    no trials. The order is that of ids, else that in which links have targets, if no sight
    contradicts it. If all who stopped of a query because they had found enough had found as many,
    that is what they wanted.

    Raises
    ------
    InputError
        as `read_events`; for sights along no link, unless strays are skipped.
    """
    events = read_events(log)
    names = list(events.elements)
    wished = events.is_see & (events.is_from_elsewhere | events.new)
    pairs = np.unique(np.stack([events.topic[wished], events.element[wished]]), axis=1)
    looked: dict[str, set[str]] = {topic: set() for topic in events.topics}
    for topic, element in pairs.T.tolist():
        looked[events.topics[topic]].add(names[element])
    rows = [(x, y) for x, y, _ in links if x != y]
    by_topic = {
        topic: Links({pair: 1.0 for pair in rows if pair[1] in own})
        for topic, own in looked.items()
    }
    orders = [_turns(sorted({y for _, y in rows})), _turns(y for _, y in rows)]
    wanted = _wanted(events)
    for turn_of in orders:
        ideals = {
            topic: sorted(own, key=lambda y, turns=turn_of: (turns.get(y, len(turns)), y))  # type: ignore[misc]
            for topic, own in looked.items()
        }
        trials = trials_of(
            events, by_topic, _lists(events, names), ideals, orders=[ideals], wanted=wanted
        )
        if TURN in trials.counted:
            break
    if trials.unknown and not skip_strays:
        rule, remedy = "be sights along links", "correct the log or the links, or skip strays"
        raise InputError("number of strays in the log", trials.unknown, rule, remedy=remedy)
    if TURN not in trials.counted:
        return trials, None
    return trials, sorted(rows, key=lambda pair: turn_of[pair[1]])


def _turns(targets: Iterable[str]) -> dict[str, int]:
    return {name: turn for turn, name in enumerate(dict.fromkeys(targets))}


def _lists(events: Events, names: list[str]) -> dict[str, dict[str, list[str]]]:
    """Return the lists that users went down: behind one, each comes to another element, or none."""
    import pandas as pd

    at = events.is_consult
    frame = pd.DataFrame(
        {
            "system": events.system[at], "topic": events.topic[at],
            "rank": events.rank[at], "element": events.element[at],
        }
    )  # fmt: skip
    lists: dict[str, dict[str, list[str]]] = {system: {} for system in events.systems}
    ends = frame.groupby(["system", "topic", "rank"])["element"].agg(["min", "max"])
    going: dict[tuple[int, int], bool] = {}
    for (system, topic, _), (one, other) in zip(ends.index, ends.to_numpy().tolist(), strict=True):
        going[system, topic] = (
            going.get((system, topic), True) and one == other and one >= 0 and names[one] != ""
        )
        if going[system, topic]:
            own = lists[events.systems[system]].setdefault(events.topics[topic], [])
            own.append(names[one])
    return lists


def _wanted(events: Events) -> dict[str, int] | None:
    """Return after how many ideals users stopped, by topic; None if that is not all alike."""
    found = [code for code, name in enumerate(events.reasons) if name == "found"]
    reasons = set(np.unique(events.reason[events.reason >= 0]).tolist())
    others = [code for code, name in enumerate(events.reasons) if name in ("budget", "patience")]
    if reasons & set(others):
        return None
    news = np.bincount(events.session, events.new)
    stops = np.isin(events.reason, found)
    wanted: dict[str, int] = {}
    for number, topic in enumerate(events.topics):
        numbers = np.unique(news[events.session[stops & (events.topic == number)]])
        if len(numbers) > 1:
            return None
        # Whom nothing stopped in the middle, nothing could have.
        wanted[topic] = int(numbers[0]) if len(numbers) else np.iinfo(np.int32).max
    return wanted
