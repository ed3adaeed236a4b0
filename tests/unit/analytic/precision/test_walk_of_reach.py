"""The walk that has given P(x -> y): there and back, Fig. 2, and tables that no walk has."""

import numpy as np
import pytest
from numpy.typing import NDArray

from prum.analytic import NoWalkError, closed_form, reach_matrix, walk_of, walk_reach, walk_within
from prum.simulator.model import Beta, Browsing, Coupled, Independent, InputError, Task, Walk

Floats = NDArray[np.float64]
Table = dict[tuple[str, str], float]


def _random(seed: int) -> tuple[Task, Table, Floats]:
    """Return a task, the links of a walk over ideals and other elements, and its P(x -> ideal)."""
    rng = np.random.default_rng(seed)
    n, t = int(rng.integers(3, 12)), int(rng.integers(1, 6))
    t = min(t, n - 1)
    moves = rng.random((n, n)) * (rng.random((n, n)) < 0.6)
    moves *= (rng.random((n, 1)) ** 0.3) / np.maximum(moves.sum(axis=1, keepdims=True), 1e-9)
    names = [f"e{k:02}" for k in range(n)]
    ideals = sorted(rng.choice(n, t, replace=False).tolist())
    table = {(names[i], names[j]): float(moves[i, j]) for i, j in np.ndindex(n, n) if moves[i, j]}
    ranking = [names[k] for k in rng.permutation(n)[: int(rng.integers(1, n + 1))]]
    return (
        Task(ranking, [names[k] for k in ideals], 2 * n),
        table,
        walk_reach(moves, np.arange(n), ideals),
    )


def _table(task: Task, reach: Floats) -> Table:
    """Return hitting probabilities as links, those of an element to itself left out."""
    names = [f"e{k:02}" for k in range(len(reach))]
    return {
        (name, ideal): float(p)
        for name, row in zip(names, reach, strict=True)
        for ideal, p in zip(task.ideals, row, strict=True)
        if name != ideal and p > 0
    }


@pytest.mark.parametrize("seed", range(30))
def test_there_and_back(seed: int) -> None:
    """The reach of any walk, as a table: `walk_reach` of the walk made of it gives it again."""
    task, moves, reach = _random(seed)
    table = Independent(_table(task, reach))
    walk = walk_of(task, table)
    assert isinstance(walk, Walk)
    assert reach_matrix(task, walk).toarray() == pytest.approx(
        reach_matrix(task, table).toarray(), abs=1e-9
    )
    # The other walk, through elements that are not ideals and back to itself, is worth the same.
    made, first = closed_form(task, walk), closed_form(task, Walk(moves))
    assert made is not None
    assert first is not None
    assert made.precision == pytest.approx(first.precision, rel=1e-9)
    assert made.consulted == pytest.approx(first.consulted, rel=1e-9)


def test_other_reach_is_another_walk() -> None:
    """Negative control."""
    task, _, reach = _random(3)
    changed = {pair: 0.99 * p for pair, p in _table(task, reach).items()}
    walk = walk_of(task, Independent(changed))
    before = reach_matrix(task, Independent(_table(task, reach))).toarray()
    assert reach_matrix(task, walk).toarray() != pytest.approx(before, abs=1e-4)


def test_figure_2() -> None:
    """P(x -> y) = .536 and P(x -> z) = .7, with links y -> z .8 and z -> y .12: both with .436."""
    table = {("x", "y"): 0.536, ("x", "z"): 0.7, ("y", "z"): 0.8, ("z", "y"): 0.12}
    walk = walk_of(Task(["x"], ["y", "z"], 3), Independent(table))
    assert {(x, y): round(p, 9) for x, y, p in walk.links} == {
        ("x", "y"): 0.5,
        ("x", "z"): 0.3,
        ("y", "z"): 0.8,
        ("z", "y"): 0.12,
    }
    moves = np.array([[0, 0.5, 0.3], [0, 0, 0.8], [0, 0.12, 0]])
    nothing, y, z, _ = walk_within(moves, [0], [1, 2])[0]
    assert 1 - y - z + nothing == pytest.approx(0.436)


def test_dials_and_couplings_keep_their_table() -> None:
    links = Independent({("x", "a"): 0.3, ("x", "b"): 0.2, ("a", "b"): 0.5})
    task = Task(["x", "b"], ["a", "b"], 5)
    walk = walk_of(task, links)
    assert walk_of(task, Coupled(links, "exclusive")) == walk
    assert walk_of(task, walk) is walk
    browsing = Browsing(links, Beta(1, 2), fading=0.9)
    made = walk_of(task, browsing)
    assert made == Browsing(walk, Beta(1, 2), fading=0.9)  # type: ignore[arg-type]
    assert reach_matrix(task, made).toarray() == pytest.approx(
        reach_matrix(task, browsing).toarray()
    )


def test_links_to_oneself_and_repeated_ranks_change_nothing() -> None:
    plain = {("x", "a"): 0.3, ("a", "b"): 0.5, ("x", "b"): 0.2}
    loops = {("x", "x"): 0.9, ("a", "a"): 0.4, ("b", "q"): 1.0}
    task = Task(["x", "a", "x"], ["a", "b"], 5)
    assert walk_of(task, Independent({**plain, **loops})) == walk_of(task, Independent(plain))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {("x", "a"): 0.6, ("x", "b"): 0.6},
            "sum of the probabilities of moving from 'x' is 1.2, must be at most 1; no walk has",
        ),
        (
            {("x", "a"): 0.5, ("a", "b"): 0.8, ("x", "b"): 0.25},
            "probability of moving from 'x' straight to 'b' is -0.15",
        ),
        (
            {("a", "b"): 0.5, ("b", "c"): 0.5, ("a", "c"): 0.05},
            "probability of moving from 'a' straight to 'c' is -0.2, must be at least 0",
        ),
        (
            {("a", "b"): 1.0, ("b", "a"): 1.0},
            "expected visits of ",
        ),
        (
            {("a", "b"): 0.5, ("b", "c"): 0.5, ("c", "a"): 0.5},
            "expected visits of 'a' on a walk from it is 0.88888888888888",
        ),
    ],
)
def test_no_walk(table: Table, message: str) -> None:
    with pytest.raises(NoWalkError) as caught:
        walk_of(Task(["x", "a"], ["a", "b", "c"], 9), Independent(table))
    assert isinstance(caught.value, InputError)
    assert str(caught.value).startswith(message)
