"""What systems retrieved, in the shapes people hold it: system -> question -> items, best first."""

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from prum.experiments.evaluate.given import NAMELESS, called
from prum.simulator.model import InputError
from prum.simulator.tables.layout import id_of, is_missing, with_ids
from prum.simulator.tables.names import RANK, SCORE, SYSTEM, TOPIC, column_of, one_column
from prum.simulator.tables.read import as_frame, columns_of, is_one_table

_RULE = "be a mapping from questions to lists of chunks, a data frame, or systems with such"

# What is no list of items; a set has no order.
_NO_LISTS = (str, bytes, Mapping, set, frozenset)

# Question -> what was retrieved, or what answers it.
Items = Mapping[str, list[Any]]


def systems_of(retrieved: Any) -> dict[str, Items]:
    """Return system -> question -> items, best first; a system without a name is `NAMELESS`.

    Given is question -> items; a data frame or records with a question each, ordered by rank or
    score if they have it; or several, system -> such.

    >>> systems_of({"q": [("report", 0, 9)]})
    {'run': {'q': [('report', 0, 9)]}}
    >>> systems_of({"small": {"q": []}, "large": {"q": [("report", 0, 9)]}})
    {'small': {'q': []}, 'large': {'q': [('report', 0, 9)]}}
    """
    if _is_records(retrieved):
        rows = _rows(retrieved)
        name = one_column("system", list(rows[0]) if rows else (), SYSTEM, place="retrieved")
        if name is None:
            return {NAMELESS: _by_question(rows, "retrieved")}
        parts: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            system = id_of(row.get(name), name, "retrieved")
            parts.setdefault(system, []).append(row)
        return {system: _by_question(part, called(system)) for system, part in parts.items()}
    if not isinstance(retrieved, Mapping) or not _is_of_systems(retrieved):
        return {NAMELESS: items_of(retrieved, "retrieved")}
    systems = with_ids(retrieved, "system", "retrieved")
    return {system: items_of(given, called(system)) for system, given in systems.items()}


def items_of(given: Any, place: str) -> Items:
    """Return question -> items of one system, or of the answers.

    >>> items_of([{"question": "q", "rank": 2, "doc": "b"}, {"question": "q", "rank": 1}], "gold")
    {'q': [{'question': 'q', 'rank': 1}, {'question': 'q', 'rank': 2, 'doc': 'b'}]}
    """
    if _is_records(given):
        return _by_question(_rows(given), place)
    if not isinstance(given, Mapping):
        thing, seen = f"type of {place}", type(given).__name__
        rule, remedy = _RULE, "give {question: [chunk, ...]}, best first"
        if is_one_table(given):
            thing, seen = f"columns of {place}", ", ".join(map(str, as_frame(given).columns))
            rule, remedy = "include question", "name the column of questions so"
        raise InputError(thing, seen, rule, remedy=remedy)
    return {
        question: _items(items, question, place)
        for question, items in with_ids(given, "question", place).items()
    }


def _items(items: Any, question: str, place: str) -> list[Any]:
    """Return a list of items, also out of what a pipeline or a query engine returns."""
    if isinstance(items, Mapping) and isinstance(items.get("documents"), list):
        items = items["documents"]
    items = getattr(items, "source_nodes", items)
    if not isinstance(items, list | tuple) and is_one_table(items):
        return _rows(items)
    if isinstance(items, _NO_LISTS) or not isinstance(items, Iterable):
        remedy = "put it into a list"
        if isinstance(items, Mapping):
            remedy = "give a list, or, of several systems, {question: [chunk, ...]} for each"
        thing = f"type of what question {question!r} has"
        rule = "be that of a list, best first"
        raise InputError(thing, type(items).__name__, rule, remedy=remedy, place=place)
    return list(items)


def _is_of_systems(retrieved: Mapping[Any, Any]) -> bool:
    """Return whether a mapping goes from systems, not from questions."""
    values = list(retrieved.values())
    return bool(values) and all(
        _is_records(value)
        or (isinstance(value, Mapping) and not isinstance(value.get("documents"), list))
        for value in values
    )


def _is_records(given: Any) -> bool:
    """Return whether rows name the question that each is of."""
    if isinstance(given, list | tuple):
        names = list(given[0]) if given and isinstance(given[0], Mapping) else []
    else:
        names = list(as_frame(given).columns) if is_one_table(given) else []
    return column_of(list(map(str, names)), TOPIC) is not None


def _rows(table: Any) -> list[dict[str, Any]]:
    """Return the rows of a table without their empty cells."""
    columns = columns_of(table, "retrieved")
    rows = list[dict[str, Any]]()
    for row in zip(*columns.values(), strict=True):
        cells = zip(columns, row, strict=True)
        rows.append({name: x for name, x in cells if isinstance(x, str) or not is_missing(x)})
    return rows


def _by_question(rows: list[dict[str, Any]], place: str) -> Items:
    names = list(dict.fromkeys(name for row in rows for name in row))
    topic, rank, score = (str(column_of(names, each) or "") for each in (TOPIC, RANK, SCORE))
    questions = [id_of(row.get(topic), "question", place) for row in rows]
    order = list(range(len(rows)))
    if key := rank or score:
        for row, question in zip(rows, questions, strict=True):
            if not isinstance(row.get(key), Real) or isinstance(row[key], bool):
                thing, rule = f"{key} of a chunk of question {question!r}", "be a number"
                remedy = f"give each row its {key}, or drop the column where rows stand best first"
                raise InputError(thing, row.get(key), rule, remedy=remedy, place=place)
        order.sort(key=lambda number: rows[number][key] if rank else -rows[number][key])
    by: dict[str, list[dict[str, Any]]] = {question: [] for question in questions}
    for number in order:
        by[questions[number]].append(rows[number])
    return by
