"""The largest |t| of a family of paired differences if there are none, by resamples of topics.

A family is pairs of systems over the same topics, each with Student's t by an error of its own. All
pairs are resampled at once, so that their maximum depends on how the pairs depend on each other.
"""

from dataclasses import dataclass
from itertools import count
from math import ceil, isqrt

import numpy as np

from prum.experiments.statistics.tests import level_of_each
from prum.simulator.model.arrays import Flags, Floats

# A t that ties with a drawn one but for rounding is no larger.
_ROUNDING = 1e-9
# So many numbers are held at a time.
_HELD = 1 << 21
# Products of matrices with fewer multiplications are computed by one thread in OpenBLAS.
_SERIAL = 1 << 18
# Resamples without spread come at most so often, beside the level.
_SHARE_WITHOUT = 0.1
_NONE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Maxima:
    """Where the |t| of a family stand among drawn maxima.

    `p` of each pair by itself; `adjusted`, stepped down: how often the largest |t| drawn, of the
    pairs whose own |t| is no larger, is at least as large; and the `critical` value of all pairs:
    who exceeds it has an adjusted p below the level. It is infinite where so few topics, or draws,
    can show nothing at this level.
    """

    p: Floats
    adjusted: Floats
    critical: float


def bonferroni_critical(num_pairs: int, num_topics: int, level: float) -> float:
    """Return the |t| that so many pairs exceed by chance at most at this family-wise level.

    >>> round(bonferroni_critical(1, 10, 0.05), 3), round(bonferroni_critical(10, 10, 0.05), 3)
    (2.262, 3.69)
    """
    from scipy.special import stdtrit

    return -float(stdtrit(num_topics - 1, level_of_each(level, num_pairs) / 2))


def resampled(differences: Floats, draws: int, level: float, rng: "np.random.Generator") -> Maxima:
    """Return how |t| of differences (pairs, topics) stand among those of topics drawn anew.

    Topics are drawn with replacement. The t of a resample is that of its mean less the topics' own,
    by the resample's own error. Each pair has to have `spread` enough. Adjusted p are those of
    Westfall and Young (1993), of which the smallest is that of the largest |t| of all pairs, and
    none is less than those before it.
    """
    num_pairs, num = differences.shape
    mean, deviation = differences.mean(axis=1), differences.std(axis=1)
    actual = np.abs(mean) / deviation * (num - 1) ** 0.5
    # The smallest |t| first: maxima of a pair and of all before it.
    order = np.argsort(actual, kind="stable")
    actual = actual[order]
    centred = ((differences - mean[:, None]) / deviation[:, None])[order].T
    squared = np.ascontiguousarray(centred**2)
    centred = np.ascontiguousarray(centred)
    enough = actual * (1 - _ROUNDING)
    alone, together, largest = np.zeros(num_pairs), np.zeros(num_pairs), np.empty(draws)
    size = max(1, _HELD // num_pairs)
    for start in range(0, draws, size):
        number = min(size, draws - start)
        shares = rng.multinomial(num, np.full(num, 1 / num), number) / num
        means, squares = np.empty((2, number, num_pairs))
        _multiply(shares, centred, means)
        _multiply(shares, squared, squares)
        np.square(means, out=means)
        spread = squares - means
        has_spread = spread > _NONE * squares
        drawn = np.divide(means, spread, out=np.full(spread.shape, np.inf), where=has_spread)
        drawn = np.sqrt(drawn * (num - 1))
        alone += (drawn >= enough).sum(axis=0)
        np.maximum.accumulate(drawn, axis=1, out=drawn)
        together += (drawn >= enough).sum(axis=0)
        largest[start : start + number] = drawn[:, -1]
    p, adjusted = np.empty(num_pairs), np.empty(num_pairs)
    p[order] = (1 + alone) / (1 + draws)
    stepped = (1 + together) / (1 + draws)
    adjusted[order] = np.maximum.accumulate(stepped[::-1])[::-1]
    return Maxima(p, adjusted, critical_value(largest, level))


def _multiply(left: Floats, right: Floats, product: Floats) -> None:
    """Compute a product of matrices in parts so small that no threads are started for them.

    Threads would wait for each other longer than they compute, and change the last bits.
    """
    width = max(1, isqrt(_SERIAL // left.shape[1]))
    for row in range(0, len(left), width):
        for column in range(0, right.shape[1], width):
            np.matmul(
                left[row : row + width],
                right[:, column : column + width],
                out=product[row : row + width, column : column + width],
            )


def has_spread(differences: Floats, level: float) -> Flags:
    """Return which differences (pairs, topics) vary in nearly all resamples of topics.

    A resample is without spread with the chance that all its n topics have one difference: the sum
    of (g / n)^n over differences that g topics have. Over all pairs that is to be a tenth of the
    level.

    >>> has_spread(np.array([[0.1, 0, 0, 0, 0, 0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]), 0.05).tolist()
    [False, True]
    """
    num_pairs, num = differences.shape
    ordered = np.sort(differences, axis=1)
    alike = _NONE * np.abs(differences).max(axis=1, keepdims=True)
    begins = np.ones(differences.shape, dtype=np.bool_)
    begins[:, 1:] = ordered[:, 1:] - ordered[:, :-1] > alike
    places = np.flatnonzero(begins)
    shares = np.diff(places, append=begins.size) / num
    chances = np.bincount(places // num, shares**num, minlength=num_pairs)
    return np.asarray(chances <= _chance(num_pairs, level))


def _chance(num_pairs: int, level: float) -> float:
    return _SHARE_WITHOUT * level_of_each(level, num_pairs)


def least_topics(num_pairs: int, level: float) -> int:
    """Return the fewest topics on which any of so many pairs may be shown.

    That is, resampled, with distinct differences; or told by as many equal signs.

    >>> least_topics(1, 0.05), least_topics(10, 0.05)
    (5, 6)
    """
    chance, each = _chance(num_pairs, level), level_of_each(level, num_pairs)
    return next(n for n in count(2) if n * (1 / n) ** n <= chance or 2.0 ** (1 - n) < each)


def critical_value(maxima: Floats, level: float) -> float:
    """Return what so few maxima exceed that the share of these and one more is below the level.

    >>> critical_value(np.arange(1.0, 100.0), 0.05), critical_value(np.arange(1.0, 19.0), 0.05)
    (96.0, inf)
    """
    number = len(maxima)
    most = ceil(level * (1 + number)) - 1
    while (1 + most) / (1 + number) >= level:
        most -= 1
    return float(np.sort(maxima)[-1 - most]) if most >= 0 else np.inf
