"""What holds of every navigation on random tasks: what changes nothing, what scales, what bounds.

Each law says for which navigations it holds, and beside it stands a case where it does not, or a
change that it must notice.
"""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from prum.analytic import (
    PrecisionRecall,
    any_dependence_bounds,
    precision_bounds,
    prum_of,
    reach_matrix,
)
from prum.analytic.precision.of_task import consulted_law
from prum.simulator import simulate
from prum.simulator.model import (
    Browsing,
    ChunkTable,
    Copula,
    Coupled,
    Covering,
    Expansion,
    Independent,
    InputError,
    ListCosts,
    Mixture,
    Navigation,
    OneFactor,
    Span,
    Task,
    Tied,
    Types,
    Walk,
)
from tests.architecture.test_navigations import registered
from tests.random_navigations import (
    BASES,
    CASES,
    SEEDS,
    Case,
    every_navigation,
    exact_value,
    names_in,
    random_case,
    random_costs,
    random_task,
    renamed,
)
from tests.tiers import examples, spread

Floats = NDArray[np.float64]
# Relative, for sums of a few hundred rounded terms; quadrature over users who differ ends at 1e-10.
ROUNDING = 1e-9
BEHIND = "9 ways from here"

quick = settings(max_examples=examples(40))


def test_all_navigations_are_among_the_cases() -> None:
    # Ties belong to a list, and these laws are of lists that change: see `test_ties`.
    others = set(registered().values()) - {Tied}
    assert {type(random_case(name, 0)[1]) for name in CASES} == others


def _close(one: Floats, two: Floats) -> bool:
    return bool((np.abs(one - two) <= ROUNDING * np.maximum(1, np.abs(two))).all())


def _same(one: PrecisionRecall, two: PrecisionRecall) -> bool:
    return _close(one.leading, two.leading) and _close(one.consulted, two.consulted)


def _both(case: Case) -> tuple[PrecisionRecall, PrecisionRecall]:
    return exact_value(*case), prum_of(*case)


@every_navigation
@quick
@given(SEEDS)
def test_what_bounds_every_value(name: str, seed: int) -> None:
    task, navigation = random_case(name, seed)
    r, most = np.arange(1, task.num_ideals + 1), task.num_ranked + task.num_unranked
    for result in _both((task, navigation)):
        low, high = 1 - ROUNDING, 1 + ROUNDING
        assert (result.precision > 0).all()
        assert (result.leading >= low).all()
        assert (result.leading <= r * high).all()
        assert (result.consulted >= result.leading * low).all()
        assert (result.consulted <= most * high).all()
        assert (np.diff(result.interpolated(np.linspace(0, 1, 23))) <= 0).all()
        if "need" not in navigation.turned and name != "dials":
            assert (np.diff(result.consulted) >= -ROUNDING * most).all()
            assert (np.diff(result.leading) >= -ROUNDING * most).all()


# --- what leads nowhere, at the end of the list -------------------------------------------------


def lengthened(case: Case, *, is_new: bool) -> Case:
    """Return a case with an element more that shows nothing: a new one, or one from behind."""
    task, navigation = case
    if isinstance(navigation, Covering):
        old = navigation.chunks
        rows = {
            x: (old.documents[d], int(start), int(end))
            for x, d, start, end in zip(old.ids, old.document, old.starts, old.ends, strict=True)
        }
        chunks = ChunkTable({**rows, BEHIND: ("another document", 0, 1)})
        navigation = Covering(
            chunks, navigation.spans, links=navigation.links, whole=navigation.whole
        )
    size = task.collection_size + is_new
    return Task((*task.ranking, BEHIND), task.ideals, size), navigation


@every_navigation
@quick
@given(SEEDS)
def test_what_leads_nowhere_at_the_end_costs_those_who_come_there(name: str, seed: int) -> None:
    """E[CL(r)] stays, also by PRUM; C(r) > o grows by 1, so E[C(r)] grows by P(C(r) > o)."""
    case = random_case(name, seed)
    longer = lengthened(case, is_new=True)
    for before, after in zip(_both(case), _both(longer), strict=True):
        assert _close(after.leading, before.leading)
        assert (after.precision <= before.precision * (1 + ROUNDING)).all()
    before, after = exact_value(*case), exact_value(*longer)
    law, grown = consulted_law(*case), consulted_law(*longer)
    if law is None or grown is None:  # of types that browse from several numbers of unranked
        assert isinstance(case[1], Mixture)
        return
    o = case[0].num_ranked
    for n in range(case[0].num_ideals):
        pmf = law.pmf(n)
        assert after.consulted[n] - before.consulted[n] == pytest.approx(
            pmf[o + 1 :].sum(), abs=ROUNDING * after.consulted[n]
        )
        assert grown.pmf(n) == pytest.approx(np.insert(pmf, o + 1, 0), abs=1e-10)


@every_navigation
@quick
@given(SEEDS)
def test_what_is_moved_from_behind_to_the_end_costs_one_at_most(name: str, seed: int) -> None:
    """Of u elements behind the list, users who go on consulted it at random, now for certain."""
    task, navigation = random_case(name, seed)
    case = Task(task.ranking, task.ideals, task.collection_size + 1), navigation
    before, after = exact_value(*case), exact_value(*lengthened(case, is_new=False))
    assert _close(after.leading, before.leading)
    grown = after.consulted - before.consulted
    assert (grown >= -ROUNDING * after.consulted).all()
    assert (grown <= 1 + ROUNDING * after.consulted).all()


@pytest.mark.parametrize("name", BASES)
def test_that_something_leads_somewhere_is_noticed(name: str) -> None:
    task, links = Task(["x"], ["a"], 5), {("x", "a"): 0.5}
    build: dict[str, Callable[[dict[tuple[str, str], float]], Navigation]] = {
        "independent": Independent,
        "exclusive": lambda table: Coupled(Independent(table), "exclusive"),
        "comonotone": lambda table: Coupled(Independent(table), "comonotone"),
        "copula": lambda table: Coupled(Independent(table), Copula(0.5)),
        "walk": Walk,
    }
    plain = exact_value(task, build[name](links))
    longer, _ = lengthened((task, build[name](links)), is_new=True)
    planted = exact_value(longer, build[name]({**links, (BEHIND, "a"): 1e-6}))
    # P(C(1) > 1) is 1/2 without the link; with it users stop there in 1e-6 of these cases.
    assert planted.consulted[0] < plain.consulted[0] + 0.5 - 1e-7


# --- names ---------------------------------------------------------------------------------------


def _shuffled(case: Case, seed: int) -> dict[str, str]:
    names = names_in(case)
    order = np.random.default_rng(seed).permutation(len(names))
    return {name: f"element {number}" for name, number in zip(names, order, strict=True)}


@every_navigation
@quick
@given(SEEDS, SEEDS)
def test_the_order_of_ideals_does_not_matter(name: str, seed: int, other: int) -> None:
    """Other names put ideals, elements and links in another order; values and bounds stay."""
    case = random_case(name, seed)
    costs = random_costs(case[0], seed)
    again = renamed(case, _shuffled(case, other))
    for one, two in zip(_both(case), _both(again), strict=True):
        assert _same(one, two)
    assert _same(exact_value(*case, costs), exact_value(*again, costs))
    for bounds in (precision_bounds, any_dependence_bounds):
        low, high = (
            bounds(reach_matrix(task, navigation), task.num_unranked + task.num_ideals)
            for task, navigation in (case, again)
        )
        assert high.consulted_low == pytest.approx(low.consulted_low, rel=ROUNDING)
        assert high.precision_high == pytest.approx(low.precision_high, rel=ROUNDING)


def test_the_order_of_ideals_matters_to_exclusive_visits_that_overlap() -> None:
    """Beyond 1 the stretches of a circle meet the first of them, which is another one."""
    task, links = Task(["x", "a"], ["a", "b", "c"], 9), {("x", "b"): 0.75, ("x", "c"): 0.5}
    links[("x", "a")] = 0.25
    case = task, Coupled(Independent(links), "exclusive")
    again = renamed(case, {"x": "x", "a": "b", "b": "a", "c": "c"})
    assert not _same(exact_value(*case), exact_value(*again))


# --- types of users ------------------------------------------------------------------------------


def _as_types(navigation: Navigation, share: float) -> Mixture:
    return Mixture([share, 1 - share], [navigation, navigation])


@every_navigation
@quick
@given(SEEDS, st.floats(0, 1))
def test_merging_equal_types_changes_nothing(name: str, seed: int, share: float) -> None:
    task, navigation = random_case(name, seed)
    if isinstance(navigation, Covering | Expansion):
        with pytest.raises(InputError, match="navigation of a type"):
            _as_types(navigation, share)
        return
    if isinstance(navigation, Mixture):
        first, *others = navigation.shares
        parts = [first * share, first * (1 - share), *others]
        split = Mixture(parts, [navigation.types[0], *navigation.types])
    else:
        split = _as_types(navigation, share)
    for one, two in zip(_both((task, split)), _both((task, navigation)), strict=True):
        assert _same(one, two)
    law, same = consulted_law(task, split), consulted_law(task, navigation)
    assert (law is None) == (same is None)
    if law is not None and same is not None:
        assert law.wanting == pytest.approx(same.wanting, abs=1e-10)


def test_types_that_differ_are_not_merged() -> None:
    task = Task(["x", "y", "a"], ["a", "b"], 9)
    one, two = (Walk({("x", "a"): 0.5 + d, ("y", "a"): 0.5 - d}) for d in (0.0, 1e-3))
    assert not _same(exact_value(task, Mixture([0.5, 0.5], [one, two])), exact_value(task, one))


@pytest.mark.parametrize("base", BASES)
@quick
@given(SEEDS, st.floats(0, 1))
def test_a_factor_is_the_same_by_whichever_dial_it_comes(
    base: str, seed: int, factor: float
) -> None:
    """All users, at all numbers of ideals seen or wanted; of tables, P(x -> y) times the factor."""
    rng = np.random.default_rng(seed)
    task, navigation = random_task(rng), BASES[base](rng)
    ways: list[Navigation] = [
        Browsing(navigation, Types([1], [factor])),
        Browsing(navigation, Types([0.25, 0.75], [factor, factor])),
        Browsing(navigation, satiation=[factor]),
        Browsing(navigation, need=[factor]),
    ]
    if not navigation.is_walk:
        scaled = Independent({(x, y): p * factor for x, y, p in navigation.links})
        coupling = navigation.coupling if isinstance(navigation, Coupled) else "independent"
        ways.append(Coupled(scaled, coupling))
    first, *others = [_both((task, way)) for way in ways]
    for other in others:
        assert _same(first[0], other[0])
        assert _same(first[1], other[1])


# --- costs ---------------------------------------------------------------------------------------


@every_navigation
@quick
@given(SEEDS, st.floats(1e-6, 1e6))
def test_costs_in_another_unit(name: str, seed: int, factor: float) -> None:
    """E[CL], E[C] and its deviation scale; precision, skewness and whom the bounds hold do not."""
    task, navigation = random_case(name, seed)
    costs = random_costs(task, seed)
    more = ListCosts(costs.ranked * factor, costs.unranked * factor, unit="ticks")
    for one, two in (
        (exact_value(task, navigation, costs), exact_value(task, navigation, more)),
        (prum_of(task, navigation, costs=costs), prum_of(task, navigation, costs=more)),
    ):
        assert two.leading == pytest.approx(one.leading * factor, rel=ROUNDING)
        assert two.consulted == pytest.approx(one.consulted * factor, rel=ROUNDING)
        assert two.precision == pytest.approx(one.precision, rel=ROUNDING)
        if one.consulted_deviation is not None and two.consulted_deviation is not None:
            deviation = one.consulted_deviation * factor
            slack = 1e-6 * factor * float(one.consulted.max())
            assert two.consulted_deviation == pytest.approx(deviation, abs=slack)
    reach, u = reach_matrix(task, navigation), task.num_unranked + task.num_ideals
    for bounds in (precision_bounds, any_dependence_bounds):
        low, high = bounds(reach, u, costs=costs), bounds(reach, u, costs=more)
        assert high.consulted_low == pytest.approx(low.consulted_low * factor, rel=1e-6)
        assert high.consulted_high == pytest.approx(low.consulted_high * factor, rel=1e-6)
        assert high.precision_low == pytest.approx(low.precision_low, rel=1e-6)
        assert high.precision_high == pytest.approx(low.precision_high, rel=1e-6)


@every_navigation
@pytest.mark.parametrize("seed", spread(3, range(3)))
def test_simulated_costs_in_another_unit(name: str, seed: int) -> None:
    """The same users of the same seed, bit for bit, at eight times the cost each."""
    task, navigation = random_case(name, seed)
    costs = random_costs(task, seed)
    more = ListCosts(costs.ranked * 8, costs.unranked * 8, unit="ticks")
    if "need" in navigation.turned and task.num_ideals > 1:
        with pytest.raises(InputError, match="leave out costs, or need"):
            simulate(task, navigation, num_users=500, seed=seed, costs=costs)
        return
    one, two = (
        simulate(task, navigation, num_users=500, seed=seed, costs=each) for each in (costs, more)
    )
    assert (two.leading == 8 * one.leading).all()
    assert (two.consulted == 8 * one.consulted).all()
    assert (two.precision == one.precision).all()


@every_navigation
@quick
@given(SEEDS)
def test_equal_costs_count_elements(name: str, seed: int) -> None:
    task, navigation = random_case(name, seed)
    same = ListCosts(np.full(task.num_ranked, 3.5), 3.5, unit="seconds")
    counted, paid = exact_value(task, navigation), exact_value(task, navigation, same)
    assert paid.consulted == pytest.approx(3.5 * counted.consulted, rel=ROUNDING)
    assert paid.precision == pytest.approx(counted.precision, rel=ROUNDING)


def test_costs_of_some_ranks_change_precision() -> None:
    """Negative control: precision stays where all costs scale, and there alone."""
    task, walk = Task(["x", "a"], ["a"], 5), Walk({("x", "a"): 0.5})
    costs = ListCosts([2, 1], 1, unit="seconds")
    assert (
        abs(exact_value(task, walk, costs).precision - exact_value(task, walk).precision).max()
        > 1e-3
    )


# --- one ideal -----------------------------------------------------------------------------------

# With one ideal PRUM wants P(not seen by rank i) as a product over ranks. It is one where a user's
# visits at several ranks are independent with the probabilities of `reach_matrix`; with one ideal,
# a user who goes on has seen none, and wants one.
EXACT_DIALS = {"fading", "documents", "satiation", "need"}


def is_exact_with_one_ideal(navigation: Navigation) -> bool:
    """Return whether PRUM is the exact value for a single ideal, whatever the task."""
    if isinstance(navigation, Expansion):
        return navigation.tosses == "seed"
    return navigation.takes_dials or (
        isinstance(navigation, Browsing) and {*navigation.turned} <= EXACT_DIALS
    )


WITHOUT_LAW = {"unranked", "population", "beta", "one-factor", "dials", "mixture", "share", "whole"}


@every_navigation
@quick
@given(SEEDS)
def test_with_one_ideal_prum_isexact_value(name: str, seed: int) -> None:
    task, navigation = random_case(name, seed)
    if not is_exact_with_one_ideal(navigation):
        assert name in WITHOUT_LAW
        return
    single = Task(task.ranking, task.ideals[:1], task.collection_size)
    costs = random_costs(task, seed)
    for each in (None, costs):
        truth = exact_value(single, navigation, each)
        assert _same(prum_of(single, navigation, costs=each), truth)


X_Y = Task(["x", "y"], ["a"], 9)
TO_A = Independent({("x", "a"): 0.5, ("y", "a"): 0.5})
PIECES = ChunkTable({"x": ("d", 0, 60), "y": ("d", 40, 100), "z": ("d", 60, 100)})
GOLD = {"a": Span("d", 0, 100)}
# What depends from rank to rank, and how E[C(1)] then differs from PRUM's, by hand. P(a missed at
# both ranks), times (u + 1) / 2 = 4 for what is behind, with P(missed at x) = 1/2 in each.
ONE_IDEAL: dict[str, tuple[Task, Navigation, float]] = {
    # E[(1 - f)^2] - (1 - E f)^2 = Var f = 1/16, f = 1/4 or 3/4, of twice the links.
    "types": (
        X_Y,
        Browsing(Independent({("x", "a"): 1.0, ("y", "a"): 1.0}), Types([0.5, 0.5], [0.25, 0.75])),
        4 / 16,
    ),
    # Who misses at x hits at y, and nobody misses both.
    "mixture": (
        X_Y,
        Mixture([0.5, 0.5], [Walk({("x", "a"): 1.0}), Walk({("y", "a"): 1.0})]),
        -4 / 4,
    ),
    # Behind the list the first of z and a shows a; u = 7: (7 + 1) / 3 draws instead of (7 + 1) / 2.
    "unranked": (
        X_Y,
        Browsing(Independent({("x", "a"): 0.5, ("y", "a"): 0.5, ("z", "a"): 1.0}), unranked=True),
        (8 / 3 - 4) / 4,
    ),
    # Chunks of .6 each cover the whole of it, so nobody misses: PRUM has .4 * .4.
    "share": (Task(["x", "y"], ["a"], 3), Covering(PIECES, GOLD), -0.4 * 0.4 * 1.0),
    # No chunk shows all, both do.
    "whole": (Task(["x", "y"], ["a"], 3), Covering(PIECES, GOLD, whole=True), -1.0),
}


@pytest.mark.parametrize("name", ONE_IDEAL)
def test_with_one_ideal_prum_is_off_where_ranks_depend_on_each_other(name: str) -> None:
    task, navigation, difference = ONE_IDEAL[name]
    assert not is_exact_with_one_ideal(navigation)
    truth, published = exact_value(task, navigation), prum_of(task, navigation)
    assert truth.consulted[0] - published.consulted[0] == pytest.approx(difference, abs=1e-12)


@pytest.mark.parametrize("rho", [0.1, 0.9])
def test_with_one_factor_too(rho: float) -> None:
    """Misses at x and y are positively correlated: more users go on (Slepian)."""
    navigation = Browsing(TO_A, OneFactor(rho))
    assert exact_value(X_Y, navigation).consulted[0] > prum_of(X_Y, navigation).consulted[0] + 1e-3
