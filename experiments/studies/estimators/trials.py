"""Trials of navigation in a log: who consulted x, and whether he saw y from there.

A user consults x and then sees, one after the other, what he visits from there; what he has seen
before he sees again, so nothing hides it. But who stops in the middle never comes to the rest of
x. Three ways to count, each of consultations within the list, for nobody browses from what he
meets behind it:

every consultation
    of x. Too low, for those who found the last ideal they wanted count as not having seen the rest.
its turn came
    those that the user did not break off before y: all that he left by himself, and of others y up
    to the last one that he saw. Ideals are looked at in one order. Whether the turn of y comes
    hangs on what was tossed before, never on y's own toss: where visits are independent, how often
    y was seen is binomial given the number of trials.
could not stop
    those at whose beginning the user wanted more ideals than x could show. Decided before x, so
    that it does whatever the order, and where visits hang together.

One user may ask the same of several systems, and then sees the same from the same element; such
trials count once. "Seen from x" is whatever he sees while he consults x, so that on a walk it is
getting there at all.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prum.experiments.studies.estimators.dataset import Dataset
from prum.experiments.studies.estimators.events import Events
from prum.experiments.studies.estimators.order import order_of
from prum.simulator.model.rule_names import rule_of
from prum.simulator.model.stopping import Found

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

EVERY, TURN, SAFE = "every consultation", "its turn came", "could not stop"
# Stopping for these reasons happens in the middle of an element.
_BROKEN_OFF = ("found", "budget", "patience")


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """Consultations of x, once for each y that x leads to.

    Parameters
    ----------
    topic_of, sources, targets, true
        Of each pair x -> y: the topic's place, the two elements, P(x -> y), times the mean factor
        where users differ.
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
    """

    topic_of: Ints
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    true: Floats
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

    def counts(self, way: str, num_users: int | None = None) -> tuple[Ints, Ints]:
        """Return how often y was seen from x, and of how many trials, by pair.

        Of the first so many users only, if a number is given.
        """
        chosen = self.counted[way]
        if num_users is not None:
            chosen = chosen & (self.user < num_users)
        key = self.user * len(self.true) + self.pair
        seen, tried = (
            np.bincount(np.unique(key[part]) % len(self.true), minlength=len(self.true))
            for part in (chosen & self.seen, chosen)
        )
        return seen, tried


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Pairs x -> y of positive probability, by topic and source."""

    keys: Ints  # topic and source, sorted; of each pair
    topic: Ints
    source: Ints
    target: Ints
    names: tuple[tuple[str, ...], tuple[str, ...]]
    true: Floats


def trials_of(dataset: Dataset, events: Events) -> Trials:
    """Return the trials of a log."""
    codes = dict(events.elements)
    pairs = _pairs(dataset, codes)
    num_codes = len(codes)
    place_of = {topic: place for place, topic in enumerate(dataset.topics)}
    topic = np.array([place_of.get(name, -1) for name in events.topics], np.int64)[events.topic]
    system_of = {name: place for place, name in enumerate(dataset.systems)}
    system = np.array([system_of.get(name, -1) for name in events.systems], np.int64)
    known = (topic >= 0) & (system[events.system] >= 0)
    listed = known & (events.rank <= dataset.lengths()[system[events.system], topic])
    consults = np.flatnonzero(events.is_consult & listed)
    sights = np.flatnonzero(events.is_see & listed & events.is_from_elsewhere)
    # What he sees he sees while he consults what he consulted last.
    during = np.searchsorted(consults, sights, side="right") - 1
    before: Ints = np.cumsum(events.new) - events.new
    starts = np.searchsorted(events.session, events.session[consults])
    found_before: Ints = before[consults] - before[starts]
    broken = _broken_off(events, consults)
    place, pair = _expanded(pairs, topic[consults] * num_codes + events.element[consults])
    key = during * num_codes + events.element[sights]
    seen = np.isin(place * num_codes + pairs.target[pair], key)
    show = np.unique(place * num_codes + pairs.target[pair])
    counted = {EVERY: np.ones(len(pair), dtype=np.bool_)}
    order = order_of(dataset, codes, topic[sights], events.element[sights], during)
    if dataset.is_plain and order is not None:
        last = np.full(len(consults), -1, dtype=np.int64)
        np.maximum.at(last, during, order(topic[sights], events.element[sights]))
        mine = order(pairs.topic[pair], pairs.target[pair])
        counted[TURN] = ~broken[place] | (mine <= last[place])
    wanted = _wanted(dataset)
    if wanted is not None:
        ideals = {
            place_of[one.topic] * num_codes + codes[ideal]
            for one in dataset.judged()
            for ideal in one.ideals
            if ideal in codes
        }
        own = np.isin(
            topic[consults] * num_codes + events.element[consults],
            np.fromiter(ideals, np.int64, len(ideals)),
        )
        most = np.bincount(place, minlength=len(consults)) + own
        left = wanted[topic[consults]] - found_before
        counted[SAFE] = (left > most)[place]
    user = events.user[consults][place]
    num_users = len(events.users)
    whole = ~broken[place]
    same = _are_same(user[whole], pair[whole], seen[whole])
    if not same:
        user = user + num_users * events.system[consults][place]
    return Trials(
        pairs.topic, *pairs.names, pairs.true, pair, user, seen, counted, num_users, len(consults),
        int(broken.sum()), int((~np.isin(key, show)).sum()),
        tuple(name for name in dataset.systems if name in events.systems), same,
    )  # fmt: skip


def _pairs(dataset: Dataset, codes: dict[str, int]) -> _Pairs:
    """Return all pairs, and give a code to each element that the log doesn't name."""
    topics, sources, targets, true = list[int](), list[str](), list[str](), list[float]()
    factor = dataset.mean_factor
    for number, name in enumerate(dataset.topics):
        for x, y, probability in dataset.navigation.get(name) or ():
            if probability > 0 and x != y:
                topics.append(number)
                sources.append(x)
                targets.append(y)
                true.append(probability * factor)
    for name in (*sources, *targets):
        codes.setdefault(name, len(codes))
    topic = np.array(topics, dtype=np.int64)
    source = np.array([codes[name] for name in sources], dtype=np.int64)
    target = np.array([codes[name] for name in targets], dtype=np.int64)
    keys = topic * len(codes) + source
    order = np.argsort(keys, kind="stable")
    names = tuple(tuple(some[k] for k in order) for some in (sources, targets))
    return _Pairs(
        keys[order], topic[order], source[order], target[order], (names[0], names[1]),
        np.array(true, dtype=np.float64)[order],
    )  # fmt: skip


def _expanded(pairs: _Pairs, keys: Ints) -> tuple[Ints, Ints]:
    """Return for each consultation and each pair of its element: its place, and the pair."""
    first = np.searchsorted(pairs.keys, keys, side="left")
    sizes = np.searchsorted(pairs.keys, keys, side="right") - first
    place = np.repeat(np.arange(len(keys)), sizes)
    within = np.arange(len(place)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place, first[place] + within


def _broken_off(events: Events, consults: Ints) -> Flags:
    """Return which consultations are the last of a session that stopped in the middle, or at all.

    A session without an end counts as broken off.
    """
    codes = [code for code, name in enumerate(events.reasons) if name in _BROKEN_OFF]
    ended = events.reason >= 0
    num_sessions = int(events.session[-1]) + 1
    whole = np.zeros(num_sessions, dtype=np.bool_)
    whole[events.session[ended & ~np.isin(events.reason, codes)]] = True
    session = events.session[consults]
    every = np.flatnonzero(events.is_consult)
    last = np.zeros(num_sessions, dtype=np.int64)
    last[events.session[every]] = every  # the last one written stays
    found: Flags = (last[session] == consults) & ~whole[session]
    return found


def _wanted(dataset: Dataset) -> Ints | None:
    """Return how many ideals users want on each topic, None if that isn't why they stop."""
    log = dataset.specification.log
    rules = [rule_of(words) for words in log.stop] if log else []
    named = [rule.ideals for rule in rules if isinstance(rule, Found)]
    if log and log.want is not None:
        named.append(log.want)
    if not named and rules:
        return None
    sizes = np.array([len(one.ideals) for one in dataset.judged()], dtype=np.int64)
    return np.minimum(sizes, min(named)) if named else sizes


def _are_same(user: Ints, pair: Ints, seen: Flags) -> bool:
    """Return whether users of one number see the same in all systems: they are the same people."""
    key = user * (int(pair.max(initial=0)) + 1) + pair
    _, group, sizes = np.unique(key, return_inverse=True, return_counts=True)
    told = np.bincount(group, seen, minlength=len(sizes))
    return bool(((told == 0) | (told == sizes)).all())
