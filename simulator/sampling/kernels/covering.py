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
    places = np.empty(TILE, np.uint64)
    keys = np.zeros((t, TILE), np.int32)
    tossed = len(showings.ranks) > 0
    room = _room(t)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        for user in range(end - begin):
            identities[user] = _mixed(key + uint64(first_user + begin + user + 1) * GOLDEN)
        if whole:
            for x in range(t):
                keys[x] = 0
                for piece in range(pieces.starts[x], pieces.starts[x + 1]):
                    _look(showings, piece, identities, keys[x, : end - begin])
        else:
            fill_uniform(points, numbers[: end - begin])
            for x in range(t):
                _draw(pieces, x, numbers[: end - begin, x], places)
                for user in range(end - begin):
                    keys[x, user] = showings.certain[places[user]]
                if tossed:
                    for user in range(end - begin):
                        keys[x, user] = _opened(showings, places[user], identities[user])
        _count(
            keys, state, again, num_ranked, unranked, sampled, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _draw(pieces, x, numbers, places):
    """Write the piece in which each user's point of span x lies."""
    guide = pieces.guide[pieces.guide_starts[x] : pieces.guide_starts[x + 1]]
    ends, length, shift = pieces.ends, float(pieces.lengths[x]), pieces.shifts[x]
    for user in range(len(numbers)):
        character = np.int64(_unit(numbers[user]) * length)
        piece = uint64(guide[uint64(character >> shift)])
        while character >= ends[piece]:
            piece += uint64(1)
        places[user] = piece


@njit(nogil=True, cache=True)
def _look(showings, piece, identities, last):
    """Raise `last`, user by user, to the rank at which they are first shown a piece."""
    certain = showings.certain[piece]
    if showings.starts[piece] == showings.starts[piece + 1]:
        for user in range(len(last)):
            last[user] = max(last[user], certain)
    else:
        for user in range(len(last)):
            last[user] = max(last[user], _opened(showings, uint64(piece), identities[user]))


@njit(nogil=True, cache=True)
def _opened(showings, piece, identity):
    """Return the rank, from 1, at which a user is first shown a piece, or NEVER."""
    for k in range(showings.starts[piece], showings.starts[piece + uint64(1)]):
        opening = uint64(k)
        if _unit(_mixed(identity ^ showings.salts[opening])) < showings.chances[opening]:
            return showings.ranks[opening]
    return showings.certain[piece]
