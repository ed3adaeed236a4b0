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
    ("first", "second", "tie"),
    [
        ("1.00000001", "1.0", True),
        ("1.0000001", "1.0", False),  # the next number in single precision is 1.00000012
        ("16777217", "16777216", True),
        ("16777218", "16777216", False),
        ("0.1", "0.10000000149", True),
        ("1e-50", "0", True),
        ("1e-45", "0", False),  # rounds to the least positive number in single precision
        ("0.0", "-0.0", True),
    ],
)
def test_scores_are_compared_in_single_precision(tmp_path, first, second, tie):
    assert run_of(tmp_path, ("a", first), ("b", second)) == (("b", "a") if tie else ("a", "b"))


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


@pytest.mark.parametrize("score", ["nan", "inf", "-Infinity", "1_0", "0,5", "x", "1e39", "0x1p3"])
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
    refused(read_whole_qrels, path, "line 1", "'1.0'", "whole number of at least -2", "correct")


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


def test_csv_in_any_order_of_columns(tmp_path):
    plain = written(tmp_path, "a.csv", HEADER + "c,a,.4\nc,b,1\na,b,0.\nb,a,+2E-1\n")
    other = written(tmp_path, "b.CSV", "probability,target,source\n.4,a,c\n1,b,c\n0,b,a\n.2,a,b\n")
    expected = Links({("c", "a"): 0.4, ("c", "b"): 1, ("a", "b"): 0, ("b", "a"): 0.2})
    assert read_links(plain) == read_links(other) == expected


def test_csv_ids_may_hold_anything_if_quoted(tmp_path):
    path = written(
        tmp_path, "a.csv", HEADER + '"a, b"," say ""x""\r\nline\n2 ",1\n\u2028é ,\x0b\x85,0.5\n'
    )
    expected = {("a, b", ' say "x"\r\nline\n2 '): 1, ("\u2028é ", "\x0b\x85"): 0.5}
    assert read_links(path) == Links(expected)


def test_header_alone_means_no_links(tmp_path):
    assert len(read_links(written(tmp_path, "a.csv", HEADER))) == 0


def test_line_numbers_count_blank_lines_and_lines_within_quotes(tmp_path):
    path = written(tmp_path, "a.csv", f'\n{HEADER}\n"a\nb",c,1\n \nx,y,z\n')
    refused(read_links, path, "line 7", "'z'")


def test_links_remember_their_lines(tmp_path):
    links = read_links(written(tmp_path, "a.csv", f"{HEADER}b,c,1\n\na,b,.5\n"))
    assert [links.place(row).rpartition(", ")[2] for row in range(2)] == ["line 4", "line 2"]


def test_names_of_columns_are_read_as_people_write_them(tmp_path):
    path = written(tmp_path, "a.csv", "Source, target ,PROBABILITY,note\na,b,0.5,x\n")
    assert read_links(path) == Links({("a", "b"): 0.5})


@pytest.mark.parametrize("value", ["-0.1", "1.1", "1e999", "50%", "1" * 100_000])
def test_csv_probabilities(tmp_path, value):
    path = written(tmp_path, "a.csv", f"{HEADER}a,b,0.5\na,c,{value}\n")
    refused(read_links, path, "line 3", repr(value)[:50], "number in [0, 1]", "write it like 0.25")


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ('a,"b"c,1\n', 2),
        ('a,b,1\n"c,d,1\ne,f,1\n', 4),
        ("a\rb,c,1\n", 2),
        (f"{'a' * 200_000},b,1", 2),
    ],
)
def test_csv_syntax(tmp_path, rows, line):
    path = written(tmp_path, "a.csv", HEADER + rows)
    begins = 3 if line == 4 else line
    refused(read_links, path, f"line {line}", "rules of CSV", f"row that begins in line {begins}")


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
    path = written(tmp_path, "b.csv", f"{HEADER}a,b,1\nb,a,1\na,b,.5\n")
    refused(read_links, path, "line 4", "('a', 'b')", "given once", "line 2")


def test_jsonl(tmp_path):
    lines = '{"source": "a", "target": "b\\n", "probability": 0.5}\n\n  {"probability": 1,'
    lines += '"target": "\\ud83d\\ude00", "source": "\u2028"}\r\n'
    expected = Links({("a", "b\n"): 0.5, ("\u2028", "\U0001f600"): 1})
    for name in ("a.jsonl", "a.ndjson"):
        assert read_links(written(tmp_path, name, lines)) == expected


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


def test_parquet_without_rows(tmp_path):
    empty = {
        "source": pa.array([], pa.string()),
        "target": pa.array([], pa.string()),
        "probability": pa.array([], pa.float64()),
    }
    assert len(read_links(parquet(tmp_path, "a.parquet", empty))) == 0


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


# --- what all text files share ----------------------------------------------------------------

TEXTS = [
    (read_run, "a.run", "q Q0 é 1 2 x\nq Q0 b 2 1 x\n"),
    (read_qrels, "a.qrels", "q 0 é 1\nq 0 b 0\n"),
    (read_links, "a.csv", HEADER + "é,b,0.5\nb,c,1\n"),
    (read_links, "a.tsv", HEADER.replace(",", "\t") + "é\tb\t0.5\nb\tc\t1\n"),
    (
        read_links,
        "a.jsonl",
        '{"source":"é","target":"b","probability":0.5}\n{"source":"b","target":"c","probability":1}\n',
    ),
]
texts = pytest.mark.parametrize(("reader", "name", "text"), TEXTS, ids=[t[1] for t in TEXTS])
readers = pytest.mark.parametrize(("reader", "name"), [t[:2] for t in TEXTS])


@texts
def test_all_ways_to_store_the_same_text(tmp_path, reader, name, text):
    plain = reader(written(tmp_path, name, text))
    for variant in (
        text.replace("\n", "\r\n"),
        text.rstrip("\n"),
        text.replace("\n", "\n\n \t\r\n"),
        "\ufeff" + text,
    ):
        content = variant.encode()
        assert reader(written(tmp_path, name, content)) == plain
        assert reader(written(tmp_path, name, gzip.compress(content))) == plain
        assert reader(written(tmp_path, f"{name}.gz", gzip.compress(content))) == plain
        assert reader(written(tmp_path, f"{name}.GZ", content)) == plain
        both = gzip.compress(content[:20]) + gzip.compress(content[20:])
        assert reader(written(tmp_path, f"{name}.gz", both)) == plain
    assert reader(str(written(tmp_path, name, text))) == plain


@readers
@pytest.mark.parametrize("content", ["", "\n", "\r\n \n\t", "\ufeff", "\ufeff\n"])
def test_empty(tmp_path, reader, name, content):
    path = written(tmp_path, name, content)
    refused(reader, path, "number of lines", "is 0, must be at least 1", "check what wrote")
    path = written(tmp_path, f"{name}.gz", gzip.compress(content.encode()))
    refused(reader, path, "is 0, must be at least 1")


@texts
def test_other_encodings(tmp_path, reader, name, text):
    line = 1 + text[: text.index("é")].count("\n")
    path = written(tmp_path, name, text.encode("latin-1"))
    refused(reader, path, f"line {line}:", r"b'\xe9", "must be UTF-8", "save the file as UTF-8")
    path = written(tmp_path, name, text.encode("utf-16"))
    refused(reader, path, "line 1:", "UTF-8")
    mixed = text.encode() + text.encode("latin-1")
    path = written(tmp_path, name, mixed)
    refused(reader, path, f"line {line + text.count(chr(10))}:", "save the file as UTF-8")
    surrogate = text.encode().replace("é".encode(), b"\xed\xa0\x80")
    refused(reader, written(tmp_path, name, surrogate), f"line {line}:", "must be UTF-8")


@texts
def test_binary(tmp_path, reader, name, text):
    path = written(tmp_path, name, text.replace("b", "b\0", 1))
    refused(reader, path, "line ", r"b'\x00", "no NUL byte", "text file")


@texts
def test_cut_off_and_corrupt_gzip(tmp_path, reader, name, text):
    whole = gzip.compress(text.encode(), mtime=0)
    for length in range(2, len(whole)):
        path = written(tmp_path, name, whole[:length])
        refused(reader, path, "line ", "compressed data", "complete gzip", "copy or compress")
    corrupt = bytearray(whole)
    corrupt[-6] ^= 1  # the checksum
    refused(reader, written(tmp_path, name, bytes(corrupt)), "CRC", "complete gzip")
    refused(reader, written(tmp_path, name, whole + b"junk"), "line ", "complete gzip")


@readers
def test_missing_files_and_folders_are_left_to_the_caller(tmp_path, reader, name):
    with pytest.raises(FileNotFoundError):
        reader(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(IsADirectoryError):
        reader(tmp_path / name)


@pytest.mark.parametrize(
    ("reader", "name", "content", "part"),
    [
        (read_run, "a.run", RUN + "q1 Q0 b 2 3.", "is 5, must be 6"),
        (read_qrels, "a.qrels", "q 0 a 1\nq 0 b", "is 3, must be 4"),
        (read_links, "a.csv", HEADER + "a,b", "is 2, must be 3"),
        (read_links, "b.csv", HEADER + '"a', "unexpected end of data"),
        (read_links, "a.jsonl", '\n{"source": "a", "targ', "JSON object"),
        (read_run, "b.run", (RUN + "é").encode()[:-1], "UTF-8"),
    ],
)
def test_text_cut_off_within_a_line(tmp_path, reader, name, content, part):
    refused(reader, written(tmp_path, name, content), "line 2", part)


@readers
def test_names_of_files_stay_on_one_line(tmp_path, reader, name):
    path = written(tmp_path, f"two\nlines{name}", "")
    with pytest.raises(InputError) as caught:
        reader(path)
    assert "\n" not in str(caught.value)
    assert r"two\nlines" in str(caught.value)


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
