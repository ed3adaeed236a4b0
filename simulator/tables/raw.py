"""Columns as they are written, some 100,000 rows at a time: of files, data frames, records."""

import csv
import errno
import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import PurePath
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Ints
from prum.simulator.model.errors import InputError, shown
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.files import (
    BYTE_ORDER_MARK,
    STANDARD_INPUT,
    FilePath,
    Opened,
    blocks,
    looked_at,
    no_lines,
    place,
)
from prum.simulator.tables.parquet import parquet_file
from prum.simulator.tables.unpacked import bare_name

_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_PARQUET = b"PAR1"
# Bytes of text, and rows, that are looked at together.
_SIZE = 1 << 23
ROWS_AT_ONCE = 200_000
_ROWS_TURNED = 1_000
# Text so short is read by Python, without pandas.
_SHORT = 1 << 20
# A long list of numbers behind a name, as embeddings are. Within a string a quotation mark stands
# behind a backslash, and one that begins a string does not stand behind a letter: so this matches
# nothing but a name's last mark and its value.
_VECTOR = re.compile(r'"(?<=[A-Za-z0-9_]")\s*:\s*\[[-+.0-9eE,\s]{1000,}\]')
# Takes names of columns, and their place, to those to read, and whether they should be numbers; or
# raises.
Choice = Callable[[Sequence[str], str], dict[str, bool]]


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


def read_raw(path: FilePath, *, what: str = "table", suffix: str = "") -> RawTable:
    """Return all columns of a file, as lists.

    Raises
    ------
    InputError
        as `tables`; for two columns of one name, and objects of JSON with other names than the
        first.
    OSError
        if the file cannot be opened or read.
    """
    columns, numbers = dict[str, list[Any]](), list[int]()
    unit, typed = "row", True

    def choice(names: Sequence[str], where: str) -> dict[str, bool]:
        if columns and set(names) != set(columns):
            rule, remedy = "be those of the first row", "check what wrote it"
            raise InputError("names of columns", ", ".join(names), rule, remedy=remedy, place=where)
        if len(set(names)) < len(names):
            rule, remedy = "be different", "rename them"
            raise InputError("names of columns", list(names), rule, remedy=remedy, place=where)
        columns.update({name: columns.get(name, []) for name in names})
        return dict.fromkeys(names, False)

    for part in tables(path, choice, alike=False, suffix=suffix, what=what):
        unit, typed = part.unit, part.typed
        numbers += part.numbers.tolist()
        for name, cells in part.columns.items():
            columns[name].extend(cells)
    return RawTable(columns, np.array(numbers), unit, typed)


def tables(
    path: FilePath, choice: Choice, *, what: str = "log", alike: bool = True, suffix: str = ""
) -> Iterator[RawTable]:
    """Yield the chosen columns of a file, which is read once from its beginning.

    `what` names the file in messages. Where objects of JSON are not `alike`, columns are chosen
    again for those that have other names than the ones before. A `suffix` tells the format in place
    of the name.

    Raises
    ------
    InputError
        for another suffix, a row that breaks the format, a file that is empty, cut short, damaged
        or not UTF-8; for Parquet without pyarrow; whatever `choice` raises.
    OSError
        if the file cannot be opened or read.
    """
    suffix = suffix or suffix_of(path) or _checked_suffix(path, what)
    with nullcontext(path) if suffix else looked_at(path) as file:
        if isinstance(file, Opened) and not suffix:
            suffix = _suffix_of_content(file, what)
        if suffix == ".parquet":
            yield from _parquet(file, choice)
        elif suffix in (".jsonl", ".ndjson"):
            yield from _json(file, choice, alike=alike)
        else:
            yield from _separated(file, "," if suffix == ".csv" else "\t", choice)


def suffix_of(path: FilePath) -> str:
    """Return the suffix by which a file's name tells its format, or nothing.

    >>> suffix_of("runs.CSV.gz"), suffix_of("bm25.run")
    ('.csv', '')
    """
    bare = bare_name(PurePath(os.fspath(path)).name).lower()
    return next((suffix for suffix in _SUFFIXES if bare.endswith(suffix)), "")


def _checked_suffix(path: FilePath, what: str) -> str:
    """Return that no suffix tells the format, which may be so of a stream or a bare name."""
    name = PurePath(os.fspath(path)).name
    if not os.path.exists(path) and os.fspath(path) != STANDARD_INPUT:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    if PurePath(bare_name(name)).suffix:
        rule = f"end with {', '.join(_SUFFIXES)}, .gz, .xz or .bz2 after it allowed"
        remedy = "name the file by its format"
        raise InputError(f"name of a {what}", name, rule, remedy=remedy, place=place(path))
    return ""


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


# --- text ----------------------------------------------------------------------------------------


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


def _separated(path: FilePath, mark: str, choice: Choice) -> Iterator[RawTable]:
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


# --- JSON ----------------------------------------------------------------------------------------


def _json(path: FilePath, choice: Choice, *, alike: bool) -> Iterator[RawTable]:
    """Yield rows of JSON lines; the first object names the columns."""
    names, chosen = tuple[str, ...](), dict[str, bool]()
    columns, numbers = dict[str, list[Any]](), list[int]()
    fault: InputError | OSError | None = None

    def table() -> RawTable:
        return RawTable(columns, np.array(numbers), "line", typed=True)

    try:
        # Objects of a small block are still in the processor's cache when they become columns.
        for first, block in blocks(path):
            lines, rows, fault = _objects(block.decode().removesuffix("\n"), first, path, alike)
            start = 0
            for written, group in groupby(rows, None if alike else tuple):
                some = rows if alike else list(group)
                if not chosen or (not alike and written != names):
                    names = tuple(some[0])
                    again = choice(names, place(path, lines[start]))
                    if numbers and again != chosen:
                        yield table()
                        columns, numbers = {}, []
                    chosen = again
                for name in chosen:
                    columns.setdefault(name, []).extend([row.get(name) for row in some])
                numbers.extend(lines[start : start + len(some)])
                start += len(some)
                if alike:
                    break
            if len(numbers) >= ROWS_AT_ONCE:
                yield table()
                columns, numbers = {}, []
            if fault is not None:
                break
    except (InputError, OSError) as error:
        fault = error
    if numbers:
        yield table()
    if fault is not None:
        raise fault
    if not chosen:
        raise no_lines(path)


def _objects(
    text: str, first: int, path: FilePath, alike: bool
) -> tuple[Sequence[int], list[dict[str, Any]], InputError | None]:
    """Return the numbers of lines that are not blank, their objects, and what is wrong behind."""
    # Numbers of columns that are not read need not become floats.
    lean = text if alike else _VECTOR.sub('":[]', text)
    numbers: Sequence[int] = range(first, first + text.count("\n") + 1)
    try:
        rows = json_value("[" + lean.replace("\n", ",") + "]")
    except (ValueError, RecursionError):
        rows = []
    if len(rows) == len(numbers) and set(map(type, rows)) == {dict}:
        return numbers, rows, None
    numbers, rows = list[int](), list[dict[str, Any]]()
    for number, line in enumerate(text.split("\n"), start=first):
        try:
            row = json_value(_VECTOR.sub('":[]', line)) if line.strip() else {}
            if not isinstance(row, dict):
                raise ValueError("another kind of value")
        except (ValueError, RecursionError) as error:
            rule = f"be one JSON object ({shown(str(error))})"
            remedy = "write {name: value, ...} on each line, and no half line"
            where = place(path, number)
            return numbers, rows, InputError("line", line.strip(), rule, remedy=remedy, place=where)
        if line.strip():
            numbers.append(number)
            rows.append(row)
    return numbers, rows, None


def _parquet(path: FilePath, choice: Choice) -> Iterator[RawTable]:
    """Yield rows of Parquet."""
    with parquet_file(path) as file:
        chosen = list(choice(file.schema_arrow.names, place(path)))
        number = 1
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=chosen):
            # Without what pandas noted in the file about its own columns.
            columns = {
                name: batch.column(name).to_pandas(integer_object_nulls=True) for name in chosen
            }
            numbers = np.arange(number, number + batch.num_rows)
            yield RawTable(columns, numbers, "row", typed=True)
            number += batch.num_rows
