"""Users who stop and browse, whatever dependence visits from one rank have on each other.

Ranks being independent, the law of the set of ideals seen is a product over ranks. What `browsed`
takes from independent visits is a sum over 2^t sets here.
"""

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.factors import beta_nodes
from prum.analytic.precision.joint import checked_within, moebius
from prum.analytic.utility.browsed import Browsed, checked_gains
from prum.analytic.utility.distributions import STATIC, check_name, parameters, static_law
from prum.analytic.utility.laws import law
from prum.simulator.model.arrays import Flags, Floats


def browsed_within(
    distribution: str,
    within: ArrayLike,
    *,
    theta: float = 0.5,
    base: float = 2.0,
    gains: ArrayLike | None = None,
) -> Browsed:
    """Return where users stop and what they have seen, for any dependence inside a context.

    As `browsed`, with P(N_k subset of A) in place of the reach: of `coupled_within`, `walk_within`,
    or your own. With w(A) = prod_{x in A} (1 - theta_x) and g(A) = sum_{x in A} g_x, ERR is

        P(K >= k) = sum_A P(S_{k-1} = A) w(A),  E[F_k; K > k] = sum_A P(S_k = A) w(A) g(A),

    and E[g(S_{k-1}) w(S_k)] sums P(S_{k-1} = A) g(A) w(A) E[w(N_k \\ A)], where expectations of
    w(N_k \\ A) come from `within` ideal by ideal, like a zeta transform. AP needs E[F_k^2] and
    E[F_{k-1} F_k]. Time n t 2^t, for RRR t / 2 times that.

    Parameters
    ----------
    distribution, theta, base, gains
        As in `browsed`.
    within
        P(N_k subset of A), bit x of A standing for ideal x, shape (n, 2^t), t in 1 .. 20.

    Raises
    ------
    InputError
        for a wrong shape, values outside [0, 1], a row that does not end in 1, and what `browsed`
        refuses.

    >>> one_or_the_other = [[0, 0.5, 0.5, 1]]
    >>> browsed_within("AP", one_or_the_other).law
    StoppingLaw(n = 1: P .5000, remainder .5000)
    """
    check_name(distribution)
    rows = checked_within("within", within, (2,))
    n, t = len(rows), rows.shape[1].bit_length() - 1
    worth = checked_gains(gains, t, at_most_one=distribution in ("ERR", "RRR"))
    settings = parameters("RBP", theta, base)
    # P(S_k = A) for k = 0 .. n.
    none_seen = np.ones((1, 1 << t))
    sets = moebius(np.cumprod(np.concatenate((none_seen, rows)), axis=0), t)
    owned = _of_sets(np.add, worth)
    has = _members(t)
    shows = 1 - rows[:, ((1 << t) - 1) ^ (1 << np.arange(t))]
    # E[g(S_k)] of one with S_{k-1} = A.
    expected = owned + (shows * worth) @ (1.0 - has)
    mean = sets @ owned
    if distribution in STATIC:
        stops = static_law(distribution, n, settings)
        gained = np.maximum(mean[1:] - mean[:-1], 0)
        behind = stops.remainder * float(mean[-1])
        return Browsed(stops, stops.mass * gained, stops.mass * mean[1:], behind)
    if distribution == "AP":
        whole = float(worth.sum()) or 1.0
        square, cross = sets @ owned**2, (sets[:-1] * owned * expected).sum(axis=1)
        return Browsed(
            law(np.maximum(mean[1:] - mean[:-1], 0) / whole, max(1 - float(mean[-1]) / whole, 0)),
            np.maximum(square[1:] - 2 * cross + square[:-1], 0) / whole,
            np.maximum(square[1:] - cross, 0) / whole,
            max(float(mean[-1] - square[-1] / whole), 0.0),
        )
    nodes, weights = np.array([settings.theta]), np.ones(1)
    if distribution == "RRR":
        nodes, weights = beta_nodes(1, 1, t // 2 + 1)
    mass, found, total = np.zeros((3, n))
    remainder = beyond = 0.0
    for node, weight in zip(nodes, weights, strict=True):
        stays = 1 - node * worth
        going = sets * _of_sets(np.multiply, stays)
        reaching, having = going.sum(axis=1), going @ owned
        # F_k and F_{k-1} of those who come to rank k, and of those who go on from it.
        coming = (going[:-1] * expected).sum(axis=1), having[:-1]
        leaving = having[1:], (going[:-1] * owned * _new_leaves(rows, stays)).sum(axis=1)
        mass += weight * (reaching[:-1] - reaching[1:])
        total += weight * (coming[0] - leaving[0])
        found += weight * ((coming[0] - coming[1]) - (leaving[0] - leaving[1]))
        remainder += weight * float(reaching[-1])
        beyond += weight * float(having[-1])
    stops = law(np.maximum(mass, 0), remainder)
    return Browsed(stops, np.maximum(found, 0), np.maximum(total, 0), beyond)


def _of_sets(combine: np.ufunc, values: Floats) -> Floats:
    """Return the sum or product of the values in each set, shape (2^t,)."""
    out = np.full(1, float(combine.identity))
    for value in values:
        out = np.concatenate((out, combine(out, value)))
    return out


def _members(t: int) -> Flags:
    """Return which ideals are in each set, shape (t, 2^t)."""
    bits: Flags = (np.arange(1 << t) >> np.arange(t)[:, np.newaxis] & 1).astype(np.bool_)
    return bits


def _new_leaves(rows: Floats, stays: Floats) -> Floats:
    """Return E[prod of stays_x over x in N_k but not in A], shape (n, 2^t)."""
    out = rows.copy()
    for x, stay in enumerate(stays):
        halves = out.reshape(len(out), -1, 2, 1 << x)
        halves[:, :, 0] = stay * halves[:, :, 1] + (1 - stay) * halves[:, :, 0]
    return out
