"""How precision answers to each P(l_i -> x): its gradient, backwards through the law of F_i.

With v_ix = P(x not in S_i), the law of F_i is that of prod_x (v_ix + (1 - v_ix) z). Its derivative
in v_ix is (1 - z) times the product over all ideals but x, so that P(F_i < r) has the derivative
P(F_i = r - 1 without x): a probability again. All of these come from the law of F_i by dividing
the factor of x out, from the end at which that is stable. `link_gradient` says which link of a task
to improve first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from prum.analytic.precision.contexts import no_links
from prum.analytic.precision.independent import exact
from prum.analytic.precision.of_task import reach_factors, reach_matrix
from prum.analytic.precision.published import prum
from prum.analytic.precision.reach import MatrixLike, check_memory, checked_reach, checked_recall
from prum.simulator.model import Navigation, Task
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import InputError, whole_number

EXACT = "exact"
AS_INDEPENDENT = "independent visits with the same P(x -> y)"
Of = Literal["exact", "prum"]


def precision_gradient(
    reach: MatrixLike, unranked: int, r: int | None = None, *, of: Of = "exact"
) -> Floats:
    """Return d precision(r) / d reach[i, x] under Hypotheses 2.1 and 2.2, for every entry.

    precision(r) = E[CL(r)] / E[C(r)] is what `exact` returns, a ratio of polynomials in the
    entries. Zeros and ones have a derivative too: what the first chance of a link would bring, or
    the first doubt. An entry after a certain one of its ideal has 0. The derivatives in
    v_ix = P(x not in S_i) are probabilities, or differences of few; the chain
    d v_kx / d reach[i, x] = -prod_{j <= k, j != i} (1 - reach[j, x]) is followed from the last
    rank up.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), dense or sparse.
    unranked
        u, the number of unranked elements.
    r
        One recall value; left out, all.
    of
        "exact", or "prum": of what `prum` returns, by Hypothesis 2.3. That has corners at entries
        of 0 and 1, where nobody has seen s ideals before some rank: these s are left out there.

    Returns
    -------
    array of shape (t, o, t), index 0 for r = 1; or (o, t) for one r
        dense. Time O(o t^2), whatever is sparse; for all r together, O(o t) more for each, of
        PRUM as much again for each.

    Raises
    ------
    InputError
        as `exact`, for r outside 1 .. t, a value that is none of these, and a result over 4 GiB.

    >>> precision_gradient([[0.5], [1.0]], 0)[0].round(4).tolist()       # 1 / (2 - p) at p = .5
    [[0.4444], [0.1111]]
    """
    entries = checked_reach(reach)
    o, t = entries.num_ranked, entries.num_ideals
    if r is not None:
        return _weighted(reach, unranked, np.eye(t)[checked_recall(r, t) - 1], of)
    needed = 8 * t * (o + 1) * t
    check_memory("precision_gradient", needed, "8 (o + 1) t for each r", remedy="give one r")
    if of != "exact":
        return np.array([_weighted(reach, unranked, share, of) for share in np.eye(t)])
    from prum.analytic.precision import kernels

    value = exact(reach, unranked)
    p = entries.dense()
    slopes = np.zeros((t, o + 1, t))
    rates, wanted = _draws_saved(t, unranked), np.arange(1, t + 1)
    kernels.gradient(p, wanted, rates, value.precision, slopes)
    gradient: Floats = slopes[:, 1:] / value.consulted[:, None, None]
    return gradient


def average_gradient(reach: MatrixLike, unranked: int, *, of: Of = "exact") -> Floats:
    """Return the derivative of the mean of precision(r) over r = 1 .. t in every entry of `reach`.

    The mean of `precision_gradient` over its first axis, at the cost of a single r: of each law
    without an ideal only sums weighted over all r are kept.

    Returns
    -------
    array of shape (o, t)
        Time O(o t^2), some tenths of a second for o = 1,000 and t = 200.

    Raises
    ------
    InputError
        as `precision_gradient`.

    >>> average_gradient([[0.5], [1.0]], 0).round(4).tolist()
    [[0.4444], [0.1111]]
    """
    t = checked_reach(reach).num_ideals
    return _weighted(reach, unranked, np.full(t, 1 / t), of)


def _weighted(reach: MatrixLike, unranked: int, shares: Floats, of: Of) -> Floats:
    """Return the derivatives of sum_r shares[r - 1] precision(r)."""
    from prum.analytic.precision import kernels

    if of not in get_args(Of):
        raise InputError("of", of, f"be one of {', '.join(get_args(Of))}", remedy="choose one")
    value = (exact if of == "exact" else prum)(reach, unranked)
    entries = checked_reach(reach)
    o, t = entries.num_ranked, entries.num_ideals
    check_memory("gradient", 32 * (o + 1) * t, "32 (o + 1) t", remedy="take a shorter list")
    rates = shares / value.consulted
    falls = rates * value.precision
    above = np.append(np.cumsum(rates[::-1])[::-1], [0, 0])
    weights = np.stack(
        [
            rates - falls,
            above[:t] - _draws_saved(t, unranked) @ falls,
            above[:t],
            above[1 : t + 1],
        ]
    )
    slopes = np.zeros((o + 1, t))
    if of == "prum":
        kernels.add_leading(entries.dense(), above[:t].copy(), slopes)
        # What leads to something new in the list was that; the rest is as in the exact value.
        weights[0] -= rates
        weights[2:] = 0
    kernels.weighted_gradient(entries.dense(), weights, slopes)
    return slopes[1:]


def _draws_saved(t: int, unranked: int) -> Floats:
    """Return g_r(s) - g_r(s + 1), g_r(s) the draws after the list; row s = 0 .. t-1, column r.

    For s < r it is (u + 1) (t - r + 1) / ((t - s + 1) (t - s)), else 0.
    """
    s, r = np.arange(t)[:, None], np.arange(1, t + 1)
    saved: Floats = np.where(s < r, (unranked + 1) * ((t - r + 1) / ((t - s + 1.0) * (t - s))), 0.0)
    return saved


def slopes_of(
    task: Task, navigation: Navigation, r: int | None = None, *, of: Of = "exact"
) -> Floats:
    """Return d precision / d P(x -> y) of ranks and ideals, shape (o, t), 0 where `no_links` lead.

    P(x -> y) is that of users whose factors are 1.
    """
    reach, u = reach_matrix(task, navigation), task.num_unranked
    slopes = average_gradient(reach, u, of=of) if r is None else None
    if slopes is None:
        slopes = precision_gradient(reach, u, r, of=of)
    slopes = slopes * reach_factors(task, navigation)[:, np.newaxis]
    slopes[no_links(task)] = 0
    return slopes


class ImprovedLink(NamedTuple):
    """A link x -> y, its P(x -> y), and what precision gains per unit of it."""

    source: str
    target: str
    probability: float
    derivative: float


@dataclass(frozen=True, slots=True, eq=False)
class LinkGradient:
    """How precision answers to P(x -> y) of each ranked x and ideal y; arrays of shape (o, t).

    Row i is the ranked element x, column k is `task.ideals[k]`. Both arrays are 0 where an element
    is itself the ideal, and where it stands higher up already.

    Parameters
    ----------
    derivatives
        d precision / d P(x -> y), P(x -> y) that of users whose factors are 1.
    probabilities
        P(x -> y) as users have it in the mean.
    method
        "exact", or what was differentiated instead.
    """

    task: Task
    derivatives: Floats
    probabilities: Floats
    method: str

    def best(self, count: int = 10) -> list[ImprovedLink]:
        """Return the links in use (0 < P < 1) that precision gains most from, best first.

        Links that it gains nothing from are left out.
        """
        return self._largest(count, (self.probabilities > 0) & (self.probabilities < 1))

    def missing(self, count: int = 10) -> list[ImprovedLink]:
        """Return the pairs without a link that precision would gain most from, best first."""
        return self._largest(count, self.probabilities == 0)

    def _largest(self, count: int, chosen: Flags) -> list[ImprovedLink]:
        most = whole_number("count", count, least=1, remedy="give a number of links")
        gains = np.where(chosen & (self.derivatives > 0), self.derivatives, 0).ravel()
        # The same order everywhere where links are equal: by rank, then by ideal.
        order = np.argsort(-gains, kind="stable")[:most]
        return list(self._links(order[gains[order] > 0]))

    def _links(self, places: Ints) -> Iterator[ImprovedLink]:
        for rank, column in zip(*np.divmod(places, self.task.num_ideals), strict=True):
            yield ImprovedLink(
                self.task.ranking[rank],
                self.task.ideals[column],
                float(self.probabilities[rank, column]),
                float(self.derivatives[rank, column]),
            )


def link_gradient(task: Task, navigation: Navigation, r: int | None = None) -> LinkGradient:
    """Return how much precision gains by P(x -> y), for each ranked element and ideal.

    For independent visits, fading and documents included, this is the derivative of the exact
    value. For all else (couplings, walks, users who differ, satiation, need, browsing after the
    list) it is that of independent visits with the same P(x -> y): `method` says so. On a walk
    P(x -> y) is not the link but the probability that the path comes to y.

    Parameters
    ----------
    task, navigation
        What users face, and how they browse.
    r
        Of precision(r); left out, of the mean over r = 1 .. t.

    Raises
    ------
    InputError
        as `reach_matrix` and `precision_gradient`.

    >>> from prum.simulator.model import Independent
    >>> task = Task(["c", "d", "a", "b"], ["a", "b"], 4)
    >>> links = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    >>> gradient = link_gradient(task, Independent(links))
    >>> for x, y, p, gain in gradient.best(2):
    ...     print(f"{x} -> {y}, now {p}: {gain:.3f}")
    c -> b, now 0.4: 0.304
    c -> a, now 0.4: 0.209
    """
    derivatives = slopes_of(task, navigation, r)
    probabilities = reach_matrix(task, navigation).toarray()
    probabilities[no_links(task)] = 0
    method = EXACT if navigation.is_tossed else AS_INDEPENDENT
    return LinkGradient(task, derivatives, probabilities, method)
