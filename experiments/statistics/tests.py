"""Two-sided tests of whether mean differences are 0: one, many at once, and what they can show.

Student's paired t, and the sign test of samples of differences, shape (samples, n). Many are held
to a family-wise level. Their power is that of Student's t at the critical value c of a family
(`Compared.critical`), whose level of a single comparison, 2 P(T > c), is carried to another number
of topics.
"""

import math
from collections.abc import Sequence

import numpy as np

from prum.experiments.statistics.intervals import CONFIDENCE
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

# A deviation that rounding leaves of none, beside the largest value; and such a mean.
_NONE, _NO_MEAN = 1e-12, 1e-15


def two_sided_t(t: Floats, freedom: Floats) -> Floats:
    """Return the chance that Student's t is as far from 0.

    >>> two_sided_t(np.array([2.262]), np.array([9.0])).round(3).tolist()
    [0.05]
    """
    from scipy.special import stdtr  # slow to load

    p: Floats = 2 * stdtr(freedom, -np.abs(t))
    return p


def mean_and_error(values: Floats) -> tuple[Floats, Floats]:
    """Return means over the last axis and their standard errors; NaN where there are too few.

    What rounding leaves of no error at all, or of a mean of 0 without one, is 0.

    >>> [of.round(4).tolist() for of in mean_and_error(np.array([[0.1] * 3, [1.0, 2.0, 3.0]]))]
    [[0.1, 2.0], [0.0, 0.5774]]
    """
    num = values.shape[-1]
    shape = values.shape[:-1]
    if num < 2:
        return values[..., 0] if num else np.full(shape, np.nan), np.full(shape, np.nan)
    mean, deviation = values.mean(axis=-1), values.std(axis=-1, ddof=1)
    alike = deviation <= _NONE * np.abs(values).max(axis=-1)
    mean = np.where(alike & (np.abs(mean) <= _NO_MEAN), 0.0, mean)
    return mean, np.where(alike, 0.0, deviation / num**0.5)


def p_of_means(mean: Floats, error: Floats, n: Floats) -> Floats:
    """Return p of Student's t of means of n values each with their standard errors.

    Without an error all n values are the same: p is that of their signs, 2^(1 - n), by the sign
    test as by the randomization of signs, or 1 if they are 0. NaN where the error is.

    >>> p_of_means(np.array([1.0, 0.0]), np.zeros(2), np.full(2, 3.0)).tolist()
    [0.25, 1.0]
    """
    p = np.where(np.isnan(error), np.nan, np.where(mean == 0, 1.0, 2.0 ** (1 - n)))
    varies = np.asarray(error > 0)
    if varies.any():
        freedom = np.broadcast_to(n - 1, p.shape)[varies]
        p[varies] = two_sided_t(np.asarray(mean)[varies] / np.asarray(error)[varies], freedom)
    return p


def sign_test(differences: Floats) -> Floats:
    """Return p of the sign test: the binomial law of the signs, without differences of 0.

    >>> sign_test(np.array([[1.0, 2.0, 3.0, -0.5, 0.0]])).round(4).tolist()
    [0.625]
    """
    from scipy.stats import binom

    above, below = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    p: Floats = np.minimum(1.0, 2 * binom.cdf(np.minimum(above, below), above + below, 0.5))
    return p


LEVEL = 1 - CONFIDENCE


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
    order = sorted((value, place) for place, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    largest = 0.0
    for rank, (value, place) in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * value))
        adjusted[place] = largest
    return adjusted


POWER = 0.8
# So many topics are counted by the normal law, which Student's then is.
_NORMAL = 2_000
# Critical values beside which the error of a mean is nothing.
_FAR = 1e3


def detectable(
    error: Floats | float, num_topics: int, *, critical: float, power: float = POWER
) -> Floats:
    """Return the differences that are shown with probability `power`, for standard errors.

    The difference d at which |t| exceeds `critical` with this probability in the right direction:
    t is noncentral, of num_topics - 1 degrees of freedom, about d / error. NaN with fewer than two
    topics, infinite if `critical` is.

    >>> detectable(np.array([0.1]), 30, critical=2.045).round(3).tolist()
    [0.29]
    """
    shift = _shift(num_topics, critical, power)
    return np.asarray(np.asarray(error, dtype=np.float64) * shift)


def topics_for(
    difference: float, error: float, num_topics: int, *, critical: float, power: float = POWER
) -> float:
    """Return how many topics show a true `difference` with probability `power`; a whole number.

    `error`, the standard error of the difference over `num_topics`, shrinks with the root of their
    number. 2 at least; NaN with fewer than two topics. Beyond 2,000 it is that of the normal law,
    within 1 %.

    >>> topics_for(0.29, 0.1, 30, critical=2.045)
    30.0
    >>> topics_for(0.145, 0.1, 30, critical=2.045)
    114.0
    """
    from scipy.special import ndtri, stdtrit

    if not abs(difference) > 0:
        raise InputError("difference", difference, "not be 0", remedy="say which one matters")
    if num_topics < 2 or np.isnan(error) or np.isnan(critical):
        return np.nan
    each = float(two_sided_t(np.array(critical), np.array(num_topics - 1.0)))
    # The difference in deviations of a topic.
    effect = abs(difference) / (error * num_topics**0.5) if error else np.inf
    normal = float(((ndtri(power) - ndtri(each / 2)) / effect) ** 2)
    if normal > _NORMAL:
        return float(np.ceil(normal))

    def is_enough(number: int) -> bool:
        edge = -float(stdtrit(number - 1, each / 2))
        return bool(_shift(number, edge, power) <= effect * number**0.5)

    few, enough = 1, 2 * _NORMAL
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if is_enough(middle) else (middle, enough)
    return float(enough)


def _shift(num_topics: int, critical: float, power: float) -> float:
    """Return the difference in standard errors at which t exceeds `critical` with this power."""
    from scipy.special import chdtri, nctdtrinc

    if not 0.5 <= power < 1:
        raise InputError("power", power, "be at least 0.5 and below 1", remedy="take 0.8, say")
    if num_topics < 2 or np.isnan(critical):
        return np.nan
    if np.isinf(critical):
        return np.inf
    freedom = num_topics - 1
    if critical > _FAR:
        # Of very few topics: the deviation alone decides, and the other law takes minutes.
        return critical * math.sqrt(float(chdtri(freedom, 1 - power)) / freedom)
    return float(nctdtrinc(freedom, 1 - power, critical))
