"""The reader of tables of elements: every format, every rule, and what a bad file is told."""

import csv
import gzip
import io
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum.simulator.collections import read_elements
from prum.simulator.model import Elements, InputError
from tests.tiers import slow
from tests.unit.simulator.collections.test_read import refused, written

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

HEADER = "element,parent,length,start\n"
PAGE = Elements({"page": (None, 60.5, 2), "é, 1": ("page", 40, 2), "two": ("page", 20, 42)})


def columns(table):
    rows = list(table)
    return {name: [row[i] for row in rows] for i, name in enumerate(HEADER.strip().split(","))}


def csv_text(rows, delimiter=","):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter)
    writer.writerow(HEADER.strip().split(","))
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return stream.getvalue()


def json_text(rows):
    names = HEADER.strip().split(",")
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


def parquet_bytes(content):
    stream = io.BytesIO()
    pq.write_table(pa.table(content), stream)
    return stream.getvalue()


CONTENT = {
    "a.csv": csv_text(PAGE).encode(),
    "a.tsv": csv_text(PAGE, "\t").encode(),
    "a.jsonl": json_text(PAGE).encode(),
    "a.NDJSON": json_text(PAGE).encode(),
    "a.parquet": parquet_bytes(columns(PAGE)),
}


# --- formats ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CONTENT)
@pytest.mark.parametrize("packed", ["plain", "gzipped", "named"])
def test_every_format_gzipped_or_not(tmp_path, name, packed):
    content = CONTENT[name] if packed == "plain" else gzip.compress(CONTENT[name])
    path = written(tmp_path, name + ".gz" if packed == "named" else name, content)
    assert read_elements(path) == PAGE


def test_columns_come_in_any_order_and_start_at_will(tmp_path):
    path = written(tmp_path, "a.csv", "length,parent,element\n60,,p\n\n40,p,a\r\n20,p,b\n")
    assert read_elements(path) == Elements({"p": (None, 60), "a": ("p", 40), "b": ("p", 20, 40)})
    path = written(tmp_path, "b.csv", HEADER + "p,,60,\na,p,10,50\nb,p,0,\n")
    assert read_elements(path) == Elements(
        {"p": (None, 60, 0), "a": ("p", 10, 50), "b": ("p", 0, 60)}
    )
    path = written(
        tmp_path,
        "c.jsonl",
        '{"element": "p", "parent": null, "length": 2}\n\n'
        '{"length": 1e0, "start": null, "parent": "p", "element": "a"}\n',
    )
    assert read_elements(path) == Elements({"p": (None, 2), "a": ("p", 1)})


@pytest.mark.parametrize(
    "content",
    [
        {"element": ["p", "a"], "parent": [None, "p"], "length": [2, 1]},
        {"element": ["p", "a"], "parent": ["", "p"], "length": [2.0, 1.0], "start": [None, None]},
        {"element": ["p", "a"], "parent": [None, "p"], "length": pa.array([2, 1], pa.uint8()),
         "start": pa.array([0, 0], pa.float32())},
        {"element": pa.array(["p", "a"]).dictionary_encode(), "length": [2, 1],
         "parent": pa.array([None, "p"], pa.large_string())},
    ],
)  # fmt: skip
def test_parquet_of_other_types(tmp_path, content):
    path = written(tmp_path, "a.parquet", parquet_bytes(content))
    assert read_elements(path) == Elements({"p": (None, 2), "a": ("p", 1)})


def test_parquet_of_documents_only(tmp_path):
    content = {"element": ["p"], "parent": pa.nulls(1), "length": [2]}
    path = written(tmp_path, "a.parquet", parquet_bytes(content))
    assert read_elements(path) == Elements({"p": (None, 2)})


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_names_without_rows_are_no_elements(tmp_path, name):
    text = HEADER if name == "a.csv" else HEADER.replace(",", "\t")
    assert read_elements(written(tmp_path, name, text)) == Elements({})


def test_ids_may_hold_line_ends(tmp_path):
    path = written(tmp_path, "a.csv", HEADER + '"a\n\nb",,1,0\n"c ""d""","a\n\nb",1,0\n')
    assert read_elements(path).ids == ("a\n\nb", 'c "d"')


ids = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@slow
@given(st.lists(ids, min_size=1, max_size=5, unique=True), st.data())
def test_what_was_written_is_read_back(names, data):
    rows = {names[0]: (None, 1e9 / 3)}
    for name in names[1:]:
        rows[name] = (data.draw(st.sampled_from(list(rows))), 0.1, data.draw(st.floats(0, 9)))
    for start, name in enumerate(names[1:]):
        rows[name] = (names[0], 0.1, start / 3)
    table = Elements(rows)
    with tempfile.TemporaryDirectory() as folder:
        for suffix, content in [
            ("csv", csv_text(table).encode()),
            ("tsv", csv_text(table, "\t").encode()),
            ("jsonl", json_text(table).encode()),
            ("parquet", parquet_bytes(columns(table))),
        ]:
            assert read_elements(written(Path(folder), f"a.{suffix}", content)) == table


# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.txt", "a.csv.zip"])
def test_the_suffix_tells_the_format(tmp_path, name):
    refused(read_elements, written(tmp_path, name, HEADER), "file of elements", ".parquet")


@pytest.mark.parametrize("name", ["a", "a.gz", "csv"])
def test_the_content_tells_the_format_where_no_suffix_does(tmp_path, name):
    named = written(tmp_path, "a.csv", HEADER + "a,,5,0\n")
    assert read_elements(written(tmp_path, name, HEADER + "a,,5,0\n")) == read_elements(named)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"", mtime=0)])
def test_empty_files(tmp_path, name, content):
    refused(read_elements, written(tmp_path, name, content), "must be at least 1")


@pytest.mark.parametrize(
    "names",
    [
        "element,parent",
        "element,parent,size",
        "element,element,parent,length",
        "element,parent,length,start,start",
        "a,,5,0",
    ],
)
def test_wrong_names(tmp_path, names):
    refused(read_elements, written(tmp_path, "a.csv", f"\n{names}\n"), "line 2", "column names")


@pytest.mark.parametrize("length", ["", "x", "nan", "inf", "1_0", "0x1", "1,5", "-", "١"])
def test_lengths_in_csv_are_decimal_numbers(tmp_path, length):
    path = written(tmp_path, "a.csv", f'{HEADER}a,,1,0\nb,,"{length}",0\n')
    refused(read_elements, path, "line 3", "length is", "finite number of at least 0")


@pytest.mark.parametrize("number", ["-1", "1e999", "-1e-9"])
def test_numbers_are_not_negative_and_finite(tmp_path, number):
    path = written(tmp_path, "a.csv", f"{HEADER}a,,{number},0\n")
    refused(read_elements, path, "line 2", "length of 'a'", "finite number of at least 0")
    path = written(tmp_path, "b.csv", f"{HEADER}a,,1,{number}\n")
    refused(read_elements, path, "line 2", "start of 'a'", "finite number of at least 0")


@pytest.mark.parametrize("number", ["-1", "NaN", "Infinity", "true", '"1"', "[1]", "{}", "null"])
def test_numbers_in_json(tmp_path, number):
    path = written(tmp_path, "a.jsonl", f'{{"element": "a", "parent": null, "length": {number}}}\n')
    refused(read_elements, path, "line 1", "length is", "finite number")


def test_a_huge_integer_in_json(tmp_path):
    number = "1" + "0" * 400
    path = written(tmp_path, "a.jsonl", f'{{"element": "a", "parent": null, "length": {number}}}\n')
    refused(read_elements, path, "line 1", "an integer of 1329 bits")


@pytest.mark.parametrize("text", ["[]", "1", "{", '{"element": "a"', "null", "[" * 100_000])
def test_lines_of_json_are_objects(tmp_path, text):
    good = '{"element": "a", "parent": null, "length": 1}\n'
    refused(read_elements, written(tmp_path, "a.jsonl", good + text), "line 2", "one JSON object")


@pytest.mark.parametrize("value", ["1.5", "null", "[]", "true"])
def test_ids_in_json_are_strings_or_whole_numbers(tmp_path, value):
    path = written(tmp_path, "a.jsonl", f'{{"element": {value}, "parent": null, "length": 1}}\n')
    refused(read_elements, path, "line 1", "element is", "null" if value == "null" else "be text")
    numbers = '{"element": 7, "parent": null, "length": 2}\n'
    numbers += '{"element": "8", "parent": 7.0, "length": 1}\n'
    table = Elements({"7": (None, 2), "8": ("7", 1)})
    assert read_elements(written(tmp_path, "b.jsonl", numbers)) == table


def test_rows_of_another_length(tmp_path):
    path = written(tmp_path, "a.csv", HEADER + "a,,1\n")
    refused(read_elements, path, "line 2", "is 3, must be 4", "quote ids")
    refused(read_elements, written(tmp_path, "b.csv", HEADER + '"a,,1,0\n'), "rules of CSV")


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ("a,,1,0\na,,1,0\n", ("line 3", "given once", "line 2")),
        (",,1,0\n", ("line 2", "not empty")),
        ("a,b,1,0\n", ("line 2", "parent of 'a'", "element of the table")),
        ("r,,9,0\n\na,b,1,0\nb,a,1,0\n", ("line 4", "cycle of 2")),
        ("b,a,2,9\na,,10,0\n", ("line 2", "end of 'b' is 11.0", "end 10.0 of its parent 'a'")),
        ("b,a,2,0\na,,10,1\n", ("line 2", "start of 'b' is 0.0")),
    ],
)
def test_rules_of_elements_name_file_and_line(tmp_path, rows, parts):
    refused(read_elements, written(tmp_path, "a.csv", HEADER + rows), *parts)


def test_damaged_and_binary_files(tmp_path):
    packed = gzip.compress(CONTENT["a.csv"])
    for name, content, part in [
        ("a.csv", packed[:-9], "complete gzip file"),
        ("b.csv", packed[:20] + b"\xff" * 20 + packed[40:], "complete gzip file"),
        ("c.csv", b"element,parent,length\n\xff,,1\n", "line 2"),
        ("d.csv", b"element,parent,length\na\0,,1\n", "NUL"),
        ("e.parquet", CONTENT["a.parquet"][:-20], "Parquet"),
        ("f.parquet", b"", "Parquet"),
        ("g.parquet", gzip.compress(CONTENT["a.parquet"], mtime=0)[:-20], "complete gzip file"),
    ]:
        refused(read_elements, written(tmp_path, name, content), part)


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        ({"element": [None, "b", "c"]}, ("row 1", "element is None")),
        ({"length": [1, 2, None]}, ("row 3", "length is None")),
        ({"length": ["1", "2", "3"]}, ("row 1", "length is '1'")),
        ({"length": [True, False, True]}, ("row 1", "length is True")),
        ({"element": [1.5, 2, 3]}, ("row 1", "element is 1.5")),
        ({"element": pa.nulls(3)}, ("row 1", "element is None")),
        ({"start": ["", "x", ""]}, ("row 2", "start is 'x'")),
        ({"parent": [None, "x", "a"]}, ("row 2", "parent of 'b' is 'x'")),
    ],
)
def test_parquet_mistakes(tmp_path, changed, parts):
    content = {"element": ["a", "b", "c"], "parent": [None, "a", "a"], "length": [9, 1, 1.0]}
    path = written(tmp_path, "a.parquet", parquet_bytes({**content, **changed}))
    refused(read_elements, path, *parts)


def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = written(tmp_path, "a.parquet", CONTENT["a.parquet"])
    refused(read_elements, path, "pyarrow", "prum[parquet]")


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_elements(tmp_path / "a.csv")


names = st.sampled_from(sorted(CONTENT))


@given(names, st.data())
def test_garbage_is_refused_in_one_line(name, data):
    content = bytearray(CONTENT[name])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), name, bytes(content))
        try:
            table = read_elements(path)
        except InputError:
            refused(read_elements, path)
        else:
            assert np.isfinite(table.starts).all()
            assert (table.lengths >= 0).all()
