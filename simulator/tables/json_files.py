"""JSON: files that are read whole, packed or not, and lines of objects."""

from collections.abc import Iterator
from itertools import chain, islice
from json import JSONDecodeError
from typing import Any

import numpy as np

from prum.simulator.model.errors import InputError, shown
from prum.simulator.model.json_text import json_value
from prum.simulator.tables.files import FilePath, blocks, no_lines, opened, place
from prum.simulator.tables.layout import Choice, RawTable

ROWS_AT_ONCE = 100_000


def read_json(
    path: FilePath, *, thing: str = "content", remedy: str = "check what wrote it"
) -> Any:
    """Return what a JSON file holds, as plain data; `thing` serves messages.

    Raise InputError for what is no JSON in UTF-8, or has a key twice in one object, and for a file
    that is packed badly. Raise OSError if the file cannot be read.
    """
    where = place(path)
    try:
        with opened(path) as stream:
            return json_value(stream.read().decode("utf-8-sig"))
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


def rows_of_json_lines(path: FilePath, choice: Choice) -> Iterator[RawTable]:
    """Yield rows of JSON lines, some at a time; all of these name the columns."""
    objects, rows = _objects(path), list[dict[str, Any]]()
    while batch := list(islice(objects, ROWS_AT_ONCE)):
        numbers, rows = map(list, zip(*batch, strict=True))
        names = list(dict.fromkeys(chain.from_iterable(rows)))
        chosen = choice(names, place(path, numbers[0]))
        columns = {name: [row.get(name) for row in rows] for name in chosen}
        yield RawTable(columns, np.array(numbers), "line", typed=True)
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
