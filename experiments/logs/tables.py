"""Rows of a file as columns, some 100,000 at a time: CSV, TSV, JSON lines, Parquet."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Ints
from prum.simulator.model.errors import InputError, shown
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.columns import of_format
from prum.simulator.tables.files import FilePath, blocks, no_lines, place
from prum.simulator.tables.parquet import parquet_file
from prum.simulator.tables.rows import row_of_names

# Bytes of text, and rows, that are looked at together.
_SIZE = 1 << 23
ROWS_AT_ONCE = 200_000
_ROWS_TURNED = 1_000
# Takes names of columns to those to read, and whether they should be numbers; or raises.
Choice = Callable[[Sequence[str]], dict[str, bool]]


@dataclass(frozen=True, slots=True, eq=False)
class LogTable:
    """Columns by name, all of the same rows; each row with its number in the file.

    A cell that is empty is "" or null.
    """

    columns: dict[str, Any]
    numbers: Ints
    unit: str

    def place(self, path: str, row: int) -> str:
        """Return where a row stands."""
        return f"{path}, {self.unit} {self.numbers[row]}"


def tables(path: FilePath, choice: Choice) -> Iterator[LogTable]:
    """Yield the chosen columns of a file, which is read once from its beginning.

    Raises
    ------
    InputError
        for another suffix, a row that breaks the format, a file that is empty, cut short, damaged
        or not UTF-8; for Parquet without pyarrow; whatever `choice` raises.
    OSError
        if the file cannot be opened or read.
    """
    with of_format(path, "log") as (file, suffix):
        if suffix == ".parquet":
            yield from _parquet(file, choice)
        elif suffix == ".jsonl":
            yield from _json(file, choice)
        else:
            yield from _separated(file, "," if suffix == ".csv" else "\t", choice)


def _pieces(path: FilePath) -> Iterator[tuple[int, bytes]]:
    """Yield (number of the first line, whole lines), many together."""
    held, size, first = list[bytes](), 0, 1
    for line, block in blocks(path):
        first = first if held else line
        held.append(block)
        size += len(block)
        if size >= _SIZE:
            yield first, b"".join(held)
            held, size = [], 0
    if held:
        yield first, b"".join(held)


def _separated(path: FilePath, mark: str, choice: Choice) -> Iterator[LogTable]:
    """Yield rows of CSV or TSV: by pandas, and from the first piece on that it may not have right
    by Python's csv, which knows more of what is wrong.
    """
    names, chosen = list[str](), dict[str, bool]()
    pieces = _pieces(path)
    for first, piece in pieces:
        text = piece.replace(b"\r\n", b"\n") if b"\r" in piece else piece
        text = text.removesuffix(b"\r") + b"\n" * (not text.endswith(b"\n"))
        while text and not names:
            line, _, text = text.partition(b"\n")
            names = row_of_names(line.decode(), mark, place(path, first)) if line.strip() else []
            chosen = choice(names) if names else {}
            first += 1
        lines = _filled(text, mark, len(names), first)
        columns = None if lines is None else _parsed(text, mark, names, chosen, len(lines))
        if columns is None or lines is None:
            rest = chain([(first, text)], pieces)
            yield from _read_by_csv(rest, mark, names, chosen, path)
            return
        if len(lines):
            yield LogTable(columns, lines, "line")
    if not names:
        raise no_lines(path)


def _filled(text: bytes, mark: str, num_columns: int, first: int) -> Ints | None:
    """Return the numbers of lines that are not blank, None if they may not have so many columns."""
    marks = np.frombuffer(text, dtype=np.uint8)
    is_end, is_mark = marks == ord("\n"), marks == ord(mark)
    all_ends = np.flatnonzero(is_end)
    if b'"' in text:
        outside = ~np.logical_xor.accumulate(marks == ord('"'))
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
        "sep": mark, "header": None, "names": names, "usecols": list(chosen), "dtype": kinds,
        "low_memory": False, "na_filter": False, "lineterminator": "\n", "index_col": False,
        "quoting": csv.QUOTE_MINIMAL if b'"' in text else csv.QUOTE_NONE,
    }  # fmt: skip
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
) -> Iterator[LogTable]:
    """Yield rows whose columns have these names, and say what is wrong with them."""
    first, piece = next(pieces)
    last = ""

    def lines() -> Iterator[str]:
        nonlocal last
        for _, text in chain([(first, piece)], pieces):
            for line in io.StringIO(text.decode(), newline="\n"):
                last = line
                yield line

    reader = csv.reader(lines(), delimiter=mark, strict=True)
    before = first - 1
    rows, numbers = list[list[str]](), list[int]()
    columns = dict[str, list[str]]()

    def turn() -> None:
        # A few rows at a time are still in the processor's cache.
        whole = dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}
        for name in chosen:
            columns.setdefault(name, []).extend(whole.get(name, ()))
        rows.clear()

    try:
        for row in reader:
            if len(row) == len(names):
                rows.append(row)
                numbers.append(before + reader.line_num)
            elif not last.strip(" \t\r\n"):
                continue
            else:
                thing = f"number of columns of {shown(last.rstrip())}"
                rule = f"be {len(names)}, as in the first line"
                remedy = "see whether the file was cut short, and quote ids that hold the separator"
                where = place(path, before + reader.line_num)
                raise InputError(thing, len(row), rule, remedy=remedy, place=where)
            if len(rows) == _ROWS_TURNED:
                turn()
            if len(numbers) == ROWS_AT_ONCE:
                turn()
                yield LogTable(columns, np.array(numbers), "line")
                columns, numbers = {}, []
    except csv.Error as error:
        rule = f"follow the rules of CSV ({shown(str(error))})"
        where = place(path, before + reader.line_num)
        remedy = "check the quotes in this line and before it"
        raise InputError("row", last.rstrip("\r\n"), rule, remedy=remedy, place=where) from None
    if numbers:
        turn()
        yield LogTable(columns, np.array(numbers), "line")


def _json(path: FilePath, choice: Choice) -> Iterator[LogTable]:
    """Yield rows of JSON lines; the first object names the columns."""
    chosen = dict[str, bool]()
    columns, numbers = dict[str, list[Any]](), list[Ints]()

    def table() -> LogTable:
        return LogTable(columns, np.concatenate(numbers), "line")

    # Objects of a small block are still in the processor's cache when they are turned to columns.
    for first, block in blocks(path):
        text = block.decode().removesuffix("\n")
        lines = np.arange(first, first + text.count("\n") + 1)
        try:
            rows = json_value("[" + text.replace("\n", ",") + "]")
        except (ValueError, RecursionError):
            rows = []
        if len(rows) != len(lines) or set(map(type, rows)) != {dict}:
            lines, rows = _objects(text.split("\n"), first, path)
        if rows:
            chosen = chosen or choice(list(rows[0]))
            for name in chosen:
                columns.setdefault(name, []).extend([row.get(name) for row in rows])
            numbers.append(lines)
        if sum(map(len, numbers)) >= ROWS_AT_ONCE:
            yield table()
            columns, numbers = {}, []
    if not chosen:
        raise no_lines(path)
    if numbers:
        yield table()


def _objects(lines: list[str], first: int, path: FilePath) -> tuple[Ints, list[dict[str, Any]]]:
    """Return the numbers of lines that are not blank, and their objects."""
    numbers, rows = list[int](), list[dict[str, Any]]()
    for number, line in enumerate(lines, start=first):
        try:
            row = json_value(line) if line.strip() else None
            if row is not None and not isinstance(row, dict):
                raise ValueError("another kind of value")
        except (ValueError, RecursionError) as error:
            rule = f"be one JSON object ({shown(str(error))})"
            remedy = 'write {"session": ..., "time": ..., "element": ...}, and no half line'
            where = place(path, number)
            raise InputError("line", line.strip(), rule, remedy=remedy, place=where) from None
        if row is not None:
            numbers.append(number)
            rows.append(row)
    return np.array(numbers, dtype=np.int64), rows


def _parquet(path: FilePath, choice: Choice) -> Iterator[LogTable]:
    """Yield rows of Parquet."""
    with parquet_file(path) as file:
        chosen = list(choice(file.schema_arrow.names))
        number = 1
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=chosen):
            # Without what pandas noted in the file about its own columns.
            columns = {name: batch.column(name).to_pandas() for name in chosen}
            yield LogTable(columns, np.arange(number, number + batch.num_rows), "row")
            number += batch.num_rows
        if number == 1:
            raise no_lines(path)
