"""Walks from which nobody ever stops: what they show has a probability all the same."""

import numpy as np
import pytest

from prum.analytic import PrecisionRecall, closed_form, exact_joint, walk_reach, walk_within
from prum.simulator import Browsing, Simulation, Task, Walk, simulate

# From x to a, or to where there is nothing to see; to a ring of two ideals, or one with a third.
CASES: dict[str, tuple[Task, Walk]] = {
    "nothing to see": (
        Task(["x"], ["a"], 5),
        Walk({("x", "a"): 0.5, ("x", "y"): 0.5, ("y", "z"): 1, ("z", "y"): 1}),
    ),
    "nothing but such": (
        Task(["x", "b", "y"], ["b"], 9),
        Walk({("x", "y"): 1, ("y", "x"): 1}),
    ),
    "a ring": (Task(["x"], ["a", "b"], 5), Walk({("x", "a"): 1, ("a", "b"): 1, ("b", "a"): 1})),
    "from within": (
        Task(["b", "x"], ["a", "b", "c"], 9),
        Walk({("a", "b"): 1, ("b", "m"): 1, ("m", "a"): 0.5, ("m", "b"): 0.5, ("x", "c"): 0.2}),
    ),
    "two rings": (
        Task(["x", "y"], ["a", "b", "c"], 9),
        Walk(
            {("x", "b"): 0.3, ("x", "c"): 0.5, ("a", "b"): 1, ("b", "a"): 1, ("c", "c"): 1}
            | {("y", "a"): 0.4}
        ),
    ),
}
every = pytest.mark.parametrize("name", CASES)


def _agree(run: Simulation, exact: PrecisionRecall) -> None:
    for name in ("leading", "consulted"):
        off = np.abs(getattr(run, name) - getattr(exact, name))
        assert (off <= 6 * getattr(run, f"{name}_error") + 1e-12).all()


def test_reach_by_hand() -> None:
    # Rows x, a, b, c: a and b lead to each other, c to itself.
    links = [[0, 0, 0.3, 0.5], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
    assert walk_reach(links, [0, 2, 3], [1, 2, 3]).tolist() == [
        [0.3, 0.3, 0.5],
        [1, 1, 0],
        [0, 0, 1],
    ]
    nothing, a, b, both, c, *_, everything = walk_within(links, [0], [1, 2, 3])[0].tolist()
    assert [nothing, a, b, both, c, everything] == pytest.approx([0.2, 0.2, 0.2, 0.5, 0.7, 1])
    assert exact_joint(walk_within(links, [0], [1, 2]), 4).leading.tolist() == pytest.approx(
        [1, 2 - 0.3]
    )


@every
def test_exact_and_simulated_agree(name: str) -> None:
    task, walk = CASES[name]
    exact = closed_form(task, walk)
    assert exact is not None
    _agree(simulate(task, walk, num_users=8_192, seed=1), exact)


@every
def test_step_by_step_agrees(name: str) -> None:
    task, walk = CASES[name]
    browsing = Browsing(walk, satiation=[1, 0.7])
    exact = closed_form(task, browsing)
    assert exact is not None
    run = simulate(task, browsing, num_users=8_192, seed=2)
    _agree(run, exact)
