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
from prum.simulator.model.errors import InputError
from prum.simulator.model.tables import check_once
from prum.simulator.tables import names as roles
from prum.simulator.tables.files import Opened, place
from prum.simulator.tables.forms import read_json
from prum.simulator.tables.layout import DataTable, id_of, is_missing, once, with_ids
from prum.simulator.tables.lines import LineForm
from prum.simulator.tables.read import read
from prum.simulator.tables.schemas import GRADE_RULE, SCHEMAS, grade_of


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
    row = next((row for row, value in enumerate(values, start=1) if is_missing(value)), None)
    if row is not None:
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
    """
    rows = read(table, SCHEMAS["runs"], name=what, suffix=suffix)
    topics, elements, scores, ranks, listed, *_ = rows.columns.values()
    lists: dict[str, dict[str, Any]] = {}
    if rows and elements[0] is None:
        topics, listed = zip(*_lists(rows, listed), strict=True)
        systems = _systems(rows, nameless, topics, [topics])
        for row, (system, topic, members) in enumerate(zip(systems, topics, listed, strict=True)):
            once(lists.setdefault(system, {}), topic, "topic", rows.place(row))
            lists[system][topic] = {element: -float(rank) for rank, element in enumerate(members)}
        return lists
    if rows and scores[0] is None:
        scores = [-rank for rank in ranks]
    once_each = [elements] if not rows or ranks[0] is None else [elements, ranks]
    columns = _systems(rows, nameless, topics, once_each), topics, elements, scores
    for row, (system, topic, element, score) in enumerate(zip(*columns, strict=True)):
        by_element = lists.setdefault(system, {}).setdefault(topic, {})
        if element in by_element:
            once(by_element, element, f"element of topic {topic}", rows.place(row))
        by_element[element] = score
    return lists or {nameless: {}}


def _lists(rows: DataTable, cells: Sequence[Any]) -> list[tuple[str, list[str]]]:
    """Return the topic of each row, by its number where none is named, and the ids in its cell."""
    topics = rows.columns["topic"]
    if topics[0] is None:
        topics = list(map(str, range(1, len(rows) + 1)))
    return [
        (topic, list(dict.fromkeys(id_of(member, "element", rows.place(row)) for member in cell)))
        for row, (topic, cell) in enumerate(zip(topics, cells, strict=True))
    ]


def mapping_in(file: Opened) -> dict[str, dict[str, Any]]:
    """Return what a file of JSON holds: topic -> element -> score or grade."""
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
    topics = table.columns["topic"]
    for row, judge in enumerate(_systems(table, nameless, topics, [], roles.JUDGE)):
        rows[judge].append(row)
    judges = {}
    for judge, kept in rows.items():
        columns = {name: [cells[row] for row in kept] for name, cells in table.columns.items()}
        numbers = [table.numbers[row] for row in kept]
        some = replace(table, columns=columns, numbers=numbers)
        judges[judge] = _judged(some, by_subtopic=False)
    return judges or {nameless: {}}


def _judged(rows: DataTable, *, by_subtopic: bool) -> dict[str, Any]:
    """Return the judgements of a table, as `judgements_of_table` does."""
    topics, elements, grades, subtopics, preferred, other, ideals, *_ = rows.columns.values()
    if rows and None not in (preferred[0], other[0]):
        pairs = list(zip(topics, preferred, other, strict=True))
        return dict(checked_preferences(pairs, rows.place, rows.origin))
    if rows and elements[0] is None:
        return {topic: dict.fromkeys(members, 1) for topic, members in _lists(rows, ideals)}
    judged: dict[str, dict[str, Any]] = {}
    # Most rows follow one of the same topic.
    column = np.array(topics, dtype=object)
    changes = (np.flatnonzero(column[1:] != column[:-1]) + 1).tolist()
    for begin, end in pairwise([0, *changes, len(rows)] if rows else []):
        by = zip(elements[begin:end], grades[begin:end], strict=True)
        judged.setdefault(topics[begin], {}).update(by)
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


def _by_subtopic(rows: DataTable, subtopics: Sequence[str]) -> dict[str, Any]:
    """Return topic -> element -> subtopic -> grade; raise InputError for what is there twice."""
    topics, elements, grades, *_ = rows.columns.values()
    keys = list(zip(topics, elements, subtopics, strict=True))
    check_once("judged topic, element and subtopic", keys, rows.place)
    judged: dict[str, dict[str, dict[str, Any]]] = {}
    for (topic, element, subtopic), grade in zip(keys, grades, strict=True):
        judged.setdefault(topic, {}).setdefault(element, {})[subtopic] = grade
    return judged


def _systems(
    rows: DataTable,
    nameless: str,
    topics: Sequence[str],
    once_each: Sequence[Sequence[object]],
    names: Sequence[str] = roles.SYSTEM,
) -> Sequence[str]:
    """Return the system of each row of a table of lists, by columns that a list has once each."""
    columns, place = rows.columns, rows.origin
    named = without_empty(list(columns), columns.__getitem__)
    trial = roles.trial_column(named)
    named = [column for column in named if column != trial]
    name = roles.one_column(names[0], named, names, place=place)
    systems = [nameless] * len(rows)
    if name is not None:
        check_complete(name, columns[name], place=place)
        systems = [id_of(value, "system", place) for value in columns[name]]
    if trial is not None:
        cells = zip(systems, columns[trial], strict=True)
        systems = [roles.OF_TRIAL.format(x, id_of(y, "trial", place)) for x, y in cells]
    unknown = {x: values for x, values in columns.items() if roles.plain(x) not in _KNOWN}
    for column in once_each:
        check_told_apart(list(zip(systems, topics, column, strict=True)), unknown, place=place)
    return systems


# What other tables have, which tells no rows apart.
_KNOWN = {*roles.SYSTEM, *roles.TRIAL} | {
    name for kind in ("runs", "judged") for column in SCHEMAS[kind].columns for name in column.names
}


def checked_grades(qrels: Mapping[str, Any], place: str = "qrels") -> Mapping[str, Any]:
    """Return judgements that are held in Python, topic -> element -> grade, with ids as texts."""
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
                    thing, rule = f"grade of element {element!r}", GRADE_RULE
                    where = f"{place}, topic {topic}"
                    raise InputError(thing, value, rule, remedy="correct it", place=where)
    return checked
