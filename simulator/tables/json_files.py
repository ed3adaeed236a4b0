"""JSON: files that are read whole, packed or not, and lines of objects."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
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
# A long list of numbers behind a name, as embeddings are. Within a string a quotation mark stands
# behind a backslash, and one that begins a string does not stand behind a letter: so this matches
# nothing but a name's last mark and its value.
_VECTOR = re.compile(r'"(?<=[A-Za-z0-9_]")\s*:\s*\[[-+.0-9eE,\s]{1000,}\]')


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


# --- lines -------------------------------------------------------------------------------------


def rows_of_json_lines(path: FilePath, choice: Choice, *, alike: bool) -> Iterator[RawTable]:
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
