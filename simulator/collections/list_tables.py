"""Tables of runs and of judgements, with names of columns: what rows say, of which system."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np

from prum.simulator.collections.preferences import checked_preferences
from prum.simulator.model.assessments import Assessment
from prum.simulator.model.errors import InputError, shown
from prum.simulator.tables import names as roles
from prum.simulator.tables.files import Opened, place
from prum.simulator.tables.json_files import read_json
from prum.simulator.tables.layout import id_of, is_missing, once, with_ids
from prum.simulator.tables.lines import LineForm
from prum.simulator.tables.read import DataTable, read
from prum.simulator.tables.schemas import SCHEMAS, grade_of


def without_empty(names: Sequence[str], values: Callable[[str], Sequence[object]]) -> list[str]:
    """Return names of columns without those of a system that hold nothing."""
    return [
        name
        for name in names
        if roles.plain(name) not in roles.SCORED
        or not (column := values(name))
        or not all(map(is_missing, column))
    ]


def check_complete(name: str, values: Sequence[object], *, place: str) -> None:
    """Raise InputError for a column of systems with an empty cell, naming its row."""
    for row, value in enumerate(values, start=1):
        if is_missing(value):
            thing = f"column {name!r}, which names systems, in row {row}"
            rule, remedy = "name a system in every row", "fill it in, or rename the column"
            raise InputError(thing, "empty", rule, remedy=remedy, place=place)


def check_told_apart(
    keys: Sequence[object], others: Mapping[str, Sequence[object]], *, place: str
) -> None:
    """Raise InputError for a column that nobody knows if it tells apart rows with the same key."""
    if not others:
        return
    # What is no id yet may be a list of JSON.
    rows = list(map(str, keys))
    num = len(set(rows))
    for name, values in others.items() if num < len(rows) else ():
        if len(set(zip(rows, map(str, values), strict=True))) > num:
            thing = f"column {name!r}, which tells rows of the same topic apart,"
            first, second, *_ = dict.fromkeys(map(str, values))
            rule = "have a name that is known"
            remedy = "call it system if it names systems, and leave it out if not"
            raise InputError(thing, f"{first}, {second}, ...", rule, remedy=remedy, place=place)


def runs_of_table(
    table: Any, what: str, nameless: str, *, suffix: str = ""
) -> dict[str, dict[str, Any]]:
    """Return system -> topic -> element -> score of a data frame, of records, or of a file.

    In place of scores may stand ranks; in place of elements, a list of them in each row. A run
    without a name is called `nameless`; `what` serves messages.

    Raise InputError as `read`; for a column that may name systems or not, an unknown one that tells
    apart elements or ranks that a list has twice, an element that a topic lists twice.
    """
    rows = read(table, SCHEMAS["runs"], name=what, suffix=suffix)
    topics, elements, scores, ranks, listed = rows.columns
    if rows and elements[0] is None:
        return _listed(rows, nameless, listed)
    if rows and scores[0] is None:
        scores = [-rank for rank in ranks]
    lists: dict[str, dict[str, Any]] = {}
    once_each = [elements] if not rows or ranks[0] is None else [elements, ranks]
    columns = _systems(rows, nameless, topics, once_each), topics, elements, scores
    for row, (system, topic, element, score) in enumerate(zip(*columns, strict=True)):
        by_element = lists.setdefault(system, {}).setdefault(topic, {})
        if not (topic and element) or element in by_element:
            _check_ids(rows, row, topic, element)
            once(by_element, element, f"element of topic {topic}", rows.place(row))
        by_element[element] = score
    return lists or {nameless: {}}


def _listed(rows: DataTable, nameless: str, listed: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """Return the lists of a table that has one in each row, as frames of ragas."""
    lists: dict[str, dict[str, Any]] = {}
    topics, members = _topics(rows), _ids(rows, listed)
    systems = _systems(rows, nameless, topics, [topics])
    for row, (system, topic) in enumerate(zip(systems, topics, strict=True)):
        by_topic = lists.setdefault(system, {})
        once(by_topic, topic, "topic", rows.place(row))
        by_topic[topic] = {element: -float(rank) for rank, element in enumerate(members[row])}
    return lists


def _topics(rows: DataTable) -> list[str]:
    """Return the topic of each row, by its number where none is named."""
    topics = rows.columns[0]
    if rows and topics[0] is None:
        return [str(row) for row in range(1, len(rows) + 1)]
    return [id_of(topic, "topic", rows.place(row)) for row, topic in enumerate(topics)]


def _ids(rows: DataTable, cells: Sequence[Any]) -> list[list[str]]:
    """Return the elements in each cell of a column of lists."""
    return [
        list(dict.fromkeys(id_of(member, "element", rows.place(row)) for member in cell))
        for row, cell in enumerate(cells)
    ]


def mapping_in(file: Opened) -> dict[str, dict[str, Any]]:
    """Return what a file of JSON holds: topic -> element -> score or grade.

    Raise InputError as `read_json`, and for anything else.
    """
    content = read_json(file)
    if isinstance(content, dict) and all(isinstance(by, dict) for by in content.values()):
        return content
    inner = {type(by).__name__ for by in content.values()} if isinstance(content, dict) else ()
    seen = f"JSON, a mapping of queries to {' and '.join(sorted(inner))}" if inner else "other JSON"
    rule, remedy = "be {topic: {element: number}}", "write records as JSON lines, a record each"
    raise InputError("content", seen, rule, remedy=remedy, place=place(file))


def judgements_of_table(
    table: Any, what: str, *, by_subtopic: bool, suffix: str = "", lines: LineForm | None = None
) -> dict[str, Any]:
    """Return topic -> element -> grade, or subtopic -> grade, of a frame, records, or a file.

    Or topic -> pairs of elements, of a table with columns topic, preferred and other. Of one with a
    list of ideals in each row these have grade 1. A column of subtopics counts `by_subtopic`, or
    where an element is judged for several.

    Raise InputError as `read`; for an element judged twice for a topic (and subtopic).
    """
    rows = read(table, SCHEMAS["judged"], name=what, suffix=suffix, lines=lines)
    return _judged(rows, by_subtopic=by_subtopic)


def judges_of_table(
    table: Any, what: str, nameless: str, *, suffix: str = ""
) -> dict[str, dict[str, Any]]:
    """Return judge -> judgements as `judgements_of_table` has them, of a table with several.

    A column names judges, else they are called `nameless`; each trial of one is a judge,
    called by `OF_TRIAL`.

    Raise InputError as `judgements_of_table`.
    """
    table = read(table, SCHEMAS["judged"], name=what, suffix=suffix)
    rows = defaultdict[str, list[int]](list)
    for row, judge in enumerate(_systems(table, nameless, table.columns[0], [], roles.JUDGE)):
        rows[judge].append(row)
    judges = {}
    for judge, kept in rows.items():
        columns = [[cells[row] for row in kept] for cells in table.columns]
        lines = table.lines and [table.lines[row] for row in kept]
        judges[judge] = _judged(replace(table, columns=columns, lines=lines), by_subtopic=False)
    return judges or {nameless: {}}


def _judged(rows: DataTable, *, by_subtopic: bool) -> dict[str, Any]:
    """Return the judgements of a table, as `judgements_of_table` does."""
    topics, elements, grades, subtopics, preferred, other, ideals = rows.columns
    if rows and None not in (preferred[0], other[0]):
        pairs = list(zip(topics, preferred, other, strict=True))
        return dict(checked_preferences(pairs, rows.place, rows.origin))
    if rows and elements[0] is None:
        members = zip(_topics(rows), _ids(rows, ideals), strict=True)
        return {topic: dict.fromkeys(of_topic, 1) for topic, of_topic in members}
    judged: dict[str, dict[str, Any]] = {}
    starts = [0, *changes(topics), len(rows)] if rows else []
    for begin, end in pairwise(starts):
        by = zip(elements[begin:end], grades[begin:end], strict=True)
        judged.setdefault(topics[begin], {}).update(by)
    if "" in judged or any("" in by for by in judged.values()):
        for row, (topic, element) in enumerate(zip(topics, elements, strict=True)):
            _check_ids(rows, row, topic, element)
    kinds = set(map(type, grades))
    if Assessment in kinds:
        if len(kinds) > 1:
            rule, remedy = "be assessments like E3S2, or all be numbers", "write all alike"
            raise InputError("grades", "of both kinds", rule, remedy=remedy, place=rows.origin)
        subtopics = [""] * len(rows)
    if by_subtopic:  # old qrels have 0, Q0 or the round of pooling in it
        by_subtopic = len(set(zip(topics, subtopics, strict=True))) > len(judged)
    is_once = sum(map(len, judged.values())) == len(rows)
    return judged if is_once and not by_subtopic else _by_subtopic(rows, subtopics)


def changes(texts: Sequence[str]) -> list[int]:
    """Return the rows whose text is not that of the row before.

    >>> changes(["a", "a", "b"])
    [2]
    """
    column = np.array(texts, dtype=object)
    rows: list[int] = (np.flatnonzero(column[1:] != column[:-1]) + 1).tolist()
    return rows


def _by_subtopic(rows: DataTable, subtopics: Sequence[str]) -> dict[str, Any]:
    """Return topic -> element -> subtopic -> grade.

    Raise InputError for one that is there twice.
    """
    judged: dict[str, dict[str, dict[str, Any]]] = {}
    keys = list(zip(*rows.columns[:2], subtopics, strict=True))
    for row, (key, grade) in enumerate(zip(keys, rows.columns[2], strict=True)):
        topic, element, subtopic = key
        grades = judged.setdefault(topic, {}).setdefault(element, {})
        if subtopic in grades:
            thing = f"element judged again for topic {shown(topic)}"
            other = rows.place(keys.index(key)).rpartition(", ")[2]
            remedy, where = f"keep this {other.split()[0]} or {other}", rows.place(row)
            raise InputError(thing, element, "be judged once", remedy=remedy, place=where)
        grades[subtopic] = grade
    return judged


def _check_ids(rows: DataTable, row: int, topic: str, element: str) -> None:
    if not (topic and element):
        id_of(topic, "topic", rows.place(row))
        id_of(element, "element", rows.place(row))


def _systems(
    rows: DataTable,
    nameless: str,
    topics: Sequence[str],
    once_each: Sequence[Sequence[object]],
    names: Sequence[str] = roles.SYSTEM,
) -> Sequence[str]:
    """Return the system of each row of a table of lists, by columns that a list has once each."""
    others, place = rows.others, rows.origin
    named = without_empty(list(others), others.__getitem__)
    trial = roles.trial_column(named)
    named = [column for column in named if column != trial]
    name = roles.one_column(names[0], named, names, place=place)
    systems = [nameless] * len(rows)
    if name is not None:
        check_complete(name, others[name], place=place)
        systems = [id_of(value, "system", place) for value in others[name]]
    if trial is not None:
        cells = zip(systems, others[trial], strict=True)
        systems = [roles.OF_TRIAL.format(x, id_of(y, "trial", place)) for x, y in cells]
    unknown = {x: values for x, values in others.items() if roles.plain(x) not in _KNOWN}
    for column in once_each:
        check_told_apart(list(zip(systems, topics, column, strict=True)), unknown, place=place)
    return systems


# What other tables have, which tells no rows apart.
_KNOWN = {*roles.SYSTEM, *roles.TRIAL} | {
    name
    for kind in ("runs", "judged")
    for column in SCHEMAS[kind].columns
    for name in (column.name, *column.aliases)
}


def checked_grades(qrels: Mapping[str, Any], place: str = "qrels") -> Mapping[str, Any]:
    """Return judgements that are held in Python, topic -> element -> grade, with ids as texts.

    Raise InputError for an id that is none, and a grade that is no number.
    """
    checked: dict[str, Any] = {}
    for topic, by in with_ids(qrels, "topic", place).items():
        if not isinstance(by, Mapping):
            thing, kind = f"type of the judgements of topic {topic}", type(by).__name__
            rule = "be that of a mapping from elements to grades"
            remedy = "give {topic: {element: grade}}"
            raise InputError(thing, kind, rule, remedy=remedy, place=place)
        checked[topic] = with_ids(by, f"element judged for topic {topic}", place)
        for element, grade in by.items():
            for value in grade.values() if isinstance(grade, Mapping) else (grade,):
                # A file's grades are whole; so are truth values.
                if not isinstance(value, Integral | Assessment) and grade_of(value) is None:
                    thing, rule = f"grade of element {element!r}", SCHEMAS["judged"].rule
                    where = f"{place}, topic {topic}"
                    raise InputError(thing, value, rule, remedy="correct it", place=where)
    return checked
