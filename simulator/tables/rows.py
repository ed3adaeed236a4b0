"""Rows of text files: CSV, TSV and JSONL, turned into columns some rows at a time."""

import csv
import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from prum.simulator.model.errors import InputError, shown
from prum.simulator.tables.files import FilePath, no_lines, place, text_lines
from prum.simulator.tables.layout import FileColumn, Layout, check_names, no_number

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_ROWS_AT_ONCE = 100
# A long list of numbers behind a name, as embeddings are. Within a string a quotation mark stands
# behind a backslash, and one that begins a string does not stand behind a letter: so this matches
# nothing but a name's last mark and its value.
_VECTOR = re.compile(r'"(?<=[A-Za-z0-9_]")\s*:\s*\[[-+.0-9eE,\s]{1000,}\]')

_Row = tuple[int, Sequence[Any]]
# The columns as they are called in the file, the lines of some rows, and these, by column.
Batch = tuple[Layout, Sequence[int], list[Any]]


def number_of(text: str) -> float:
    """Return the decimal number that a text is; nan if it is not a number.

    >>> number_of("-.5e1"), number_of("1_0"), number_of("inf")
    (-5.0, nan, nan)
    """
    return float(text) if _NUMBER.fullmatch(text) else math.nan


def row_of_names(line: str, mark: str, place: str) -> list[str]:
    """Return the names of columns, of a line of CSV without its end.

    Raises
    ------
    InputError
        if it breaks the rules of CSV, as a carriage return within it does.
    """
    try:
        return next(csv.reader([line], delimiter=mark, strict=True))
    except csv.Error as error:
        rule = f"follow the rules of CSV ({shown(str(error))})"
        remedy = "check its quotes and line ends"
        raise InputError("row of names", line, rule, remedy=remedy, place=place) from None


def csv_batches(path: FilePath, layout: Layout, delimiter: str) -> Iterator[Batch]:
    """Yield the lines and the columns of some rows at a time."""
    rows = _csv_rows(path, layout, delimiter)
    _, names = next(rows)
    layout = layout.as_written(names)
    for lines, columns in _batched(rows):
        written = dict(zip(names, columns, strict=True))
        absent = ("",) * len(lines)
        batch = [_from_text(column, written.get(column.name, absent)) for column in layout.columns]
        wrong = [
            (row, at)
            for at, column in enumerate(layout.columns)
            if column.number
            and (row := _first_wrong(batch[at], column, bounds=layout.bounds_in_csv)) is not None
        ]
        if wrong:
            row, at = min(wrong)
            column = layout.columns[at]
            value = written[column.name][row]
            raise no_number(column, value, layout, place=place(path, lines[row]))
        yield layout, lines, batch


def json_batches(path: FilePath, layout: Layout) -> Iterator[Batch]:
    """Yield the lines and the columns of some objects at a time."""
    rows = _json_rows(path, layout)
    _, names = next(rows)
    layout = layout.as_written(names)
    for lines, columns in _batched(rows):
        yield layout, lines, list(columns)


def _batched(rows: Iterator[_Row]) -> Iterator[tuple[tuple[int, ...], tuple[Sequence[Any], ...]]]:
    """Yield the lines and the columns of some rows at a time."""
    batch = list[_Row]()
    try:
        for row in rows:
            batch.append(row)
            if len(batch) == _ROWS_AT_ONCE:
                yield _turned(batch)
                batch.clear()
    except (InputError, OSError):
        if batch:  # these rows come first, and may have mistakes too
            yield _turned(batch)
        raise
    if batch:
        yield _turned(batch)


def _turned(batch: list[_Row]) -> tuple[tuple[int, ...], tuple[Sequence[Any], ...]]:
    lines, rows = zip(*batch, strict=True)
    return lines, tuple(zip(*rows, strict=True))


def _from_text(column: FileColumn, written: Sequence[str]) -> Sequence[Any]:
    """Return the values of cells: nan for text that is not a number, None for a null."""
    values: Sequence[Any] = written
    if column.number:
        values = list(map(number_of, written))
    if column.nullable:
        values = [value if text else None for value, text in zip(values, written, strict=True)]
    return values


def _first_wrong(values: Sequence[float | None], column: FileColumn, *, bounds: bool) -> int | None:
    """Return the first row whose number is nan, or out of bounds if these count."""
    low, high = (0.0, column.most) if bounds else (-math.inf, math.inf)
    filled = [0.0 if value is None else value for value in values] if column.nullable else values
    numbers = np.array(filled, dtype=np.float64)
    good = (low <= numbers) & (numbers <= high)
    if column.whole or column.flag:
        good &= numbers == np.floor(numbers)
    wrong = np.flatnonzero(~good)
    return int(wrong[0]) if len(wrong) else None


def _csv_rows(path: FilePath, layout: Layout, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each row, that of the names first."""
    last = ""

    def lines() -> Iterator[str]:
        nonlocal last
        for line in text_lines(path):
            last = line
            yield line

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    num_columns, row_start = 0, 1
    try:
        for row in reader:
            line, row_start = reader.line_num, reader.line_num + 1
            if not last.strip(" \t\r\n"):
                continue
            if not num_columns:
                check_names(row, layout, place=place(path, line))
                num_columns = len(row)
            elif len(row) != num_columns:
                thing = f"number of columns of {shown(last.rstrip())}"
                rule = f"be {num_columns}, as in the first line"
                remedy = "quote ids that hold the separator"
                raise InputError(thing, len(row), rule, remedy=remedy, place=place(path, line))
            yield line, row
    except csv.Error as error:
        raise InputError(
            "row",
            last.rstrip("\r\n"),
            f"follow the rules of CSV ({shown(str(error))})",
            remedy=f"check the quotes of the row that begins in line {row_start}",
            place=place(path, reader.line_num),
        ) from None
    if not num_columns:
        raise no_lines(path)


def _json_rows(path: FilePath, layout: Layout) -> Iterator[_Row]:
    """Yield the number and the values of each object, that of the first one's names first."""
    # Objects come as tuples of pairs, so that a name that occurs twice is seen.
    decode = json.JSONDecoder(object_pairs_hook=tuple).decode
    empty, names, written = True, list[str](), layout
    for line, text in enumerate(text_lines(path), start=1):
        if not text.strip(" \t\r\n"):
            continue
        try:
            # Numbers of columns that are not read need not become floats.
            pairs = decode(_VECTOR.sub('":[]', text) if layout.others else text)
            if not isinstance(pairs, tuple):
                raise ValueError("another kind of value")
        except (ValueError, RecursionError) as error:
            rule = f"be one JSON object ({shown(str(error))})"
            remedy = "write {" + ", ".join(f'"{name}": ...' for name in layout.names) + "}"
            where = place(path, line)
            raise InputError("line", text.strip(), rule, remedy=remedy, place=where) from None
        if empty or names != [name for name, _ in pairs]:
            names = [name for name, _ in pairs]
            check_names(names, layout, place=place(path, line))
            written = layout.as_written(names)
        if empty:
            yield line, names
            # What the first object has beside, all have.
            layout = written if layout.rest is not None else layout
        row, empty = dict(pairs), False
        yield (
            line,
            [
                _from_json(column, row.get(column.name), layout, path, line)
                for column in written.columns
            ],
        )
    if empty:
        raise no_lines(path)


def _from_json(column: FileColumn, value: Any, layout: Layout, path: FilePath, line: int) -> Any:
    """Return a value of a JSON object if `column` may hold it."""
    if column.nullable and value is None:
        return None
    if column.either and isinstance(value, (int, float)) and math.isfinite(value):
        return float(value)
    if not column.number:
        if isinstance(value, str) and is_unicode(value):
            return value or None if column.nullable else value
        rule, remedy = "be a string of Unicode characters", "put the id between quotes"
        raise InputError(column.name, _scalar(value), rule, remedy=remedy, place=place(path, line))
    if type(value) is bool if column.flag else type(value) in (int, float):
        try:
            number = float(value)
        except OverflowError:  # a huge integer
            number = math.nan
        if 0 <= number <= column.most and not (column.whole and number % 1):
            return number
    raise no_number(column, _scalar(value), layout, place=place(path, line))


def _scalar(value: object) -> object:
    """Return `value`, or a name for it if it may be nested too deep to show."""
    return "an object or a list" if isinstance(value, (tuple, list)) else value


def is_unicode(text: str) -> bool:
    """Return whether `text` has no half of a surrogate pair, which no file can hold."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
