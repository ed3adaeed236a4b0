"""Invariants of closed forms on random tasks: bounds, monotonicity, what must not matter.

Equation and section numbers are those of Piwowarski, Gallinari and Dupret (2007).
"""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from prum.analytic import (
    PrecisionRecall,
    closed_form,
    consulted_pmf,
    exact,
    prum,
    prum_of,
    reach_matrix,
    walk_reach,
    walk_within,
)
from prum.simulator.model import Independent, InputError, Navigation, Task, Walk
from tests.oracle.cases import CASES
from tests.tiers import examples

Floats = NDArray[np.float64]
Links = dict[tuple[str, str], float]

# Ids of any text, and few enough of them that lists, ideals and links meet.
IDS = st.lists(st.text(min_size=1, max_size=3), min_size=2, max_size=8, unique=True)
PROBABILITIES = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 1e-300, 1e-12, 1 - 1e-12, 1 - 2**-53]),
    st.floats(0, 1),
    st.fractions(0, 1, max_denominator=20).map(float),
)
# Relative, for sums of a few hundred rounded terms.
ROUNDING = 1e-10

quick = settings(max_examples=examples(60))


@st.composite
def lists(draw: st.DrawFn, ids: list[str]) -> Task:
    ideals = draw(st.lists(st.sampled_from(ids), min_size=1, max_size=5, unique=True))
    ranking = draw(st.lists(st.sampled_from(ids), max_size=10))
    spare = draw(st.one_of(st.integers(0, 3), st.integers(0, 2000)))
    return Task(ranking, ideals, len({*ranking, *ideals}) + spare)


@st.composite
def tables(draw: st.DrawFn, ids: list[str]) -> Links:
    pairs = st.tuples(st.sampled_from(ids), st.sampled_from(ids))
    table = draw(st.dictionaries(pairs, PROBABILITIES, max_size=20))
    return {(x, y): p for (x, y), p in table.items() if x != y}


@st.composite
def independent(draw: st.DrawFn) -> tuple[Task, Independent]:
    ids = draw(IDS)
    return draw(lists(ids)), Independent(draw(tables(ids)))


@st.composite
def walks(draw: st.DrawFn) -> tuple[Task, Walk]:
    ids = draw(IDS)
    table = draw(tables(ids))
    stop = draw(st.sampled_from([0.001, 0.15, 0.5]))
    totals = {x: math.fsum(p for (y, _), p in table.items() if y == x) for x, _ in table}
    links = {
        (x, y): p if totals[x] <= 1 - stop else p / totals[x] * (1 - stop)
        for (x, y), p in table.items()
    }
    return draw(lists(ids)), Walk(links)


anything: st.SearchStrategy[tuple[Task, Navigation]] = st.one_of(independent(), walks())


def _exact(task: Task, navigation: Navigation) -> PrecisionRecall:
    result = closed_form(task, navigation)
    assert result is not None
    return result


def _close(one: Floats, two: Floats) -> bool:
    return bool((np.abs(one - two) <= ROUNDING * np.maximum(1, np.abs(two))).all())


# --- bounds -----------------------------------------------------------------------------------


@quick
@given(anything)
@example(CASES["walk with cycle"])
@example(CASES["empty ranking, all ideal"])
def test_bounds(case: tuple[Task, Navigation]) -> None:
    task, _ = case
    r = np.arange(1, task.num_ideals + 1)
    for result in (_exact(*case), prum_of(*case)):
        assert (result.precision > 0).all()
        assert (result.precision <= 1 + ROUNDING).all()
        assert (result.leading >= 1 - ROUNDING).all()
        assert (result.leading <= r * (1 + ROUNDING)).all()
        assert (result.consulted >= result.leading * (1 - ROUNDING)).all()
        assert (result.consulted <= (task.num_ranked + task.num_unranked) * (1 + ROUNDING)).all()
        assert (np.diff(result.consulted) >= -ROUNDING * result.consulted[1:]).all()
        assert (np.diff(result.leading) >= -ROUNDING * result.leading[1:]).all()
        interpolated = result.interpolated(np.linspace(0, 1, 23))
        assert (np.diff(interpolated) <= 0).all()


@quick
@given(independent(), st.data())
def test_law_of_consulted(case: tuple[Task, Independent], data: st.DataObject) -> None:
    task, navigation = case
    reach, u = reach_matrix(task, navigation), task.num_unranked
    truth = exact(reach, u)
    r = data.draw(st.integers(1, task.num_ideals))
    pmf = consulted_pmf(reach, u, r)
    c = np.arange(len(pmf))
    assert pmf.shape == (task.num_ranked + u + 1,)
    assert pmf.min() >= 0
    assert pmf[0] == 0
    assert abs(pmf.sum() - 1) <= 1e-12
    assert (pmf * c).sum() == pytest.approx(truth.consulted[r - 1], rel=1e-11)
    if r > 1:
        # Who wants more consults more: the law is stochastically larger.
        before = np.cumsum(consulted_pmf(reach, u, r - 1))
        assert (np.cumsum(pmf) <= before + 1e-12).all()


# --- what does not matter ---------------------------------------------------------------------


@quick
@given(anything)
def test_links_that_cannot_be_taken_do_not_matter(case: tuple[Task, Navigation]) -> None:
    task, navigation = case
    useful = {(x, y): p for x, y, p in navigation.links if p > 0}
    if isinstance(navigation, Independent):
        useful = {
            (x, y): p for (x, y), p in useful.items() if x in task.ranking and y in task.ideals
        }
    assert _exact(task, type(navigation)(useful)) == _exact(task, navigation)


@quick
@given(anything, st.integers(0, 3))
def test_duplicates_at_the_end_cost_one_consultation_each(
    case: tuple[Task, Navigation], repeats: int
) -> None:
    """They lead nowhere new: E[CL] stays, E[C(r)] grows by P(F_o < r) for each."""
    task, navigation = case
    assume(task.ranking)
    longer = Task((*task.ranking, *task.ranking[:1] * repeats), task.ideals, task.collection_size)
    before, after = _exact(task, navigation), _exact(longer, navigation)
    assert _close(after.leading, before.leading)
    grown = after.consulted - before.consulted
    assert (grown >= -ROUNDING * after.consulted).all()
    assert (grown <= repeats + ROUNDING * after.consulted).all()
    if isinstance(navigation, Independent):
        o, u = task.num_ranked, task.num_unranked
        for r in range(1, task.num_ideals + 1):
            exhausted = consulted_pmf(reach_matrix(task, navigation), u, r)[o + 1 :].sum()
            assert grown[r - 1] == pytest.approx(
                repeats * exhausted, abs=ROUNDING * after.consulted[r - 1]
            )


# --- walks ------------------------------------------------------------------------------------


@quick
@given(walks())
def test_within_is_a_law_of_sets(case: tuple[Task, Walk]) -> None:
    """P(N subset of A) grows with A, and P(x in N) = 1 - P(N subset of all but x)."""
    task, navigation = case
    n = len(navigation.links.elements)
    assume(n)
    moves = np.zeros((n, n))
    moves[navigation.links.sources, navigation.links.targets] = navigation.links.probabilities
    ideals = np.arange(min(n, task.num_ideals))
    within = walk_within(moves, np.arange(n), ideals)
    reach = walk_reach(moves, np.arange(n), ideals)
    everything = within.shape[1] - 1
    for x in range(len(ideals)):
        assert _close(1 - within[:, everything ^ 1 << x], reach[:, x])
        without = np.array([A for A in range(everything + 1) if not A >> x & 1])
        assert (within[:, without] <= within[:, without | 1 << x] + 1e-12).all()


# --- any matrix -------------------------------------------------------------------------------


@quick
@given(st.integers(0, 12), st.integers(1, 6), st.integers(0, 30), st.data())
def test_any_reach_matrix_is_priced_or_refused(
    num_ranked: int, num_ideals: int, u: int, data: st.DataObject
) -> None:
    cells = st.lists(
        st.lists(PROBABILITIES, min_size=num_ideals, max_size=num_ideals),
        min_size=num_ranked,
        max_size=num_ranked,
    )
    reach = np.array(data.draw(cells)).reshape(num_ranked, num_ideals)
    unseen = int(((1 - reach).prod(axis=0) > 0).sum())
    if u < unseen:
        with pytest.raises(InputError, match=f"unranked is {u}, must be at least {unseen}"):
            exact(reach, u)
        return
    for formula in (exact, prum):
        result = formula(reach, u)
        assert (result.precision > 0).all()
        assert (result.precision <= 1 + ROUNDING).all()
        assert result.consulted_deviation is not None
        assert (result.consulted_deviation <= (num_ranked + u) / 2 * (1 + ROUNDING)).all()
