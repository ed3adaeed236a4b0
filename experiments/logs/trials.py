"""Trials of navigation in a log: who consulted x, and whether y was seen from there.

What a trial is, `visit_counts` says; what was seen before is seen again, so nothing hides it.
Three ways to count, each of consultations within the list, for nobody browses from what is met
behind it:

every consultation
    of x. Too low, for those who found the last ideal they wanted count as not having seen the rest.
its turn came
    those that were not broken off before y. Ideals are looked at in one order.
could not stop
    those at whose beginning the user wanted more ideals than x could show. Decided before x, so
    that it does whatever the order, and where visits are coupled.

One user may ask the same of several systems, and then sees the same from the same element; such
trials count once. "Seen from x" is whatever is seen while x is consulted, so that on a walk it is
getting there at all.
"""

import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.logs.counts import Consultations, VisitCounts
from prum.experiments.logs.events import (
    broken_off,
    codes_in,
    lists_in,
    read_events,
    wanted_in,
)
from prum.experiments.logs.log_summary import LogWatch
from prum.experiments.logs.read import sessions_of
from prum.experiments.logs.rows import LogColumns
from prum.experiments.logs.sessions import Sessions, codes_of, places_in, rows_of
from prum.experiments.logs.trajectories.agents import Tools
from prum.experiments.logs.trajectories.read import as_trajectories
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.tables.files import place
from prum.simulator.tables.read import tables

if TYPE_CHECKING:
    import pandas as pd

EVERY, TURN, SAFE = "every consultation", "its turn came", "could not stop"


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """Consultations of x, once for each y that x leads to.

    Parameters
    ----------
    topics
        By place.
    topic_of, sources, targets, probabilities
        Of each pair x -> y: the topic's place, the two elements, and what links say.
    pair, user, seen
        Of each trial.
    counted
        By way of counting: which trials count.
    num_users, num_consultations, broken_off
        Of the log: consultations within lists, and how many were broken off.
    unknown
        How many sights came of no pair.
    systems
        Those of which there is a log.
    are_same_people
        Whether users of one number are the same people in all systems.
    order
        Pairs of elements in the order in which users look, if that is known.
    """

    topics: tuple[str, ...]
    topic_of: Ints
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    probabilities: Floats
    pair: Ints
    user: Ints
    seen: Flags
    counted: Mapping[str, Flags]
    num_users: int
    num_consultations: int
    broken_off: int
    unknown: int
    systems: tuple[str, ...]
    are_same_people: bool
    order: tuple[tuple[str, str], ...] | None = None

    def counts(self, way: str) -> tuple[Ints, Ints]:
        """Return how often y was seen from x, and of how many trials, by pair."""
        chosen = self.counted[way]
        size = len(self.topic_of)
        key = self.user * size + self.pair
        seen, tried = (
            np.bincount(np.unique(key[part]) % size, minlength=size)
            for part in (chosen & self.seen, chosen)
        )
        return seen, tried

    def visit_counts(self, links: Links) -> VisitCounts:
        """Return the counts of links over all topics, by the last way there is of these three.

        Every consultation; could not stop; its turn came.
        """
        way, row, code = self.best_way, self.rows_of(links), links.code
        seen, tried, consulted = (
            np.bincount(row[row >= 0], part[row >= 0], len(links)).astype(np.int64)
            for part in (*self.counts(way), self.counts(EVERY)[1])
        )
        entries = np.zeros(len(code), dtype=np.int64)
        np.maximum.at(entries, links.sources, consulted)
        return VisitCounts(
            links,
            seen,
            tried,
            links.elements,
            entries,
            self.num_users,
            0 if way == SAFE else self.broken_off,
            self.unknown,
        )

    @property
    def best_way(self) -> str:
        """The last way of counting there is of: every consultation, could not stop, its turn."""
        return next(way for way in (TURN, SAFE, EVERY) if way in self.counted)

    def rows_of(self, links: Links) -> Ints:
        """Return of each pair the row of links, -1 if it is none of theirs."""
        code = links.code
        return rows_of(links, codes_of(self.sources, code), codes_of(self.targets, code))


def trials_of(
    events: "pd.DataFrame",
    links: Mapping[str, Links],
    lists: Mapping[str, Mapping[str, Sequence[str]]],
    ideals: Mapping[str, Sequence[str]],
    *,
    orders: Iterable[Mapping[str, Sequence[str]]] = (),
    wanted: Mapping[str, int] | None = None,
) -> Trials:
    """Return the trials of a log.

    Parameters
    ----------
    links
        By topic the pairs to count, those of positive probability.
    lists
        System -> topic -> ranking.
    ideals
        By topic; events of other topics are left out.
    orders
        In which ideals may be looked at, by topic; the first that no sight contradicts says whose
        turn came. Give none where visits are coupled or users differ.
    wanted
        How many ideals users want, by topic; None where that is not why they stop.
    """
    codes = {name: code for code, name in enumerate(events["element"].cat.categories)}
    place_of = {topic: place for place, topic in enumerate(ideals)}
    pairs, pair_keys = _pairs(links, place_of, codes)
    num_codes = len(codes)
    ideals_of_pairs = pairs["topic"].to_numpy() * num_codes + codes_of(pairs["target"], codes)
    element, rank = codes_in(events, "element"), events["rank"].to_numpy()
    topics, systems = events["query"].cat.categories, events["system"].cat.categories
    topic = codes_of(topics, place_of)[codes_in(events, "query")]
    system_of = {name: place for place, name in enumerate(lists)}
    system = codes_of(systems, system_of)[codes_in(events, "system")]
    lengths = np.array([[len(own.get(name, ())) for name in ideals] for own in lists.values()])
    listed = (topic >= 0) & (system >= 0) & (rank <= lengths[system, topic])
    consults = np.flatnonzero(events["is_consult"] & listed)
    sights = np.flatnonzero(events["is_see"] & listed & events["is_from_elsewhere"])
    # What users see they see while they consult what they consulted last.
    during = np.searchsorted(consults, sights, side="right") - 1
    broken = broken_off(events, consults)
    keys = topic[consults] * num_codes + element[consults]
    row = places_in(pair_keys, np.append(keys, -1)[during] * num_codes + element[sights])
    last, turns = np.full(len(consults), -1, dtype=np.int64), None
    follows = during[1:] == during[:-1]
    for order in orders:
        of_sights = _turns(order, place_of, codes, topic[sights] * num_codes + element[sights])
        if not (of_sights[1:] <= of_sights[:-1])[follows].any():
            np.maximum.at(last, during, of_sights)
            turns = _turns(order, place_of, codes, ideals_of_pairs)
            break
    consulted = Consultations(
        np.searchsorted(pair_keys, keys * num_codes),
        np.searchsorted(pair_keys, (keys + 1) * num_codes),
        broken,
        during[row >= 0],
        row[row >= 0],
        turns,
        last,
        len(pair_keys),
    )
    place, pair = consulted.expanded()
    seen = consulted.seen(place, pair)
    counted = {EVERY: np.ones(len(pair), dtype=np.bool_)}
    if turns is not None:
        counted[TURN] = consulted.turn_came(place, pair)
    if wanted is not None:
        session, new = events["session"].to_numpy(), events["new"].to_numpy().astype(np.int64)
        before: Ints = np.cumsum(new) - new
        starts = np.searchsorted(session, session[consults])
        ideal = {
            place_of[name] * num_codes + codes[element]
            for name, elements in ideals.items()
            for element in elements
            if element in codes
        }
        own = np.isin(keys, np.fromiter(ideal, np.int64, len(ideal)))
        most = np.bincount(place, minlength=len(consults)) + own
        numbers = np.array([wanted[name] for name in ideals], dtype=np.int64)
        left = numbers[topic[consults]] - (before[consults] - before[starts])
        counted[SAFE] = (left > most)[place]
    user = events["user"].to_numpy()[consults][place]
    num_users = int(events["user"].max()) + 1
    whole = ~broken[place]
    same = _are_same(user[whole], pair[whole], seen[whole])
    if not same:
        user = user + num_users * codes_in(events, "system")[consults][place]
    return Trials(
        tuple(ideals),
        pairs["topic"].to_numpy(),
        tuple(pairs["source"]),
        tuple(pairs["target"]),
        pairs["probability"].to_numpy(),
        pair,
        user,
        seen,
        counted,
        num_users,
        len(consults),
        int(broken.sum()),
        int((row < 0).sum()),
        tuple(name for name in lists if name in systems),
        same,
    )


def _pairs(
    links: Mapping[str, Links], place_of: Mapping[str, int], codes: dict[str, int]
) -> tuple["pd.DataFrame", Ints]:
    """Return all pairs of positive probability, by topic and source, and their sorted keys.

    A code is given to each element that the log doesn't name.
    """
    import pandas as pd

    rows = [
        (number, x, y, probability)
        for name, number in place_of.items()
        for x, y, probability in links.get(name) or ()
        if probability > 0 and x != y
    ]
    pairs = pd.DataFrame(rows, columns=["topic", "source", "target", "probability"])
    for name in (*pairs["source"], *pairs["target"]):
        codes.setdefault(name, len(codes))
    pairs = pairs.astype({"topic": np.int64, "probability": np.float64})
    source, target = (codes_of(pairs[end], codes) for end in ("source", "target"))
    keys = (pairs["topic"].to_numpy() * len(codes) + source) * len(codes) + target
    order = np.argsort(keys, kind="stable")
    return pairs.iloc[order], keys[order]


def _are_same(user: Ints, pair: Ints, seen: Flags) -> bool:
    """Return whether users of one number see the same in all systems: they are the same people."""
    key = user * (int(pair.max(initial=0)) + 1) + pair
    _, group, sizes = np.unique(key, return_inverse=True, return_counts=True)
    times = np.bincount(group, seen, minlength=len(sizes))
    return bool(((times == 0) | (times == sizes)).all())


def _turns(
    order: Mapping[str, Sequence[str]],
    place_of: Mapping[str, int],
    codes: Mapping[str, int],
    keys: Ints,
) -> Ints:
    """Return by key, of a topic and an element, its turn in an order; -1 for what is no ideal."""
    turn_of = {
        place * len(codes) + codes[ideal]: turn
        for topic, place in place_of.items()
        for turn, ideal in enumerate(order.get(topic, ()))
        if ideal in codes
    }
    distinct, place = np.unique(keys, return_inverse=True)
    turns = [turn_of.get(key, -1) for key in distinct.tolist()]
    return np.array(turns, dtype=np.int64)[place]


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
    with as_trajectories(log, Tools()) as (file, found):
        if found is None:
            next(tables(file, columns), None)
    return columns.are_made


def simulated_trials(
    log: str | os.PathLike[str], links: Links, *, skip_strays: bool = False
) -> Trials:
    """Return the trials of a log of `prum simulate`, with the order in which users look, if known.

    Simulated users look at what they want alone: of each query, links to what nobody saw there are
    no trials. The order is that of ids, else that in which links have targets, if no sight
    contradicts it. If all who stopped of a query because they had found enough had found as many,
    that is what they wanted.
    """
    events = read_events(log)
    wished = events[events["is_see"] & (events["is_from_elsewhere"] | events["new"])]
    looked: dict[str, set[str]] = {topic: set() for topic in events["query"].cat.categories}
    for topic, element in wished[["query", "element"]].drop_duplicates().itertuples(index=False):
        looked[topic].add(element)
    rows = [(x, y) for x, y, _ in links if x != y]
    by_topic = {
        topic: Links({pair: 1.0 for pair in rows if pair[1] in own})
        for topic, own in looked.items()
    }
    orders = [_numbered(sorted({y for _, y in rows})), _numbered(y for _, y in rows)]
    lists, wanted = lists_in(events), wanted_in(events)
    for turn_of in orders:
        ideals = {
            topic: sorted(own, key=lambda y, turns=turn_of: (turns.get(y, len(turns)), y))  # type: ignore[misc]
            for topic, own in looked.items()
        }
        trials = trials_of(events, by_topic, lists, ideals, orders=[ideals], wanted=wanted)
        if TURN in trials.counted:
            break
    if trials.unknown and not skip_strays:
        rule, remedy = "be sights along links", "correct the log or the links, or skip strays"
        raise InputError("number of strays in the log", trials.unknown, rule, remedy=remedy)
    if TURN not in trials.counted:
        return trials
    return replace(trials, order=tuple(sorted(rows, key=lambda pair: turn_of[pair[1]])))


def trials_or_sessions(
    log: Any,
    watch: LogWatch,
    *,
    reasons_in: Links | None,
    back: str | None,
    tools: str | Tools | None,
    skip_strays: bool,
) -> Trials | Iterator[Sessions]:
    """Return the trials along links, if they are given, of a log of `prum simulate`, else sessions.

    The watch takes note of the sessions in either case.

    Raise InputError or OSError as `simulated_trials` and `sessions_of`.
    """
    if isinstance(log, list | tuple) and len(log) == 1 and isinstance(log[0], str | os.PathLike):
        (log,) = log
    trials = None
    if reasons_in is not None and is_simulated(log):
        trials = simulated_trials(log, reasons_in, skip_strays=skip_strays)
    sessions = watch.through(sessions_of(log, back=back, tools=tools))
    if trials is None:
        return sessions
    deque(sessions, maxlen=0)
    return trials


def _numbered(targets: Iterable[str]) -> dict[str, int]:
    return {name: turn for turn, name in enumerate(dict.fromkeys(targets))}
