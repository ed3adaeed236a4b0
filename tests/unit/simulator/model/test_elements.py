"""Elements: where each begins, what holds what, document order, and what a bad table is told."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.simulator.model import Elements, InputError

FIG_6 = {
    "a": (None, 60),
    "b": ("a", 40),
    "c": ("b", 10),
    "d": ("b", 10),
    "e": ("b", 10),
    "f": ("a", 10),
}


@st.composite
def trees(draw, most=12):
    """Draw rows {id: (parent, length, start)} of whole numbers; siblings may overlap."""
    rows = {}
    for number in range(draw(st.integers(0, most))):
        parent = draw(st.sampled_from([None, *rows]))
        if parent is None:
            start, length = draw(st.integers(0, 5)), draw(st.integers(0, 40))
        else:
            _, size, begin = rows[parent]
            start = begin + draw(st.integers(0, size))
            length = draw(st.integers(0, begin + size - start))
        rows[f"e{number}"] = (parent, length, start)
    return rows


def chain(depth):
    return {f"c{i}": (f"c{i - 1}" if i else None, depth - i) for i in range(depth)}


def refused(rows, *parts):
    """Expect one line of message that holds every part; return it."""
    with pytest.raises(InputError) as caught:
        Elements(rows)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    for part in parts:
        assert part in message
    assert str(pickle.loads(pickle.dumps(caught.value))) == message
    return message


# --- what a table holds -----------------------------------------------------------------------


def test_fig_6_is_laid_end_to_end():
    table = Elements(FIG_6)
    assert table.ids == ("a", "b", "c", "d", "e", "f")
    assert table.starts.tolist() == [0, 0, 0, 10, 20, 40]
    assert table.lengths.tolist() == [60, 40, 10, 10, 10, 10]
    assert table.parents.tolist() == [-1, 0, 1, 1, 1, 0]
    assert table.depths.tolist() == [0, 1, 2, 2, 2, 1]
    assert table.documents.tolist() == [0] * 6
    assert table.afters.tolist() == [6, 5, 3, 4, 5, 6]
    assert table.children("a") == ("b", "f")
    assert table.children("c") == ()
    assert table.ancestors("d") == ("b", "a")
    assert table.ancestors("a") == ()


def test_a_missing_start_is_the_end_of_the_sibling_given_before():
    table = Elements(
        {
            "p": (None, 100, 5),
            "one": ("p", 10),
            "two": ("p", 10, 50),
            "three": ("p", 10),
            "four": ("p", 10, 20),
            "five": ("p", 10, None),
        }
    )
    starts = dict(zip(table.ids, table.starts.tolist(), strict=True))
    assert starts == {"p": 5, "one": 5, "two": 50, "three": 60, "four": 20, "five": 30}
    assert table.ids == ("p", "one", "four", "five", "two", "three")


def test_parents_may_come_after_their_children():
    shuffled = dict(reversed(FIG_6.items()))
    table = Elements(shuffled)
    assert table.children("a") == ("f", "b")  # laid end to end as given
    assert table.ancestors("c") == ("b", "a")


def test_arrays_are_read_only():
    table = Elements(FIG_6)
    for name in ("parents", "depths", "documents", "afters", "starts", "lengths"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(table, name)[0] = 1


# --- equality ---------------------------------------------------------------------------------


def test_the_key_of_a_long_table_is_made_of_pieces(monkeypatch):
    whole = Elements(FIG_6).key
    monkeypatch.setattr("prum.simulator.model.tables._PIECE", 2)
    assert Elements(FIG_6).key == whole


@given(trees())
def test_laws_of_any_tree(rows):
    table = Elements(rows)
    assert eval(repr(table)) == table
    assert Elements({row[0]: row[1:] for row in table}) == table
    assert {row[0]: row[1:] for row in table} == rows
    for x in rows:
        above = table.ancestors(x)
        assert len(above) == table.depths[table.number(x)]
        chain_above, parent = [], rows[x][0]
        while parent is not None:
            chain_above.append(parent)
            parent = rows[parent][0]
        assert above == tuple(chain_above)
        assert table.ids[table.documents[table.number(x)]] == (above[-1] if above else x)
        assert sorted(table.children(x)) == sorted(y for y in rows if rows[y][0] == x)
        starts = [rows[y][2] for y in table.children(x)]
        assert starts == sorted(starts)
        for y in rows:
            assert table.contains(y, x) == (y in above)


# --- what is refused --------------------------------------------------------------------------


def test_an_element_twice():
    with pytest.raises(InputError, match=r"t\.csv, line 9: element is 'a', must be given once.*7"):
        Elements.from_columns(
            ["a", "b", "a"], [None] * 3, [1, 1, 1], origin="t.csv", lines=[7, 8, 9]
        )


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ({"": (None, 1)}, ("row 1 of elements", "text that is not empty")),
        ({7: (None, 1)}, ("row 1 of elements", "text that is not empty")),
        ({"a": (None, 1), "b": ("A", 1)}, ("row 2", "parent of 'b' is 'A'")),
        ({"a": (None, 1), "b": ("", 1)}, ("row 2", "text that is not empty")),
        ({"a": (None, 1), "b": (None, -1e-300)}, ("row 2", "length of 'b'", "of at least 0")),
        ({"a": (None, 1), "b": (None, 1, float("nan"))}, ("row 2", "start of 'b'", "finite")),
        *(({"a": (None, x)}, ("lengths", "column of numbers")) for x in ("1", None, True, 10**400)),
        ({"a": (None, 1e308, 1e308)}, ("end of 'a'", "finite")),
        ({"a": ("a",)}, ("row of element 'a'", "(parent, length)")),
        ({"a": [None, 1]}, ("row of element 'a'", "(parent, length)")),
        ([("a", None, 1)], ("mapping", "from_columns")),
    ],
)
def test_what_is_refused(rows, parts):
    refused(rows, *parts)


def test_cycles():
    refused({"a": ("a", 1)}, "row 1", "parent of 'a' is 'a'", "lead up to a document")
    rows = {"r": (None, 9), "x": ("c", 0), "a": ("b", 1), "b": ("c", 1), "c": ("a", 1)}
    refused(rows, "row 2", "parent of 'x' is 'c'", "lead up to a document")
    long = {f"c{i}": (f"c{(i + 1) % 10_000}", 1) for i in range(10_000)}
    refused(long, "row 1", "own child")


def test_an_element_that_sticks_out_of_its_parent():
    after = {"a": (None, 10, 5), "b": ("a", 4, 12)}
    refused(after, "row 2", "end of 'b' is 16.0, must not lie after the end 15.0 of its parent 'a'")
    before = {"a": (None, 10, 5), "b": ("a", 4, 4)}
    refused(before, "row 2", "start of 'b' is 4.0, must not lie before the start 5.0")
    refused({"a": (None, 10), "b": ("a", 6), "c": ("a", 6)}, "row 3", "end of 'c' is 12.0")


def test_ends_may_differ_by_rounding_and_no_more():
    rows = {"a": (None, 0.3), "b": ("a", 0.1), "c": ("a", 0.1), "d": ("a", 0.1)}
    assert 0.1 + 0.1 + 0.1 > 0.3
    assert len(Elements(rows)) == 4
    refused({**rows, "d": ("a", 0.1000001)}, "end of 'd'")


def test_asking_for_what_is_not_there():
    table = Elements(FIG_6)
    for ask in (table.children, table.ancestors, table.number):
        with pytest.raises(InputError, match="element is 'zz', must be in the table"):
            ask("zz")
    with pytest.raises(InputError, match="several ids, not one text"):
        table.numbers("abc")
