"""Compiled loops that draw plain and pushed independent users, and weigh them."""

import numpy as np
from numba import njit, uint64

from prum.simulator.sampling.kernels.independent import (
    TILE,
    _count,
    _next,
    _room,
    _unit,
    fill_uniform,
)
from prum.simulator.sampling.streams import PUSHED_EVERY, UNIT

_ONE = 9007199254740992.0


@njit(nogil=True, cache=True)
def pushed_visits(
    source, pushes, done, picks, group_starts, ideals, lows, highs, inside,
    starts, cumulative, ranks, guide_starts, guides, guide_shifts,
    state, again, num_ranked, unranked, consulted, leading,
):  # fmt: skip
    """Draw the next users, from number `done` of their block on, and write their C(r) and CL(r).

    As `independent.first_seen`, but every fourth user takes a number from `pushes`, which picks a
    group by the cumulative `picks`; those of a unit have one stratum of it each. Then the user's
    share for the ideal of each entry of the group falls in lows .. highs with probability `inside`,
    and stays uniform there and elsewhere.
    """
    num_users, t = consulted.shape
    numbers = np.empty((TILE, t), np.uint64)
    keys = np.zeros((t, TILE), np.int32)
    room = _room(t)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        mine = numbers[: end - begin]
        fill_uniform(source, mine)
        first = (PUSHED_EVERY - 1 - done - begin) % PUSHED_EVERY
        for user in range(first, end - begin, PUSHED_EVERY):
            stratum = (done + begin + user) % UNIT // PUSHED_EVERY
            pick = (stratum + _unit(_next(pushes))) * (PUSHED_EVERY / UNIT)
            group = np.searchsorted(picks, pick, side="right")
            for entry in range(group_starts[group], group_starts[group + 1]):
                x = ideals[entry]
                mine[user, x] = _moved(mine[user, x], lows[entry], highs[entry], inside[entry])
        for x in range(t):
            edges = cumulative[starts[x] : starts[x + 1]]
            candidates = ranks[starts[x] : starts[x + 1]]
            guide = guides[guide_starts[x] : guide_starts[x + 1]]
            shift = guide_shifts[x]
            for user in range(end - begin):
                number = mine[user, x] & uint64(0xFFFFFFFFFFFFF800)
                k = uint64(guide[number >> shift])
                k += uint64(number >= edges[k])
                while number >= edges[k]:
                    k += uint64(1)
                keys[x, user] = candidates[k]
        _count(
            keys, state, again, num_ranked, unranked, True, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _moved(number, low, high, inside):
    """Return a number whose share of 2^53 is in low .. high - 1 with probability `inside`."""
    share = _unit(number)
    chance = (high - low) / _ONE
    rest = (1.0 - inside) / (1.0 - chance)
    below = low / _ONE * rest
    if share < below:
        place = min(np.int64(share / rest * _ONE), low - 1)
    elif share < below + inside:
        place = low + np.int64((share - below) / inside * (high - low))
        place = min(place, high - 1)
    else:
        place = high + np.int64((share - below - inside) / rest * _ONE)
        place = min(place, np.int64(_ONE) - 1)
    return uint64(place) << uint64(11)


@njit(nogil=True, cache=True)
def weigh_visits(consulted, depths, by_count, weight, theta, rest, weights):
    """Write users' weights, p / q, from their C(r).

    q / p is the sum over depths of by_count at the number of ideals seen by then, and over ranks of
    weight theta^m, m the number of ideals first seen there; `rest` is what the latter is for m = 0.
    """
    num_users, t = consulted.shape
    seen = np.empty(TILE, np.int32)
    ratio = np.empty(TILE)
    power = np.empty(TILE)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        ratio[:] = rest
        for at in range(len(depths)):
            seen[:] = 0
            for r in range(t):
                _add_seen(consulted.T[r, begin:end], depths[at], seen)
            for user in range(end - begin):
                ratio[user] += by_count[at, seen[user]]
        if rest > 0.0:
            for r in range(t):
                row, before = consulted.T[r, begin:end], consulted.T[max(r - 1, 0), begin:end]
                for user in range(end - begin):
                    rank = row[user]
                    rank = rank if rank < len(theta) else 0
                    if r == 0 or rank != before[user]:
                        power[user] = weight[rank]
                    ratio[user] += power[user] * (theta[rank] - 1.0)
                    power[user] *= theta[rank]
        for user in range(end - begin):
            weights[begin + user] = PUSHED_EVERY / (PUSHED_EVERY - 1 + ratio[user])


@njit(nogil=True, cache=True)
def _add_seen(consulted, depth, seen):
    for user in range(len(consulted)):
        seen[user] += consulted[user] <= depth
