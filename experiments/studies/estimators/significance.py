"""Tests of whether two systems differ, on many samples of differences at once: p-values.

All are two-sided: paired t, sign, Wilcoxon's signed ranks, and randomization of the signs.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, ndtr, stdtr

Floats = NDArray[np.float64]

T, SIGN, WILCOXON, RANDOMIZATION = "paired t", "sign", "Wilcoxon", "randomization"
TESTS = (T, SIGN, WILCOXON, RANDOMIZATION)
# So many differences are at most randomized in all ways.
_ALL_WAYS = 9
_RANDOM_WAYS = 999
# The exact law of the signed ranks, where none are tied.
_MOST_EXACT = 50
# Sums of the same differences in another order agree so far, and so do tied differences.
_ROUNDING = 1e-10


def p_values(differences: Floats, rng: np.random.Generator) -> dict[str, Floats]:
    """Return the p-values of each test of samples of differences, (samples, n), n >= 2."""
    return {
        T: t_test(differences),
        SIGN: sign_test(differences),
        WILCOXON: wilcoxon(differences),
        RANDOMIZATION: randomization(differences, rng),
    }


def t_test(differences: Floats) -> Floats:
    """Return p of Student's paired t; 1 where nothing differs, 0 where all differ alike.

    >>> t_test(np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])).round(4).tolist()
    [0.0742, 1.0]
    """
    num = differences.shape[1]
    mean, error = differences.mean(axis=1), differences.std(axis=1, ddof=1) / num**0.5
    none = error <= _ROUNDING * np.abs(mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(num - 1, -np.abs(mean) / error)
    return np.where(none, np.where(mean == 0, 1.0, 0.0), p)


def sign_test(differences: Floats) -> Floats:
    """Return p of the sign test: the binomial law of the signs, without differences of 0.

    >>> sign_test(np.array([[1.0, 2.0, 3.0, -0.5, 0.0]])).tolist()
    [0.625]
    """
    above, below = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    num = above + below
    p: Floats = np.minimum(1, 2 * bdtr(np.minimum(above, below).astype(float), num, 0.5))
    return np.where(num == 0, 1.0, p)


def wilcoxon(differences: Floats) -> Floats:
    """Return p of Wilcoxon's signed ranks, without differences of 0.

    By the exact law up to 50 differences of which no two are tied; else by the normal law with
    the variance of tied ranks, without a correction for continuity.

    >>> wilcoxon(np.array([[1.0, 2.0, 3.0, 4.0, 5.0]])).tolist()
    [0.0625]
    """
    sizes = np.abs(differences)
    is_none = sizes <= _ROUNDING * sizes.max(axis=1, initial=0, keepdims=True)
    sizes = np.where(is_none, -1.0, sizes)
    num = (~is_none).sum(axis=1)
    ranks, ties = _ranks(sizes, is_none)
    above = np.where((differences > 0) & ~is_none, ranks, 0).sum(axis=1)
    total = num * (num + 1) / 2
    least = np.minimum(above, total - above)
    variance = num * (num + 1) * (2 * num + 1) / 24 - ties / 48
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * ndtr((least - total / 2) / np.sqrt(variance))
    exact = (ties == 0) & (num <= _MOST_EXACT)
    for size in np.unique(num[exact]).tolist():
        of_size = exact & (num == size)
        p[of_size] = 2 * _at_most(size)[least[of_size].astype(np.int64)]
    return np.where(num == 0, 1.0, np.minimum(p, 1))


def _ranks(sizes: Floats, is_none: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return ranks of sizes, tied ones their mean, and sum of t^3 - t over ties of t."""
    order = np.argsort(sizes, axis=1, kind="stable")
    ordered = np.take_along_axis(sizes, order, axis=1)
    skipped = np.take_along_axis(is_none, order, axis=1)
    scale = ordered[:, -1:]
    num = sizes.shape[1]
    new = np.ones(sizes.shape, dtype=np.bool_)
    new[:, 1:] = ordered[:, 1:] - ordered[:, :-1] > _ROUNDING * scale
    places = np.broadcast_to(np.arange(num), sizes.shape)
    first = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    ends = np.ones(sizes.shape, dtype=np.bool_)
    ends[:, :-1] = new[:, 1:]
    last = np.minimum.accumulate(np.where(ends, places, num)[:, ::-1], axis=1)[:, ::-1]
    zeros = skipped.sum(axis=1, keepdims=True)
    tied = np.where(skipped, 1, last - first + 1).astype(np.float64)
    ranks = np.empty(sizes.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1 - zeros, axis=1)
    # Each of t tied ones adds t^2 - 1.
    return ranks, (tied**2 - 1).sum(axis=1)


@cache
def _at_most(num: int) -> Floats:
    """Return P(sum of the ranks of those above 0 <= w), w = 0, 1, ..., of `num` differences."""
    law = np.ones(1)
    for rank in range(1, num + 1):
        longer = np.zeros(len(law) + rank)
        longer[: len(law)] += law / 2
        longer[rank:] += law / 2
        law = longer
    return np.cumsum(law)


def randomization(differences: Floats, rng: np.random.Generator) -> Floats:
    """Return p of the randomization of signs: how many give a sum as far from 0 as the sample's.

    All 2^n signs of up to 9 differences; else 999 random ones, and the sample's own.

    >>> randomization(np.array([[1.0, 2.0, 3.0]]), np.random.default_rng(1)).tolist()
    [0.25]
    """
    num = differences.shape[1]
    if num <= _ALL_WAYS:
        ways = np.array(np.meshgrid(*[[-1.0, 1.0]] * num)).reshape(num, -1)
        own = 0
    else:
        ways = rng.integers(0, 2, (num, _RANDOM_WAYS)) * 2.0 - 1
        own = 1
    size = np.abs(differences).sum(axis=1)
    far = np.abs(differences.sum(axis=1)) - _ROUNDING * size
    reached = (np.abs(differences @ ways) >= far[:, None]).sum(axis=1)
    p: Floats = (own + reached) / (own + ways.shape[1])
    return p
