"""Readers of TREC runs, qrels and tables of links: every rule, and what a bad input is told."""

import gzip
import json
import sys

import pytest

from prum.simulator.collections import ideals_of, read_links, read_qrels, read_run
from prum.simulator.model import InputError, Links
from prum.simulator.tables.files import blocks, text_lines
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


# --- qrels and ideals -------------------------------------------------------------------------


def test_qrels(tmp_path):
    path = written(tmp_path, "q", "q1 0 a 2\nq2 0.5 a 0\nq1 Q0 b -1\nq1 x c -2\n\nq2 0 b +1\n")
    qrels = read_qrels(path)
    assert qrels == {"q1": {"a": 2, "b": -1, "c": -2}, "q2": {"a": 0, "b": 1}}
    assert ideals_of(qrels) == {"q1": ("a",), "q2": ("b",)}
    assert ideals_of(qrels, ideal_grade=2) == {"q1": ("a",), "q2": ()}


def test_decimals_count_as_they_stand_but_relevance_is_ideal_from_a_half():
    grades = {"a": 0.5, "b": 0.4999, "c": 1.5, "d": 1.9999, "e": 1, "f": 2}
    assert ideals_of({"q": grades}) == {"q": ("a", "c", "d", "e", "f")}
    assert ideals_of({"q": grades}, ideal_grade=2) == {"q": ("f",)}


# --- links ------------------------------------------------------------------------------------


def test_links_remember_their_lines(tmp_path):
    links = read_links(written(tmp_path, "a.csv", f"{HEADER}b,c,1\n\na,b,.5\n"))
    assert [links.place(row).rpartition(", ")[2] for row in range(2)] == ["line 4", "line 2"]


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


# --- what TREC files share with other texts ---------------------------------------------------


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


def test_scores_of_a_topic_that_comes_in_pieces_stay_with_their_elements(tmp_path):
    path = tmp_path / "pieces.run"
    scores = {"a": 1, "b": 5, "c": 3, "d": 2, "e": 4}
    path.write_text(
        "".join(f"q1 Q0 {x} 0 {score} r\nq2 Q0 {x} 0 {-score} r\n" for x, score in scores.items())
    )
    assert read_run(path) == {"q1": tuple("becda"), "q2": tuple("adceb")}
