"""95 % intervals of a mean, many at once: normal, Student's t, and three of the bootstrap.

`scipy.stats.bootstrap` resamples each sample by itself and does not studentise; here many samples
share their resamples, so that a thousand means of each are one product of matrices.
"""

from collections.abc import Mapping

import numpy as np

from prum.experiments.statistics.intervals import TAIL, Ends, normal_factor, student_factor
from prum.simulator.model.arrays import Floats

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
