"""Compiled loop that draws users who browse less than their table says, by their own factor."""

import math

import numpy as np
from numba import njit, uint64

from prum.simulator.sampling.kernels.independent import (
    GOLDEN,
    TILE,
    _count,
    _first_above,
    _mixed,
    _room,
    _unit,
    fill_uniform,
)


@njit(nogil=True, cache=True)
def thinned(
    source, factors, starts, hazards, next_certain, ranks, margins, guide, guide_starts, scales,
    own_ranks, state, again, num_ranked, unranked, sampled, consulted, leading, seen,
):  # fmt: skip
    """Draw the next users of a population, and write their C(r) and CL(r).

    1 - f p >= (1 - p)^f: where a user with factor 1 adds the hazard -log(1 - p) to those passed, a
    user with factor f adds at most f times that, and stops at the visit where the sum exceeds an
    exponential number over f. They make this visit with the probability f p over 1 - (1 - p)^f,
    which is at least 1 - p, and otherwise go on; at the ideal's own rank they always see it. Column
    x's visits are starts[x] .. starts[x + 1] - 2, followed by one that means never; hazards begin
    anew in each column. A user has t numbers from `source`; further numbers for an ideal are
    SplitMix64's from that number on. `seen`, if it has room, takes the ranks of first seeing the
    ideals.
    """
    num_users, t = consulted.shape
    keys = np.zeros((t, TILE), np.int32)
    room = _room(t)
    numbers = np.empty((TILE, t), np.uint64)
    passed, visits = np.empty(TILE), np.empty(TILE, np.uint64)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        fill_uniform(source, numbers[: end - begin])
        mine = factors[begin:end]
        for x in range(t):
            column = guide[guide_starts[x] : guide_starts[x + 1]]
            last, scale, certain = float(len(column) - 1), scales[x], next_certain[starts[x]]
            for user in range(end - begin):
                passed[user] = -math.log(1.0 - _unit(numbers[user, x])) / mine[user]
            for user in range(end - begin):
                visit = uint64(column[uint64(min(passed[user] * scale, last))])
                visits[user] = visit + uint64(hazards[visit] <= passed[user])
            for user in range(end - begin):
                visit = visits[user]
                while hazards[visit] <= passed[user]:
                    visit += uint64(1)
                visit = min(visit, uint64(certain))
                number = numbers[user, x] + GOLDEN
                if _unit(_mixed(number)) >= 1.0 - margins[visit]:
                    visit = uint64(
                        _retried(
                            number, np.int64(visit), mine[user], margins, hazards, next_certain,
                            starts[x + 1] - 1,
                        )
                    )  # fmt: skip
                keys[x, user] = min(ranks[visit], own_ranks[x])
        if seen.size:
            seen[:, begin:end] = keys[:, : end - begin]
        _count(
            keys, state, again, num_ranked, unranked, sampled, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _retried(number, visit, factor, margins, hazards, next_certain, never):
    """Return the visit that is made: this one, by the number, or a later one."""
    while visit < never:
        p = margins[visit]
        proposed = -math.expm1(factor * math.log1p(-p)) if p < 1.0 else 1.0
        if _unit(_mixed(number)) * proposed < factor * p:
            break
        number += GOLDEN
        passed = hazards[visit] - math.log(1.0 - _unit(_mixed(number))) / factor
        visit = _first_above(hazards, visit + 1, next_certain[visit + 1], passed)
        number += GOLDEN
    return visit
