"""Exact precision under any dependence inside a context: the law of the set of ideals seen.

Bit x of a subset A stands for ideal x. The law of S_i, the ideals seen by rank i, is kept as
P(S_i subset of A) or P(S_i = A) for all 2^t subsets; zeta and Moebius transforms lead from one to
the other.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prum.analytic.precision.independent import from_law, with_later
from prum.analytic.precision.mixtures import legendre_nodes
from prum.analytic.precision.reach import check_memory, checked_unranked
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.precision.seen import SeenLaw
from prum.simulator.model import InputError, ListCosts
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import costs_of_list
from prum.simulator.model.errors import check_each, real_array

# A transform takes 2^t numbers per rank; for more ideals it would take too long.
MOST_JOINT_IDEALS = 20
# Gauss-Legendre quadrature is exact for as many unranked elements; more would take too long.
MOST_LATER = 1000


def exact_joint(
    within: ArrayLike,
    unranked: int,
    *,
    later: ArrayLike | None = None,
    costs: ListCosts | None = None,
) -> PrecisionRecall:
    """Return E[CL(r)] and E[C(r)] for any dependence inside a context, ranks independent.

    ``within[i, A]`` = P(N_i subset of A), N_i the ideals seen from rank i, bit x of A standing
    for ideal x; shape (o, 2^t). Then P(S_i subset of A) is the product of the rows up to i, a
    Moebius transform over subsets gives P(S_i = A), and
    P(F_{i-1} = s, F_i = s) = sum_{|A| = s} P(S_{i-1} = A) P(N_i subset of A).
    Time o t 2^t. The alternating sums lose a digit or so for every six ideals.

    Users who browse more or less after success: with shape (o, t, 2^t), ``within[i, s, A]`` is
    P(N_i subset of A) for users who have seen s ideals before rank i, and
    P(S_i subset of A) = sum_s P(S_{i-1} subset of A, F_{i-1} = s) within[i, s, A], time o t^2 2^t.

    Users who browse from unranked elements as well: ``later[e, A]`` = P(N_e subset of A) for each
    of the m unranked elements that may show something; the other u - m show nothing. The order is
    random. With E_k(A) the mean of prod_{e in J} later[e, A] over sets J of k elements,
    P(S_o subset of A) E_k(A) is the law after k of the m, and the places of those k among u are
    negative hypergeometric. E[CL] needs the k-th to differ from those before it: each element
    gets a random time uniform on [0, 1], and the law of what came before that of e is
    prod_{e' not e} (1 - tau + tau later[e', A]), a polynomial in tau, integrated exactly by
    Gauss-Legendre quadrature. Time m^2 t 2^t, memory some 24 (m + 1) 2^t bytes beside `later`.

    With `costs`, all is counted in what ranks cost, as by `exact`.

    Raises InputError for other shapes, t outside 1 .. 20, more than 1000 unranked elements that may
    show something or more than 4 GiB of memory for them, values outside [0, 1], a row that does not
    end in 1 (N_i is always within all ideals), u too small, an ideal that may never be seen, or
    costs of another list.

    >>> exact_joint([[0, 0.5, 0.5, 1], [0, 1, 0, 1], [0, 0, 1, 1]], 0)   # one path to a or to b
    PrecisionRecall(exact joint, t = 2: precision 1.0000 .8000)
    >>> exact_joint(np.empty((0, 2)), 3, later=[[0, 1], [0.5, 1]])       # an ideal, a link to it
    PrecisionRecall(exact joint, t = 1: precision .6000)
    """
    rows = checked_within("within", within, (2, 3))
    t = rows.shape[-1].bit_length() - 1
    counts, new, seen = _along_list(rows, t)
    law = SeenLaw.of(counts, new, costs_of_list(costs, len(rows)))
    if later is None:
        never_certain = sum(subset_of(seen, t)[((1 << t) - 1) ^ (1 << x)] > 0 for x in range(t))
        u = checked_unranked(unranked, int(never_certain))
        return from_law(law, u, method="exact joint")
    others = checked_within("later", later, (2,))
    if others.shape[1] != 1 << t or len(others) > MOST_LATER:
        rule = f"be (m, {1 << t}), m at most {MOST_LATER}"
        remedy = "give a row for each unranked element that may show something; else simulate"
        raise InputError("shape of later", others.shape, rule, remedy=remedy)
    remedy = "name fewer ideals or unranked elements, or simulate"
    check_memory("exact_joint", 24 * (len(others) + 1) << t, "24 (m + 1) 2^t", remedy=remedy)
    u = checked_unranked(unranked, len(others))
    within_sets = subset_of(seen, t)
    for x in range(t):
        rest = ((1 << t) - 1) ^ (1 << x)
        missed = float(others[:, rest].prod())
        if within_sets[rest] * missed > 0:
            rule = f"be 0 for some element: ideal {x} may never be seen"
            remedy = "name every ideal of the unranked part"
            raise InputError(f"later[:, {rest}]", missed, rule, remedy=remedy)
    leading, rising = _after_list(within_sets, others, u, t)
    return with_later(law, leading, rising, method="exact joint")


def joint_counts(within: ArrayLike, later: Floats | None = None) -> tuple[Floats, Floats, Floats]:
    """Return P(F_i = s), i = 0 .. o, shape (o + 1, t + 1), of what `exact_joint` takes.

    And P(F_{i-1} = s, F_i > s), i = 1 .. o, shape (o, t + 1); and P(F < r) after k of the m
    elements of `later`, k = 0 .. m, shape (m + 1, t).
    """
    rows = checked_within("within", within, (2, 3))
    t = rows.shape[-1].bit_length() - 1
    counts, leading, seen = _along_list(rows, t)
    if later is None:
        return counts, leading, np.empty((0, t))
    return counts, leading, _still_wanting(subset_of(seen, t), later, t)


def _along_list(rows: Floats, t: int) -> tuple[Floats, Floats, Floats]:
    """Return P(F_i = s), i = 0 .. o, P(F_{i-1} = s, F_i > s), i = 1 .. o, and P(S_o = A)."""
    size = set_sizes(t)
    counts, leading = np.empty((len(rows) + 1, t + 1)), np.empty((len(rows), t + 1))
    seen = np.zeros(1 << t)
    seen[0] = 1.0
    within_sets = np.ones(1 << t)
    by_success = rows.ndim == 3
    layers = size == np.arange(t)[:, np.newaxis]
    for i, row in enumerate(rows):
        counts[i] = np.bincount(size, weights=seen, minlength=t + 1)
        quiet = row[np.minimum(size, t - 1), np.arange(1 << t)] if by_success else row
        stay = np.bincount(size, weights=seen * quiet, minlength=t + 1)
        leading[i] = np.maximum(counts[i] - stay, 0)
        if by_success:
            moved = (subset_of(seen * layers, t) * row).sum(axis=0)
            moved[-1] += seen[-1]
            seen = moebius(moved, t)
        elif row[0] < 1:
            within_sets *= row
            seen = moebius(within_sets, t)
    counts[-1] = np.bincount(size, weights=seen, minlength=t + 1)
    return counts, leading, seen


def _still_wanting(within_sets: Floats, later: Floats, t: int) -> Floats:
    """Return P(F < r) after k of the m elements that may show something, shape (m + 1, t)."""
    m = len(later)
    # after[k, A]: the mean over sets of k of those m elements that were gone through.
    after = np.zeros((m + 1, 1 << t))
    after[0] = 1
    for number, row in enumerate(later, start=1):
        share = (np.arange(number + 1) / number)[:, np.newaxis]
        taken = np.append(np.zeros((1, 1 << t)), after[:number], axis=0) * row
        after[: number + 1] = share * taken + (1 - share) * after[: number + 1]
    wanting: Floats = moebius(after * within_sets, t) @ _below(t)
    return wanting


def _below(t: int) -> Floats:
    """Return whether a set is of fewer than r ideals, shape (2^t, t)."""
    return (set_sizes(t)[:, np.newaxis] < np.arange(1, t + 1)).astype(np.float64)


def _after_list(within_sets: Floats, later: Floats, u: int, t: int) -> tuple[Floats, Floats]:
    """Return E[CL after the list] and E[J (J+1) ..] of J, the draws after it, of orders 1 to 3."""
    m = len(later)
    below = _below(t)
    still_wanting = _still_wanting(within_sets, later, t)
    k = np.arange(m + 1.0)[:, np.newaxis]
    # E[K (K+1) .. ] = sum over k of order (k+1) .. (k+order-1) P(K > k).
    weights = (np.ones_like(k), 2 * (k + 1), 3 * (k + 1) * (k + 2))
    scales = np.cumprod([(u + step) / (m + step) for step in (1, 2, 3)])
    rising = np.stack(
        [scale * (w * still_wanting).sum(axis=0) for w, scale in zip(weights, scales, strict=True)]
    )
    nodes, shares = legendre_nodes(m // 2 + 1)
    leading = np.zeros(t)
    for tau, share in zip(nodes, shares, strict=True):
        factors = 1 - tau + tau * later
        before = moebius(within_sets * factors.prod(axis=0) / factors, t)
        leading += share * ((before * (1 - later)).sum(axis=0) @ below)
    return leading, rising


def set_sizes(t: int) -> NDArray[np.intp]:
    """Return the number of ideals in each set, shape (2^t,)."""
    return np.bitwise_count(np.arange(1 << t, dtype=np.uint32)).astype(np.intp)


def checked_within(thing: str, values: ArrayLike, dimensions: tuple[int, ...]) -> Floats:
    """Return P(N subset of A) of so many dimensions, if it is that.

    Raises InputError for a wrong shape, t outside 1 .. 20, values outside [0, 1], and rows that do
    not end in 1.
    """
    rows = real_array(thing, values, remedy="give P(N subset of A) for every A")
    t = rows.shape[-1].bit_length() - 1 if rows.ndim in dimensions else 0
    widths = {2: (1 << t,), 3: (t, 1 << t)}.get(rows.ndim)
    if not 1 <= t <= MOST_JOINT_IDEALS or rows.shape[1:] != widths:
        shapes = " or ".join({2: "(o, 2^t)", 3: "(o, t, 2^t)"}[n] for n in dimensions)
        rule = f"be {shapes} with t in 1 .. {MOST_JOINT_IDEALS}"
        remedy = "give P(N_i subset of A) for every A; beyond that simulate"
        raise InputError(f"shape of {thing}", rows.shape, rule, remedy=remedy)
    indices = ", ".join(["{}"] * (rows.ndim - 1))
    valid, remedy = (rows >= 0) & (rows <= 1), "give probabilities"
    check_each(f"{thing}[{indices}, {{}}]", rows, valid, "lie in [0, 1]", remedy=remedy)
    whole, remedy = rows[..., -1], "give P(N_i subset of A), not P(N_i = A)"
    thing = f"{thing}[{indices}, {(1 << t) - 1}]"
    check_each(thing, whole, whole == 1, "be 1 (all ideals)", remedy=remedy)
    return rows


def subset_of(seen: Floats, t: int) -> Floats:
    """Return P(S subset of A) for every A (last axis) from P(S = A): the zeta transform."""
    out = seen.copy()
    for x in range(t):
        halves = out.reshape(*out.shape[:-1], 1 << (t - 1 - x), 2, 1 << x)
        halves[..., 1, :] += halves[..., 0, :]
    return out


def moebius(within_sets: Floats, t: int) -> Floats:
    """Return P(S = A) for every A (last axis) from P(S subset of A)."""
    out = within_sets.copy()
    for x in range(t):
        halves = out.reshape(*out.shape[:-1], 1 << (t - 1 - x), 2, 1 << x)
        halves[..., 1, :] -= halves[..., 0, :]
    np.maximum(out, 0, out=out)
    return out


def of_counts(
    counts: Floats, leading: Floats, unranked: int, method: str, *, costs: ListCosts | None = None
) -> PrecisionRecall:
    """Return equation (5) from P(F_i = s), i = 0 .. o, and P(F_{i-1} = s, F_i > s), i = 1 .. o."""
    law = SeenLaw.of(counts, leading, costs_of_list(costs, len(leading)))
    return from_law(law, unranked, method=method)
