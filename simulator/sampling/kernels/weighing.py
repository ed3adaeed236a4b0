"""Compiled loops that add weighted users up to whole-number sums of units, for a tally."""

import numpy as np
from numba import njit

_ONE = float(1 << 40)


@njit(nogil=True, cache=True, error_model="numpy")
def unit_sums(consulted, leading, weights, bits, unit, sums):
    """Add W, W C, W CL and W CL / C of users to sums (4, units, t), `unit` users in a row.

    Weights W are whole numbers of 2^-bits; the ratio counts in 2^-40.
    """
    num_users, t = consulted.shape
    scale = _ONE / float(1 << bits)
    for r in range(t):
        for number in range(num_users // unit):
            weight, whole, leads, ratio = 0, 0, 0, 0
            for user in range(number * unit, (number + 1) * unit):
                w, c = weights[user], np.int64(consulted[user, r])
                lead = np.int64(leading[user, r])
                weight += w
                whole += w * c
                leads += w * lead
                ratio += np.int64(np.rint(float(w) * scale * lead / c))
            sums[0, number, r] += weight
            sums[1, number, r] += whole
            sums[2, number, r] += leads
            sums[3, number, r] += ratio
