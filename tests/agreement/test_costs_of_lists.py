"""Costs of a list: units, what does not fit, and what is certain.

Values in costs are enumerated in test_forms.
"""

import numpy as np
import pytest

from prum.analytic import (
    PrecisionRecall,
    exact,
    mixture,
)
from prum.simulator.model import InputError, ListCosts

REACH = np.array([[0.5, 0.25, 0.0], [0.25, 0.0, 0.75], [0.0, 0.5, 0.25], [1.0, 0.5, 0.0]])
COSTS = ListCosts([30, 7, 450, 12], 90, unit="characters")


def test_costs_of_another_list() -> None:
    with pytest.raises(InputError, match="number of costs is 3, must be 4, the length of the list"):
        exact(REACH, 5, costs=ListCosts([1, 2, 3], 1))
    with pytest.raises(InputError, match=r"costs is .*, must be ListCosts"):
        exact(REACH, 5, costs=[1, 2, 3, 4])  # type: ignore[arg-type]


def test_units_are_not_mixed() -> None:
    tokens, elements = exact(REACH, 5, costs=COSTS), exact(REACH, 5)
    with pytest.raises(InputError, match=r"units is .*, must be equal"):
        mixture([tokens, elements], [0.5, 0.5])


def test_results_name_their_unit() -> None:
    result = exact(REACH, 5, costs=COSTS)
    assert PrecisionRecall.from_json(result.to_json()) == result
    assert PrecisionRecall.from_json(result.to_json()).unit == "characters"
    assert result != PrecisionRecall(result.leading, result.consulted)
    assert "characters" in repr(result)
    assert "unit" not in exact(REACH, 5).to_json()


def test_a_cost_that_is_certain_does_not_vary() -> None:
    """Whoever needs all that is behind the list pays for all of it: no rounding is a spread."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        t, each = int(rng.integers(1, 9)), rng.uniform(0.1, 100, 3)
        result = exact(np.zeros((2, t)), t, costs=ListCosts(each[:2], each[2]))
        assert result.consulted_deviation is not None
        assert result.consulted_skewness is not None
        assert (result.consulted_deviation[-1], result.consulted_skewness[-1]) == (0, 0)
