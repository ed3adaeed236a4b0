"""Exact precision: what PRUM approximates, without Hypothesis 2.3."""

import numpy as np

from prum.analytic.precision.reach import MatrixLike, checked_reach, checked_unranked
from prum.analytic.precision.result import PrecisionRecall, skewness_of
from prum.analytic.precision.seen import Changes, SeenLaw, changes, seen_law
from prum.simulator.model import ListCosts
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import costs_of_list


def exact(reach: MatrixLike, unranked: int, *, costs: ListCosts | None = None) -> PrecisionRecall:
    """Return E[CL(r)] and E[C(r)] under Hypotheses 2.1 and 2.2 alone.

    E[C(r)] = sum_{i<o} P(F_i < r) + sum_{s<r} P(F_o = s) (r-s) (u+1) / (t-s+1) and
    E[CL(r)] = sum_{i<=o} P(F_{i-1} < r, F_i > F_{i-1}) + sum_{s<r} P(F_o = s) (r-s)
    (equation 5 with the joint law of F_{i-1} and F_i in place of equation 8): given the
    independence of all visits, P(F_{i-1} = s and F_i = s) is the coefficient of z^s in
    prod_x (P(x in S_{i-1}) z + P(x not in S_i)).

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), dense or scipy.sparse. A ranked ideal has 1 at its rank; the
        second occurrence of an element has a row of zeros.
    unranked
        u, the number of unranked elements.
    costs
        c_i, what rank i costs, and c, what each element drawn behind the list does. Then what is
        counted is costs: the sums over i are of c_i times these probabilities, those over s of c
        times these means. Left out, each costs 1.

    Returns
    -------
    PrecisionRecall
        exact up to rounding, with the deviation and skewness of C(r), or of its cost.

    Raises InputError for a reach outside [0, 1], u smaller than the number of ideals that may be
    unseen, costs of another list.

    >>> reach = [[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]]   # Table III
    >>> exact(reach, 0)
    PrecisionRecall(exact, t = 2: precision .6914 .6462)
    >>> exact(reach, 0, costs=ListCosts([100, 400, 200, 200], 200, unit="tokens"))
    PrecisionRecall(exact, t = 2, tokens: precision .7299 .6377)
    """
    return from_changes(changes(checked_reach(reach)), unranked, costs=costs, method="exact")


def from_changes(
    change: Changes,
    unranked: int,
    *,
    costs: ListCosts | None = None,
    noisy_or: bool = False,
    spread: bool = True,
    method: str,
) -> PrecisionRecall:
    """Return equation (5), by Hypothesis 2.3 if `noisy_or`, with the spread of C(r) if wanted."""
    u = checked_unranked(unranked, int(np.count_nonzero(change.unseen)))
    each = costs_of_list(costs, change.num_ranked)
    return from_law(seen_law(change, each, noisy_or=noisy_or, spread=spread), u, method=method)


def from_law(law: SeenLaw, unranked: int, *, method: str) -> PrecisionRecall:
    """Return equation (5) from the summed law of F_i, and the spread of C(r) if it has moments."""
    orders = (1, 2, 3) if law.pivots.size else (1,)
    rising = np.stack([expected_draws(law.last, unranked, order) for order in orders])
    wanted_later = np.cumsum(np.cumsum(law.last[:-1]))
    return with_later(law, wanted_later, rising, method=method)


def with_later(law: SeenLaw, later: Floats, rising: Floats, *, method: str) -> PrecisionRecall:
    """Return the list's part of E[CL(r)] and E[C(r)] and what comes after it, put together.

    `later` is what E[CL(r)] gains there, rising[k - 1] = E[J (J+1) .. (J+k-1); F_o < r] for the J
    elements consulted there, each of cost c. To the moments of what the ranks cost about the pivots
    they add E[(b + c J)^k - b^k; F_o < r] with b = cost of the list - pivot.
    """
    unit, c = law.costs.unit, law.costs.unranked
    # (a), (b), (c) and (d) of equation (5).
    in_list, behind = np.cumsum(law.leading[:-1]), c * later
    parts = np.stack([in_list, behind, np.cumsum(law.consulted[:-1]), c * rising[0]])
    leading, consulted = parts[0] + parts[1], parts[2] + parts[3]
    if not law.pivots.size:
        return PrecisionRecall(leading, consulted, method=method, unit=unit, parts=parts)
    first, square = c * rising[0], c**2 * (rising[1] - rising[0])
    cube = c**3 * (rising[2] - 3 * rising[1] + rising[0])
    b = law.costs.before()[-1] - law.pivots
    m1 = law.moments[0] + first
    m2 = law.moments[1] + 2 * b * first + square
    m3 = law.moments[2] + 3 * b**2 * first + 3 * b * square + cube
    deviation = np.sqrt(np.maximum(m2 - m1**2, 0))
    # What rounding leaves of no variance at all: some units of the square's last place.
    deviation[deviation < 1e-7 * np.abs(m1)] = 0
    return PrecisionRecall(
        leading,
        consulted,
        method=method,
        unit=unit,
        consulted_deviation=deviation,
        consulted_skewness=skewness_of(m3 - 3 * m1 * m2 + 2 * m1**3, deviation),
        parts=parts,
    )


# After the list a user has seen s of t ideals; the other K = t - s all lie among the u unranked
# elements, drawn in random order. The draw that gives the k-th of them follows the negative
# hypergeometric law, whose rising moments are k (k+1).. (u+1) (u+2).. / ((K+1) (K+2)..).


def expected_draws(last: Floats, unranked: int, order: int) -> Floats:
    """Return E[J (J+1) .. (J+order-1); F_o < r] for r = 1 .. t, J the draws after the list.

    `last[s]` = P(F_o = s). For order 1 it is sum over s < r of
    P(F_o = s) (r - s) (u + 1) / (t - s + 1): part (d) of equation (5), as in (16).

    The factor k (k+1) .. over k = r - s is a repeated sum of ones, so the sum over s is a repeated
    cumulative sum: nothing is subtracted.
    """
    t = len(last) - 1
    unseen = t - np.arange(t)
    terms = last[:-1].copy()
    for step in range(1, order + 1):
        terms *= (unranked + step) / (unseen + step) * step
    for _ in range(order + 1):
        terms = np.cumsum(terms)
    return terms
