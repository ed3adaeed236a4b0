"""Costs in whole numbers of a step."""

import numpy as np
import pytest

from prum.simulator.model import ListCosts
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


def test_any_finite_cost_has_steps() -> None:
    steps = ListCosts([1e308, 1e-308], 1e308).in_steps(10**9)
    assert np.diff(steps.before)[1] == 1
    assert ListCosts([1e-300], 1e308).in_steps(0).total(0) > 0
    assert ListCosts([], 0.1).stepped(0).unranked > 0


def test_costs_have_a_key() -> None:
    costs = ListCosts([1, 2], 3, unit="tokens")
    assert costs.key == ListCosts([1.0, 2.0], 3.0, unit="tokens").key
    assert len({costs.key, ListCosts([1, 2], 3).key, ListCosts([1, 3], 3, unit="tokens").key}) == 3
    assert ListCosts(**costs.content()).key == costs.key
