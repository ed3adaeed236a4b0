"""95 % intervals: of means, root mean squares, deviations and resampled values, and probabilities.

`scipy.stats.bootstrap` resamples each sample by itself and does not studentise; here many samples
share their resamples, so that a thousand means of each are one product of matrices.
"""

import math
from collections.abc import Mapping
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
    return 1.959963984540054  # ndtri(1 - TAIL), without loading scipy.special


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


def mean_interval(values: Floats, shared: float = 0.0, scale: float = math.inf) -> Estimate:
    """Return the mean of independent values and the ends of its interval (Student's t).

    The ends are NaN for a single value, and where values are so few that they would be further
    apart than the `scale`, 1 of values in [0, 1]. `shared` is a variance of the mean by anything
    else.

    >>> [round(x, 4) for x in mean_interval(np.array([1.0, 2.0, 3.0]))]
    [2.0, -0.4841, 4.4841]
    """
    n = len(values)
    mean = float(values.mean())
    if n < 2:
        return Estimate(mean)
    error = math.hypot(float(values.std(ddof=1)) / n**0.5, shared**0.5)
    half = student_factor(n - 1) * error
    is_share = half > 0.5 and ((values >= 0) & (values <= 1)).all()
    if is_share or 2 * half > scale:
        return Estimate(mean)
    return Estimate.around(mean, half)


def ratio_interval(sums: Floats, sizes: Floats) -> Estimate:
    """Return the sum of clusters' sums by that of their sizes, and its interval: linearised.

    Student's t by the number of clusters of positive size. The ends are NaN for a single one and
    where a sum is infinite, all three without any.

    >>> [round(x, 4) for x in ratio_interval(np.array([1.0, 2.0, 3.0]), np.ones(3))]
    [2.0, -0.4841, 4.4841]
    """
    kept, total = sizes > 0, float(sizes.sum())
    mean = float(sums.sum()) / total if total else np.nan
    num = int(kept.sum())
    if num < 2 or not np.isfinite(mean):
        return Estimate(mean)
    rest = sums[kept] - mean * sizes[kept]
    half = student_factor(num - 1) * (math.sqrt(float((rest**2).sum()) * num / (num - 1)) / total)
    return Estimate.around(mean, half)


def root_mean_square(values: Floats, noise: float = 0.0) -> Estimate:
    """Return the root of the mean square with its interval; `noise` is the mean square of errors.

    The interval is Student's for the mean of squares, its ends' roots taken.

    >>> [round(end, 4) for end in root_mean_square(np.array([1.0, -1.0, 1.0, -1.0]))]
    [1.0, 1.0, 1.0]
    """
    squares = mean_interval(np.asarray(values, dtype=np.float64) ** 2)
    return Estimate(
        *(math.sqrt(max(x - noise, 0.0)) if not math.isnan(x) else math.nan for x in squares)
    )


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
    numbers = values[~np.isnan(values)]
    if not len(numbers):
        return None
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(numbers, [TAIL, 1 - TAIL])
    return float(low), float(high)


METHODS = ("normal", "t", "percentile", "BCa", "bootstrap t")
# A deviation that rounding leaves of none, beside the size of the values.
_NONE = 1e-12


def resampled_counts(num: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Return how often each of `num` values is in each resample, (resamples, num).

    >>> resampled_counts(3, 2, np.random.default_rng(1)).sum(axis=1).tolist()
    [3.0, 3.0]
    """
    return rng.multinomial(num, np.full(num, 1 / num), resamples).astype(np.float64)


def mean_intervals(samples: Floats, counts: Floats) -> Mapping[str, Ends]:
    """Return the ends by method, each of shape (rows,), of the means of samples (rows, n), n >= 2.

    normal
        mean ± 1.96 s / sqrt(n).
    t
        the same with Student's t, n - 1 degrees of freedom.
    percentile
        quantiles of the means of resamples.
    BCa
        the same at other levels: corrected for bias and skewness (Efron 1987), the acceleration
        by the jackknife.
    bootstrap t
        mean - q s / sqrt(n), q quantiles of (mean* - mean) / (s* / sqrt(n)).

    `counts` are those of resamples, for all rows; their quantiles are interpolated.

    >>> counts = resampled_counts(3, 999, np.random.default_rng(1))
    >>> ends = mean_intervals(np.array([[1.0, 2.0, 3.0]]), counts)["t"]
    >>> [end.round(4).tolist() for end in ends]
    [[-0.4841], [4.4841]]
    """
    num = samples.shape[1]
    mean, deviation = samples.mean(axis=1), samples.std(axis=1, ddof=1)
    error = deviation / np.sqrt(num)
    ends = dict[str, Ends]()
    for name, factor in (("normal", normal_factor()), ("t", student_factor(num - 1))):
        ends[name] = mean - factor * error, mean + factor * error
    centred = samples - mean[:, None]
    moved = centred @ counts.T / num
    ordered = np.sort(moved, axis=1)
    low, high = np.quantile(ordered, [TAIL, 1 - TAIL], axis=1)
    ends["percentile"] = mean + low, mean + high
    ends["BCa"] = _corrected(centred, moved, ordered, mean)
    squares = np.maximum(centred**2 @ counts.T / num - moved**2, 0) * num / (num - 1)
    spread = np.sqrt(squares)
    is_flat = spread <= _NONE * np.abs(centred).max(axis=1, keepdims=True)
    studentised = np.divide(moved, spread, out=np.where(moved > 0, np.inf, -np.inf), where=~is_flat)
    studentised[is_flat & (np.abs(moved) <= _NONE * np.abs(mean)[:, None])] = 0
    low, high = np.quantile(studentised, [TAIL, 1 - TAIL], axis=1, method="inverted_cdf")
    constant = deviation <= _NONE * np.abs(mean)
    low, high = (np.where(constant, 0.0, pull) for pull in (low, high))
    with np.errstate(invalid="ignore"):
        ends["bootstrap t"] = mean - high * deviation, mean - low * deviation
    return ends


def _corrected(centred: Floats, moved: Floats, ordered: Floats, mean: Floats) -> Ends:
    """Return the ends by BCa, of centred samples and of means of resamples less the mean."""
    from scipy.special import ndtr, ndtri

    resamples = moved.shape[1]
    below = (moved < 0).sum(axis=1) + (moved <= 0).sum(axis=1)
    bias = ndtri(np.clip(below / (2 * resamples), 0.5 / resamples, 1 - 0.5 / resamples))
    squares = (centred**2).sum(axis=1)
    acceleration = np.divide(
        (centred**3).sum(axis=1),
        6 * squares**1.5,
        out=np.zeros(len(mean)),
        where=squares > 0,
    )
    ends = []
    for level in (TAIL, 1 - TAIL):
        moved_by = bias + ndtri(level)
        share = ndtr(bias + moved_by / (1 - acceleration * moved_by))
        place = share * (resamples - 1)
        first = np.floor(place).astype(np.int64)
        last = np.minimum(first + 1, resamples - 1)
        two = np.take_along_axis(ordered, np.stack([first, last], axis=1), axis=1)
        ends.append(mean + two[:, 0] + (place - first) * (two[:, 1] - two[:, 0]))
    return ends[0], ends[1]


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
