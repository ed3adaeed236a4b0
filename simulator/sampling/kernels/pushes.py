"""Compiled loop that draws walkers some of whom are pushed to what is rare, and how rare it was.

A path is a sequence of legs. A leg begins at the entry, or at an ideal, and ends at the next ideal
or where the walk stops. Within `steps` steps of a leg the links can be tilted so that it ends in a
class of ideals, or in none of some classes; how much commoner this makes the leg depends on where
it began and where it ended, and on nothing between. So the ratio of the two laws is known for every
user, whoever drew them. `tests.twins.pushes` is the plain-Python twin.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, uint64

from prum.simulator.sampling.kernels.independent import (
    GOLDEN,
    NEVER,
    TILE,
    _count,
    _mixed,
    _room,
    _unit,
)
from prum.simulator.sampling.kernels.paths import _draw, _stay

# Entries from which a tile's users walk at a time: which paths a user takes is theirs alone.
ENTRIES_ABREAST = 8
# A user who is not pushed, and one who is pushed towards ideals; others shun a set of classes.
PLAIN, TOWARDS = -1, 0
# A walker's trail: the number of the entry, the one ideal seen so far plus 1, whether no leg ended.
_BITS, _FIRST = 31, 1 << 62
_NO_MORE = -1


class Graph(NamedTuple):
    """Links by number of the element, with where elements are in the alias tables, and back."""

    starts: Any
    targets: Any
    probabilities: Any
    places: Any
    nodes: Any


class Ahead(NamedTuple):
    """What comes next: near[l, rows[v], c] is P(next ideal within l steps is of class c), from v.

    An ideal is its own next ideal; `ideals` are those of the first rows; -1 is no row. `most`
    bounds the sum of near over c by the first column of v in the alias tables.
    """

    rows: Any
    ideals: Any
    classes: Any
    near: Any
    most: Any


class Pushes(NamedTuple):
    """How users are pushed, entry by entry, and what it does to their probabilities.

    `first` (entries, classes): cumulative probabilities of a push of the first leg to a class;
    `first_ratio` by what a first leg to it is commoner than by no push. `later` (entries, ideals):
    of a push from the one ideal seen; `onward` (ideals, classes) cumulative shares of its classes,
    `onward_ratio` how much commoner a leg to it. `towards` is the share of pushed users who are
    pushed towards ideals, `unpushed` their probability of no push of a first leg by the number of
    batches of entries; others shun `sets` with cumulative `shares`, classes by `bits` up to the
    entry `ends`; `shunned` (batches, sets): how common they are by the set of first legs' ends.
    """

    first: Any
    first_ratio: Any
    later: Any
    onward: Any
    onward_ratio: Any
    towards: float
    unpushed: Any
    bits: Any
    ends: Any
    sets: Any
    shares: Any
    shunned: Any


class _Tile(NamedTuple):
    """The users of a tile: their plans, first legs' ends, ratios, numbers, and what they saw."""

    plans: Any
    ends: Any
    ratios: Any
    sources: Any
    keys: Any
    found: Any


@njit(nogil=True, cache=True)
def pushed_walks(
    key, push_key, every, first_user, columns, slots, slot_ideals, ranks, entries, places,
    entry_ideals, graph, ahead, pushes, state, again, num_ranked, unranked, consulted, leading,
    ratios,
):  # fmt: skip
    """Walk as `paths.walks`, the last of `every` users pushed; write C(r), CL(r) and q / p.

    Of a user who is not pushed, paths are those of `paths.walks`. Pushes are drawn from SplitMix64
    of (push_key, v), so they do not depend on other users.
    """
    num_users, t = consulted.shape
    room = _room(t)
    tile = _Tile(
        np.empty(TILE, np.int64), np.empty(TILE, np.int64), np.empty(TILE),
        np.empty(TILE, np.uint64), np.empty((t, TILE), np.int32), np.empty(TILE, np.int64),
    )  # fmt: skip
    identities, batches = np.empty(TILE, np.uint64), np.empty(TILE, np.int64)
    abreast = ENTRIES_ABREAST * TILE
    walkers = np.empty((3, abreast), np.int64)
    at, before = np.empty(abreast, np.uint64), np.empty(abreast, np.uint64)
    states = np.empty((3, abreast), np.uint64)
    picked, rests = np.empty(abreast, np.uint64), np.empty(abreast, np.uint64)
    steps = len(ahead.near)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        tile.keys[:] = NEVER
        tile.found[:] = 0
        tile.ends[:] = 0
        tile.ratios[:] = 1.0
        batches[:] = 0
        for user in range(end - begin):
            number = first_user + begin + user
            identities[user] = _mixed(key + uint64(number + 1) * GOLDEN)
            tile.sources[user] = _mixed(push_key + uint64(number + 1) * GOLDEN)
            tile.plans[user] = PLAIN
            if number % every == every - 1:
                tile.plans[user] = _plan(tile.sources, user, pushes)
        for low in range(0, len(ranks), ENTRIES_ABREAST):
            high = min(low + ENTRIES_ABREAST, len(ranks))
            for user in range(end - begin):
                # Users who have seen all need not walk.
                batches[user] += tile.found[user] < t
            walking = 0
            for entry in range(low, high):
                x = entry_ideals[entry]
                if x >= 0:
                    for user in range(end - begin):
                        _see(tile, x, user, ranks[entry])
                if not places[entry]:
                    continue
                salt = _mixed(uint64(entries[entry] + 1) * GOLDEN)
                for user in range(end - begin):
                    if batches[user] * ENTRIES_ABREAST <= low:
                        continue
                    seed = identities[user] ^ salt
                    walkers[0, walking] = user
                    walkers[1, walking] = entry | (x + 1) << _BITS | _FIRST
                    walkers[2, walking] = steps
                    at[walking] = places[entry]
                    states[0, walking] = _mixed(seed + GOLDEN)
                    states[1, walking] = _mixed(seed + GOLDEN + GOLDEN)
                    states[2, walking] = _mixed(seed + GOLDEN + GOLDEN + GOLDEN)
                    if tile.plans[user] == TOWARDS:
                        to = _chosen(pushes.first[entry], _uniform(tile.sources, user))
                        if to >= 0:
                            node = _led(tile.sources, user, entries[entry], to, graph, ahead)
                            at[walking] = _arrive(
                                tile, walkers, walking, node, 0, ranks, graph, ahead, pushes
                            )
                    walking += 1
            counter = 1
            while walking:
                before[:walking] = at[:walking]
                _draw(walking, at, states, uint64(counter), columns, picked, rests)
                if counter <= steps:
                    _shun(tile, walking, walkers, before, at, counter, graph, ahead, pushes)
                walking = _stay(walking, walkers, at, states)
                _notice(
                    tile, walking, walkers, at, counter, slots, slot_ideals, ranks, graph, ahead,
                    pushes,
                )  # fmt: skip
                counter += 1
        for user in range(end - begin):
            shun = pushes.shunned[batches[user], tile.ends[user]]
            towards = pushes.unpushed[batches[user]] * tile.ratios[user]
            ratios[begin + user] = pushes.towards * towards + (1.0 - pushes.towards) * shun
        _count(
            tile.keys, state, again, num_ranked, unranked, True, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True, inline="always")
def _uniform(sources, user):
    """Return the next of a user's numbers in [0, 1) for pushes."""
    sources[user] += GOLDEN
    return _unit(_mixed(sources[user]))


@njit(nogil=True, cache=True)
def _plan(sources, user, pushes):
    """Return how a pushed user is pushed: TOWARDS, or the set of classes that they shun."""
    if _uniform(sources, user) < pushes.towards:
        return np.int64(TOWARDS)
    return pushes.sets[_chosen(pushes.shares, _uniform(sources, user))]


@njit(nogil=True, cache=True)
def _chosen(cumulative, number):
    """Return the first place whose cumulative probability exceeds the number, -1 if none does."""
    for place in range(len(cumulative)):
        if number < cumulative[place]:
            return place
    return -1


@njit(nogil=True, cache=True)
def _see(tile, ideal, user, rank):
    """Note that a user sees an ideal from a rank."""
    tile.found[user] += tile.keys[ideal, user] == NEVER
    tile.keys[ideal, user] = min(tile.keys[ideal, user], np.int32(rank))


@njit(nogil=True, cache=True)
def _led(sources, user, node, to, graph, ahead):
    """Return the ideal to which a leg from a node leads that has to end in a class."""
    for left in range(len(ahead.near) - 1, -1, -1):
        near = ahead.near[left]
        span = range(graph.starts[node], graph.starts[node + 1])
        total = 0.0
        for link in span:
            row = ahead.rows[graph.targets[link]]
            if row >= 0:
                total += graph.probabilities[link] * near[row, to]
        share, passed = _uniform(sources, user) * total, 0.0
        for link in span:
            row = ahead.rows[graph.targets[link]]
            if row >= 0:
                part = graph.probabilities[link] * near[row, to]
                passed += part
                # Rounding may leave the sum below: then it is the last that can be.
                if part > 0.0:
                    node = graph.targets[link]
                    if passed > share:
                        break
        if ahead.rows[node] < len(ahead.ideals):
            break
    return np.int64(node)


@njit(nogil=True, cache=True)
def _arrive(tile, walkers, k, node, counter, ranks, graph, ahead, pushes):
    """Let a walker's leg end at an ideal, and push them on; return their place."""
    user, trail = walkers[0, k], walkers[1, k]
    entry, first = trail & ((1 << _BITS) - 1), trail & _FIRST != 0
    only = ((trail & ~_FIRST) >> _BITS) - 1
    while True:
        x = ahead.ideals[ahead.rows[node]]
        to = ahead.classes[x]
        _see(tile, x, user, ranks[entry])
        in_time = counter <= walkers[2, k]
        if first:
            if in_time:
                tile.ratios[user] *= pushes.first_ratio[entry, to]
                if pushes.bits[to] and entry < pushes.ends[to]:
                    tile.ends[user] |= pushes.bits[to]
        elif in_time:
            later = pushes.later[entry, only]
            tile.ratios[user] *= 1.0 + later / (1.0 - later) * pushes.onward_ratio[only, to]
        if only >= 0 and only != x:
            walkers[1, k], walkers[2, k] = entry, _NO_MORE
            return graph.places[node]
        only, first = x, False
        walkers[1, k], walkers[2, k] = entry | (x + 1) << _BITS, counter + len(ahead.near)
        later = pushes.later[entry, x]
        tile.ratios[user] *= 1.0 - later
        if tile.plans[user] != TOWARDS or later == 0.0:
            return graph.places[node]
        if _uniform(tile.sources, user) >= later:
            return graph.places[node]
        onward = _chosen(pushes.onward[x], _uniform(tile.sources, user))
        node = _led(tile.sources, user, node, onward, graph, ahead)


@njit(nogil=True, cache=True)
def _notice(
    tile, walking, walkers, at, counter, slots, slot_ideals, ranks, graph, ahead, pushes
):  # fmt: skip
    """Note which walkers have come to an ideal, as in `paths`; pushed ones may be pushed on."""
    mask = uint64(len(slots) - 1)
    for k in range(walking):
        slot = (at[k] * GOLDEN >> uint64(32)) & mask
        while slots[slot]:
            if slots[slot] == at[k]:
                if walkers[2, k] == _NO_MORE:
                    entry = walkers[1, k] & ((1 << _BITS) - 1)
                    _see(tile, slot_ideals[slot], walkers[0, k], ranks[entry])
                else:
                    node = graph.nodes[_column(at[k])]
                    at[k] = _arrive(
                        tile, walkers, k, node, counter, ranks, graph, ahead, pushes
                    )
                break
            slot = (slot + uint64(1)) & mask


@njit(nogil=True, cache=True, inline="always")
def _column(place):
    """Return the first column of the alias table at a place."""
    size = place & (uint64(0) - place)
    return (place - size) >> uint64(1)


@njit(nogil=True, cache=True)
def _shun(tile, walking, walkers, before, at, counter, graph, ahead, pushes):
    """Let first legs of users who shun classes turn away from what leads there, and step again."""
    near = ahead.near[len(ahead.near) - counter]
    for k in range(walking):
        user = walkers[0, k]
        shunned = tile.plans[user]
        if shunned <= TOWARDS or not walkers[1, k] & _FIRST or not at[k]:
            continue
        column = _column(at[k])
        if ahead.most[column] == 0.0:
            continue
        number = _uniform(tile.sources, user)
        if number >= ahead.most[column]:
            continue
        entry = walkers[1, k] & ((1 << _BITS) - 1)
        if number >= _danger(near, ahead.rows[graph.nodes[column]], shunned, entry, pushes):
            continue
        node = graph.nodes[_column(before[k])]
        at[k] = _turned(tile.sources, user, node, near, shunned, entry, graph, ahead, pushes)


@njit(nogil=True, cache=True)
def _danger(near, row, shunned, entry, pushes):
    """Return the probability that the leg ends in a class that is shunned."""
    total = 0.0
    if row >= 0:
        for to in range(near.shape[1]):
            if pushes.bits[to] & shunned and entry < pushes.ends[to]:
                total += near[row, to]
    return total


@njit(nogil=True, cache=True)
def _turned(sources, user, node, near, shunned, entry, graph, ahead, pushes):
    """Return the place to which a step from a node leads that does not lead to what is shunned."""
    span = range(graph.starts[node], graph.starts[node + 1])
    total, moving = 0.0, 0.0
    for link in span:
        row = ahead.rows[graph.targets[link]]
        safe = max(1.0 - _danger(near, row, shunned, entry, pushes), 0.0)
        total += graph.probabilities[link] * safe
        moving += graph.probabilities[link]
    share = _uniform(sources, user) * (total + max(1.0 - moving, 0.0))
    if share >= total:
        return uint64(0)
    passed, last = 0.0, np.int64(-1)
    for link in span:
        row = ahead.rows[graph.targets[link]]
        part = graph.probabilities[link] * max(
            1.0 - _danger(near, row, shunned, entry, pushes), 0.0
        )
        passed += part
        if part > 0.0:
            last = np.int64(graph.targets[link])
            if passed > share:
                break
    return graph.places[last]
