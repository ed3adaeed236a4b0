"""The oracle against laws worked out by hand, which say what the rules of browsing are."""

from fractions import Fraction
from math import comb

import pytest

from prum.simulator.model import (
    Browsing,
    Coupled,
    Independent,
    Task,
    Types,
    Walk,
)
from tests.oracle.enumeration import Expectation, exact_reach, expectations, place_pmf
from tests.oracle.worlds import solve, walk_worlds

F = Fraction


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


def test_solve_with_a_zero_pivot() -> None:
    assert solve([[F(0), F(2)], [F(3), F(1)]], [F(4), F(5)]) == [1, 2]
