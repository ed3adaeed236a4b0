"""Slopes of precision by rows of links: finite changes, paths one by one, what cannot matter."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from prum.analytic import (
    PrecisionRecall,
    independent_of,
    precision_gradient,
    prum,
    prum_of,
    row_slopes,
)
from prum.analytic.precision.gradient import Of
from prum.simulator.model import (
    Browsing,
    ChunkTable,
    Covering,
    Independent,
    InputError,
    Links,
    Navigation,
    Span,
    Task,
    Walk,
)
from tests.tiers import spread

Floats = NDArray[np.float64]
VALUES: dict[Of, Callable[[Task, Navigation], PrecisionRecall]] = {
    "prum": prum_of,
    "exact": independent_of,
}


def graph(rng: np.random.Generator, n: int, *, stops: bool = True) -> Links:
    """Return steps among elements, some to themselves, some elements without any."""
    rows = {}
    for x in range(n):
        targets = rng.choice(n, int(rng.integers(0, min(n, 5) + 1)), replace=False)
        if not len(targets):
            continue
        shares = rng.dirichlet(np.ones(len(targets) + stops))
        rows |= {(f"e{x}", f"e{y}"): float(p) for y, p in zip(targets, shares, strict=False)}
    return Links(rows)


def task_on(rng: np.random.Generator, n: int) -> Task:
    """Return a list with elements that stand there twice or that no link knows."""
    names = np.array([*(f"e{x}" for x in range(n)), "out"])
    ranking = rng.choice(names, int(rng.integers(1, n)))
    ideals = rng.choice(names, int(rng.integers(1, min(5, n))), replace=False)
    return Task(ranking.tolist(), ideals.tolist(), 60)


def with_probabilities(links: Links, values: Floats) -> Links:
    """Return the same rows with other probabilities."""
    ends = ([links.elements[x] for x in column] for column in (links.sources, links.targets))
    return Links.from_columns(*ends, values)


def by_changes(links: Links, value: Callable[[Links], float]) -> Floats:
    """Return one-sided differences of second order, downwards: rows may sum to 1."""
    here, slopes = value(links), np.zeros(len(links))
    for row, p in enumerate(links.probabilities):
        step = 1e-6 * max(float(p), 1e-3)
        lower = [links.probabilities.copy() for _ in range(2)]
        lower[0][row] -= step
        lower[1][row] -= 2 * step
        near, far = (value(with_probabilities(links, values)) for values in lower)
        slopes[row] = (3 * here - 4 * near + far) / (2 * step)
    return slopes


def check(task: Task, make: Callable[[Links], Navigation], links: Links, of: Of) -> None:
    for r in (None, task.num_ideals):

        def value(table: Links, r: int | None = r) -> float:
            result = VALUES[of](task, make(table))
            return result.average if r is None else float(result.precision[r - 1])

        slopes = row_slopes(task, make(links), r, of=of)
        assert slopes == pytest.approx(by_changes(links, value), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("of", ["prum", "exact"])
@pytest.mark.parametrize("seed", spread(9, range(27)))
def test_walks_answer_to_steps_as_finite_changes_say(seed: int, of: Of) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 12))
    links = graph(rng, n)
    check(task_on(rng, n), Walk, links, of)


@pytest.mark.parametrize("of", ["prum", "exact"])
@pytest.mark.parametrize("way", [Independent, Walk])
@pytest.mark.parametrize(
    "dials", [{}, {"fading": 0.7, "need": [1.0, 0.5]}, {"documents": {"x": "d", "a": "d"}}]
)
def test_visits_and_dials(dials: dict[str, object], way: type[Independent | Walk], of: Of) -> None:
    """Links of ideals to themselves, and of what is listed again, too."""
    rows = {("x", "a"): 0.3, ("x", "b"): 0.2, ("a", "a"): 0.4, ("a", "b"): 0.5}
    task = Task(["x", "a", "x"], ["a", "b"], 9)
    check(task, lambda table: Browsing(way(table), **dials), Links(rows), of)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
def test_walks_that_never_end(seed: int) -> None:
    """Where reach is 1 for sure it still falls with every step that becomes less likely."""
    rng = np.random.default_rng(seed)
    links = graph(rng, 6, stops=False)
    check(task_on(rng, 6), Walk, links, "exact")


def test_what_cannot_matter_has_no_slope() -> None:
    rows = {("x", "a"): 0.4, ("z", "a"): 0.5, ("x", "x"): 0.2, ("x", "w"): 0.3, ("v", "x"): 0.0}
    slopes = row_slopes(Task(["x", "v"], ["a"], 9), Walk(rows))
    named = {row[:2]: float(slope) for row, slope in zip(Walk(rows).links, slopes, strict=True)}
    # Nobody comes to z; w leads nowhere; v -> x is not taken.
    assert named[("z", "a")] == named[("x", "w")] == named[("v", "x")] == 0
    assert named[("x", "a")] > named[("x", "x")] > 0
    nothing = row_slopes(Task(["p"], ["q"], 9), Walk(rows))
    assert not nothing.any()


@pytest.mark.parametrize("seed", range(6))
def test_gradient_of_prum_in_reach(seed: int) -> None:
    rng = np.random.default_rng(seed)
    o, t = int(rng.integers(1, 8)), int(rng.integers(1, 6))
    reach, u, h = rng.uniform(0.02, 0.98, (o, t)), t + seed, 1e-6
    reach[o // 2] = np.eye(t)[seed % t]
    gradient = np.array([precision_gradient(reach, u, r, of="prum") for r in range(1, t + 1)])
    mean = precision_gradient(reach, u, of="prum")
    assert mean == pytest.approx(gradient.mean(axis=0), abs=1e-13)
    for i, x in np.argwhere((reach > 0) & (reach < 1)):
        up, down = reach.copy(), reach.copy()
        up[i, x] += h
        down[i, x] -= h
        difference = (prum(up, u).precision - prum(down, u).precision) / (2 * h)
        assert gradient[:, i, x] == pytest.approx(difference, abs=1e-8)


def test_the_gradient_of_the_mean_and_formats() -> None:
    for t in range(1, 7):
        rng = np.random.default_rng(t)
        reach = rng.random((2 * t - 2, t)) * (rng.random((2 * t - 2, t)) < 0.6)
        mean = sum(precision_gradient(reach, 9, r) for r in range(1, t + 1)) / t
        assert precision_gradient(reach, 9) == pytest.approx(mean, rel=1e-11, abs=1e-15)
        of_sparse = precision_gradient(sparse.csc_matrix(reach), 9)
        assert (of_sparse == precision_gradient(reach, 9)).all()


def test_gradients_of_prum_and_of_the_exact_value_differ() -> None:
    reach = [[0.4, 0.4], [0.6, 0.4]]
    exactly, published = (
        [precision_gradient(reach, 3, r, of=of) for r in (1, 2)] for of in ("exact", "prum")
    )
    assert published[0] == pytest.approx(exactly[0], rel=1e-12)
    assert abs(published[1] - exactly[1]).max() > 0.01


def test_large_walks_are_solved_by_rounds() -> None:
    """More elements than are solved densely: the first-order change of a small move everywhere."""
    rng = np.random.default_rng(6)
    links = graph(rng, 700)
    task = Task([f"e{x}" for x in range(20)], [f"e{x}" for x in range(90, 95)], 700)
    slopes = row_slopes(task, Walk(links))
    move = -1e-6 * rng.random(len(links)) * links.probabilities
    moved = prum_of(task, Walk(with_probabilities(links, links.probabilities + move))).average
    assert moved - prum_of(task, Walk(links)).average == pytest.approx(slopes @ move, rel=1e-4)


def test_refusals() -> None:
    task = Task(["x"], ["a"], 3)
    with pytest.raises(InputError, match="of is 'PRUM', must be one of exact, prum; choose one"):
        row_slopes(task, Walk({("x", "a"): 0.5}), of="PRUM")  # type: ignore[arg-type]
    chunks = Covering(ChunkTable({"c": ("d", 0, 9)}), {"s": Span("d", 1, 2)})
    with pytest.raises(InputError, match="must be Independent, Coupled, Walk or Browsing"):
        row_slopes(Task(["c"], ["s"], 3), chunks)
    for arguments, message in (
        (([[1.5]], 1), r"reach\[0, 0\] is 1.5, must lie in"),
        (([[0.5, 0.5]], 1), "unranked is 1, must be at least 2, the ideals that may be unseen"),
        (([[0.5]], 1, 2), "r is 2, must be a whole number from 1 to 1"),
    ):
        with pytest.raises(InputError, match=message):
            precision_gradient(*arguments)  # type: ignore[arg-type]
