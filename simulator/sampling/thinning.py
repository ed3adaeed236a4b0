"""Compiled loop that draws users who browse less than their table says, each by his own factor."""

import math

import numpy as np
from numba import njit

from prum.simulator.sampling.kernels import NEVER, TILE, _count, _next, _room, _unit


@njit(nogil=True, cache=True)
def thinned(
    source, factors, starts, hazards, next_certain, ranks, own_ranks,
    state, again, num_ranked, unranked, sampled, consulted, leading,
):  # fmt: skip
    """Draw the next users of a population, and write their C(r) and CL(r).

    For each ideal a user goes from one visit that somebody with factor 1 would make to the next,
    and makes it with his own factor; at the ideal's own rank he sees it in any case. Column x's
    visits are starts[x] .. starts[x + 1]; hazards, -log(1 - p) added up, begin anew in each.
    """
    num_users, t = consulted.shape
    keys = np.empty((t, TILE), np.int32)
    room = _room(t)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        keys[:] = NEVER
        for user in range(end - begin):
            factor = factors[begin + user]
            for x in range(t):
                keys[x, user] = own_ranks[x]
                visit, passed = starts[x] - 1, 0.0
                while factor > 0.0:
                    passed -= math.log(1.0 - _unit(_next(source)))
                    certain = next_certain[visit + 1 + x]
                    visit = _first_above(hazards, visit + 1, certain, passed)
                    if visit == starts[x + 1] or ranks[visit] >= own_ranks[x]:
                        break
                    if _unit(_next(source)) < factor:
                        keys[x, user] = ranks[visit]
                        break
                    passed = hazards[visit]
        _count(
            keys, state, again, num_ranked, unranked, sampled, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _first_above(hazards, low, high, passed):
    """Return the first of low .. high - 1 whose hazard exceeds `passed`, high if none does."""
    while low < high:
        middle = (low + high) >> 1
        if hazards[middle] > passed:
            high = middle
        else:
            low = middle + 1
    return low
