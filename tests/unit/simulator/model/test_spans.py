"""Spans, chunks and what they cost: the tables, their links, and what a bad one is told."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.simulator.model import (
    ChunkTable,
    Costs,
    Covering,
    Elements,
    InputError,
    Links,
    Span,
    Task,
    chunks,
)
from prum.simulator.model.way_names import way_of

ROWS = {
    "page": ("d", 0, 300),
    "b": ("d", 80, 200),
    "a": ("d", 0, 100),
    "c": ("d", 180, 300),
    "other": ("e", 0, 50),
}
PARENTS = dict.fromkeys("abc", "page")
TREE = ChunkTable(ROWS, parents=PARENTS, amounts={"tokens": [70, 30, 25, 28.5, 10]})
SPANS = {"x": Span("d", 90, 110)}


@st.composite
def tables(draw, deep=True):
    """Draw chunks of a few documents, of which some have larger ones as parents."""
    rows, parents = {}, {}
    for number in range(draw(st.integers(0, 8))):
        document, start = draw(st.sampled_from("de")), draw(st.integers(0, 9))
        above = [chunk for chunk, row in rows.items() if row[0] == document]
        if deep and above and draw(st.booleans()):
            parents[f"c{number}"] = draw(st.sampled_from(above))
        rows[f"c{number}"] = (document, start, start + draw(st.integers(1, 9)))
    costs = [draw(st.integers(1, 9)) for _ in rows]
    return ChunkTable(rows, parents=parents, amounts={"tokens": costs} if rows else None)


# --- tables -----------------------------------------------------------------------------------


@given(tables())
def test_tables_are_their_text_and_their_pickle(table):
    for copy in (eval(repr(table)), pickle.loads(pickle.dumps(table))):
        assert copy == table
        assert hash(copy) == hash(table)
        assert copy.key == table.key
        assert copy.parents.tolist() == table.parents.tolist()


@pytest.mark.parametrize(
    ("columns", "more", "said"),
    [
        ((["a"], ["d"], [0], [12.5]), {}, "end of chunk 'a' is 12.5, must be a whole number"),
        ((["a"], ["d"], [0], [np.nan]), {}, "end of chunk 'a' is nan"),
        ((["a"], ["d"], [-1], [2]), {}, "start of chunk 'a' is -1"),
        ((["a"], ["d"], [0], [2**60]), {}, "end of chunk 'a'"),
        ((["a"], ["d"], [5], [5]), {}, "end of chunk 'a' is 5, must lie after the start, 5"),
        ((["a"], ["d"], ["0"], [5]), {}, "starts of chunks is"),
        ((["a"], ["d"], [True], [5]), {}, "starts of chunks is"),
        ((["a"], ["d"], [[0]], [5]), {}, "starts of chunks is"),
        ((["a", ""], ["d"] * 2, [0, 0], [5, 5]), {}, "row 2 of chunks: chunk is ''"),
        (([7], ["d"], [0], [5]), {}, "chunk is 7, must be a text"),
        ((["a"], [None], [0], [5]), {}, "document of chunk 'a' is None"),
        ((["a", "a"], ["d"] * 2, [0, 0], [5, 5]), {}, "keep it or the one in row 1"),
        ((["a"], ["d"], [0, 1], [5]), {}, "columns of chunks is (1, 1, 2, 1, 1)"),
        ((["a"], ["d"], [0], [5]), {"parents": ["b"]}, "parent of chunk 'a' is 'b'"),
        ((["a"], ["d"], [0], [5]), {"parents": ["a"]}, "parent of chunk 'a' is 'a'"),
        ((["a", "b"], ["d", "e"], [0, 0], [5, 5]), {"parents": [None, "a"]}, "same document"),
        (
            (list("abcd"), ["d"] * 4, [0] * 4, [5] * 4),
            {"parents": ["b", "c", "a", None]},
            "parent of chunk 'a' is 'b', must not lie in its own child",
        ),
        ((["a"], ["d"], [0], [5]), {"amounts": {"tokens": [0]}}, "tokens of chunk 'a' is 0.0"),
        ((["a"], ["d"], [0], [5]), {"amounts": {"tokens": [np.inf]}}, "be positive, and at most"),
        ((["a"], ["d"], [0], [5]), {"amounts": {"tokens": [1, 2]}}, "must be 1 numbers"),
        ((["a"], ["d"], [0], [5]), {"amounts": {"tokens": ["1"]}}, "be a column of numbers"),
        ((["a"], ["d"], [0], [5]), {"amounts": {"characters": [1]}}, "not be characters"),
        (
            (["a"], ["d"], [0], [5]),
            {"amounts": {"tokens": [-1]}, "origin": "c.csv", "lines": [7]},
            "c.csv, line 7: tokens of chunk 'a'",
        ),
    ],
)
def test_bad_columns(columns, more, said):
    with pytest.raises(InputError) as error:
        ChunkTable.from_columns(*columns, **more)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


# --- links ------------------------------------------------------------------------------------


def test_links_lead_to_neighbours_parents_and_children():
    assert chunks(TREE, next=0.5, parent=0.1) == Links(
        {
            ("a", "b"): 0.5,
            ("b", "c"): 0.5,
            ("a", "page"): 0.1,
            ("b", "page"): 0.1,
            ("c", "page"): 0.1,
        }
    )
    assert chunks(TREE, previous=0.2) == Links({("b", "a"): 0.2, ("c", "b"): 0.2})
    assert chunks(TREE, child=1) == Links({("page", x): 1.0 for x in "abc"})
    assert chunks(TREE) == chunks(ChunkTable({}), next=1, parent=1) == Links({})


@given(tables(deep=False), st.booleans())
def test_links_without_parents_are_those_of_elements_in_documents(table, back):
    """Elements take siblings by start, then by row, so their starts here are ranks."""
    rows = dict.fromkeys(table.documents, (None, 1000, 0))
    order = sorted(range(len(table)), key=lambda k: (table.starts[k], table.ends[k], k))
    for position, k in enumerate(order):
        rows[table.ids[k]] = (table.documents[table.document[k]], 0, position)
    share = {"previous" if back else "next": 0.5}
    assert chunks(table, **share) == chunks(Elements(rows), **share)


def test_other_ways_take_no_offsets():
    with pytest.raises(InputError, match="way is 'structural', must be chunks"):
        way_of("structural").links(TREE, ())


@pytest.mark.parametrize("name", ["parent", "child"])
def test_parents_are_not_asked_for_in_vain(name):
    with pytest.raises(InputError, match=f"{name} is 0.5, must be 0 where no chunk has a parent"):
        chunks(ChunkTable(ROWS), **{name: 0.5})
    with pytest.raises(InputError, match="lie in"):
        chunks(TREE, **{name: 1.5})


# --- costs ------------------------------------------------------------------------------------


def test_costs_along_a_list_by_hand():
    links = {("a", "b"): 0.5, ("a", "page"): 0.1, ("b", "b"): 1, ("c", "other"): 1}
    covering = Covering(TREE, SPANS, links=links)
    task = Task(["a", "b", "a"], SPANS, covering.collection_size(2))
    costs = covering.costs_along(task, "tokens")
    assert costs.ranked.tolist() == [25 + 15 + 7, 30, 25]
    assert costs.unranked == (70 + 28.5 + 10 + 10) / 3
    assert costs.unit == "tokens"
    costs = covering.costs_along(task)
    assert costs.ranked.tolist() == [100 + 60 + 30, 120, 100]
    assert costs.unranked == (300 + 120 + 50 + 50) / 3
    assert costs.unit == "characters"


def test_costs_along_no_chunks():
    with pytest.raises(InputError, match="number of chunks is 0"):
        Covering(ChunkTable({}), SPANS).costs_along(Task([], SPANS, 1))
    with pytest.raises(InputError, match="chunk is 'z', must be in the table"):
        Covering(TREE, SPANS).costs_along(Task(["z"], SPANS, 7))


@given(tables().filter(len), st.data())
def test_costs_without_links_are_those_of_the_table(table, data):
    ranking = data.draw(st.permutations(table.ids))[: data.draw(st.integers(0, len(table)))]
    task = Task(ranking, SPANS, len(table) + 1)
    if len(ranking) < len(table):
        along = Covering(table, SPANS).costs_along(task, "tokens")
        each = dict(zip(table.ids, table.amount("tokens").tolist(), strict=True))
        plain = Costs.of(each, unit="tokens").along(task)
        assert along.ranked.tolist() == plain.ranked.tolist()
        assert along.unranked == pytest.approx(plain.unranked, rel=1e-14)


def test_coverings_are_equal_by_content():
    links = chunks(TREE, next=0.5)
    first, second = Covering(TREE, SPANS, links=links), Covering(TREE, SPANS, links={})
    assert first == Covering(TREE, SPANS, links=chunks(TREE, next=0.5)) != second
    assert len({first, second, pickle.loads(pickle.dumps(first))}) == 2
