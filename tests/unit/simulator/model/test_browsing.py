"""Browsing: what it is equal to, what is refused, its factors, and the names of its kinds."""

import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

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
from prum.simulator.model.browsing import known_documents
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


# --- plain data -------------------------------------------------------------------------------


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_plain_data(value: Browsing) -> None:
    read = eval(repr(value))
    assert read == value
    assert (hash(read), read.key) == (hash(value), value.key)
    assert pickle.loads(pickle.dumps(value)) == value
    assert not hasattr(value, "__dict__")


def test_shown_are_the_dials_that_are_turned() -> None:
    assert repr(VALUES[0]) == f"Browsing({TOSSES!r})"
    assert repr(VALUES[4]) == (
        f"Browsing({PATHS!r}, population=Types(weights=(0.5, 0.5), factors=(0.0, 1.0)), "
        "fading=0.9, satiation=(1.0, 0.5), need=(0.25, 1.0), documents={'a': 'd', 'x': 'd'}, "
        "unranked=True)"
    )
    assert VALUES[0].is_plain
    assert VALUES[0].turned == ()
    assert [one.turned for one in VALUES[5:]] == [(name,) for name in ALL]
    assert VALUES[4].turned == tuple(ALL)
    assert not any(one.is_plain for one in VALUES[1:])
    assert VALUES[3].links is TOSSES.links


def test_every_dial_tells_values_apart() -> None:
    values: list[object] = [*VALUES, TOSSES, PATHS, Browsing(Independent({}), **ALL)]
    values += [Browsing(TOSSES, satiation=[0.25, 1]), Browsing(TOSSES, documents={"x": "e"})]
    assert len(set(values)) == len(values)
    keys = {value.key for value in values}  # type: ignore[attr-defined]
    assert len(keys) == len(values)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"satiation": [1, 1, 1]}, {}),
        ({"satiation": [1, 0.5, 0.5]}, {"satiation": (1, 0.5)}),
        ({"satiation": [0.5, 1, 0.5]}, {"satiation": np.array([0.5, 1, 0.5, 0.5])}),
        ({"need": iter([0.5])}, {"need": [0.5, 0.5]}),
        ({"fading": 1}, {}),
        ({"documents": {}}, {}),
        ({"documents": {"x": "d", "a": "d"}}, {"documents": (("a", "d"), ("x", "d"))}),
        ({"unranked": False, "population": None}, {}),
    ],
)
def test_equal_dials_are_equal(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = Browsing(TOSSES, **one), Browsing(TOSSES, **other)
    assert first == second
    assert (hash(first), first.key, repr(first)) == (hash(second), second.key, repr(second))


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (
            lambda: Browsing(Links(TABLE)),  # type: ignore[arg-type]
            r"navigation to browse by is Links\(.*, must be Independent, Coupled or Walk; give the"
            " dials of one Browsing together",
        ),
        (
            lambda: Browsing(Browsing(TOSSES, fading=0.5), Beta(1, 1)),  # type: ignore[arg-type]
            r"navigation to browse by is Browsing\(.*, must be Independent, Coupled or Walk; give",
        ),
        (
            lambda: Browsing(TOSSES, 0.5),  # type: ignore[arg-type]
            r"population is 0.5, must be Types, Beta or OneFactor; try Beta\(1, 1\)",
        ),
        (lambda: Browsing(TOSSES, fading=1.5), r"fading is 1.5, must lie in \[0, 1\]; give 1 for"),
        (lambda: Browsing(TOSSES, fading=float("nan")), r"fading is nan, must lie in \[0, 1\]"),
        (lambda: Browsing(TOSSES, fading="no"), "fading is 'no', must lie in"),  # type: ignore[arg-type]
        (
            lambda: Browsing(TOSSES, satiation=[1, -0.5]),
            r"satiation\[1\] is -0.5, must lie in \[0, 1\]; give a share",
        ),
        (
            lambda: Browsing(TOSSES, satiation=0.5),  # type: ignore[arg-type]
            r"satiation is 0.5, must be several numbers; write",
        ),
        (lambda: Browsing(TOSSES, satiation=[]), r"satiation is \[\], must be several numbers"),
        (
            lambda: Browsing(TOSSES, need="11"),  # type: ignore[arg-type]
            r"need is '11', must be several numbers; write",
        ),
        (lambda: Browsing(TOSSES, need=[2]), r"need\[0\] is 2, must lie in \[0, 1\]; give a"),
        (lambda: Browsing(TOSSES, need=()), r"need is \(\), must be several numbers; write"),
        (
            lambda: Browsing(TOSSES, documents=["x", "a"]),  # type: ignore[arg-type]
            r"documents is \['x', 'a'\], must be a mapping from element to document; write",
        ),
        (
            lambda: Browsing(TOSSES, documents=7),  # type: ignore[arg-type]
            "documents is 7, must be a mapping from element to document; write {element: document}",
        ),
        (
            lambda: Browsing(TOSSES, documents={"": "d"}),
            "element of documents is '', must be a text that is not empty; name the element",
        ),
        (
            lambda: Browsing(TOSSES, documents={"x": 1}),  # type: ignore[dict-item]
            "document of 'x' is 1, must be a text that is not empty; name the element",
        ),
        (
            lambda: Browsing(TOSSES, unranked=1),  # type: ignore[arg-type]
            "unranked is 1, must be True or False; leave it out",
        ),
    ],
)
def test_what_is_refused(make: Callable[[], object], told: str) -> None:
    with pytest.raises(InputError, match=f"^{told}"):
        make()


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
    assert known_documents(ranking, documents).tolist() == known


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
