"""95 % intervals of a probability, by how often something happened: Wald, Wilson, Jeffreys."""

from collections.abc import Mapping

import numpy as np

from prum.experiments.statistics.intervals import TAIL, Ends, normal_factor
from prum.simulator.model.arrays import Flags, Floats, Ints

WALD, WILSON, JEFFREYS = "Wald", "Wilson", "Jeffreys"
METHODS = (WALD, WILSON, JEFFREYS)


def wilson(happened: Ints | Floats, trials: Ints | Floats) -> Ends:
    """Return the ends of Wilson's intervals (1927); `trials` are positive.

    The p whose z-test does not reject: as `scipy.stats.binomtest` has them, for many at once.

    >>> [round(float(end[0]), 4) for end in wilson(np.array([2]), np.array([10]))]
    [0.0567, 0.5098]
    """
    n, z = trials.astype(np.float64), normal_factor()
    p = happened / n
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return centre - half, centre + half


def proportion_intervals(happened: Ints, trials: Ints) -> Mapping[str, Ends]:
    """Return the ends by method; `trials` are 1 at least.

    Wald: p ± 1.96 sqrt(p (1 - p) / n). Wilson: `wilson`. Jeffreys: the middle of the
    Beta(k + 1/2, n - k + 1/2) law, from 0 where k = 0 and to 1 where k = n.

    >>> ends = proportion_intervals(np.array([2]), np.array([10]))
    >>> [round(float(end[0]), 4) for end in ends["Jeffreys"]]
    [0.0441, 0.5028]
    """
    from scipy.special import betaincinv

    n, k = trials.astype(np.float64), happened.astype(np.float64)
    p = k / n
    half = normal_factor() * np.sqrt(p * (1 - p) / n)
    low = np.where(k == 0, 0.0, betaincinv(k + 0.5, n - k + 0.5, TAIL))
    high = np.where(k == n, 1.0, betaincinv(k + 0.5, n - k + 0.5, 1 - TAIL))
    return {
        WALD: (p - half, p + half),
        WILSON: wilson(happened, trials),
        JEFFREYS: (low, high),
    }


def holds(ends: Ends, probabilities: Floats) -> Flags:
    """Return which intervals hold the probability; ends count, but for rounding.

    >>> holds((np.array([0.1]), np.array([0.3])), np.array([0.3])).tolist()
    [True]
    """
    low, high = ends
    inside: Flags = (low - 1e-12 <= probabilities) & (probabilities <= high + 1e-12)
    return inside


def binomial_coverage(trials: Ints, probabilities: Floats) -> dict[str, Floats]:
    """Return the coverage that each pair of n and p would have by the binomial law, by method.

    The sum over k of P(k) where the interval of k holds p.

    >>> coverage = binomial_coverage(np.array([2]), np.array([0.5]))
    >>> {method: share.round(4).tolist() for method, share in coverage.items()}
    {'Wald': [0.5], 'Wilson': [1.0], 'Jeffreys': [1.0]}
    """
    from scipy.stats import binom

    coverage = {method: np.empty(len(trials)) for method in METHODS}
    for n in np.unique(trials).tolist():
        of_n = trials == n
        p = probabilities[of_n]
        k = np.arange(n + 1)
        law = binom.pmf(k[:, None], n, p)
        for method, (low, high) in proportion_intervals(k, np.full(n + 1, n)).items():
            held = holds((low[:, None], high[:, None]), p)
            coverage[method][of_n] = (law * held).sum(axis=0)
    return coverage
