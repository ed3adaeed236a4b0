"""Compiled loop that draws users who need points of spans, or whole ones, and open chunks.

No law is used: a user's points are characters, and each opening is tossed. It has a plain-Python
twin in `tests.twins.covering`.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, uint64

from prum.simulator.sampling.kernels.independent import (
    GOLDEN,
    TILE,
    _count,
    _mixed,
    _room,
    _unit,
    fill_uniform,
)


class Pieces(NamedTuple):
    """Pieces of spans that every chunk shows whole or not at all; span x's from starts[x] on.

    ends[k] is where piece k ends, counted from its span's start; `lengths` are the spans'.
    guide[guide_starts[x] + (character >> shifts[x])] is a piece to begin with, seldom too early.
    """

    starts: Any
    ends: Any
    lengths: Any
    guide: Any
    guide_starts: Any
    shifts: Any


class Showings(NamedTuple):
    """What shows a piece: certain[k] is the first rank whose own chunk does, or NEVER.

    Openings that may show piece k before stand at starts[k] .. starts[k + 1], in order of ranks.
    """

    certain: Any
    starts: Any
    ranks: Any
    salts: Any
    chances: Any


@njit(nogil=True, cache=True)
def covering(
    points, key, first_user, whole, pieces, showings,
    state, again, num_ranked, unranked, sampled, consulted, leading,
):  # fmt: skip
    """Draw the next users, and write their C(r) and CL(r).

    A user's toss of an opening is a number of their own for its two chunks, so it is the same
    wherever it is looked up.
    """
    num_users, t = consulted.shape
    numbers = np.empty((TILE, t), np.uint64)
    identities = np.empty(TILE, np.uint64)
    keys = np.zeros((t, TILE), np.int32)
    room = _room(t)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        for user in range(end - begin):
            identities[user] = _mixed(key + uint64(first_user + begin + user + 1) * GOLDEN)
        if whole:
            for x in range(t):
                for user in range(end - begin):
                    last = np.int32(0)
                    for piece in range(pieces.starts[x], pieces.starts[x + 1]):
                        last = max(last, _shown(showings, piece, identities[user]))
                    keys[x, user] = last
        else:
            fill_uniform(points, numbers[: end - begin])
            for x in range(t):
                guide = pieces.guide[pieces.guide_starts[x] : pieces.guide_starts[x + 1]]
                length, shift = pieces.lengths[x], pieces.shifts[x]
                for user in range(end - begin):
                    character = uint64(_unit(numbers[user, x]) * length)
                    piece = uint64(guide[character >> shift])
                    while character >= pieces.ends[piece]:
                        piece += uint64(1)
                    keys[x, user] = _shown(showings, piece, identities[user])
        _count(
            keys, state, again, num_ranked, unranked, sampled, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True, inline="always")
def _shown(showings, piece, identity):
    """Return the rank, from 1, at which a user is first shown a piece, or NEVER."""
    place = uint64(piece)
    rank = showings.certain[place]
    for k in range(showings.starts[place], showings.starts[place + uint64(1)]):
        if _unit(_mixed(identity ^ showings.salts[uint64(k)])) < showings.chances[uint64(k)]:
            rank = showings.ranks[uint64(k)]
            break
    return rank
