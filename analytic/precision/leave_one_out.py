"""Compiled loops of `precision_gradient`: the law of a count without each ideal in turn."""

import numpy as np
from numba import njit

# A factor both of whose terms are smaller is not divided out.
_LEAST = 1e-3


@njit(nogil=True, cache=True)
def gradient(p, wanted, rates, precision, out):
    """Write the derivatives of E[CL(r)] - precision(r) E[C(r)] in each entry of p, shape (o, t).

    `wanted` are the r's, `rates` what a further ideal saves of the draws after the list, by the
    number seen and r. out has shape (r's, o + 1, t): o rows of derivatives, behind a row to spare.
    """
    o, t = p.shape
    unseen, seen = np.ones((o + 1, t)), np.zeros((o + 1, t))
    for i in range(o):
        for x in range(t):
            unseen[i + 1, x] = unseen[i, x] * (1.0 - p[i, x])
            seen[i + 1, x] = min(seen[i, x] + unseen[i, x] * p[i, x], 1.0)
    _slopes(p, unseen, seen, wanted, rates, precision, out)
    for k in range(len(wanted)):
        _along_chain(p, unseen, out[k])


@njit(nogil=True, cache=True)
def weighted_gradient(p, weights, out):
    """Write the derivatives of sum_r a_r (E[CL(r)] - precision(r) E[C(r)]) in each entry of p.

    Rows of `weights`, by s = 0 .. t - 1: what P(F_i = s without x) counts for before the end of
    the list, what it counts for at its end, sum of a_r over r > s, and over r > s + 1. out has
    shape (o + 1, t): o rows of derivatives, behind a row to spare; derivatives of more in the
    v_ix that stand in it are carried along. Only sums over s are kept of the laws.
    """
    o, t = p.shape
    unseen, seen = np.ones((o + 1, t)), np.zeros((o + 1, t))
    for i in range(o):
        for x in range(t):
            unseen[i + 1, x] = unseen[i, x] * (1.0 - p[i, x])
            seen[i + 1, x] = min(seen[i, x] + unseen[i, x] * p[i, x], 1.0)
    sums, stay = np.zeros((3, t)), np.zeros((3, t))
    along, last = weights[np.array([0, 2, 3])], weights[1:]
    for i in range(o + 1):
        changed = i > 0 and np.any(p[i - 1] != 0.0)
        if i == o:
            _sums_without_each(unseen[i], seen[i], last, stay)
            out[o] += stay[0]
        if i == 0 or changed:
            _sums_without_each(unseen[i], seen[i], along, sums)
        if i < o:
            out[i] += sums[0]
        if changed:
            _sums_without_each(unseen[i], seen[i - 1], along, stay)
        else:
            stay[:] = sums
        if i > 0:
            out[i - 1] += stay[2]
            out[i] -= stay[1]
    _along_chain(p, unseen, out)


@njit(nogil=True, cache=True)
def _along_chain(p, unseen, out):
    """Turn derivatives in v_ix into those in p: v_kx = prod_{j <= k} (1 - p_jx)."""
    o, t = p.shape
    for i in range(o - 1, -1, -1):
        for x in range(t):
            if i < o - 1:
                out[i + 1, x] += (1.0 - p[i + 1, x]) * out[i + 2, x]
    for i in range(o):
        for x in range(t):
            out[i + 1, x] *= -unseen[i, x]


@njit(nogil=True, cache=True)
def _sums_without_each(low, high, weights, sums):
    """Write sum_s weights[k, s] others[s, x] for each k and x; see `without_each`."""
    t = len(low)
    law = np.empty(t + 1)
    _product(low, high, t, law)
    sums[:] = 0.0
    for falling in range(2):
        columns = np.flatnonzero((high > low) == (falling == 1))
        if not len(columns):
            continue
        large = np.maximum(low, high)[columns]
        inverse = np.where(large >= _LEAST, 1.0 / np.maximum(large, _LEAST), 0.0)
        ratio = np.minimum(low, high)[columns] * inverse
        without = np.zeros(len(columns))
        totals = np.zeros((len(weights), len(columns)))
        for step in range(t):
            s = t - 1 - step if falling else step
            term = law[s + 1] if falling else law[s]
            for x in range(len(columns)):
                value = term * inverse[x] - ratio[x] * without[x]
                without[x] = value if value > 0.0 else 0.0
            for k in range(len(weights)):
                weight, total = weights[k, s], totals[k]
                for x in range(len(columns)):
                    total[x] += weight * without[x]
        sums[:, columns] = totals
    column = np.empty(t)
    for x in range(t):
        if max(low[x], high[x]) < _LEAST:
            _product(low, high, x, column)
            sums[:, x] = weights @ column


@njit(nogil=True, cache=True)
def _slopes(p, unseen, seen, wanted, rates, precision, out):
    """Write the derivatives in v_ix = P(x not in S_i)."""
    o, t = p.shape
    others, stay = np.empty((t, t)), np.empty((t, t))
    for i in range(o + 1):
        changed = i > 0 and np.any(p[i - 1] != 0.0)
        if i == 0 or changed:
            without_each(unseen[i], seen[i], others)
        if changed:
            # P(F_{i-1} = s, F_i = s): seen before rank i, or unseen after it.
            without_each(unseen[i], seen[i - 1], stay)
        elif i > 0:
            stay[:] = others
        if i > 0:
            for s in range(1, t):
                stay[s] += stay[s - 1]
        for k in range(len(wanted)):
            r = wanted[k]
            if i < o:
                out[k, i] += others[r - 1] * (1.0 - precision[k])
            else:
                for s in range(r):
                    out[k, o] += others[s] * (1.0 - precision[k] * rates[s, k])
            if i > 0:
                if r > 1:
                    out[k, i - 1] += stay[r - 2]
                out[k, i] -= stay[r - 1]


@njit(nogil=True, cache=True)
def without_each(low, high, others):
    """Write column x: the coefficients of prod_{y != x} (low[y] + high[y] z).

    Factor x is divided out of the product over all, from the end where its larger term stands:
    then an error is multiplied by at most 1 in each step. One that is nearly 0 is left out of the
    product instead.
    """
    t = len(low)
    law = np.empty(t + 1)
    _product(low, high, t, law)
    falling = (high > low).astype(np.float64)
    large = np.where(high > low, high, low)
    inverse = np.where(large >= _LEAST, 1.0 / np.maximum(large, _LEAST), 0.0)
    ratio = np.where(high > low, low, high) * inverse
    up, down = np.zeros(t), np.zeros(t)
    for s in range(t):
        for x in range(t):
            up[x] = max(law[s] * inverse[x] - ratio[x] * up[x], 0.0)
            others[s, x] = up[x]
    for s in range(t - 1, -1, -1):
        for x in range(t):
            down[x] = max(law[s + 1] * inverse[x] - ratio[x] * down[x], 0.0)
            others[s, x] += falling[x] * (down[x] - others[s, x])
    column = np.empty(t)
    for x in range(t):
        if large[x] < _LEAST:
            _product(low, high, x, column)
            others[:, x] = column


@njit(nogil=True, cache=True)
def law_of(low, high, out):
    """Write the coefficients of the product of all factors low[y] + high[y] z."""
    _product(low, high, len(low), out)


@njit(nogil=True, cache=True)
def _product(low, high, skipped, out):
    """Write the coefficients of prod_y (low[y] + high[y] z), all y but the one skipped."""
    out[:] = 0.0
    out[0] = 1.0
    size = 0
    for y in range(len(low)):
        if y == skipped:
            continue
        size += 1
        for s in range(min(size, len(out) - 1), 0, -1):
            out[s] = out[s] * low[y] + out[s - 1] * high[y]
        out[0] *= low[y]
