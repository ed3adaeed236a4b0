"""Distances of two sets of sessions, from sums over the sessions of each.

Each takes sums of either side, shape (..., k), and returns a number for each row, shape (...): so
that sets which were permuted or drawn again are compared all at once.
"""

import numpy as np

from prum.simulator.model.arrays import Floats


def divergence(first: Floats, second: Floats) -> Floats:
    """Return the Jensen-Shannon divergence of two lists of counts, in bits, from 0 to 1.

    >>> divergence(np.array([1.0, 1.0]), np.array([2.0, 0.0])).round(4).item()
    0.3113
    """
    p, q = _shares(first), _shares(second)
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(one > 0, one * np.log2(one / middle), 0).sum(-1) for one in (p, q)]
    return np.asarray(np.maximum((parts[0] + parts[1]) / 2, 0))


def largest_gap(first: Floats, second: Floats) -> Floats:
    """Return the largest difference of two distributions, given by counts in ascending order.

    The statistic of Kolmogorov and Smirnov, from 0 to 1.

    >>> largest_gap(np.array([1.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0])).item()
    0.5
    """
    return np.asarray(np.abs(np.cumsum(_shares(first) - _shares(second), axis=-1)).max(-1))


def score_gap(first: Floats, second: Floats) -> Floats:
    """Return the mean over systems of |score - other score|; NaN for one without sessions.

    A score is a ratio of sums: shape (..., 2 m), m numerators before m denominators.
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(_ratios(first) - _ratios(second)).mean(-1))


def order_gap(first: Floats, second: Floats) -> Floats:
    """Return the share of pairs of systems that both sides order differently; ties count half.

    >>> order_gap(np.array([1.0, 2.0, 4.0, 4.0]), np.array([3.0, 2.0, 4.0, 4.0])).item()
    1.0
    """
    one, other = _ratios(first), _ratios(second)
    k, j = np.triu_indices(one.shape[-1], 1)
    signs = np.sign(one[..., k] - one[..., j]), np.sign(other[..., k] - other[..., j])
    return np.asarray((np.abs(signs[0] - signs[1]) / 2).sum(-1) / len(k) if len(k) else np.nan)


def _shares(counts: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(counts / counts.sum(-1, keepdims=True))


def _ratios(sums: Floats) -> Floats:
    half = sums.shape[-1] // 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., :half] / sums[..., half:])
