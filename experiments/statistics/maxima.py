"""The largest |t| of a family of paired differences if there are none, drawn in three ways.

A family is pairs of systems over the same topics, each with Student's t by an error of its own. All
pairs are drawn at once, so that their maximum depends on how the pairs depend on each other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, isqrt

import numpy as np

from prum.experiments.statistics.multiplicity import bonferroni, level_of_each
from prum.experiments.statistics.tests import two_sided_t
from prum.simulator.model.arrays import Flags, Floats, Ints

# The last bits of a product of matrices vary with the number of threads: maxima are rounded.
_DECIMALS = 10
# A t that ties with a drawn one but for rounding is no larger.
_ROUNDING = 1e-9
# So many numbers are held at a time: of drawn topics in a processor's cache, of pairs in memory.
_CACHED, _HELD = 1 << 17, 1 << 21
# Products of matrices with fewer multiplications are computed by one thread in OpenBLAS.
_SERIAL = 1 << 18
# The least share of independent systems: two that are nearly one keep a difference to compute with.
_LEAST_SHARE = 1e-6
# The least that a system has of its own, beside the mean: two that have nothing do not differ.
_LEAST_VARIANCE = 0.01
# Resamples without spread come at most so often, beside the level.
_SHARE_WITHOUT = 0.1
_NONE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Maxima:
    """Where the |t| of a family stand among drawn maxima.

    `p` of each pair by itself; `adjusted`, how often the largest |t| drawn is at least as large;
    and the `critical` value: adjusted is below the level if |t| exceeds it, and only then. It is
    infinite where so few topics, or draws, can show nothing at this level. A pair that is not
    `judged` took no part.
    """

    p: Floats
    adjusted: Floats
    critical: float
    judged: Flags


def normal(
    values: Floats, pairs: Ints, t: Floats, draws: int, level: float, rng: "np.random.Generator"
) -> Maxima:
    """Return how |t| stand among those of normal systems with the covariance of these.

    `values` has shape (systems, topics), `pairs` (pairs, 2). p is Student's. By Bonferroni's
    inequality no more than pairs times p, so that of a single pair everything is Student's.
    """
    num, size = values.shape[1], len(pairs)
    own, judged = two_sided_t(t, np.array(num - 1.0)), np.ones(size, dtype=np.bool_)
    if size == 1:
        return Maxima(own, own, bonferroni_critical(1, num, level), judged)
    adjusted, critical = _placed(normal_maxima(values, pairs, draws, rng), np.abs(t), 1, level)
    return Maxima(
        own,
        np.maximum(np.minimum(adjusted, bonferroni(own, size)), own),
        max(
            min(critical, bonferroni_critical(size, num, level)),
            bonferroni_critical(1, num, level),
        ),
        judged,
    )


def bonferroni_critical(num_pairs: int, num_topics: int, level: float) -> float:
    """Return the |t| that so many pairs exceed by chance at most at this family-wise level.

    >>> round(bonferroni_critical(1, 10, 0.05), 3), round(bonferroni_critical(10, 10, 0.05), 3)
    (2.262, 3.69)
    """
    from scipy.special import stdtrit

    return -float(stdtrit(num_topics - 1, level_of_each(level, num_pairs) / 2))


def normal_maxima(values: Floats, pairs: Ints, draws: int, rng: "np.random.Generator") -> Floats:
    """Return the largest |t| over `pairs` in each draw of as many topics, (draws,).

    Systems are normal with a covariance as that of `values`, shrunk (`shrunk`).

    >>> values, pairs = np.random.default_rng(1).normal(size=(3, 8)), np.array([[0, 1], [0, 2]])
    >>> normal_maxima(values, pairs, 2, np.random.default_rng(1)).round(3).tolist()
    [0.507, 1.071]
    """
    systems, places = np.unique(pairs, return_inverse=True)
    values, pairs = values[systems], places.reshape(pairs.shape)
    num_systems, num = values.shape
    root = np.asarray(np.linalg.cholesky(shrunk(values)[0]).T, dtype=np.float64)
    first, at_first = np.unique(pairs[:, 0], return_inverse=True)
    second, at_second = np.unique(pairs[:, 1], return_inverse=True)
    # Added to squared distances: two systems that are not compared are infinitely far apart.
    apart = np.full((len(first), len(second)), np.inf)
    apart[at_first, at_second] = 0
    maxima = np.empty(draws)
    # By Bartlett's decomposition no more rows than systems have the law of the topics' scatter.
    freedom = num - 1
    rows = min(freedom, num_systems)
    # New arrays for every block would cost more than what is computed in them.
    size = max(1, min(draws, _CACHED // max(num_systems * (rows + 1), apart.size)))
    noise, drawn = np.empty((2, size, rows + 1, num_systems))
    # |x - y|² = |x|² + |y|² - 2 xy, and x - y of means, as products: of `first` and of `second`.
    left, means = np.ones((size, len(first), rows + 2)), np.ones((size, len(first), 2))
    right, others = np.ones((size, rows + 2, len(second))), np.ones((size, 2, len(second)))
    distance, ratio = np.zeros((2, size, *apart.shape))
    is_pair = apart == 0
    diagonal = np.arange(rows)
    for start in range(0, draws, size):
        rng.standard_normal(out=noise)
        if rows < freedom:
            noise[:, :rows] = np.triu(noise[:, :rows])
            squared = rng.chisquare(freedom - diagonal, (size, rows))
            noise[:, diagonal, diagonal] = np.sqrt(squared)
        _multiply(noise, root, drawn)
        scatter, mean = drawn[:, :rows], drawn[:, rows]
        squares = np.einsum("bts,bts->bs", scatter, scatter)
        left[:, :, :rows], left[:, :, rows] = scatter[:, :, first].swapaxes(1, 2), squares[:, first]
        right[:, :rows], right[:, -1] = scatter[:, :, second], squares[:, second]
        right[:, :rows] *= -2
        _multiply(left, right, distance, is_pair)
        distance += apart
        means[:, :, 0], others[:, 1] = mean[:, first], -mean[:, second]
        _multiply(means, others, ratio, is_pair)
        np.square(ratio, out=ratio)
        np.divide(ratio, distance, out=ratio)
        largest = ratio.reshape(size, -1).max(axis=1)
        maxima[start : start + size] = largest[: draws - start]
    return np.asarray(np.round(np.sqrt(maxima * freedom), _DECIMALS))


def _multiply(left: Floats, right: Floats, product: Floats, wanted: Flags | None = None) -> None:
    """Compute products of matrices in parts so small that no threads are started for them.

    Threads would wait for each other longer than they compute. Parts that hold nothing `wanted`
    stay as they are.
    """
    width = max(1, isqrt(_SERIAL // left.shape[-1]))
    for row in range(0, left.shape[-2], width):
        for column in range(0, right.shape[-1], width):
            part = ..., slice(row, row + width), slice(column, column + width)
            if wanted is not None and not wanted[part].any():
                continue
            np.matmul(
                left[..., row : row + width, :],
                right[..., column : column + width],
                out=product[part],
            )


def shrunk(values: Floats) -> tuple[Floats, float]:
    """Return the covariance of systems but for what topics do to all alike, and its shrinkage.

    (1 - w) S + w D. S is the covariance of `values` (systems, topics) less the topic's mean, D that
    of independent systems with the variances that fit S: systems that go together have smaller
    maxima. w has the least expected squared error (Ledoit and Wolf 2004), for normal values, and
    is 1e-6 at least. S by itself has no larger rank than topics less 1; where there are more
    systems than topics its maxima are too small.

    >>> covariance, share = shrunk(np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 3.0], [0.0, 0.0, 0.0]]))
    >>> covariance.round(3).tolist(), round(share, 3)
    ([[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]], 1.0)
    """
    num_systems, num = values.shape
    freedom = num - 1
    centred = values - values.mean(axis=0)
    centred = centred - centred.mean(axis=1, keepdims=True)
    covariance = centred @ centred.T / freedom
    total = float(np.trace(covariance))
    # S_ii = v_i (1 - 2 / k) + v / k, v the mean of the v_i.
    mean = total / (num_systems - 1)
    own = np.diag(covariance)
    if num_systems > 2:
        own = (own - mean / num_systems) / (1 - 2 / num_systems)
    own = np.maximum(own, _LEAST_VARIANCE * mean)
    # D less the topic's mean.
    centred_own = np.diag(own) - (own[:, None] + own) / num_systems + own.mean() / num_systems
    away = float(((covariance - centred_own) ** 2).sum())
    size = float((covariance**2).sum())
    # The squared error of S, from so many normal topics, by its unbiased estimate.
    if freedom > 1:
        size -= total**2 / freedom
        size *= freedom**2 / ((freedom - 1) * (freedom + 2))
    error = (total**2 + size * (1 - 2 / freedom)) / freedom
    share = min(max(error / away, _LEAST_SHARE), 1.0) if away > _NONE * total**2 else 1.0
    return (1 - share) * covariance + share * np.diag(own), share


def flipped(
    values: Floats, pairs: Ints, t: Floats, draws: int, level: float, rng: "np.random.Generator"
) -> Maxima:
    """Return how |t| stand among those of flipped signs of topics.

    A sign is that of all differences of its topic, whose dependence stays. All signs are taken
    where they are no more than `draws`, else so many at random and those of the topics themselves.
    Exact where differences are as likely as their negatives.
    """
    num = values.shape[1]
    exact = num - 1 < draws.bit_length() and 1 << (num - 1) <= draws
    number = 1 << (num - 1) if exact else draws
    first, second = pairs.T
    squares = ((values[first] - values[second]) ** 2).sum(axis=1) * num

    def cosines() -> Iterator[Floats]:
        """Yield squared cosines of signs with differences: |t| rises with them."""
        for start, stop in _blocks(number, len(pairs)):
            if exact:
                # The first topic keeps its sign: no |t| changes if all are flipped.
                signs = np.arange(start, stop)[:, None] << 1 >> np.arange(num) & 1
            else:
                signs = rng.integers(0, 2, (stop - start, num))
            sums = np.empty((stop - start, len(values)))
            _multiply(np.asarray(1.0 - 2 * signs, dtype=np.float64), values.T, sums)
            yield (sums[:, first] - sums[:, second]) ** 2 / squares

    p, adjusted, critical = _among(cosines(), t**2 / (num - 1 + t**2), not exact, level)
    near = np.divide(critical, 1 - critical) if critical < 1 else np.inf
    critical = float(np.sqrt((num - 1) * near))
    return Maxima(p, adjusted, critical, np.ones(len(t), dtype=np.bool_))


def resampled(
    values: Floats, pairs: Ints, t: Floats, draws: int, level: float, rng: "np.random.Generator"
) -> Maxima:
    """Return how |t| stand among those of topics drawn with replacement.

    The t of a resample is that of its mean less the topics' own, by the resample's own error. A
    pair without `spread` enough to be resampled takes no part, and its p is 1.
    """
    num = values.shape[1]
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    judged = has_spread(differences, level)
    p, adjusted = np.ones(len(pairs)), np.ones(len(pairs))
    if not judged.any():
        return Maxima(p, adjusted, np.inf, judged)
    centred = differences[judged] - differences[judged].mean(axis=1, keepdims=True)
    squared = centred**2

    def ratios() -> Iterator[Floats]:
        for start, stop in _blocks(draws, len(centred)):
            counts = rng.multinomial(num, np.full(num, 1 / num), stop - start) / num
            squares, means = np.empty((2, stop - start, len(centred)))
            _multiply(counts, squared.T, squares)
            _multiply(counts, centred.T, means)
            np.square(means, out=means)
            spread = squares - means
            yield np.divide(
                means * (num - 1),
                spread,
                out=np.full(spread.shape, np.inf),
                where=spread > _NONE * squares,
            )

    p[judged], adjusted[judged], critical = _among(ratios(), t[judged] ** 2, True, level)
    return Maxima(p, adjusted, float(np.sqrt(critical)), judged)


def has_spread(differences: Floats, level: float) -> Flags:
    """Return which differences (pairs, topics) vary in nearly all resamples of topics.

    A resample is without spread with a chance of at most (g / n)^(n - 1), g the number of the n
    topics with the most frequent difference. Over all pairs that is to be a tenth of the level.

    >>> has_spread(np.array([[0.1, 0, 0, 0, 0, 0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]), 0.05).tolist()
    [False, True]
    """
    num_pairs, num = differences.shape
    ordered = np.sort(differences, axis=1)
    alike = _NONE * np.abs(differences).max(axis=1, keepdims=True)
    chance = _SHARE_WITHOUT * level_of_each(level, num_pairs)
    # More topics than this may not be alike.
    most = next(g for g in range(num, -1, -1) if (g / num) ** (num - 1) <= chance)
    if most == 0:
        return np.zeros(num_pairs, dtype=np.bool_)
    return np.asarray((ordered[:, most:] - ordered[:, : num - most] > alike).all(axis=1))


def _blocks(number: int, num_pairs: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last draw, exclusive, of blocks that are held in memory."""
    size = max(1, _HELD // num_pairs)
    for start in range(0, number, size):
        yield start, min(start + size, number)


def _among(
    blocks: Iterator[Floats], own: Floats, add_own: bool, level: float
) -> tuple[Floats, Floats, float]:
    """Return p, adjusted p and critical value of `own` among blocks of draws of all pairs."""
    maxima = []
    reached = np.zeros(len(own))
    for block in blocks:
        reached += (block >= own * (1 - _ROUNDING)).sum(axis=0)
        maxima.append(block.max(axis=1))
    largest = np.concatenate(maxima)
    adjusted, critical = _placed(largest, own, int(add_own), level)
    return (add_own + reached) / (add_own + len(largest)), adjusted, critical


def _placed(maxima: Floats, own: Floats, extra: int, level: float) -> tuple[Floats, float]:
    """Return the share of maxima that reach each of `own`, and the value beyond which it is small.

    `extra` is 1 if the family's own is to be counted as one more draw.
    """
    number = len(maxima)
    ordered = np.sort(maxima)
    reached = number - np.searchsorted(ordered, own * (1 - _ROUNDING))
    share = (extra + reached) / (extra + number)
    # So many may reach what is beyond the critical value.
    most = ceil(level * (extra + number)) - extra
    while (extra + most) / (extra + number) >= level:
        most -= 1
    return share, float(ordered[-1 - most]) if extra + most >= 1 else np.inf
