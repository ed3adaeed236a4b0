"""Element files: parent, length and start of each element, as CSV, TSV, JSONL or Parquet."""

import csv
import gzip
import io
import json
import math
import os
import re
from array import array
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from prum.simulator.collections.files import (
    DAMAGE,
    FilePath,
    damaged,
    no_lines,
    opened,
    place,
    text_lines,
)
from prum.simulator.model.elements import Elements
from prum.simulator.model.errors import InputError, shown

_NAMES = ("element", "parent", "length", "start")
_NEEDED = _NAMES[:3]
_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

_Row = tuple[int, str, str | None, float, float | None]


def read_elements(path: FilePath) -> Elements:
    """Return the elements of a file with columns element, parent, length and start.

    A document has an empty parent (null in JSONL and Parquet). The column start may be missing or
    empty in places: `Elements` says where such an element begins. Parents may come after their
    children. The suffix of the name tells the format (`.gz` after it is ignored):

    `.csv`, `.tsv`
        The first line names the columns, in any order. Quoting as in Python's csv module: ids may
        hold blanks, commas, quotes and line ends. `.tsv` has tabs for commas.
    `.jsonl`, `.ndjson`
        One object with exactly these names per line, start at will; ids are strings, length and
        start numbers.
    `.parquet`
        Exactly these columns, start at will: text, text, numbers, numbers; needs pyarrow.

    All may be gzipped, whatever the name. Blank lines are skipped.

    Raises
    ------
    InputError
        for another suffix, wrong column names, a row that breaks the format, a table that breaks a
        rule of `Elements`, a file that is empty, no UTF-8 text or damaged; also if a Parquet file
        is given and pyarrow is not installed.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "elements.csv"
    >>> _ = path.write_text("element,parent,length\\npage,,60\\nchunk,page,40\\n")
    >>> read_elements(path)
    Elements({'page': (None, 60.0, 0.0), 'chunk': ('page', 40.0, 0.0)})
    """
    suffix = _suffix(path)
    if suffix == ".parquet":
        rows = _parquet_rows(path)
    elif suffix in (".csv", ".tsv"):
        rows = _csv_rows(path, "," if suffix == ".csv" else "\t")
    else:
        rows = _json_rows(path)
    elements, parents, starts = list[str](), list[str | None](), list[float | None]()
    lengths, lines = array("d"), array("q")
    for line, element, parent, length, start in rows:
        elements.append(element)
        parents.append(parent)
        lengths.append(length)
        starts.append(start)
        lines.append(line)
    return Elements.from_columns(
        elements, parents, lengths, starts, origin=place(path),
        lines=None if suffix == ".parquet" else lines,
    )  # fmt: skip


def _suffix(path: FilePath) -> str:
    """Return the suffix that tells the format of `path`."""
    name = PurePath(os.fspath(path)).name
    bare = name[:-3] if name.lower().endswith(".gz") else name
    for suffix in _SUFFIXES:
        if bare.lower().endswith(suffix):
            return suffix
    raise InputError(
        "name of a file of elements",
        name,
        f"end with {', '.join(_SUFFIXES)}, .gz after it allowed",
        remedy="name the file by its format",
        place=place(path),
    )


def _csv_rows(path: FilePath, delimiter: str) -> Iterator[_Row]:
    last = ""

    def lines() -> Iterator[str]:
        nonlocal last
        for line in text_lines(path):
            last = line
            yield line

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    names: list[str] = []
    row_start = 1
    try:
        for row in reader:
            line, row_start = reader.line_num, reader.line_num + 1
            if not last.strip(" \t\r\n"):
                continue
            if not names:
                _check_names(row, place=place(path, line))
                names = row
                continue
            if len(row) != len(names):
                raise InputError(
                    f"number of columns of {shown(last.rstrip())}",
                    len(row),
                    f"be {len(names)}, as in the first line",
                    remedy="quote ids that hold the separator",
                    place=place(path, line),
                )
            values = dict(zip(names, row, strict=True))
            start = values.get("start", "")
            yield (
                line,
                values["element"],
                values["parent"] or None,
                _number_in("length", values["length"], place=place(path, line)),
                _number_in("start", start, place=place(path, line)) if start else None,
            )
    except csv.Error as error:
        raise InputError(
            "row",
            last.rstrip("\r\n"),
            f"follow the rules of CSV ({shown(str(error))})",
            remedy=f"check the quotes of the row that begins in line {row_start}",
            place=place(path, reader.line_num),
        ) from None
    if not names:
        raise no_lines(path)


def _number_in(name: str, written: str, *, place: str) -> float:
    """Return a number written in decimal."""
    if not _NUMBER.fullmatch(written):
        raise _no_number(name, written, place=place)
    return float(written)


def _json_rows(path: FilePath) -> Iterator[_Row]:
    # Objects come as tuples of pairs, so that a name given twice is seen.
    decode = json.JSONDecoder(object_pairs_hook=tuple).decode
    empty = True
    for line, text in enumerate(text_lines(path), start=1):
        if not text.strip(" \t\r\n"):
            continue
        empty = False
        try:
            pairs = decode(text)
            if not isinstance(pairs, tuple):
                raise ValueError("another kind of value")
        except (ValueError, RecursionError) as error:
            raise InputError(
                "line",
                text.strip(),
                f"be one JSON object ({shown(str(error))})",
                remedy='write {"element": ..., "parent": ..., "length": ..., "start": ...}',
                place=place(path, line),
            ) from None
        _check_names([name for name, _ in pairs], place=place(path, line))
        row: dict[str, Any] = dict(pairs)
        for name in ("element", "parent"):
            if name == "parent" and row[name] is None:
                continue
            if not isinstance(row[name], str) or not _is_unicode(row[name]):
                raise InputError(
                    name,
                    _scalar(row[name]),
                    "be a string of Unicode characters",
                    remedy="put the id between quotes",
                    place=place(path, line),
                )
        for name in ("length", "start"):
            value: Any = row.get(name)
            if name == "start" and value is None:
                continue
            if type(value) not in (int, float) or not 0 <= value < math.inf:
                raise _no_number(name, _scalar(value), place=place(path, line))
        start = row.get("start")
        yield (
            line,
            row["element"],
            row["parent"] or None,
            _float("length", row["length"], place=place(path, line)),
            None if start is None else _float("start", start, place=place(path, line)),
        )
    if empty:
        raise no_lines(path)


def _float(name: str, value: float, *, place: str) -> float:
    try:
        return float(value)
    except OverflowError:  # a huge integer
        raise _no_number(name, value, place=place) from None


def _parquet_rows(path: FilePath) -> Iterator[_Row]:
    """Yield the rows of a Parquet file, numbered from 1."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError(
            "pyarrow",
            "not installed",
            "be installed to read Parquet",
            remedy='pip install "prum[parquet]"',
            place=place(path),
        ) from None
    try:
        with opened(path) as stream:
            seekable = io.BytesIO(stream.read()) if isinstance(stream, gzip.GzipFile) else stream
            file = pq.ParquetFile(seekable)
            _check_parquet_types(file.schema_arrow, pa.types, place=place(path))
            num_rows = 0
            for batch in file.iter_batches():
                columns: dict[str, list[Any]] = {
                    name: (
                        batch.column(name).cast(pa.float64(), safe=False)
                        if name in ("length", "start") and batch.column(name).type != pa.null()
                        else batch.column(name)
                    ).to_pylist()
                    for name in batch.schema.names
                }
                starts = columns.get("start", [None] * batch.num_rows)
                for element, parent, length, start in zip(
                    columns["element"], columns["parent"], columns["length"], starts, strict=True
                ):
                    num_rows += 1
                    for name, value in (("element", element), ("length", length)):
                        if value is None:
                            raise InputError(
                                name,
                                None,
                                "not be null",
                                remedy="fill it in or leave the row out",
                                place=f"{place(path)}, row {num_rows}",
                            )
                    yield num_rows, element, parent or None, length, start
    except DAMAGE as error:
        raise damaged(error, place=place(path)) from None
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        # pyarrow also raises OSError for bad content; those of the system carry a number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InputError(
            "content",
            str(error),
            "be a readable Parquet file",
            remedy="write the file again",
            place=place(path),
        ) from None


def _check_parquet_types(schema: Any, types: Any, *, place: str) -> None:
    """Raise InputError unless `schema` holds the columns: text, text, numbers and numbers."""
    _check_names(schema.names, place=place)
    for name in schema.names:
        kind = schema.field(name).type
        if types.is_null(kind) and name in ("parent", "start"):  # nothing but nulls
            continue
        values = kind.value_type if types.is_dictionary(kind) else kind
        numeric = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        text = types.is_string(values) or types.is_large_string(values)
        number_wanted = name in ("length", "start")
        if not (numeric if number_wanted else text):
            raise InputError(
                f"type of column {name}",
                str(kind),
                "be numbers" if number_wanted else "be text",
                remedy="convert the column",
                place=place,
            )


def _check_names(names: Sequence[str], *, place: str) -> None:
    if sorted(names) not in (sorted(_NAMES), sorted(_NEEDED)):
        raise InputError(
            "wrong column names: the row of names",
            ", ".join(names),
            f"be {', '.join(_NAMES)} in any order, start at will",
            remedy="name these columns, and leave out others",
            place=place,
        )


def _no_number(name: str, value: object, *, place: str) -> InputError:
    return InputError(
        name, value, "be a finite number of at least 0", remedy="write it like 12.5", place=place
    )


def _scalar(value: object) -> object:
    """Return `value`, or a name for what may be nested too deep to show."""
    return "an object or a list" if isinstance(value, (tuple, list)) else value


def _is_unicode(text: str) -> bool:
    """Return whether `text` holds no half of a surrogate pair, which no file could hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
