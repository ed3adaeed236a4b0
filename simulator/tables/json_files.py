"""JSON: files that are read whole, packed or not, and lines of objects."""

import os
from collections.abc import Iterator
from json import JSONDecodeError
from typing import Any

import numpy as np

from prum.simulator.model.errors import InputError, shown
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.files import (
    DamageError,
    FilePath,
    blocks,
    damaged,
    no_lines,
    opened,
    place,
)
from prum.simulator.tables.layout import ROWS_AT_ONCE, Choice, RawTable

# A few bytes may unpack to any number. So many are read of any file, and more only if the file
# itself is large; each may take 30 in memory.
_MOST_BYTES, _MOST_OF_A_BYTE = 1 << 26, 4
_PIECE = 1 << 20


def read_json(
    path: FilePath, *, thing: str = "content", remedy: str = "check what wrote it"
) -> Any:
    """Return what a JSON file holds, as plain data; `thing` serves messages.

    Raise InputError for what is no JSON in UTF-8, or has a key twice in one object; for a file that
    is packed badly, or unpacks to far more bytes than it has. Raise OSError if the file cannot be
    read.
    """
    where = place(path)
    try:
        return json_value(_read(path, where).decode("utf-8-sig"))
    except UnicodeDecodeError:
        thing, fault, rule = "text", "in another encoding", "be UTF-8"
        remedy = "save the file as UTF-8"
    except RecursionError:
        fault, rule = "nested too deep", "be JSON"
    except JSONDecodeError as error:
        fault, rule, where = error.msg, "be JSON", place(path, error.lineno)
    except InputError:
        raise
    except ValueError as error:
        fault, rule = str(error), "be JSON"
    raise InputError(thing, fault, rule, remedy=remedy, place=where)


def _read(path: FilePath, where: str) -> bytes:
    """Return the bytes of a file, unpacked."""
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    most = max(_MOST_BYTES, _MOST_OF_A_BYTE * size)
    pieces, num_bytes = list[bytes](), 0
    with opened(path) as stream:
        try:
            while piece := stream.read(_PIECE):
                pieces.append(piece)
                num_bytes += len(piece)
                if num_bytes > most:
                    raise InputError(
                        "bytes of JSON that is compressed or comes through a pipe",
                        f"more than {most}",
                        f"be at most {most}",
                        remedy="give the unpacked file itself",
                        place=where,
                    )
        except DamageError as error:
            raise damaged(error, place=where) from None
    return b"".join(pieces)


def rows_of_json_lines(path: FilePath, choice: Choice, *, alike: bool) -> Iterator[RawTable]:
    """Yield rows of JSON lines; the first object names the columns. Those before a mistake come
    first, and may have mistakes too.
    """
    names, chosen = tuple[str, ...](), dict[str, bool]()
    columns, numbers = dict[str, list[Any]](), list[int]()
    fault: InputError | OSError | None = None
    try:
        for number, row in _objects(path):
            if not chosen or (not alike and names != tuple(row)):
                names, again = tuple(row), choice(tuple(row), place(path, number))
                if numbers and again != chosen:
                    yield RawTable(columns, np.array(numbers), "line", typed=True)
                    columns, numbers = {}, []
                chosen = again
                columns = columns or {name: [] for name in chosen}
            for name, cells in columns.items():
                cells.append(row.get(name))
            numbers.append(number)
            if len(numbers) == ROWS_AT_ONCE:
                yield RawTable(columns, np.array(numbers), "line", typed=True)
                columns, numbers = {name: [] for name in chosen}, []
    except (InputError, OSError) as error:
        fault = error
    if numbers:
        yield RawTable(columns, np.array(numbers), "line", typed=True)
    if fault is not None or not chosen:
        raise fault or no_lines(path)


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
    try:
        row = json_value(line)
        if isinstance(row, dict):
            return row
        fault = "another kind of value"
    except (ValueError, RecursionError) as error:
        fault = str(error)
    rule = f"be one JSON object ({shown(fault)})"
    remedy = "write {name: value, ...} on each line, and no half line"
    raise InputError("line", line.strip(), rule, remedy=remedy, place=where)
