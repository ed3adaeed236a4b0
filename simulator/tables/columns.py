"""Column files: rows of named columns, as CSV, TSV, JSONL or Parquet."""

import errno
import os
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

from prum.simulator.model.errors import InputError
from prum.simulator.tables.files import (
    BYTE_ORDER_MARK,
    STANDARD_INPUT,
    FilePath,
    Opened,
    looked_at,
    place,
)
from prum.simulator.tables.layout import Layout
from prum.simulator.tables.parquet import parquet_batches
from prum.simulator.tables.rows import csv_batches, json_batches
from prum.simulator.tables.unpacked import bare_name

_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_PARQUET = b"PAR1"


def read_columns(path: FilePath, layout: Layout) -> tuple[list[Any], Sequence[int] | None]:
    """Return the columns of a file in the order of `layout`, and the line of each row.

    Columns of numbers are arrays, or lists with None if nullable; a Parquet file has no lines.

    Raises
    ------
    InputError
        for another suffix, wrong column names, a row that breaks the format or the layout, a file
        that is empty, not UTF-8 text or damaged; for Parquet without pyarrow.
    OSError
        if the file cannot be opened or read.
    """
    _, columns, lines = read_named_columns(path, layout)
    return columns, lines


def read_named_columns(
    path: FilePath, layout: Layout
) -> tuple[list[str], list[Any], Sequence[int] | None]:
    """Return the names of columns as in the file, those of the `rest` last, and `read_columns`.

    Raises
    ------
    InputError, OSError
        as `read_columns`.
    """
    with of_format(path, layout.what) as (file, suffix):
        return _read(file, suffix, layout)


@contextmanager
def of_format(path: FilePath, what: str) -> Iterator[tuple[FilePath, str]]:
    """Yield a column file to be read, and the suffix of its format: .csv, .tsv, .jsonl, .parquet.

    Raises
    ------
    InputError
        for another suffix, which names `what` it was to be, and for content that is XML.
    OSError
        if there is no such file.
    """
    suffix = _suffix(path, what)
    if suffix:
        yield path, suffix.replace("ndjson", "jsonl")
        return
    with looked_at(path) as file:
        yield file, _suffix_of_content(file, what)


def _read(
    path: FilePath, suffix: str, layout: Layout
) -> tuple[list[str], list[Any], Sequence[int] | None]:
    if suffix == ".parquet":
        batches = parquet_batches(path, layout)
    elif suffix in (".csv", ".tsv"):
        batches = csv_batches(path, layout, "," if suffix == ".csv" else "\t")
    else:
        batches = json_batches(path, layout)
    columns = _empty(layout)
    lines = array("q")
    known: dict[Any, Any] = {}  # ids repeat: keep one text of each
    for written, some_lines, batch in batches:
        if layout is not written:
            columns, layout = _empty(written), written
        lines.extend(some_lines)
        for column, all_values, values in zip(layout.columns, columns, batch, strict=True):
            if column.number:
                all_values.extend(values)
            else:
                all_values.extend(map(known.setdefault, values, values))
    return layout.names, columns, None if suffix == ".parquet" else lines


def _empty(layout: Layout) -> list[Any]:
    return [
        array("d") if column.number and not column.nullable else list[Any]()
        for column in layout.columns
    ]


def _suffix(path: FilePath, what: str) -> str:
    """Return the suffix that tells the format of `path`, or nothing for one without."""
    name = PurePath(os.fspath(path)).name
    bare = bare_name(name)
    for suffix in _SUFFIXES:
        if bare.lower().endswith(suffix):
            return suffix
    if not os.path.exists(path) and os.fspath(path) != STANDARD_INPUT:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    if not PurePath(bare).suffix:
        return ""
    rule = f"end with {', '.join(_SUFFIXES)}, .gz, .xz or .bz2 after it allowed"
    remedy = "name the file by its format"
    raise InputError(f"name of a {what}", name, rule, remedy=remedy, place=place(path))


def _suffix_of_content(file: Opened, what: str) -> str:
    """Return the suffix that fits the beginning of a file."""
    text = file.beginning.removeprefix(BYTE_ORDER_MARK).lstrip()
    if text.startswith(b"<"):
        thing = f"content of a {what}"
        rule = "be CSV, TSV, JSONL or Parquet"
        remedy = "name XML files by the suffix .xml: documents are named by their files"
        raise InputError(thing, "XML", rule, remedy=remedy, place=place(file))
    if text.startswith(_PARQUET):
        return ".parquet"
    if text.startswith(b"{"):
        return ".jsonl"
    return ".tsv" if b"\t" in text else ".csv"
