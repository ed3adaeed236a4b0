"""One door for tables: files of any form, data frames and records, read by a layout or whole."""

import json
import os
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np

from prum.simulator.model.errors import InputError, repeated
from prum.simulator.model.tables import places
from prum.simulator.tables.csv_files import rows_of_csv
from prum.simulator.tables.files import (
    FilePath,
    Opened,
    bare_name,
    is_json,
    looked_at,
    place,
)
from prum.simulator.tables.json_files import rows_of_json_lines
from prum.simulator.tables.layout import (
    Choice,
    Layout,
    RawTable,
    check_names,
    id_of,
    values_of,
)
from prum.simulator.tables.lines import LineForm, rows_of_lines
from prum.simulator.tables.names import ELEMENT, IDEALS, LISTED, PREFERRED, TOPIC, column_of
from prum.simulator.tables.parquet import rows_of_parquet


def is_table(data: object) -> bool:
    """Return whether this is a data frame, or an iterable of records with names.

    >>> is_table([{"qid": "q"}]), is_table({"q": ["a"]}), is_table(["a"])
    (True, False, False)
    """
    if _is_frame(data):
        return True
    if isinstance(data, list | tuple):
        return not data or isinstance(data[0], Mapping) or hasattr(data[0], "_fields")
    return isinstance(data, Iterator)


def is_one_table(data: object) -> bool:
    """Return whether this is a data frame or a list of records, and no list of tables or files.

    >>> is_one_table([{"qid": "q"}]), is_one_table([{"tokens": {"a": 1}}]), is_one_table(["a.csv"])
    (True, False, False)
    """
    if not isinstance(data, list | tuple):
        return _is_frame(data)
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
    if not _is_frame(table):
        import pandas as pd

        return pd.DataFrame(_of_records(list(table)))
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
    """Return the columns of a table by name, of a mapping from names to columns, too.

    What a record lacks is None.

    Data frames are those of pandas, and of any library that shares them by Arrow's interface.
    Records are mappings, or have the same attributes each.

    Raise InputError for two columns of one name; `what` says whose they are.

    >>> columns_of([{"qid": "q", "score": 1}, {"qid": "r"}], "the run")
    {'qid': ['q', 'r'], 'score': [1, None]}
    """
    if isinstance(data, Mapping):
        return _of_mapping(data, what)
    if not _is_frame(data):
        return _of_records(list(data))
    frame = as_frame(data)
    names = list(map(str, frame.columns))
    if len(set(names)) < len(names):
        raise InputError(f"columns of {what}", names, "be different", remedy="rename them")
    return {name: frame.iloc[:, column].tolist() for column, name in enumerate(names)}


def _of_mapping(data: Mapping[Any, Any], what: str) -> dict[str, list[Any]]:
    for name, column in data.items():
        if not hasattr(column, "__iter__") or isinstance(column, str | bytes):
            remedy = "give the values of all rows"
            raise InputError(f"column {name!r}", column, "be a list", remedy=remedy, place=what)
    columns = {str(name): list(column) for name, column in data.items()}
    sizes = [len(column) for column in columns.values()]
    if len(set(sizes)) > 1:
        rule, remedy = "be the same in all columns", "give as many of each"
        raise InputError("number of rows", sizes, rule, remedy=remedy, place=what)
    return columns


def _is_frame(data: object) -> bool:
    return hasattr(data, "itertuples") or hasattr(data, "__arrow_c_stream__")


def _of_records(records: Sequence[Any]) -> dict[str, list[Any]]:
    if records and not isinstance(records[0], Mapping):
        names = list(_names_of(records[0]))
        return {name: [getattr(row, name) for row in records] for name in names}
    for record in records:
        if not isinstance(record, Mapping):
            raise InputError("record", record, "be an object", remedy="give it names")
    # Some records may lack what others have.
    keys = dict.fromkeys(key for row in records for key in row)
    return {str(key): [row.get(key) for row in records] for key in keys}


def _names_of(record: Any) -> Iterable[str]:
    fields: Iterable[str] = getattr(record, "_fields", ())
    return fields or getattr(record, "__dict__", ())


_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_PARQUET = b"PAR1"


@dataclass(frozen=True, slots=True, eq=False)
class DataTable:
    """Columns in the order of a layout, read from anything; `names` are those where it was read.

    Columns are arrays of numbers, or lists with None where they may be empty; `others` are as they
    were read. Messages name the `origin`, a file or nothing, and `lines` or rows of `what`.
    """

    names: list[str]
    columns: list[Any]
    origin: str
    lines: Sequence[int] | None
    what: str
    others: dict[str, list[Any]] = field(default_factory=dict)
    typed: bool = True

    @property
    def place(self) -> Callable[[int], str]:
        """What says where a row stands."""
        return places(self.what, self.origin, self.lines)

    def __len__(self) -> int:
        columns = self.columns or list(self.others.values())
        return len(columns[0]) if columns else 0


def read(
    source: Any, layout: Layout, *, name: str = "", suffix: str = "", lines: LineForm | None = None
) -> DataTable:
    """Return the columns of a table: a file (CSV, TSV, JSONL, Parquet), or held in Python.

    What is held in Python is a data frame, records with names, or a mapping from names to columns;
    messages call it by its `name`. A `suffix` tells the format of a file in place of its own, and
    `lines` that it holds lines of this form.

    Raise InputError for another suffix, wrong column names, a row that breaks the format or the
    layout, a file that is empty, not UTF-8 text or damaged; for Parquet without pyarrow; for what
    is no table. Raise OSError if the file cannot be opened or read.

    >>> from prum.simulator.tables.layout import FileColumn
    >>> layout = Layout(what="file of ids", columns=(FileColumn(name="id"),))
    >>> read([{"id": "a"}, {"id": 7}], layout).columns
    [['a', '7']]
    """
    is_file = isinstance(source, str | os.PathLike)
    if not is_file and not isinstance(source, Mapping) and not is_table(source):
        needed = ", ".join(column.name for column in layout.columns if not column.optional)
        rule = "be a file, a table, a mapping or a data frame"
        remedy = f"give a data frame with the columns {needed}"
        raise InputError(name or layout.rows, type(source).__name__, rule, remedy=remedy)
    origin = origin_of(source) or name
    written = layout

    def choice(names: Sequence[str], where: str) -> Sequence[str]:
        nonlocal written
        # What the first object of JSON has beside, all have.
        layout_of_file = written if layout.rest is not None else layout
        check_names(names, layout_of_file, place=where)
        written = layout_of_file.as_written(names)
        return names if layout.kept else [x for x in written.names if x in names]

    if is_file:
        read_tables = tables(source, choice, suffix=suffix, form=lines)
    else:
        read_tables = _of_data(source, choice, name or layout.rows)
    columns, numbers, unit, typed = list[Any](), array("q"), "row", True
    texts: dict[Any, Any] = {}  # ids repeat: keep one text of each
    others = dict[str, list[Any]]()
    for table in read_tables:
        unit, typed, num = table.unit, table.typed, len(numbers)
        columns = columns or _empty(written)
        numbers.extend(table.numbers.tolist())
        for name, cells in table.columns.items():
            if name not in written.names:
                others.setdefault(name, [None] * num).extend(cells)
        for cells in others.values():
            cells.extend([None] * (len(numbers) - len(cells)))
        values = values_of(table, written, origin)
        for column, all_values, more in zip(written.columns, columns, values, strict=True):
            is_shared = lines is not None or column.number or column.parse is not None
            all_values.extend(more if is_shared else map(texts.setdefault, more, more))
    line_numbers = numbers if unit == "line" else None
    columns = columns or _empty(written)
    read_table = DataTable(written.names, columns, origin, line_numbers, layout.rows, others, typed)
    _check_once(read_table, layout)
    return read_table


def _check_once(table: DataTable, layout: Layout) -> None:
    """Raise InputError for a row of nothing, or that says again of what another one speaks."""
    keys = [x for name, x in zip(layout.names, table.columns, strict=False) if name in layout.once]
    for name, ids in zip(layout.once, keys, strict=True):
        if "" in ids:
            id_of("", name, table.place(ids.index("")))
    rows = list(zip(*keys, strict=True))
    if len(set(rows)) < len(rows):
        again = repeated(rows)
        row = rows.index(again, rows.index(again) + 1)
        thing = ", ".join(name for name, value in zip(layout.once, again, strict=True) if value)
        value, remedy, where = ", ".join(filter(None, again)), "drop a row", table.place(row)
        raise InputError(thing, value, "be given once", remedy=remedy, place=where)


def origin_of(source: Any) -> str:
    """Return the place that messages name for a file, nothing for what is held in Python."""
    return place(source) if isinstance(source, str | os.PathLike) else ""


def _of_data(data: Any, choice: Choice, what: str) -> Iterator[RawTable]:
    columns = columns_of(data, what)
    chosen = choice(list(columns), what)
    num = len(next(iter(columns.values()), ()))
    yield RawTable({name: columns[name] for name in chosen}, np.arange(1, num + 1), "row", True)


def _empty(layout: Layout) -> list[Any]:
    return [
        array("d")
        if column.number and not (column.nullable or column.optional or column.unless)
        else list[Any]()
        for column in layout.columns
    ]


# --- files ---------------------------------------------------------------------------------------


def tables(
    path: FilePath,
    choice: Choice,
    *,
    suffix: str = "",
    form: LineForm | None = None,
) -> Iterator[RawTable]:
    """Yield the chosen columns of a file, which is read once from its beginning.

    A `suffix` tells the format in place of the name, a `form`
    that of lines.

    Raise InputError for another suffix, a row that breaks the format, a file that is empty, cut
    short, damaged or not UTF-8; for Parquet without pyarrow; whatever `choice` raises. Raise
    OSError if the file cannot be opened or read.
    """
    if form is not None:
        with nullcontext(path) if isinstance(path, Opened) else looked_at(path) as file:
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
