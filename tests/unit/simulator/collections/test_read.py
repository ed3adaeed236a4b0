"""Readers of TREC runs, qrels and tables of links: every rule, and what a bad input is told."""

import gzip
import json
import sys
from array import array

import numpy as np
import pytest

from prum.simulator.collections import ideals_of, read_links, read_qrels, read_run
from prum.simulator.collections.qrels import read_whole_qrels
from prum.simulator.model import InputError, Links
from prum.simulator.tables.files import blocks, text_lines
from prum.simulator.tables.layout import FileColumn, Layout
from prum.simulator.tables.read import read
from tests.table_forms import refused, written

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

HEADER = "source,target,probability\n"
RUN = "q1 Q0 a 1 3.5 x\n"


def run_of(folder, *pairs):
    lines = [f"q Q0 {element} 1 {score} x\n" for element, score in pairs]
    return read_run(written(folder, "a.run", "".join(lines)))["q"]


# --- runs -------------------------------------------------------------------------------------


def test_run_is_ordered_by_score_and_not_by_rank_or_line(tmp_path):
    path = written(tmp_path, "a.run", "q Q0 a 1 .1 x\nq Q0 b 2 -7 x\nq Q0 c 3 1e2 x\n")
    assert read_run(path) == {"q": ("c", "a", "b")}


def test_rank_column_may_hold_anything_but_must_be_there(tmp_path):
    assert read_run(written(tmp_path, "a.run", "q Q0 a none 1 x\n")) == {"q": ("a",)}
    refused(read_run, written(tmp_path, "b.run", "q Q0 a 1 x\n"), "line 1", "is 5, must be 6")
    refused(read_run, written(tmp_path, "c", "q 0 a 1\n"), "this looks like qrels, not a run")
    refused(read_qrels, written(tmp_path, "d", RUN), "this looks like a run")


@pytest.mark.parametrize(
    ("ids", "order"),
    [
        (["d1", "d2", "d10"], ("d2", "d10", "d1")),  # ids are texts, not numbers
        (["a", "B", "b", "_"], ("b", "a", "_", "B")),
        (["z", "é", "zz"], ("é", "zz", "z")),  # UTF-8 bytes, no locale
        (["\uffee", "\U0001f600"], ("\U0001f600", "\uffee")),  # not UTF-16 units either
    ],
)
def test_ties_go_to_the_last_id(tmp_path, ids, order):
    assert run_of(tmp_path, *((one, "1") for one in ids)) == order
    assert run_of(tmp_path, *((one, "1") for one in reversed(ids))) == order
    assert list(order) == sorted(ids, key=str.encode, reverse=True)


@pytest.mark.parametrize(
    ("first", "second", "single", "double"),
    [
        ("1.00000001", "1.0", True, False),
        ("1.0000001", "1.0", False, False),  # the next in single precision is 1.00000012
        ("16777217", "16777216", True, False),
        ("9007199254740993", "9007199254740992", True, True),
        ("0.1", "0.10000000149", True, False),
        ("1e-50", "0", True, False),
        ("1e-45", "0", False, False),  # rounds to the least positive number in single precision
        ("0.0", "-0.0", True, True),
    ],
)
def test_scores_are_compared_in_double_precision_or_single(tmp_path, first, second, single, double):
    path = written(tmp_path, "a.run", f"q Q0 a 1 {first} x\nq Q0 b 1 {second} x\n")
    higher = ("b", "a") if float(second) > float(first) else ("a", "b")
    for precision, tie in (("single", single), ("double", double)):
        lists = read_run(path, precision=precision)
        assert lists["q"] == (("b", "a") if tie else higher)
        assert len(read_run(path, precision=precision, takes="ties")["q"]) == 2 - tie
        assert lists.merged == ({"q": 2} if single and precision == "double" and not double else {})
    with pytest.raises(InputError, match="precision is 'half', must be one of double, single"):
        read_run(path, precision="half")


def test_merged_places_are_those_of_the_first_ten(tmp_path):
    """Ranks 3 to 5 (of which two are tied anyway), 10 and 11, 15 and 16 are one in single."""
    scores = [100.0 - rank for rank in range(20)]
    scores[3] = scores[4] = scores[2] - 1e-9
    scores[10], scores[15] = scores[9] - 1e-9, scores[14] - 1e-9
    lines = [f"q Q0 d{rank} 1 {score!r} x\n" for rank, score in enumerate(scores)]
    assert read_run(written(tmp_path, "a.run", "".join(lines))).merged == {"q": 4}


def test_ties_within_a_longer_list(tmp_path):
    pairs = [("a", "2"), ("z", "9"), ("b", "2"), ("c", "1"), ("d", "1"), ("e", "2")]
    assert run_of(tmp_path, *pairs) == ("z", "e", "b", "a", "d", "c")


def test_extreme_scores_are_ordered_without_overflow(tmp_path):
    pairs = [("a", "-3.4028234e38"), ("b", "3.4028234e38"), ("c", "3.4028234e38")]
    assert run_of(tmp_path, *pairs) == ("c", "b", "a")


def test_duplicates_are_kept(tmp_path):
    assert run_of(tmp_path, ("a", "3"), ("b", "2"), ("a", "1")) == ("a", "b", "a")


def test_topics_may_be_interleaved_and_keep_their_order(tmp_path):
    path = written(tmp_path, "a.run", "q2 Q0 a 1 1 x\nq1 Q0 b 1 1 x\nq2 Q0 c 1 2 x\n")
    runs = read_run(path)
    assert runs == {"q2": ("c", "a"), "q1": ("b",)}
    assert list(runs) == ["q2", "q1"]


def test_columns_are_separated_by_blanks_and_tabs_only(tmp_path):
    odd = "x\u00a0y\u2003\u2028\x85\x0b\x0c\x1c"
    path = written(tmp_path, "a.run", f"  q\t\tQ0 {odd}   1\t1 x \n\n \t\nq Q0 b 1 2 x\n")
    assert read_run(path) == {"q": ("b", odd)}


def test_a_lone_carriage_return_ends_no_line(tmp_path):
    path = written(tmp_path, "a.run", "q Q0 a\rb 1 1 x\r\nq Q0 c 1 2 x\r\n")
    assert read_run(path) == {"q": ("c", "a\rb")}


@pytest.mark.parametrize("score", ["nan", "inf", "-Infinity", "1_0", "0,5", "x", "1e309", "0x1p3"])
def test_scores_must_be_finite_numbers(tmp_path, score):
    path = written(tmp_path, "a.run", f"{RUN}\nq1 Q0 b 1 {score} x\n")
    refused(read_run, path, "line 3", repr(score), "finite number", "correct the score")


# --- qrels and ideals -------------------------------------------------------------------------


def test_qrels(tmp_path):
    path = written(tmp_path, "q", "q1 0 a 2\nq2 0.5 a 0\nq1 Q0 b -1\nq1 x c -2\n\nq2 0 b +1\n")
    qrels = read_qrels(path)
    assert qrels == {"q1": {"a": 2, "b": -1, "c": -2}, "q2": {"a": 0, "b": 1}}
    assert ideals_of(qrels) == {"q1": ("a",), "q2": ("b",)}
    assert ideals_of(qrels, ideal_grade=2) == {"q1": ("a",), "q2": ()}


def test_ideals_are_sorted():
    assert ideals_of({"q": {"b": 1, "é": 1, "a": 3}}) == {"q": ("a", "b", "é")}


@pytest.mark.parametrize("grade", [0, -1, 1.5, True, "1", None, float("nan")])
def test_ideal_grade_is_a_positive_whole_number(grade):
    with pytest.raises(InputError, match=r"ideal_grade is .*must be a whole number of at least 1"):
        ideals_of({"q": {"a": 1}}, ideal_grade=grade)


@pytest.mark.parametrize(
    "grade",
    ["-3", "-0.5", "x", "1_0", "٣", "9" * 30, "--1", "1e999", ".", "e5", "nan", "inf", "0x1"],
)
def test_grades_are_whole_numbers_of_at_least_minus_2_or_decimals(tmp_path, grade):
    path = written(tmp_path, "q", f"q1 0 a 2\nq1 0 b {grade}\n")
    refused(read_qrels, path, "line 2", repr(grade), "whole number of at least -2", "correct")


@pytest.mark.parametrize("grade", ["0.8", ".8", "8e-1", "+0.80"])
def test_grades_may_be_decimals_where_whole_ones_are_not_needed(tmp_path, grade):
    path = written(tmp_path, "q", f"q1 0 a 1.0\nq1 0 b {grade}\n")
    assert read_qrels(path) == {"q1": {"a": 1, "b": 0.8}}
    refused(
        read_whole_qrels,
        path,
        "line 1",
        "'1.0'",
        "whole number of at least -2",
        "correct",
    )


def test_decimals_count_as_they_stand_but_relevance_is_ideal_from_a_half():
    grades = {"a": 0.5, "b": 0.4999, "c": 1.5, "d": 1.9999, "e": 1, "f": 2}
    assert ideals_of({"q": grades}) == {"q": ("a", "c", "d", "e", "f")}
    assert ideals_of({"q": grades}, ideal_grade=2) == {"q": ("f",)}


def test_judged_twice_names_both_lines(tmp_path):
    path = written(tmp_path, "q", "q1 0 a 2\nq2 0 b 1\nq1 0 c 1\n\nq2 0 a 1\nq1 0 c 1\n")
    refused(read_qrels, path, "line 6", "'c'", "'q1'", "judged once", "keep this line or line 3")


@pytest.mark.parametrize("line", ["q1 0 a", "q1 0 a 1 more", "q1"])
def test_qrels_have_four_columns(tmp_path, line):
    path = written(tmp_path, "q", f"q1 0 b 2\n{line}\n")
    num_columns = len(line.split())
    refused(read_qrels, path, "line 2", line, f"is {num_columns}, must be 4", "separate")


# --- links ------------------------------------------------------------------------------------


def test_line_numbers_count_blank_lines_and_lines_within_quotes(tmp_path):
    path = written(tmp_path, "a.csv", f'\n{HEADER}\n"a\nb",c,1\n \nx,y,z\n')
    refused(read_links, path, "line 7", "'z'")


def test_links_remember_their_lines(tmp_path):
    links = read_links(written(tmp_path, "a.csv", f"{HEADER}b,c,1\n\na,b,.5\n"))
    assert [links.place(row).rpartition(", ")[2] for row in range(2)] == ["line 4", "line 2"]


@pytest.mark.parametrize(
    ("rows", "line", "name"),
    [
        ("1,x\ny,2\n", 2, "m"),
        ("x,1\n2,y\n", 2, "n"),
        ("1,2\nx,y\n", 3, "n"),
        ("0,5\n6,0\n", 3, "n"),
    ],
)
def test_the_first_wrong_number_is_named(tmp_path, rows, line, name):
    columns = tuple(FileColumn(name=one, number=True, most=5) for one in "nm")
    layout = Layout(
        what="table", columns=columns, rule="be 0 .. 5", remedy="count again", bounds_in_csv=True
    )
    path = written(tmp_path, "a.csv", "n,m\n" + rows)
    refused(lambda file: read(file, layout), path, f"line {line}: {name} ")


def test_rules_of_the_table_name_the_line(tmp_path):
    path = written(tmp_path, "a.csv", f"{HEADER}a,b,1\n,b,1\n")
    refused(read_links, path, "line 3", "source is ''", "not empty", "name the element")


def test_jsonl_values_nested_almost_too_deep(tmp_path):
    limit = sys.getrecursionlimit()
    for depth in range(limit - 150, limit + 10):
        value = "[" * depth + "]" * depth
        line = json.dumps({"source": "a", "target": "b"})[:-1] + f', "probability": {value}}}'
        refused(read_links, written(tmp_path, "a.jsonl", line), "line 1")


def parquet(folder, name, table):
    path = folder / name
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), path)
    return path


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary"])
@pytest.mark.parametrize("number", ["float64", "float32", "int8", "decimal128"])
def test_parquet(tmp_path, kind, number):
    text = pa.dictionary(pa.int32(), pa.string()) if kind == "dictionary" else getattr(pa, kind)()
    numeric = pa.decimal128(5, 2) if number == "decimal128" else getattr(pa, number)()
    path = parquet(
        tmp_path,
        "a.parquet",
        {
            "probability": pa.array([1, 0], pa.int8()).cast(numeric),
            "target": pa.array(["b", "\u2028\n"]).cast(text),
            "source": pa.array(["é", "é"]).cast(text),
        },
    )
    expected = Links({("é", "b"): 1, ("é", "\u2028\n"): 0})
    assert read_links(path) == expected
    zipped = written(tmp_path, "b.parquet.gz", gzip.compress(path.read_bytes()))
    assert read_links(zipped) == expected


def test_row_numbers_of_parquet_count_over_batches(tmp_path):
    num_rows = 200_000  # more than pyarrow reads at once
    columns = {"source": [str(i) for i in range(num_rows)], "target": ["x"] * num_rows}
    columns["probability"] = [0.5] * num_rows
    columns["target"][-1] = None
    path = parquet(tmp_path, "a.parquet", columns)
    refused(read_links, path, f"row {num_rows}", "target is None")


@pytest.mark.parametrize("wrong", [-1, 6, None])
def test_whole_numbers_of_parquet_are_bounded_in_every_batch(tmp_path, wrong):
    column = FileColumn(name="n", number=True, whole=True, most=5)
    layout = Layout(
        what="table",
        columns=(column,),
        rule="be 0 .. 5",
        remedy="count again",
        bounds_in_csv=True,
    )
    numbers = np.tile([0, 5], 70_000)
    if wrong is not None:
        numbers[-1] = wrong
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"n": numbers}), path)
    if wrong is None:
        assert read(path, layout).columns == [array("d", numbers.tolist())]
    else:
        refused(lambda file: read(file, layout), path, "row 140000", f"is {wrong}, must")


# --- what TREC files share with other texts ---------------------------------------------------

readers = pytest.mark.parametrize(
    ("reader", "name"), [(read_run, "a.run"), (read_qrels, "a.qrels")]
)


@readers
@pytest.mark.parametrize("content", ["", "\n", "\r\n \n\t", "\ufeff", "\ufeff\n"])
def test_empty(tmp_path, reader, name, content):
    path = written(tmp_path, name, content)
    refused(reader, path, "number of lines", "is 0, must be at least 1", "check what wrote")
    path = written(tmp_path, f"{name}.gz", gzip.compress(content.encode()))
    refused(reader, path, "is 0, must be at least 1")


@pytest.mark.parametrize(
    ("reader", "name", "content", "part"),
    [
        (read_run, "a.run", RUN + "q1 Q0 b 2 3.", "is 5, must be 6"),
        (read_qrels, "a.qrels", "q 0 a 1\nq 0 b", "is 3, must be 4"),
        (read_run, "b.run", (RUN + "é").encode()[:-1], "UTF-8"),
    ],
)
def test_text_cut_off_within_a_line(tmp_path, reader, name, content, part):
    refused(reader, written(tmp_path, name, content), "line 2", part)


def test_blocks_end_with_lines_and_count_them(tmp_path):
    lines = [f"line {number} {'x' * (number % 700)}\n" for number in range(1, 9001)]
    text = "".join(lines).encode()
    for content in (text, gzip.compress(text, 1), text.replace(b"\n", b"\r\n")):
        path = written(tmp_path, "a", content)
        found = list(blocks(path))
        assert len(found) > 2
        for number, block in found:
            assert block.startswith(b"line %d " % number)
            assert block.endswith(b"\n")
        assert b"".join(block for _, block in found).replace(b"\r", b"") == text
        assert [line.replace("\r", "") for line in text_lines(path)] == lines


def test_a_line_longer_than_a_block(tmp_path):
    long = "é" * 2_000_000
    path = written(tmp_path, "a.run", f"q Q0 {long} 1 1 x\nq Q0 b 1 2 x\n")
    assert read_run(path) == {"q": ("b", long)}


def test_line_numbers_far_down(tmp_path):
    lines = [f"q{number // 1000} Q0 document-{number} 1 {-number} x\n" for number in range(60_000)]
    for content, parts in (
        ("".join(lines) + "q Q0 x\n", ("line 60001", "is 3, must be 6")),
        ("".join(lines).encode() + b"q Q0 \xff 1 1 x\n", ("line 60001", "UTF-8")),
    ):
        refused(read_run, written(tmp_path, "a.run", content), *parts)
    cut = gzip.compress("".join(lines).encode())[:-1000]
    message = refused(read_run, written(tmp_path, "a.run.gz", cut), "complete gzip")
    assert 50_000 < int(message.partition("line ")[2].partition(":")[0]) <= 60_000


def test_a_double_blank_does_not_stand_for_a_column(tmp_path):
    """As many blanks as six columns need, and one column less: six such lines hold 30 words."""
    path = tmp_path / "short.run"
    path.write_text("".join(f"q1 Q0  e{rank} {rank} 1.5\n" for rank in range(6)))
    with pytest.raises(InputError, match=r"line 1: number of columns of .* is 5, must be 6"):
        read_run(path)
    path.write_text(" q1 Q0 a 1 2\n" * 6)
    with pytest.raises(InputError, match="is 5, must be 6"):
        read_run(path)


def test_scores_of_a_topic_that_comes_in_pieces_stay_with_their_elements(tmp_path):
    path = tmp_path / "pieces.run"
    scores = {"a": 1, "b": 5, "c": 3, "d": 2, "e": 4}
    path.write_text(
        "".join(f"q1 Q0 {x} 0 {score} r\nq2 Q0 {x} 0 {-score} r\n" for x, score in scores.items())
    )
    assert read_run(path) == {"q1": tuple("becda"), "q2": tuple("adceb")}
