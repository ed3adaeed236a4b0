"""Browsing and mixtures: factors, names of kinds, and what degenerate cases come to."""

from collections.abc import Mapping
from typing import Any

import pytest

from prum.analytic import NoWalkError, closed_form, reach_matrix, walk_of
from prum.simulator import (
    Beta,
    Browsing,
    Copula,
    Coupled,
    Independent,
    InputError,
    Links,
    OneFactor,
    Task,
    Types,
    Walk,
    simulate,
)
from prum.simulator.model import Covering, ListCosts, Mixture
from prum.simulator.model.kinds import NAVIGATIONS, kind_of, navigation_of

TABLE = {("x", "a"): 0.5, ("x", "b"): 0.25}
TOSSES, PATHS = Independent(TABLE), Walk(TABLE)
DOCUMENTS = {"x": "d", "a": "d"}
ALL: dict[str, Any] = {
    "population": Types([0.5, 0.5], [0, 1]),
    "fading": 0.9,
    "satiation": [1, 0.5],
    "need": [0.25, 1],
    "documents": DOCUMENTS,
    "unranked": True,
}
VALUES = [
    Browsing(TOSSES),
    Browsing(PATHS, Beta(1, 2)),
    Browsing(Coupled(TOSSES, "exclusive"), OneFactor(0.5)),
    Browsing(Coupled(TOSSES, Copula(0.5)), **ALL),
    Browsing(PATHS, **ALL),
    *(Browsing(TOSSES, **{name: value}) for name, value in ALL.items()),
]


def test_dials_that_are_turned() -> None:
    assert VALUES[0].is_plain
    assert VALUES[0].turned == ()
    assert [one.turned for one in VALUES[5:]] == [(name,) for name in ALL]
    assert VALUES[4].turned == tuple(ALL)
    assert not any(one.is_plain for one in VALUES[1:])
    assert VALUES[3].links is TOSSES.links


def test_unranked_elements_must_be_as_many_as_are_named() -> None:
    """Links and documents name a, x and z besides the ranked y."""
    links = Independent({("x", "a"): 0.5})
    browsing = Browsing(links, documents={"x": "d", "z": "d"}, unranked=True)
    told = "number of unranked elements is 2, must be at least the 3 that links, ideals and doc"
    with pytest.raises(InputError, match=f"^{told}.*; count every element in collection_size"):
        simulate(Task(["y"], ["a"], 3), browsing, num_users=10, seed=1)
    assert simulate(Task(["y"], ["a"], 4), browsing, num_users=10, seed=1).num_users == 10


# --- factors ----------------------------------------------------------------------------------


def test_factors() -> None:
    browsing = Browsing(TOSSES, **{**ALL, "documents": {"a": "d", "y": "d"}})
    task = Task(["a", "x", "y", "a", "z"], ["a", "b"], 9)
    assert browsing.rank_factors(task).tolist() == pytest.approx([1, 0.9, 0, 0, 0.9**4])
    assert browsing.satiated(4).tolist() == [1, 0.5, 0.5, 0.5]
    assert browsing.needed(1).tolist() == [0.25]
    assert browsing.needed(3).tolist() == [0.25, 1, 1]
    assert Browsing(TOSSES, fading=0).rank_factors(task).tolist() == [1, 0, 0, 0, 0]
    assert Browsing(TOSSES).rank_factors(Task([], ["a"], 1)).shape == (0,)


@pytest.mark.parametrize(
    ("ranking", "documents", "known"),
    [
        ("xyz", {}, [False, False, False]),
        ("xyx", {}, [False, False, True]),
        ("xyz", {"x": "d", "z": "d"}, [False, False, True]),
        ("xyz", {"x": "d", "y": "e", "z": "e"}, [False, False, True]),
        ("xyz", {"x": "y", "z": "y"}, [False, False, True]),  # y is not of the document y
        ("", {"x": "d"}, []),
    ],
)
def test_known_documents(ranking: str, documents: Mapping[str, str], known: list[bool]) -> None:
    browsing = Browsing(TOSSES, documents=documents)
    factors = browsing.rank_factors(Task([*ranking], ["a"], 9))
    assert (factors == 0).tolist() == known


# --- names of kinds ---------------------------------------------------------------------------

DIAL_OF = {
    "beta 2.0 0.5": {"population": Beta(2, 0.5)},
    "types 0.25:0.0 0.75:1.0": {"population": Types([0.25, 0.75], [0, 1])},
    "one-factor 0.5": {"population": OneFactor(0.5)},
    "fading 0.9": {"fading": 0.9},
    "fading-law 1.0 0.8 0.5": {"fading": [1, 0.8, 0.5, 0.5]},
    "satiation 1.0 0.5": {"satiation": [1, 0.5]},
    "need 0.5 1.0 0.25": {"need": [0.5, 1, 0.25]},
    "no-revisit": {"documents": DOCUMENTS},
    "unranked": {"unranked": True},
}


def test_names_of_dials_read_back() -> None:
    words = [form.head for form in NAVIGATIONS.forms.values() if form.slot]
    assert [dial.split(" ")[0] for dial in DIAL_OF] == words
    for dial, turned in DIAL_OF.items():
        made = navigation_of(f"walk + {dial}", Links(TABLE), DOCUMENTS)
        assert made == Browsing(PATHS, **turned)  # type: ignore[arg-type]
        assert kind_of(made) == f"walk + {dial}"
    # One of how users differ, and one of fading.
    dials = [dial for dial in list(DIAL_OF)[2:] if dial != "fading 0.9"]
    kind = "walk + " + " + ".join(dials)
    made = navigation_of(" + ".join(reversed(kind.split(" + "))), Links(TABLE), DOCUMENTS)
    assert kind_of(made) == kind
    assert kind_of(navigation_of("need .5 .5 + fading .1", Links(TABLE))) == "fading 0.1 + need 0.5"


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("no-revisit", "documents of no-revisit must be known; give a file of elements"),
        ("types .5:1 .4:1", "sum of weights is 0.9, must be 1"),
        ("walk + fading .5", "sum of the probabilities of moving from 'x' is 1.5"),
    ],
)
def test_values_that_are_refused(kind: str, told: str) -> None:
    with pytest.raises(InputError, match=f"^{told}"):
        navigation_of(kind, Links({("x", "a"): 0.75, ("x", "b"): 0.75}))


# --- degenerate cases --------------------------------------------------------------------------


def test_no_dependence_is_independence() -> None:
    task = Task(["x", "a"], ["a", "b"], 5)
    free = simulate(task, Independent(TABLE), num_users=1_000, seed=1)
    for coupling in ("independent", Copula(0)):
        same = simulate(task, Coupled(Independent(TABLE), coupling), num_users=1_000, seed=1)  # type: ignore[arg-type]
        assert same.tally == free.tally


@pytest.mark.parametrize("coupling", ["exclusive", "comonotone", Copula(0.5)])
def test_degenerate_tasks(coupling: object) -> None:
    nothing = Coupled(Independent({}), coupling)  # type: ignore[arg-type]
    empty = simulate(Task([], ["a"], 3), nothing, num_users=20_000, seed=1)
    assert empty.consulted == pytest.approx([2.0], abs=0.05)
    ranked = simulate(Task(["a"], ["a"], 1), nothing, num_users=10, seed=1)
    assert ranked.consulted.tolist() == [1.0]
    sure = Coupled(Independent({("x", "a"): 1.0, ("x", "b"): 1.0}), coupling)  # type: ignore[arg-type]
    both = simulate(Task(["x"], ["a", "b"], 9), sure, num_users=10, seed=1)
    assert both.consulted.tolist() == [1.0, 1.0]
    impossible = Coupled(Independent({("x", "a"): 0.0}), coupling)  # type: ignore[arg-type]
    none = simulate(Task(["x"], ["a"], 2), impossible, num_users=10, seed=1)
    assert none.consulted.tolist() == [2.0]


def test_degenerate_populations() -> None:
    links = Independent({("x", "a"): 1.0, ("x", "b"): 1.0})
    task = Task(["x", "b"], ["a", "b"], 2 + 1)
    nobody = simulate(task, Browsing(links, Types([1], [0])), num_users=100, seed=1)
    assert nobody.consulted.tolist() == [2.0, 3.0]
    everybody = simulate(task, Browsing(links, Types([1], [1])), num_users=100, seed=1)
    assert everybody.consulted.tolist() == [1.0, 1.0]
    half = simulate(task, Browsing(links, Types([0.5, 0.5], [0, 1])), num_users=40_000, seed=1)
    assert half.consulted == pytest.approx([1.5, 2.0], abs=0.02)
    empty = simulate(Task([], ["a"], 3), Browsing(links, Beta(1, 1)), num_users=20_000, seed=1)
    assert empty.consulted == pytest.approx([2.0], abs=0.05)
    certain = simulate(task, Browsing(links, OneFactor(0.9)), num_users=100, seed=1)
    assert certain.consulted.tolist() == [1.0, 1.0]


FIRST, SECOND = Walk({("x", "a"): 0.75}), Walk({("x", "a"): 0.25, ("x", "b"): 0.5})


def test_what_a_mixture_holds() -> None:
    mixture = Mixture([0.25, 0.75], [FIRST, SECOND])
    assert {(x, y): p for x, y, p in mixture.links} == {("x", "a"): 0.375, ("x", "b"): 0.375}
    assert kind_of(Mixture([1], [Browsing(FIRST, fading=0.5)])) == "mixture of walk + fading 0.5"
    assert len(Mixture([1], [Independent({})]).links) == 0


def test_dials_are_those_of_each_type() -> None:
    mixture = Mixture([0.5, 0.5], [FIRST, SECOND])
    with pytest.raises(InputError, match="and each type of a Mixture its own"):
        Browsing(mixture, fading=0.5)  # type: ignore[arg-type]
    task = Task(["x", "a"], ["a"], 3)
    needs = Mixture([0.5, 0.5], [Browsing(FIRST, need=[0.5, 1]), SECOND])
    two = Task(["x", "a"], ["a", "b"], 3)
    with pytest.raises(InputError, match="must be left out where users browse by their need"):
        simulate(two, needs, num_users=9, seed=1, costs=ListCosts([1, 2], 1))
    with pytest.raises(InputError, match=r"mixture is Mixture.*must be of types without dials"):
        walk_of(task, needs)
    with pytest.raises(InputError, match="must be Independent, Coupled, Walk, Browsing, Mixture"):
        simulate(task, "walk", num_users=9, seed=1)  # type: ignore[arg-type]
    assert not isinstance(mixture, Covering)


def test_the_walk_of_a_mixture_has_its_reach() -> None:
    task, mixture = Task(["x", "a"], ["a", "b"], 3), Mixture([0.5, 0.5], [FIRST, SECOND])
    walk = walk_of(task, mixture)
    assert reach_matrix(task, walk).toarray() == pytest.approx(
        reach_matrix(task, mixture).toarray()
    )
    whirl = Walk({("x", "a"): 1, ("a", "b"): 1}), Walk({("x", "b"): 1, ("b", "a"): 1})
    with pytest.raises(NoWalkError):
        walk_of(task, Mixture([0.5, 0.5], whirl))


def test_no_closed_form_where_a_type_has_none() -> None:
    task = Task([f"x{k}" for k in range(20)], [f"a{k}" for k in range(20)], 50)
    walk = Walk({(f"x{k}", f"a{k}"): 0.5 for k in range(20)})
    assert closed_form(task, walk) is None
    assert closed_form(task, Mixture([0.5, 0.5], [Independent({}), walk])) is None
