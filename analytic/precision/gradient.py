"""How precision answers to each P(l_i -> x), and to each row of a table of links.

With v_ix = P(x not in S_i), the law of F_i is that of prod_x (v_ix + (1 - v_ix) z). Its derivative
in v_ix is (1 - z) times the product over all ideals but x, so that P(F_i < r) has the derivative
P(F_i = r - 1 without x): a probability again. All of these come from the law of F_i by dividing
the factor of x out, from the end at which that is stable.

A row of a table is a visit or a step of a walk. The probability h_y(a) that a walk from a comes to
y solves h_y(a) = sum_z p(a, z) h_y(z), with h_y(y) = 1. So, with weights w(a, y) and m_y(x) the
expected number of times that walks which begin in a with weight w(a, y) are at x before they come
to y,

    d sum_a w(a, y) h_y(a) / d p(x, z) = m_y(x) h_y(z)   for x other than y, else 0.

m_y solves the transposed equations (I - P)' m_y = w(., y) with y absorbing. Walks are cut at
ideals, as in `walks`: between ideals a small chain is solved for each y, and between other elements
one system of equations for all of them, once.
"""

from typing import Literal, get_args

import numpy as np

from prum.analytic.precision.coupled import no_links
from prum.analytic.precision.independent import exact
from prum.analytic.precision.laws.walk import moves_between, watched_from_all
from prum.analytic.precision.of_task import reach_factors, reach_matrix
from prum.analytic.precision.published import prum
from prum.analytic.precision.reach import MatrixLike, check_memory, checked_reach, checked_recall
from prum.analytic.precision.walks import leading_to, reach_from, solve
from prum.simulator.model import Links, Navigation, Task
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.model.browsing import browsing_of
from prum.simulator.model.errors import InputError

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
        One recall value; left out, the derivative is that of the mean of precision(r) over
        r = 1 .. t, at the cost of one.
    of
        "exact", or "prum": of what `prum` returns, by Hypothesis 2.3. That has corners at entries
        of 0 and 1, where nobody has seen s ideals before some rank: these s are left out there.

    Returns
    -------
    array of shape (o, t)
        dense. Time O(o t^2), some tenths of a second for o = 1,000 and t = 200.

    Raises InputError as `exact`, for r outside 1 .. t, a value that is none of these, and a result
    over 4 GiB.

    >>> precision_gradient([[0.5], [1.0]], 0, 1).round(4).tolist()       # 1 / (2 - p) at p = .5
    [[0.4444], [0.1111]]
    """
    from prum.analytic.precision import kernels

    if of not in get_args(Of):
        raise InputError("of", of, f"be one of {', '.join(get_args(Of))}", remedy="choose one")
    entries = checked_reach(reach)
    o, t = entries.num_ranked, entries.num_ideals
    shares = np.full(t, 1 / t) if r is None else np.eye(t)[checked_recall(r, t) - 1]
    value = (exact if of == "exact" else prum)(reach, unranked)
    check_memory("gradient", 32 * (o + 1) * t, "32 (o + 1) t", remedy="take a shorter list")
    rates = shares / value.consulted
    falls = rates * value.precision
    above = np.append(np.cumsum(rates[::-1])[::-1], [0, 0])
    # g_r(s) - g_r(s + 1), g_r(s) the draws after the list: s = 0 .. t - 1 in rows, r in columns.
    s, recalls = np.arange(t)[:, None], np.arange(1, t + 1)
    saved = (unranked + 1) * ((t - recalls + 1) / ((t - s + 1.0) * (t - s)))
    at_end = above[:t] - np.where(s < recalls, saved, 0.0) @ falls
    weights = np.stack([rates - falls, at_end, above[:t], above[1 : t + 1]])
    slopes = np.zeros((o + 1, t))
    if of == "prum":
        kernels.add_leading(entries.dense(), above[:t].copy(), slopes)
        # What leads to something new in the list was that; the rest is as in the exact value.
        weights[0] -= rates
        weights[2:] = 0
    kernels.weighted_gradient(entries.dense(), weights, slopes)
    return slopes[1:]


# Beside the largest weight; slopes serve as first-order answers.
_WITHIN = 1e-8


def row_slopes(
    task: Task, navigation: Navigation, r: int | None = None, *, of: Of = "prum"
) -> Floats:
    """Return the derivative of precision in the probability of each row of the links.

    Of a walk that is p(x, z) of a step, by which the paths from all ranks change that come to x;
    else P(x -> y) of a visit, which matters where x is ranked and y ideal. Other rows stay as they
    are, and users who do not take the step stop instead on a walk. Rows of probability 0 have
    0: nobody takes them.

    Parameters
    ----------
    task, navigation
        What users face, and how they browse. Dials as `reach_matrix` takes them.
    r
        Of precision(r); left out, of the mean over r = 1 .. t.
    of
        "prum", what `prum_of` returns; or "exact", what `independent_of` does, which is the exact
        value if visits are independent.

    Returns
    -------
    array of shape (rows,)
        for each row of `navigation.links`.

    Raises InputError as `reach_matrix` and `precision_gradient`, and for `Covering`, without links
    of elements.

    >>> from prum.simulator.model import Walk
    >>> task = Task(["x", "y"], ["y"], 2)
    >>> row_slopes(task, Walk({("x", "z"): 0.5, ("z", "y"): 0.5})).round(4).tolist()
    [0.1633, 0.1633]
    """
    way = browsing_of(navigation).base
    weights = precision_gradient(reach_matrix(task, navigation), task.num_unranked, r, of=of)
    weights *= reach_factors(task, navigation)[:, np.newaxis]
    weights[no_links(task)] = 0
    column = {ideal: k for k, ideal in enumerate(task.ideals)}
    links = way.links
    start = np.zeros((len(links.elements), task.num_ideals))
    for rank, element in enumerate(task.ranking):
        if element in links.code:
            start[links.code[element]] += weights[rank]
    if way.is_walk:
        return _step_slopes(links, task.ideals, start)
    slopes = np.zeros(len(links))
    columns = np.array([column.get(element, -1) for element in links.elements], dtype=np.int64)
    there = (columns[links.targets] >= 0) & (links.probabilities > 0)
    slopes[there] = start[links.sources[there], columns[links.targets[there]]]
    return slopes


def _step_slopes(links: Links, ideals: tuple[str, ...], start: Floats) -> Floats:
    """Return the derivatives of sum over a and y of start[a, y] h_y(a) in each step."""
    moves, rows = moves_between(links, ideals)
    first, between = watched_from_all(links, ideals)
    begun = np.zeros_like(first)
    begun[: len(start)] = start
    at_ideals = _visits_of_ideals(between, first.T @ begun)
    leading: Flags = np.asarray(first.any(axis=1))
    leading[rows] = False
    others = np.flatnonzero(leading)
    times = np.zeros_like(first)
    if others.size:
        inner = moves[others][:, others].T.tocsr()
        right = (begun + moves[rows].T @ at_ideals)[others]
        times[others] = solve(inner, right, _WITHIN)
    times[rows] = at_ideals
    comes = reach_from(first, between)
    slopes: Floats = (times[links.sources] * comes[links.targets]).sum(axis=1)
    slopes[links.probabilities == 0] = 0
    return slopes


def _visits_of_ideals(between: Floats, arriving: Floats) -> Floats:
    """Return how often walks are at each ideal before they come to ideal y, column y.

    `arriving` has in column y the weights with which they come to each ideal first.
    """
    visits = np.zeros_like(arriving)
    for y in range(len(between)):
        others = np.flatnonzero(leading_to(between > 0, y))
        inner = np.eye(len(others)) - between[np.ix_(others, others)].T
        visits[others, y] = np.linalg.solve(inner, arriving[others, y])
    return visits
