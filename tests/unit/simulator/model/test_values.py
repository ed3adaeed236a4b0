"""The model's values: their texts, pickles and keys, what is equal, and what is refused."""

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from prum.simulator import model, simulate
from prum.simulator.model import (
    Beta,
    Browsing,
    ChunkTable,
    Copula,
    Coupled,
    Covering,
    Elements,
    Independent,
    InputError,
    Links,
    Mixture,
    OneFactor,
    Span,
    Task,
    Types,
    Walk,
)
from prum.simulator.model.costs import Constant, Costs, Exponential
from prum.simulator.model.errors import shown
from prum.simulator.model.stopping import (
    Budget,
    Found,
    Fruitless,
    Patience,
    Persistence,
    Ranks,
    Stopping,
    rule_of,
)
from prum.simulator.sessions.crowd import Geometric, Poisson
from prum.simulator.sessions.session import play

TABLE = {("x", "a"): 0.5, ("x", "b"): 0.25}
TOSSES, PATHS = Independent(TABLE), Walk(TABLE)
FIRST, SECOND = Walk({("x", "a"): 0.75}), Walk({("x", "a"): 0.25, ("x", "b"): 0.5})
DIALS: dict[str, Any] = {
    "population": Types([0.5, 0.5], [0, 1]),
    "fading": 0.9,
    "satiation": [1, 0.5],
    "need": [0.25, 1],
    "documents": {"x": "d", "a": "d"},
    "unranked": True,
}
ROWS = {"page": ("d", 0, 300), "a": ("d", 0, 100), "other": ("e", 0, 50)}
CHUNKS = ChunkTable(ROWS, parents={"a": "page"}, amounts={"tokens": [70, 25, 28.5]})
SPANS = {"x": Span("d", 90, 110)}
FIG_6 = {"a": (None, 60), "b": ("a", 40), "c": ("b", 10), "f": ("a", 10)}

# Every two are different, and so are their keys, if they have any.
VALUES: list[Any] = [
    Task(["c", "d", "a", "b"], ["a", "b"], 5),
    Task(["d", "c", "a", "b"], ["a", "b"], 5),
    Task(["c", "d", "a", "b"], ["a"], 5),
    Task(["c", "d", "a", "b"], ["a", "b"], 6),
    Task(["c", "d", "a", "b", "b"], ["a", "b"], 5),
    Task(["cd", "a", "b"], ["a", "b"], 5),
    Task([], ["a"], 1),
    Task(["a b", "\n", "日本", "'", '"', "\\", "\ud800"], ["\u2028", " "], 40),
    Task(["a", "b"], ["ç"], 5),
    Task(["a", "b"], ["c\u0327"], 5),
    *(make(rows) for make in (Links, Independent, Walk) for rows in ({}, TABLE)),
    Links({("a b", "日本"): 1 / 3, ("'", "\n"): 1e-300, ("\ud800", "x"): 1}),
    Links({**TABLE, ("x", "b"): 0.25 + 2**-54}),
    Links({**TABLE, ("x", "c"): 0.0}),
    Links({("y", "a"): 0.5, ("y", "b"): 0.25}),
    *(
        Coupled(TOSSES, coupling)
        for coupling in ("exclusive", "comonotone", Copula(0.5), Copula(1))
    ),
    Coupled(Independent({**TABLE, ("x", "b"): 0.26}), "exclusive"),
    *(Beta(2, 0.5), Beta(0.5, 2), OneFactor(0.3), OneFactor(0), Copula(0.5)),
    *(Types([0.5, 0.5], [0, 1]), Types([0.25, 0.25, 0.5], [0.1, 0.1, 0.1]), Types([1], [0.1])),
    Browsing(TOSSES),
    *(Browsing(PATHS, law) for law in (Beta(1, 2), Beta(2, 1), OneFactor(0.3), OneFactor(0.4))),
    Browsing(Coupled(TOSSES, Copula(0.5)), **DIALS),
    Browsing(PATHS, **DIALS),
    *(Browsing(TOSSES, **{name: value}) for name, value in DIALS.items()),
    Browsing(TOSSES, satiation=[0.25, 1]),
    Browsing(TOSSES, documents={"x": "e"}),
    *(Mixture(shares, [FIRST, SECOND]) for shares in ([0.25, 0.75], [0.75, 0.25])),
    Mixture([0.75, 0.25], [SECOND, FIRST]),
    *(Span("d", 3, 7), Span("d", 3, 8), Span("e", 3, 7)),
    *(CHUNKS, ChunkTable({}), ChunkTable(ROWS), ChunkTable(ROWS, parents={"a": "page"})),
    *(ChunkTable(ROWS, amounts={unit: [1] * 3}) for unit in ("tokens", "seconds")),
    ChunkTable({**ROWS, "other": ("f", 0, 50)}),
    *(Elements(rows) for rows in ({}, FIG_6, {**FIG_6, "g": ("a", 0)}, {**FIG_6, "f": ("a", 9)})),
    *(Elements({**FIG_6, "f": row}) for row in (("a", 10, 50), ("b", 10, 30))),
    Stopping(Found(2), Patience(Exponential(3)), Budget(60), Persistence(0.9), Fruitless(2)),
    Stopping(Ranks([0.5, 0.25])),
    Costs(Constant(1), Exponential(2), Constant(0), lengths={"a": 3}),
]
# Names in the texts of values.
NAMES = {name: getattr(model, name) for name in model.__all__} | {"Exponential": Exponential}


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_is_its_text_and_its_pickle(value: Any) -> None:
    for same in (eval(repr(value), NAMES), pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
        assert same == value
        assert getattr(same, "key", None) == getattr(value, "key", None)
        assert isinstance(value, Costs) or hash(same) == hash(value)


def test_values_are_told_apart() -> None:
    assert all(one is two or one != two for one in VALUES for two in VALUES)
    keys = [(type(value), value.key) for value in VALUES if hasattr(value, "key")]
    assert len(set(keys)) == len(keys) > 40
    assert all(len(key) == 64 and set(key) <= set("0123456789abcdef") for _, key in keys)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Task(("a", "b"), ["c", "a"], 5), Task(["a", "b"], ["a", "c"], 5)),
        (Task(np.array(["a"]), np.array(["b"]), 3), Task(["a"], ["b"], 3)),
        (Links({("a", "b"): 0}), Links({("a", "b"): -0.0})),
        (Links({("a", "b"): 1}), Links(Links({("a", "b"): 1.0}))),
        (Links(TABLE), Links(dict(reversed(TABLE.items())))),
        (Coupled(Independent(Links(TABLE)), "exclusive"), Coupled(TOSSES, "exclusive")),
        (Browsing(TOSSES, satiation=[1, 1, 1], fading=1, documents={}), Browsing(TOSSES)),
        (Browsing(TOSSES, satiation=[1, 0.5, 0.5]), Browsing(TOSSES, satiation=(1, 0.5))),
        (Browsing(TOSSES, need=iter([0.5])), Browsing(TOSSES, need=np.array([0.5, 0.5]))),
        (
            Browsing(TOSSES, documents=(("a", "d"), ("x", "d"))),
            Browsing(TOSSES, documents={"x": "d", "a": "d"}),
        ),
        (
            Mixture(iter([0.25, 0.75]), iter([FIRST, SECOND])),
            Mixture([0.25, 0.75], [FIRST, SECOND]),
        ),
        (Elements({**FIG_6, "f": ("a", 10, 40)}), Elements(FIG_6)),
        (Elements({"a": (None, 0.0)}), Elements({"a": (None, -0.0)})),
        (ChunkTable.from_columns(["a"], ["d"], [0.0], [12.0]), ChunkTable({"a": ("d", 0, 12)})),
    ],
)
def test_what_says_the_same_is_equal(one: Any, other: Any) -> None:
    assert one == other
    assert (hash(one), one.key, repr(one)) == (hash(other), other.key, repr(other))


# --- what is refused --------------------------------------------------------------------------

_ID = "must be a text that is not empty; name the element"
_LIST = Task(["x"], ["a"], 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Task(["a"], [], 1), "ideals is (), must hold at least one element; leave out top"),
        (lambda: Task(["a"], ["b", "a", "b"], 3), "ideals is 'b', must name each element once; dr"),
        (lambda: Task(["a", ""], ["b"], 3), f"element 2 of ranking is '', {_ID}"),
        (lambda: Task(["a"], ["b", 7], 3), f"element 2 of ideals is 7, {_ID}"),
        (lambda: Task(b"ab", ["b"], 3), f"element 1 of ranking is 97, {_ID}"),
        (lambda: Task("ab", ["b"], 3), "ranking is 'ab', must be several ids, not one text; write"),
        (lambda: Task(5, ["b"], 3), "ranking is 5, must be a sequence of ids; give a list of text"),
        (lambda: Task(["a"], ["b"], 1), "collection_size is 1, must be at least 2 (1 distinct ran"),
        (lambda: Task(["a", "a", "b"], ["b"], 1), "collection_size is 1, must be at least 2 (2 di"),
        (lambda: Task(["a"], ["b"], True), "collection_size is True, must be a whole number from "),
        (lambda: Task(["a", "a", "a"], ["a"], 2**31 - 2), "collection_size is 2147483646, must be"),
        (
            lambda: TOSSES.links.with_probabilities([1] * 3),
            "probabilities is (3,), must have shape (2",
        ),
        (lambda: Types([0.5, 0.6], [0, 1]), "sum of weights is 1.1, must be 1; divide them by the"),
        (lambda: Types([0.5, 0.5], [0]), "factors is (0.0,), must be as many as the 2 weights; gi"),
        (lambda: Types([1], [1.5]), "factors[0] is 1.5, must lie in [0, 1]; give a share"),
        (lambda: Types([1.5, -0.5], [1, 1]), "weights[0] is 1.5, must lie in [0, 1]"),
        (lambda: Types("1", "1"), "weights is '1', must be several numbers"),
        (lambda: Beta(0, 1), "a of beta is 0, must be positive and finite; try 1"),
        (lambda: Beta(1, math.inf), "b of beta is inf, must be positive and finite; try 1"),
        (lambda: OneFactor(1), "rho is 1.0, must be below 1; take .999, say"),
        (lambda: OneFactor(-0.1), "rho is -0.1, must lie in [0, 1]; give a correlation from 0"),
        (lambda: Copula(1.5), "rho is 1.5, must lie in [0, 1]"),
        (lambda: Coupled(TOSSES, "together"), "coupling is 'together', must be one of"),
        (lambda: Coupled(PATHS, "exclusive"), "navigation to couple is Walk({('x', 'a'): 0.5, ('x"),
        (lambda: Browsing(Links(TABLE)), "navigation to browse by is Links({('x', 'a'): 0.5, ('x'"),
        (lambda: Browsing(Browsing(TOSSES)), "navigation to browse by is Browsing(Independent({('"),
        (lambda: Browsing(TOSSES, 0.5), "population is 0.5, must be Types, Beta or OneFactor; try"),
        (lambda: Browsing(TOSSES, fading=1.5), "fading is 1.5, must lie in [0, 1]; give 1 for non"),
        (lambda: Browsing(TOSSES, satiation=[1, -1]), "satiation[1] is -1, must lie in [0, 1]; gi"),
        (lambda: Browsing(TOSSES, need="11"), "need is '11', must be several numbers; write"),
        (lambda: Browsing(TOSSES, documents=["x"]), "documents is ['x'], must be a mapping from e"),
        (lambda: Browsing(TOSSES, documents={"": "d"}), f"element of documents is '', {_ID}"),
        (lambda: Browsing(TOSSES, documents={"x": 1}), f"document of 'x' is 1, {_ID}"),
        (lambda: Browsing(TOSSES, unranked=1), "unranked is 1, must be True or False; leave it ou"),
        (lambda: Mixture([0.5, 0.4], [FIRST, SECOND]), "sum of shares is 0.9, must be 1; divide t"),
        (lambda: Mixture([1], [FIRST, SECOND]), "number of navigations is 2, must be as many as t"),
        (lambda: Mixture([1], [FIRST.links]), "navigation of a type is Links({('x', 'a'): 0.75}),"),
        (lambda: Mixture([1], [Mixture([1], [FIRST])]), "navigation of a type is Mixture((1.0,), "),
        (lambda: simulate(_LIST, "walk", num_users=9, seed=1), "navigation is 'walk', must be Ind"),
        (lambda: ChunkTable([("a", "d", 0, 1)]), "chunks is [('a', 'd', 0, 1)], must be a mapping"),
        (lambda: ChunkTable({"a": ("d", 0)}), "row of chunk 'a' is ('d', 0), must be (document, s"),
        (lambda: ChunkTable(ROWS, parents={"z": "page"}), "chunk with a parent is 'z', must be a "),
        (lambda: CHUNKS.numbers(["a", "z"]), "chunk is 'z', must be in the table; write ids like "),
        (lambda: CHUNKS.amount("words"), "unit of cost is 'words', must be one of characters, tok"),
        (lambda: Span("d", 5, 5), "end of a span is 5, must lie after the start, 5"),
        (lambda: Span("d", 5, 6.0), "end of a span is 6.0, must be a whole number from 0 to"),
        (lambda: Span("", 5, 6), f"document of a span is '', {_ID}"),
        (lambda: Covering(CHUNKS, [Span("d", 5, 6)]), "spans is [Span(document='d', start=5, end="),
        (lambda: Covering(CHUNKS, {"x": ("d", 5, 6)}), "span of 'x' is ('d', 5, 6), must be a Spa"),
        (lambda: Covering(ROWS, SPANS), "chunks is {'page': ('d', 0, 300), "),
        (lambda: Covering(CHUNKS, SPANS, links={("a", "z"): 1}), "end of a link is 'z', must be a"),
        (lambda: Budget(0), "budget is 0, must be positive and finite"),
        (lambda: Constant(-1), "time is -1, must be a finite number of at least 0"),
        (lambda: Exponential(0), "mean time is 0, must be positive"),
        (lambda: Persistence(1), "persistence is 1.0, must be below 1"),
        (lambda: Ranks([0.6, 0.6]), "sum of the probabilities of stopping is 1.2, must be at most"),
        (lambda: Ranks([]), "probabilities is [], must be several numbers"),
        (lambda: Fruitless(0), "elements is 0, must be a whole number of at least 1"),
        (lambda: Found(0), "ideals is 0, must be a whole number of at least 1"),
        (lambda: Patience(3), "patience is 3, must be Constant or Exponential"),
        (lambda: Stopping(3), "stopping rule is 3, must be Found"),
        (lambda: Costs(1, Constant(0), Constant(0)), "judge is 1, must be Constant or Exponential"),
        (lambda: Costs(*[Constant(0)] * 3, lengths={"e": -1}), "length of 'e' is -1, must be a fi"),
        (lambda: play(_LIST, TOSSES, user=-1, seed=1), "user is -1, must be a whole number from 0"),
        (lambda: play(_LIST, TOSSES, user=1, seed=-1), "seed is -1, must be a whole number from 0"),
        (lambda: rule_of("persistence"), "rule of stopping is 'persistence', must hold persistenc"),
        (lambda: rule_of(""), "rule of stopping is '', must be one of"),
        (lambda: rule_of("fruitless 2.5"), "elements is 2.5, must be a whole number"),
        (lambda: Poisson(0), "arrivals per hour is 0, must be positive"),
        (lambda: Geometric(0.5), "mean number of queries is 0.5, must be at least 1"),
        (lambda: Geometric(math.nan), "mean number of queries is nan, must be a finite"),
    ],
)
def test_what_is_refused(make: Callable[[], object], message: str) -> None:
    """In a line of thing, value, rule and remedy, the same after pickling."""
    with pytest.raises(InputError) as caught:
        make()
    error = caught.value
    assert str(error).startswith(message)
    assert len(str(error).splitlines()) == 1
    assert f"{error.thing} is {shown(error.value)}, must {error.rule}; {error.remedy}" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
