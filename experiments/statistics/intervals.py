"""Intervals of means, by Student's t."""

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95


def mean_interval(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the mean of independent values and the ends of its 95 % interval (Student's t).

    The ends are NaN for a single value.

    >>> [round(x, 4) for x in mean_interval(np.array([1.0, 2.0, 3.0]))]
    [2.0, -0.4841, 4.4841]
    """
    from scipy.special import stdtrit

    n = len(values)
    mean = float(values.mean())
    if n < 2:
        return mean, np.nan, np.nan
    error = float(values.std(ddof=1)) / n**0.5
    half = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * error
    return mean, mean - half, mean + half
