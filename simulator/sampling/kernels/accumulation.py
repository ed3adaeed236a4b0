"""Compiled loops that add users up to integer sums, for a tally."""

import numpy as np
from numba import njit, uint64

# Bits behind the point of a user's ratio CL / C, squared in two halves.
RATIO_BITS = 40
HALF_BITS = RATIO_BITS // 2


@njit(nogil=True, cache=True)
def accumulate(consulted, leading, bin_shift, sums, histogram, ends):
    """Add users to integer sums, ten rows.

    C, CL, C^2 in two halves, CL^2, CL C, the ratio; then, of the ratio's upper and lower half, the
    square of the first, their product, the square of the second. A user without C(r) (the unranked
    part is not sampled) is counted at the end of the list instead: ends[:, s] takes the number, CL
    and CL^2 of users with s ideals there.
    """
    t = consulted.shape[1]
    fewer = np.zeros(3, np.int64)
    for r in range(t):
        without = histogram[r, -1]
        _add(consulted.T[r], leading.T[r], sums[:, r])
        _count_bins(consulted.T[r], bin_shift, histogram[r])
        if histogram[r, -1] > without:
            # Users with at most r ideals at the end of the list, less those with fewer.
            ends[:, r] -= fewer
            _at_end(consulted.T[r], leading.T[r], fewer)
            ends[:, r] += fewer


@njit(nogil=True, cache=True, error_model="numpy")
def _add(consulted, leading, sums):
    """Add the users with a C(r)."""
    one = float(1 << RATIO_BITS)
    total, leads, low, high, lead_square, product, ratios = 0, 0, 0, 0, 0, 0, 0
    upper_square, halves, lower_square = 0, 0, 0
    for user in range(len(consulted)):
        c = np.int64(consulted[user])
        lead = np.int64(leading[user]) if c else 0
        square = c * c
        ratio = np.int64(lead / max(c, 1) * one)
        upper = ratio >> HALF_BITS
        lower = ratio & ((1 << HALF_BITS) - 1)
        total += c
        leads += lead
        low += square & 0xFFFFFFFF
        high += square >> 32
        lead_square += lead * lead
        product += lead * c
        ratios += ratio
        upper_square += upper * upper
        halves += upper * lower
        lower_square += lower * lower
    for row, value in enumerate(
        (total, leads, low, high, lead_square, product, ratios, upper_square, halves, lower_square)
    ):
        sums[row] += value


@njit(nogil=True, cache=True)
def _at_end(consulted, leading, ended):
    """Write users, CL, CL^2 of those without C(r)."""
    users, leads, squares = 0, 0, 0
    for user in range(len(consulted)):
        lead = np.int64(leading[user]) if consulted[user] == 0 else 0
        users += consulted[user] == 0
        leads += lead
        squares += lead * lead
    ended[0], ended[1], ended[2] = users, leads, squares


@njit(nogil=True, cache=True)
def _count_bins(consulted, bin_shift, histogram):
    """Count C(r) by the upper bits of its floating-point form; the last bin takes those without."""
    first_bin = 1023 << (52 - bin_shift)
    without = len(histogram) - 1
    for user in range(len(consulted)):
        c = consulted[user]
        place = (np.float64(c).view(np.int64) >> bin_shift) - first_bin
        histogram[uint64(place if c else without)] += 1
