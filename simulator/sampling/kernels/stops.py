"""Compiled loop that draws users who stop at a rank: step by step, never from a law of the rank.

The plain-Python twin is in `tests.twins.stops`.
"""

import numpy as np
from numba import njit

from prum.simulator.sampling.kernels.independent import _next, _unit


@njit(nogil=True, cache=True)
def draw_stops(
    state, starts, ideals, chances, together, gains, satisfying, leaving, keeping, wanting,
    efforts, thetas, values, ranks,
):  # fmt: skip
    """Write each user's value by the four models, and their last rank, 0 if they do not stop.

    Visits of rank k are those from starts[k] to starts[k + 1], tossed separately, or by `_is_made`
    if they are coupled. A user with theta leaves after rank k with probability theta leaving[k], is
    satisfied by a new ideal with theta satisfying[x], or stops on seeing the one ideal they want,
    drawn by the cumulated `wanting` if there is any. After n ideals, the user gains from the next
    only if still interested, which has probability keeping[n].
    """
    num_ranks = len(starts) - 1
    seen = np.empty(len(gains), np.bool_)
    for user in range(len(values)):
        seen[:] = False
        theta = thetas[user]
        wanted = -1
        if len(wanting):
            wanted = np.searchsorted(wanting, _unit(_next(state)) * wanting[-1], side="right")
        interested = True
        num_found, total, last = 0, 0.0, 0
        gain = 0.0
        for k in range(num_ranks):
            gain = 0.0
            leaves = False
            offset = 0.0
            point = _unit(_next(state)) if together and starts[k] < starts[k + 1] else 0.0
            for visit in range(starts[k], starts[k + 1]):
                x, chance = ideals[visit], chances[visit]
                begin = offset
                if chance < 1:
                    offset += chance
                if seen[x]:
                    continue
                if together:
                    if not _is_made(together, point, begin, chance):
                        continue
                elif _unit(_next(state)) >= chance:
                    continue
                seen[x] = True
                if interested and keeping[num_found] < 1:
                    interested = _unit(_next(state)) < keeping[num_found]
                num_found += 1
                if interested:
                    gain += gains[x]
                if x == wanted:
                    leaves = True
                if satisfying[x] > 0 and _unit(_next(state)) < theta * satisfying[x]:
                    leaves = True
            total += gain
            if leaving[k] > 0 and _unit(_next(state)) < theta * leaving[k]:
                leaves = True
            if leaves:
                last = k + 1
                break
        ranks[user] = last
        values[user] = 0.0
        values[user, 1] = total
        if last:
            values[user, 0] = gain
            values[user, 2] = efforts[last - 1]
            values[user, 3] = efforts[last - 1] * total


@njit(nogil=True, cache=True)
def _is_made(together, point, begin, chance):
    """Return whether a visit is made, by the one random point for all visits of its rank.

    Exclusive (1): if the point lies in the visit's stretch of a circle of length 1. Comonotone
    (2): if it is below the visit's probability. A certain visit is always made.
    """
    if chance == 1 or together == 2:
        return point < chance
    return (point - begin) % 1.0 < chance
