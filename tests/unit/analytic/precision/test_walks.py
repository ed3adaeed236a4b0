"""Absorbing walks: hand-worked paths, sparse solves beyond the dense ones, bad input."""

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from prum.analytic import closed_form, exact_joint, walk_reach, walk_within
from prum.simulator.model import InputError, Task, Walk
from tests.tiers import slow

Floats = NDArray[np.float64]


def _random_moves(n: int, degree: int, stop: float, seed: int) -> "sparse.csr_array":
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n), degree)
    weights = rng.random(n * degree)
    moves = sparse.coo_array((weights, (rows, rng.integers(0, n, n * degree))), shape=(n, n))
    table = moves.tocsr()
    table.sum_duplicates()
    sums: Floats = np.asarray(table.sum(axis=1)).ravel()
    return sparse.csr_array(sparse.diags_array((1 - stop) / sums) @ table)


def _naive_reach(moves: Floats, ideal: int) -> Floats:
    """Return P(path from each row ever visits the ideal): h = 1 there, elsewhere h = P h."""
    n = len(moves)
    others = np.arange(n) != ideal
    h = np.ones(n)
    inner = np.eye(n - 1) - moves[np.ix_(others, others)]
    h[others] = np.linalg.solve(inner, moves[others, ideal])
    return h


def _naive_within(moves: Floats, ideals: list[int], subset: int) -> Floats:
    """Return P(path visits no ideal outside A): it stops before, killed where it would."""
    outside = [row for x, row in enumerate(ideals) if not subset >> x & 1]
    inside = np.setdiff1d(np.arange(len(moves)), outside)
    stops = 1 - moves.sum(axis=1)
    within = np.zeros(len(moves))
    inner = np.eye(len(inside)) - moves[np.ix_(inside, inside)]
    within[inside] = np.linalg.solve(inner, stops[inside])
    return within


@pytest.mark.parametrize("stop", [0.5, 0.05, 0.001])
def test_reach_and_within_equal_whole_graph_solves(stop: float) -> None:
    """One linear system per ideal or subset over all elements, against the watched chain."""
    moves = _random_moves(60, 4, stop, seed=1)
    dense = moves.toarray()
    ideals, entries = [3, 17, 40, 41], list(range(60))
    reach = walk_reach(moves, entries, ideals)
    within = walk_within(moves, entries, ideals)
    for x, ideal in enumerate(ideals):
        assert reach[:, x] == pytest.approx(_naive_reach(dense, ideal), abs=1e-12)
    for subset in range(16):
        assert within[:, subset] == pytest.approx(_naive_within(dense, ideals, subset), abs=1e-12)


@slow
@pytest.mark.parametrize("stop", [0.15, 0.001])
def test_large_sparse_systems_equal_dense_ones(stop: float) -> None:
    """Above 600 elements the solver changes."""
    moves = _random_moves(1500, 3, stop, seed=2)
    ideals = [5, 700, 1400]
    reach = walk_reach(moves, np.arange(1500), ideals)
    dense = moves.toarray()
    for x, ideal in enumerate(ideals):
        assert reach[:, x] == pytest.approx(_naive_reach(dense, ideal), abs=1e-11)


def test_formats_of_links_are_equal() -> None:
    moves = _random_moves(30, 3, 0.2, seed=3)
    wanted = walk_reach(moves.toarray(), [0, 1], [4, 5])
    for form in (sparse.csr_array, sparse.coo_matrix, sparse.csc_array, sparse.lil_matrix):
        assert walk_reach(form(moves), [0, 1], [4, 5]).tolist() == wanted.tolist()
    assert walk_reach(moves.toarray().tolist(), [0, 1], [4, 5]).tolist() == wanted.tolist()


def test_links_are_left_alone() -> None:
    moves = sparse.csr_array(np.array([[0, 0.5], [0.25, 0.0]]))
    moves.data.setflags(write=False)
    before = moves.copy()
    walk_reach(moves, [0], [1])
    assert abs(moves - before).max() == 0


def test_within_of_many_subsets_at_once() -> None:
    """2^15 subsets pass in several pieces; with disjoint branches P(N in A) is a plain sum."""
    t = 15
    moves = np.zeros((t + 1, t + 1))
    moves[0, 1:] = np.arange(1, t + 1) / 200
    within = walk_within(moves, [0], np.arange(1, t + 1))[0]
    bits = np.arange(1 << t)[:, None] >> np.arange(t) & 1
    assert within == pytest.approx(1 - ((1 - bits) * moves[0, 1:]).sum(axis=1), abs=1e-14)


@slow
def test_too_many_ideals_for_a_joint_law() -> None:
    links = {("x", f"a{number}"): 0.01 for number in range(17)}
    task = Task(["x"], [f"a{number}" for number in range(17)], 40)
    assert closed_form(task, Walk(links)) is None
    assert closed_form(Task(["x"], [f"a{number}" for number in range(16)], 40), Walk(links))


def test_path_ends_at_probability_zero_and_one() -> None:
    """Certain links and impossible ones leave no rounding behind."""
    moves = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]]
    assert walk_reach(moves, [0, 1, 2, 3], [1, 2]).tolist() == [[1, 1], [1, 1], [0, 1], [1, 1]]
    joint = exact_joint(walk_within(moves, [0], [1, 2]), 0)
    assert joint.consulted.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("links", "entries", "ideals", "message"),
    [
        ([0.5], [0], [0], "links is (1,), must have shape (n, n); give moves between elements"),
        ([[0, 0.5]], [0], [0], "links is (1, 2), must have shape (n, n); give moves between"),
        ([[0, 1.5], [0, 0]], [0], [1], "links[0, 1] is 1.5, must lie in [0, 1]; give prob"),
        ([[0, 0], [-0.5, 0]], [0], [1], "links[1, 0] is -0.5, must lie in [0, 1]; give prob"),
        ([[0, np.nan], [0, 0]], [0], [1], "links[0, 1] is nan, must lie in [0, 1]; give prob"),
        ([[0.5, 0.75], [0, 0]], [0], [1], "sum of row 0 of links is 1.25, must be at most 1"),
        ([[0]], [1], [0], "entries is 1, must lie in 0 .. 0; name rows of links"),
        ([[0]], [0], [-1], "ideals is -1, must lie in 0 .. 0; name rows of links"),
        ([[0]], [0], [0, 0], "ideals is 0, must be distinct; name each row once"),
        ([[0]], [0.0], [0], "entries is [0.0], must be row numbers, shape (e,); give whole"),
        ([[0]], [True], [0], "entries is [True], must be row numbers, shape (e,); give whole"),
        ([[0]], 0, [0], "entries is 0, must be row numbers, shape (e,); give whole numbers"),
        ([[0]], [0], ["a"], "ideals is ['a'], must be row numbers, shape (e,); give whole"),
    ],
)
def test_bad_input(links: ArrayLike, entries: ArrayLike, ideals: ArrayLike, message: str) -> None:
    for function in (walk_reach, walk_within):
        with pytest.raises(InputError) as caught:
            function(links, entries, ideals)
        assert str(caught.value).startswith(message)
        assert len(str(caught.value).splitlines()) == 1


def test_within_too_large_for_memory() -> None:
    with pytest.raises(InputError, match="memory of walk_within is 8796093022208, must be at most"):
        walk_within(np.zeros((50, 50)), [0], np.arange(40))
