"""The oracle against the numbers printed in the paper, and its two halves against each other."""

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from math import comb, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from prum.simulator.model import (
    Beta,
    Browsing,
    Copula,
    Coupled,
    Independent,
    Navigation,
    OneFactor,
    Task,
    Types,
    Walk,
)
from tests.oracle.enumeration import (
    Expectation,
    exact_probability,
    exact_reach,
    expectations,
    place_pmf,
    prum_literal,
    solve,
    toss_worlds,
    walk_worlds,
    worlds,
)
from tests.oracle.naive import DIAL_FAULTS, FAULTS, naive_users
from tests.tiers import slow, spread

F = Fraction

TABLE_III = (
    Task(["c", "d", "a", "b"], ["a", "b"], 4),
    Independent({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}),
)
FIG_2 = Walk({("x", "y"): 0.5, ("x", "z"): 0.3, ("y", "z"): 0.8, ("z", "y"): 0.12})
# Section 4.2.1: six elements; a holds 60 words, b 40, c 10; equation (9).
STRUCTURAL = Independent({("a", "c"): 1 / 6, ("b", "c"): 1 / 4})


# --- numbers printed in the paper -------------------------------------------------------------


def test_table_iii_scenarios() -> None:
    task, navigation = TABLE_III
    scenarios: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for probability, contexts in toss_worlds(task, navigation):
        first_a = next(i for i, seen in enumerate(contexts, start=1) if "a" in seen)
        first_b = next(i for i, seen in enumerate(contexts, start=1) if "b" in seen)
        scenarios[first_a, first_b] += probability
    assert scenarios == {  # rank where a is first seen, rank where b is
        (1, 1): F("0.16"),
        (1, 2): F("0.096"),
        (1, 4): F("0.144"),
        (2, 1): F("0.144"),
        (2, 2): F("0.0864"),
        (2, 4): F("0.1296"),
        (3, 1): F("0.096"),
        (3, 2): F("0.0576"),
        (3, 4): F("0.0864"),
    }


def test_table_iii_expectations() -> None:
    first, second = expectations(*TABLE_III)
    assert (first.leading, second.leading) == (F(1), F("1.7536"))
    assert (first.consulted, second.consulted) == (F("1.4464"), F("2.7136"))
    assert [round(float(e.precision), 5) for e in (first, second)] == [0.69137, 0.64623]


def test_table_iii_prum() -> None:
    assert [round(float(e.precision), 5) for e in prum_literal(*TABLE_III)] == [0.69137, 0.63561]


def test_table_iii_standard_precision() -> None:
    task, _ = TABLE_III
    assert [e.precision for e in expectations(task, Independent({}))] == [F(1, 3), F(1, 2)]
    assert [e.precision for e in prum_literal(task, Independent({}))] == [F(1, 3), F(1, 2)]


def test_fig_2_walk() -> None:
    task = Task(["x"], ["y", "z"], 3)
    assert exact_reach(task, FIG_2) == [[F("0.536"), F("0.7")]]
    both = sum(p for p, (seen,) in walk_worlds(task, FIG_2) if seen == {"y", "z"})
    assert both == F("0.436")


@pytest.mark.parametrize(("y", "z", "both"), [(0.536, 0.7, "0.3752"), (0.5, 0.3, "0.15")])
def test_fig_2_independent(y: float, z: float, both: str) -> None:
    navigation = Independent({("x", "y"): y, ("x", "z"): z})
    outcomes = toss_worlds(Task(["x"], ["y", "z"], 3), navigation)
    assert sum(p for p, (seen,) in outcomes if seen == {"y", "z"}) == F(both)


def test_fig_4() -> None:
    task = Task(["a", "b", "c"], ["d"], 4)
    navigation = Independent({("a", "d"): 0.4, ("b", "d"): 0.9, ("c", "d"): 0.2})
    for rank, printed in enumerate(["0.4", "0.94", "0.952"], start=1):
        outcomes = toss_worlds(task, navigation)
        seen_by_then = sum(p for p, contexts in outcomes if any(contexts[:rank]))
        assert seen_by_then == F(printed)


@pytest.mark.parametrize(
    ("ranking", "precision"),
    [(["a", "b", "c"], (F(1, 6) + F(5, 24) + F(5, 8)) / F(59, 24)), (["c", "b", "a"], F(1))],
)
def test_section_4_2_1(ranking: list[str], precision: Fraction) -> None:
    task = Task(ranking, ["c"], 6)
    assert [e.precision for e in expectations(task, STRUCTURAL)] == [precision]
    assert [e.precision for e in prum_literal(task, STRUCTURAL)] == [precision]


def test_section_4_2_1_bad_engine_rounded() -> None:
    (only,) = expectations(Task(["a", "b", "c"], ["c"], 6), STRUCTURAL)
    assert round(float(only.precision), 4) == 0.4068


def test_section_4_2_2() -> None:
    task = Task(["a"], ["b", "c"], 100)
    navigation = Independent({("a", "b"): 1, ("a", "c"): 1})
    assert task.num_unranked == 99
    assert [e.precision for e in expectations(task, navigation)] == [1, 1]
    assert [e.precision for e in prum_literal(task, navigation)] == [1, 1]


def test_appendix_b_beyond_the_list() -> None:
    # Raghavan: r ideals at r / (ranked + expected unranked); two ideals among 97 + 2, none ranked.
    first, second = expectations(Task(["a"], ["b", "c"], 100), Independent({}))
    assert first.precision == 1 / (1 + 1 + F(97, 3))
    assert second.precision == 2 / (1 + 2 * (1 + F(97, 3)))


# --- further values worked out by hand --------------------------------------------------------


def test_entry_that_leads_to_two_ideals() -> None:
    half = {("x", "a"): 0.5, ("x", "b"): 0.5}
    task = Task(["x", "a", "b"], ["a", "b"], 3)
    tossed = expectations(task, Independent(half))[1]
    assert (tossed.precision, tossed.mean_ratio) == (F(7, 9), F(5, 6))
    assert tossed.consulted_pmf == {1: F(1, 4), 2: F(1, 4), 3: F(1, 2)}
    assert tossed.consulted_variance == F(11, 16)
    assert expectations(task, Walk(half))[1].precision == F(4, 5)


def test_walk_round_a_cycle() -> None:
    # From a they come to b with .5, back to a with .25 of it, and so on: b is reached with .5, and
    # c from b or a later b with .5 * .25 * (1 + 1/8 + 1/64 + ...) = 1/7.
    task = Task(["a"], ["b", "c"], 3)
    navigation = Walk({("a", "b"): 0.5, ("b", "a"): 0.25, ("b", "c"): 0.25})
    assert exact_reach(task, navigation) == [[F(1, 2), F(1, 7)]]
    assert {seen: p for p, (seen,) in walk_worlds(task, navigation)} == {
        frozenset(): F(1, 2),
        frozenset("b"): F(1, 2) - F(1, 7),
        frozenset("bc"): F(1, 7),
    }


def test_duplicates_are_consulted_and_lead_nowhere_new() -> None:
    task = Task(["x", "x", "a"], ["a"], 2)
    navigation = Independent({("x", "a"): 0.5})
    (only,) = expectations(task, navigation)
    assert (only.leading, only.consulted) == (F(1), F(2))
    assert exact_reach(task, navigation) == [[F(1, 2)], [0], [1]]


def test_unranked_part_alone() -> None:
    first, second = expectations(Task([], ["a", "b"], 5), Independent({}))
    assert (first.consulted, second.consulted) == (F(2), F(4))
    assert (first.leading, second.leading) == (F(1), F(2))
    assert first.consulted_pmf == {1: F(4, 10), 2: F(3, 10), 3: F(2, 10), 4: F(1, 10)}


def test_ideal_seen_by_navigation_counts_no_more_in_the_unranked_part() -> None:
    # x shows a for certain; b is the only ideal left among three unranked elements.
    task = Task(["x"], ["a", "b"], 4)
    first, second = expectations(task, Independent({("x", "a"): 1}))
    assert (first.consulted, second.consulted) == (F(1), F(1 + 2))


# --- dials of browsing, worked out by hand ----------------------------------------------------

TWO_ON_A = Independent({("x", "a"): 0.5, ("y", "a"): 0.8})
CHAIN = Walk({("x", "m"): 1.0, ("m", "a"): 1.0})


def only(task: Task, browsing: Browsing) -> Expectation:
    (record,) = expectations(task, browsing)
    return record


def test_fading_halves_the_second_rank() -> None:
    record = only(Task(["x", "y"], ["a"], 3), Browsing(TWO_ON_A, fading=0.5))
    assert record.consulted_pmf == {1: F("0.5"), 2: F("0.5") * F("0.4"), 3: F("0.5") * F("0.6")}


def test_fading_to_nothing_spares_the_first_rank() -> None:
    record = only(Task(["x", "y"], ["a"], 3), Browsing(TWO_ON_A, fading=0))
    assert record.consulted_pmf == {1: F("0.5"), 3: F("0.5")}


def test_duplicates_fade_too() -> None:
    record = only(Task(["x", "x", "y"], ["a"], 3), Browsing(TWO_ON_A, fading=0.5))
    assert record.consulted_pmf == {1: F("0.5"), 3: F("0.5") * F("0.2"), 4: F("0.5") * F("0.8")}


def test_who_has_had_enough_goes_through_the_unranked_part() -> None:
    # x shows a; at y they have seen one ideal, do not browse, and b is one of two unranked.
    task, links = Task(["x", "y"], ["a", "b"], 4), Independent({("x", "a"): 1, ("y", "b"): 1})
    first, second = expectations(task, Browsing(links, satiation=[1, 0]))
    assert (first.consulted_pmf, second.consulted_pmf) == ({1: 1}, {3: F(1, 2), 4: F(1, 2)})
    assert expectations(task, links)[1].consulted_pmf == {2: 1}


def test_an_ideal_does_not_satiate_before_it_is_browsed_from() -> None:
    links = Independent({("a", "b"): 1})
    second = expectations(Task(["a"], ["a", "b"], 2), Browsing(links, satiation=[1, 0]))[1]
    assert second.joint == {(1, 1): 1}


def test_success_that_excites() -> None:
    # Nobody browses before they have seen an ideal, which stands second.
    links = Independent({(x, "b"): 1 for x in "xay"})
    second = expectations(
        Task(["x", "a", "y"], ["a", "b"], 4), Browsing(links, satiation=[0, 0.5, 1])
    )[1]
    assert second.joint == {(3, 2): F(1, 2), (4, 2): F(1, 2)}


def test_who_wants_more_browses_less() -> None:
    # At r = 2 each visit happens with 1/2: both, one (the other at place 1 or 2 of two), neither.
    task, links = Task(["x"], ["a", "b"], 3), Independent({("x", "a"): 1, ("x", "b"): 1})
    first, second = expectations(task, Browsing(links, need=[1, 0.5]))
    assert first.joint == {(1, 1): 1}
    assert second.joint == {(1, 1): F(1, 4), (2, 2): F(1, 4), (3, 2): F(1, 2)}


def test_known_documents_are_not_browsed_from() -> None:
    task, links = Task(["y", "x"], ["a"], 3), Independent({("x", "a"): 1})
    assert only(task, Browsing(links, documents={"x": "d", "y": "d"})).consulted == 3
    assert only(task, Browsing(links, documents={"x": "d", "y": "e"})).consulted == 2
    # The element x is of no document of that name.
    assert only(task, Browsing(links, documents={"y": "x"})).consulted == 2


def test_a_known_document_shows_the_ideal_itself() -> None:
    links, documents = Independent({("a", "b"): 1}), {"x": "d", "a": "d"}
    second = expectations(Task(["x", "a"], ["a", "b"], 3), Browsing(links, documents=documents))[1]
    assert second.joint == {(3, 2): 1}


def test_browsing_from_one_unranked_element() -> None:
    links = Independent({("x", "a"): 0.5})
    record = only(Task([], ["a"], 2), Browsing(links, unranked=True))
    assert record.consulted_pmf == {1: F(3, 4), 2: F(1, 4)}
    # It fades with its place after the list: x is the second element they consult.
    record = only(Task(["y"], ["a"], 3), Browsing(links, unranked=True, fading=0.5))
    assert record.consulted_pmf == {2: F(1, 2) + F(1, 8), 3: F(3, 8)}
    assert record.leading == 1


def test_elements_of_known_documents_in_the_unranked_part() -> None:
    # Of x, z and a in random order; x shows a, unless z comes first, which is nowhere but in
    # documents.
    links, documents = Independent({("x", "a"): 1}), {"x": "d", "z": "d"}
    record = only(Task([], ["a"], 3), Browsing(links, documents=documents, unranked=True))
    assert record.consulted_pmf == {1: F(2, 3), 2: F(1, 6), 3: F(1, 6)}


def test_more_named_elements_than_there_are() -> None:
    with pytest.raises(ValueError, match="3 elements are named, 2 are unranked"):
        expectations(Task([], ["a"], 2), Browsing(TWO_ON_A, unranked=True))


def test_types_keep_their_factor_from_rank_to_rank() -> None:
    links = Independent({("x", "a"): 1, ("y", "a"): 1})
    task, population = Task(["x", "y"], ["a"], 3), Types([0.25, 0.75], [0, 0.5])
    record = only(task, Browsing(links, population))
    assert record.consulted_pmf == {1: F(3, 8), 2: F(3, 16), 3: F(1, 4) + F(3, 16)}


def test_a_walk_is_dimmed_where_it_sets_off() -> None:
    assert only(Task(["x"], ["a"], 3), Browsing(CHAIN, need=[0.5])).consulted_pmf == {
        1: F(1, 2),
        2: F(1, 4),
        3: F(1, 4),
    }


@pytest.mark.parametrize(
    ("coupling", "joint"),
    [
        ("exclusive", {(2, 2): F(2, 5), (3, 2): F(3, 5)}),
        ("comonotone", {(1, 1): F(2, 5), (3, 2): F(3, 5)}),
    ],
)
def test_dimmed_margins_are_coupled(coupling: str, joint: dict[tuple[int, int], Fraction]) -> None:
    # Margins of 2/5 each: only who visits b alone comes to the end at a.
    links = Independent({("x", "a"): 0.8, ("x", "b"): 0.8})
    browsing = Browsing(Coupled(links, coupling), need=[0.5])  # type: ignore[arg-type]
    assert expectations(Task(["x", "a", "b"], ["a", "b"], 3), browsing)[1].joint == joint


@pytest.mark.parametrize(("u", "unseen"), [(1, 1), (4, 2), (7, 3), (5, 5)])
def test_places_have_coopers_expectation(u: int, unseen: int) -> None:
    for wanted in range(1, unseen + 1):
        pmf = place_pmf(u, unseen, wanted)
        mean = sum(place * p for place, p in pmf.items())
        assert mean == wanted * (1 + F(u - unseen, unseen + 1))  # (16)
        assert pmf[wanted] == F(comb(u - wanted, unseen - wanted), comb(u, unseen))


def test_exact_probability() -> None:
    assert exact_probability(0.4) == F(2, 5)
    assert exact_probability(1 / 3) == F(1, 3)
    assert exact_probability(0.123456789) == F(0.123456789)
    assert exact_probability(1e-30) == F(1e-30)
    assert (exact_probability(0.0), exact_probability(1.0)) == (F(0), F(1))


def test_solve_with_a_zero_pivot() -> None:
    assert solve([[F(0), F(2)], [F(3), F(1)]], [F(4), F(5)]) == [1, 2]


# --- small tasks of every kind ----------------------------------------------------------------

CASES: dict[str, tuple[Task, Navigation]] = {
    "table III": TABLE_III,
    "structural": (Task(["a", "b", "c"], ["c"], 6), STRUCTURAL),
    "best entry point": (
        Task(["a"], ["b", "c"], 100),
        Independent({("a", "b"): 1, ("a", "c"): 1}),
    ),
    "no navigation": (Task(["a", "d", "b"], ["a", "b", "c"], 9), Independent({})),
    "unranked part": (
        Task(["x", "a", "y"], ["a", "b", "c"], 9),
        Independent({("x", "b"): 0.5, ("x", "a"): 0.3, ("y", "b"): 0.4, ("y", "c"): 0.7}),
    ),
    "tight collection": (
        Task(["x", "y"], ["a", "b", "c"], 5),
        Independent({("x", "a"): 0.5, ("x", "b"): 0.5, ("y", "b"): 0.25, ("y", "c"): 0.5}),
    ),
    "duplicates": (
        Task(["x", "x", "a", "x", "y", "a"], ["a", "b"], 8),
        Independent({("x", "a"): 0.4, ("x", "b"): 0.4, ("y", "b"): 0.5}),
    ),
    "empty ranking": (Task([], ["a", "b"], 6), Independent({("a", "b"): 0.5})),
    "empty ranking, all ideal": (Task([], ["a", "b"], 2), Independent({})),
    "certain links": (
        Task(["x", "y", "c"], ["a", "b", "c"], 6),
        Independent({("x", "a"): 1, ("y", "a"): 1, ("y", "b"): 1}),
    ),
    "certain and uncertain": (
        Task(["x", "y"], ["a", "b", "c"], 6),
        Independent({("x", "a"): 1, ("x", "b"): 0.2, ("y", "b"): 0.6, ("y", "a"): 0.5}),
    ),
    "walk, fig. 2": (Task(["x", "w"], ["y", "z"], 6), FIG_2),
    "walk, one path": (
        Task(["x", "a", "b"], ["a", "b"], 3),
        Walk({("x", "a"): 0.5, ("x", "b"): 0.5}),
    ),
    "walk with cycle": (
        Task(["p", "a", "q", "p"], ["a", "b", "c"], 8),
        Walk(
            {
                ("p", "q"): 0.6,
                ("p", "b"): 0.2,
                ("q", "p"): 0.3,
                ("q", "c"): 0.4,
                ("q", "q"): 0.1,
                ("c", "a"): 0.5,
                ("b", "q"): 0.5,
                ("a", "b"): 0.25,
            }
        ),
    ),
    "walk, certain": (Task(["x", "c"], ["a", "b", "c"], 5), Walk({("x", "a"): 1, ("a", "b"): 1})),
    "walk from nothing": (Task([], ["a"], 4), Walk({("a", "b"): 0.5})),
}
cases = pytest.mark.parametrize(("task", "navigation"), CASES.values(), ids=CASES)
# A walk breaks Hypothesis 2.2, so PRUM is not the truth even in its denominator.
INDEPENDENT_CASES = {k: v for k, v in CASES.items() if isinstance(v[1], Independent)}
independent_cases = pytest.mark.parametrize(
    ("task", "navigation"), INDEPENDENT_CASES.values(), ids=INDEPENDENT_CASES
)


@cases
def test_worlds_sum_to_one(task: Task, navigation: Navigation) -> None:
    outcomes = list(worlds(task, navigation))
    assert sum(p for p, _ in outcomes) == 1
    assert all(p > 0 and len(contexts) == task.num_ranked for p, contexts in outcomes)
    for record in expectations(task, navigation):
        assert sum(record.joint.values()) == 1
        assert all(1 <= cl <= min(c, record.r) for c, cl in record.joint)
        assert all(c <= task.num_ranked + task.num_unranked for c, _ in record.joint)


@cases
def test_dials_that_are_not_turned_do_nothing(task: Task, navigation: Navigation) -> None:
    """Users followed from element to element do what worlds settle beforehand."""
    assert not isinstance(navigation, Browsing)
    assert expectations(task, Browsing(navigation)) == expectations(task, navigation)


@cases
def test_more_ideals_cost_more(task: Task, navigation: Navigation) -> None:
    for fewer, more in pairwise(expectations(task, navigation)):
        assert fewer.consulted <= more.consulted
        assert fewer.leading <= more.leading


@independent_cases
def test_prum_needs_hypothesis_2_3_for_leading_alone(task: Task, navigation: Navigation) -> None:
    for exact, literal in zip(
        expectations(task, navigation), prum_literal(task, navigation), strict=True
    ):
        assert literal.consulted == exact.consulted
        assert literal.leading <= exact.leading
        if exact.r == 1:
            assert literal.leading == exact.leading


def test_prum_takes_a_reach_matrix() -> None:
    task, navigation = TABLE_III
    assert prum_literal(task, exact_reach(task, navigation)) == prum_literal(task, navigation)


# --- the naive walker against the enumeration -------------------------------------------------

USERS = 20_000
FEWER = 5_000  # enough to show every planted fault
FAMILY_WISE = 1e-4  # P(any comparison of one task beyond the threshold | walker right)


def disagreements(
    task: Task,
    navigation: Navigation,
    consulted: NDArray[np.int64],
    leading: NDArray[np.int64],
) -> list[str]:
    """Return the means of the walker that miss the exact ones by more than chance explains.

    Means of C, CL, CL / C, C^2 and C CL for each r, z with the measured standard error, Bonferroni
    over all of them. Where every user did the same, the mean must be equal.
    """
    wanted: list[tuple[str, NDArray[np.float64], Fraction]] = []
    for exact in expectations(task, navigation):
        c = consulted[:, exact.r - 1].astype(float)
        cl = leading[:, exact.r - 1].astype(float)
        ratio = np.divide(cl, c, out=np.full_like(c, np.inf), where=c > 0)
        wanted += [
            (f"E[C({exact.r})]", c, exact.consulted),
            (f"E[CL({exact.r})]", cl, exact.leading),
            (f"E[CL({exact.r}) / C({exact.r})]", ratio, exact.mean_ratio),
            (f"E[C({exact.r})^2]", c * c, exact.mean(lambda c, _: c * c)),
            (f"E[C({exact.r}) CL({exact.r})]", c * cl, exact.mean(lambda c, cl: c * cl)),
        ]
    threshold = norm.isf(FAMILY_WISE / len(wanted) / 2)
    beyond = []
    for what, values, truth in wanted:
        if np.all(values == values[0]):
            if abs(values[0] - float(truth)) > 1e-12:
                beyond.append(f"{what}: all {values[0]}, exactly {float(truth)}")
            continue
        if not np.all(np.isfinite(values)):
            beyond.append(f"{what}: not finite")
            continue
        z = (values.mean() - float(truth)) / (values.std(ddof=1) / sqrt(len(values)))
        if abs(z) > threshold:
            beyond.append(f"{what}: z = {z:.1f}, at most {threshold:.1f}")
    return beyond


@pytest.mark.parametrize("num_users", [FEWER, pytest.param(USERS, marks=slow)])
@cases
def test_naive_users_agree(task: Task, navigation: Navigation, num_users: int) -> None:
    consulted, leading = naive_users(task, navigation, num_users, np.random.default_rng(2007))
    assert consulted.shape == leading.shape == (num_users, task.num_ideals)
    assert consulted.dtype == leading.dtype == np.int64
    assert disagreements(task, navigation, consulted, leading) == []


@cases
def test_naive_users_do_only_what_can_happen(task: Task, navigation: Navigation) -> None:
    consulted, leading = naive_users(task, navigation, 2000, np.random.default_rng(1))
    for exact in expectations(task, navigation):
        column = exact.r - 1
        done = set(zip(consulted[:, column].tolist(), leading[:, column].tolist(), strict=True))
        assert done <= set(exact.joint)


def test_naive_users_are_reproducible() -> None:
    first = naive_users(*TABLE_III, 100, np.random.default_rng(5))
    again = naive_users(*TABLE_III, 100, np.random.default_rng(5))
    assert all(np.array_equal(x, y) for x, y in zip(first, again, strict=True))


def test_unknown_fault() -> None:
    with pytest.raises(ValueError, match="must be one of FAULTS"):
        naive_users(*TABLE_III, 1, np.random.default_rng(0), fault="no such fault")


# For each fault a task on which it must show.
WITNESSES = {
    "rank off by one": "certain links",
    "tail dropped": "unranked part",
    "reach two percent high": "high reach",
    "leading per ideal": "table III",
    "unranked with replacement": "unranked part",
    "unranked off by one": "empty ranking",
    "duplicates lead again": "duplicates",
    "duplicates not consulted": "duplicates",
    "self forgotten": "table III",
    "unseen not removed": "tight collection",
    "last rank skipped": "unranked part",
    "one visit per context": "table III",
    "stop one late": "table III",
    "first toss reused": "table III",
    "one toss per user": "table III",
    "seen again counts": "certain and uncertain",
    "last find not counted": "table III",
    "steps not followed": "walk, fig. 2",
    "links all followed": "walk, one path",
}
# A miss costs dozens of consultations here, so two percent of the reach weigh much.
HIGH_REACH = (Task(["x"], ["a"], 100), Independent({("x", "a"): 0.9}))


def test_every_fault_has_a_witness() -> None:
    assert tuple(WITNESSES) == FAULTS
    assert len(set(FAULTS)) == len(FAULTS)


@pytest.mark.parametrize(("fault", "case"), WITNESSES.items(), ids=WITNESSES)
def test_every_fault_is_caught(fault: str, case: str) -> None:
    task, navigation = HIGH_REACH if case == "high reach" else CASES[case]
    rng = np.random.default_rng(2007)
    consulted, leading = naive_users(task, navigation, FEWER, rng, fault=fault)
    assert disagreements(task, navigation, consulted, leading) != []


# --- the same of dials ------------------------------------------------------------------------

# b, c and z are not ranked, nor are two elements without a name.
RICH = Task(["x", "a", "y", "x"], ["a", "b", "c"], 8)
TABLE = Independent(
    {
        ("x", "a"): 0.5,
        ("x", "b"): 0.4,
        ("a", "b"): 0.6,
        ("a", "c"): 0.3,
        ("y", "b"): 0.5,
        ("y", "c"): 0.7,
        ("z", "b"): 0.8,
        ("z", "c"): 0.6,
        ("b", "c"): 0.9,
    }
)
PATHS = Walk(
    {
        ("x", "y"): 0.5,
        ("x", "a"): 0.3,
        ("a", "z"): 0.6,
        ("y", "b"): 0.5,
        ("y", "c"): 0.3,
        ("z", "b"): 0.5,
        ("z", "c"): 0.5,
        ("b", "c"): 0.75,
        ("c", "x"): 0.25,
    }
)
EXCLUSIVE, COMONOTONE = Coupled(TABLE, "exclusive"), Coupled(TABLE, "comonotone")
CORRELATED = Coupled(TABLE, Copula(0.6))
DIFFER = Types([0.5, 0.25, 0.25], [0.2, 0.5, 1])
ONE_DOCUMENT = {"x": "d", "y": "d", "b": "d", "z": "e", "c": "e"}
EVERYTHING = {
    "fading": 0.8,
    "satiation": [0.6, 1, 0.5],
    "need": [1, 0.9, 0.7],
    "documents": ONE_DOCUMENT,
    "unranked": True,
}
BROWSED: dict[str, Browsing] = {
    "types": Browsing(TABLE, DIFFER),
    "types, exclusive": Browsing(EXCLUSIVE, DIFFER),
    "types, walk": Browsing(PATHS, DIFFER),
    "fading": Browsing(TABLE, fading=0.5),
    "fading, exclusive": Browsing(EXCLUSIVE, fading=0.5),
    "fading, comonotone": Browsing(COMONOTONE, fading=0.5),
    "fading, walk": Browsing(PATHS, fading=0.5),
    "fading, unranked": Browsing(TABLE, fading=0.7, unranked=True),
    "satiation falls": Browsing(TABLE, satiation=[1, 0.4, 0]),
    "satiation rises": Browsing(PATHS, satiation=[0.3, 1]),
    "need": Browsing(EXCLUSIVE, need=[0.4, 1, 0.7]),
    "documents": Browsing(TABLE, documents=ONE_DOCUMENT),
    "documents, one seen": Browsing(TABLE, documents={"b": "d", "y": "d"}),
    "documents, unranked": Browsing(PATHS, documents=ONE_DOCUMENT, unranked=True),
    "unranked": Browsing(TABLE, unranked=True),
    "unranked, coupled independently": Browsing(Coupled(TABLE, "independent"), unranked=True),
    "everything": Browsing(TABLE, DIFFER, **EVERYTHING),  # type: ignore[arg-type]
    "everything, exclusive": Browsing(EXCLUSIVE, DIFFER, **EVERYTHING),  # type: ignore[arg-type]
    "everything, comonotone": Browsing(COMONOTONE, DIFFER, **EVERYTHING),  # type: ignore[arg-type]
    "everything, walk": Browsing(PATHS, DIFFER, **EVERYTHING),  # type: ignore[arg-type]
    "copula, fading": Browsing(CORRELATED, fading=0.5),
    "beta": Browsing(TABLE, Beta(0.5, 0.5), fading=0.8),
    "beta, walk": Browsing(PATHS, Beta(2, 1), unranked=True),
    "one factor": Browsing(TABLE, OneFactor(0.6)),
    "one factor, comonotone": Browsing(COMONOTONE, OneFactor(0.3), need=[0.7, 1]),
    "one factor, walk": Browsing(PATHS, OneFactor(0.6), satiation=[0.8, 1, 0.5]),
    "one factor, copula": Browsing(CORRELATED, OneFactor(0.3), documents=ONE_DOCUMENT),
}
browsed = pytest.mark.parametrize("browsing", BROWSED.values(), ids=BROWSED)


@pytest.mark.parametrize("browsing", spread(3, BROWSED.values()), ids=BROWSED)
def test_laws_of_browsing_sum_to_one(browsing: Browsing) -> None:
    exact = (
        not isinstance(browsing.population, Beta | OneFactor) and browsing.navigation != CORRELATED
    )
    for record in expectations(RICH, browsing):
        assert abs(sum(record.joint.values()) - 1) <= (0 if exact else 1e-9)
        assert all(p > 0 for p in record.joint.values())
        assert all(1 <= cl <= min(c, record.r) for c, cl in record.joint)
        assert all(c <= RICH.num_ranked + RICH.num_unranked for c, _ in record.joint)


@slow
@pytest.mark.parametrize("case", spread(5, BROWSED))
def test_naive_users_browse_alike(case: str) -> None:
    browsing = BROWSED[case]
    users = naive_users(RICH, browsing, USERS, np.random.default_rng(2007))
    assert disagreements(RICH, browsing, *users) == []


@pytest.mark.parametrize("navigation", [TABLE, PATHS, Coupled(TABLE, Copula(0.5))], ids=str)
def test_naive_users_of_dials_not_turned_are_the_same(navigation: Navigation) -> None:
    assert not isinstance(navigation, Browsing)
    plain = naive_users(RICH, navigation, 500, np.random.default_rng(6))
    browsing = naive_users(RICH, Browsing(navigation), 500, np.random.default_rng(6))
    assert all(np.array_equal(x, y) for x, y in zip(plain, browsing, strict=True))


TWICE = {("y", "b"): 0.9, ("z", "b"): 0.9}


@slow
@pytest.mark.parametrize("population", [Beta(0.5, 0.5), OneFactor(0.8)], ids=str)
@pytest.mark.parametrize("navigation", [Independent(TWICE), Walk(TWICE)], ids=["tosses", "walk"])
def test_populations_without_fractions(
    navigation: Independent | Walk, population: Beta | OneFactor
) -> None:
    """One visit happens as to the average user; a second one tells who the user is."""
    browsing = Browsing(navigation, population)
    average = Browsing(navigation, Types([1], [population.mean]))

    def missed(ranking: list[str], fault: str | None) -> list[str]:
        task, rng = Task(ranking, ["b"], 8), np.random.default_rng(8)
        return disagreements(task, average, *naive_users(task, browsing, USERS, rng, fault=fault))

    assert missed(["y"], None) == []
    assert missed(["y", "z"], None) != []
    assert missed(["y", "z"], "factor drawn per rank") == []
    assert missed(["y", "z"], "factor of the mean") == []


# For each fault what must be browsed, that it shows among the users of RICH.
DIAL_WITNESSES = {
    "fading one rank late": "fading",
    "fading starts anew": "fading, unranked",
    "satiation counts the new one": "satiation falls",
    "satiation counts finds": "satiation falls",
    "satiation wraps round": "satiation rises",
    "need of one more": "need",
    "need of the last": "need",
    "documents forgotten": "documents",
    "documents known by seeing": "documents, one seen",
    "unranked not browsed": "unranked",
    "unranked in order": "unranked",
    "factor drawn per rank": "types",
    "factor of the mean": "types",
    "browsing all or nothing": "fading",
    "dimmed at every step": "fading, walk",
    "self dimmed": "fading",
}


def test_every_fault_of_dials_has_a_witness() -> None:
    assert tuple(DIAL_WITNESSES) == DIAL_FAULTS
    assert len({*DIAL_FAULTS, *FAULTS}) == len(DIAL_FAULTS) + len(FAULTS)


@pytest.mark.parametrize("fault", spread(5, DIAL_WITNESSES))
def test_every_fault_of_dials_is_caught(fault: str) -> None:
    """The fast tier has all of them in `tests/agreement/test_browsing.py`."""
    browsing = BROWSED[DIAL_WITNESSES[fault]]
    users = naive_users(RICH, browsing, FEWER, np.random.default_rng(2007), fault=fault)
    assert disagreements(RICH, browsing, *users) != []
