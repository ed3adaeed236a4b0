"""Compiled loops that add weighted users up to whole-number sums of units, for a tally."""

import numpy as np
from numba import njit

from prum.simulator.sampling.streams import UNIT

_RATIO, _SQUARE = float(1 << 40), float(1 << 56)


@njit(nogil=True, cache=True, error_model="numpy")
def unit_sums(consulted, leading, weights, bits, num_elements, sums):
    """Add W, W C, W CL, W CL / C, W (C / num_elements)^2 of users to sums (5, units, t).

    Weights W are whole numbers of 2^-bits; the ratio counts in 2^-40, the square in 2^-56.
    """
    t = consulted.shape[1]
    ratio_scale, square_scale = _RATIO / float(1 << bits), _SQUARE / float(1 << bits)
    for r in range(t):
        for unit in range(sums.shape[1]):
            weight, whole, leads, ratio, square = 0, 0, 0, 0, 0
            for user in range(unit * UNIT, (unit + 1) * UNIT):
                w, c = weights[user], np.int64(consulted[user, r])
                lead = np.int64(leading[user, r])
                depth = c / num_elements
                weight += w
                whole += w * c
                leads += w * lead
                ratio += np.int64(np.rint(w * ratio_scale * lead / c))
                square += np.int64(np.rint(w * square_scale * depth * depth))
            sums[0, unit, r] += weight
            sums[1, unit, r] += whole
            sums[2, unit, r] += leads
            sums[3, unit, r] += ratio
            sums[4, unit, r] += square
