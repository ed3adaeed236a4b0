"""What a family of comparisons can show: differences by so many topics, topics for a difference.

By the power of Student's t at the critical value c of a family (`Compared.critical`), whose level
of a single comparison, 2 P(T > c), is carried to another number of topics.
"""

import math

import numpy as np

from prum.experiments.statistics.tests import two_sided_t
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats

POWER = 0.8
# More topics than anybody has; the freedom beyond which Student's law no longer changes.
_MOST, _NORMAL = 1 << 50, 1e6
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
    number. 2 at least; NaN with fewer than two topics, infinite beyond 10^15.

    >>> topics_for(0.29, 0.1, 30, critical=2.045)
    30.0
    >>> topics_for(0.145, 0.1, 30, critical=2.045)
    114.0
    """
    from scipy.special import stdtrit

    if not abs(difference) > 0:
        raise InputError("difference", difference, "not be 0", remedy="say which one matters")
    if num_topics < 2 or np.isnan(error) or np.isnan(critical):
        return np.nan
    each = float(two_sided_t(np.array(critical), np.array(num_topics - 1.0)))
    if each == 0:
        return np.inf
    # The difference in deviations of a topic.
    effect = abs(difference) / (error * num_topics**0.5) if error else np.inf

    def is_enough(number: int) -> bool:
        freedom = min(number - 1, _NORMAL)
        critical = -float(stdtrit(freedom, each / 2))
        return bool(_shift(number, critical, power) <= effect * number**0.5)

    enough = 2
    while not is_enough(enough):
        enough *= 2
        if enough > _MOST:
            return np.inf
    few = enough // 2
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
    freedom = min(num_topics - 1, _NORMAL)
    if critical > _FAR:
        # Of very few topics: the deviation alone decides, and the other law takes minutes.
        return critical * math.sqrt(float(chdtri(freedom, 1 - power)) / freedom)
    return float(nctdtrinc(freedom, 1 - power, critical))
