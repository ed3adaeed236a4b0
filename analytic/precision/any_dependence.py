"""Bounds on precision when only P(x -> y) is known: no visit need be independent of any other.

`precision_bounds` lets the visits of one rank depend on each other; here those of different ranks
do, too, as where a user likes an ideal or not, or follows a link once and never again.
"""

from collections.abc import Iterable

import numpy as np

from prum.analytic.precision.bounds import PrecisionBounds, checked_recalls
from prum.analytic.precision.reach import (
    MatrixLike,
    check_memory,
    checked_reach,
    checked_unranked,
    unseen_after,
)
from prum.simulator.model import ListCosts
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.costs import costs_of_list


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

    Raises
    ------
    InputError
        as `precision_bounds`.

    >>> bounds = any_dependence_bounds([[0.5], [0.5]], 1)       # two links to the only ideal
    >>> bounds.consulted_low.tolist(), bounds.consulted_high.tolist()    # never twice, or at once
    ([1.5], [2.0])
    """
    entries = checked_reach(reach)
    o, t = entries.num_ranked, entries.num_ideals
    wanted = checked_recalls(recall, t)
    remedy = "take a shorter list or fewer ideals"
    check_memory("any_dependence_bounds", 64 * (o + 1) * t, "64 (o + 1) t", remedy=remedy)
    dense = entries.dense()
    start = np.zeros((1, t))
    least = np.maximum.accumulate(np.vstack([start, dense]))
    most = np.minimum(np.cumsum(np.vstack([start, dense]), axis=0), 1)
    u = checked_unranked(unranked, int(np.count_nonzero(unseen_after(dense)[-1])))
    each = costs_of_list(costs, o)
    low, high, beyond, led, behind = np.zeros((5, len(wanted)))
    for i, cost in enumerate(each.ranked):
        fewest, largest = _fewer(least[i], most[i], wanted)
        low += cost * fewest
        high += cost * largest
        anew = np.minimum(dense[i], 1 - least[i])
        shown = np.minimum(np.count_nonzero(anew), wanted)
        more = anew.sum() - anew.max(initial=0)
        beyond += np.minimum(more, np.maximum(shown - 1, 0) * largest)
        led += np.minimum(min(anew.sum(), 1), largest)
    fewest, largest = _fewer(least[-1], most[-1], np.arange(1, t + 1))
    for place, r in enumerate(wanted.tolist()):
        s = np.arange(r + 1)
        draws = (r - s) * (u + 1) / np.maximum(t - s + 1, 1)
        steps = draws[:-1] - draws[1:]
        low[place] += each.unranked * (steps @ fewest[:r])
        high[place] += each.unranked * (steps @ largest[:r])
        behind[place] = largest[:r].sum()
    all_costs = np.append(each.ranked, each.unranked)
    leading_low = all_costs.min() * np.maximum(wanted - beyond, 1)
    leading_high = all_costs.max() * np.minimum(wanted, led + behind)
    return PrecisionBounds(
        wanted,
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
