"""The layout of a column file: which columns it has, and what their cells may hold.

Columns as they are written come some thousand rows at a time.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import InputError, real
from prum.simulator.tables.names import column_of

_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class FileColumn:
    """A column of text, or of numbers from `least` to `most`.

    Numbers of a flag are 0 or 1: false or true in JSONL and Parquet. A nullable column may be empty
    in places (null in JSONL and Parquet), an optional one missing. A column may be called by an
    alias; if several of its names occur, the first counts. It may be missing, too, where a column
    of another name (`unless`) stands. Its rule and remedy are those of the layout unless it has its
    own; `lacking` is the remedy where it is missing. What its cells mean `parse` may say, None for
    nothing.
    """

    name: str
    number: bool = False
    whole: bool = False
    flag: bool = False
    nullable: bool = False
    optional: bool = False
    least: float = 0.0
    most: float = math.inf
    aliases: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    lacking: str = ""
    rule: str = ""
    remedy: str = ""
    parse: Callable[[Any], Any] | None = None

    @classmethod
    def of(cls, names: Sequence[str], **may: Any) -> "FileColumn":
        """Return a column that may have any of some names, of several the first."""
        return cls(name=names[0], aliases=tuple(names[1:]), **may)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The columns of a kind of file, and how messages name the file and the rule of its numbers.

    With `others` there may be more columns, which are not read, or with `kept` as they are; with a
    `rest`, which are all read as that column is, if it is in each row. `rows` is what messages call
    rows that are in no file. Rows differ in the columns `once`.
    """

    what: str
    columns: tuple[FileColumn, ...]
    rule: str = ""
    remedy: str = ""
    others: bool = False
    kept: bool = False
    rest: FileColumn | None = None
    rows: str = "the table"
    once: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def as_written(self, names: Sequence[str]) -> "Layout":
        """Return the layout with each column called as in a file with these names."""
        written = [column_of(names, (each.name, *each.aliases)) for each in self.columns]
        columns = tuple(
            column if name is None or name == column.name else replace(column, name=name)
            for column, name in zip(self.columns, written, strict=True)
        )
        if self.rest is not None:
            column_names = {column.name for column in columns}
            more = (replace(self.rest, name=name) for name in names if name not in column_names)
            return replace(self, columns=(*columns, *more), rest=None)
        return self if columns == self.columns else replace(self, columns=columns)


def check_names(names: Sequence[str], layout: Layout, *, place: str) -> None:
    """Raise InputError unless `names` are those of `layout`, each once."""
    written = layout.as_written(names)
    needed = [
        column.name
        for column in written.columns
        if not (column.optional or column_of(names, column.unless))
    ]
    if (
        len(set(names)) != len(names)
        or not set(needed) <= set(names)
        or not (layout.others or set(names) <= set(written.names))
    ):
        lacking = [x.lacking for x in written.columns if x.name in needed and x.name not in names]
        required = ", ".join(_named(column) for column in layout.columns if not column.optional)
        optional = "".join(f", optionally {_named(x)}" for x in layout.columns if x.optional)
        others = layout.others or layout.rest is not None
        rule = f"be {required} in any order{optional}{', and others' * others}"
        remedy = "name these columns" + ", and leave out others" * (not others)
        if len(lacking) == 1 and lacking[0]:
            remedy = lacking[0]
        if any(";" in name for name in names):
            remedy = "separate columns by commas, not semicolons"
        if len(names) == 1 and (looks := seen_in(names[0].encode())):
            remedy = f"this looks like {looks}, not a {layout.what}"
        thing = "wrong column names: the row of names"
        raise InputError(thing, ", ".join(names), rule, remedy=remedy, place=place)


def seen_in(line: bytes) -> str:
    """Return the form that a first line shows, as messages name it; nothing for an unknown one.

    >>> seen_in(b'{"q1": {"a": 1}}'), seen_in(b"q1 Q0 a 1 0.5 bm25"), seen_in(b"Dear all,")
    ('JSON, a mapping of queries', 'a run', '')
    """
    for form, begins in _SHOWN.items():
        if begins.match(line):
            return form
    return ""


_SHOWN = {
    "Parquet": re.compile(rb"PAR1"),
    "XML": re.compile(rb"<[?!a-zA-Z]"),
    "JSON, a mapping of queries": re.compile(rb"\{\s*$|\{\s*\"[^\"]*\"\s*:\s*\{"),
    "lines of JSON": re.compile(rb"\{.*\}$"),
    "JSON, a list": re.compile(rb"\["),
    "a run": re.compile(rb"\S+\s+Q0\s+\S+\s+\S+\s+\S+\s+\S+"),
    "qrels": re.compile(rb"\S+\s+(0|Q0)\s+\S+\s+[-+0-9.]+$"),
    "CSV": re.compile(rb"[^,\s]+(,[^,\s]+)+$"),
}


def _named(column: FileColumn) -> str:
    """Return what a column may be called, the first few of many names."""
    return " or ".join((column.name, *column.aliases)[:_MOST_NAMED])


# Takes names of columns, and their place, to those to read; or raises.
Choice = Callable[[Sequence[str], str], Iterable[str]]


@dataclass(frozen=True, slots=True, eq=False)
class RawTable:
    """Columns by name, all of the same rows; each row with its number in the file.

    A cell that is empty is "" or null. `typed` says whether cells are numbers where they mean
    numbers, as in JSON and Parquet, and not all of them texts.
    """

    columns: dict[str, Any]
    numbers: Ints
    unit: str
    typed: bool

    def place(self, path: str, row: int) -> str:
        """Return where a row stands."""
        where = f"{self.unit} {self.numbers[row]}"
        return f"{path}, {where}" if path else where


def number_of(text: str) -> float:
    """Return the decimal number that a text is; nan if it is not a finite number.

    >>> number_of("-.5e1"), number_of("1_0"), number_of("inf")
    (-5.0, nan, nan)
    """
    try:
        number = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def numbers_of(texts: Sequence[str]) -> Floats:
    """Return the number that each text is, as `number_of` does.

    >>> numbers_of(["2", "b"])
    array([ 2., nan])
    """
    whole = "".join(texts)
    if whole.isascii() and "_" not in whole:
        try:
            return np.fromiter(map(float, texts), np.float64, len(texts))
        except ValueError:
            pass
    return np.array(list(map(number_of, texts)), dtype=np.float64)


def is_unicode(text: str) -> bool:
    """Return whether `text` has no half of a surrogate pair, which no file can hold."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_missing(value: object) -> bool:
    """Return whether a cell is empty, as data frames and CSV have it.

    >>> [is_missing(value) for value in (None, float("nan"), "", 0, "nan")]
    [True, True, True, False, False]
    """
    if isinstance(value, str):
        return not value
    is_nan = isinstance(value, float) and value != value
    return value is None or is_nan or str(value) in ("<NA>", "NaT")


def text_of(value: Any) -> str | None:
    """Return an id as text: whole numbers without a point; None for what is no id.

    >>> [text_of(value) for value in ("7", 7, 7.0, 7.5, True, None)]
    ['7', '7', '7', None, None, None]
    """
    if isinstance(value, str):
        return value if is_unicode(value) else None
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    is_whole = isinstance(value, Real) and float(value).is_integer()
    return str(int(float(value))) if is_whole and not isinstance(value, bool) else None


def id_of(value: Any, thing: str, place: str) -> str:
    """Return an id as `text_of` does.

    Raise InputError for what is no id, or empty.

    >>> id_of(7, "topic", "runs")
    '7'
    """
    if text := text_of(value):
        return text
    rule = "be a text that is not empty, or a whole number"
    raise InputError(thing, value, rule, remedy="correct it", place=place)


def once(entries: Mapping[str, object], key: str, thing: str, place: str) -> None:
    """Raise `InputError` if a key is there already."""
    if key in entries:
        raise InputError(thing, key, "be given once", remedy="drop one of its rows", place=place)


def with_ids(by: Mapping[Any, Any], thing: str, place: str) -> Mapping[str, Any]:
    """Return the same mapping, or one whose keys are texts where some are none.

    Raise InputError as `id_of`, or for two keys that are the same text.

    >>> with_ids({1: 0.5, "b": 2}, "element", "run x")
    {'1': 0.5, 'b': 2}
    """
    if set(map(type, by)) <= {str}:
        return by
    named: dict[str, Any] = {}
    for key, value in by.items():
        name = id_of(key, thing, place)
        once(named, name, thing, place)
        named[name] = value
    return named


def values_of(table: RawTable, layout: Layout, origin: str) -> list[Sequence[Any]]:
    """Return the values of each column of a layout, or raise for the first that is wrong."""
    read = list[Sequence[Any]]()
    wrong = list[tuple[int, int, Any]]()
    for number, column in enumerate(layout.columns):
        cells = table.columns.get(column.name)
        if cells is None:
            read.append([None] * len(table.numbers))
            continue
        cells = cells.tolist() if hasattr(cells, "tolist") else cells
        values, good = _read_cells(column, cells, typed=table.typed)
        read.append(values)
        if not good.all():
            row = int(np.argmin(good))
            wrong.append((row, number, cells[row]))
    if wrong:
        row, number, cell = min(wrong, key=lambda x: x[:2])
        raise _refused(layout.columns[number], cell, layout, table.place(origin, row))
    return read


def _refused(column: FileColumn, cell: Any, layout: Layout, place: str) -> InputError:
    """Return the error for a cell that its column may not hold."""
    if hasattr(cell, "__len__") and not isinstance(cell, str | bytes):
        cell = "an object or a list"  # may be nested too deep to show
    cell = None if cell != "" and is_missing(cell) else cell
    rule, remedy = "be text, or a whole number", "put the id between quotes"
    if column.number:
        rule = "be true or false" if column.flag else column.rule or layout.rule
        remedy = column.remedy or layout.remedy
    elif column.parse is not None:
        rule, remedy = column.rule or layout.rule, column.remedy or layout.remedy
    elif cell is None:
        rule, remedy = "not be null", "fill it in or leave the row out"
    return InputError(column.name, cell, rule, remedy=remedy, place=place)


def _read_cells(
    column: FileColumn, cells: Sequence[Any], *, typed: bool
) -> tuple[Sequence[Any], Flags]:
    """Return the values of cells, and which of them the column may hold.

    Cells that are not `typed` are texts, an empty one no value.
    """
    missing, good = np.zeros(len(cells), dtype=np.bool_), np.ones(len(cells), dtype=np.bool_)
    if column.nullable:
        missing[:] = [is_missing(cell) for cell in cells]
    if column.parse is not None:
        # Texts repeat; what JSON holds may be a list.
        of = column.parse if typed else {x: column.parse(x) for x in set(cells)}.__getitem__
        values: Sequence[Any] = list(map(of, cells))
        good[:] = [value is not None for value in values]
    elif column.number:
        numbers = _numbers(cells, is_flag=column.flag) if typed else numbers_of(cells)
        good = np.isfinite(numbers) & (column.least <= numbers) & (numbers <= column.most)
        if column.whole or column.flag:
            good &= numbers == np.floor(numbers)
        values = numbers.tolist()
    elif not typed or (set(map(type, cells)) == {str} and is_unicode("".join(cells))):
        values = cells
    else:
        values = list(map(text_of, cells))
        good[:] = [value is not None for value in values]
    if missing.any():
        values = [None if gone else value for value, gone in zip(values, missing, strict=True)]
    return values, good | missing


def _numbers(cells: Sequence[Any], *, is_flag: bool) -> Floats:
    """Return typed cells as numbers, NaN for what is none."""
    if not is_flag and set(map(type, cells)) <= {int, float}:
        try:
            return np.array(cells, dtype=np.float64)
        except OverflowError:
            pass
    return np.array([_number(cell, is_flag=is_flag) for cell in cells], dtype=np.float64)


def _number(cell: Any, *, is_flag: bool) -> float:
    if isinstance(cell, bool | np.bool_) != is_flag:
        return math.nan
    return float(cell) if isinstance(cell, Decimal | np.bool_ | bool) else real(cell)
