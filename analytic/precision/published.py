"""PRUM as published: equations (1) to (8) of Piwowarski, Gallinari and Dupret 2007."""

from typing import Literal, get_args

import numpy as np

from prum.analytic.precision.independent import from_changes, from_law
from prum.analytic.precision.reach import MatrixLike, checked_reach, checked_unranked
from prum.analytic.precision.result import PrecisionRecall
from prum.analytic.precision.seen import Changes, SeenLaw, changes, poisson_binomial
from prum.simulator.model import InputError, ListCosts
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import costs_of_list

CountLaw = Literal["poisson-binomial", "normal"]

# "In our implementation when N > 10, we used the normal approximation" (below equation 7).
NORMAL_ABOVE = 10


def prum(
    reach: MatrixLike,
    unranked: int,
    *,
    counts: CountLaw = "poisson-binomial",
    costs: ListCosts | None = None,
) -> PrecisionRecall:
    """Return precision recall with user modelling, under Hypotheses 2.1, 2.2 and 2.3.

    precision(r) = (a + b) / (c + d), equation (5), with
    P(F_i > s given F_{i-1} = s) = 1 - prod_x (1 - P(x first seen at i given F_{i-1} = s)),
    equation (8), a noisy-or over the ideals. It never exceeds the exact value (`exact`) and
    equals it at r = 1; E[C(r)] does not use Hypothesis 2.3 and is exact.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), dense or scipy.sparse, as for `exact`.
    unranked
        u, the number of unranked elements.
    counts
        How P(F_i = s) is computed: "poisson-binomial", equation (7), or "normal", the normal law
        of appendix A.1 wherever more than 10 ideals are uncertain (as the authors' own program
        did), with the sums over ideals where the appendix prints averages.
    costs
        What each rank costs, as for `exact`; at r = 1 both are equal still.

    Raises InputError for a reach outside [0, 1], u too small, an unknown `counts`, costs of another
    list.

    >>> reach = [[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]]   # Table III
    >>> prum(reach, 0)
    PrecisionRecall(PRUM, t = 2: precision .6914 .6356)
    """
    if counts not in get_args(CountLaw):
        rule = f"be one of {get_args(CountLaw)}"
        raise InputError("counts", counts, rule, remedy="leave it out for the exact law")
    if counts == "normal":
        return _normal(reach, unranked, costs, noisy_or=True, method="PRUM with normal counts")
    change = changes(checked_reach(reach))
    return from_changes(change, unranked, costs=costs, noisy_or=True, method="PRUM")


def normal_counts(
    reach: MatrixLike, unranked: int, *, costs: ListCosts | None = None
) -> PrecisionRecall:
    """Return precision under Hypotheses 2.1 and 2.2 with normal counts, without Hypothesis 2.3.

    What `exact` computes, but for the law of a number of ideals, which is normal wherever more
    than 10 are uncertain: that of P(F_i = s), and that of P(F_{i-1} = s and F_i = s), which is
    prod_x (P(x in S_{i-1}) + P(x not in S_i)) times a Poisson-binomial law. Together with
    `prum`, whose two ways of counting it complements, it tells the cost of the normal law from
    that of Hypothesis 2.3.

    Raises InputError as `exact`.

    >>> normal_counts([[0.4, 0.4], [0.6, 0.4], [1, 0], [0, 1]], 0)       # few ideals: as `exact`
    PrecisionRecall(normal counts, t = 2: precision .6914 .6462)
    """
    return _normal(reach, unranked, costs, noisy_or=False, method="normal counts")


def _normal(
    reach: MatrixLike, unranked: int, costs: ListCosts | None, *, noisy_or: bool, method: str
) -> PrecisionRecall:
    change = changes(checked_reach(reach))
    u = checked_unranked(unranked, int(np.count_nonzero(change.unseen)))
    law = _normal_law(change, costs_of_list(costs, change.num_ranked), noisy_or=noisy_or)
    return from_law(law, u, method=method)


def _normal_law(change: Changes, costs: ListCosts, *, noisy_or: bool) -> SeenLaw:
    """Sum the law of F_i over the list with normal counts (appendix A.1)."""
    from prum.analytic.precision import kernels

    t = change.num_ideals
    costs_between = np.diff(costs.before()[change.edges])
    each = costs.ranked[change.ranks]
    consulted, leading = np.zeros(t + 1), np.zeros(t + 1)
    seen = np.zeros(t)
    for event in range(len(change.ranks)):
        rows = slice(change.starts[event], change.starts[event + 1])
        law = _counts(seen)
        consulted += costs_between[event] * law
        if noisy_or:
            nothing_new = np.ones(t + 1)
            kernels.nothing_new(
                seen, law, change.ideals[rows], change.first[rows], NORMAL_ABOVE, nothing_new
            )
            stay = law * nothing_new
        else:
            unseen = 1 - seen
            unseen[change.ideals[rows]] = change.unseen_after[rows]
            either = seen + unseen
            before = np.divide(seen, either, out=np.zeros(t), where=either > 0)
            stay = np.minimum(either.prod() * _counts(before), law)
        leading += each[event] * (law - stay)
        seen[change.ideals[rows]] = change.seen_after[rows]
    last = _counts(seen)
    consulted += costs_between[-1] * last
    # A normal count has mass outside 0 .. t, so C(r) has no law of its own.
    return SeenLaw(costs, consulted, leading, last, np.empty(0), np.empty((3, 0)))


def _counts(seen: Floats) -> Floats:
    """Return the law of F, normal if more than 10 ideals are neither certain nor impossible."""
    uncertain = seen[(seen > 0) & (seen < 1)]
    certain = int(np.count_nonzero(seen == 1))
    method: Literal["normal", "exact"] = "normal" if len(uncertain) > NORMAL_ABOVE else "exact"
    law = np.zeros(len(seen) + 1)
    law[certain : certain + len(uncertain) + 1] = poisson_binomial(uncertain, method=method)
    return law
