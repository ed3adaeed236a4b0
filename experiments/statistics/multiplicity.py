"""Many tests at once, held to one family-wise level, or to a share of false discoveries."""

from collections.abc import Sequence

import numpy as np

from prum.experiments.statistics.intervals import CONFIDENCE
from prum.experiments.statistics.tests import p_of_means
from prum.simulator.model.arrays import Floats

LEVEL = 1 - CONFIDENCE


def bonferroni(p: Floats, size: int) -> Floats:
    """Return p-values adjusted for a family of so many tests: min(size p, 1).

    >>> bonferroni(np.array([0.01, 0.4]), 3).tolist()
    [0.03, 1.0]
    """
    adjusted: Floats = np.minimum(size * p, 1)
    return adjusted


def level_of_each(level: float, size: int) -> float:
    """Return the level of each of so many tests for a family-wise one, by Bonferroni's inequality.

    It holds however the tests depend on each other; none at all are as one.

    >>> level_of_each(0.01, 4), level_of_each(0.01, 0)
    (0.0025, 0.01)
    """
    return level / max(size, 1)


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted by Holm's method (1979); None, no test, stays None.

    The k-th smallest of m is multiplied by m - k + 1, and none is less than those before it.

    >>> holm([0.01, None, 0.03, 0.02])
    [0.03, None, 0.04, 0.04]
    """
    order = sorted((value, at) for at, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    largest = 0.0
    for rank, (value, at) in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * value))
        adjusted[at] = largest
    return adjusted


def benjamini_hochberg(p: Floats) -> Floats:
    """Return p-values adjusted for the rate of false discoveries (Benjamini and Hochberg 1995).

    If those up to a level are called discoveries, the share of false ones among them is at most
    that level in expectation, for tests that are independent or depend on each other positively
    (Benjamini and Yekutieli 2001). The k-th smallest of m is multiplied by m / k, and none is more
    than those after it.

    >>> benjamini_hochberg(np.array([0.04, 0.01, 0.03, 0.5])).round(4).tolist()
    [0.0533, 0.04, 0.0533, 0.5]
    """
    order = np.argsort(p)[::-1]
    least = np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(least, 1)
    return adjusted


def simultaneous(mean: Floats, error: Floats, n: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return low, high, p and adjusted p of means with standard errors over n values each.

    p is that of Student's two-sided t, adjusted by Bonferroni for all m of them; low and high end
    intervals of level 1 - `LEVEL` / m. So an interval leaves out 0 if and only if the adjusted p
    is below `LEVEL`. A mean whose error is NaN has no test and is not counted.

    >>> mean, error, n = np.array([0.1, 0.02]), np.array([0.03, 0.01]), np.array([30.0, 30.0])
    >>> low, high, p, adjusted = simultaneous(mean, error, n)
    >>> p.round(4).tolist(), adjusted.round(4).tolist(), low.round(4).tolist()
    ([0.0024, 0.0549], [0.0047, 0.1099], [0.0291, -0.0036])
    """
    from scipy.special import stdtrit

    size = int(np.count_nonzero(~np.isnan(error)))
    p = p_of_means(mean, error, n)
    freedom = np.where(np.isnan(error), np.nan, n - 1)
    half = -stdtrit(freedom, level_of_each(LEVEL, size) / 2) * error
    return mean - half, mean + half, p, bonferroni(p, size)
