"""Doors of tables: every form of a table and every mistake, through every reader of one."""

import gzip
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from prum.simulator.collections import (
    read_chunks,
    read_costs,
    read_elements,
    read_gold,
    read_judgement_probabilities,
    read_links,
    read_texts,
)
from prum.simulator.collections.links import read_pairs
from prum.simulator.collections.list_tables import judgements_of_table, runs_of_table
from prum.simulator.collections.probabilities import UncertainJudgements, read_intents
from prum.simulator.model import InputError
from prum.simulator.tables.files import looked_at
from tests.table_forms import (
    FORMS,
    PACKERS,
    json_lines,
    parquet,
    read_few_rows,
    refused,
    separated,
    written,
)

ODD = 'é, "1"\n2'


@dataclass(frozen=True)
class Door:
    """A reader, a table that it takes, a column of ids and one of numbers, and their rule."""

    read: Callable[[Any], Any]
    rows: list[dict[str, Any]]
    id: str
    number: str = ""
    rule: str = ""
    # Whether ids and numbers may be left empty, for words that are looked up.
    nullable: bool = False
    # What a row is told that is there twice; nothing where that says the same again.
    twice: str = "must be given once"

    def changed(self, **cells: Any) -> list[dict[str, Any]]:
        """Return the rows, with other cells in the last."""
        return [*self.rows[:-1], self.rows[-1] | cells]


def named(table: Any) -> str:
    return str(table) if isinstance(table, Path) else "rows"


def rows(names: str, *cells: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [dict(zip(names.split(), row, strict=True)) for row in cells]


def probabilities_in(read: UncertainJudgements) -> object:
    return read.cases, read.elements, {q: p.tolist() for q, p in read.probabilities.items()}


DOORS = {
    "links": Door(
        read_links,
        rows("source target probability", ("a", ODD, 0.5), (ODD, "b", 1.0), ("a", "b", 0.25)),
        "source",
        "probability",
        "[0, 1]",
    ),
    "pairs": Door(read_pairs, rows("source target", ("a", ODD), (ODD, "b"), ("a", "b")), "target"),
    "elements": Door(
        read_elements,
        rows(
            "element parent length start",
            ("p", None, 60.5, 2.0),
            (ODD, "p", 40.0, 2.0),
            ("b", "p", 20.0, 42.0),
        ),
        "element",
        "length",
        "finite number of at least 0",
    ),
    "costs": Door(
        read_costs,
        rows("element tokens seconds", ("a", 120.0, 0.5), (ODD, 80.0, 2e-3), ("b", 7.0, 1.0)),
        "element",
        "tokens",
        "positive",
    ),
    "chunks": Door(
        read_chunks,
        rows(
            "id doc start end tokens",
            ("a", "d", 0, 9, 5.0),
            (ODD, "d", 5, 12, 2.0),
            ("b", "e", 0, 1, 1.0),
        ),
        "id",
        "start",
        "whole number",
        nullable=True,
    ),
    "gold": Door(
        read_gold,
        rows("query_id doc start end", ("q1", "d", 0, 9), (ODD, "d", 5, 12), ("q2", "e", 0, 1)),
        "doc",
        "end",
        "whole number",
        nullable=True,
        twice="",
    ),
    "probabilities": Door(
        lambda table: probabilities_in(read_judgement_probabilities(table)),
        rows("qid docno probability", ("1", "a", 0.5), ("1", ODD, 1.0), ("2", "a", 0.25)),
        "docno",
        "probability",
        "[0, 1]",
    ),
    "intents": Door(
        read_intents,
        rows("topic subtopic probability", ("1", "a", 0.5), ("1", ODD, 0.5), ("2", "a", 1.0)),
        "subtopic",
        "probability",
        "[0, 1]",
    ),
    "texts": Door(
        lambda table: dict(read_texts(table)),
        rows("_id text", ("a", "x"), (ODD, "y z"), ("b", "é")),
        "_id",
    ),
    "preferences": Door(
        lambda table: judgements_of_table(table, named(table), by_subtopic=False),
        rows("topic preferred other", ("1", "a", "b"), ("1", ODD, "a"), ("2", "a", "b")),
        "preferred",
        twice="",
    ),
    "runs": Door(
        lambda table: runs_of_table(table, named(table), "run"),
        rows(
            "model qid docno score",
            ("x", "1", "a", 2.5),
            ("x", "1", ODD, 2.0),
            ("y", "1", "a", 1.5),
        ),
        "docno",
        "score",
        "be a finite number",
    ),
    "qrels": Door(
        lambda table: judgements_of_table(table, named(table), by_subtopic=False),
        rows("qid docno label", ("1", "a", 2), ("1", ODD, 0), ("2", "a", 1)),
        "docno",
        "label",
        "whole number",
    ),
}
every = pytest.mark.parametrize("door", DOORS.values(), ids=list(DOORS))
numbered = pytest.mark.parametrize(
    "door", [x for x in DOORS.values() if x.number], ids=[n for n, x in DOORS.items() if x.number]
)


@pytest.fixture(params=[2, None])
def _read_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read text in pieces of two rows, and all at once."""
    if request.param is not None:
        read_few_rows(monkeypatch, request.param)


at_once = pytest.mark.usefixtures("_read_at_once")


# --- forms ---------------------------------------------------------------------------------------


@every
@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(door: Door, form: str, tmp_path: Path) -> None:
    wanted, content = door.read(door.rows), FORMS[form](door.rows)
    for packed, pack in PACKERS.items():
        for name in (f"x.{form}{packed}", f"X.{form.upper()}", f"x{packed}"):
            assert door.read(written(tmp_path, name, pack(content))) == wanted, name
    assert door.read(str(written(tmp_path, f"x.{form}", content))) == wanted
    if form != "parquet":
        lines = content.replace(b"\n", b"\r\n") if form != "csv" and form != "tsv" else content
        for text in (b"\xef\xbb\xbf" + content, b"\n" + content + b"\n \t\n", content[:-1], lines):
            assert door.read(written(tmp_path, f"x.{form}", text)) == wanted, text


@every
def test_tables_in_python_say_the_same(door: Door) -> None:
    frame = pd.DataFrame(door.rows)
    names = list(frame)
    for table in (frame, frame[names[::-1]], iter(door.rows), tuple(door.rows)):
        assert door.read(table) == door.read(door.rows)


@every
def test_columns_stand_in_any_order_and_ids_may_be_whole_numbers(
    door: Door, tmp_path: Path
) -> None:
    for form in FORMS:
        turned = [dict(reversed(row.items())) for row in door.rows]
        assert door.read(written(tmp_path, f"x.{form}", FORMS[form](turned))) == door.read(turned)
    numbers = [
        written(tmp_path, f"{k}.jsonl", json_lines(door.changed(**{door.id: value})))
        for k, value in enumerate(("7", 7, 7.0))
    ]
    first, *others = map(door.read, numbers)
    assert all(other == first for other in others)


NASTY = re.split(
    "[|]",
    '"|""|,| |\t|\n|\r|\r\n|a\n\nb|#|\'|\\|=1|-|a b|x,y|\u2028|\x85|\x0b|\x0c|\x1c|\ufeff|\u00a0|'
    "\u200b|é|e\u0301|\U0001f600|007|7|7.5|1e3|0|nan|NaN|None|null|true|inf|<b>|{}|[1]",
)


@every
@pytest.mark.parametrize("form", FORMS)
@at_once
def test_any_text_is_an_id(door: Door, form: str, tmp_path: Path) -> None:
    rows = [door.rows[0] | {door.id: text} for text in NASTY]
    if "subtopic" in rows[0]:
        rows = [row | {"probability": 1 / len(NASTY)} for row in rows]
    wanted = door.read(rows)
    assert door.read(written(tmp_path, f"x.{form}", FORMS[form](rows))) == wanted
    assert door.read(pd.DataFrame(rows, dtype=object)) == wanted
    told = str(wanted)
    assert all(repr(text)[1:-1] in told for text in NASTY)


@every
@pytest.mark.parametrize("form", FORMS)
@at_once
def test_a_row_that_is_there_twice(door: Door, form: str, tmp_path: Path) -> None:
    again = [*door.rows, door.rows[-1]]
    path = written(tmp_path, f"x.{form}", FORMS[form](again))
    if door.twice:
        ends = FORMS[form](again).decode().count("\n") if form in ("csv", "tsv") else 4
        unit = "row" if form == "parquet" else "line"
        refused(door.read, path, f"{unit} {ends}", door.twice)
    else:
        assert door.read(path) == door.read(again)


@every
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_file_that_is_cut_off_is_read_in_part_or_refused(
    door: Door, form: str, tmp_path: Path
) -> None:
    content = FORMS[form](door.rows)
    read = 0
    for length in range(len(content)):
        path = written(tmp_path, f"x.{form}", content[:length])
        told = ""
        try:
            read += bool(door.read(path))
        except InputError as error:
            told = str(error)
        assert len(told.splitlines()) <= 1
    assert read < len(content) / 2


# --- mistakes ------------------------------------------------------------------------------------


@every
@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x", "x.csv.gz"])
@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf\n", gzip.compress(b"", mtime=0)])
def test_empty_files(door: Door, name: str, content: bytes, tmp_path: Path) -> None:
    refused(door.read, written(tmp_path, name, content), "is 0, must be at least 1")


@every
def test_names_of_columns(door: Door, tmp_path: Path) -> None:
    noted = separated([row | {"note": "x"} for row in door.rows]).decode()
    said = "column names|names of columns"
    for name, wrong in (("note", said), (door.id, said + "|must be given" * door.nullable)):
        other = door.id if name == "note" else "y"
        path = written(tmp_path, "x.csv", noted.replace(name, other, 1))
        assert re.search(wrong, refused(door.read, path)), name
    if not door.nullable:
        lacks = [{name: x for name, x in row.items() if name != door.id} for row in door.rows]
        refused(door.read, written(tmp_path, "x.jsonl", json_lines(lacks)), "columns")
        refused(door.read, written(tmp_path, "x.parquet", parquet(lacks)), "columns")


@every
@pytest.mark.parametrize("form", ["csv", "tsv"])
@at_once
def test_rows_and_quotes(door: Door, form: str, tmp_path: Path) -> None:
    content = FORMS[form](door.rows).decode()
    mark, last = "," if form == "csv" else "\t", content.count("\n")
    width = len(door.rows[0])
    whole = content.rstrip("\n").rpartition(mark)[0]
    for text, parts in (
        (f"{content}x{mark * width}\n", (f"line {last + 1}", f"is {width + 1}, must be {width}")),
        (f"{whole}\n", (f"line {last}", f"is {width - 1}, must be {width}", "quote ids")),
        (f'{content}"{mark}a\nb\n', ("rules of CSV", f"begins in line {last + 1}")),
        (f'{content}"b"c{mark}\n', (f"line {last + 1}", "rules of CSV")),
        (f"{content}a\rb\n", (f"line {last + 1}", "rules of CSV")),
        (f"{content}{'a' * 200_000}\n", (f"line {last + 1}", "rules of CSV")),
    ):
        refused(door.read, written(tmp_path, f"x.{form}", text), *parts)


@numbered
@pytest.mark.parametrize(
    "cell", ["", "x", "nan", "inf", "0x1", "1,5", "1e999", "--1", "1e", ".", "-"]
)
@at_once
def test_numbers_in_text(door: Door, cell: str, tmp_path: Path) -> None:
    content = separated(door.changed(**{door.number: cell}))
    at = f"line {content.decode().count(chr(10))}"
    parts = (at, door.number) if door.nullable and not cell else (at, door.rule, f"is {cell!r}")
    refused(door.read, written(tmp_path, "x.csv", content), *parts)


@numbered
@pytest.mark.parametrize(
    "cell", ["null", '"1"', "true", "[1]", "{}", "NaN", "-Infinity", f"1{'0' * 400}"]
)
def test_numbers_in_json(door: Door, cell: str, tmp_path: Path) -> None:
    last = json.dumps(door.rows[-1] | {door.number: "CELL"}).replace('"CELL"', cell)
    text = json_lines(door.rows[:-1]) + b"\n" + last.encode()
    line = f"line {len(door.rows) + 1}"
    parts = (line, door.number) if door.nullable and cell in ("null", "NaN") else (line, door.rule)
    if door is DOORS["qrels"] and cell == '"1"':  # judges write so
        assert door.read(written(tmp_path, "x.jsonl", text)) == door.read(door.changed(label=1))
        return
    refused(door.read, written(tmp_path, "x.jsonl", text), *parts)


@every
@pytest.mark.parametrize("cell", ["null", "7.5", "true", '["a"]', "{}", '""'])
def test_ids_in_json(door: Door, cell: str, tmp_path: Path) -> None:
    last = json.dumps(door.rows[-1] | {door.id: "CELL"}).replace('"CELL"', cell)
    text = json_lines(door.rows[:-1]) + b"\n" + last.encode()
    refused(door.read, written(tmp_path, "x.jsonl", text), f"line {len(door.rows) + 1}")


@every
@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("{", "one JSON object"),
        ("{} {}", "one JSON object"),
        ("[]", "one JSON object"),
        ("7", "one JSON object"),
        ("null", "one JSON object"),
        ("[" * 100_000, "one JSON object"),
        ("9" * 5_000, "one JSON object"),
        ('{"a": 1, "a": 1}', "'a' stands twice"),
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
    ],
)
def test_lines_of_json(door: Door, line: str, part: str, tmp_path: Path) -> None:
    text = json_lines(door.rows) + f"\n{line}\n".encode()
    refused(door.read, written(tmp_path, "x.jsonl", text), f"line {len(door.rows) + 2}", part)


@every
def test_cells_of_parquet(door: Door, tmp_path: Path) -> None:
    for cell in (None, 7.5, b"b", True):
        other = [row | {door.id: cell} for row in door.rows]
        row = "row 1" if not (door.nullable and cell is None) else "row "
        refused(door.read, written(tmp_path, "x.parquet", parquet(other)), row)
    for cell in (True, "x", *([] if door.nullable else [None])) if door.number else ():
        other = [row | {door.number: cell} for row in door.rows]
        refused(door.read, written(tmp_path, "x.parquet", parquet(other)), "row 1", door.rule)
    last = parquet(door.changed(**{door.id: None}))
    refused(door.read, written(tmp_path, "x.parquet", last), f"row {len(door.rows)}")


@every
def test_damage(door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = separated(door.rows)
    line = f"line {1 + content[: content.index('é'.encode())].count(10)}"
    for broken in (
        content.decode().encode("latin-1"),
        content.replace("é".encode(), b"\xed\xa0\x80"),
    ):
        refused(door.read, written(tmp_path, "x.csv", broken), line, "must be UTF-8")
    nul = content.replace("é".encode(), b"\0")
    refused(door.read, written(tmp_path, "x.csv", nul), line, "no NUL byte")
    packed, whole = gzip.compress(content, mtime=0), parquet(door.rows)
    corrupt = packed[:-6] + bytes([packed[-6] ^ 1]) + packed[-5:]
    for broken in (packed[:-9], packed[:15], corrupt, packed + b"junk"):
        refused(door.read, written(tmp_path, "x.csv", broken), "complete gzip")
    for broken in (b"", b"PAR1", b"PAR1junkPAR1", whole[:-20]):
        refused(door.read, written(tmp_path, "x.parquet", broken), "readable Parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused(door.read, written(tmp_path, "x.parquet", whole), 'pip install "prum[parquet]"')


@every
def test_names_of_files(door: Door, tmp_path: Path) -> None:
    assert door.read(written(tmp_path, "x.txt", separated(door.rows))) == door.read(door.rows)
    with pytest.raises(FileNotFoundError):
        door.read(tmp_path / "missing.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError if door is DOORS["texts"] else IsADirectoryError):
        door.read(tmp_path / "folder.csv")
    with pytest.raises(InputError, match=r"two\\nlines") as caught:
        door.read(written(tmp_path, "two\nlines.csv", ""))
    assert "\n" not in str(caught.value)


def test_a_million_blank_lines_at_the_top_are_passed_over(tmp_path: Path) -> None:
    """Copied line by line, so many take minutes."""
    path = tmp_path / "blank"
    path.write_bytes(b"\n" * 1_000_000 + b"a\n")
    with looked_at(path) as file:
        assert file.beginning == path.read_bytes()
