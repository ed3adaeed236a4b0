"""Compiled loops of the gradient of PRUM: equation (8) backwards, from its product to the laws."""

import numpy as np
from numba import njit

from prum.analytic.precision.leave_one_out import law_of, without_each


@njit(nogil=True, cache=True)
def add_leading(p, weights, out):
    """Add the derivatives of sum_s weights[s] L(s) in each v_ix = P(x not in S_i) to row i of out.

    L(s) = sum_i P(F_{i-1} = s) (1 - prod_x (1 - P(x first seen at i given F_{i-1} = s))), where
    P(x first seen at i, F_{i-1} = s) is f_x g_x(s), f_x = v_{i-1,x} - v_ix and g_x the law of
    F_{i-1} without x, which is that of F_{i-1} with the factor of x divided out: an adjoint runs
    through the same division. p has shape (o, t), out (o + 1, t).
    """
    o, t = p.shape
    unseen, seen = np.ones(t), np.zeros(t)
    law, of_law = np.empty(t + 1), np.empty(t + 1)
    others, of_others = np.empty((t, t)), np.empty((t, t))
    first, chance, before = np.empty(t), np.empty(t), np.empty(t + 1)
    for i in range(o):
        for x in range(t):
            first[x] = unseen[x] * p[i, x]
        fresh = np.flatnonzero(first > 0.0)
        if not len(fresh):
            continue
        law_of(unseen, seen, law)
        without_each(unseen, seen, others)
        of_law[:] = 0.0
        of_others[:] = 0.0
        before[0] = 1.0
        for s in range(t):
            if law[s] <= 0.0:
                continue
            for k, x in enumerate(fresh):
                chance[k] = min(first[x] * others[s, x] / law[s], 1.0)
                before[k + 1] = before[k] * (1.0 - chance[k])
            after, once = 1.0, 0.0
            for k in range(len(fresh) - 1, -1, -1):
                x, without = fresh[k], before[k] * after
                after *= 1.0 - chance[k]
                once += without * chance[k]
                of_first = weights[s] * without * others[s, x]
                out[i, x] += of_first
                out[i + 1, x] -= of_first
                of_others[s, x] = weights[s] * without * first[x]
            of_law[s] = weights[s] * (1.0 - before[len(fresh)] - once)
        for x in fresh:
            out[i, x] += _through_division(
                unseen[x], seen[x], others[:, x], of_others[:, x], of_law
            )
        for x in range(t):
            for s in range(t):
                out[i, x] += others[s, x] * (of_law[s] - of_law[s + 1])
        for x in range(t):
            seen[x] = min(seen[x] + first[x], 1.0)
            unseen[x] *= 1.0 - p[i, x]


@njit(nogil=True, cache=True)
def _through_division(low, high, others, of_others, of_law):
    """Carry what the coefficients of law / (low + high z) count for back to the law's.

    Return what it adds to the derivative in low = 1 - high. From the end where the larger term
    stands, so that an error is multiplied by at most 1 in each step.
    """
    t = len(others)
    total, passed = 0.0, 0.0
    if low >= high:
        for s in range(t - 1, -1, -1):
            passed = (of_others[s] - high * passed) / low
            of_law[s] += passed
            total -= passed * (others[s] - (others[s - 1] if s else 0.0))
    else:
        for s in range(t):
            passed = (of_others[s] - low * passed) / high
            of_law[s + 1] += passed
            total -= passed * ((others[s + 1] if s + 1 < t else 0.0) - others[s])
    return total
