"""Exact precision: what PRUM approximates, without Hypothesis 2.3, and the law of C(r)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prum.analytic.precision_recall import PrecisionRecall
from prum.analytic.reach import MatrixLike, checked_reach, checked_recall, checked_unranked
from prum.analytic.seen import SeenLaw, changes, fewer_than, seen_law
from prum.analytic.unranked import draws_pmf, expected_draws
from prum.simulator.model import InputError
from prum.simulator.model.errors import proportion, real_array

Floats = NDArray[np.float64]

# A Moebius transform keeps 2^t numbers per rank; beyond this it would not be waited for.
MOST_JOINT_IDEALS = 20


def exact(reach: MatrixLike, unranked: int) -> PrecisionRecall:
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

    Returns
    -------
    PrecisionRecall
        exact up to rounding, with the deviation and skewness of C(r).

    Raises
    ------
    InputError
        for a reach outside [0, 1] or u smaller than the number of ideals that may be unseen.

    >>> reach = [[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]]   # Table III
    >>> exact(reach, 0)
    PrecisionRecall(exact, t = 2: precision .6914 .6462)
    """
    entries = checked_reach(reach)
    change = changes(entries)
    u = checked_unranked(unranked, int(np.count_nonzero(change.unseen)))
    return from_law(seen_law(change), entries.num_ranked, u, method="exact")


def from_law(law: SeenLaw, num_ranked: int, unranked: int, *, method: str) -> PrecisionRecall:
    """Return equation (5) from the summed law of F_i, and the spread of C(r) if it has moments.

    To the moments of min(C(r), o) about the pivots the J draws after the list add
    E[(b + J)^k - b^k; F_o < r] with b = o - pivot.
    """
    rising = [expected_draws(law.last, unranked, order) for order in (1, 2, 3)]
    wanted_later = np.cumsum(np.cumsum(law.last[:-1]))
    leading = np.cumsum(law.leading[:-1]) + wanted_later
    consulted = np.cumsum(law.consulted[:-1]) + rising[0]
    if not law.pivots.size:
        return PrecisionRecall(leading, consulted, method=method)
    first, square = rising[0], rising[1] - rising[0]
    cube = rising[2] - 3 * rising[1] + rising[0]
    b = num_ranked - law.pivots
    m1 = law.moments[0] + first
    m2 = law.moments[1] + 2 * b * first + square
    m3 = law.moments[2] + 3 * b**2 * first + 3 * b * square + cube
    deviation = np.sqrt(np.maximum(m2 - m1**2, 0))
    # What rounding leaves of no variance at all.
    deviation[deviation < 1e-8 * np.abs(m1)] = 0
    # A deviation whose cube is too small for a number belongs to an event that nobody will see.
    cubed = deviation**3
    skewness = np.where(deviation > 0, np.inf, 0)
    np.divide(m3 - 3 * m1 * m2 + 2 * m1**3, cubed, out=skewness, where=cubed > 0)
    return PrecisionRecall(
        leading,
        consulted,
        method=method,
        consulted_deviation=deviation,
        consulted_skewness=skewness,
    )


def consulted_pmf(reach: MatrixLike, unranked: int, r: int) -> Floats:
    """Return P(C(r) = c) for c = 0 .. o + u, shape (o + u + 1,), under Hypotheses 2.1 and 2.2.

    Within the list P(C(r) > i) = P(F_i < r); beyond it each s = F_o < r adds a negative
    hypergeometric law. Hypothesis 2.3 plays no part.

    Raises
    ------
    InputError
        as `exact`, and for r outside 1 .. t.

    >>> consulted_pmf([[0.5], [1.0]], 0, 1).tolist()
    [0.0, 0.5, 0.5]
    """
    entries = checked_reach(reach)
    r = checked_recall(r, entries.num_ideals)
    change = changes(entries)
    u = checked_unranked(unranked, int(np.count_nonzero(change.unseen)))
    below, last = fewer_than(change, r)
    o, t = entries.num_ranked, entries.num_ideals
    num_ranks = np.diff(change.edges).astype(np.int64)
    still_wanting = np.append(np.repeat(below, num_ranks), last[:r].sum())
    pmf = np.zeros(o + u + 1)
    pmf[1 : o + 1] = np.maximum(still_wanting[:-1] - still_wanting[1:], 0)
    for s in np.flatnonzero(last[:r]):
        pmf[o:] += last[s] * draws_pmf(r - int(s), t - int(s), u)
    return pmf


def consulted_quantile(reach: MatrixLike, unranked: int, r: int, probability: float) -> int:
    """Return the smallest c with P(C(r) <= c) >= probability: .5 for the median depth.

    Raises
    ------
    InputError
        as `consulted_pmf`, and for a probability outside (0, 1).

    >>> consulted_quantile([[0.5], [0.5], [1.0]], 0, 1, 0.95)
    3
    """
    level = proportion(
        "probability", probability, open_interval=True, remedy="give .5 for the median"
    )
    cumulative = np.cumsum(consulted_pmf(reach, unranked, r))
    # A cumulative sum may miss the level by rounding alone.
    return int(np.searchsorted(cumulative, level * cumulative[-1] * (1 - 1e-12)))


def exact_joint(within: ArrayLike, unranked: int) -> PrecisionRecall:
    """Return E[CL(r)] and E[C(r)] for any dependence inside a context, ranks independent.

    ``within[i, A]`` = P(N_i subset of A), N_i the ideals seen from rank i, bit x of A standing
    for ideal x; shape (o, 2^t). Then P(S_i subset of A) is the product of the rows up to i, a
    Moebius transform over subsets gives P(S_i = A), and
    P(F_{i-1} = s, F_i = s) = sum_{|A| = s} P(S_{i-1} = A) P(N_i subset of A).
    Time o t 2^t. The alternating sums lose a digit or so for every six ideals.

    Raises
    ------
    InputError
        for a shape other than (o, 2^t), t in 1 .. 20, values outside [0, 1], a row that does not
        end in 1 (N_i is always within all ideals), or u too small.

    >>> exact_joint([[0, 0.5, 0.5, 1], [0, 1, 0, 1], [0, 0, 1, 1]], 0)   # one path to a or to b
    PrecisionRecall(exact joint, t = 2: precision 1.0000 .8000)
    """
    from prum.analytic.kernels import add_depths

    rows = real_array("within", within, remedy="give P(N_i subset of A) for every A")
    t = rows.shape[1].bit_length() - 1 if rows.ndim == 2 else 0
    if rows.ndim != 2 or not 1 <= t <= MOST_JOINT_IDEALS or rows.shape[1] != 1 << t:
        raise InputError(
            "shape of within",
            rows.shape,
            f"be (o, 2^t) with t in 1 .. {MOST_JOINT_IDEALS}",
            remedy="give P(N_i subset of A) for every A; beyond that simulate",
        )
    bad = np.argwhere(~((rows >= 0) & (rows <= 1)))
    if bad.size:
        i, subset = bad[0]
        raise InputError(
            f"within[{i}, {subset}]",
            float(rows[i, subset]),
            "lie in [0, 1]",
            remedy="give probabilities",
        )
    open_rows = np.flatnonzero(rows[:, -1] != 1)
    if open_rows.size:
        i = int(open_rows[0])
        raise InputError(
            f"within[{i}, {(1 << t) - 1}]",
            float(rows[i, -1]),
            "be 1 (all ideals)",
            remedy="give P(N_i subset of A), not P(N_i = A)",
        )
    size = np.bitwise_count(np.arange(1 << t, dtype=np.uint32)).astype(np.intp)
    subset_of = np.ones(1 << t)
    counts, leading = np.empty((len(rows), t + 1)), np.zeros(t + 1)
    seen = np.zeros(1 << t)
    seen[0] = 1.0
    for i, row in enumerate(rows):
        counts[i] = np.bincount(size, weights=seen, minlength=t + 1)
        stay = np.bincount(size, weights=seen * row, minlength=t + 1)
        leading += np.maximum(counts[i] - stay, 0)
        if row[0] < 1:
            subset_of *= row
            seen = _moebius(subset_of, t)
    last = np.bincount(size, weights=seen, minlength=t + 1).astype(np.float64)
    never_certain = sum(subset_of[((1 << t) - 1) ^ (1 << x)] > 0 for x in range(t))
    u = checked_unranked(unranked, int(never_certain))
    # The median of C(r), at most o: the number of ranks that half of the users still consult.
    pivots = (np.cumsum(counts, axis=1)[:, :-1] >= 0.5).sum(axis=0).astype(np.float64)
    moments = np.zeros((3, t))
    for i, count in enumerate(counts):
        add_depths(count, 0, t, 0, float(i), float(i + 1), pivots, moments)
    law = SeenLaw(counts.sum(axis=0), leading, last, pivots, moments)
    return from_law(law, len(rows), u, method="exact joint")


def _moebius(subset_of: Floats, t: int) -> Floats:
    """Return P(S = A) for every A from P(S subset of A)."""
    out = subset_of.copy()
    for x in range(t):
        halves = out.reshape(-1, 2, 1 << x)
        halves[:, 1] -= halves[:, 0]
    np.maximum(out, 0, out=out)
    return out
