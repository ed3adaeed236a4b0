"""The model's plain data: what is accepted and what refused, keys, repr, read-only arrays."""

import copy
import hashlib
import pickle
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from prum.simulator.model import Independent, InputError, Links, Navigation, Task, Walk
from prum.simulator.model.errors import proportion, shown, whole_number
from prum.simulator.model.task import content_key
from prum.simulator.sampling.ways.ending import ending

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


@pytest.mark.parametrize(
    ("ranking", "ideals", "size", "message"),
    [
        (["a"], [], 1, "ideals is (), must hold at least one element; leave out topics without "
         "ideals"),
        (["a"], ["b", "b"], 3, "ideals is 'b', must name each element once; drop the second "
         "mention"),
        (["a"], ["b", "a", "b"], 3, "ideals is 'b', must name each element once; drop the second "
         "mention"),
        (["a", ""], ["b"], 3, "element 2 of ranking is '', must be a text that is not empty; name "
         "the element"),
        (["a"], ["b", 7], 3, "element 2 of ideals is 7, must be a text that is not empty; name "
         "the element"),
        (["a", None], ["b"], 3, "element 2 of ranking is None, must be a text that is not empty; "
         "name the element"),
        (b"ab", ["b"], 3, "element 1 of ranking is 97, must be a text that is not empty; name the "
         "element"),
        ("ab", ["b"], 3, "ranking is 'ab', must be several ids, not one text; write ['ab']"),
        (["a"], "b", 3, "ideals is 'b', must be several ids, not one text; write ['b']"),
        (5, ["b"], 3, "ranking is 5, must be a sequence of ids; give a list of texts"),
        (["a"], None, 3, "ideals is None, must be a sequence of ids; give a list of texts"),
        (["a"], ["b"], 1, "collection_size is 1, must be at least 2 (1 distinct ranked elements "
         "and 1 ideals outside the list); count every element of the collection"),
        (["a", "a", "b"], ["b"], 1, "collection_size is 1, must be at least 2 (2 distinct ranked "
         "elements and 0 ideals outside the list); count every element of the collection"),
        (["a", "a", "a"], ["a"], 2**31 - 2, "collection_size is 2147483646, must be at most "
         "2147483645 (consultations of 2 repeated elements count too); drop the repetitions from "
         "the ranking"),
        (["a"], ["a"], 0, "collection_size is 0, must be a whole number from 1 to 2147483647; give "
         "the number of elements in the collection"),
        (["a"], ["a"], 2**31, "collection_size is 2147483648, must be a whole number from 1 to "
         "2147483647; give the number of elements in the collection"),
        (["a"], ["a"], 1.0, "collection_size is 1.0, must be a whole number from 1 to 2147483647; "
         "give the number of elements in the collection"),
        (["a"], ["a"], True, "collection_size is True, must be a whole number from 1 to "
         "2147483647; give the number of elements in the collection"),
        (["a"], ["a"], "4", "collection_size is '4', must be a whole number from 1 to 2147483647; "
         "give the number of elements in the collection"),
        (["a"], ["a"], -(10**400), "collection_size is -an integer of 1329 bits, must be a whole "
         "number from 1 to 2147483647; give the number of elements in the collection"),
    ],
)  # fmt: skip
def test_bad_task(ranking: list[str], ideals: list[str], size: int, message: str) -> None:
    refused(lambda: Task(ranking, ideals, size), message)


def test_task_takes_any_iterable_and_integer() -> None:
    plain = Task(["a", "b"], ["b"], 3)
    assert Task(iter("ab"), {"b"}, np.int16(3)) == plain  # type: ignore[arg-type]
    assert Task(np.array(["a", "b"]), pd.Series(["b"]), 3) == plain
    assert type(Task(["a"], ["a"], np.int64(1)).collection_size) is int  # type: ignore[arg-type]


def test_task_is_frozen() -> None:
    task = Task(["a"], ["a"], 1)
    with pytest.raises(AttributeError):
        task.ranking = ("b",)  # type: ignore[misc]
    with pytest.raises(AttributeError):
        task.num_unranked = 5  # type: ignore[misc]


@pytest.mark.parametrize(
    "task",
    [
        Task(["c", "d", "a", "b"], ["a", "b"], 4),
        Task([], ["a"], 1),
        Task(["a b", "\n", "日本", "'", '"', "\\", "\ud800"], ["\u2028", " "], 40),
        Task(np.array(["a", "b"]), np.array(["b"]), 3),
    ],
)
def test_task_reads_back(task: Task) -> None:
    assert eval(repr(task), NAMES) == task
    for same in (copy.deepcopy(task), pickle.loads(pickle.dumps(task))):
        assert same == task
        assert same.key == task.key
        assert same.num_unranked == task.num_unranked
        assert hash(same) == hash(task)


def test_task_keys_are_equal_where_tasks_are() -> None:
    same = [Task(["a", "b"], ["a", "c"], 5), Task(("a", "b"), ["c", "a"], 5)]
    others = [
        Task(["b", "a"], ["a", "c"], 5),
        Task(["a", "b"], ["a"], 5),
        Task(["a", "b"], ["a", "c"], 6),
        Task(["a", "b", "b"], ["a", "c"], 5),
        Task(["ab"], ["a", "c"], 5),
        Task(["a", "b "], ["a", "c"], 5),
        Task(["a", "b"], ["a", "ç"], 5),
        Task(["a", "b"], ["a", "c\u0327"], 5),
    ]
    assert same[0] == same[1]
    assert same[0].key == same[1].key
    keys = {task.key for task in [same[0], *others]}
    assert len(keys) == 1 + len(others)
    assert all(len(key) == 64 and set(key) <= set("0123456789abcdef") for key in keys)


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


def test_no_links() -> None:
    links = Links({})
    assert (links.elements, len(links), _rows(links)) == ((), 0, [])
    assert links.starts.tolist() == [0]
    assert eval(repr(links), NAMES) == links
    assert Links.from_columns([], [], []) == links


@pytest.mark.parametrize("make", [Links, Independent, Walk])
def test_links_read_back(make: type[Links | Independent | Walk]) -> None:
    for rows in ({}, TABLE_III, {("a b", "日本"): 1 / 3, ("'", "\n"): 1e-300, ("\ud800", "x"): 1}):
        value = make(rows)
        assert eval(repr(value), NAMES) == value
        for same in (copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert same == value
            assert same.key == value.key
            assert hash(same) == hash(value)


def test_many_links_have_a_short_repr() -> None:
    links = Links({("x", f"y{number}"): 0.5 for number in range(1001)})
    assert repr(links).endswith("... 993 more})")
    assert len(repr(links)) < 300


def test_keys_are_equal_where_content_is() -> None:
    forward, backward = Links(TABLE_III), Links(dict(reversed(TABLE_III.items())))
    columns = Links.from_columns(
        np.array(["c", "c", "d", "d"]), ["a", "b", "a", "b"], np.array([0.4, 0.4, 0.6, 0.4]),
        origin="a file", lines=[2, 3, 4, 5],
    )  # fmt: skip
    assert forward == backward == columns == Links(forward)
    assert forward.key == backward.key == columns.key
    assert Independent(TABLE_III) == Independent(columns)
    assert Links({("a", "b"): 0}) == Links({("a", "b"): -0.0})
    assert Links({("a", "b"): 1}).key == Links({("a", "b"): 1.0}).key == Links({("a", "b"): 1}).key
    others: list[Links | Navigation] = [
        forward,
        Independent(forward),
        Walk(forward),
        Links({**TABLE_III, ("d", "b"): 0.4 + 2**-54}),
        Links({**TABLE_III, ("d", "c"): 0.0}),
        Links({("a", "c"): 0.4, ("b", "c"): 0.4, ("a", "d"): 0.6, ("b", "d"): 0.4}),
        Links({}),
    ]
    assert len({value.key for value in others}) == len(others)
    assert all(one is two or one != two for one in others for two in others)


def test_equal_to_nothing_else() -> None:
    assert Links({}) != {}
    assert Independent({}) != Links({})
    assert Independent({}) != Walk({})  # type: ignore[comparison-overlap]
    assert Task(["a"], ["a"], 1) != ("a",)  # type: ignore[comparison-overlap]


def test_arrays_are_read_only() -> None:
    given = np.array([0.5, 0.25])
    links = Links.from_columns(["a", "a"], ["b", "c"], given)
    given[0] = 0.75
    assert links.probabilities.tolist() == [0.5, 0.25]
    for array in (links.starts, links.targets, links.probabilities, links.sources):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_both_kinds_are_navigation() -> None:
    assert isinstance(Independent({}), Navigation)
    assert isinstance(Walk({}), Navigation)
    assert not isinstance(Links({}), Navigation)


def test_navigation_is_frozen() -> None:
    for navigation in (Independent({}), Walk({})):
        with pytest.raises(AttributeError):
            navigation.links = Links(TABLE_III)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (None, "links is None, must be a mapping {(source, target): probability}; use "
         "Links.from_columns for three columns"),
        ([("a", "b", 0.5)], "links is [('a', 'b', 0.5)], must be a mapping {(source, target): "
         "probability}; use Links.from_columns for three columns"),
        ({"ab": 0.5}, "a pair of links is 'ab', must be (source, target); name two elements"),
        ({("a", "b", "c"): 0.5}, "a pair of links is ('a', 'b', 'c'), must be (source, target); "
         "name two elements"),
        ({("", "b"): 0.5}, "row 1 of links: source is '', must be a text that is not empty; name "
         "the element"),
        ({("a", "b"): 0.5, ("a", 3): 0.5}, "row 2 of links: target is 3, must be a text that is "
         "not empty; name the element"),
        ({("a", "b"): 1.5}, "row 1 of links: probability of 'a' -> 'b' is 1.5, must lie in [0, 1]; "
         "correct the row"),
        ({("a", "b"): -1e-9}, "row 1 of links: probability of 'a' -> 'b' is -1e-09, must lie in "
         "[0, 1]; correct the row"),
        ({("a", "b"): float("nan")}, "row 1 of links: probability of 'a' -> 'b' is nan, must lie "
         "in [0, 1]; correct the row"),
        ({("a", "b"): float("inf")}, "row 1 of links: probability of 'a' -> 'b' is inf, must lie "
         "in [0, 1]; correct the row"),
        ({("a", "b"): "0.5"}, "probabilities is 'str96', must be numbers; give a column of "
         "numbers"),
        ({("a", "b"): True}, "probabilities is 'bool', must be numbers; give a column of numbers"),
        ({("a", "b"): None}, "probabilities is 'object', must be numbers; give a column of "
         "numbers"),
        ({("a", "b"): Fraction(1, 2)}, "probabilities is 'object', must be numbers; give a column "
         "of numbers"),
        ({("a", "b"): 10**400}, "probabilities is 'object', must be numbers; give a column of "
         "numbers"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("make", [Links, Independent, Walk])
def test_bad_links(make: Callable[[object], object], rows: object, message: str) -> None:
    refused(lambda: make(rows), message)


def test_a_wide_value_is_told_on_one_line() -> None:
    for value in (np.zeros((5, 5)), pd.DataFrame({"source": ["a"], "target": ["b"]})):
        with pytest.raises(InputError) as caught:
            Links(value)  # type: ignore[arg-type]
        assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((["a"], ["b", "c"], [0.5]), "columns of links is (1, 2, 1), must be of equal length; give "
         "one probability for each pair"),
        ((["a"], ["b"], []), "columns of links is (1, 1, 0), must be of equal length; give one "
         "probability for each pair"),
        ((["a"], ["b"], [[0.5, 0.5]]), "shape of probabilities is (1, 2), must be (m,); give one "
         "probability for each pair"),
        ((["a"], ["b"], 0.5), "shape of probabilities is (), must be (m,); give one probability "
         "for each pair"),
        ((["a", "a"], ["b", "b"], [0.5, 0.5]), "row 2 of links: link is ('a', 'b'), must be given "
         "once; keep it or the one in row 1 of links"),
    ],
)  # fmt: skip
def test_bad_columns(columns: tuple[list[str], list[str], list[float]], message: str) -> None:
    refused(lambda: Links.from_columns(*columns), message)


@pytest.mark.parametrize(
    ("sources", "targets", "probabilities", "message"),
    [
        (["a", "b"], ["b", "a"], [0.5, 2], "links.csv, line 9: probability of 'b' -> 'a' is 2.0, "
         "must lie in [0, 1]; correct the row"),
        (["a", "b"], ["b", None], [0.5, 0.5], "links.csv, line 9: target is None, must be a text "
         "that is not empty; name the element"),
        (["b", "b"], ["a", "a"], [0.5, 0.5], "links.csv, line 9: link is ('b', 'a'), must be given "
         "once; keep it or the one in links.csv, line 4"),
    ],
)  # fmt: skip
def test_columns_name_their_file_and_line(
    sources: list[str], targets: list[str], probabilities: list[float], message: str
) -> None:
    refused(
        lambda: Links.from_columns(
            sources, targets, probabilities, origin="links.csv", lines=[4, 9]
        ),
        message,
    )


def test_origin_without_lines_counts_rows() -> None:
    refused(
        lambda: Links.from_columns(["a", "b"], ["b", "a"], [0.5, 2], origin="a table"),
        "a table, row 2: probability of 'b' -> 'a' is 2.0, must lie in [0, 1]; correct the row",
    )


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


def test_reach_of_nothing() -> None:
    for task in (Task([], ["a"], 1), Task(["x"], ["a"], 2)):
        assert [column.tolist() for column in Independent({}).reach(task)] == [[], [], []]


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


TRAPS: list[tuple[dict[tuple[str, str], float], str]] = [
    ({("a", "a"): 1}, "a"),
    ({("a", "b"): 1, ("b", "a"): 1}, "a"),
    ({("a", "b"): 0.5, ("b", "c"): 1, ("c", "b"): 1}, "b"),
    ({("a", "b"): 0.5, ("a", "c"): 0.5, ("b", "a"): 1, ("c", "a"): 0.5, ("c", "b"): 0.5}, "a"),
    # A link that is never taken is no way out.
    ({("a", "b"): 1, ("b", "a"): 1, ("b", "c"): 0}, "a"),
]


@pytest.mark.parametrize(("rows", "element"), TRAPS)
def test_a_walk_need_not_be_able_to_stop(rows: dict[tuple[str, str], float], element: str) -> None:
    """Who is caught sees all ideals there, and the walk ends."""
    assert element in Walk(rows).links.code
    everything = Links(rows).elements
    walks = ending(Walk(rows).links, everything)
    moving = np.zeros(len(walks.names))
    np.add.at(moving, walks.links.sources, walks.links.probabilities)
    assert moving[-1] == 0
    assert set(walks.ideal_of[-2:].tolist()) <= set(range(len(everything)))
    assert walks.names[-1] in everything


def test_walks_that_can_stop() -> None:
    for rows in (
        {("a", "b"): 1.0},  # b has no links
        {("a", "b"): 1.0, ("b", "a"): 0.5},
        {("a", "b"): 1.0, ("b", "c"): 1.0, ("c", "a"): 0.75, ("c", "d"): 0.25},
        {("a", "a"): 0.75},
    ):
        assert len(Walk(rows).links) == len(rows)


# --- the building blocks of messages ----------------------------------------------------------


def test_messages_hold_their_parts() -> None:
    error = InputError("r", 0, "be at least 1", remedy="give a recall value", place="row 7")
    assert str(error) == "row 7: r is 0, must be at least 1; give a recall value"
    assert (error.thing, error.value, error.rule) == ("r", 0, "be at least 1")
    again = pickle.loads(pickle.dumps(error))
    assert (again.thing, again.value, again.rule, again.remedy, again.place, str(again)) == (
        "r", 0, "be at least 1", "give a recall value", "row 7", str(error),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\nb", "'a\\nb'"),
        (np.float64(0.1), "0.1"),
        (np.float32(0.5), "0.5"),
        (Fraction(1, 2), "0.5"),
        (10**30, "an integer of 100 bits"),
        (-(10**400), "-an integer of 1329 bits"),
        (10**29, "1" + "0" * 29),
        (True, "True"),
        (None, "None"),
        ("x" * 100, "'" + "x" * 58 + "…"),
        (np.zeros((2, 2)), "array([[0., 0.],        [0., 0.]])"),
    ],
)
def test_values_are_shown_on_one_short_line(value: object, text: str) -> None:
    assert shown(value) == text
    assert len(shown(value)) <= 60


@pytest.mark.parametrize("value", [0.5, "1", None, True, np.bool_(True), 0, 11, 10**400, 3 + 0j])
def test_what_is_no_whole_number(value: object) -> None:
    with pytest.raises(InputError, match=r"k is .*, must be a whole number from 1 to 10; x$"):
        whole_number("k", value, least=1, most=10, remedy="x")


def test_whole_numbers() -> None:
    for value in (1, 10, np.int8(3), np.uint64(10)):
        number = whole_number("k", value, least=1, most=10, remedy="x")
        assert number == value
        assert type(number) is int
    assert whole_number("k", 10**400, least=1, remedy="x") == 10**400


@pytest.mark.parametrize(
    "value", ["0.5", None, True, np.bool_(False), -1e-300, 1.5, np.nan, np.inf, 10**400, 0.5j]
)
def test_what_is_no_proportion(value: object) -> None:
    with pytest.raises(InputError, match=r"p is .*, must lie in \[0, 1\]; x$"):
        proportion("p", value, remedy="x")


def test_proportions() -> None:
    for value in (0, 1, 0.25, Fraction(1, 4), np.float32(0.25)):
        assert proportion("p", value, remedy="x") == value
    for value in (0, 1, 0.0, 1.0):
        with pytest.raises(InputError, match="must lie strictly between 0 and 1"):
            proportion("p", value, remedy="x", open_interval=True)
