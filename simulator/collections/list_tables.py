"""Tables of runs and of judgements, with names of columns: what rows say, of which system."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from numbers import Integral
from typing import Any

from prum.simulator.collections.qrels import checked_preferences
from prum.simulator.model.assessments import Assessment
from prum.simulator.model.errors import InputError, real
from prum.simulator.tables.files import Opened, is_json, place
from prum.simulator.tables.json_files import read_json
from prum.simulator.tables.layout import as_typed, id_of, is_missing, once, with_ids
from prum.simulator.tables.names import (
    ELEMENT,
    GRADE,
    OF_TRIAL,
    OTHER,
    PREFERRED,
    RANK,
    SCORE,
    SUBTOPIC,
    SYSTEM,
    TOPIC,
    TRIAL,
    WEAK,
    column_of,
    one_column,
    plain,
)
from prum.simulator.tables.read import DataTable, read
from prum.simulator.tables.schemas import SCHEMAS


def without_empty(names: Sequence[str], values: Callable[[str], Sequence[object]]) -> list[str]:
    """Return names of columns without those of a system that hold nothing."""
    return [
        name
        for name in names
        if plain(name) not in SYSTEM
        or not (column := values(name))
        or not all(map(is_missing, column))
    ]


def check_complete(name: str, values: Sequence[object], *, place: str) -> None:
    """Raise InputError for a column of systems with an empty cell, naming its row."""
    for row, value in enumerate(values, start=1):
        if is_missing(value):
            thing, remedy = (
                f"column {name!r}, which names systems, in row {row}",
                "fill it in, or rename the column",
            )
            raise InputError(
                thing, "empty", "name a system in every row", remedy=remedy, place=place
            )


def system_of_lists(
    names: Sequence[str],
    values: Callable[[str], Sequence[object]],
    keys: Sequence[Hashable],
    *,
    place: str,
) -> str | None:
    """Return the column that says which system each row of a table of lists is of, by its name.

    `keys` are each row's topic and element. A `tag` or `name` may describe documents where no row
    is there twice.

    Raise InputError for several columns that may be it, one that may describe documents, or empty
    cells.
    """
    name = one_column("system", without_empty(names, values), SYSTEM, place=place)
    if name is None:
        return None
    several = list(dict.fromkeys(str(x) for x in values(name) if not is_missing(x)))
    if plain(name) in WEAK and len(several) > 1 and len(set(keys)) == len(keys):
        thing = f"column {name!r}, which may name systems or describe documents,"
        rule, remedy = "be called system if it names systems", "rename it, or leave it out"
        value = f"{several[0]}, {several[1]}, ..."
        raise InputError(thing, value, rule, remedy=remedy, place=place)
    check_complete(name, values(name), place=place)
    return name


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
        may_name = any(isinstance(value, str | Integral) for value in values)
        if may_name and len(set(zip(rows, map(str, values), strict=True))) > num:
            thing = f"column {name!r}, which tells rows of the same topic apart,"
            first, second, *_ = dict.fromkeys(map(str, values))
            rule = "have a name that is known"
            remedy = "call it system if it names systems, and leave it out if not"
            raise InputError(thing, f"{first}, {second}, ...", rule, remedy=remedy, place=place)


def runs_of_table(table: Any, what: str, nameless: str) -> dict[str, dict[str, dict[str, float]]]:
    """Return system -> topic -> element -> score of a data frame, of records, or of a file.

    In place of scores may stand ranks. A run without a name is called `nameless`; `what` serves
    messages.

    Raise InputError as `read`; for a column that may name systems or not, an unknown one that tells
    apart elements or ranks that a list has twice, an element that a topic lists twice.
    """
    rows = read(table, SCHEMAS["runs"], name=what)
    topics, elements, scores, ranks = rows.columns
    if rows and scores[0] is None:
        if ranks[0] is None:
            raise _missing(rows, SCORE, "a run of PyTerrier or ir_measures: qid, docno, score")
        scores = [-rank for rank in ranks]
    lists: dict[str, dict[str, dict[str, float]]] = {}
    columns = _systems(rows, nameless), topics, elements, scores
    for row, (system, topic, element, score) in enumerate(zip(*columns, strict=True)):
        by_element = lists.setdefault(system, {}).setdefault(topic, {})
        if not (topic and element) or element in by_element:
            _check_ids(rows, row, topic, element)
            once(by_element, element, f"element of topic {topic}", rows.place(row))
        by_element[element] = score
    return lists or {nameless: {}}


def runs_in(file: Opened, nameless: str) -> dict[str, dict[str, dict[str, float]]]:
    """Return what `runs_of_table` does of a file, or JSON's topic -> element -> score of a run."""
    where = place(file)
    if not is_json(where):
        return runs_of_table(file, where, nameless)
    lists = mapping_in(file)
    for topic, scores in lists.items():
        for element, score in scores.items():
            if not math.isfinite(real(score)):
                thing, rule = f"score of element {element!r}, topic {topic}", "be a finite number"
                raise InputError(thing, score, rule, remedy="correct it", place=where)
    return {nameless: lists}


def mapping_in(file: Opened) -> dict[str, dict[str, Any]]:
    """Return what a file of JSON holds: topic -> element -> score or grade.

    Raise InputError as `read_json`, and for anything else.
    """
    content = read_json(file)
    if isinstance(content, dict) and all(isinstance(by, dict) for by in content.values()):
        return content
    rule, remedy = "be {topic: {element: number}}", "name JSON lines by the suffix .jsonl"
    raise InputError("content", "other JSON", rule, remedy=remedy, place=place(file))


def judgements_of_table(table: Any, what: str, *, by_subtopic: bool) -> dict[str, Any]:
    """Return topic -> element -> grade, or subtopic -> grade, of a data frame, records, or a file.

    Or topic -> pairs of elements, of a table with columns topic, preferred and other. Grades have
    subtopics if some topic has an element more than once; `by_subtopic`, if some topic has several.

    Raise InputError as `read`; for missing columns, an element judged twice for a topic (and
    subtopic), a negative decimal.
    """
    rows = read(table, SCHEMAS["judged"], name=what)
    topics, elements, grades, subtopics, preferred, other = rows.columns
    if rows and None not in (preferred[0], other[0]):
        pairs = list(zip(topics, preferred, other, strict=True))
        return checked_preferences(pairs, rows.place, rows.origin)
    for names, column in ((ELEMENT, elements), (GRADE, grades)) if rows else ():
        if column[0] is None:
            raise _missing(rows, names, "qrels of PyTerrier or ir_measures: qid, docno, label")
    is_once = len(set(zip(topics, elements, strict=True))) == len(rows)
    is_several = len(set(zip(topics, subtopics, strict=True))) > len(set(topics))
    if is_once and not (by_subtopic and is_several):
        subtopics = [None] * len(rows)
    judged: dict[str, dict[str, Any]] = {}
    columns = topics, elements, grades, subtopics
    for row, (topic, element, grade, subtopic) in enumerate(zip(*columns, strict=True)):
        _check_ids(rows, row, topic, element)
        by, key, thing = judged.setdefault(topic, {}), element, f"element judged for topic {topic}"
        if subtopic is not None:
            by, key = by.setdefault(element, {}), subtopic
            thing = f"subtopic of element {element!r}, topic {topic}"
        place = rows.place(row)
        once(by, key, thing, place)
        by[key] = checked_grade(grade, element, place)
    return judged


def _missing(rows: DataTable, names: Sequence[str], example: str) -> InputError:
    rule, remedy = f"include one of {' or '.join(names)}", f"name them as in {example}"
    there = (x for x, column in zip(rows.names, rows.columns, strict=True) if column[0] is not None)
    shown = ", ".join((*there, *rows.others))
    return InputError("names of columns", shown, rule, remedy=remedy, place=rows.origin)


def _check_ids(rows: DataTable, row: int, topic: str, element: str) -> None:
    if not (topic and element):
        id_of(topic, "topic", rows.place(row))
        id_of(element, "element", rows.place(row))


def _systems(rows: DataTable, nameless: str) -> Sequence[str]:
    """Return the system of each row of a table of lists."""
    topics, elements, _, ranks = rows.columns
    others, place = rows.others, rows.origin
    keys = list(zip(topics, elements, strict=True))
    name = system_of_lists(list(others), others.__getitem__, keys, place=place)
    systems = [nameless] * len(rows)
    if name is not None:
        systems = [id_of(value, "system", place) for value in others[name]]
    if (trial := column_of(list(others), TRIAL)) is not None:
        cells = zip(systems, others[trial], strict=True)
        systems = [OF_TRIAL.format(x, id_of(y, "trial", place)) for x, y in cells]
    unknown = {
        x: values if rows.typed else as_typed(values)
        for x, values in others.items()
        if plain(x) not in _KNOWN
    }
    for column in (elements, ranks) if rows and ranks[0] is not None else (elements,):
        check_told_apart(list(zip(systems, topics, column, strict=True)), unknown, place=place)
    return systems


# What other tables have, which tells no rows apart.
_KNOWN = frozenset(
    (*SYSTEM, *TRIAL, *TOPIC, *ELEMENT, *SCORE, *RANK, *GRADE, *SUBTOPIC, *PREFERRED, *OTHER)
)


def checked_grade(value: Any, element: str, place: str) -> float:
    """Return a grade: whole numbers as an int, decimals of at least 0 as a float.

    Raise InputError for anything else.

    >>> checked_grade(2.0, "a", ""), checked_grade(0.8, "a", "")
    (2, 0.8)
    """
    if (number := real(value)).is_integer():
        return int(number)
    if 0 < number < math.inf:
        return number
    rule = "be a whole number, or a decimal of at least 0"
    raise InputError(f"grade of element {element!r}", value, rule, remedy="correct it", place=place)


def checked_grades(qrels: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return judgements that are held in Python, topic -> element -> grade, with ids as texts.

    Raise InputError for an id that is none, and a grade that is no number.
    """
    checked: dict[str, Any] = {}
    for topic, by in with_ids(qrels, "topic", "qrels").items():
        if not isinstance(by, Mapping):
            thing, kind = f"type of the judgements of topic {topic}", type(by).__name__
            rule, remedy = (
                "be that of a mapping from elements to grades",
                "give {topic: {element: grade}}",
            )
            raise InputError(thing, kind, rule, remedy=remedy, place="qrels")
        checked[topic] = with_ids(by, f"element judged for topic {topic}", "qrels")
        for element, grade in by.items():
            grades = grade.values() if isinstance(grade, Mapping) else (grade,)
            for value in grades:
                # A file's grades are whole; so are truth values.
                if not isinstance(value, Integral | Assessment):
                    checked_grade(value, element, f"qrels, topic {topic}")
    return checked
