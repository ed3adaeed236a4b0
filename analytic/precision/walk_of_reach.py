"""The walk that has given P(x -> y): hitting probabilities turned back into moves."""

from dataclasses import replace

import numpy as np

from prum.analytic.precision.of_task import reach_matrix
from prum.simulator.model import Browsing, InputError, Navigation, Task, Walk
from prum.simulator.model.arrays import Floats
from prum.simulator.model.tables import Links

# What rounding makes of a move that is 0, and of a sum that is 1.
_TOLERANCE = 1e-9
_NOTHING = 1e-13
# Walks that come back to an ideal more often go on for ever, as far as rounding can tell.
_LARGEST = 1e8
_REMEDY = "no walk has these P(x -> y): take a coupling of visits instead"


class NoWalkError(InputError):
    """P(x -> y) that no walk has: says which move it would take, and its impossible value."""


def walk_of(task: Task, navigation: Navigation) -> Navigation:
    """Return the walk that has the same P(x -> y), from ranked elements and ideals to ideals.

    With H[x, y] = P(x -> y) on the ideals, 1 for x = y, and G[x, y] the expected visits of y on a
    walk from x, H = G diag(1 / G_yy) (a walk that comes to y visits it G_yy times). A walk is
    watched where it stands on an ideal, and seen moving from one to another: the moves M of
    the watched walk have M_yy = 0 and I - M = inv(G), so that

        G_yy = inv(H)_yy,    M = I - diag(1 / G_yy) inv(H),

    and from another element e the first ideal is x with mu_x, mu = H_e inv(H), H_e its P(e -> x).
    There is a walk exactly if M >= 0 and mu >= 0 with rows that sum to at most 1 (the rest stops);
    then it is this one, with M and mu as links. All walks with these P(x -> y) show the same sets
    of ideals, for these follow from M and mu; they differ in paths that return to where they
    were, and in elements on the way that are not ideals. Such elements are entries here: no
    link leads to them. A link (x, x) of the table says nothing, as for `Independent`.

    Parameters
    ----------
    task
        Its ideals and ranked elements are asked for.
    navigation
        `Independent`, `Coupled` or a `Mixture` of types without dials; a `Walk` is returned as it
        is; `Browsing` of one of them gets the same dials on the walk, which multiply the same
        P(x -> y).

    Returns
    -------
    `Walk`, or `Browsing` of it. Time O(t^3 + o t^2).

    Raises
    ------
    InputError
        for types with dials.
    NoWalkError
        (an InputError) if there is none: with the first element and ideal, of those that it fails
        for most, and by how much.

    >>> from prum.simulator.model import Independent
    >>> task = Task(["c", "a"], ["a", "b"], 3)
    >>> walk_of(task, Independent({("c", "a"): 0.5, ("c", "b"): 0.5, ("a", "b"): 0.5}))
    Walk({('a', 'b'): 0.5, ('c', 'a'): 0.5, ('c', 'b'): 0.25})
    >>> try:
    ...     walk_of(task, Independent({("c", "a"): 0.5, ("a", "b"): 0.5}))
    ... except NoWalkError as none:
    ...     print(none.thing, none.value)
    probability of moving from 'c' straight to 'b' -0.25
    """
    if isinstance(navigation, Browsing):
        return replace(navigation, navigation=walk_of(task, navigation.base))
    if navigation.is_walk:
        return navigation
    if navigation.turned:
        rule, remedy = "be of types without dials", "take the walk of one of them"
        raise InputError("mixture", navigation, rule, remedy=remedy)
    return _walk(task, navigation)


def _walk(task: Task, navigation: Navigation) -> Walk:
    ideals = task.ideals
    entries = sorted(set(task.ranking) - set(ideals))
    elements = (*ideals, *entries)
    places = Task(elements, ideals, len(elements))
    reach = reach_matrix(places, navigation).toarray()
    t = len(ideals)
    inverse, visits = _inverse(reach[:t], ideals)
    moves = np.vstack([np.eye(t) - inverse / visits[:, np.newaxis], reach[t:] @ inverse])
    moves[np.arange(t), np.arange(t)] = 0
    _check(moves, elements, ideals)
    moves[moves < _NOTHING] = 0
    sums = moves.sum(axis=1, keepdims=True)
    moves /= np.maximum(sums, 1)
    rows, columns = np.nonzero(moves)
    links = Links.from_columns(
        [elements[row] for row in rows],
        [ideals[column] for column in columns],
        moves[rows, columns],
    )
    return Walk(links)


def _inverse(hits: Floats, ideals: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Return inv(H) and its diagonal, the expected visits."""
    _, sizes, directions = np.linalg.svd(hits)
    inverse: Floats = np.full_like(hits, np.inf)
    visits: Floats = np.ones(len(ideals))
    if sizes[-1] < sizes[0] / _LARGEST:
        visits[np.argmax(np.abs(directions[-1]))] = np.inf
    else:
        inverse = np.linalg.inv(hits).astype(np.float64)
        visits = np.diag(inverse).astype(np.float64)
    for place in (int(np.argmin(visits)), int(np.argmax(visits))):
        if not 1 - _TOLERANCE <= visits[place] <= _LARGEST:
            thing = f"expected visits of {ideals[place]!r} on a walk from it"
            rule = f"lie in [1, {_LARGEST:.0e}]"
            raise NoWalkError(thing, float(visits[place]), rule, remedy=_REMEDY)
    return inverse, visits


def _check(moves: Floats, elements: tuple[str, ...], ideals: tuple[str, ...]) -> None:
    """Raise for the move, or the sum of moves, that is farthest outside of [0, 1]."""
    below, sums = -moves.min(axis=1), moves.sum(axis=1)
    row = int(np.argmax(np.maximum(below, sums - 1)))
    if below[row] > _TOLERANCE and below[row] >= sums[row] - 1:
        column = int(np.argmin(moves[row]))
        thing = f"probability of moving from {elements[row]!r} straight to {ideals[column]!r}"
        raise NoWalkError(thing, float(moves[row, column]), "be at least 0", remedy=_REMEDY)
    if sums[row] > 1 + _TOLERANCE:
        thing = f"sum of the probabilities of moving from {elements[row]!r}"
        raise NoWalkError(thing, float(sums[row]), "be at most 1", remedy=_REMEDY)
