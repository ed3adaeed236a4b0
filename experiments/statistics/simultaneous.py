"""Paired differences between systems as one family: intervals and p-values that never disagree.

Each method gives both from one procedure, with family-wise error and simultaneous coverage at one
level:

`bootstrap`
    Student's t among the largest of the family in resamples of topics, each studentised by its own
    error: intervals of all pairs are difference ± c errors; tests are stepped down (Westfall and
    Young 1993). A pair whose differences are the same on so many topics that resamples may lose
    what varies is not tested, p is 1; but differences of scores with two values, as P@1, by the
    sign test, which is exact for their mean, with Student's interval by Bonferroni's inequality,
    cut at 0 where the test says other. The others' intervals are the whole line.
`Holm`
    Student's t, stepped down by Holm's method for either direction at half the level, with the
    bounds that belong to it (Strassburger and Bretz 2008; Guilbaud 2008). Of two systems it is
    Student's t. It claims falsely too often where scores are skewed and topics few.

All pairs are one family where no baseline was named beforehand: the best system was chosen by the
same scores, and to be compared with it is to be compared with whichever would have been best.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from prum.experiments.statistics import maxima
from prum.experiments.statistics.intervals import Ends
from prum.experiments.statistics.tests import (
    holm,
    mean_and_error,
    p_of_means,
    sign_test,
)
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Flags, Floats, Ints

DRAWS = 4_999
# An end of an interval that is 0 and not in it: the least positive number. Its negative at the top.
OPEN = float(np.finfo(np.float64).tiny)
# A difference that rounding leaves of none, beside the largest value.
_NONE = 1e-12


class Compared(NamedTuple):
    """Differences of pairs, one entry for each; low > 0 or high < 0 exactly if adjusted < level.

    `error` is the standard error of the `difference`, `p` without and `adjusted` with regard to the
    other pairs. A difference of more than `critical` errors is shown, whatever the other pairs are:
    by Bonferroni's inequality of Holm's method, where nothing varies, and of differences of two
    values of what `is_lost`, which cannot be resampled; infinite for the rest of that. A bound of 0
    that is itself left out is `OPEN`, or -`OPEN`: larger, by an unknown amount.
    """

    difference: Floats
    error: Floats
    low: Floats
    high: Floats
    p: Floats
    adjusted: Floats
    critical: Floats
    is_lost: Flags


METHODS = ("bootstrap", "Holm")


def compared(
    values: Floats,
    pairs: Ints,
    *,
    method: str = "bootstrap",
    level: float = 0.05,
    draws: int = DRAWS,
    seed: int = 1,
    shared: Floats | None = None,
) -> Compared:
    """Return the differences of `pairs` of systems over topics, tested and bounded as one family.

    Parameters
    ----------
    values
        scores, shape (systems, topics).
    pairs
        numbers of systems, shape (pairs, 2): the first less the second.
    method
        one of `METHODS`, which this module describes.
    level
        of the family: the chance that any p of a pair without a difference is below it, and that
        any interval misses its difference, is at most this.
    draws
        how many maxima are drawn.
    seed
        of the draws; the same results for any number of threads.
    shared
        variances of the pairs' mean differences by what is the same for all topics; none by
        default. They add to those by topics.

    A difference that is the same on all n topics has no error, and no t: p is 2^(1 - n), that of n
    equal signs, adjusted by Bonferroni for all pairs that differ. The interval of this test is the
    point if adjusted is below the level, else the whole line. Two systems that never differ have p
    1 and the point 0. Neither is resampled with the others. With fewer than two topics
    everything but a difference is NaN.

    >>> values = np.array([[5, 7, 9, 4, 8, 7, 6, 8], [4, 5, 6, 3, 5, 3, 4, 5]]) / 10
    >>> pair = compared(values, np.array([[0, 1]]))
    >>> [x.round(4).tolist() for x in (pair.difference, pair.low, pair.high, pair.adjusted)]
    [[0.2375], [0.1478], [0.3272], [0.001]]
    """
    values, pairs = np.asarray(values, dtype=np.float64), np.asarray(pairs, dtype=np.int64)
    _check(values, method, level)
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    nothing = _NONE * np.abs(values).max(initial=0)
    differences[np.abs(differences) <= nothing] = 0
    difference, error = mean_and_error(differences)
    difference[np.abs(difference) <= nothing] = 0
    num = values.shape[1]
    varied = error > 0
    if shared is not None:
        # With more error t is less; around their mean, differences stay as they are.
        wider = np.sqrt(error**2 + shared)
        shrunk = np.divide(error, wider, out=np.ones_like(error), where=varied)
        differences -= (difference * (1 - shrunk))[:, None]
        error = wider
    size = int(np.count_nonzero((difference != 0) | (error > 0))) or 1
    p = np.full(len(pairs), np.nan)
    p[~varied] = p_of_means(difference[~varied], error[~varied], np.array(float(num)))
    critical = np.full(len(pairs), np.nan)
    spread, lost = np.zeros((2, len(pairs)), dtype=np.bool_)
    if method == "bootstrap" and varied.any():
        spread[varied] = maxima.has_spread(differences[varied], level)
        lost = varied & ~spread
    if num > 1 and not spread.all():
        critical[:] = maxima.bonferroni_critical(size, num, level)
    if lost.any():
        is_binary = _is_binary(differences[lost])
        p[lost] = np.where(is_binary, sign_test(differences[lost]), 1.0)
        critical[lost] = np.where(is_binary, critical[lost], np.inf)
    adjusted = np.minimum(size * p, 1)
    if spread.any():
        drawn = maxima.resampled(differences[spread], draws, level, np.random.default_rng(seed))
        p[spread], adjusted[spread], critical[spread] = drawn.p, drawn.adjusted, drawn.critical
    ends = difference - critical * error, difference + critical * error
    if method == "Holm" and varied.any():
        p[varied], adjusted[varied], (ends[0][varied], ends[1][varied]) = _holm(
            difference[varied], error[varied], num, level
        )
    low, high = _agreeing(ends, difference, adjusted < level)
    # What has no error, the same on all topics.
    alike, is_open = ~(error > 0), (difference != 0) & (adjusted >= level)
    point = np.where(np.isnan(error), np.nan, difference)
    low[alike] = np.where(is_open, -np.inf, point)[alike]
    high[alike] = np.where(is_open, np.inf, point)[alike]
    if ((values >= 0) & (values <= 1)).all():  # neither can differences be larger
        low, high = (np.where(np.isinf(x), x, np.clip(x, -1, 1)) for x in (low, high))
    return Compared(difference, error, low, high, p, adjusted, critical, lost)


def _is_binary(differences: Floats) -> Flags:
    """Return which have one size where they are not 0: of mean 0 if signs are as likely."""
    sizes = np.abs(differences)
    largest = sizes.max(axis=1, keepdims=True)
    return np.asarray(((sizes == 0) | (sizes >= largest * (1 - _NONE))).all(axis=1))


def places(num_systems: int, pairs: Ints, family: Compared) -> tuple[Ints, Ints]:
    """Return the first and the last place that each system can have, 1 the best.

    A system comes after all that are better, and before all that are worse, by their intervals. If
    these hold all their differences at once, so do all places, and systems that are truly equal
    have every place that they share: from 1 + the number of better systems to the number that are
    no worse (Al Mohamad, Goeman and van Zwet 2021). So the chance that all are right is that of
    `family`. Those tied with the best are those whose first place is 1.

    >>> values = np.random.default_rng(1).normal(size=(3, 20)) + np.array([[0.0], [3.0], [3.1]])
    >>> pairs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> [x.tolist() for x in places(3, pairs, compared(values, pairs))]
    [[3, 1, 1], [3, 2, 2]]
    """
    first, second = pairs.T
    above, below = family.low > 0, family.high < 0

    def count(systems: Ints) -> Ints:
        return np.bincount(systems, minlength=num_systems).astype(np.int64)

    better = count(second[above]) + count(first[below])
    worse = count(first[above]) + count(second[below])
    return 1 + better, num_systems - worse


@dataclass(frozen=True, slots=True, eq=False)
class ComparedPairs:
    """Comparisons of systems, by number, that hold together at one level.

    `pairs`, shape (comparisons, 2), are all pairs of systems, the smaller number first; or each
    system and the baseline.
    """

    num_systems: int
    baseline: int | None
    pairs: Ints
    compared: Compared

    def of(self, system: int, other: int) -> Any:
        """Return `Compared` of one pair, numbers: `system` minus `other`, either way round."""
        first, second = system, other
        if self.baseline is None:
            is_turned = system > other
            first, second = sorted((system, other))
            pair = first * (2 * self.num_systems - first - 1) // 2 + second - first - 1
        else:
            is_turned = system == self.baseline
            first = other if is_turned else system
            pair = first - (first > self.baseline)
        row: Any = Compared(*(column[pair].item() for column in self.compared))
        if is_turned:
            return row._replace(difference=-row.difference, low=-row.high, high=-row.low)
        return row

    def places(self) -> tuple[Ints, Ints]:
        """Return the first and the last place that each system can have, 1 the best.

        Beside a baseline, what is between two other systems follows from what is between each of
        them and the baseline: their intervals, added, hold whenever these do.
        """
        if self.baseline is None:
            return places(self.num_systems, self.pairs, self.compared)
        low, high, c = np.zeros(self.num_systems), np.zeros(self.num_systems), self.compared
        # Of what is lost only the side of 0 is sure.
        low[self.pairs[:, 0]] = np.where(c.is_lost, np.where(c.low > 0, OPEN, -np.inf), c.low)
        high[self.pairs[:, 0]] = np.where(c.is_lost, np.where(c.high < 0, -OPEN, np.inf), c.high)
        pairs = _all_pairs(self.num_systems)
        first, second = pairs.T
        between = c._replace(low=low[first] - high[second], high=high[first] - low[second])
        return places(self.num_systems, pairs, between)


def family_of(
    values: Floats,
    baseline: int | None,
    *,
    method: str,
    level: float,
    seed: int,
    shared: Floats | None = None,
) -> ComparedPairs:
    """Return the comparisons of systems by their scores, (systems, topics).

    `shared` is the covariance of their means by what is not of topics, (systems, systems).
    """
    num = len(values)
    if baseline is None:
        pairs = _all_pairs(num)
    else:
        others = np.delete(np.arange(num), baseline)
        pairs = np.stack([others, np.full(num - 1, baseline)], axis=1)
    variances = None
    if shared is not None:
        variance, (first, second) = np.diag(shared), pairs.T
        variances = np.maximum(variance[first] + variance[second] - 2 * shared[first, second], 0.0)
    family = compared(values, pairs, method=method, level=level, seed=seed, shared=variances)
    return ComparedPairs(num, baseline, pairs, family)


def _all_pairs(num: int) -> Ints:
    return np.stack(np.triu_indices(num, 1), axis=1)


def _check(values: Floats, method: str, level: float) -> None:
    if not np.isfinite(values).all():
        rule, remedy = "be finite", "leave out topics without a score"
        raise InputError("values", float(values[~np.isfinite(values)][0]), rule, remedy=remedy)
    if method not in METHODS:
        raise InputError("method", method, f"be one of {', '.join(METHODS)}", remedy="choose one")
    if not 0 < level < 1:
        raise InputError("level", level, "be between 0 and 1", remedy="take 0.05, say")


def _holm(mean: Floats, error: Floats, num: int, level: float) -> tuple[Floats, Floats, Ends]:
    """Return p, adjusted p and ends by two step-down families, of either direction at level / 2.

    Let the hypotheses mu <= 0 be stepped down at a = level / 2, c(k) the quantile of t at a / k, m
    pairs, r of them rejected. The lower bounds are x - c(m - r) s of those not rejected, none of
    them above 0; 0, left out, of those rejected; and max(0, x - c(m) s) if all are rejected.

    They hold all at once with a chance of at least 1 - a. Where no mu is <= 0, bounds at or below 0
    hold by themselves, and positive ones, of all rejected, by Bonferroni's inequality. Else let n
    be the number of mu <= 0: with that chance x - mu <= c(n) s for all of these; then
    x <= c(n) s, and none is rejected, for the first of them to be so would have been at a step with
    n or more left, where c(n) s is to be exceeded. So m - r >= n: the bounds x - c(m - r) s of the
    n are below x - c(n) s <= mu, and those of others at most 0 < mu. Upper bounds are the mirror
    image, and both hold with a chance of 1 - level. If all are rejected, none is <= 0 unless by
    an error that is counted.
    """
    from scipy.special import stdtr, stdtrit

    size, freedom = len(mean), num - 1
    bounds, adjusted = [], []
    for sign in (1, -1):
        step = np.array(holm(stdtr(freedom, -sign * mean / error).tolist()), dtype=np.float64)
        rejected = 2 * step < level
        left = size - int(rejected.sum())
        c = -float(stdtrit(freedom, level / (2 * (left or size))))
        bound = sign * mean - c * error
        bounds.append(sign * (bound if not left else np.where(rejected, 0.0, bound)))
        adjusted.append(np.minimum(2 * step, 1))
    p = 2 * stdtr(freedom, -np.abs(mean / error))
    return p, np.minimum(*adjusted), (bounds[0], bounds[1])


def _agreeing(ends: Ends, difference: Floats, rejected: Flags) -> Ends:
    """Return ends that leave out 0 exactly if it is rejected, where rounding, or Holm, says 0."""
    low, high = ends
    above, below = rejected & (difference > 0), rejected & (difference < 0)
    return (
        np.where(above, np.maximum(low, OPEN), np.minimum(low, np.where(below, low, 0.0))),
        np.where(below, np.minimum(high, -OPEN), np.maximum(high, np.where(above, high, 0.0))),
    )
