"""Many tests at once, held to one family-wise level, or to a share of false discoveries."""

from collections.abc import Sequence

import numpy as np

from prum.experiments.statistics.intervals import CONFIDENCE
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
