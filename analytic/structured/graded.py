"""PRUM for a graded scale: users who differ in how good an element must be to be ideal for them."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.independent import exact
from prum.analytic.precision.published import prum
from prum.analytic.precision.reach import MatrixLike, checked_reach
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.ranked.ranks import checked_values
from prum.simulator.model import InputError

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

    Raises
    ------
    InputError
        for a reach outside [0, 1], values that are negative or all 0, u too small for the elements
        of positive value that may be unseen, or an unknown `estimate`.

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
        wanted = (r * users.num_ideals + t - 1) // t
        weight = (value - last) / v.max()
        leading += weight * users.leading[wanted - 1]
        consulted += weight * users.consulted[wanted - 1]
        last = value
    method = "graded PRUM" if estimate == "prum" else "graded exact"
    return PrecisionRecall(leading, consulted, method=method)
