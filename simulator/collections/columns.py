"""Column files: rows of named columns, as CSV, TSV, JSONL or Parquet."""

import os
from array import array
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from prum.simulator.collections.files import FilePath, place
from prum.simulator.collections.layout import Layout
from prum.simulator.collections.parquet import parquet_batches
from prum.simulator.collections.rows import csv_batches, json_batches
from prum.simulator.model.errors import InputError

_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def read_columns(path: FilePath, layout: Layout) -> tuple[list[Any], Sequence[int] | None]:
    """Return the columns of a file in the order of `layout`, and the line of each row.

    Columns of numbers are arrays, or lists with None if nullable; a Parquet file has no lines.

    Raises
    ------
    InputError
        for another suffix, wrong column names, a row that breaks the format or the layout, a file
        that is empty, no UTF-8 text or damaged; for Parquet without pyarrow.
    OSError
        if the file cannot be opened or read.
    """
    suffix = _suffix(path, layout)
    if suffix == ".parquet":
        batches = parquet_batches(path, layout)
    elif suffix in (".csv", ".tsv"):
        batches = csv_batches(path, layout, "," if suffix == ".csv" else "\t")
    else:
        batches = json_batches(path, layout)
    columns = [
        array("d") if column.number and not column.nullable else list[Any]()
        for column in layout.columns
    ]
    lines = array("q")
    known: dict[Any, Any] = {}  # ids repeat: keep one text of each
    for some_lines, batch in batches:
        lines.extend(some_lines)
        for column, all_values, values in zip(layout.columns, columns, batch, strict=True):
            if column.number:
                all_values.extend(values)
            else:
                all_values.extend(map(known.setdefault, values, values))
    return columns, None if suffix == ".parquet" else lines


def _suffix(path: FilePath, layout: Layout) -> str:
    """Return the suffix that tells the format of `path`."""
    name = PurePath(os.fspath(path)).name
    bare = name[:-3] if name.lower().endswith(".gz") else name
    for suffix in _SUFFIXES:
        if bare.lower().endswith(suffix):
            return suffix
    raise InputError(
        f"name of a {layout.what}",
        name,
        f"end with {', '.join(_SUFFIXES)}, .gz after it allowed",
        remedy="name the file by its format",
        place=place(path),
    )
