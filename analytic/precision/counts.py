"""Poisson-binomial law: how many of m independent events happen, exactly and nearly."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each, real_array

CountMethod = Literal["exact", "normal", "refined normal", "poisson"]


def poisson_binomial(probabilities: ArrayLike, *, method: CountMethod = "exact") -> Floats:
    """Return P(F = s), s = 0 .. m, of a sum F of m independent events; shape (m + 1,).

    This is equation (7) of Piwowarski, Gallinari and Dupret 2007 with P(x in S_i) for the
    probabilities.

    Parameters
    ----------
    probabilities
        The events' probabilities, shape (m,), m >= 0.
    method
        "exact": the product of the generating functions 1 - p + p z, O(m^2), every term with full
        relative accuracy, certain events exact.
        "normal": P(s - 1/2 < N <= s + 1/2), N normal with the sum's mean and variance (appendix
        A.1, with sums where it prints averages). What lies outside 0 .. m is left out, so the
        terms can sum to less than 1.
        "refined normal": the same with the first Edgeworth term for skewness (Volkova 1996), the
        distribution function kept monotone and in [0, 1]; sums to 1.
        "poisson": Poisson of the sum's mean; what lies above m is left out. Its total variation
        error is at most sum p^2 / max(1, sum p) (Barbour and Hall 1984).

    Raises
    ------
    InputError
        for a probability outside [0, 1] or an unknown `method`.

    >>> poisson_binomial([0.5, 0.5]).tolist()
    [0.25, 0.5, 0.25]
    >>> poisson_binomial([1.0, 0.25, 0.0]).tolist()
    [0.0, 0.75, 0.25, 0.0]
    """
    if method not in get_args(CountMethod):
        rule = f"be one of {get_args(CountMethod)}"
        raise InputError("method", method, rule, remedy='take "exact" if in doubt')
    remedy = "give one list of probabilities"
    p = real_array("probabilities", probabilities, remedy=remedy, shape=("m",))
    valid = (p >= 0) & (p <= 1)
    check_each("probability {}", p, valid, "lie in [0, 1]", remedy="give probabilities")
    if method == "exact":
        from prum.analytic.precision.kernels import product

        out = np.empty(len(p) + 1)
        product(np.ascontiguousarray(p), out)
        return out
    s = np.arange(len(p) + 1)
    mean, variance = p.sum(), (p * (1 - p)).sum()
    if method == "poisson":
        return _poisson(s, mean)
    if variance == 0:
        return np.where(s == round(float(mean)), 1.0, 0.0)
    edges = (np.arange(len(p) + 2) - 0.5 - mean) / np.sqrt(variance)
    if method == "normal":
        return _normal_cells(edges)
    skewness = (p * (1 - p) * (1 - 2 * p)).sum() / variance / np.sqrt(variance)
    return _refined_cells(edges, skewness)


def _poisson(s: Ints, mean: float) -> Floats:
    from scipy.special import gammaln, xlogy

    law: Floats = np.exp(xlogy(s, mean) - mean - gammaln(s + 1))
    return law


def _normal_cells(edges: Floats) -> Floats:
    """Return the normal mass between neighbouring edges, from the nearer tail of each cell."""
    from scipy.special import ndtr

    left, right = edges[:-1], edges[1:]
    above = left > 0
    cells: Floats = np.where(above, ndtr(-left) - ndtr(-right), ndtr(right) - ndtr(left))
    return cells


def _refined_cells(edges: Floats, skewness: float) -> Floats:
    from scipy.special import ndtr

    edges = np.clip(edges, -100, 100)  # where nothing is left; no overflow for tiny variances
    density = np.exp(-(edges**2) / 2) / np.sqrt(2 * np.pi)
    distribution = ndtr(edges) + (1 - edges**2) * density * skewness / 6
    distribution[0], distribution[-1] = 0, 1
    distribution = np.maximum.accumulate(np.clip(distribution, 0, 1))
    return np.diff(distribution)
