"""Generalised recall: the share of the ideals that users have seen after each rank."""

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.reach import MatrixLike, checked_reach
from prum.analytic.precision.seen import changes
from prum.analytic.ranked.ranks import checked_values
from prum.simulator.model.arrays import Floats


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

    Raises
    ------
    InputError
        for a reach outside [0, 1], a negative value, or values that are all 0.

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
