"""Closed forms that count costs, against enumeration in fractions and the law of C(r)."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from prum.analytic import (
    PrecisionRecall,
    closed_form,
    consulted_pmf,
    exact,
    exact_alike,
    exact_joint,
    exact_mixture,
    independent_of,
    mixture,
    normal_counts,
    prum,
    prum_of,
)
from prum.simulator.model import Beta, InputError, ListCosts, Navigation, OneFactor, Task
from tests.oracle.cases import BROWSED, CASES, RICH
from tests.oracle.enumeration import Expectation, expectations
from tests.populations import exact_of
from tests.samples import WAYS, Floats, floats, random_browsing, random_task
from tests.tiers import spread_random

ROUNDING = 1e-11
NUM_RANDOM = 60
DIALS = (("types",), ("fading",), ("satiation",), ("need",), ("documents",), ("unranked",))
# Laws that the oracle has no fractions of, and integrates less well.
QUADRATURE = 1e-6

TASKS: dict[str, tuple[Task, Navigation]] = {
    **CASES,
    **{name: (RICH, browsing) for name, browsing in BROWSED.items()},
}
for _number in range(NUM_RANDOM):
    _rng = np.random.default_rng([190, _number])
    TASKS[f"random {_number}"] = random_task(_rng, walk=_number % 3 == 0)
    _way = [*WAYS, "walk"][_number % 5]
    TASKS[f"random browsing {_number}"] = random_browsing(_rng, _way, DIALS[_number % 6])
INEXACT = ("beta", "one factor", "copula")
every = pytest.mark.parametrize("name", spread_random(6, TASKS, BROWSED))


@cache
def _costs(name: str) -> ListCosts:
    """Return costs of whole tokens that differ by rank."""
    rng = np.random.default_rng([len(name), *name.encode()])
    each = rng.integers(1, 400, TASKS[name][0].num_ranked)
    return ListCosts(each, int(rng.integers(1, 400)), unit="tokens")


@cache
def _truth(name: str) -> list[Expectation]:
    costs = _costs(name)

    def cost(n: int) -> int:
        return int(costs.ranked[n - 1]) if n <= len(costs.ranked) else int(costs.unranked)

    return expectations(*TASKS[name], cost)


def _agree(found: Floats | None, truth: Floats, scale: Floats, near: float) -> None:
    """Moments about the mean are differences of moments about 0: rounding scales with these."""
    assert found is not None
    assert (np.abs(found - truth) <= near * scale).all()


@every
def test_closed_forms_count_costs(name: str) -> None:
    truth, result = _truth(name), closed_form(*TASKS[name], costs=_costs(name))
    if result is None:
        return
    assert result.unit == "tokens"
    near = QUADRATURE if name.startswith(INEXACT) else ROUNDING
    for found, wanted in (
        (result.leading, floats(e.leading for e in truth)),
        (result.consulted, floats(e.consulted for e in truth)),
    ):
        _agree(found, wanted, wanted, near)
    deviation, skewness = result.consulted_deviation, result.consulted_skewness
    assert deviation is not None
    assert skewness is not None
    square = floats(e.mean(lambda c, _: c**2) for e in truth)
    cube = floats(e.mean(lambda c, _: c**3) for e in truth)
    _agree(deviation**2, floats(e.consulted_variance for e in truth), square, near)
    third = floats(_third(e) for e in truth)
    _agree(skewness * deviation**3, third, cube, near)


def _third(truth: Expectation) -> Fraction:
    centre = truth.consulted
    return truth.mean(lambda c, _: (c - centre) ** 3)


@every
def test_costs_follow_from_the_law_of_consulted(name: str) -> None:
    """E[cost(r)] = sum_c P(C(r) = c) cost(c), and its variance."""
    (task, navigation), costs = TASKS[name], _costs(name)
    result, pmf = closed_form(task, navigation, costs=costs), consulted_pmf(task, navigation)
    if result is None or pmf is None:
        assert result is pmf is None
        return
    drawn = costs.unranked * np.arange(1, task.num_unranked + 1)
    cost = np.append(costs.before(), costs.before()[-1] + drawn)
    assert result.consulted == pytest.approx(pmf @ cost, rel=ROUNDING)
    assert result.consulted_deviation is not None
    _agree(result.consulted_deviation**2, pmf @ cost**2 - (pmf @ cost) ** 2, pmf @ cost**2, 1e-9)


@every
def test_costs_of_one_change_nothing(name: str) -> None:
    task, navigation = TASKS[name]
    units = ListCosts.units(task.num_ranked)
    for form in (closed_form, prum_of, independent_of):
        with_units, without = form(task, navigation, costs=units), form(task, navigation)
        assert (with_units is None) == (without is None)
        if with_units is not None and without is not None:
            assert with_units.to_json() == without.to_json()


@every
def test_prum_counts_costs(name: str) -> None:
    """What is consulted does not rest on Hypothesis 2.3, and neither does r = 1."""
    (task, navigation), costs = TASKS[name], _costs(name)
    noisy, tossed = (
        prum_of(task, navigation, costs=costs),
        independent_of(task, navigation, costs=costs),
    )
    assert noisy.consulted == pytest.approx(tossed.consulted, rel=ROUNDING)
    assert noisy.leading[0] == pytest.approx(tossed.leading[0], rel=ROUNDING)
    assert (noisy.leading <= tossed.leading * (1 + ROUNDING)).all()
    for one, other in ((noisy, prum_of), (tossed, independent_of)):
        normal = other(task, navigation, counts="normal", costs=costs)  # of ten ideals it is exact
        assert normal.leading == pytest.approx(one.leading, rel=ROUNDING)
        assert normal.consulted == pytest.approx(one.consulted, rel=ROUNDING)


# --- roads of its own to each closed form ---------------------------------------------------------

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
    "alike": lambda costs: exact_alike([0.5, 0.1, 0, 0.3], 3, 5, satiation=[1, 0.5], costs=costs),
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
def test_costs_of_one_change_no_form(form: Callable[[ListCosts | None], PrecisionRecall]) -> None:
    assert form(ListCosts.units(4)).to_json() == form(None).to_json()


@each_form
def test_costs_of_another_list(form: Callable[[ListCosts | None], PrecisionRecall]) -> None:
    with pytest.raises(InputError, match="number of costs is 3, must be 4, the length of the list"):
        form(ListCosts([1, 2, 3], 1))
    with pytest.raises(InputError, match=r"costs is .*, must be ListCosts"):
        form([1, 2, 3, 4])  # type: ignore[arg-type]


def test_a_wrong_cost_is_noticed() -> None:
    """Negative control: one token more at the first rank."""
    missed = []
    for name, (task, navigation) in TASKS.items():
        if not name.startswith("random") or not task.num_ranked:
            continue
        costs = _costs(name)
        wrong = ListCosts([costs.ranked[0] + 1, *costs.ranked[1:]], costs.unranked, unit="tokens")
        result = closed_form(task, navigation, costs=wrong)
        if result is not None:
            truth = floats(e.consulted for e in _truth(name))
            missed.append((np.abs(result.consulted - truth) <= 100 * ROUNDING * truth).any())
    assert len(missed) > 50
    assert not any(missed)


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
