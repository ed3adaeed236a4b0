"""Runs and judgements as people hold them in Python, brought to what the readers return.

Data frames and iterables of records have a name for each column; those of PyTerrier (qid, docno),
ir_measures and ir_datasets (query_id, doc_id), ranx (q_id) and of this project mean the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from numbers import Integral, Real
from operator import attrgetter, is_
from pathlib import Path
from typing import Any

from prum.experiments.evaluate.given_ids import id_of, is_list, list_of, once, with_ids
from prum.simulator.model import InputError
from prum.simulator.model.assessments import Assessment
from prum.simulator.tables.files import readable
from prum.simulator.tables.headings import (
    SYSTEM,
    check_lists,
    column_of,
    plain,
    system_of_lists,
)

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "topic": ("topic", "qid", "query_id", "q_id", "topic_id"),
    "element": ("element", "docno", "doc_id", "docid", "document"),
    "score": ("score",),
    "rank": ("rank",),
    "grade": ("grade", "relevance", "label", "rel", "score"),
    "subtopic": ("subtopic", "subtopic_id", "iteration"),
    "system": SYSTEM,
}
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
    if _is_table(runs):
        rows = _Rows(runs, "runs", _RUN)
        rows.check_lists()
        if rows.has("system"):
            parts: dict[str, list[tuple[Any, ...]]] = {}
            for system, *row in rows.of("system", *_run_columns(rows)):
                parts.setdefault(id_of(system, "system", rows.what), []).append(tuple(row))
            return {name: _scored(part, rows, called(name)) for name, part in parts.items()}
        return {NAMELESS: _scored(rows.of(*_run_columns(rows)), rows, "runs")}
    return {NAMELESS: _given_run(runs, NAMELESS)}


def _given_run(run: Any, system: str) -> str | Path | Lists:
    """Return a file, or topic -> list."""
    run = _as_mapping(run)
    if isinstance(run, Mapping):
        lists = with_ids(run, "topic", called(system))
        named = {topic: list_of(items, topic, called(system)) for topic, items in lists.items()}
        return lists if all(map(is_, named.values(), lists.values())) else named
    if isinstance(run, str | Path):
        return run
    if _is_table(run):
        rows = _Rows(run, called(system), _RUN)
        rows.check_lists()
        columns = _run_columns(rows)
        if rows.has("system"):
            listed = list(rows.of("system", *columns))
            systems = list(dict.fromkeys(row[0] for row in listed))
            if len(systems) > 1:
                raise InputError(
                    f"systems of {called(system)}", ", ".join(map(str, systems)), "be one",
                    remedy="give the whole table as runs, or a table for each system",
                )  # fmt: skip
            return _scored((row[1:] for row in listed), rows, called(system))
        return _scored(rows.of(*columns), rows, called(system))
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
    if not _is_table(qrels):
        raise InputError(
            "qrels", type(qrels).__name__,
            "be a file, a data frame, records with names, or a mapping from topics to grades",
            remedy="give {topic: {element: grade}}, say",
        )  # fmt: skip
    rows = _Rows(qrels, "qrels", _QRELS)
    columns = ["topic", "element", "grade"]
    if not rows.has("subtopic"):
        return _graded(rows.of(*columns), rows)
    listed = [(*row[:3], str(row[3])) for row in rows.of(*columns, "subtopic")]
    is_several = len({(row[0], row[3]) for row in listed}) > len({row[0] for row in listed})
    if len({row[:2] for row in listed}) == len(listed) and not (by_subtopic and is_several):
        return _graded((row[:3] for row in listed), rows)
    diverse: dict[str, dict[str, dict[str, int]]] = {}
    for topic, element, grade, subtopic in listed:
        ids = id_of(topic, "topic", rows.what), id_of(element, "element", rows.what)
        grades = diverse.setdefault(ids[0], {}).setdefault(ids[1], {})
        once(grades, subtopic, f"subtopic of element {ids[1]!r}, topic {ids[0]}", rows.what)
        grades[subtopic] = _grade(grade, ids[1], rows.what)
    return diverse


# --- tables --------------------------------------------------------------------------------------


class _Rows:
    """Rows of a data frame or of records with names."""

    def __init__(self, table: Any, what: str, example: str) -> None:
        self.what, self._example = what, example
        self._system: str | None = None
        self._frame = table if hasattr(table, "itertuples") else None
        records = iter(() if self._frame is not None else table)
        first = next(records, None)
        self._is_keyed = isinstance(first, Mapping)
        self._names = list(map(str, _names_of(first) if self._frame is None else table.columns))
        self._records: Iterable[Any] = records if first is None else chain([first], records)
        if self._is_keyed:
            # Some records may lack what others have.
            self._records = list(self._records)
            self._names = list(dict.fromkeys(str(name) for row in self._records for name in row))
        if len(set(self._names)) < len(self._names):
            remedy = "rename them"
            raise InputError(f"columns of {what}", self._names, "be different", remedy=remedy)

    def has(self, column: str) -> bool:
        return self._find(column) is not None

    def of(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Return these columns, two or more of them, row by row."""
        return self._named([self._name(column) for column in columns])

    def check_lists(self) -> None:
        """Find the column that names systems.

        Raises InputError if a known column may describe documents, or an unknown one splits lists.
        """
        known = {name for names in COLUMNS.values() for name in names}
        others = [name for name in self._names if plain(name) not in known]
        may_name = any(plain(name) in SYSTEM for name in self._names)
        if not self.has("topic") or not (others or may_name):
            return
        if self._frame is None:
            self._records = list(self._records)
        topic, element = self._name("topic"), self._name("element")
        rank = self._find("rank")
        self._system = system_of_lists(
            self._names, self._column, topic, element, rank, place=self.what
        )
        if not others:
            return
        lists = ["system"] * self.has("system") + ["topic"]
        ranks = ["rank"] * self.has("rank")
        names = [self._name(column) for column in (*lists, "element", *ranks)]
        columns = list(zip(*self._named(names + others), strict=True))
        rest = len(names)
        check_lists(
            list(zip(*columns[: len(lists)], strict=True)),
            columns[len(lists)],
            columns[rest - 1] if ranks else None,
            dict(zip(others, columns[rest:], strict=True)),
            place=self.what,
        )

    def _column(self, name: str) -> list[Any]:
        return [row[0] for row in self._named([name, name])]

    def _named(self, names: list[str]) -> Iterator[tuple[Any, ...]]:
        if self._frame is not None:
            return zip(*(self._frame[name].tolist() for name in names), strict=True)
        if self._is_keyed:
            return (tuple(map(row.get, names)) for row in self._records)
        return map(attrgetter(*names), self._records)

    def _find(self, column: str) -> str | None:
        if column == "system":
            return self._system
        return column_of(self._names, COLUMNS[column])

    def _name(self, column: str) -> str:
        name = self._find(column)
        if name is None:
            raise InputError(
                f"columns of {self.what}", ", ".join(self._names),
                f"include one named {' or '.join(COLUMNS[column])}",
                remedy=f"name them as in {self._example}",
            )  # fmt: skip
        return name


def _names_of(record: Any) -> Iterable[Any]:
    if isinstance(record, Mapping):
        return record
    fields = getattr(record, "_fields", ())
    return fields or getattr(record, "__dict__", ())


def _is_table(data: Any) -> bool:
    """Return whether it is a data frame, or an iterable of records with names."""
    if hasattr(data, "itertuples"):
        return True
    if isinstance(data, list | tuple):
        return not data or isinstance(data[0], Mapping) or hasattr(data[0], "_fields")
    return isinstance(data, Iterator)


def _as_mapping(data: Any) -> Any:
    """Return the mapping that an object of ranx holds, else the data; ir_datasets' as records."""
    if hasattr(data, "scoreddocs_iter"):
        return data.scoreddocs_iter()
    is_frame = hasattr(data, "itertuples")
    return data.to_dict() if hasattr(data, "to_dict") and not is_frame else data


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


def _scored(
    listed: Iterable[tuple[Any, ...]], rows: _Rows, what: str
) -> dict[str, dict[str, float]]:
    """Return topic -> element -> score of rows; in place of a score may stand a rank."""
    sign = -1.0 if "rank" in _run_columns(rows) else 1.0
    scored: dict[str, dict[str, float]] = {}
    for topic, element, score in listed:
        name, item = id_of(topic, "topic", what), id_of(element, "element", what)
        scores = scored.setdefault(name, {})
        once(scores, item, f"element of topic {name}", what)
        if isinstance(score, bool) or not isinstance(score, Real):
            raise InputError(
                f"score of element {item!r}, topic {name}", score, "be a number",
                remedy="correct it", place=what,
            )  # fmt: skip
        scores[item] = sign * float(score)
    return scored


def _graded(listed: Iterable[tuple[Any, ...]], rows: _Rows) -> dict[str, dict[str, Any]]:
    graded: dict[str, dict[str, Any]] = {}
    for topic, element, grade in listed:
        name, item = id_of(topic, "topic", rows.what), id_of(element, "element", rows.what)
        grades = graded.setdefault(name, {})
        once(grades, item, f"element judged for topic {name}", rows.what)
        grades[item] = grade if isinstance(grade, Assessment) else _grade(grade, item, rows.what)
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
