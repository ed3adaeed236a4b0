"""How precision answers to each row of a table of links: a step of a walk, or a visit.

The probability h_y(a) that a walk from a comes to y solves h_y(a) = sum_z p(a, z) h_y(z), with
h_y(y) = 1.
So, with weights w(a, y) and m_y(x) the expected number of times that walks which begin in a with
weight w(a, y) are at x before they come to y,

    d sum_a w(a, y) h_y(a) / d p(x, z) = m_y(x) h_y(z)   for x other than y, else 0.

m_y solves the transposed equations (I - P)' m_y = w(., y) with y absorbing. Walks are cut at
ideals, as in `walks`: between ideals a small chain is solved for each y, and between other elements
one system of equations for all of them, once.
"""

import numpy as np

from prum.analytic.precision.gradient import Of, slopes_of
from prum.analytic.precision.laws.walk import moves_between, watched_from_all
from prum.analytic.precision.walks import leading_to, reach_from, solve
from prum.simulator.model import Links, Navigation, Task
from prum.simulator.model.arrays import Flags, Floats
from prum.simulator.model.browsing import browsing_of

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

    Raises
    ------
    InputError
        as `reach_matrix` and `precision_gradient`, and for `Covering`, without links of elements.

    >>> from prum.simulator.model import Walk
    >>> task = Task(["x", "y"], ["y"], 2)
    >>> row_slopes(task, Walk({("x", "z"): 0.5, ("z", "y"): 0.5})).round(4).tolist()
    [0.1633, 0.1633]
    """
    way = browsing_of(navigation).base
    weights = slopes_of(task, navigation, r, of=of)
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
