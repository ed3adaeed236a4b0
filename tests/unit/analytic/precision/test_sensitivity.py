"""The gradient of precision: against finite changes, exact fractions and central differences."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from prum.analytic import (
    closed_form,
    exact,
    link_gradient,
    precision_gradient,
    reach_matrix,
)
from prum.simulator.model import (
    Browsing,
    Coupled,
    Independent,
    InputError,
    Navigation,
    OneFactor,
    Task,
    Walk,
)
from tests.tiers import spread

Floats = NDArray[np.float64]


def _reach(o: int, t: int, seed: int) -> Floats:
    """Return entries of every kind: zeros, ones, ranked ideals."""
    rng = np.random.default_rng(seed)
    reach: Floats = rng.random((o, t)) * (rng.random((o, t)) < 0.6)
    reach[rng.random((o, t)) < 0.1] = 1
    reach[o // 2] = np.eye(t)[seed % t]
    return reach


def _by_affinity(reach: Floats, u: int, i: int, x: int) -> Floats:
    """Return d precision(r) / d reach[i, x]: E[CL] and E[C] are affine in every entry."""
    one, zero = reach.copy(), reach.copy()
    one[i, x], zero[i, x] = 1, 0
    with_it, without, now = exact(one, u), exact(zero, u), exact(reach, u)
    leading = with_it.leading - without.leading
    consulted = with_it.consulted - without.consulted
    return np.asarray((leading - now.precision * consulted) / now.consulted)


@pytest.mark.parametrize(("o", "t"), [(1, 1), (1, 3), (4, 1), (3, 2), (6, 5), (12, 9)])
@pytest.mark.parametrize("seed", spread(3, range(3)))
def test_equals_finite_changes(o: int, t: int, seed: int) -> None:
    reach, u = _reach(o, t, seed), t + seed
    gradient = np.array([precision_gradient(reach, u, r) for r in range(1, t + 1)])
    assert gradient.shape == (t, o, t)
    for i in range(o):
        for x in range(t):
            wanted = _by_affinity(reach, u, i, x)
            assert gradient[:, i, x] == pytest.approx(wanted, rel=1e-9, abs=1e-13)


def test_the_gradient_of_the_mean_and_formats() -> None:
    for seed in range(6):
        t = 1 + seed
        reach = _reach(2 * seed, t, seed) if seed else np.zeros((0, t))
        mean = sum(precision_gradient(reach, 9, r) for r in range(1, t + 1)) / t
        assert precision_gradient(reach, 9) == pytest.approx(mean, rel=1e-11, abs=1e-15)
        found = precision_gradient(sparse.csc_matrix(reach), 9)
        assert (found == precision_gradient(reach, 9)).all()


LINKS = {("x", "a"): 0.3, ("x", "b"): 0.5, ("y", "b"): 0.4, ("a", "c"): 0.3, ("y", "c"): 1.0}
TASK = Task(["x", "y", "a", "x"], ["a", "b", "c"], 12)


@pytest.mark.parametrize("r", [None, 1, 3])
@pytest.mark.parametrize("dials", [{}, {"fading": 0.7}, {"documents": {"x": "d", "a": "d"}}])
def test_links_move_the_closed_form_as_predicted(r: int | None, dials: dict[str, Any]) -> None:
    """Central differences in the table of links, those that are not there included."""
    h = 1e-6
    gradient = link_gradient(TASK, Browsing(Independent(LINKS), **dials), r)
    assert gradient.method == "exact"

    def value(table: dict[tuple[str, str], float]) -> float:
        form = closed_form(TASK, Browsing(Independent(table), **dials))
        assert form is not None
        return form.average if r is None else float(form.precision[r - 1])

    for i, x in enumerate(TASK.ranking[:3]):
        for k, y in enumerate(TASK.ideals):
            p = LINKS.get((x, y), 0.0)
            low, high = max(p - h, 0.0), min(p + h, 1.0)
            change = value({**LINKS, (x, y): high}) - value({**LINKS, (x, y): low})
            wanted = change / (high - low) if x != y else 0.0
            assert gradient.derivatives[i, k] == pytest.approx(wanted, abs=1e-6)
    assert (gradient.derivatives[3] == 0).all()


def test_the_best_links() -> None:
    gradient = link_gradient(TASK, Independent(LINKS))
    best = gradient.best()
    assert {(link.source, link.target) for link in best} <= set(LINKS) - {("y", "c")}
    assert all(LINKS[link.source, link.target] == link.probability for link in best)
    gains = [link.derivative for link in best]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] == gradient.derivatives[gradient.probabilities % 1 > 0].max()
    assert gradient.best(1) == best[:1]
    with pytest.raises(InputError, match="count is 0, must be a whole number"):
        gradient.best(0)


@pytest.mark.parametrize(
    "navigation",
    [
        Walk({**LINKS, ("y", "c"): 0.5}),
        Coupled(Independent(LINKS), "exclusive"),
        Browsing(Independent(LINKS), OneFactor(0.2)),
        Browsing(Independent(LINKS), need=[1, 0.5]),
    ],
)
def test_dependent_visits_are_taken_as_independent(navigation: Navigation) -> None:
    gradient = link_gradient(TASK, navigation, 2)
    assert gradient.method == "independent visits with the same P(x -> y)"
    reach = reach_matrix(TASK, navigation).toarray()
    slopes = precision_gradient(reach, TASK.num_unranked, 2)
    by_need = isinstance(navigation, Browsing) and len(navigation.need) > 1
    factor = (1 + 0.5 + 0.5) / 3 if by_need else 1
    assert gradient.derivatives[0] == pytest.approx(slopes[0] * factor, rel=1e-12)
    assert gradient.derivatives[2, 0] == 0


@pytest.mark.parametrize(
    ("reach", "unranked", "r", "message"),
    [
        ([[1.5]], 1, None, "reach[0, 0] is 1.5, must lie in [0, 1]; give probabilities"),
        ([[0.5, 0.5]], 1, None, "unranked is 1, must be at least 2, the ideals that may be uns"),
        ([[0.5]], 1, 2, "r is 2, must be a whole number from 1 to 1; give a number of ideals"),
    ],
)
def test_bad_input(reach: ArrayLike, unranked: int, r: int | None, message: str) -> None:
    with pytest.raises(InputError) as caught:
        precision_gradient(reach, unranked, r)
    assert str(caught.value).startswith(message)
