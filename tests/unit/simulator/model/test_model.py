"""The model's plain data: what is accepted and what refused, keys, repr, read-only arrays."""

import hashlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from prum.simulator.model import Independent, InputError, Links, Task, Walk
from prum.simulator.model.errors import shown
from prum.simulator.model.task import content_key

TABLE_III = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
NAMES = {"Task": Task, "Links": Links, "Independent": Independent, "Walk": Walk}


def refused(make: Callable[[], object], message: str) -> None:
    """Require an InputError of one line: thing, value, rule and remedy, the same after pickling."""
    with pytest.raises(InputError) as caught:
        make()
    error = caught.value
    assert str(error) == message
    assert isinstance(error, ValueError)
    assert len(message.splitlines()) == 1
    assert message.endswith(f"; {error.remedy}")
    assert f"{error.thing} is {shown(error.value)}, must {error.rule}" in message
    assert str(pickle.loads(pickle.dumps(error))) == message


# --- tasks ------------------------------------------------------------------------------------


def test_task_counts() -> None:
    task = Task(["c", "d", "c", "a"], ["b", "a"], 9)
    assert (task.num_ranked, task.num_ideals, task.num_unranked) == (4, 2, 6)
    assert task.ideals == ("a", "b")


_NO_ID = "must be a text that is not empty; name the element"
_ONCE = "ideals is 'b', must name each element once; drop the second mention"


def test_task_key_is_canonical() -> None:
    """SHA-256 of the JSON written out here: results kept elsewhere are found by it."""
    text = '{"collection_size":3,"ideals":["b"],"ranking":["a","\\u00df"]}'
    wanted = hashlib.sha256(text.encode()).hexdigest()
    assert Task(["a", "ß"], ["b"], 3).key == wanted
    assert content_key({"ranking": ["a", "ß"], "ideals": ["b"], "collection_size": 3}) == wanted


# --- links ------------------------------------------------------------------------------------


def _rows(links: Links) -> list[tuple[str, str, float]]:
    return list(links)


def test_links_are_sorted_by_source_and_target() -> None:
    links = Links({("d", "b"): 0.4, ("c", "b"): 0.3, ("d", "a"): 0.6, ("b", "c"): 0.1})
    assert links.elements == ("a", "b", "c", "d")
    assert links.starts.tolist() == [0, 0, 1, 2, 4]
    assert links.targets.tolist() == [2, 1, 0, 1]
    assert links.probabilities.tolist() == [0.1, 0.3, 0.6, 0.4]
    assert links.sources.tolist() == [1, 2, 3, 3]
    assert links.code == {"a": 0, "b": 1, "c": 2, "d": 3}
    assert len(links) == 4
    assert _rows(links) == [("b", "c", 0.1), ("c", "b", 0.3), ("d", "a", 0.6), ("d", "b", 0.4)]


def test_arrays_are_read_only() -> None:
    given = np.array([0.5, 0.25])
    links = Links.from_columns(["a", "a"], ["b", "c"], given)
    given[0] = 0.75
    assert links.probabilities.tolist() == [0.5, 0.25]
    for array in (links.starts, links.targets, links.probabilities, links.sources):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


_MAPPING = (
    "must be a mapping {(source, target): probability}; use Links.from_columns for three columns"
)
_NUMBERS = "must be a column of numbers; give one number for each pair"
_PAIR = "must be (source, target); name two elements"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (None, f"links is None, {_MAPPING}"),
        ([("a", "b", 0.5)], f"links is [('a', 'b', 0.5)], {_MAPPING}"),
        ({"ab": 0.5}, f"a pair of links is 'ab', {_PAIR}"),
        ({("a", "b", "c"): 0.5}, f"a pair of links is ('a', 'b', 'c'), {_PAIR}"),
        ({("", "b"): 0.5}, f"row 1 of links: source is '', {_NO_ID}"),
        ({("a", "b"): 0.5, ("a", 3): 0.5}, f"row 2 of links: target is 3, {_NO_ID}"),
        *(
            (
                {("a", "b"): value},
                f"row 1 of links: probability of 'a' -> 'b' is {value}, must lie in [0, 1]; "
                "correct the row",
            )
            for value in (1.5, -1e-9, float("nan"), float("inf"))
        ),
        ({("a", "b"): "0.5"}, f"probabilities is ['0.5'], {_NUMBERS}"),
        ({("a", "b"): 10**400}, f"probabilities is {shown([10**400])}, {_NUMBERS}"),
    ],
)
@pytest.mark.parametrize("make", [Links, Independent, Walk])
def test_bad_links(make: Callable[[object], object], rows: object, message: str) -> None:
    refused(lambda: make(rows), message)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            (["a", "b"], ["b", "a"], [0.5, 2]),
            "probability of 'b' -> 'a' is 2.0, must lie in [0, 1]; correct the row",
        ),
        ((["a", "b"], ["b", None], [0.5, 0.5]), f"target is None, {_NO_ID}"),
        (
            (["b", "b"], ["a", "a"], [0.5, 0.5]),
            "link is ('b', 'a'), must be given once; keep it or the one in {}",
        ),
    ],
)
def test_columns_name_their_file_and_line(
    columns: tuple[list[str], list[str], list[float]], message: str
) -> None:
    def make(**where: Any) -> Links:
        return Links.from_columns(*columns, **where)

    named = {"origin": "links.csv", "lines": [4, 9]}
    refused(lambda: make(**named), f"links.csv, line 9: {message.format('links.csv, line 4')}")
    refused(make, f"row 2 of links: {message.format('row 1 of links')}")
    refused(lambda: make(origin="x"), f"x, row 2: {message.format('x, row 1')}")


# --- independent navigation -------------------------------------------------------------------


def test_reach_is_sparse_and_what_the_table_says() -> None:
    task = Task(["c", "a", "z", "c", "a", "q"], ["b", "a", "w"], 9)
    navigation = Independent(
        {
            ("c", "a"): 0.4,
            ("c", "z"): 0.9,  # no ideal
            ("c", "w"): 0.0,  # impossible
            ("a", "b"): 0.5,
            ("a", "a"): 1,
            ("w", "b"): 0.5,  # not ranked
            ("q", "b"): 1,
        }
    )
    ranks, ideals, values = navigation.reach(task)
    entries = sorted(zip(ranks.tolist(), ideals.tolist(), values.tolist(), strict=True))
    # Ideals in order: a, b, w. The second c and the second a reach nothing.
    assert entries == [(0, 0, 0.4), (1, 0, 1.0), (1, 1, 0.5), (5, 1, 1.0)]


# --- walks ------------------------------------------------------------------------------------


def test_walk_rows_sum_to_one_at_most() -> None:
    refused(
        lambda: Walk({("a", "b"): 0.7, ("a", "c"): 0.4}),
        "sum of the probabilities of moving from 'a' is 1.1, must be at most 1; rescale them, or "
        "use independent navigation",
    )
    table = Links.from_columns(
        ["b", "a", "a"], ["a", "b", "c"], [1, 0.75, 0.5], origin="f", lines=[2, 3, 7]
    )
    refused(
        lambda: Walk(table),
        "f, line 7: sum of the probabilities of moving from 'a' is 1.25, must be at most 1; "
        "rescale them, or use independent navigation",
    )


def test_a_sum_may_miss_one_by_rounding() -> None:
    tenths = {("a", f"b{number}"): 0.1 for number in range(10)}
    thirds = {("a", f"b{number}"): 0.3333333333 for number in range(3)}
    over = {("a", "b"): 0.5, ("a", "c"): 0.5 + 1e-10}
    assert [len(Walk(rows).links) for rows in (tenths, thirds, over)] == [10, 3, 2]
    with pytest.raises(InputError):
        Walk({("a", "b"): 0.5, ("a", "c"): 0.5 + 1e-8})
