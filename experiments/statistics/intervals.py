"""95 % intervals of means, of root mean squares, of deviations, and of resampled values."""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from prum.simulator.model.arrays import Floats, Ints

# A value and the ends of its interval, as others write it.
Interval = tuple[float, float, float]
# Where intervals begin and end, many at once.
Ends = tuple[Floats, Floats]

CONFIDENCE = 0.95
# What is left out on either side.
TAIL = 0.025
# Terms of a sum, and steps of Newton's method; a handful of these suffice.
_MOST_SUMMED, _MOST_STEPS = 1000, 60


class Estimate(NamedTuple):
    """A value and the ends of its interval; NaN for ends that there are none of."""

    value: float
    low: float = math.nan
    high: float = math.nan

    @classmethod
    def around(cls, value: float, half: float) -> "Estimate":
        """Return a value with ends that are equally far."""
        return cls(value, value - half, value + half)


def normal_factor() -> float:
    """Return how many standard errors half an interval of a normal law is.

    >>> round(normal_factor(), 3)
    1.96
    """
    from scipy.special import ndtri

    return float(ndtri(1 - TAIL))


def student_factor(freedom: float) -> float:
    """Return how many standard errors half an interval of Student's law is.

    >>> round(student_factor(9), 3)
    2.262
    """
    if freedom == int(freedom) <= _MOST_SUMMED:
        return _whole_student_factor(int(freedom))
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - TAIL))


@cache
def _whole_student_factor(n: int) -> float:
    """Return Student's factor of n degrees of freedom by Newton's method.

    P(|T| <= t) is a finite sum of powers of cos(angle), tan(angle) = t / sqrt(n) (Abramowitz and
    Stegun 1964, 26.7.3 and 26.7.4). To load scipy.special takes longer than to score many runs.
    """
    is_odd = n % 2
    step = np.arange(2 + is_odd, n, 2)
    peak = math.exp(math.lgamma((n + 1) / 2) - math.lgamma(n / 2)) / math.sqrt(n * math.pi)
    t = 1.0
    for _ in range(_MOST_STEPS):  # the law is concave: from below t only grows
        angle = math.atan2(t, math.sqrt(n))
        sine, cosine = math.sin(angle), math.cos(angle)
        total = 1 + math.fsum(np.cumprod((step - 1) / step * cosine**2).tolist())
        inside = sine * total
        if is_odd:
            inside = (angle + (sine * cosine * total if n > 1 else 0)) * 2 / math.pi
        change = (CONFIDENCE - inside) / (2 * peak * cosine ** (n + 1))
        t += change
        if abs(change) < 1e-15 * t:
            break
    return t


def mean_interval(values: Floats, shared: float = 0.0) -> Estimate:
    """Return the mean of independent values and the ends of its interval (Student's t).

    The ends are NaN for a single value. `shared` is a variance of the mean by anything else.

    >>> [round(x, 4) for x in mean_interval(np.array([1.0, 2.0, 3.0]))]
    [2.0, -0.4841, 4.4841]
    """
    n = len(values)
    mean = float(values.mean())
    if n < 2:
        return Estimate(mean)
    error = math.hypot(float(values.std(ddof=1)) / n**0.5, shared**0.5)
    return Estimate.around(mean, student_factor(n - 1) * error)


def clustered_interval(values: Floats, clusters: Ints) -> Estimate:
    """Return the mean of values and its interval, where those of one cluster depend on each other.

    The sum over values by their number, two means of clusters: linearised, with Student's t by
    the number of clusters. Of clusters of one it is the interval of a mean. The ends are NaN for
    a single cluster, all three for no value.

    >>> [round(x, 4) for x in clustered_interval(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 2]))]
    [2.0, -0.4841, 4.4841]
    """
    mean = float(values.mean()) if len(values) else np.nan
    _, own = np.unique(clusters, return_inverse=True)
    return _linearised(mean, np.bincount(own, values - mean).astype(np.float64), len(values))


def ratio_interval(sums: Floats, sizes: Floats) -> Estimate:
    """Return the sum of clusters' sums by that of their sizes, and its interval: linearised.

    Student's t by the number of clusters of positive size. The ends are NaN for a single one and
    where a sum is infinite, all three without any.

    >>> [round(x, 4) for x in ratio_interval(np.array([1.0, 2.0, 3.0]), np.ones(3))]
    [2.0, -0.4841, 4.4841]
    """
    kept, total = sizes > 0, float(sizes.sum())
    mean = float(sums.sum()) / total if total else np.nan
    if not np.isfinite(mean):
        return Estimate(mean)
    return _linearised(mean, sums[kept] - mean * sizes[kept], total)


def _linearised(mean: float, rest: Floats, total: float) -> Estimate:
    """Return a ratio and its interval by what is left of each cluster's sum, and by all sizes."""
    num = len(rest)
    if num < 2:
        return Estimate(mean)
    half = student_factor(num - 1) * (math.sqrt(float((rest**2).sum()) * num / (num - 1)) / total)
    return Estimate.around(mean, half)


def root_interval(squares: Interval, noise: float = 0.0) -> Estimate:
    """Return the roots of a mean square and of its ends, each less `noise`, and 0 at least.

    >>> root_interval((4.0, -1.0, 9.0))
    Estimate(value=2.0, low=0.0, high=3.0)
    """
    return Estimate(
        *(math.sqrt(max(x - noise, 0.0)) if not math.isnan(x) else math.nan for x in squares)
    )


def root_mean_square(values: Floats, noise: float = 0.0) -> Estimate:
    """Return the root of the mean square with its interval; `noise` is the mean square of errors.

    The interval is Student's for the mean of squares, its ends' roots taken.

    >>> [round(end, 4) for end in root_mean_square(np.array([1.0, -1.0, 1.0, -1.0]))]
    [1.0, 1.0, 1.0]
    """
    return root_interval(mean_interval(np.asarray(values, dtype=np.float64) ** 2), noise)


def deviation_interval(values: Floats) -> Estimate:
    """Return the standard deviation of normal values and the ends of its interval (chi squared).

    All are NaN for a single value.

    >>> [round(x, 4) for x in deviation_interval(np.array([1.0, 2.0, 3.0]))]
    [1.0, 0.5207, 6.2847]
    """
    from scipy.stats import chi2

    free = len(values) - 1
    if free < 1:
        return Estimate(math.nan)
    deviation = float(values.std(ddof=1))
    low, high = (deviation * float(np.sqrt(free / chi2.ppf(q, free))) for q in (1 - TAIL, TAIL))
    return Estimate(deviation, low, high)


def percentiles(values: Floats) -> tuple[float, float] | None:
    """Return the ends of the middle 95 % of resampled values; None if no one has a value.

    An end is NaN between two infinite values.

    >>> percentiles(np.array([np.nan, 1.0, 2.0, 3.0]))
    (1.05, 2.95)
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(known, [TAIL, 1 - TAIL])
    return float(low), float(high)
