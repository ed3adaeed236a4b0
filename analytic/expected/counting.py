"""How many elements are ideal, beside one that is: nodes of an integral, and leave-one-out laws.

Elements are ideal independently, with probabilities p_i; M of them are. Measures that divide by M
need expectations of 1/M: 1/M = int_0^1 u^(M-1) du, and E[u^M] = G(u) = prod (1 - p_i + p_i u).
"""

from functools import lru_cache
from math import ceil, log

import numpy as np

from prum.analytic.precision.counts import poisson_binomial
from prum.simulator.model.arrays import Floats, Ints

# An error of the integral, relative to 1, that rounding hides.
_HIDDEN = 1e-17
# Terms of a law that nothing notices.
NOTHING = 1e-18
# Radii of Bernstein ellipses that are tried.
_RADII = 1 + np.geomspace(0.01, 30, 80)


def log_generating(values: Floats, counts: Ints, u: Floats) -> Floats:
    """Return log G(u) of distinct probabilities and how many elements have each; u > 0."""
    return np.asarray(counts @ np.log1p(np.multiply.outer(values, u - 1)), dtype=np.float64)


def nodes_for(values: Floats, counts: Ints) -> tuple[Floats, Floats]:
    """Return nodes and weights on [0, 1] that integrate E[X u^(M-1)], for any 0 <= X <= M.

    Such an integrand is a polynomial of degree m - 1 with coefficients of at least 0, so that
    ceil(m / 2) nodes of Gauss and Legendre are exact. Fewer do for large m: on the ellipse around
    [0, 1] whose axes sum to rho / 2, its size is at most its value at the far end z, G'(z), and N
    nodes err by at most 64/15 G'(z) rho^(-2 N) / (1 - rho^-2) / 2 (Trefethen 2008, theorem 4.5).
    The least N for which this is below 1e-17 is taken.
    """
    num = int(counts.sum())
    far = 0.5 + (_RADII + 1 / _RADII) / 4
    slope = (counts * values) @ (1 / (1 + np.multiply.outer(values, far - 1)))
    size = log_generating(values, counts, far) + np.log(np.maximum(slope, 1e-300))
    bound = size + log(32 / 15) - np.log1p(-(_RADII**-2.0))
    enough = float(((bound - log(_HIDDEN)) / (2 * np.log(_RADII))).min())
    return _gauss_legendre(max(1, min(ceil(num / 2), ceil(enough))))


@lru_cache(maxsize=256)
def _gauss_legendre(num: int) -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(num)
    return (nodes + 1) / 2, weights / 2


def others_pmf(probabilities: Floats, values: Floats) -> tuple[int, Floats]:
    """Return the first count s and P(M' = s), P(M' = s + 1), ...: M' counts all elements but one.

    Row d, shape (values, counts), leaves out one whose probability is values[d] > 0. With f the law
    of all, f(k) = (1 - v) f'(k) + v f'(k - 1): solved upwards for v <= 1/2 and downwards for
    others, so that errors shrink. Terms below 1e-18 at either end are left out.
    """
    law = poisson_binomial(probabilities)
    there = np.flatnonzero(law > NOTHING)
    first, last = max(int(there[0]) - 1, 0), int(there[-1])
    law = law[first : last + 1]
    rows = np.zeros((len(values), len(law)))
    low = values <= 0.5
    before = np.zeros(int(low.sum()))
    v = values[low]
    for at, p in enumerate(law.tolist()):
        before = (p - v * before) / (1 - v)
        rows[low, at] = before
    after = np.zeros(int((~low).sum()))
    v = values[~low]
    for at in range(len(law) - 1, 0, -1):
        after = (law[at] - (1 - v) * after) / v
        rows[~low, at - 1] = after
    return first, rows
