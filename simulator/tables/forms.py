"""Tables of each form, some thousand rows at a time: CSV and TSV, JSON lines, Parquet; and JSON."""

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from json import JSONDecodeError
from typing import Any

from prum.simulator.model.errors import InputError, shown
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.files import FilePath, blocks, no_lines, opened, place
from prum.simulator.tables.layout import Choice, DataTable

ROWS_AT_ONCE, _ROWS_TURNED = 100_000, 1_000


def rows_of_csv(path: FilePath, mark: str, choice: Choice) -> Iterator[DataTable]:
    """Yield rows of CSV or TSV."""
    line, start = "", 1
    names, chosen = list[str](), dict[str, int]()
    rows, columns, numbers = list[list[str]](), list[list[str]](), list[int]()

    def lines() -> Iterator[str]:
        nonlocal line
        for _, block in blocks(path):
            for line in io.StringIO(block.decode(), newline="\n"):  # noqa: UP028
                yield line

    def turn() -> None:
        # A few rows at a time are still in the processor's cache.
        for column, cells in zip(columns, zip(*rows, strict=True), strict=False):
            column.extend(cells)
        rows.clear()

    def table() -> DataTable:
        turn()
        read = {name: columns[column] for name, column in chosen.items()}
        return DataTable(read, numbers, "line", typed=False, origin=place(path))

    reader = csv.reader(lines(), delimiter=mark, strict=True)
    try:
        for row in reader:
            number, start = reader.line_num, reader.line_num + 1
            if not line.strip(" \t\r\n"):
                continue
            if not names:
                names, where = row, place(path, number)
                chosen = {name: names.index(name) for name in choice(names, where)}
                columns = [[] for _ in names]
                continue
            if len(row) != len(names):
                rule = f"be {len(names)}, as in the first line"
                remedy = "see whether the file was cut short, and quote ids that hold the separator"
                thing = f"number of columns of {shown(line.rstrip())}"
                raise InputError(thing, len(row), rule, remedy=remedy, place=place(path, number))
            rows.append(row)
            numbers.append(number)
            if len(rows) == _ROWS_TURNED:
                turn()
            if len(numbers) == ROWS_AT_ONCE:
                yield table()
                columns, numbers = [[] for _ in names], []
    except csv.Error as error:
        rule = f"follow the rules of CSV ({shown(str(error))})"
        remedy = f"check the quotes and line ends of the row that begins in line {start}"
        written, where = line.rstrip("\r\n"), place(path, reader.line_num)
        raise InputError("row", written, rule, remedy=remedy, place=where) from None
    if numbers:
        yield table()
    if not names:
        raise no_lines(path)


def rows_of_json_lines(path: FilePath, choice: Choice) -> Iterator[DataTable]:
    """Yield rows of JSON lines; all of these together name the columns."""
    objects, rows = _objects(path), list[dict[str, Any]]()
    while batch := list(islice(objects, ROWS_AT_ONCE)):
        numbers, rows = map(list, zip(*batch, strict=True))
        names = list(dict.fromkeys(chain.from_iterable(rows)))
        chosen = choice(names, place(path, numbers[0]))
        columns = {name: [row.get(name) for row in rows] for name in chosen}
        yield DataTable(columns, numbers, "line", origin=place(path))
    if not rows:
        raise no_lines(path)


def _objects(path: FilePath) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number of the line, its object); many lines are parsed at once where all are good."""
    for first, block in blocks(path):
        lines = block.decode().removesuffix("\n").split("\n")
        try:
            rows = json_value(f"[{','.join(lines)}]")
        except (ValueError, RecursionError):
            rows = []
        if len(rows) == len(lines) and set(map(type, rows)) == {dict}:
            yield from enumerate(rows, start=first)
            continue
        for number, line in enumerate(lines, start=first):
            if line.strip():
                yield number, _object(line, place(path, number))


def _object(line: str, where: str) -> dict[str, Any]:
    fault = "another kind of value"
    try:
        if isinstance(row := json_value(line), dict):
            return row
    except (ValueError, RecursionError) as error:
        fault = str(error)
    rule = f"be one JSON object ({shown(fault)})"
    remedy = "write {name: value, ...} on each line, and no half line"
    raise InputError("line", line.strip(), rule, remedy=remedy, place=where)


def read_json(
    path: FilePath, *, thing: str = "content", remedy: str = "check what wrote it"
) -> Any:
    """Return what a JSON file holds, as plain data; `thing` serves messages.

    Raise InputError for what is no JSON in UTF-8, or has a key twice in one object, and for a file
    that is packed badly. Raise OSError if the file cannot be read.
    """
    where, rule = place(path), "be JSON"
    try:
        with opened(path) as stream:
            return json_value(stream.read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        thing, fault, rule = "text", "in another encoding", "be UTF-8"
        remedy = "save the file as UTF-8"
    except RecursionError:
        fault = "nested too deep"
    except JSONDecodeError as error:
        fault, where = error.msg, place(path, error.lineno)
    except InputError:
        raise
    except ValueError as error:
        fault = str(error)
    raise InputError(thing, fault, rule, remedy=remedy, place=where)


@contextmanager
def parquet_file(path: FilePath) -> Iterator[Any]:
    """Yield a Parquet file as pyarrow has it, and name what is wrong with it."""
    where = place(path)
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        rule, remedy = "be installed to read Parquet", 'pip install "prum[parquet]"'
        raise InputError("pyarrow", None, rule, remedy=remedy, place=where) from None
    try:
        with opened(path) as stream:
            yield pq.ParquetFile(stream if stream.seekable() else io.BytesIO(stream.read()))
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if getattr(error, "errno", None) is not None:  # the system's, not pyarrow's
            raise
        rule, remedy = "be a readable Parquet file", "write the file again"
        raise InputError("content", str(error), rule, remedy=remedy, place=where) from None


def rows_of_parquet(path: FilePath, choice: Choice) -> Iterator[DataTable]:
    """Yield rows of Parquet."""
    with parquet_file(path) as file:
        chosen, number = list(choice(file.schema_arrow.names, place(path))), 1
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=chosen):
            columns = {
                name: batch.column(name).to_pandas(integer_object_nulls=True) for name in chosen
            }
            numbers = range(number, number + batch.num_rows)
            yield DataTable(columns, numbers, origin=place(path))
            number += batch.num_rows
