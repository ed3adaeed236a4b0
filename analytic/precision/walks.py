"""Absorbing walks on a link graph: where one path leads, by linear equations, and back again.

A walk is watched only when it stands on an ideal. H[i, y] is the probability that the first ideal
on the way from element i is y, the solution of (I - B) H = R with B the moves between other
elements and R those to ideals. From ideal to ideal the watched walk is a small chain
K = P[ideals, others] H + P[ideals, ideals]; everything else follows from H and K.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.precision.of_task import reach_matrix
from prum.analytic.precision.reach import MatrixLike, check_memory
from prum.simulator.model import Browsing, InputError, Navigation, Task, Walk
from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import check_each, real_array
from prum.simulator.model.tables import Links

if TYPE_CHECKING:
    from scipy import sparse

SUM_TOLERANCE = 1e-9
# Up to this many elements a dense solve is fast.
_DENSE = 600
_MOST_SWEEPS = 20_000
_CONVERGED = 1e-15
# Rounds of conjugate gradients before them.
_MOST_ROUNDS = 100
_SUBSETS_AT_ONCE = 1 << 14


def walk_reach(links: MatrixLike, entries: ArrayLike, ideals: ArrayLike) -> Floats:
    """Return P(entry -> ideal) for a user who walks: the path from the entry visits the ideal.

    From element i they move to j with probability links[i, j] and stop with 1 - sum_j
    links[i, j]. The result is the probability that the one path visits the ideal before it
    stops; an entry that is the ideal itself has 1. Paths may also go on for ever.

    Parameters
    ----------
    links
        Moves, shape (n, n), sparse or dense; rows sum to at most 1.
    entries, ideals
        Row numbers, shapes (e,) and (t,); ideals distinct.

    Returns
    -------
    array of shape (e, t)

    Raises InputError for probabilities outside [0, 1], rows over 1, numbers outside 0 .. n - 1, or
    repeated ideals.

    >>> links = [[0, 0.5, 0.3], [0, 0, 0.8], [0, 0.12, 0]]        # Fig. 2
    >>> walk_reach(links, [0], [1, 2]).round(3).tolist()
    [[0.536, 0.7]]
    """
    return reach_from(*watched(links, entries, ideals))


def reach_from(first: Floats, between: Floats) -> Floats:
    """Return P(entry -> ideal) from H at the entries, shape (e, t), and K, shape (t, t)."""
    t = between.shape[0]
    reach = np.empty_like(first)
    for x in range(t):
        # Ideals from which a walk comes to x at all: from others it may go round for ever.
        leading = leading_to(between > 0, x)
        others = np.flatnonzero(leading)
        inner = np.eye(len(others)) - between[np.ix_(others, others)]
        onward = np.linalg.solve(inner, between[others, x])
        reach[:, x] = first[:, x] + first[:, others] @ onward
    return np.clip(reach, 0, 1)


def walk_within(links: MatrixLike, entries: ArrayLike, ideals: ArrayLike) -> Floats:
    """Return P(N_entry subset of A) for every set A of ideals: input of `exact_joint`.

    N_entry is the set of ideals on the one path from the entry; bit x of A stands for ideals[x].
    P(N subset of A) is the probability of stopping before any ideal outside A is visited.

    Parameters, Raises
        as `walk_reach`; and InputError when the result, e 2^t numbers, would exceed 4 GiB.

    Returns
    -------
    array of shape (e, 2^t)

    >>> links = [[0, 0.5, 0.3], [0, 0, 0.8], [0, 0.12, 0]]        # Fig. 2: both with .436
    >>> nothing, y, z, both = walk_within(links, [0], [1, 2])[0]
    >>> round(float(1 - y - z + nothing), 3)
    0.436
    """
    needed = 8 * max(np.size(entries), 1) * 2 ** np.size(ideals)
    remedy = "name fewer ideals or entries, or simulate"
    check_memory("walk_within", needed, "8 e 2^t", remedy=remedy)
    return within_from(*watched(links, entries, ideals))


def within_from(first: Floats, between: Floats) -> Floats:
    """Return P(N_entry subset of A) from H at the entries, shape (e, t), and K, shape (t, t)."""
    t = between.shape[0]
    within = np.empty((first.shape[0], 1 << t))
    bits = np.arange(t)
    endless = _endless(between)
    for begin in range(0, 1 << t, _SUBSETS_AT_ONCE):
        subsets = np.arange(begin, min(begin + _SUBSETS_AT_ONCE, 1 << t))
        allowed = ((subsets[:, None] >> bits) & 1).astype(np.float64)
        # From ideals among which a walk goes round for ever, it leaves no set that holds them all.
        moving = allowed.copy()
        for members in endless:
            moving[:, members] *= ~allowed[:, members].all(axis=1, keepdims=True)
        chains = np.eye(t) - moving[:, :, None] * between * allowed[:, None, :]
        leaving = allowed * ((1 - allowed) @ between.T)
        leaves = np.linalg.solve(chains, leaving[:, :, None])[:, :, 0]
        within[:, subsets] = 1 - first @ (leaves * allowed + (1 - allowed)).T
    within[:, -1] = 1
    return np.clip(within, 0, 1)


def leading_to(moves: Flags, x: int) -> Flags:
    """Return from which other ideals some path of moves leads to ideal x."""
    leading = moves[:, x].copy()
    for _ in moves:
        leading |= (moves & leading).any(axis=1)
    leading[x] = False
    return leading


def _endless(between: Floats) -> list[Ints]:
    """Return sets of ideals among which a walk goes round for ever, and sees no others."""
    t = between.shape[0]
    reaching = (between > 0) | np.eye(t, dtype=np.bool_)
    for _ in range(t.bit_length()):
        reaching = (reaching.astype(np.int64) @ reaching.astype(np.int64)) > 0
    mutual = reaching & reaching.T
    staying = (between * mutual).sum(axis=1) >= 1 - SUM_TOLERANCE
    sets = {tuple(np.flatnonzero(row).tolist()) for row in mutual}
    return [np.array(members) for members in sorted(sets) if staying[list(members)].all()]


def watched(links: MatrixLike, entries: ArrayLike, ideals: ArrayLike) -> tuple[Floats, Floats]:
    """Return H at the entries, shape (e, t), and K, shape (t, t), of the watched walk.

    Parameters, Raises
        as `walk_reach`.
    """
    moves = _checked_moves(links)
    n = moves.shape[0]
    entry_rows = _checked_rows("entries", entries, n)
    ideal_rows = _checked_rows("ideals", ideals, n)
    values, counts = np.unique(ideal_rows, return_counts=True)
    if np.any(counts > 1):
        repeated = int(values[counts > 1][0])
        raise InputError("ideals", repeated, "be distinct", remedy="name each row once")
    t = len(ideal_rows)
    ideal_of = np.full(n, -1)
    ideal_of[ideal_rows] = np.arange(t)
    starts = np.unique(np.concatenate((entry_rows, ideal_rows)))
    used = _reachable(moves, starts) & _reachable(moves.T.tocsr(), ideal_rows)
    others = np.flatnonzero(used & (ideal_of < 0))
    first = np.zeros((n, t))
    if others.size:
        inner = moves[others]
        first[others] = solve(inner[:, others], inner[:, ideal_rows].toarray()).clip(min=0)
    to_ideals = moves[ideal_rows]
    between = to_ideals @ first + to_ideals[:, ideal_rows].toarray()
    first[ideal_rows] = np.eye(t)
    return first[entry_rows], between


def _checked_moves(links: MatrixLike) -> "sparse.csr_array":
    from scipy import sparse

    remedy = "give moves between elements"
    if not sparse.issparse(links):
        links = real_array("links", links, remedy=remedy)
    table: sparse.csr_array = sparse.csr_array(cast("Any", links))
    numbers = real_array("links", table.data, remedy=remedy)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise InputError("links", table.shape, "have shape (n, n)", remedy=remedy)
    moves = sparse.csr_array((numbers, table.indices, table.indptr), shape=table.shape, copy=True)
    moves.sum_duplicates()
    bad = np.flatnonzero(~((moves.data >= 0) & (moves.data <= 1)))
    if bad.size:
        row = int(np.searchsorted(moves.indptr, bad[0], side="right")) - 1
        thing, value = f"links[{row}, {moves.indices[bad[0]]}]", float(moves.data[bad[0]])
        raise InputError(thing, value, "lie in [0, 1]", remedy="give probabilities")
    moves.eliminate_zeros()
    sums: Floats = np.asarray(moves.sum(axis=1)).ravel()
    valid = sums <= 1 + SUM_TOLERANCE
    check_each("sum of row {} of links", sums, valid, "be at most 1", remedy="rescale the row")
    return moves


def _checked_rows(thing: str, rows: ArrayLike, n: int) -> Ints:
    numbers = np.asarray(rows)
    if numbers.size == 0:
        numbers = numbers.astype(np.int64)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        remedy = "give whole numbers from 0"
        raise InputError(thing, rows, "be row numbers, shape (e,)", remedy=remedy)
    outside = numbers[(numbers < 0) | (numbers >= n)]
    if outside.size:
        rule = f"lie in 0 .. {n - 1}"
        raise InputError(thing, int(outside[0]), rule, remedy="name rows of links")
    return numbers.astype(np.int64)


def _reachable(moves: "sparse.csr_array", starts: Ints) -> Flags:
    """Return which elements some path of moves leads to from `starts`, themselves included."""
    reached = np.zeros(moves.shape[0], dtype=np.bool_)
    frontier = np.asarray(starts)
    while frontier.size:
        reached[frontier] = True
        onward = np.unique(moves[frontier].indices).astype(np.int64)
        frontier = onward[~reached[onward]]
    return reached


def solve(inner: "sparse.csr_array", right: Floats, within: float = _CONVERGED) -> Floats:
    """Solve (I - B) H = R: dense if small, else by Gauss-Seidel sweeps, else by a sparse LU.

    B is that of a walk that ends, or its transpose. Sweeps begin where conjugate gradients come to,
    and go up and down. What is missing is at most the last change times the expected number of
    moves, which is solved for beside H; it is to be `within` a share of the largest of R.
    """

    from scipy import sparse

    n = inner.shape[0]
    if n <= _DENSE:
        dense: Floats = np.linalg.solve(np.eye(n) - inner.toarray(), right)
        return dense
    from prum.analytic.precision.kernels import sweep

    rights = np.column_stack([right, np.ones(n)])
    solution = np.ascontiguousarray(_nearly_solved(inner, rights, within))
    rights, starts = np.ascontiguousarray(rights), inner.indptr.astype(np.int64)
    columns = inner.indices.astype(np.int32)
    most = within * max(1.0, np.abs(right).max(initial=0))
    for number in range(_MOST_SWEEPS):
        change = sweep(starts, columns, inner.data, rights, solution, bool(number % 2))
        if change * solution[:, -1].max() <= most:
            return np.ascontiguousarray(solution[:, :-1])
    # Walks of tens of thousands of moves.
    from scipy.sparse import linalg

    system = (sparse.eye_array(n, format="csr") - inner).tocsc()
    lasting: Floats = linalg.splu(system).solve(right)
    return lasting


def _nearly_solved(inner: "sparse.csr_array", right: Floats, within: float) -> Floats:
    """Return about what solves (I - B) H = R, by stabilised biconjugate gradients, or zeros.

    Each column on its own (van der Vorst 1992). Where links mix well a handful of rounds do, though
    walks are long; sweeps take as many as walks have moves.
    """
    solution, left = np.zeros_like(right), right.copy()
    shadow, way, image = right.copy(), np.zeros_like(right), np.zeros_like(right)
    before = step = scale = np.ones(right.shape[1])
    near = within * np.sqrt(_products(right, right))
    for _ in range(_MOST_ROUNDS):
        if (np.sqrt(_products(left, left)) <= near).all():
            break
        now = _products(shadow, left)
        way = left + _ratio(now * step, before * scale) * (way - scale * image)
        image = way - inner @ way
        step = _ratio(now, _products(shadow, image))
        half = left - step * image
        turned = half - inner @ half
        scale = _ratio(_products(turned, half), _products(turned, turned))
        solution += step * way + scale * half
        left, before = half - scale * turned, now
    missing = right - solution + inner @ solution
    solution[:, ~(_products(missing, missing) <= _products(right, right))] = 0
    return solution


def _products(first: Floats, second: Floats) -> Floats:
    """Return the product of each column with its like."""
    return np.asarray(np.einsum("ij,ij->j", first, second))


def _ratio(number: Floats, by: Floats) -> Floats:
    """Return a ratio, 0 where a column has come to its end."""
    with np.errstate(over="ignore"):
        return np.divide(number, by, out=np.zeros_like(number), where=np.abs(by) > 1e-280)


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
