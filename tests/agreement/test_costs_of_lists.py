"""Closed forms that count costs: what ranks cost one by one, units, and what is certain.

They are enumerated in test_forms.
"""

from collections.abc import Callable

import numpy as np
import pytest

from prum.analytic import (
    PrecisionRecall,
    exact,
    exact_joint,
    exact_mixture,
    mixture,
    normal_counts,
    prum,
)
from prum.simulator.model import Beta, InputError, ListCosts, OneFactor
from tests.populations import exact_of
from tests.samples import Floats

REACH = np.array([[0.5, 0.25, 0.0], [0.25, 0.0, 0.75], [0.0, 0.5, 0.25], [1.0, 0.5, 0.0]])
COSTS = ListCosts([30, 7, 450, 12], 90, unit="characters")
FORMS: dict[str, Callable[[ListCosts | None], PrecisionRecall]] = {
    "exact": lambda costs: exact(REACH, 5, costs=costs),
    "prum": lambda costs: prum(REACH, 5, costs=costs),
    "prum, normal": lambda costs: prum(REACH, 5, counts="normal", costs=costs),
    "normal counts": lambda costs: normal_counts(REACH, 5, costs=costs),
    "joint": lambda costs: exact_joint(_within(REACH), 5, costs=costs),
    "joint, later": lambda costs: exact_joint(
        _within(REACH), 5, later=_within(np.vstack([np.eye(3), REACH[:1]])), costs=costs
    ),
    "types": lambda costs: exact_mixture([REACH, REACH / 2], [0.25, 0.75], 5, costs=costs),
    "beta": lambda costs: exact_of(REACH / 2, 5, Beta(2, 1), costs=costs),
    "one factor": lambda costs: exact_of(REACH[:, :2] / 2, 5, OneFactor(0.1), costs=costs),
}
each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def _within(reach: Floats) -> Floats:
    """Return P(N_i subset of A) of visits on their own."""
    subsets = (np.arange(8)[:, np.newaxis] >> np.arange(3)) & 1
    return np.where(subsets[np.newaxis] == 1, 1, 1 - reach[:, np.newaxis]).prod(axis=2)


@each_form
def test_forms_count_what_ranks_cost_one_by_one(
    form: Callable[[ListCosts | None], PrecisionRecall],
) -> None:
    """Means are linear in costs; with costs that are all twice as high all is twice as much."""
    units, parts = form(None), list[PrecisionRecall]()
    for rank in range(5):
        dear = 1.0 + (np.arange(5) == rank)
        parts.append(form(ListCosts(dear[:4], dear[4])))
    each = [*COSTS.ranked, COSTS.unranked]
    found = form(COSTS)
    assert found.unit == COSTS.unit
    for name in ("leading", "consulted"):
        base = getattr(units, name)
        sums = sum(c * (getattr(part, name) - base) for c, part in zip(each, parts, strict=True))
        assert getattr(found, name) == pytest.approx(sums, rel=1e-10)
    twice = form(ListCosts(2 * COSTS.ranked, 2 * COSTS.unranked))
    assert twice.consulted == pytest.approx(2 * found.consulted, rel=1e-13)
    assert twice.precision == pytest.approx(found.precision, rel=1e-13)
    if found.consulted_deviation is not None:
        assert twice.consulted_deviation == pytest.approx(2 * found.consulted_deviation, rel=1e-9)
        assert twice.consulted_skewness == pytest.approx(found.consulted_skewness, rel=1e-7)


@each_form
def test_costs_of_another_list(form: Callable[[ListCosts | None], PrecisionRecall]) -> None:
    with pytest.raises(InputError, match="number of costs is 3, must be 4, the length of the list"):
        form(ListCosts([1, 2, 3], 1))
    with pytest.raises(InputError, match=r"costs is .*, must be ListCosts"):
        form([1, 2, 3, 4])  # type: ignore[arg-type]


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
