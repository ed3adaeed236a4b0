"""Tables of runs and of judgements, with names of columns: what rows say, of which system."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from os import PathLike
from typing import Any

from prum.simulator.collections.qrels import checked_preferences
from prum.simulator.model.assessments import Assessment
from prum.simulator.model.errors import InputError, real
from prum.simulator.tables.layout import as_typed, id_of, is_missing, once, text_of, with_ids
from prum.simulator.tables.names import (
    ELEMENT,
    GRADE,
    OTHER,
    PREFERRED,
    RANK,
    SCORE,
    SUBTOPIC,
    SYSTEM,
    TOPIC,
    WEAK,
    column_of,
    one_column,
    plain,
)
from prum.simulator.tables.read import columns_of, read_raw


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


_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "topic": TOPIC,
    "element": ELEMENT,
    "score": SCORE,
    "rank": RANK,
    "grade": GRADE,
    "subtopic": SUBTOPIC,
    "preferred": PREFERRED,
    "other": OTHER,
    "system": SYSTEM,
}
_NUMBERS = frozenset((*SCORE, *RANK, *GRADE))
# What stays text where a file has numbers.
_IDS = frozenset((*TOPIC, *ELEMENT, *SUBTOPIC, *PREFERRED, *OTHER, *SYSTEM))
_RUN = "a run of PyTerrier or ir_measures: qid, docno, score"
_QRELS = "qrels of PyTerrier or ir_measures: qid, docno, label"


def runs_of_table(table: Any, what: str, nameless: str) -> dict[str, dict[str, dict[str, float]]]:
    """Return system -> topic -> element -> score of a data frame, of records, or of a file.

    A run without a name is called `nameless`; `what` serves messages.

    Raise InputError for missing columns, a column that may name systems or not, an element that a
    topic lists twice, an id that is no text or whole number, a score that is no number; as
    `tables`. Raise OSError if the file cannot be read.
    """
    rows = _Rows(table, what, _RUN)
    rows.check_lists()
    columns = _run_columns(rows)
    if not rows.has("system"):
        return {nameless: _scored(rows.of(*columns), rows)}
    parts: dict[str, list[tuple[Any, ...]]] = {}
    for system, *row in rows.of("system", *columns):
        parts.setdefault(id_of(system, "system", what), []).append(tuple(row))
    return {name: _scored(part, rows) for name, part in parts.items()}


def judgements_of_table(table: Any, what: str, *, by_subtopic: bool) -> dict[str, Any]:
    """Return topic -> element -> grade, or subtopic -> grade, of a data frame, records, or a file.

    Or topic -> pairs of elements, of a table with columns topic, preferred and other. Grades have
    subtopics if some topic has an element more than once; `by_subtopic`, if some topic has several.

    Raise InputError for missing columns, an element judged twice for a topic (and subtopic), an id
    that is no text or whole number, a grade that is no number or a negative decimal; as `tables`.
    Raise OSError if the file cannot be read.
    """
    rows = _Rows(table, what, _QRELS)
    if rows.has("preferred") and rows.has("other"):
        pairs = [row[:3] for row in rows.of("topic", "preferred", "other")]
        return checked_preferences(pairs, rows.place, what)
    columns = ["topic", "element", "grade"]
    if not rows.has("subtopic"):
        return _graded(rows.of(*columns), rows)
    listed = [(*row[:3], str(row[3]), row[4]) for row in rows.of(*columns, "subtopic")]
    is_several = len({(row[0], row[3]) for row in listed}) > len({row[0] for row in listed})
    if len({row[:2] for row in listed}) == len(listed) and not (by_subtopic and is_several):
        return _graded(((*row[:3], row[4]) for row in listed), rows)
    diverse: dict[str, dict[str, dict[str, float]]] = {}
    for topic, element, grade, subtopic, row in listed:
        name, item = rows.ids(topic, element, row)
        grades = diverse.setdefault(name, {}).setdefault(item, {})
        place = rows.place(row)
        once(grades, subtopic, f"subtopic of element {item!r}, topic {name}", place)
        grades[subtopic] = checked_grade(grade, item, place)
    return diverse


class _Rows:
    """Rows of a data frame, of records with names, or of a file."""

    def __init__(self, table: Any, what: str, example: str) -> None:
        self.what, self._example = what, example
        self._system: str | None = None
        if not isinstance(table, str | PathLike):
            self._columns: Mapping[str, Sequence[Any]] = columns_of(table, what)
            self._lines: Sequence[int] | None = None
            return
        raw = read_raw(table)
        self._lines = raw.numbers.tolist() if raw.unit == "line" else None
        self._columns = {
            name: cells
            if raw.typed or plain(name) in _IDS
            else as_typed(cells, each=plain(name) in _NUMBERS)
            for name, cells in raw.columns.items()
        }

    def has(self, column: str) -> bool:
        return self._find(column) is not None

    def of(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Return these columns row by row, with the number of each row behind them."""
        each = [self._columns[self._name(column)] for column in columns]
        return zip(*each, range(len(each[0])), strict=True)

    def place(self, row: int) -> str:
        """Return where a row stands."""
        where = f"row {row + 1}" if self._lines is None else f"line {self._lines[row]}"
        return f"{self.what}, {where}"

    def ids(self, topic: Any, element: Any, row: int) -> tuple[str, str]:
        """Return topic and element of a row as texts."""
        return (
            text_of(topic) or id_of(topic, "topic", self.place(row)),
            text_of(element) or id_of(element, "element", self.place(row)),
        )

    def check_lists(self) -> None:
        """Find the column that names systems.

        Raises InputError for a `tag` or `name` that may describe documents, and an unknown column
        that tells apart elements, or ranks, that a list has twice.
        """
        if not self.has("topic"):
            return
        known = {name for names in _COLUMNS.values() for name in names}
        lists = [self._columns[self._name("topic")]]
        elements, rank = self._columns[self._name("element")], self._find("rank")
        keys = list(zip(*lists, elements, strict=True))
        self._system = system_of_lists(
            list(self._columns), self._columns.__getitem__, keys, place=self.what
        )
        if self._system is not None:
            lists.append(self._columns[self._system])
        others = {name: of for name, of in self._columns.items() if plain(name) not in known}
        for column in (elements, *([] if rank is None else [self._columns[rank]])):
            check_told_apart(list(zip(*lists, column, strict=True)), others, place=self.what)

    def _find(self, column: str) -> str | None:
        if column == "system":
            return self._system
        return column_of(list(self._columns), _COLUMNS[column])

    def _name(self, column: str) -> str:
        name = self._find(column)
        if name is None:
            rule, remedy = (
                f"include one of {' or '.join(_COLUMNS[column])}",
                f"name them as in {self._example}",
            )
            names = ", ".join(self._columns)
            raise InputError("names of columns", names, rule, remedy=remedy, place=self.what)
        return name


def _run_columns(rows: _Rows) -> tuple[str, str, str]:
    by_rank = rows.has("rank") and not rows.has("score")
    return "topic", "element", "rank" if by_rank else "score"


def _scored(listed: Iterable[tuple[Any, ...]], rows: _Rows) -> dict[str, dict[str, float]]:
    """Return topic -> element -> score of rows; in place of a score may stand a rank."""
    sign = -1.0 if "rank" in _run_columns(rows) else 1.0
    scored: dict[str, dict[str, float]] = {}
    for topic, element, score, row in listed:
        name, item = rows.ids(topic, element, row)
        scores = scored.setdefault(name, {})
        if item in scores:
            once(scores, item, f"element of topic {name}", rows.place(row))
        number = real(score)
        if not math.isfinite(number):
            thing, rule = f"score of element {item!r}, topic {name}", "be a finite number"
            raise InputError(thing, score, rule, remedy="correct it", place=rows.place(row))
        scores[item] = sign * number
    return scored


def _graded(listed: Iterable[tuple[Any, ...]], rows: _Rows) -> dict[str, dict[str, Any]]:
    graded: dict[str, dict[str, Any]] = {}
    for topic, element, grade, row in listed:
        name, item = rows.ids(topic, element, row)
        grades, place = graded.setdefault(name, {}), rows.place(row)
        once(grades, item, f"element judged for topic {name}", place)
        known = isinstance(grade, Assessment)
        grades[item] = grade if known else checked_grade(grade, item, place)
    return graded


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
