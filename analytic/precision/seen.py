"""The law of F_i, the number of ideals seen after i ranks, along a whole list.

Under Hypotheses 2.1 and 2.2 the ideals are seen independently, so F_i has the generating function
prod_x (P(x not in S_i) + P(x in S_i) z): equation (7), a Poisson-binomial law. The factors of most
ideals stay the same over many ranks. Each stretch of ranks over which a factor stays the same is
split over the nodes of a binary tree above the ranks; going down the tree multiplies each factor in
once for all the ranks below. Nothing is ever divided out, so every operation is on positive numbers
and every coefficient keeps full relative accuracy. A rank that reaches nothing new has no leaf.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.reach import Reach
from prum.simulator.model import InputError, ListCosts
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each, real_array

CountMethod = Literal["exact", "normal", "refined normal", "poisson"]


def poisson_binomial(probabilities: ArrayLike, *, method: CountMethod = "exact") -> Floats:
    """Return P(F = s), s = 0 .. m, of a sum F of m independent events; shape (m + 1,).

    This is equation (7) of Piwowarski, Gallinari and Dupret 2007 with P(x in S_i) for the
    probabilities.

    Parameters
    ----------
    probabilities
        The events' probabilities, shape (m,), m >= 0.
    method
        "exact": the product of the generating functions 1 - p + p z, O(m^2), every term with full
        relative accuracy, certain events exact.
        "normal": P(s - 1/2 < N <= s + 1/2), N normal with the sum's mean and variance (appendix
        A.1, with sums where it prints averages). What lies outside 0 .. m is left out, so the
        terms can sum to less than 1.
        "refined normal": the same with the first Edgeworth term for skewness (Volkova 1996), the
        distribution function kept monotone and in [0, 1]; sums to 1.
        "poisson": Poisson of the sum's mean; what lies above m is left out. Its total variation
        error is at most sum p^2 / max(1, sum p) (Barbour and Hall 1984).

    Raises InputError for a probability outside [0, 1] or an unknown `method`.

    >>> poisson_binomial([0.5, 0.5]).tolist()
    [0.25, 0.5, 0.25]
    >>> poisson_binomial([1.0, 0.25, 0.0]).tolist()
    [0.0, 0.75, 0.25, 0.0]
    """
    if method not in get_args(CountMethod):
        rule = f"be one of {get_args(CountMethod)}"
        raise InputError("method", method, rule, remedy='take "exact" if in doubt')
    remedy = "give one list of probabilities"
    p = real_array("probabilities", probabilities, remedy=remedy, shape=("m",))
    valid = (p >= 0) & (p <= 1)
    check_each("probability {}", p, valid, "lie in [0, 1]", remedy="give probabilities")
    if method == "exact":
        return count_law(p, 1 - p)
    s = np.arange(len(p) + 1)
    mean, variance = p.sum(), (p * (1 - p)).sum()
    if method == "poisson":
        return _poisson(s, mean)
    if variance == 0:
        return np.where(s == round(float(mean)), 1.0, 0.0)
    edges = (np.arange(len(p) + 2) - 0.5 - mean) / np.sqrt(variance)
    if method == "normal":
        return _normal_cells(edges)
    skewness = (p * (1 - p) * (1 - 2 * p)).sum() / variance / np.sqrt(variance)
    return _refined_cells(edges, skewness)


def count_law(seen: Floats, unseen: Floats) -> Floats:
    """Return `poisson_binomial` of events by both their probabilities, which sum to 1.

    So one that is nearly certain keeps the digits of not happening.
    """
    from prum.analytic.precision.kernels import product

    out = np.empty(len(seen) + 1)
    product(np.ascontiguousarray(seen), np.ascontiguousarray(unseen), out)
    return out


def _poisson(s: Ints, mean: float) -> Floats:
    from scipy.special import gammaln, xlogy

    law: Floats = np.exp(xlogy(s, mean) - mean - gammaln(s + 1))
    return law


def _normal_cells(edges: Floats) -> Floats:
    """Return the normal mass between neighbouring edges, from the nearer tail of each cell."""
    from scipy.special import ndtr

    left, right = edges[:-1], edges[1:]
    above = left > 0
    cells: Floats = np.where(above, ndtr(-left) - ndtr(-right), ndtr(right) - ndtr(left))
    return cells


def _refined_cells(edges: Floats, skewness: float) -> Floats:
    from scipy.special import ndtr

    edges = np.clip(edges, -100, 100)  # where nothing is left; no overflow for tiny variances
    density = np.exp(-(edges**2) / 2) / np.sqrt(2 * np.pi)
    distribution = ndtr(edges) + (1 - edges**2) * density * skewness / 6
    distribution[0], distribution[-1] = 0, 1
    distribution = np.maximum.accumulate(np.clip(distribution, 0, 1))
    return np.diff(distribution)


@dataclass(frozen=True, slots=True)
class Changes:
    """What each rank changes: entry k belongs to event e for starts[e] <= k < starts[e + 1].

    ``ranks[e]`` counts consulted elements before event e. The factor of ideal ``ideals[k]`` goes
    from unseen_before + seen_before z to unseen_after + seen_after z; ``first[k]`` is the
    probability that the ideal is seen for the first time there. ``unseen[x]`` is the probability
    that ideal x is unseen after the list.
    """

    num_ranked: int
    num_ideals: int
    ranks: Ints
    starts: Ints
    ideals: Ints
    seen_before: Floats
    unseen_before: Floats
    seen_after: Floats
    unseen_after: Floats
    first: Floats
    unseen: Floats

    @property
    def edges(self) -> Ints:
        """Law e, the one before event e, is in force for edges[e] <= i < edges[e + 1]; (m + 2,)."""
        return np.concatenate(([0], self.ranks + 1, [self.num_ranked])).astype(np.int64)


def changes(reach: Reach) -> Changes:
    """Return what each rank of `reach` changes: equation (6) followed along the list.

    P(x in S_i) = P(x in S_{i-1}) + P(x not in S_{i-1}) reach[i, x], sums of positive terms only.
    """
    from prum.analytic.precision.kernels import follow

    size = len(reach.ideals)
    kept = np.zeros(size, dtype=np.bool_)
    changed = np.empty((size, 5))
    unseen = np.ones(reach.num_ideals)
    seen = np.zeros(reach.num_ideals)
    follow(reach.ideals, reach.probabilities, kept, changed, seen, unseen)
    ranks, columns = reach.ranks[kept], np.ascontiguousarray(changed[kept].T)
    starts = np.flatnonzero(np.diff(ranks, prepend=-1))
    return Changes(
        reach.num_ranked,
        reach.num_ideals,
        ranks[starts],
        np.append(starts, len(ranks)),
        reach.ideals[kept],
        seen_before=columns[0],
        unseen_before=columns[1],
        seen_after=columns[2],
        unseen_after=columns[3],
        first=columns[4],
        unseen=unseen,
    )


@dataclass(frozen=True, slots=True)
class SeenLaw:
    """Sums of the law of F_i over the list, by s = 0 .. t, in the unit of `costs`.

    With c_i the cost of rank i, ``consulted[s]``: sum over i of c_i P(F_{i-1} = s); ``leading[s]``:
    sum over i of c_i P(F_{i-1} = s, F_i > s); ``last[s]``: P(F_o = s). And moments by r = 1 .. t,
    where C(r) has a law: ``moments[k - 1, r - 1]`` = E[(D(r) - pivots[r - 1])^k], k = 1, 2, 3, D(r)
    what the first min(C(r), o) ranks cost.
    """

    costs: ListCosts
    consulted: Floats
    leading: Floats
    last: Floats
    pivots: Floats
    moments: Floats

    @classmethod
    def of(cls, counts: Floats, leading: Floats, costs: ListCosts) -> "SeenLaw":
        """Return the sums of the law of F_i itself.

        counts[i, s] = P(F_i = s), i = 0 .. o; leading[i - 1, s] = P(F_{i-1} = s, F_i > s).
        """
        from prum.analytic.precision.kernels import add_depths

        counts, last = counts[:-1], counts[-1]
        t = len(last) - 1
        edges, each = costs.before(), costs.ranked[:, np.newaxis]
        # The median of C(r), at most o: the number of ranks that half of the users still consult.
        pivots = edges[(np.cumsum(counts, axis=1)[:, :-1] >= 0.5).sum(axis=0)]
        moments = np.zeros((3, t))
        add_depths(np.ascontiguousarray(counts), edges, pivots, moments)
        sums = (each * counts).sum(axis=0), (each * leading).sum(axis=0)
        return cls(costs, *sums, last, pivots, moments)


def seen_law(
    change: Changes, costs: ListCosts, *, noisy_or: bool = False, spread: bool = True
) -> SeenLaw:
    """Return the sums of the law of F_i.

    With `noisy_or`, P(F_i > s given F_{i-1} = s) is taken by Hypothesis 2.3 as equation (8) has
    it; without, it is exact under 2.1 and 2.2: P(F_{i-1} = s and F_i = s) is the coefficient
    of z^s in prod_x (P(x in S_{i-1}) z + P(x not in S_i)). Moments only with `spread`.
    """
    t = change.num_ideals
    pivots = costs.before()[_typical_depths(change)]
    spreads = (pivots, np.zeros((3, t))) if spread else (_NOTHING, _NO_MOMENTS)
    law = SeenLaw(costs, np.zeros(t + 1), np.zeros(t + 1), np.zeros(t + 1), *spreads)
    _along_list(change, law, noisy_or=noisy_or)
    return law


def _typical_depths(change: Changes) -> Ints:
    """Return the rank where the expected number of seen ideals passes r - 1/2, at most o.

    C(r) is near it, so that moments about it lose no digits.
    """
    if not len(change.ranks):
        return np.full(change.num_ideals, change.num_ranked)
    expected = np.cumsum(np.add.reduceat(change.first, change.starts[:-1]))
    event = np.searchsorted(expected, np.arange(change.num_ideals) + 0.5)
    return change.edges[1:][event]


def fewer_than(change: Changes, recall: Ints) -> tuple[Floats, Floats]:
    """Return P(F_i < r) for i = 0 .. o, and the law of F_o, shape (t + 1,).

    The first for the k rising recall values r, shape (o + 1, k).
    """
    below = np.empty((len(change.ranks) + 1, len(recall)))
    last = np.zeros(change.num_ideals + 1)
    costs = ListCosts.units(change.num_ranked)
    law = SeenLaw(costs, _NOTHING, _NOTHING, last, _NOTHING, _NO_MOMENTS)
    _along_list(change, law, recall=recall, below=below)
    along = np.repeat(below, np.diff(change.edges), axis=0)
    return np.vstack([along, np.cumsum(last)[recall - 1]]), last


_NOTHING: Floats = np.empty(0)
_NO_MOMENTS: Floats = np.empty((3, 0))


def _along_list(
    change: Changes,
    law: SeenLaw,
    *,
    noisy_or: bool = False,
    recall: Ints | None = None,
    below: Floats | None = None,
) -> None:
    """Call the kernel, which fills the arrays that are not empty."""
    from prum.analytic.precision.kernels import along_list

    if recall is None or below is None:
        recall, below = np.empty(0, np.int64), np.empty(0)
    along_list(
        change,
        law.costs.before()[change.edges],
        law.costs.ranked[change.ranks],
        noisy_or,
        law.consulted,
        law.leading,
        law.last,
        recall,
        below.reshape(-1),
        law.pivots,
        law.moments,
    )
