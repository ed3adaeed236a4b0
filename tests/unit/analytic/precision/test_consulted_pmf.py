"""The law of C(r), `exact_joint` at size, and what `exact`, `prum` and they refuse."""

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import sparse

from prum.analytic import (
    consulted_pmf,
    exact,
    exact_joint,
    precision_bounds,
    precision_gradient,
    prum,
)
from prum.analytic.stopping.rules import stopped
from prum.simulator.model import Independent, InputError, Task
from prum.simulator.model.stopping import Budget, Found, Fruitless, Persistence
from tests.unit.analytic.precision.test_seen_law import Formula

# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reach", "unranked", "message"),
    [
        ([[0.5, 1.5]], 3, "reach[0, 1] is 1.5, must lie in [0, 1]; give probabilities"),
        ([[0.5], [-0.1]], 3, "reach[1, 0] is -0.1, must lie in [0, 1]; give probabilities"),
        ([[np.nan]], 3, "reach[0, 0] is nan, must lie in [0, 1]; give probabilities"),
        (sparse.csr_array([[0.0, 2.0]]), 3, "reach[0, 1] is 2.0, must lie in [0, 1]"),
        ([0.5], 3, "reach is (1,), must have shape (o, t); give o rows"),
        ([], 3, "reach is (0,), must have shape (o, t); give o rows"),
        (np.zeros((2, 0)), 3, "number of ideals is 0, must be at least 1; leave out topics"),
        ("reach", 3, "reach is 'reach', must be real numbers in a regular shape; give o rows of t"),
        (
            [[0.5], [0.5, 0.5]],
            3,
            "reach is [[0.5], [0.5, 0.5]], must be real numbers in a regular shape",
        ),
        ([[0.5, 0.5]], 1, "unranked is 1, must be at least 2, the ideals that may be unseen"),
        ([[1.0, 0.5]], 0, "unranked is 0, must be at least 1, the ideals that may be unseen"),
        ([[0.5]], -1, "unranked is -1, must be a whole number of at least 0; give the number"),
        ([[0.5]], 2.0, "unranked is 2.0, must be a whole number of at least 0; give the number"),
        ([[0.5]], True, "unranked is True, must be a whole number of at least 0; give the number"),
    ],
)
@pytest.mark.parametrize("formula", [exact, prum])
def test_bad_input(formula: Formula, reach: ArrayLike, unranked: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        formula(reach, unranked)
    assert str(caught.value).startswith(message)


def test_unknown_counts() -> None:
    with pytest.raises(InputError, match="counts is 'exact', must be one of"):
        prum([[0.5]], 3, counts="exact")  # type: ignore[arg-type]


@pytest.mark.parametrize("r", [0, 2, 1.0, True, None])
def test_recall_out_of_range(r: int) -> None:
    with pytest.raises(InputError, match="must be a whole number from 1 to 1"):
        consulted_pmf([[0.5]], 3, r)


@pytest.mark.parametrize(
    ("within", "unranked", "message"),
    [
        ([[0, 1, 1]], 3, "shape of within is (1, 3), must be (o, 2^t) or (o, t, 2^t)"),
        ([[1]], 3, "shape of within is (1, 1), must be (o, 2^t) or (o, t, 2^t) with t in 1 .. 20"),
        ([0.5, 1], 3, "shape of within is (2,), must be (o, 2^t) or (o, t, 2^t) with t in 1 .. 20"),
        ([[0.5, 2]], 3, "within[0, 1] is 2.0, must lie in [0, 1]"),
        ([[np.nan, 1]], 3, "within[0, 0] is nan, must lie in [0, 1]"),
        ([[0.5, 0.5]], 3, "within[0, 1] is 0.5, must be 1 (all ideals)"),
        ([[0.5, 1]], 0, "unranked is 0, must be at least 1, the ideals that may be unseen"),
    ],
)
def test_bad_joint_input(within: ArrayLike, unranked: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        exact_joint(within, unranked)
    assert str(caught.value).startswith(message)


# --- the law of C(r) --------------------------------------------------------------------------


def test_a_law_of_billions_is_refused_before_it_is_made() -> None:
    with pytest.raises(InputError, match=r"o \+ u.* is 2147483649, must be at most 100000000 \(16"):
        consulted_pmf([[0.5]], 2**31, 1)
    assert exact([[0.5]], 2**31).consulted[0] == pytest.approx(1 + (2**31 + 1) / 4)
    rules = (Persistence(0.5), Found(1), Fruitless(2), Budget(5))
    for rule in rules:
        with pytest.raises(InputError, match=r"o \+ u"):
            stopped([[0.5]], 2**31, rule)
    wide = sparse.coo_array(([0.5], ([0], [0])), shape=(20_000, 20_000))
    for dense in (
        lambda: precision_bounds(wide, 20_000),
        lambda: precision_gradient(wide, 20_000),
        lambda: stopped(wide, 20_000, Found(1)),
    ):
        with pytest.raises(InputError, match=r"entries of a dense reach is 4|memory of "):
            dense()


def test_law_of_consulted_in_a_large_unranked_part() -> None:
    """Binomials of 10^5 would overflow; the negative hypergeometric law must still sum to 1."""
    pmf = consulted_pmf(np.zeros((0, 50)), 100_000, 25)
    c = np.arange(len(pmf))
    assert pmf.sum() == pytest.approx(1, abs=1e-12)
    assert (pmf * c).sum() == pytest.approx(25 * 100_001 / 51, rel=1e-11)


def test_bad_law_of_a_task() -> None:
    task, navigation = Task(["x"], ["a"], 3), Independent({("x", "a"): 0.5})
    with pytest.raises(InputError, match="r is 4, must be a whole number from 1 to 1"):
        consulted_pmf(task, navigation, 4)
    with pytest.raises(InputError, match="navigation is 3, must be Independent"):
        consulted_pmf(task, 3)  # type: ignore[call-overload]
