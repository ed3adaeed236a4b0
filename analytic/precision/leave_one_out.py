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
    # v_kx = prod_{j <= k} (1 - p_jx): from the last rank up.
    for k in range(len(wanted)):
        for i in range(o - 1, -1, -1):
            for x in range(t):
                if i < o - 1:
                    out[k, i + 1, x] += (1.0 - p[i + 1, x]) * out[k, i + 2, x]
        for i in range(o):
            for x in range(t):
                out[k, i + 1, x] *= -unseen[i, x]


@njit(nogil=True, cache=True)
def _slopes(p, unseen, seen, wanted, rates, precision, out):
    """Write the derivatives in v_ix = P(x not in S_i)."""
    o, t = p.shape
    others, stay = np.empty((t, t)), np.empty((t, t))
    for i in range(o + 1):
        changed = i > 0 and np.any(p[i - 1] != 0.0)
        if i == 0 or changed:
            _without_each(unseen[i], seen[i], others)
        if changed:
            # P(F_{i-1} = s, F_i = s): seen before rank i, or unseen after it.
            _without_each(unseen[i], seen[i - 1], stay)
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
def _without_each(low, high, others):
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
