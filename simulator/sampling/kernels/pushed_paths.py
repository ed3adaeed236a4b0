"""Compiled loop that draws walkers some of whom are pushed to what is rare, and how rare it was.

A path is a sequence of legs. A leg begins at the entry, or at an ideal, and ends at the next ideal
or where the walk stops. Within `steps` steps of a leg the links can be tilted so that it ends in a
class of ideals, or in none of some classes; how much commoner this makes the leg depends on where
it began and where it ended, and on nothing between. So the ratio of the two laws is known for each
user, however drawn. `tests.twins.pushed_paths` is the plain-Python twin.
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

# A user who is not pushed, and one who is pushed towards ideals; others shun a set of classes.
PLAIN, TOWARDS = -1, 0
# That a path has met more than one ideal; -1 is none.
_MORE = -2


class Moves(NamedTuple):
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
    `onward_ratio` how much commoner a leg to it. `batches` are the ends of batches of entries, from
    which users walk at a time. `towards` is the share of pushed users who are pushed towards
    ideals, `unpushed` their probability of no push of a first leg, batch by batch. Others shun
    `sets` with cumulative `shares`, of classes with `bits`, each up to the entry `ends`; `shunned`
    (batches, sets) is how common they are with this set of ends of first legs.
    """

    first: Any
    first_ratio: Any
    later: Any
    onward: Any
    onward_ratio: Any
    towards: float
    batches: Any
    unpushed: Any
    bits: Any
    ends: Any
    sets: Any
    shares: Any
    shunned: Any


class _Tile(NamedTuple):
    """The users of a tile, and their paths from the entries of a batch.

    By user: `plans`, the ends of first legs, ratios of the laws, sources of pushes, ideals seen. By
    entry of the batch and user: the one ideal that the path has `met`, whether it is on its `first`
    leg, and up to what step the leg ends in time.
    """

    plans: Any
    ends: Any
    ratios: Any
    sources: Any
    keys: Any
    found: Any
    met: Any
    first: Any
    due: Any


@njit(nogil=True, cache=True)
def pushed_walks(
    key, push_key, every, first_user, columns, slots, slot_ideals, ranks, entries, places,
    entry_ideals, graph, ahead, pushes, state, again, num_ranked, unranked, consulted, leading,
    ratios,
):  # fmt: skip
    """Walk as `paths.walks`, the last of `every` users pushed; write C(r), CL(r) and q / p.

    Of a user who is not pushed, paths are those of `paths.walks`. Pushes are drawn from SplitMix64
    of (push_key, v), and batches of entries from which users walk at a time are the list's: so no
    user depends on others.
    """
    num_users, t = consulted.shape
    room = _room(t)
    widest = 1
    for batch in range(1, len(pushes.batches)):
        widest = max(widest, pushes.batches[batch] - pushes.batches[batch - 1])
    tile = _Tile(
        np.empty(TILE, np.int64), np.empty(TILE, np.int64), np.empty(TILE),
        np.empty(TILE, np.uint64), np.empty((t, TILE), np.int32), np.empty(TILE, np.int64),
        np.empty((widest, TILE), np.int64), np.empty((widest, TILE), np.bool_),
        np.empty((widest, TILE), np.int64),
    )  # fmt: skip
    identities = np.empty(TILE, np.uint64)
    walked, active = np.empty(TILE, np.int64), np.empty(TILE, np.int64)
    abreast = widest * TILE
    walkers = np.empty((2, abreast), np.int64)
    at, before = np.empty(abreast, np.uint64), np.empty(abreast, np.uint64)
    states = np.empty((3, abreast), np.uint64)
    picked, rests = np.empty(abreast, np.uint64), np.empty(abreast, np.uint64)
    chosen, ideals = np.empty(abreast, np.int64), np.empty(abreast, np.int64)
    steps = len(ahead.near)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        tile.keys[:] = NEVER
        tile.found[:] = 0
        tile.ends[:] = 0
        tile.ratios[:] = 1.0
        walked[:] = 0
        for user in range(end - begin):
            number = first_user + begin + user
            identities[user] = _mixed(key + uint64(number + 1) * GOLDEN)
            tile.sources[user] = _mixed(push_key + uint64(number + 1) * GOLDEN)
            tile.plans[user] = PLAIN
            if number % every == every - 1:
                tile.plans[user] = _plan(tile.sources, user, pushes)
        for batch in range(len(pushes.batches) - 1):
            low, high = pushes.batches[batch], pushes.batches[batch + 1]
            searching = 0
            for user in range(end - begin):
                # Users who have seen all need not walk.
                active[searching] = user
                walked[user] += tile.found[user] < t
                searching += tile.found[user] < t
            if not searching:
                break
            walking = 0
            for entry in range(low, high):
                x = entry_ideals[entry]
                if x >= 0:
                    for user in range(end - begin):
                        _see(tile.keys, tile.found, x, user, ranks[entry])
                if not places[entry]:
                    continue
                salt = _mixed(uint64(entries[entry] + 1) * GOLDEN)
                for user in active[:searching]:
                    seed = identities[user] ^ salt
                    walkers[0, walking], walkers[1, walking] = user, entry
                    at[walking] = places[entry]
                    states[0, walking] = _mixed(seed + GOLDEN)
                    states[1, walking] = _mixed(seed + GOLDEN + GOLDEN)
                    states[2, walking] = _mixed(seed + GOLDEN + GOLDEN + GOLDEN)
                    tile.met[entry - low, user] = x
                    tile.first[entry - low, user] = True
                    tile.due[entry - low, user] = steps
                    if tile.plans[user] == TOWARDS:
                        to = _chosen(pushes.first[entry], _uniform(tile.sources, user))
                        if to >= 0:
                            at[walking] = _lead(
                                tile, user, entry, low, entries[entry], to, 0, ranks[entry],
                                graph, ahead, pushes,
                            )  # fmt: skip
                    walking += 1
            counter = 1
            while walking:
                shun = counter <= steps and len(pushes.sets) > 0
                if shun:
                    before[:walking] = at[:walking]
                _draw(walking, at, states, uint64(counter), columns, picked, rests)
                if shun:
                    count = _wary(
                        walking, walkers, at, low, tile.plans, tile.first, ahead.most, chosen
                    )
                    if count:
                        _shun(
                            tile, chosen[:count], walkers, before, at, counter, graph, ahead,
                            pushes,
                        )  # fmt: skip
                walking = _stay(walking, walkers, at, states)
                count = _there(walking, at, slots, slot_ideals, chosen, ideals)
                if count:
                    _note(
                        tile, chosen[:count], ideals[:count], walkers, at, counter, low, ranks,
                        graph, ahead, pushes,
                    )  # fmt: skip
                counter += 1
        for user in range(end - begin):
            shun_ratio = pushes.shunned[walked[user], tile.ends[user]]
            towards = pushes.unpushed[walked[user]] * tile.ratios[user]
            ratios[begin + user] = pushes.towards * towards + (1.0 - pushes.towards) * shun_ratio
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


@njit(nogil=True, cache=True, inline="always")
def _see(keys, found, ideal, user, rank):
    """Note that a user sees an ideal from a rank."""
    found[user] += keys[ideal, user] == NEVER
    keys[ideal, user] = min(keys[ideal, user], np.int32(rank))


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
                passed += graph.probabilities[link] * near[row, to]
                if passed > share:
                    node = np.int64(graph.targets[link])
                    break
        if ahead.rows[node] < len(ahead.ideals):
            break
    return node


@njit(nogil=True, cache=True)
def _ended(
    user, at, entry, x, to, counter, steps, rank, keys, found, met, first, due, ratios, leg_ends,
    first_ratio, later, onward_ratio, bits, ends,
):  # fmt: skip
    """Note that a leg ended at an ideal; return the probability of a push from there."""
    only = met[at, user]
    _see(keys, found, x, user, rank)
    if only == _MORE:
        return 0.0
    if counter <= due[at, user]:
        if first[at, user]:
            ratios[user] *= first_ratio[entry, to]
            if entry < ends[to]:
                leg_ends[user] |= bits[to]
        else:
            push = later[entry, only]
            ratios[user] *= 1.0 + push / (1.0 - push) * onward_ratio[only, to]
    first[at, user] = False
    if only >= 0 and only != x:
        met[at, user] = _MORE
        return 0.0
    met[at, user], due[at, user] = x, counter + steps
    ratios[user] *= 1.0 - later[entry, x]
    return later[entry, x]


@njit(nogil=True, cache=True)
def _lead(tile, user, entry, low, node, to, counter, rank, graph, ahead, pushes):
    """Push a user from a node to a class of ideals, and perhaps on; return their place then."""
    while True:
        node = _led(tile.sources, user, node, to, graph, ahead)
        x = ahead.ideals[ahead.rows[node]]
        push = _ended(
            user, entry - low, entry, x, ahead.classes[x], counter, len(ahead.near), rank,
            tile.keys, tile.found, tile.met, tile.first, tile.due, tile.ratios, tile.ends,
            pushes.first_ratio, pushes.later, pushes.onward_ratio, pushes.bits, pushes.ends,
        )  # fmt: skip
        if push == 0.0 or _uniform(tile.sources, user) >= push:
            return graph.places[node]
        to = _chosen(pushes.onward[x], _uniform(tile.sources, user))


@njit(nogil=True, cache=True)
def _there(walking, at, slots, slot_ideals, chosen, ideals):
    """Write which walkers have come to which ideal, as in `paths`, and return how many."""
    mask = uint64(len(slots) - 1)
    count = 0
    for k in range(walking):
        slot = (at[k] * GOLDEN >> uint64(32)) & mask
        while slots[slot]:
            if slots[slot] == at[k]:
                chosen[count], ideals[count] = k, slot_ideals[slot]
                count += 1
                break
            slot = (slot + uint64(1)) & mask
    return count


@njit(nogil=True, cache=True)
def _note(tile, chosen, ideals, walkers, at, counter, low, ranks, graph, ahead, pushes):
    """Let walkers arrive at ideals."""
    steps, classes, plans = len(ahead.near), ahead.classes, tile.plans
    keys, found, met, first, due = tile.keys, tile.found, tile.met, tile.first, tile.due
    ratios, leg_ends, first_ratio, later = tile.ratios, tile.ends, pushes.first_ratio, pushes.later
    onward_ratio, bits, ends = pushes.onward_ratio, pushes.bits, pushes.ends
    for place in range(len(chosen)):
        k, x = chosen[place], ideals[place]
        user, entry = walkers[0, k], walkers[1, k]
        rank = ranks[entry]
        push = _ended(
            user, entry - low, entry, x, classes[x], counter, steps, rank, keys, found, met, first,
            due, ratios, leg_ends, first_ratio, later, onward_ratio, bits, ends,
        )  # fmt: skip
        if push > 0.0 and plans[user] == TOWARDS and _uniform(tile.sources, user) < push:
            node = np.int64(graph.nodes[_column(at[k])])
            to = _chosen(pushes.onward[x], _uniform(tile.sources, user))
            at[k] = _lead(tile, user, entry, low, node, to, counter, rank, graph, ahead, pushes)


@njit(nogil=True, cache=True, inline="always")
def _column(place):
    """Return the first column of the alias table at a place."""
    size = place & (uint64(0) - place)
    return (place - size) >> uint64(1)


@njit(nogil=True, cache=True)
def _wary(walking, walkers, at, low, plans, first, most, chosen):
    """Write which walkers are on the first leg, shun classes, and may have stepped towards one."""
    count = 0
    for k in range(walking):
        user = walkers[0, k]
        if plans[user] > TOWARDS and at[k] and first[walkers[1, k] - low, user]:
            chosen[count] = k
            count += most[_column(at[k])] > 0.0
    return count


@njit(nogil=True, cache=True)
def _shun(tile, chosen, walkers, before, at, counter, graph, ahead, pushes):
    """Let walkers turn away from what leads to classes that they shun, and step again."""
    near = ahead.near[len(ahead.near) - counter]
    plans, sources, places = tile.plans, tile.sources, graph.places
    most, rows, nodes, bits, ends = ahead.most, ahead.rows, graph.nodes, pushes.bits, pushes.ends
    starts, targets, probabilities = graph.starts, graph.targets, graph.probabilities
    for place in range(len(chosen)):
        k = chosen[place]
        user, entry = walkers[0, k], walkers[1, k]
        number, column = _uniform(sources, user), _column(at[k])
        if number >= most[column]:
            continue
        shunned = plans[user]
        if number >= _danger(near, rows[nodes[column]], shunned, entry, bits, ends):
            continue
        begin, end = starts[nodes[_column(before[k])]], starts[nodes[_column(before[k])] + 1]
        link = _turned(
            sources, user, targets[begin:end], probabilities[begin:end], near, shunned, entry, rows,
            bits, ends,
        )  # fmt: skip
        at[k] = places[targets[begin + link]] if link >= 0 else uint64(0)


@njit(nogil=True, cache=True)
def _danger(near, row, shunned, entry, bits, ends):
    """Return the probability that the leg ends in a class that is shunned."""
    total = 0.0
    if row >= 0:
        for to in range(near.shape[1]):
            if bits[to] & shunned and entry < ends[to]:
                total += near[row, to]
    return min(total, 1.0)


@njit(nogil=True, cache=True)
def _turned(sources, user, targets, probabilities, near, shunned, entry, rows, bits, ends):
    """Return the number of a link, each as likely as it is safe; -1 is to stop."""
    safe, moving = 0.0, 0.0
    for link in range(len(targets)):
        danger = _danger(near, rows[targets[link]], shunned, entry, bits, ends)
        safe += probabilities[link] * (1.0 - danger)
        moving += probabilities[link]
    share, passed = _uniform(sources, user) * (safe + max(1.0 - moving, 0.0)), 0.0
    for link in range(len(targets)):
        danger = _danger(near, rows[targets[link]], shunned, entry, bits, ends)
        passed += probabilities[link] * (1.0 - danger)
        if passed > share:
            return link
    return -1
