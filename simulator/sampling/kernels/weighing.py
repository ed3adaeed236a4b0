"""Compiled loops that add weighted users up to whole-number sums over units, for a tally."""

import numpy as np
from numba import njit, uint64

from prum.simulator.sampling.streams import UNIT

_RATIO, _SQUARE = float(1 << 40), float(1 << 56)
# Numbers below 2^62 are multiplied in halves.
HALF_BITS = 31
_HALF = uint64((1 << HALF_BITS) - 1)
_WORD = uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True, error_model="numpy")
def add_units(consulted, leading, weights, bits, cut, num_elements, pairs, sums, products):
    """Add the units of some users to sums (5, 2, t), and products of pairs (pairs, 3, 2, t).

    A unit's sums are of W, W C, W CL, W CL / C and W (C / num_elements)^2 over its users. Weights W
    are whole numbers of 2^-bits; the ratio counts in 2^-40, the square in 2^-56. Where C and CL are
    costs of many steps, W C and W CL of a user are rounded to 2^cut of theirs. Products are those
    of upper halves, of an upper and a lower, and of lower halves. The last axis but one is a
    number's upper and lower word, added up by themselves.
    """
    num_users, t = consulted.shape
    ratio_scale, square_scale = _RATIO / float(1 << bits), _SQUARE / float(1 << bits)
    share = 1.0 / float(1 << cut)
    unit_sums = np.zeros(5, np.uint64)
    for r in range(t):
        every_c, every_lead = consulted.T[r], leading.T[r]
        for begin in range(0, num_users, UNIT):
            weight, whole, leads, ratio, square = 0, 0, 0, 0, 0
            for user in range(begin, begin + UNIT):
                w, c, lead = weights[user], np.int64(every_c[user]), np.int64(every_lead[user])
                depth = c / num_elements
                weight += w
                if cut:
                    whole += np.int64(share * w * c + 0.5)
                    leads += np.int64(share * w * lead + 0.5)
                else:
                    whole += w * c
                    leads += w * lead
                ratio += np.int64(w * ratio_scale * lead / c + 0.5)
                square += np.int64(w * square_scale * depth * depth + 0.5)
            unit_sums[0], unit_sums[1], unit_sums[2] = weight, whole, leads
            unit_sums[3], unit_sums[4] = ratio, square
            for row in range(5):
                sums[row, 0, r] += unit_sums[row] >> uint64(32)
                sums[row, 1, r] += unit_sums[row] & _WORD
            for pair in range(len(pairs)):
                one, other = unit_sums[pairs[pair, 0]], unit_sums[pairs[pair, 1]]
                high, low = one >> uint64(HALF_BITS), one & _HALF
                other_high, other_low = other >> uint64(HALF_BITS), other & _HALF
                middle = high * other_low + low * other_high
                _add(high * other_high, products[pair, 0, :, r])
                _add(middle, products[pair, 1, :, r])
                _add(low * other_low, products[pair, 2, :, r])


@njit(nogil=True, cache=True, inline="always")
def _add(number, words):
    words[0] += number >> uint64(32)
    words[1] += number & _WORD
