"""CSV and TSV: by pandas, and by Python's csv where pandas may not have it right."""

import csv
import io
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Ints
from prum.simulator.model.errors import InputError, shown
from prum.simulator.tables.files import FilePath, blocks, no_lines, place
from prum.simulator.tables.layout import ROWS_AT_ONCE, Choice, RawTable

# Bytes of text that are looked at together.
_SIZE = 1 << 23
_ROWS_TURNED = 1_000
# Text so short is read by Python, without pandas.
_SHORT = 1 << 20


def _pieces(path: FilePath) -> Iterator[tuple[int, bytes]]:
    """Yield (number of the first line, whole lines), many together; all of them before an error."""
    held, size, first = list[bytes](), 0, 1
    try:
        for line, block in blocks(path):
            first = first if held else line
            held.append(block)
            size += len(block)
            if size >= _SIZE:
                yield first, b"".join(held)
                held, size = [], 0
    except (InputError, OSError):
        if held:
            yield first, b"".join(held)
        raise
    if held:
        yield first, b"".join(held)


def row_of_names(line: str, mark: str, place: str) -> list[str]:
    """Return the names of columns, of a line of CSV without its end.

    Raise InputError if it breaks the rules of CSV, as a carriage return within it does.
    """
    try:
        return next(csv.reader([line], delimiter=mark, strict=True))
    except csv.Error as error:
        rule = f"follow the rules of CSV ({shown(str(error))})"
        remedy = "check its quotes and line ends"
        raise InputError("row of names", line, rule, remedy=remedy, place=place) from None


def rows_of_csv(path: FilePath, mark: str, choice: Choice) -> Iterator[RawTable]:
    """Yield rows of CSV or TSV: by pandas, and from the first piece on that it may not have right
    by Python's csv, which knows more of what is wrong.
    """
    names, chosen = list[str](), dict[str, bool]()
    pieces = _pieces(path)
    for first, piece in pieces:
        # An id between quotes may hold any end of a line.
        has_own = b'"' in piece and b"\r" in piece
        text = piece if has_own else piece.replace(b"\r\n", b"\n")
        text = text.removesuffix(b"\r") + b"\n" * (not text.endswith(b"\n"))
        while text and not names:
            line, _, text = text.partition(b"\n")
            where = place(path, first)
            first += 1
            if line.strip():
                names = row_of_names(line.removesuffix(b"\r").decode(), mark, where)
                chosen = choice(names, where)
        is_short = has_own or (len(text) < _SHORT and not any(chosen.values()))
        lines = None if is_short else _filled(text, mark, len(names), first)
        columns = None if lines is None else _parsed(text, mark, names, chosen, len(lines))
        if columns is None or lines is None:
            rest = chain([(first, text)], pieces)
            yield from _read_by_csv(rest, mark, names, chosen, path)
            break
        if len(lines):
            yield RawTable(columns, lines, "line", typed=False)
    if not names:
        raise no_lines(path)


def _filled(text: bytes, mark: str, num_columns: int, first: int) -> Ints | None:
    """Return the numbers of lines that are not blank, None if they may not have so many columns."""
    marks = np.frombuffer(text, dtype=np.uint8)
    is_end, is_mark = marks == ord("\n"), marks == ord(mark)
    all_ends = np.flatnonzero(is_end)
    if b'"' in text:
        is_quote = marks == ord('"')
        closing = np.flatnonzero(is_quote)[1::2]
        behind = marks[np.minimum(closing + 1, len(marks) - 1)]
        if not np.isin(behind, (ord("\n"), ord(mark), ord('"'))).all():
            return None
        outside = ~np.logical_xor.accumulate(is_quote)
        is_end &= outside
        is_mark &= outside
    ends, between = np.flatnonzero(is_end), np.flatnonzero(is_mark)
    begins = np.append(0, ends + 1)
    if begins[-1] < len(text):  # in the middle of what is quoted
        return None
    ends = ends[ends > begins[:-1]]
    if len(between) != len(ends) * (num_columns - 1):
        return None
    own = between.reshape(len(ends), num_columns - 1)
    if (own[:, -1:] > ends[:, None]).any() or (own[1:, :1] < ends[:-1, None]).any():
        return None
    return first + np.searchsorted(all_ends, ends)


def _parsed(
    text: bytes, mark: str, names: list[str], chosen: dict[str, bool], num_rows: int
) -> dict[str, Any] | None:
    """Return the chosen columns, None if they have not so many rows."""
    import pandas as pd

    kinds = {name: float if is_number else object for name, is_number in chosen.items()}
    how: dict[str, Any] = {
        "sep": mark,
        "header": None,
        "names": names,
        "usecols": list(chosen),
        "dtype": kinds,
        "low_memory": False,
        "na_filter": False,
        "lineterminator": "\n",
        "index_col": False,
        "quoting": csv.QUOTE_MINIMAL if b'"' in text else csv.QUOTE_NONE,
    }
    try:
        frame = pd.read_csv(io.BytesIO(text), **how)
    except ValueError:
        # What should be numbers may be times of the calendar.
        texts = dict.fromkeys(chosen, False)
        return None if texts == chosen else _parsed(text, mark, names, texts, num_rows)
    return {name: frame[name].to_numpy() for name in chosen} if len(frame) == num_rows else None


def _read_by_csv(
    pieces: Iterator[tuple[int, bytes]],
    mark: str,
    names: list[str],
    chosen: dict[str, bool],
    path: FilePath,
) -> Iterator[RawTable]:
    """Yield rows whose columns have these names, and say what is wrong behind them."""
    first, piece = next(pieces)
    last = ""

    def lines() -> Iterator[str]:
        nonlocal last
        for _, text in chain([(first, piece)], pieces):
            for line in io.StringIO(text.decode(), newline="\n"):
                last = line
                yield line

    reader = csv.reader(lines(), delimiter=mark, strict=True)
    before, row_start = first - 1, first
    rows, numbers = list[list[str]](), list[int]()
    columns = dict[str, list[str]]()

    def turn() -> None:
        # A few rows at a time are still in the processor's cache.
        whole = dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}
        for name in chosen:
            columns.setdefault(name, []).extend(whole.get(name, ()))
        rows.clear()

    fault: InputError | OSError | None = None
    try:
        for row in reader:
            row_start = before + reader.line_num + 1
            if not last.strip(" \t\r\n"):
                continue
            if len(row) != len(names):
                thing = f"number of columns of {shown(last.rstrip())}"
                rule = f"be {len(names)}, as in the first line"
                remedy = "see whether the file was cut short, and quote ids that hold the separator"
                where = place(path, before + reader.line_num)
                raise InputError(thing, len(row), rule, remedy=remedy, place=where)
            rows.append(row)
            numbers.append(before + reader.line_num)
            if len(rows) == _ROWS_TURNED:
                turn()
            if len(numbers) == ROWS_AT_ONCE:
                turn()
                yield RawTable(columns, np.array(numbers), "line", typed=False)
                columns, numbers = {}, []
    except csv.Error as error:
        rule = f"follow the rules of CSV ({shown(str(error))})"
        where = place(path, before + reader.line_num)
        remedy = f"check the quotes of the row that begins in line {row_start}"
        fault = InputError("row", last.rstrip("\r\n"), rule, remedy=remedy, place=where)
    except (InputError, OSError) as error:
        fault = error
    if numbers:  # these rows come first, and may have mistakes too
        turn()
        yield RawTable(columns, np.array(numbers), "line", typed=False)
    if fault is not None:
        raise fault
