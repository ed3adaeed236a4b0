"""Trials of navigation in a log: who consulted x, and whether y was seen from there.

What a trial is, `counts` says; what was seen before is seen again, so nothing hides it. Trials are
those of consultations within the list, for nobody browses from what is met behind it. Of every
consultation, shares are too low: those who found the last ideal they wanted count as not having
seen the rest. Of those in which the turn of y came they are not; ideals are looked at in one order.

One user may ask the same of several systems, and then sees the same from the same element; such
trials count once. "Seen from x" is whatever is seen while x is consulted, so that on a walk it is
getting there at all.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prum.experiments.logs.counts import Consultations, VisitCounts
from prum.experiments.logs.events import broken_off, codes_in, lists_in, read_events
from prum.experiments.logs.rows import MADE
from prum.experiments.logs.sessions import codes_of, places_in, rows_of
from prum.experiments.logs.trajectories.read import names_in
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Ints

if TYPE_CHECKING:
    import pandas as pd

EVERY, TURN = "every consultation", "its turn came"


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """Consultations of x, once for each y that x leads to.

    Parameters
    ----------
    pairs
        Each x -> y: the topic's number, source, target and probability, what links say.
    trials
        Each trial: the number of its pair and of its user, whether y was `seen`, and whether its
        turn `came`; without an order, whether the user was not broken off.
    ways
        Of counting: every consultation and, where an order is known, those whose turn came.
    systems
        Those of which there is a log.
    num_users, num_consultations, broken_off
        Of the log: consultations within lists, and how many were broken off.
    unknown
        How many sights came of no pair.
    are_same_people
        Whether users of one number are the same people in all systems.
    order
        Pairs of elements in the order in which users look, if that is known.
    """

    pairs: "pd.DataFrame"
    trials: "pd.DataFrame"
    ways: tuple[str, ...]
    systems: tuple[str, ...]
    num_users: int
    num_consultations: int
    broken_off: int
    unknown: int
    are_same_people: bool
    order: tuple[tuple[str, str], ...] | None = None

    def counts(self, way: str) -> tuple[Ints, Ints]:
        """Return how often y was seen from x, and of how many trials, by pair."""
        rows = self.trials if way == EVERY else self.trials[self.trials["came"]]
        once = rows.groupby(["user", "pair"])["seen"].any().groupby("pair").agg(["sum", "size"])
        counts = once.reindex(range(len(self.pairs)), fill_value=0).astype(np.int64)
        return counts["sum"].to_numpy(), counts["size"].to_numpy()

    def visit_counts(self, links: Links) -> VisitCounts:
        """Return the counts of links over all topics, of those whose turn came."""
        row, code = self.rows_of(links), links.code
        seen, tried, consulted = (
            np.bincount(row[row >= 0], part[row >= 0], len(links)).astype(np.int64)
            for part in (*self.counts(TURN), self.counts(EVERY)[1])
        )
        entries = np.zeros(len(code), dtype=np.int64)
        np.maximum.at(entries, links.sources, consulted)
        numbers = self.num_users, self.broken_off, self.unknown
        return VisitCounts(links, seen, tried, links.elements, entries, *numbers)

    def rows_of(self, links: Links) -> Ints:
        """Return of each pair the row of links, -1 if it is none of theirs."""
        code = links.code
        source, target = (codes_of(self.pairs[end], code) for end in ("source", "target"))
        return rows_of(links, source, target)


def trials_of(
    events: "pd.DataFrame",
    links: Mapping[str, Links],
    lists: Mapping[str, Mapping[str, Sequence[str]]],
    ideals: Mapping[str, Sequence[str]],
    *,
    orders: Iterable[Mapping[str, Sequence[str]]] = (),
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
    """
    import pandas as pd

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
    lengths = np.array([[len(run.get(name, ())) for name in ideals] for run in lists.values()])
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
    trials = pd.DataFrame(
        {
            "pair": pair,
            "user": events["user"].to_numpy()[consults][place],
            "seen": consulted.seen(place, pair),
            "came": consulted.turn_came(place, pair),
        }
    )
    num_users = int(events["user"].max()) + 1
    # Users of one number are the same people if they see the same in all systems.
    whole = trials[~broken[place]].groupby(["user", "pair"])["seen"]
    are_same = bool((whole.any() == whole.all()).all())
    if not are_same:
        trials["user"] += num_users * codes_in(events, "system")[consults][place]
    return Trials(
        pairs=pairs,
        trials=trials,
        ways=(EVERY,) if turns is None else (EVERY, TURN),
        systems=tuple(name for name in lists if name in systems),
        num_users=num_users,
        num_consultations=len(consults),
        broken_off=int(broken.sum()),
        unknown=int((row < 0).sum()),
        are_same_people=are_same,
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
    return pairs.iloc[order].reset_index(drop=True), keys[order]


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
    is_file = isinstance(log, str | os.PathLike) and os.path.isfile(log)
    return is_file and set(MADE) <= set(names_in(log))


def simulated_trials(
    log: str | os.PathLike[str], links: Links, *, skip_strays: bool = False
) -> Trials:
    """Return the trials of a log of `prum simulate`, with the order in which users look, if known.

    Simulated users look at what they want alone: of each query, links to what nobody saw there are
    no trials. The order is that of ids, else that in which links have targets, if no sight
    contradicts it.
    """
    events = read_events(log)
    wished = events[events["is_see"] & (events["is_from_elsewhere"] | events["new"])]
    looked: dict[str, set[str]] = {topic: set() for topic in events["query"].cat.categories}
    for topic, element in wished[["query", "element"]].drop_duplicates().itertuples(index=False):
        looked[topic].add(element)
    rows = [(x, y) for x, y, _ in links if x != y]
    by_topic = {
        topic: Links({pair: 1.0 for pair in rows if pair[1] in seen})
        for topic, seen in looked.items()
    }
    orders = [_numbered(sorted({y for _, y in rows})), _numbered(y for _, y in rows)]
    lists = lists_in(events)
    for turn_of in orders:
        ideals = {
            topic: sorted(seen, key=lambda y, turns=turn_of: (turns.get(y, len(turns)), y))  # type: ignore[misc]
            for topic, seen in looked.items()
        }
        trials = trials_of(events, by_topic, lists, ideals, orders=[ideals])
        if TURN in trials.ways:
            break
    if trials.unknown and not skip_strays:
        rule, remedy = "be sights along links", "correct the log or the links, or skip strays"
        raise InputError("number of strays in the log", trials.unknown, rule, remedy=remedy)
    if TURN not in trials.ways:
        return trials
    return replace(trials, order=tuple(sorted(rows, key=lambda pair: turn_of[pair[1]])))


def _numbered(targets: Iterable[str]) -> dict[str, int]:
    return {name: turn for turn, name in enumerate(dict.fromkeys(targets))}
