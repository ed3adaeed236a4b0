"""Users who stop at a rank and browse: Carterette's measures over what PRUM's users see.

A user goes down the list and sees, from rank k, the ideals that k itself is or leads to. D_k is
the gain of those new to the user, F_k = D_1 + .. + D_k that of all seen so far. The user stops
after rank K and has D_K (M1), F_K (M2), f(K) (M3), or f(K) F_K (M4). Users who do not stop in the
list stop behind it and find nothing new there: F_n in M2, nothing otherwise. Relevance by rank is
the special case of a list that leads to its own documents only.

With d_k(x) = P(x first seen from rank k) and s_k(x) = P(x in S_k), equation (6) of Piwowarski,
Gallinari and Dupret (2007):

- K of RBP, DCG and RR does not depend on what is seen: E[F_k] = sum_x g_x s_k(x) is all it takes,
  however visits from one rank depend on each other.
- In ERR each new ideal satisfies with probability theta_x = theta g_x, tossed on its own. Visits
  being independent (Hypothesis 2.2),

      P(K >= k, y) = prod_x (P(x not in S_k) + s_{k-1}(x) (1 - theta_x) z_x + d_k(x) y_x)

  generates what users have who still go on to rank k; of those satisfied by nothing there it is
  the same with (1 - theta_x) y_x. Expectations of D_k and F_k are its derivatives.
- In RRR theta is uniform: the same, a polynomial in theta, by a Gauss rule exact for its degree.
- In AP a user wants one ideal, x with probability g_x / sum g, and stops on seeing it; then
  E[F_k; K = k] = E[D_k F_k] / sum g, a sum over pairs of ideals.

What PRUM says is part of this family. Let K be the rank C(r) where the r-th ideal is seen: E[C(r)]
is M3 with f(k) = k, E[CL(r)] is M2 if a rank gains 1 by showing anything new, and precision(r) is
their ratio, M2 / M3, a ratio of expectations where M4 is the expectation of a ratio. AP's K is C(r)
for r uniform on 1 .. t: browsed AP is the mean over r of E[F_C / C].
"""

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.mixtures import beta_nodes
from prum.analytic.precision.reach import MatrixLike, checked_reach, unseen_after
from prum.analytic.utility.laws import STATIC, StoppingLaw, parameters, static_law
from prum.analytic.utility.measures import (
    EffortFunction,
    UtilityMeasure,
    accumulate,
    cell_of,
    efforts,
)
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, real_array


def browsed_utility(
    name: UtilityMeasure,
    reach: MatrixLike,
    *,
    theta: float = 0.5,
    base: float = 2.0,
    gains: ArrayLike | None = None,
    effort: EffortFunction | None = None,
) -> float:
    """Return a measure of Carterette (2011, table 1) for users who browse.

    The accumulation models over the ideals seen in place of the relevant documents passed; the
    formulas stand above. Without browsing, that is if each row of `reach` leads to its own document
    only, this is `utility` with R = t. Exact for ERR, AP and RRR under Hypotheses 2.1 and 2.2 of
    Piwowarski, Gallinari and Dupret (2007), for RBP, DCG and RR for any dependence inside a rank.

    Parameters
    ----------
    name
        One of `MEASURES`, or (distribution, model); the distribution may be a `StoppingLaw` of
        your own, of users who do not look at what they see.
    reach
        P(l_i -> x), shape (n, t), dense or sparse, as of `reach_matrix`.
    theta, base
        Of the distribution, as in `stopping`.
    gains
        g_x >= 0 of each ideal, shape (t,); 1 if none are given. At most 1 for ERR and RRR.
    effort
        f of M3 and M4, as in `accumulate`; 1 / k if none is given.

    Returns
    -------
    float
        At least 0 if f is; M2 at most sum g.

    Raises InputError for an unknown name, a law of another length, a reach outside [0, 1], theta
    outside (0, 1), base <= 1, gains that are negative or too large, and efforts that are not one
    finite number for each rank.

    >>> reach = [[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]]    # Table III
    >>> round(browsed_utility("AP", reach), 4), round(browsed_utility("RBTR", reach), 4)
    (0.9688, 1.205)
    """
    distribution, model = cell_of(name)
    dense = checked_reach(reach).dense()
    n, t = dense.shape
    worth, most = np.ones(t), 1.0 if distribution in ("ERR", "RRR") else np.inf
    if gains is not None:
        worth = real_array("gains", gains, remedy="give a gain for each ideal", shape=(t,))
        valid = (worth >= 0) & np.isfinite(worth) & (worth <= most)
        rule = "lie in [0, 1]" if most == 1 else "be a finite number of at least 0"
        remedy = "divide the gains by the highest"
        check_each("ideal {}: gain", worth, valid, rule, remedy=remedy)
    settings = parameters("RBP", theta, base)
    first = unseen_after(dense)[:-1] * dense
    if isinstance(distribution, StoppingLaw):
        return accumulate(model, distribution, first @ worth, effort=effort)
    if distribution in STATIC:
        law = static_law(distribution, n, *settings)
        return accumulate(model, law, first @ worth, effort=effort)
    if distribution == "AP":
        stopped = _wanting_one_ideal(first, worth)
    elif distribution == "ERR":
        stopped = _satisfied(first, worth, np.array(settings[:1]), np.ones(1))
    else:  # a Gauss rule that is exact for polynomials of degree t
        stopped = _satisfied(first, worth, *beta_nodes(1, 1, t // 2 + 1))
    values = dict(zip(("M3", "M1", "M2", "M4"), stopped, strict=True))[model]
    by_rank = efforts(effort, n) if model in ("M3", "M4") else np.ones(n)
    return float(by_rank @ values)


def _wanting_one_ideal(first: Floats, worth: Floats) -> Floats:
    """Return P(K = k), E[D_k; K = k], E[D_k; K >= k] and E[F_k; K = k] of AP, shape (4, n)."""
    whole = float(worth.sum())
    if whole == 0:
        return np.zeros((4, len(first)))
    new = first * worth
    before = new.cumsum(axis=0) - new
    gained = new.sum(axis=1)
    # E[D_k D_k] and E[D_k F_{k-1}]: an ideal goes with itself for certain, else independently.
    square = gained**2 - (new**2).sum(axis=1) + first @ worth**2
    onward = gained * before.sum(axis=1) - (new * before).sum(axis=1)
    return np.stack((gained, square, whole * gained - onward, square + onward)) / whole


def _satisfied(first: Floats, worth: Floats, thetas: Floats, weights: Floats) -> Floats:
    """Return the same of ERR, the mean over thetas.

    A product over ideals and its derivative in one pass: sum_x c_x prod_{y not x} m_y.
    """
    n, t = first.shape
    seen = first.cumsum(axis=0)
    shape = (n, len(thetas))
    # Of users satisfied by nothing before rank k, and by nothing up to rank k.
    before, after = np.ones(shape), np.ones(shape)
    new_before, new_after, all_before, all_after = np.zeros((4, *shape))
    for x in range(t):
        g, stays = worth[x], 1 - thetas * worth[x]
        d, s = first[:, x, np.newaxis], seen[:, x, np.newaxis]
        b = np.concatenate((np.zeros((1, 1)), s))[:-1]
        m_before, m_after = 1 - b * (1 - stays), 1 - s * (1 - stays)
        new_before = new_before * m_before + before * (g * d)
        all_before = all_before * m_before + before * (g * (d + b * stays))
        new_after = new_after * m_after + after * (g * d * stays)
        all_after = all_after * m_after + after * (g * s * stays)
        before *= m_before
        after *= m_after
    of_stop = (before - after, new_before - new_after, new_before, all_before - all_after)
    return np.maximum(np.stack(of_stop), 0) @ weights
