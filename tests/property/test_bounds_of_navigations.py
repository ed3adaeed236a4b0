"""What bounds every navigation, what dependence and more links do to it, on random tasks.

Each law says for which navigations it holds, and beside it stands a case where it does not.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prum.analytic import (
    PrecisionBounds,
    PrecisionRecall,
    any_dependence_bounds,
    precision_bounds,
    reach_matrix,
)
from prum.simulator.model import (
    Browsing,
    ChunkTable,
    Copula,
    Coupled,
    Covering,
    Expansion,
    Independent,
    Mixture,
    Navigation,
    Span,
    Task,
    Types,
    Walk,
)
from tests.random_navigations import (
    NAMES,
    SEEDS,
    every_navigation,
    exact_value,
    random_case,
    random_costs,
    random_links,
    random_task,
)
from tests.tiers import examples

# Relative, for sums of a few hundred rounded terms; quadrature over users who differ ends at 1e-10.
ROUNDING = 1e-9

quick = settings(max_examples=examples(40))


# --- bounds --------------------------------------------------------------------------------------


def _inside(value: PrecisionRecall, bounds: PrecisionBounds) -> bool:
    slack = 1e-8
    return bool(
        (value.consulted >= bounds.consulted_low * (1 - slack)).all()
        and (value.consulted <= bounds.consulted_high * (1 + slack)).all()
        and (value.precision >= bounds.precision_low * (1 - slack)).all()
        and (value.precision <= bounds.precision_high * (1 + slack)).all()
    )


def ranks_are_independent(navigation: Navigation) -> bool:
    """Return whether what ranks show is independent, with the margins of `reach_matrix`."""
    turned = {*navigation.turned}
    return (navigation.takes_dials or isinstance(navigation, Browsing)) and turned <= {
        "fading",
        "documents",
    }


def has_margins(navigation: Navigation) -> bool:
    """Return whether users see what some rank shows, each with the margins of `reach_matrix`.

    Not where what a rank shows depends on what users have seen (satiation) or want (need), where
    they browse from behind the list, nor where several chunks together show a whole span.
    """
    needs_all = navigation.reading is not None and navigation.reading.whole
    return not needs_all and not {"satiation", "need", "unranked"} & {*navigation.turned}


@every_navigation
@quick
@given(SEEDS)
def test_bounds_hold_of_every_navigation_with_the_same_reach(name: str, seed: int) -> None:
    task, navigation = random_case(name, seed)
    # A rounded mean may leave unseen what is certain: as many behind the list as there are ideals.
    task = Task(task.ranking, task.ideals, task.collection_size + task.num_ideals)
    reach, u = reach_matrix(task, navigation), task.num_unranked
    for costs in (None, random_costs(task, seed)):
        truth = exact_value(task, navigation, costs)
        narrow, wide = (
            bounds(reach, u, costs=costs) for bounds in (precision_bounds, any_dependence_bounds)
        )
        if ranks_are_independent(navigation):
            assert _inside(truth, narrow)
        if has_margins(navigation):
            assert _inside(truth, wide)


TWICE = Task(["x", "y"], ["a"], 20)
OUTSIDE: dict[str, Navigation] = {
    # Types that go from x or from y, never both: less than independent ranks can have.
    "mixture": Mixture([0.5, 0.5], [Walk({("x", "a"): 1.0}), Walk({("y", "a"): 1.0})]),
    "types": Browsing(Independent({("x", "a"): 1.0, ("y", "a"): 1.0}), Types([0.5, 0.5], [0, 1])),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_bounds_of_independent_ranks_do_not_hold_of_types(name: str) -> None:
    """With one ideal, the bounds of independent ranks are a single value: the product."""
    navigation = OUTSIDE[name]
    reach, u = reach_matrix(TWICE, navigation), TWICE.num_unranked
    truth = exact_value(TWICE, navigation)
    assert not _inside(truth, precision_bounds(reach, u))
    wide = any_dependence_bounds(reach, u)
    assert _inside(truth, wide)
    # Attained: at the lower end by who goes once, at the upper by who goes twice.
    end = wide.consulted_low if name == "mixture" else wide.consulted_high
    assert truth.consulted[0] == pytest.approx(end[0], rel=1e-12)


def test_no_bounds_hold_of_chunks_that_show_a_whole_span_together() -> None:
    pieces = ChunkTable({"x": ("d", 0, 60), "y": ("d", 40, 100)})
    whole = Covering(pieces, {"a": Span("d", 0, 100)}, whole=True)
    task = Task(["x", "y"], ["a"], 9)
    bounds = any_dependence_bounds(reach_matrix(task, whole), task.num_unranked)
    assert not _inside(exact_value(task, whole), bounds)


@pytest.mark.parametrize("dial", ["satiation", "need", "unranked"])
def test_no_bounds_hold_where_the_reach_is_not_what_users_see(dial: str) -> None:
    dials = {"satiation": [1, 0], "need": [0, 1], "unranked": True}
    task = Task(["x", "y"], ["a", "b"], 20)
    links = {("x", "a"): 1.0, ("y", "b"): 1.0, ("z", "b"): 1.0, ("w", "a"): 1.0}
    navigation = Browsing(Independent(links), **{dial: dials[dial]})  # type: ignore[arg-type]
    if dial == "unranked":
        navigation = Browsing(Independent({("z", "b"): 1.0, ("w", "a"): 1.0}), unranked=True)
    reach, u = reach_matrix(task, navigation), task.num_unranked
    assert not _inside(exact_value(task, navigation), any_dependence_bounds(reach, u))


# --- dependence within an element ----------------------------------------------------------------


def _along(task: Task, table: Independent) -> list[PrecisionRecall]:
    """Return exact values from visits that shun each other to those that go together."""
    couplings = ("exclusive", "independent", Copula(0.3), Copula(0.7), "comonotone")
    return [exact_value(task, Coupled(table, coupling)) for coupling in couplings]  # type: ignore[arg-type]


@settings(max_examples=examples(120))
@given(SEEDS, st.booleans())
def test_dependence_delays_the_first_ideal_and_hastens_the_last(seed: int, overlaps: bool) -> None:
    """E[C(1)] grows from exclusive to comonotone visits, E[C(t)] falls, for t > 1.

    C(r) = sum of 1[F_i < r], and behind the list h(F_o). For r = 1, 1[F_i = 0] is the product over
    ranks and ideals of 1 - v, for r = t, 1[F_i = t] is a product of increasing functions of the
    visits of each rank, and -h, h(s) = (t - s)(u + 1) / (t - s + 1), convex in their sum: both are
    supermodular in the visits of one rank given those of others. Their means grow with the
    supermodular order, in which Gaussian copulas grow with rho up to comonotone visits, and
    exclusive ones are least where their probabilities sum to 1 at most. Beyond that P(no visit) is
    least all the same, so r = 1 stays.
    """
    rng = np.random.default_rng(seed)
    task, table = random_task(rng), Independent(random_links(rng, None if overlaps else 1 - 1e-9))
    values = _along(task, table)
    t = task.num_ideals
    first = np.array([value.consulted[0] for value in values])
    assert (np.diff(first) >= -ROUNDING * first.max()).all()
    assert (np.diff([value.precision[0] for value in values]) <= ROUNDING).all()
    if t > 1:
        last = np.array([value.consulted[-1] for value in values][overlaps and t > 2 :])
        assert (np.diff(last) <= ROUNDING * last.max()).all()


def test_between_first_and_last_dependence_may_go_either_way() -> None:
    """r = 2 of 3 ideals, u = 8: behind the list users draw 9/2, 3 or 0 for 0, 1 or 2 ideals seen.

    With two links of .1 comonotone visits give .9 * 9/2, exclusive ones .8 * 9/2 + .2 * 3, which is
    more. With three of .5 it is .5 * 9/2, and (3 + 0) / 2, which is less.
    """
    task = Task(["x"], ["a", "b", "c"], 9)
    for ideals, p, exclusive, comonotone in (("ab", 0.1, 4.2, 4.05), ("abc", 0.5, 1.5, 2.25)):
        values = _along(task, Independent({("x", ideal): p for ideal in ideals}))
        assert values[0].consulted[1] == pytest.approx(1 + exclusive, rel=1e-12)
        assert values[-1].consulted[1] == pytest.approx(1 + comonotone, rel=1e-12)


# --- more links ----------------------------------------------------------------------------------


def never_hurt(navigation: Navigation) -> bool:
    """Return whether a user who sees more can only see more later.

    Not where those who have seen more browse less (falling satiation).
    """
    return all(
        list(one.satiated(9)) == sorted(one.satiated(9))
        for one in navigation.types or (navigation,)
        if isinstance(one, Browsing)
    )


@every_navigation
@quick
@given(SEEDS, st.floats(0, 1))
def test_a_likelier_link_costs_nobody_a_consultation(name: str, seed: int, part: float) -> None:
    """Each user sees what they saw and more, on the same random numbers, so E[C(r)] does not grow.

    Exclusive visits are left out at the ends of the circle: see `random_links`.
    """
    task, navigation = random_case(name, seed)
    if not never_hurt(navigation):
        return
    rng = np.random.default_rng(seed)
    more = _with_likelier(navigation, rng, part)
    before, after = exact_value(task, navigation), exact_value(task, more)
    assert (after.consulted <= before.consulted * (1 + ROUNDING)).all()


def _with_likelier(navigation: Navigation, rng: np.random.Generator, part: float) -> Navigation:
    """Return a navigation one of whose links is likelier, by a part of what it can be at most."""
    if isinstance(navigation, Mixture):
        first, *others = navigation.types
        return Mixture(navigation.shares, [_with_likelier(first, rng, part), *others])
    if isinstance(navigation, Browsing):
        dials = {name: getattr(navigation, name) for name in navigation.turned}
        return Browsing(_with_likelier(navigation.base, rng, part), **dials)
    links = {(x, y): p for x, y, p in navigation.links}
    names = navigation.reading.chunks.ids if navigation.reading else NAMES
    x, y = (str(name) for name in rng.choice(np.array(names), 2, replace=len(names) < 2))
    if x == y:
        return navigation
    has_room = navigation.is_walk or getattr(navigation, "coupling", "") == "exclusive"
    taken = sum(p for (source, _), p in links.items() if source == x) if has_room else 0.0
    now = links.get((x, y), 0.0)
    links[(x, y)] = now + part * (0.999 * max(1 - taken, 0) if has_room else 1 - now)
    if isinstance(navigation, Coupled):
        return Coupled(Independent(links), navigation.coupling)
    if isinstance(navigation, Covering):
        return Covering(navigation.chunks, navigation.spans, links=links, whole=navigation.whole)
    if isinstance(navigation, Expansion):
        return Expansion(links, hops=navigation.hops, decay=navigation.decay)
    return Walk(links) if navigation.is_walk else Independent(links)


def test_users_who_have_had_enough_may_consult_more_for_a_likelier_link() -> None:
    """a is seen at x at once, and then nobody goes from y to b and c."""
    task = Task(["x", "y"], ["a", "b", "c"], 30)
    consulted = [
        exact_value(
            task,
            Browsing(
                Independent({("x", "a"): p, ("y", "b"): 1.0, ("y", "c"): 1.0}), satiation=[1, 0]
            ),
        ).consulted[1]
        for p in (0.0, 1.0)
    ]
    assert consulted[1] > consulted[0] + 1
