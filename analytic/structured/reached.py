"""Measures of the ideals that ranks lead to: EPRUM, PRUM on a graded scale, recall, T2I.

EPRUM is how many elements a user needs at the best, over how many ranks the list costs them.
"""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.independent import exact
from prum.analytic.precision.published import prum
from prum.analytic.precision.reach import MatrixLike, checked_reach, checked_unranked
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.precision.seen import changes
from prum.analytic.ranked.ranks import ROUNDING, checked_levels, checked_values
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import check_each

# Uncertain visits, and ideals: two outcomes or sets for each.
_MOST = 16


def eprum(
    reach: MatrixLike,
    elsewhere: "MatrixLike | None" = None,
    *,
    values: ArrayLike | None = None,
    levels: ArrayLike | None = None,
) -> Floats:
    """Return EPRUM at recall levels: E[fewest elements / ranks needed; 0 if the list fails].

    For each level l, the expectation over users of 1(the list reaches l) times the fewest elements
    by which any list of the collection reaches l for this same user, over the ranks by which this
    list does; in [0, 1], and not the ratio of expectations that PRUM is. Derived here from the
    definition in words (Piwowarski and Dupret 2006), with these users: each tosses once, and
    independently (Hypothesis 2.2), whether they see ideal x from element z, for every pair; the
    tosses hold for every list. So the fewest elements are the smallest number of elements whose
    contexts together hold enough. Every ideal is an element and shows itself. Exact: all outcomes
    of the uncertain visits are enumerated.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), dense or sparse. The row of a repeated element is 0.
    elsewhere
        P(z -> x) of the elements outside the list from which users see ideals, shape (m, t). An
        ideal for which neither holds a 1 is added, with itself alone.
    values
        v(x) > 0 of each ideal, shape (t,); 1 if none are given. Level l is reached by ideals that
        are worth l times the value of all, but for rounding.
    levels
        Recall levels in (0, 1], shape (n,); r / t for r = 1 .. t if none are given.

    Returns
    -------
    array of shape (n,)
        Time up to 2^(w + t), w the number of entries strictly between 0 and 1.

    Raises InputError for a probability outside [0, 1], matrices with different numbers of ideals,
    more than 16 uncertain visits or ideals, a value that is not positive, a level outside (0, 1].

    >>> eprum([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]]).round(4).tolist()      # Table III
    [0.8056, 0.668]
    """
    ranked = checked_reach(reach)
    t = ranked.num_ideals
    outside = checked_reach(np.zeros((0, t)) if elsewhere is None else elsewhere)
    if outside.num_ideals != t:
        rule, remedy = f"be {t}, as in reach", "give one column for each ideal"
        raise InputError("columns of elsewhere", outside.num_ideals, rule, remedy=remedy)
    v = np.ones(t) if values is None else checked_values(values, t)
    check_each("values[{}]", v, v > 0, "be positive", remedy="leave the ideal out")
    shares = np.arange(1, t + 1) / t if levels is None else checked_levels(levels)
    if shares.ndim != 1:
        raise InputError("levels", shares.shape, "have shape (n,)", remedy="give a list")

    rows = np.concatenate((ranked.ranks, outside.ranks + ranked.num_ranked)).tolist()
    columns = np.concatenate((ranked.ideals, outside.ideals)).tolist()
    chances = np.concatenate((ranked.probabilities, outside.probabilities)).tolist()
    contexts = dict.fromkeys(rows, 0)
    uncertain = list[tuple[int, int, float]]()
    for row, column, chance in zip(rows, columns, chances, strict=True):
        if chance == 1:
            contexts[row] |= 1 << column
        else:
            uncertain.append((row, 1 << column, chance))
    for thing, number in (("uncertain visits", len(uncertain)), ("ideals", t)):
        if number > _MOST:
            remedy = "simulate users instead"
            raise InputError(f"number of {thing}", number, f"be at most {_MOST}", remedy=remedy)
    shown = {column for column, chance in zip(columns, chances, strict=True) if chance == 1}
    unshown = [1 << x for x in range(t) if x not in shown]
    order = [row for row in sorted(contexts) if row < ranked.num_ranked]

    plain: list[float] = v.tolist()

    @cache
    def worth(ideals: int) -> float:
        return sum(value for x, value in enumerate(plain) if ideals >> x & 1)

    targets = shares * (v.sum() * (1 - ROUNDING))
    fewest = cache(lambda sets: _fewest(sets, worth, targets))
    expected = np.zeros(len(shares))
    for outcome in product((False, True), repeat=len(uncertain)):
        sets, weight = dict(contexts), 1.0
        for (row, ideal, chance), visited in zip(uncertain, outcome, strict=True):
            weight *= chance if visited else 1 - chance
            if visited:
                sets[row] |= ideal
        minimum = fewest(frozenset(_largest([*sets.values(), *unshown])))
        seen, reached = 0, np.zeros(len(shares), dtype=np.bool_)
        for row in order:
            if sets[row] & ~seen:
                seen |= sets[row]
                new = ~reached & (targets <= worth(seen))
                expected[new] += weight * minimum[new] / (row + 1)
                reached |= new
    return expected


def _fewest(candidates: Iterable[int], worth: Callable[[int], float], targets: Floats) -> Ints:
    """Return the smallest number of sets whose union is worth each target: union after union."""
    needed = np.zeros(len(targets), dtype=np.int64)
    unions, count = {0}, 0
    while not needed.all():
        count += 1
        unions = {union | candidate for union in unions for candidate in candidates}
        needed[(needed == 0) & (targets <= max(map(worth, unions)))] = count
    return needed


def _largest(sets: Iterable[int]) -> list[int]:
    """Return the sets that lie in no other."""
    kept = list[int]()
    for bits in sorted(set(sets), key=int.bit_count, reverse=True):
        if bits and all(bits & ~other for other in kept):
            kept.append(bits)
    return kept


PrecisionKind = Literal["prum", "exact"]


def graded_prum(
    reach: MatrixLike, values: ArrayLike, unranked: int, *, estimate: PrecisionKind = "prum"
) -> PrecisionRecall:
    """Return precision over users whose thresholds on a graded scale differ.

    An extension of PRUM, which knows ideal elements and others only (Table IV of Piwowarski,
    Gallinari and Dupret 2007). A user's threshold tau is uniform on (0, max v], and the user's
    ideals are the t_tau elements with v(x) >= tau: x is ideal for a share v(x) / max v of the
    users. At recall level r / t they want ceil(t_tau r / t) ideals. Given tau they are users of
    PRUM; E[CL] and E[C] are means over users,

        E[C(r)] = sum_k (v_k - v_{k-1}) / max v  E[C(ceil(t_k r / t)) given the ideals v(x) >= v_k]

    with v_1 < v_2 < .. the distinct positive values, v_0 = 0, and precision is their ratio. If all
    values are equal, or 0 and 1, it is PRUM of the positive ones.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, n), dense or sparse. The row of a repeated element is 0.
    values
        v(x) >= 0, shape (n,), on any scale; t of them are positive, the others ideal for nobody.
    unranked
        u, the number of unranked elements, the same for all users.
    estimate
        "prum", under Hypothesis 2.3, or "exact", without it.

    Returns
    -------
    PrecisionRecall
        For r = 1 .. t, precision in (0, 1].

    Raises InputError for a reach outside [0, 1], values that are negative or all 0, u too small for
    the elements of positive value that may be unseen, or an unknown `estimate`.

    >>> graded_prum([[1, 0], [0, 1]], [1, 2], 0)           # for half of the users one is ideal
    PrecisionRecall(graded PRUM, t = 2: precision .6667 .7500)
    """
    if estimate not in get_args(PrecisionKind):
        rule = f"be one of {get_args(PrecisionKind)}"
        raise InputError("estimate", estimate, rule, remedy="leave it out")
    entries = checked_reach(reach)
    v = checked_values(values, entries.num_ideals)
    columns = entries.sparse(entries.probabilities).tocsc()
    t = int(np.count_nonzero(v))
    r = np.arange(1, t + 1)
    leading, consulted = np.zeros((2, t))
    last = 0.0
    for value in np.unique(v[v > 0]):
        ideals = columns[:, np.flatnonzero(v >= value)]
        users = prum(ideals, unranked) if estimate == "prum" else exact(ideals, unranked)
        recall = (r * users.num_ideals + t - 1) // t
        weight = (value - last) / v.max()
        leading += weight * users.leading[recall - 1]
        consulted += weight * users.consulted[recall - 1]
        last = value
    method = "graded PRUM" if estimate == "prum" else "graded exact"
    return PrecisionRecall(leading, consulted, method=method)


def generalised_recall(reach: MatrixLike, values: ArrayLike | None = None) -> Floats:
    """Return the expected share of the ideals' value that is seen after ranks 1 .. o, shape (o,).

    sum_x v(x) P(x in S_i) / sum_x v(x), in [0, 1] (Piwowarski and Gallinari 2003), with P(x in S_i)
    of equation (6) of Piwowarski, Gallinari and Dupret (2007), a noisy-or over the ranks. An
    expectation of a sum does not ask how visits from one rank depend on each other: it is exact
    under Hypothesis 2.2 and for any such dependence, if ranks are independent of each other.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), dense or sparse. The row of a repeated element is 0, if the
        second time leads nowhere new.
    values
        v(x) >= 0 of each ideal, shape (t,); 1 if none are given, for the share of ideals.

    Raises InputError for a reach outside [0, 1], a negative value, or values that are all 0.

    >>> reach = [[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]]
    >>> generalised_recall(reach).round(4).tolist()
    [0.4, 0.7, 0.82, 1.0]
    """
    entries = checked_reach(reach)
    t = entries.num_ideals
    v = np.ones(t) if values is None else checked_values(values, t)
    change = changes(entries)
    gained = np.zeros(entries.num_ranked)
    ranks = np.repeat(change.ranks, np.diff(change.starts))
    np.add.at(gained, ranks, change.first * v[change.ideals])
    # All ideals seen is 1, not a rounding above.
    return np.minimum(gained.cumsum() / float(v.sum()), 1.0)


def t2i(reach: MatrixLike, unranked: int) -> PrecisionRecall:
    """Return precision of T2I with Raghavan's formula: r ideals over E[C(r)] elements.

    Tolerance to irrelevance (de Vries, Kazai and Lalmas 2004) decides for all users alike which
    ideals they see from a rank. They consult elements until they have seen r ideals; after the
    list, unranked elements in random order. The formula credits r elements, as if each led to one
    ideal: so ``leading`` is r, and precision(r) = r / E[C(r)] exceeds 1 where one element shows
    several (section 4.1.2 of Piwowarski, Gallinari and Dupret 2007). PRUM of the same reach does
    not.

    Parameters
    ----------
    reach
        1 if the ideal is seen from the rank, else 0; shape (o, t), dense or sparse, as `tolerance`
        gives without falling tolerance. A repeat of an element shows nothing new and is consulted.
    unranked
        u, the number of unranked elements.

    Raises InputError for values other than 0 and 1, and if u cannot hold the ideals that the list
    does not show.

    >>> t2i([[1, 1], [0, 1]], 3)                                          # a best entry point
    PrecisionRecall(T2I, t = 2: precision 1.0000 2.0000)
    """
    entries = checked_reach(reach)
    uncertain = np.flatnonzero(entries.probabilities < 1)
    if uncertain.size:
        entry = uncertain[0]
        thing = f"reach[{entries.ranks[entry]}, {entries.ideals[entry]}]"
        value, rule = entries.probabilities[entry], "be 0 or 1: all users have the same tolerance"
        raise InputError(thing, value, rule, remedy="use prum for probabilities")
    o, t = entries.num_ranked, entries.num_ideals
    first_seen = np.full(t, o)
    np.minimum.at(first_seen, entries.ideals, entries.ranks)
    first_seen.sort()
    listed = np.count_nonzero(first_seen < o)
    k = int(t - listed)
    u = checked_unranked(unranked, k)
    s = np.arange(1, k + 1)
    consulted = np.append(first_seen[:listed] + 1.0, o + s * (u + 1) / (k + 1))
    return PrecisionRecall(np.arange(1, t + 1), consulted, method="T2I")
