"""Compiled loop that draws users whose visits from one entry point depend on each other."""

import math

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

# The floating-point form of 1.
_ONE = 1023 << 52


@njit(nogil=True, cache=True)
def contexts(
    key, first_user, below, guide, shift, levels, buckets, ranks, starts, ideals,
    lists, places, normals, edges, highs, hazards, rho,
    state, again, num_ranked, unranked, sampled, consulted, leading, seen,
):  # fmt: skip
    """Draw the next users, from one context in which they see something to the next.

    An outcome is a context and what is seen in it. below[k] is the probability that none of the
    outcomes up to k happens, counted from the last context that nobody passes; levels[c] that of
    getting past the context before c. So the next outcome is the first whose `below` is less than
    levels[c] times a uniform number, the next of the user's SplitMix64 numbers. `guide` says where
    to begin, by the upper bits of that product; buckets[c] is the first of its entries for c, and
    how many follow. Outcome k leads to context arrivals[k], or -1 at the end of the list, where the
    user sees list what[k], or, if that is negative, what `_look` finds in cell ~what[k]. `seen`, if
    it has room, takes the ranks of first seeing the ideals.
    """
    num_users, t = consulted.shape
    keys = np.empty((t, TILE), np.int32)
    room = _room(t)
    found, identities = np.empty(TILE, np.int64), np.empty(TILE, np.uint64)
    walkers, after = np.empty(TILE, np.int64), np.empty(TILE, np.int64)
    numbers, outcomes = np.empty(TILE, np.uint64), np.empty(TILE, np.uint64)
    found_levels = np.empty(TILE, np.int64)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        keys[:] = NEVER
        found[:] = 0
        after[:] = 0
        for user in range(end - begin):
            walkers[user] = user
            identities[user] = _mixed(key + uint64(first_user + begin + user + 1) * GOLDEN)
        walking = end - begin
        while walking:
            for k in range(walking):
                identities[k] += GOLDEN
                numbers[k] = _mixed(identities[k])
            for k in range(walking):
                context = uint64(after[k])
                level = np.float64((1.0 - _unit(numbers[k])) * levels[context]).view(np.int64)
                bucket = buckets[context, 0] + min((_ONE - level) >> shift, buckets[context, 1])
                outcome = uint64(guide[uint64(bucket)])
                outcomes[k] = outcome + uint64(below[outcome, 0] >= level)
                found_levels[k] = level
            on = uint64(0)
            for k in range(walking):
                user, outcome, level = uint64(walkers[k]), outcomes[k], found_levels[k]
                while below[outcome, 0] >= level:
                    outcome += uint64(1)
                what = np.int32(below[outcome, 1])
                arrival = below[outcome, 1] >> 32
                if arrival < 0:
                    continue
                context = uint64(arrival)
                base, rank = starts[context], ranks[context]
                new = 0
                if what < 0:
                    new = _look(
                        numbers[k], ~what, base, starts[context + uint64(1)], normals, edges,
                        highs, hazards, rho, ideals, rank, keys, user,
                    )  # fmt: skip
                else:
                    for place in range(lists[what, 0], lists[what, 1]):
                        x = uint64(ideals[uint64(base + places[place])])
                        before = keys[x, user]
                        new += before == NEVER
                        keys[x, user] = min(before, rank)
                found[user] += new
                walkers[on], after[on], identities[on] = user, context + uint64(1), identities[k]
                on += uint64(found[user] < t)
            walking = np.int64(on)
        if seen.size:
            seen[:, begin:end] = keys[:, : end - begin]
        _count(
            keys, state, again, num_ranked, unranked, sampled, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _look(
    number, cell, base, end, normals, edges, highs, hazards, rho, ideals, rank, keys, user
):  # fmt: skip
    """Note what a user sees whose common factor z is in a cell; return how many are new.

    Visits are the most probable at the cell's lower edge. With those probabilities at least one is
    proposed; each is made with its probability at z divided by that. z is drawn only when a visit
    depends on it: when it would not also be made at the upper edge.
    """
    num_ideals = end - base
    row = base * len(edges) + cell * num_ideals
    last = row + num_ideals - 1
    z = math.nan
    new = 0
    number += GOLDEN
    passed = -math.log(1.0 + _unit(_mixed(number)) * math.expm1(-hazards[last]))
    entry = row + min(_num_passed(hazards[row : last + 1], passed), num_ideals - 1)
    while entry <= last:
        number += GOLDEN
        chance = _unit(_mixed(number)) * highs[entry]
        k = base + entry - row
        seen = chance < highs[entry + num_ideals]
        if not seen:
            if math.isnan(z):
                z, number = _within(number, edges[cell], edges[cell + 1])
            depth = (math.sqrt(rho) * z - normals[k]) / math.sqrt(2.0 - 2.0 * rho)
            seen = chance < 0.5 * math.erfc(depth)
        if seen and keys[ideals[k], user] == NEVER:
            keys[ideals[k], user] = rank
            new += 1
        number += GOLDEN
        passed = hazards[entry] - math.log(1.0 - _unit(_mixed(number)))
        entry = row + _num_passed(hazards[row : last + 1], passed)
    return new


@njit(nogil=True, cache=True)
def _num_passed(hazards, passed):
    """Return how many do not exceed `passed`, by comparing all, which vectorises."""
    count = 0
    for k in range(len(hazards)):
        count += hazards[k] <= passed
    return count


@njit(nogil=True, cache=True)
def _within(number, low, high):
    """Return a standard normal number between two bounds, by rejection, and the last draw."""
    nearest = min(max(low, 0.0), high)
    while True:
        number += uint64(2) * GOLDEN
        z = low + _unit(_mixed(number - GOLDEN)) * (high - low)
        if _unit(_mixed(number)) < math.exp(0.5 * (nearest * nearest - z * z)):
            return z, number
