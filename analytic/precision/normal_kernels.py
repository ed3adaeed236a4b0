"""Compiled loop of PRUM with normal counts: whether a rank shows nothing new, by equation (8)."""

import math

import numpy as np
from numba import njit

from prum.analytic.precision.kernels import product

# Standard deviations beyond which a normal law has less mass (2e-19) than rounding leaves.
_FAR = 9.0
_ROOT_HALF = math.sqrt(0.5)


@njit(nogil=True, cache=True)
def nothing_new(seen, law, ideals, first, normal_above, out):
    """Multiply out[s] by prod_x (1 - first[x] P(F without x = s) / law[s]), s = 0 .. t.

    seen[x] = P(x in S), law[s] = P(F = s) by normal counts. A law is normal if more than
    `normal_above` ideals are neither certain nor impossible; mean and variance without x are those
    of all less its own. The two laws are approximations apart, so a ratio is cut at 1.
    """
    uncertain = np.empty(len(seen))
    num_certain, num_uncertain, mean, variance = 0, 0, 0.0, 0.0
    for p in seen:
        if p == 1.0:
            num_certain += 1
        elif p > 0.0:
            uncertain[num_uncertain] = p
            num_uncertain += 1
            mean += p
            variance += p * (1.0 - p)
    others, exact = np.empty(normal_above), np.empty(normal_above + 2)
    for k in range(len(ideals)):
        p = seen[ideals[k]]
        shift = num_certain - (p == 1.0)
        is_uncertain = 0.0 < p < 1.0
        number = num_uncertain - is_uncertain
        if number > normal_above:
            m, v = (mean - p, variance - p * (1.0 - p)) if is_uncertain else (mean, variance)
            _divide_normal(m, v, number, shift, first[k], law, out)
            continue
        filled, skipped = 0, not is_uncertain
        for other in uncertain[:num_uncertain]:
            if not skipped and other == p:
                skipped = True
            else:
                others[filled] = other
                filled += 1
        product(others[:number], exact[: number + 2])
        for s in range(number + 1):
            _take(out, law, s + shift, first[k] * exact[s])


@njit(nogil=True, cache=True)
def _divide_normal(mean, variance, number, shift, first, law, out):
    """Take a factor of `nothing_new` in, with the normal law of `number` uncertain ideals."""
    deviation = math.sqrt(max(variance, 0.0))
    low = max(0, math.ceil(mean - _FAR * deviation - 0.5))
    high = min(number, math.floor(mean + _FAR * deviation + 0.5))
    if deviation == 0.0:
        # What is certain up to rounding.
        _take(out, law, round(mean) + shift, first)
        return
    # The mass of a cell is the difference of its edges' tails, both to the side where it lies.
    edge = (low - 0.5 - mean) / deviation
    below, above = _tail(-edge), _tail(edge)
    for s in range(low, high + 1):
        is_above = edge > 0.0
        edge = (s + 0.5 - mean) / deviation
        if is_above:
            further = _tail(edge)
            mass, above = above - further, further
        else:
            further = _tail(-edge)
            mass, below = further - below, further
            if edge > 0.0:
                above = _tail(edge)
        _take(out, law, s + shift, first * mass)


@njit(nogil=True, cache=True)
def _tail(z):
    """Return the probability that a standard normal number exceeds z."""
    return 0.5 * math.erfc(z * _ROOT_HALF)


@njit(nogil=True, cache=True)
def _take(out, law, s, joint):
    if law[s] > 0.0:
        out[s] *= 1.0 - min(joint / law[s], 1.0)
