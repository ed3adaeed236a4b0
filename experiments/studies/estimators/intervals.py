"""95 % intervals of a mean: normal, Student's t, and three of the bootstrap, many at once."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from prum.experiments.statistics.intervals import CONFIDENCE

Floats = NDArray[np.float64]
Ends = tuple[Floats, Floats]

_TAIL = (1 - CONFIDENCE) / 2
# A deviation that rounding leaves of none, beside the size of the values.
_NONE = 1e-12


def resampled_counts(num: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Return how often each of `num` values is in each resample, (resamples, num)."""
    return rng.multinomial(num, np.full(num, 1 / num), resamples).astype(np.float64)


def intervals(samples: Floats, counts: Floats) -> Mapping[str, Ends]:
    """Return the ends by method, each of shape (rows,), of the means of samples (rows, n).

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
    """
    num = samples.shape[1]
    mean, deviation = samples.mean(axis=1), samples.std(axis=1, ddof=1)
    error = deviation / np.sqrt(num)
    found = dict[str, Ends]()
    for name, factor in (
        ("normal", float(ndtri(1 - _TAIL))),
        ("t", float(stdtrit(num - 1, 1 - _TAIL))),
    ):
        found[name] = mean - factor * error, mean + factor * error
    centred = samples - mean[:, None]
    moved = centred @ counts.T / num
    ordered = np.sort(moved, axis=1)
    low, high = np.quantile(ordered, [_TAIL, 1 - _TAIL], axis=1)
    found["percentile"] = mean + low, mean + high
    found["BCa"] = _corrected(centred, moved, ordered, mean)
    squares = np.maximum(centred**2 @ counts.T / num - moved**2, 0) * num / (num - 1)
    spread = np.sqrt(squares)
    none = spread <= _NONE * np.abs(centred).max(axis=1, keepdims=True)
    studentised = np.divide(moved, spread, out=np.where(moved > 0, np.inf, -np.inf), where=~none)
    studentised[none & (np.abs(moved) <= _NONE * np.abs(mean)[:, None])] = 0
    low, high = np.quantile(studentised, [_TAIL, 1 - _TAIL], axis=1, method="inverted_cdf")
    constant = deviation <= _NONE * np.abs(mean)
    low, high = (np.where(constant, 0.0, one) for one in (low, high))
    with np.errstate(invalid="ignore"):
        found["bootstrap t"] = mean - high * deviation, mean - low * deviation
    return found


def _corrected(centred: Floats, moved: Floats, ordered: Floats, mean: Floats) -> Ends:
    """Return the ends by BCa, of centred samples and of means of resamples less the mean."""
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
    for level in (_TAIL, 1 - _TAIL):
        moved_by = bias + ndtri(level)
        share = ndtr(bias + moved_by / (1 - acceleration * moved_by))
        place = share * (resamples - 1)
        first = np.floor(place).astype(np.int64)
        last = np.minimum(first + 1, resamples - 1)
        two = np.take_along_axis(ordered, np.stack([first, last], axis=1), axis=1)
        ends.append(mean + two[:, 0] + (place - first) * (two[:, 1] - two[:, 0]))
    return ends[0], ends[1]


METHODS = ("normal", "t", "percentile", "BCa", "bootstrap t")
