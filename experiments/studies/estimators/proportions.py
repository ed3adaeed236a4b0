"""95 % intervals of a probability, by how often something happened: Wald, Wilson, Jeffreys."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri
from scipy.stats import binom

from prum.experiments.statistics.intervals import CONFIDENCE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ends = tuple[Floats, Floats]

WALD, WILSON, JEFFREYS = "Wald", "Wilson", "Jeffreys"
METHODS = (WALD, WILSON, JEFFREYS)
_Z = float(ndtri((1 + CONFIDENCE) / 2))


def proportion_intervals(happened: Ints, trials: Ints) -> Mapping[str, Ends]:
    """Return the ends by method; `trials` are 1 at least.

    Wald: p ± 1.96 sqrt(p (1 - p) / n). Wilson (1927): the p whose z-test does not reject. Jeffreys:
    the middle of the Beta(k + 1/2, n - k + 1/2) law, from 0 where k = 0 and to 1 where k = n.

    >>> ends = proportion_intervals(np.array([2]), np.array([10]))
    >>> [round(float(end[0]), 4) for end in ends["Wilson"]]
    [0.0567, 0.5098]
    """
    n, k = trials.astype(np.float64), happened.astype(np.float64)
    p = k / n
    half = _Z * np.sqrt(p * (1 - p) / n)
    centre = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    width = _Z / (1 + _Z**2 / n) * np.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
    tail = (1 - CONFIDENCE) / 2
    low = np.where(k == 0, 0.0, betaincinv(k + 0.5, n - k + 0.5, tail))
    high = np.where(k == n, 1.0, betaincinv(k + 0.5, n - k + 0.5, 1 - tail))
    return {
        WALD: (p - half, p + half),
        WILSON: (centre - width, centre + width),
        JEFFREYS: (low, high),
    }


def holds(ends: Ends, probabilities: Floats) -> NDArray[np.bool_]:
    """Return which intervals hold the probability; ends count, but for rounding."""
    low, high = ends
    found: NDArray[np.bool_] = (low - 1e-12 <= probabilities) & (probabilities <= high + 1e-12)
    return found


def binomial_coverage(trials: Ints, probabilities: Floats) -> dict[str, Floats]:
    """Return the coverage that each pair of n and p would have by the binomial law, by method.

    The sum over k of P(k) where the interval of k holds p.
    """
    found = {method: np.empty(len(trials)) for method in METHODS}
    for n in np.unique(trials).tolist():
        of_n = trials == n
        p = probabilities[of_n]
        k = np.arange(n + 1)
        law = binom.pmf(k[:, None], n, p)
        for method, (low, high) in proportion_intervals(k, np.full(n + 1, n)).items():
            held = holds((low[:, None], high[:, None]), p)
            found[method][of_n] = (law * held).sum(axis=0)
    return found
