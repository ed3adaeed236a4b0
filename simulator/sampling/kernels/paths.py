"""Compiled loop that draws users who walk along links."""

import numpy as np
from numba import njit, uint64

from prum.simulator.sampling.kernels.independent import GOLDEN, NEVER, TILE, _count, _mixed, _room

# Walks at a time: enough that some go on when most have stopped, few enough for the second cache.
_ABREAST = 1024


@njit(nogil=True, cache=True)
def walks(
    key, first_user, columns, slots, slot_ideals, ranks, entries, places, entry_ideals,
    state, again, num_ranked, unranked, sampled, consulted, leading,
):  # fmt: skip
    """Walk from the entries of the list, and write C(r) and CL(r) of the next users.

    `ranks` are the ranks, from 1, from which ideals can be seen, `entries` their elements, `places`
    the places of these elements in the alias tables (0: without links), `entry_ideals` the ideals
    at these ranks (-1: none). The path of user v from element e is drawn from SFC64, seeded with
    three SplitMix64 numbers of (key, v, e): the same user takes the same path from e in every list.
    A step draws a column of the element's alias table from the number's top bits and takes its
    first outcome if the other bits are below its threshold, else its second. Outcomes are places:
    twice the table's first column plus its number of columns, which divides that; 0 is to stop.
    Users walk in step, from several entries at a time.
    """
    num_users, t = consulted.shape
    keys = np.empty((t, TILE), np.int32)
    room = _room(t)
    identities, found = np.empty(TILE, np.uint64), np.empty(TILE, np.int64)
    walkers = np.empty((2, _ABREAST), np.int64)
    at, states = np.empty(_ABREAST, np.uint64), np.empty((3, _ABREAST), np.uint64)
    picked, rests = np.empty(_ABREAST, np.uint64), np.empty(_ABREAST, np.uint64)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        keys[:] = NEVER
        found[:] = 0
        for user in range(end - begin):
            identities[user] = _mixed(key + uint64(first_user + begin + user + 1) * GOLDEN)
        walking = 0
        for entry in range(len(ranks)):
            x = entry_ideals[entry]
            if x >= 0:
                for user in range(end - begin):
                    found[user] += keys[x, user] == NEVER
                    keys[x, user] = min(keys[x, user], ranks[entry])
            if places[entry]:
                salt = _mixed(uint64(entries[entry] + 1) * GOLDEN)
                for user in range(end - begin):
                    seed = identities[user] ^ salt
                    walkers[0, walking], walkers[1, walking] = user, ranks[entry]
                    at[walking] = places[entry]
                    states[0, walking] = _mixed(seed + GOLDEN)
                    states[1, walking] = _mixed(seed + GOLDEN + GOLDEN)
                    states[2, walking] = _mixed(seed + GOLDEN + GOLDEN + GOLDEN)
                    # Users who have seen all need not walk.
                    walking += found[user] < t
            if walking + TILE > _ABREAST or entry == len(ranks) - 1:
                counter = uint64(1)
                while walking:
                    _draw(walking, at, states, counter, columns, picked, rests)
                    walking = _stay(walking, walkers, at, states)
                    _notice(walking, walkers, at, slots, slot_ideals, keys, found)
                    counter += uint64(1)
        _count(
            keys, state, again, num_ranked, unranked, sampled, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _draw(walking, at, states, counter, columns, picked, rests):
    """Let every walker take the next step: write the places to which they come, 0 to stop.

    First all draw, then all look up their columns, so that memory is read without waiting.
    """
    for k in range(walking):
        a, b, c = states[0, k], states[1, k], states[2, k]
        number = a + b + counter
        states[0, k] = b ^ (b >> uint64(11))
        states[1, k] = c + (c << uint64(3))
        states[2, k] = ((c << uint64(24)) | (c >> uint64(40))) + number
        size = at[k] & (uint64(0) - at[k])
        picked[k] = ((at[k] - size) >> uint64(1)) + (((number >> uint64(32)) * size) >> uint64(32))
        rests[k] = number * size
    for k in range(walking):
        second = uint64(rests[k] >= columns[picked[k], 0])
        at[k] = (columns[picked[k], 1] >> (uint64(32) * second)) & uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True)
def _stay(walking, walkers, at, states):
    """Move walkers who have not stopped to the front, and return how many they are."""
    on = uint64(0)
    for k in range(walking):
        at[on] = at[k]
        for word in range(3):
            states[word, on] = states[word, k]
        walkers[0, on], walkers[1, on] = walkers[0, k], walkers[1, k]
        on += uint64(at[k] != uint64(0))
    return np.int64(on)


@njit(nogil=True, cache=True)
def _notice(walking, walkers, at, slots, slot_ideals, keys, found):
    """Note which walkers have come to an ideal; places are hashed, and few slots are in use."""
    mask = uint64(len(slots) - 1)
    for k in range(walking):
        slot = (at[k] * GOLDEN >> uint64(32)) & mask
        while slots[slot]:
            if slots[slot] == at[k]:
                x, user, rank = slot_ideals[slot], walkers[0, k], walkers[1, k]
                found[user] += keys[x, user] == NEVER
                keys[x, user] = min(keys[x, user], np.int32(rank))
                break
            slot = (slot + uint64(1)) & mask
