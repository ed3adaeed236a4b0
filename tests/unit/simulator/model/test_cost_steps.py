"""Costs of a list: what is behind it, and whole numbers of a step."""

import numpy as np
import pytest

from prum.analytic import closed_form
from prum.simulator.model import Constant, Costs, Independent, InputError, ListCosts, Task
from prum.simulator.model.costs import STEP_BITS


def test_numbers_of_elements_are_their_own_steps() -> None:
    steps = ListCosts.units(3).in_steps(2**31 - 4)
    assert (steps.before.tolist(), steps.unranked, steps.bits) == ([0, 1, 2, 3], 1, 0)
    assert steps.total(2) == 5
    assert steps.size == 1


@pytest.mark.parametrize("seed", range(30))
def test_costs_in_steps_stay_as_they_are_and_leave_room(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(20):
        o, u = int(rng.integers(0, 6)), int(rng.choice([0, 1, 3, 10**6, 2**31 - 10]))
        scale = 2.0 ** rng.integers(-60, 60)
        each = np.exp(rng.normal(0, 4, o)) if rng.random() < 0.5 else rng.integers(1, 9, o)
        costs = ListCosts(each * scale, float(np.exp(rng.normal(0, 3))) * scale, unit="tokens")
        stepped = costs.stepped(u)
        assert stepped.content() == stepped.stepped(u).content()
        assert stepped.unit == "tokens"
        steps = costs.in_steps(u)
        assert steps.total(u) < 2**STEP_BITS
        assert np.all(np.diff(steps.before) >= 1)
        assert np.diff(steps.before) * steps.size == pytest.approx(
            costs.ranked, abs=steps.size, rel=1e-12
        )
        # Rounding only where what is exact would not fit.
        if u == 0 and each.dtype.kind == "i":
            assert stepped.ranked.tolist() == costs.ranked.tolist()


def test_any_cost_has_steps() -> None:
    steps = ListCosts([1e60, 1e-60], 1e60).in_steps(10**9)
    assert np.diff(steps.before)[1] == 1
    assert ListCosts([1e-60], 1e60).in_steps(0).total(0) > 0
    for ranked, behind in (([1e60 / 3, 1e60 / 7], 1e60), ([3e-60, 7e-60], 1e-60)):
        assert ListCosts(ranked, behind).stepped(5).unranked == pytest.approx(behind)


@pytest.mark.parametrize("wrong", [0, -1, 1e160, 1e-160, float("inf"), float("nan")])
def test_what_is_no_cost_is_told_by_its_rank(wrong: float) -> None:
    rule = "must be a positive number, from 1e-60 to 1e60; give each element what it costs"
    with pytest.raises(InputError) as error:
        ListCosts([wrong, 2], 1)
    assert str(error.value) == f"rank 1: cost is {float(wrong)!r}, {rule}"
    with pytest.raises(InputError) as error:
        ListCosts([1, 2], wrong)
    assert str(error.value) == f"cost of an element behind the list is {wrong!r}, {rule}"


def test_the_largest_and_least_costs_have_moments() -> None:
    task = Task(["x", "a"], ["a", "b"], 50)
    for cost in (1e-60, 1e60):
        law = closed_form(task, Independent({("x", "b"): 0.4}), costs=ListCosts([cost] * 2, cost))
        assert law is not None
        counted = closed_form(task, Independent({("x", "b"): 0.4}))
        assert counted is not None
        for name in ("consulted_deviation", "consulted_skewness"):
            unit = cost if name == "consulted_deviation" else 1
            ratio = getattr(law, name) / getattr(counted, name) / unit
            assert ratio == pytest.approx(np.ones(2), rel=1e-9)
    assert ListCosts([], 0.1).stepped(0).unranked > 0


def test_costs_have_a_key() -> None:
    costs = ListCosts([1, 2], 3, unit="tokens")
    assert costs.key == ListCosts([1.0, 2.0], 3.0, unit="tokens").key
    assert len({costs.key, ListCosts([1, 2], 3).key, ListCosts([1, 3], 3, unit="tokens").key}) == 3
    assert ListCosts(**costs.content()).key == costs.key


def test_what_is_behind_a_list_costs_the_mean_of_what_is_not_ranked() -> None:
    costs = Costs(Constant(2), Constant(3), Constant(0), 0.5, 8, {"a": 10, "b": 20, "c": 40})
    listed = costs.along(Task(["b", "?", "b"], ["a"], 9))
    assert listed.ranked.tolist() == [15, 9, 15]
    assert listed.unranked == 2 + 3 + 0.5 * (10 + 40) / 2
    # Where all that have a length are ranked, others have `length`.
    assert costs.along(Task(["a", "b", "c"], ["a"], 9)).unranked == 9
    assert listed.total(3) == 39 + 3 * listed.unranked


def test_what_is_behind_a_list_costs_something_if_there_is_anything() -> None:
    costs = Costs.of({"a": 0.5, "b": 2}, unit="tokens")
    assert costs.along(Task(["a", "b"], ["a"], 2)).unranked == 1  # of no account
    with pytest.raises(InputError, match=r"tokens of an element behind the list is 0\.0, must be"):
        costs.along(Task(["a", "b"], ["a"], 3))
    assert costs.along(Task(["b"], ["a"], 3)).unranked == 0.5
    for element in ("z", "y"):
        with pytest.raises(InputError, match=f"tokens of '{element}' is None, must be positive"):
            costs.along(Task(["b", element], ["a"], 4))
