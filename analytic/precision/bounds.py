"""Bounds on precision when only P(x -> y) is known, and nothing of how visits depend on each other.

In `precision_bounds` ranks stay independent of each other. A user's history enters through the
number s of ideals seen; what the margins say of the next context, whatever the s ideals are,
becomes constraints on the law of the number K of new ones, and a dynamic program over ranks and s
takes the best law each time. In `any_dependence_bounds` visits of different ranks depend on each
other, too, as where a user likes an ideal or not, or follows a link once and never again.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from prum.analytic.precision.reach import (
    MatrixLike,
    check_memory,
    checked_reach,
    checked_recall,
    checked_unranked,
    unseen_after,
)
from prum.simulator.model import InputError, ListCosts
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.costs import ELEMENTS, costs_of_list


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionBounds:
    """What E[C(r)] and precision may be, for the k recall values r of `recall`; arrays (k,).

    With costs, E[C(r)] is what consulted elements cost, in `unit`.
    """

    recall: Ints
    consulted_low: Floats
    consulted_high: Floats
    precision_low: Floats
    precision_high: Floats
    unit: str = ELEMENTS

    @property
    def average_low(self) -> float:
        """The least that the mean of precision over `recall` may be: the mean of the least."""
        return float(self.precision_low.mean())

    @property
    def average_high(self) -> float:
        """The most that the mean of precision over `recall` may be: the mean of the most."""
        return float(self.precision_high.mean())


def precision_bounds(
    reach: MatrixLike,
    unranked: int,
    *,
    recall: Iterable[int] | None = None,
    costs: ListCosts | None = None,
) -> PrecisionBounds:
    """Return bounds that hold for any dependence between the visits of one rank.

    Each N_i, the set seen from rank i, has the margins P(x in N_i) = reach[i, x]; N_1, N_2, ..
    are independent of each other; users do not browse by r (2.1). Nothing else is assumed.

    r = 1 is sharp: P(C(1) > i) = prod_{j<=i} P(N_j empty) and E[CL(1)] = 1, and P(N_j empty) lies
    between max(0, 1 - sum_x p_jx), attained by exclusive visits, and 1 - max_x p_jx, attained by
    comonotone ones (Fréchet), for all ranks at once.

    For r > 1 the bounds are valid but in general not attained. With s ideals seen before rank i,
    among them those certain by then, the mean of K, the number of new ones, is the sum of p_ix over
    ideals not seen: it lies between those without the s largest and without the s smallest
    possible p_ix; and P(K > 0) is at least the largest p_ix left. From the last rank up, the
    best value over laws of K under either constraint bounds E[C(r)] and, for E[CL(r)] - v E[C(r)],
    the largest and smallest ratio v (Dinkelbach 1967). Besides, E[F_i] is known: what it
    implies for P(F_i < r) bounds E[C(r)] = sum_i P(F_i < r) + ..; the better one is taken, and
    1 <= E[CL(r)] <= r.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), dense or sparse.
    unranked
        u, the number of unranked elements.
    recall
        The recall values r that are wanted, of 1 .. t; left out, all.
    costs
        What each rank costs, as for `exact`. The programs are the same with rank i worth c_i, and
        r = 1 stays sharp; E[CL(r)] lies between the least cost and r times the largest.

    Returns
    -------
    PrecisionBounds
        for each r wanted, time O(o r m) a step with m ideals reached per rank, of about eight
        steps: with o = 1,000, m = 20 about .2 s for r = 200, and less by the square for smaller
        r. The mean over r is bounded by the means of the bounds; no one dependence need come
        near both at all r.

    Raises InputError as `exact`, for recall values outside 1 .. t or none, and for more than 4 GiB
    of memory.

    >>> bounds = precision_bounds([[0.5, 0.5], [1, 0], [0, 1]], 0)       # the list (x, a, b)
    >>> bounds.precision_low.round(4).tolist(), bounds.precision_high.round(4).tolist()
    ([0.6667, 0.6667], [1.0, 1.0])
    >>> round(bounds.average_low, 4), bounds.average_high
    (0.6667, 1.0)
    """
    from prum.analytic.precision import kernels

    entries = checked_reach(reach)
    t = entries.num_ideals
    recalls = checked_recalls(recall, t)
    ranks, starts = np.unique(entries.ranks, return_index=True)
    n = len(ranks)
    remedy = "take a shorter list or fewer ideals"
    check_memory("precision_bounds", 32 * n * (t + 1), "32 o (t + 1)", remedy=remedy)
    unseen = unseen_after(entries.dense())
    u = checked_unranked(unranked, int(np.count_nonzero(unseen[-1])))
    starts = np.append(starts, len(entries.ranks))
    each = costs_of_list(costs, entries.num_ranked)
    before = each.before()
    # What ranks that show nothing cost, before each that shows something and behind the last.
    gaps = before[np.append(ranks, entries.num_ranked)] - before[np.append(0, ranks + 1)]
    whole, mean = np.zeros((n, 3), np.int64), np.zeros((n, 3, t + 1))
    some = np.zeros((n, t + 1))
    kernels.margins(starts, entries.ideals, entries.probabilities, t, whole, mean, some)
    extremes = np.empty((4, len(recalls)))
    worth = each.ranked[ranks], each.unranked
    kernels.bounds(t, u, gaps, whole, mean, some, *worth, recalls, extremes)
    by_count_low, by_count_high = _by_count(unseen, u, recalls, each)
    low, high = np.maximum(extremes[0], by_count_low), np.minimum(extremes[1], by_count_high)
    all_costs = np.append(each.ranked, each.unranked)
    return PrecisionBounds(
        recalls,
        low,
        high,
        np.maximum(extremes[2], all_costs.min() / high),
        np.minimum(extremes[3], np.minimum(1, all_costs.max() * recalls / low)),
        each.unit,
    )


def checked_recalls(recall: Iterable[int] | None, t: int) -> Ints:
    """Return the recall values that are wanted: all of 1 .. t where none are named.

    Raises InputError if one is none, or there is none.
    """
    if recall is None:
        return np.arange(1, t + 1)
    remedy = "leave it out for all recall values"
    if not isinstance(recall, Iterable) or isinstance(recall, str):
        raise InputError("recall", recall, "be several recall values", remedy=remedy)
    recalls = np.array([checked_recall(r, t) for r in recall], dtype=np.int64)
    if not recalls.size:
        raise InputError("recall", (), "hold a recall value", remedy=remedy)
    return recalls


def _by_count(unseen: Floats, u: int, recalls: Ints, costs: ListCosts) -> tuple[Floats, Floats]:
    """Return the least and most E[C(r)], if all that is known is E[F_i] and which F_i may be."""
    t = unseen.shape[1]
    means = (1 - unseen).sum(axis=1)
    least, most = (unseen == 0).sum(axis=1), (unseen < 1).sum(axis=1)
    low, high = np.zeros(len(recalls)), np.zeros(len(recalls))
    s = np.arange(t + 1)
    for k, r in enumerate(recalls):
        mean, few, many = means[:-1], least[:-1], most[:-1]
        reaches = np.clip((mean - few) / np.maximum(r - few, 1), 0, 1)
        misses = np.clip((many - mean) / np.maximum(many - r + 1, 1), 0, 1)
        low[k] = (costs.ranked * np.where(few >= r, 0, np.where(many < r, 1, 1 - reaches))).sum()
        high[k] = (costs.ranked * np.where(few >= r, 0, np.where(many < r, 1, misses))).sum()
        draws = np.maximum(r - s, 0) * (u + 1) / (t - s + 1)
        span = s[least[-1] : most[-1] + 1]
        mean_last = np.clip(means[-1], span[0], span[-1])
        left, right = span[span <= mean_last][:, None], span[span >= mean_last]
        share = np.zeros((len(left), len(right)))
        np.divide(mean_last - left, right - left, out=share, where=right > left)
        chords = (1 - share) * draws[left] + share * draws[right]
        low[k] += costs.unranked * chords.min()
        high[k] += costs.unranked * chords.max()
    return low, high


def any_dependence_bounds(
    reach: MatrixLike,
    unranked: int,
    *,
    recall: Iterable[int] | None = None,
    costs: ListCosts | None = None,
) -> PrecisionBounds:
    """Return bounds that hold for any dependence between all visits of a user.

    Each N_i, the set seen from rank i, has the margins P(x in N_i) = reach[i, x]; users do not
    browse by r (2.1). Nothing else is assumed. Ideal x is then seen by rank i with a probability
    between max_j p_jx and min(1, sum_j p_jx), j = 1 .. i (Fréchet): who follows one link to it
    follows all, or never follows two. Given these for each ideal, the probability that at least k
    of them are seen is at most the least over m < k of (their sum without the m largest) / (k - m),
    and likewise for ideals not seen (Rüger 1978). So P(F_i < r) is bounded at each rank, and
    E[C(r)] = sum_i P(F_i < r) + .. with it.

    E[CL(r)] lies between 1 and r. Rank i shows x anew with a probability of at most q_ix, the
    smaller of p_ix and of the most that x may be unseen before. So E[CL(r)] is at least r minus
    what ranks may show beyond one new ideal, sum_x q_ix - max_x q_ix at rank i; and at most the
    expected number of ranks that show some, min(1, sum_x q_ix) at rank i, and of ideals that stay
    unseen up to r. A rank counts only if fewer than r were seen before, which bounds what it adds
    as well.

    The bounds are valid; for r > 1 they are in general not attained, least of all those of
    precision, which take E[CL(r)] and E[C(r)] apart.

    Parameters
    ----------
    reach, unranked, recall, costs
        As for `precision_bounds`.

    Returns
    -------
    PrecisionBounds
        for each r wanted; time O(o t k) for k recall values.

    Raises InputError as `precision_bounds`.

    >>> bounds = any_dependence_bounds([[0.5], [0.5]], 1)       # two links to the only ideal
    >>> bounds.consulted_low.tolist(), bounds.consulted_high.tolist()    # never twice, or at once
    ([1.5], [2.0])
    """
    entries = checked_reach(reach)
    o, t = entries.num_ranked, entries.num_ideals
    recalls = checked_recalls(recall, t)
    remedy = "take a shorter list or fewer ideals"
    check_memory("any_dependence_bounds", 64 * (o + 1) * t, "64 (o + 1) t", remedy=remedy)
    dense = entries.dense()
    start = np.zeros((1, t))
    least = np.maximum.accumulate(np.vstack([start, dense]))
    most = np.minimum(np.cumsum(np.vstack([start, dense]), axis=0), 1)
    u = checked_unranked(unranked, int(np.count_nonzero(unseen_after(dense)[-1])))
    each = costs_of_list(costs, o)
    low, high, beyond, led, behind = np.zeros((5, len(recalls)))
    for i, cost in enumerate(each.ranked):
        fewest, largest = _fewer(least[i], most[i], recalls)
        low += cost * fewest
        high += cost * largest
        anew = np.minimum(dense[i], 1 - least[i])
        shown = np.minimum(np.count_nonzero(anew), recalls)
        more = anew.sum() - anew.max(initial=0)
        beyond += np.minimum(more, np.maximum(shown - 1, 0) * largest)
        led += np.minimum(min(anew.sum(), 1), largest)
    fewest, largest = _fewer(least[-1], most[-1], np.arange(1, t + 1))
    for place, r in enumerate(recalls.tolist()):
        s = np.arange(r + 1)
        draws = (r - s) * (u + 1) / np.maximum(t - s + 1, 1)
        steps = draws[:-1] - draws[1:]
        low[place] += each.unranked * (steps @ fewest[:r])
        high[place] += each.unranked * (steps @ largest[:r])
        behind[place] = largest[:r].sum()
    all_costs = np.append(each.ranked, each.unranked)
    leading_low = all_costs.min() * np.maximum(recalls - beyond, 1)
    leading_high = all_costs.max() * np.minimum(recalls, led + behind)
    return PrecisionBounds(
        recalls,
        low,
        high,
        np.minimum(leading_low / high, 1),
        np.minimum(leading_high / low, 1),
        each.unit,
    )


def _fewer(least: Floats, most: Floats, numbers: Ints) -> tuple[Floats, Floats]:
    """Return the least and the most P(fewer than k ideals are seen), for each k of `numbers`.

    Each is seen with a probability between `least` and `most`; at least k are seen, or at least
    t + 1 - k are not.
    """
    return 1 - _at_least(most, numbers), _at_least(1 - least, len(least) + 1 - numbers)


def _at_least(probabilities: Floats, numbers: Ints) -> Floats:
    """Return the most that P(at least k of some events) can be, for each k >= 1 of `numbers`.

    >>> _at_least(np.array([0.5, 0.5]), np.array([1, 2])).tolist()
    [1.0, 0.5]
    """
    ordered = np.sort(probabilities)
    # The sum without the m largest, m = 0 .. t - 1.
    rest = np.cumsum(ordered)[::-1]
    m = np.arange(len(ordered))
    left = numbers[:, None] - m
    shares = np.where(left > 0, rest / np.maximum(left, 1), np.inf)
    return np.asarray(np.minimum(shares.min(axis=1), 1))
