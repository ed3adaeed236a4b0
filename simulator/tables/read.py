"""One door for tables: files of any form, data frames and records, read by a layout or whole."""

import json
import os
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain
from pathlib import PurePath
from typing import Any

import numpy as np

from prum.simulator.model.errors import InputError
from prum.simulator.model.tables import check_once
from prum.simulator.tables.files import FilePath, Opened, bare_name, is_json, looked_at, place
from prum.simulator.tables.forms import rows_of_csv, rows_of_json_lines, rows_of_parquet
from prum.simulator.tables.layout import (
    Choice,
    DataTable,
    FileColumn,
    Layout,
    values_of,
)
from prum.simulator.tables.lines import LineForm, rows_of_lines
from prum.simulator.tables.names import ELEMENT, IDEALS, LISTED, PREFERRED, TOPIC, column_of

# --- tables in Python ----------------------------------------------------------------------------


def is_one_table(data: object) -> bool:
    """Return whether this is a data frame or a list of records, and no list of tables or files.

    >>> is_one_table([{"qid": "q"}]), is_one_table([{"tokens": {"a": 1}}]), is_one_table(["a.csv"])
    (True, False, False)
    """
    if not isinstance(data, list | tuple):
        return hasattr(data, "itertuples") or hasattr(data, "__arrow_c_stream__")
    first = data[0] if data else ""
    if isinstance(first, Mapping):
        return all(cell is None or np.isscalar(cell) for cell in first.values())
    return hasattr(first, "_fields")


def as_frame(table: Any) -> Any:
    """Return one table that is held in Python as a data frame of pandas.

    >>> as_frame([{"qid": "q"}]).columns.tolist()
    ['qid']
    """
    if hasattr(table, "itertuples"):
        return table
    if not hasattr(table, "__arrow_c_stream__"):
        import pandas as pd

        return pd.DataFrame(columns_of(table, "the table"))
    try:
        import pyarrow as pa
    except ImportError:
        rule, remedy = "be installed to read this frame", 'pip install "prum[parquet]"'
        raise InputError("pyarrow", None, rule, remedy=remedy) from None
    try:
        return pa.table(table).to_pandas(integer_object_nulls=True)
    except pa.ArrowInvalid:
        rule, remedy = "have columns with names", "give a data frame"
        raise InputError("table", type(table).__name__, rule, remedy=remedy) from None


def columns_of(data: Any, what: str) -> dict[str, list[Any]]:
    """Return the columns of a table that is held in Python by name.

    It is a data frame of pandas, or of a library that shares them by Arrow's interface; a mapping
    from names to columns; or records, which are mappings, or have the same attributes each. What a
    record lacks is None.

    Raise InputError for two columns of one name, or of different sizes; `what` says whose they are.

    >>> columns_of([{"qid": "q", "score": 1}, {"qid": "r"}], "the run")
    {'qid': ['q', 'r'], 'score': [1, None]}
    """
    columns: Iterable[tuple[Any, Any]]
    if isinstance(data, Mapping):
        columns = data.items()
    elif is_one_table(data) and not isinstance(data, list | tuple):
        frame = as_frame(data)
        columns = ((name, frame.iloc[:, k].tolist()) for k, name in enumerate(frame.columns))
    else:
        records = list(data)
        first = records[0] if records else {}
        names = getattr(first, "_fields", None) or getattr(first, "__dict__", None) or ()
        wrong = [row for row in records if not names and not isinstance(row, Mapping)]
        if wrong:
            remedy = "give its values names"
            raise InputError("record", wrong[0], "be an object", remedy=remedy, place=what)
        if names:
            columns = ((name, [getattr(row, name, None) for row in records]) for name in names)
        else:
            names = dict.fromkeys(chain.from_iterable(records))
            columns = ((name, [row.get(name) for row in records]) for name in names)
    named = dict[str, list[Any]]()
    for name, cells in columns:
        if str(name) in named:
            rule = "stand once"
            raise InputError(f"columns of {what}", str(name), rule, remedy="rename one")
        if not hasattr(cells, "__iter__") or isinstance(cells, str | bytes):
            remedy = "give the values of all rows"
            raise InputError(f"column {name!r}", cells, "be a list", remedy=remedy, place=what)
        named[str(name)] = list(cells)
    sizes = [len(cells) for cells in named.values()]
    if len(set(sizes)) > 1:
        rule, remedy = "be the same in all columns", "give as many of each"
        raise InputError("number of rows", sizes, rule, remedy=remedy, place=what)
    return named


# --- by a layout ---------------------------------------------------------------------------------


def read(
    source: Any, layout: Layout, *, name: str = "", suffix: str = "", lines: LineForm | None = None
) -> DataTable:
    """Return the columns of a layout, and behind them those that it keeps, as they are written.

    A table is a file (CSV, TSV, JSONL, Parquet), or what `columns_of` takes; messages call the
    latter by its `name`. A `suffix` tells the format of a file in place of its own, and `lines`
    that it holds lines of this form. Columns are arrays of numbers, or lists with None where they
    may be empty, or are not there.

    Raise InputError for another suffix, wrong column names, a row that breaks the format or the
    layout, a file that is empty, not UTF-8 text or damaged; for Parquet without pyarrow; for what
    is no table. Raise OSError if the file cannot be opened or read.

    >>> read([{"id": "a"}, {"id": 7}], Layout(rows="ids", columns=(FileColumn(("id",)),))).columns
    {'id': ['a', '7']}
    """
    origin, what = origin_of(source) or name, name or layout.rows
    written: dict[FileColumn, str | None] = {}

    def choice(names: Sequence[str], where: str) -> Sequence[str]:
        nonlocal layout, written
        written = layout.of(names, where)
        if isinstance(layout.rest, FileColumn):  # what the first rows have beside, all have
            layout = replace(layout, columns=tuple(written), rest="refused")
        return names if layout.rest == "kept" else [x for x in written.values() if x is not None]

    if origin_of(source):
        pieces = tables(source, choice, suffix=suffix, form=lines)
    elif not hasattr(source, "__iter__") and not is_one_table(source):
        rule = "be a file, a table, a mapping or a data frame"
        remedy = f"give a data frame with the columns {', '.join(x.name for x in layout.columns)}"
        raise InputError(what, type(source).__name__, rule, remedy=remedy)
    else:
        columns = columns_of(source, what)
        columns = {x: columns[x] for x in choice(list(columns), what)}
        num = len(next(iter(columns.values()), ()))
        pieces = iter([DataTable(columns, range(1, num + 1), origin=origin, rows=what)])
    made, others = dict[FileColumn, Any](), dict[str, list[Any]]()
    texts: dict[Any, Any] = {}  # ids repeat: keep one text of each
    numbers, unit, typed = array("q"), "row", True
    for piece in pieces:
        unit, typed, num = piece.unit, piece.typed, len(piece)
        wrong = list[tuple[int, FileColumn]]()
        for column in layout.columns:
            read_cells = made.setdefault(column, array("d") if column.is_dense else [])
            name_there = written[column]
            cells: Any = None if name_there is None else piece.columns.get(name_there)
            cells = cells.tolist() if hasattr(cells, "tolist") else cells
            if cells is None:
                read_cells.extend([None] * num)
                continue
            values, good = values_of(column, cells, typed=typed)
            if not good.all():
                wrong.append((int(np.argmin(good)), column))
            elif column.kind in ("id", "text") and lines is None:
                read_cells.extend(map(texts.setdefault, values, values))
            else:
                read_cells.extend(values)
        if wrong:
            row, column = min(wrong, key=lambda x: x[0])
            wrong_name = str(written[column])
            raise column.refused(wrong_name, piece.columns[wrong_name][row], piece.place(row))
        for name in dict.fromkeys([*others, *piece.columns]):
            if name not in written.values():
                before = others.setdefault(name, [None] * len(numbers))
                before.extend(piece.columns.get(name, [None] * num))
        numbers.extend(piece.numbers)
    columns = {x.name: made.get(x, array("d") if x.is_dense else []) for x in layout.columns}
    table = DataTable(columns | others | columns, numbers, unit, typed, origin, layout.rows)
    if layout.once:
        parts = [columns[name] for name in layout.once]
        keys = parts[0] if len(parts) == 1 else list(zip(*parts, strict=True))
        check_once(", ".join(layout.once), keys, table.place)
    return table


def origin_of(source: Any) -> str:
    """Return the place that messages name for a file, nothing for what is held in Python."""
    return place(source) if isinstance(source, str | os.PathLike) else ""


_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_PARQUET = b"PAR1"


# --- files ---------------------------------------------------------------------------------------


def tables(
    path: FilePath, choice: Choice, *, suffix: str = "", form: LineForm | None = None
) -> Iterator[DataTable]:
    """Yield the chosen columns of a file, as they are written, some thousand rows at a time.

    A `suffix` tells the format in place of the name, a `form` that of lines. Raise what `read`
    does, and whatever `choice` raises.
    """
    if form is not None:
        with looked_at(path) as file:
            yield from rows_of_lines(file, form, choice)
        return
    suffix = suffix or suffix_of(path)
    with nullcontext(path) if suffix else looked_at(path) as file:
        if isinstance(file, Opened) and not suffix:
            suffix = _suffix_of_content(file.line)
        if suffix == ".parquet":
            yield from rows_of_parquet(file, choice)
        elif suffix in (".jsonl", ".ndjson"):
            yield from rows_of_json_lines(file, choice)
        else:
            yield from rows_of_csv(file, "," if suffix == ".csv" else "\t", choice)


def _suffix_of_content(line: bytes) -> str:
    """Return the suffix that fits the first line of a table."""
    if line.startswith(_PARQUET):
        return ".parquet"
    return ".jsonl" if line.startswith(b"{") else ".tsv" if b"\t" in line else ".csv"


def form_of(file: Opened, *lines: LineForm) -> str:
    """Return the suffix of the form that a file of lists or judgements has, nothing for lines.

    Its name tells, and its first line where the name does not: a table's names a topic, and what
    else stands there. Lines of words may stand in a file that is called a table.
    """
    if is_json(place(file)):
        return ".json"
    suffix, line = suffix_of(file), file.line
    if suffix in (".jsonl", ".ndjson", ".parquet") or line.startswith(_PARQUET):
        return suffix or ".parquet"
    if line.startswith(b"<") and not _BARE_NUMBER.search(line):
        return ".xml"
    if line.startswith((b"{", b"[")) and not any(form.columns(line) for form in lines):
        return ".jsonl" if is_row(line) else ".json"
    form = _suffix_of_content(line)
    names = line.decode("utf-8", "replace").split("\t" if form == ".tsv" else ",")
    names = [name.strip('"') for name in names]
    if column_of(names, TOPIC) and column_of(names, (*ELEMENT, *PREFERRED, *LISTED, *IDEALS)):
        return suffix or form
    return "" if any(form.columns(line) for form in lines) else suffix


# Of a line of words that begins with <, as ids may.
_BARE_NUMBER = re.compile(rb"[ \t](E[0-9]|[-+.]?[0-9][-+.0-9eE]*)(?![^ \t])")


def is_row(line: bytes) -> bool:
    """Return whether a line is an object of JSON whose values are no objects."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and not any(isinstance(value, dict) for value in row.values())


def suffix_of(path: FilePath) -> str:
    """Return the suffix by which a file's name tells its format, or nothing.

    >>> suffix_of("runs.CSV.gz"), suffix_of("bm25.run")
    ('.csv', '')
    """
    bare = bare_name(PurePath(os.fspath(path)).name).lower()
    return next((suffix for suffix in _SUFFIXES if bare.endswith(suffix)), "")
