"""Runs and judgements as people hold them in Python, brought to what the readers return.

Data frames and iterables of records have a name for each column; those of PyTerrier (qid, docno),
ir_measures and ir_datasets (query_id, doc_id), ranx (q_id) and of this project mean the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from operator import is_
from os import PathLike
from pathlib import Path
from typing import Any

from prum.experiments.evaluate.given_ids import id_of, is_list, list_of, once, with_ids
from prum.simulator.collections.system_columns import check_lists, system_of_lists
from prum.simulator.model import InputError
from prum.simulator.model.assessments import Assessment
from prum.simulator.tables.cells import as_typed
from prum.simulator.tables.files import readable
from prum.simulator.tables.frames import columns_of, is_table
from prum.simulator.tables.names import (
    ELEMENT,
    GRADE,
    RANK,
    SCORE,
    SUBTOPIC,
    SYSTEM,
    TOPIC,
    column_of,
    plain,
)
from prum.simulator.tables.raw import read_raw

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "topic": TOPIC,
    "element": ELEMENT,
    "score": SCORE,
    "rank": RANK,
    "grade": GRADE,
    "subtopic": SUBTOPIC,
    "system": SYSTEM,
}
_NUMBERS = frozenset((*SCORE, *RANK, *GRADE))
# What stays text where a file has numbers.
_IDS = frozenset((*TOPIC, *ELEMENT, *SUBTOPIC, *SYSTEM))
# The name of a run that has none.
NAMELESS = "run"


def called(system: str) -> str:
    """Return what messages call a run.

    >>> called("bm25"), called(NAMELESS)
    ('run bm25', 'the run')
    """
    return "the run" if system == NAMELESS else f"run {system}"


def is_given(source: Any) -> bool:
    """Return whether something is given, and not None or several of nothing."""
    return source is not None and not (isinstance(source, list | tuple) and not source)


def place_of(source: Any) -> Any:
    """Return files by their names, and data as nothing that could be named."""
    if isinstance(source, str | Path):
        return readable(source)
    return [place_of(path) for path in source] if isinstance(source, list | tuple) else None


_RUN = "a run of PyTerrier or ir_measures: qid, docno, score"
_QRELS = "qrels of PyTerrier or ir_measures: qid, docno, label"

Lists = Mapping[str, Any]


def given_runs(runs: Any) -> Sequence[str | Path] | Mapping[str, str | Path | Lists]:
    """Return files, or system -> a file, or topic -> list.

    Runs are a file or several; a data frame or an iterable of records with names (topic, element,
    score or rank, and perhaps system); what has a `to_dict` of ranx's; topic -> element -> score or
    topic -> elements, best first; or system -> any of these. A run without a name is `NAMELESS`.
    A column `system` names systems; so do others with usual names (`system_of_lists`).

    Raises
    ------
    InputError
        for other data, missing columns, a column that may name systems or not, an element that a
        topic lists twice, an id that is no text or whole number, a score that is no number.

    >>> import pandas as pd
    >>> given_runs(pd.DataFrame({"qid": [7, 7], "docno": ["b", "a"], "score": [2.0, 3.0]}))
    {'run': {'7': {'b': 2.0, 'a': 3.0}}}
    """
    if isinstance(runs, str | Path):
        return [runs]
    if isinstance(runs, Mapping) and not _is_one_run(runs):
        return {system: _given_run(run, system) for system, run in runs.items()}
    if isinstance(runs, list | tuple) and all(isinstance(run, str | Path) for run in runs):
        return runs
    if is_table(runs):
        return runs_of_table(runs, "runs")
    return {NAMELESS: _given_run(runs, NAMELESS)}


def runs_of_table(table: Any, what: str, nameless: str = NAMELESS) -> dict[str, Lists]:
    """Return system -> topic -> element -> score of a data frame, of records, or of a file.

    A run without a name is called `nameless`; `what` serves messages.

    Raises
    ------
    InputError
        as `given_runs`, and as `tables` for a file.
    OSError
        if the file cannot be read.
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


def _given_run(run: Any, system: str) -> str | Path | Lists:
    """Return a file, or topic -> list."""
    run = _as_mapping(run)
    if isinstance(run, Mapping):
        lists = with_ids(run, "topic", called(system))
        named = {topic: list_of(items, topic, called(system)) for topic, items in lists.items()}
        return lists if all(map(is_, named.values(), lists.values())) else named
    if isinstance(run, str | Path):
        return run
    if is_table(run):
        systems = runs_of_table(run, called(system))
        if len(systems) > 1:
            raise InputError(
                f"systems of {called(system)}", ", ".join(systems), "be one",
                remedy="give the whole table as runs, or a table for each system",
            )  # fmt: skip
        return next(iter(systems.values()), {})
    raise InputError(
        f"type of {called(system)}", type(run).__name__,
        "be a file, a data frame, records with names, or a mapping from topics to lists",
        remedy="give {topic: {element: score}}, say",
    )  # fmt: skip


def given_qrels(qrels: Any, *, by_subtopic: bool = False) -> Any:
    """Return a file, or topic -> element -> grade, assessment, or subtopic -> grade.

    Qrels are a file; a mapping as it is; a data frame or an iterable of records with names (topic,
    element, grade and perhaps subtopic); what has a `to_dict` of ranx's or the `qrels_iter` of
    ir_datasets. Grades have subtopics if some topic has an element more than once; `by_subtopic`,
    if some topic has several.

    Raises
    ------
    InputError
        for other data, missing columns, an element judged twice for a topic (and subtopic), an id
        that is no text or whole number, a grade that is no whole number.

    >>> from collections import namedtuple
    >>> qrel = namedtuple("Qrel", "query_id doc_id relevance")
    >>> given_qrels([qrel("q1", "a", 2), qrel("q1", "b", 0)])
    {'q1': {'a': 2, 'b': 0}}
    """
    qrels = _as_mapping(qrels.qrels_iter() if hasattr(qrels, "qrels_iter") else qrels)
    if isinstance(qrels, Mapping):
        return _checked_grades(qrels)
    if isinstance(qrels, str | Path):
        return qrels
    if not is_table(qrels):
        raise InputError(
            "qrels", type(qrels).__name__,
            "be a file, a data frame, records with names, or a mapping from topics to grades",
            remedy="give {topic: {element: grade}}, say",
        )  # fmt: skip
    return judgements_of_table(qrels, "qrels", by_subtopic=by_subtopic)


def judgements_of_table(table: Any, what: str, *, by_subtopic: bool) -> dict[str, dict[str, Any]]:
    """Return the judgements of a data frame, of records, or of a file, as `given_qrels`.

    Raises
    ------
    InputError
        as `given_qrels`, and as `tables` for a file.
    OSError
        if the file cannot be read.
    """
    rows = _Rows(table, what, _QRELS)
    columns = ["topic", "element", "grade"]
    if not rows.has("subtopic"):
        return _graded(rows.of(*columns))
    listed = [(*row[:3], str(row[3]), row[4]) for row in rows.of(*columns, "subtopic")]
    is_several = len({(row[0], row[3]) for row in listed}) > len({row[0] for row in listed})
    if len({row[:2] for row in listed}) == len(listed) and not (by_subtopic and is_several):
        return _graded((*row[:3], row[4]) for row in listed)
    diverse: dict[str, dict[str, dict[str, int]]] = {}
    for topic, element, grade, subtopic, place in listed:
        ids = id_of(topic, "topic", place), id_of(element, "element", place)
        grades = diverse.setdefault(ids[0], {}).setdefault(ids[1], {})
        once(grades, subtopic, f"subtopic of element {ids[1]!r}, topic {ids[0]}", place)
        grades[subtopic] = _grade(grade, ids[1], place)
    return diverse


# --- tables --------------------------------------------------------------------------------------


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
        """Return these columns row by row, with the place of each row behind them."""
        each = [self._columns[self._name(column)] for column in columns]
        return zip(*each, self._places(len(each[0])), strict=True)

    def _places(self, number: int) -> Iterator[str]:
        if self._lines is None:
            return (f"{self.what}, row {row}" for row in range(1, number + 1))
        return (f"{self.what}, line {line}" for line in self._lines)

    def check_lists(self) -> None:
        """Find the column that names systems.

        Raises InputError if a known column may describe documents, or an unknown one splits lists.
        """
        known = {name for names in COLUMNS.values() for name in names}
        others = [name for name in self._columns if plain(name) not in known]
        may_name = any(plain(name) in SYSTEM for name in self._columns)
        if not self.has("topic") or not (others or may_name):
            return
        topic, element = self._name("topic"), self._name("element")
        rank = self._find("rank")
        self._system = system_of_lists(
            list(self._columns), self._columns.__getitem__, topic, element, rank, place=self.what
        )
        if not others:
            return
        lists = [self._columns[topic]]
        if self._system is not None:
            lists.append(self._columns[self._system])
        check_lists(
            list(zip(*lists, strict=True)),
            self._columns[element],
            None if rank is None else self._columns[rank],
            {name: self._columns[name] for name in others},
            place=self.what,
        )

    def _find(self, column: str) -> str | None:
        if column == "system":
            return self._system
        return column_of(list(self._columns), COLUMNS[column])

    def _name(self, column: str) -> str:
        name = self._find(column)
        if name is None:
            raise InputError(
                f"columns of {self.what}", ", ".join(self._columns),
                f"include one named {' or '.join(COLUMNS[column])}",
                remedy=f"name them as in {self._example}",
            )  # fmt: skip
        return name


def _as_mapping(data: Any) -> Any:
    """Return the mapping that an object of ranx holds, else the data; ir_datasets' as records."""
    if hasattr(data, "scoreddocs_iter"):
        return data.scoreddocs_iter()
    return data.to_dict() if hasattr(data, "to_dict") and not is_table(data) else data


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Return whether a mapping goes from topics to lists, and not from systems to runs."""
    for lists in runs.values():
        if isinstance(lists, Mapping):
            inner = next(iter(lists.values()), None)
            if inner is not None:
                return isinstance(inner, Real)
        elif is_list(lists):
            if len(lists):
                first = lists[0] if isinstance(lists, list | tuple) else lists.tolist()[0]
                is_item = isinstance(first, str | tuple | Real)
                return is_item and not hasattr(first, "_fields")
        else:
            return False
    return False


def _run_columns(rows: _Rows) -> tuple[str, str, str]:
    by_rank = rows.has("rank") and not rows.has("score")
    return "topic", "element", "rank" if by_rank else "score"


def _scored(listed: Iterable[tuple[Any, ...]], rows: _Rows) -> dict[str, dict[str, float]]:
    """Return topic -> element -> score of rows; in place of a score may stand a rank."""
    sign = -1.0 if "rank" in _run_columns(rows) else 1.0
    scored: dict[str, dict[str, float]] = {}
    for topic, element, score, place in listed:
        name, item = id_of(topic, "topic", place), id_of(element, "element", place)
        scores = scored.setdefault(name, {})
        once(scores, item, f"element of topic {name}", place)
        if isinstance(score, bool) or not isinstance(score, Real):
            raise InputError(
                f"score of element {item!r}, topic {name}", score, "be a number",
                remedy="correct it", place=place,
            )  # fmt: skip
        scores[item] = sign * float(score)
    return scored


def _graded(listed: Iterable[tuple[Any, ...]]) -> dict[str, dict[str, Any]]:
    graded: dict[str, dict[str, Any]] = {}
    for topic, element, grade, place in listed:
        name, item = id_of(topic, "topic", place), id_of(element, "element", place)
        grades = graded.setdefault(name, {})
        once(grades, item, f"element judged for topic {name}", place)
        grades[item] = grade if isinstance(grade, Assessment) else _grade(grade, item, place)
    return graded


def _grade(value: Any, element: str, place: str) -> int:
    if isinstance(value, Real) and not isinstance(value, bool) and float(value).is_integer():
        return int(float(value))
    raise InputError(
        f"grade of element {element!r}", value, "be a whole number", remedy="correct it",
        place=place,
    )  # fmt: skip


def _checked_grades(qrels: Lists) -> Lists:
    checked: dict[str, Any] = {}
    for topic, by in with_ids(qrels, "topic", "qrels").items():
        if not isinstance(by, Mapping):
            raise InputError(
                f"type of the judgements of topic {topic}", type(by).__name__,
                "be that of a mapping from elements to grades",
                remedy="give {topic: {element: grade}}", place="qrels",
            )  # fmt: skip
        checked[topic] = with_ids(by, f"element judged for topic {topic}", "qrels")
        for element, grade in by.items():
            grades = grade.values() if isinstance(grade, Mapping) else (grade,)
            for value in grades:
                # A file's grades are whole; so are truth values.
                if not isinstance(value, Integral | Assessment):
                    _grade(value, element, f"qrels, topic {topic}")
    return checked
