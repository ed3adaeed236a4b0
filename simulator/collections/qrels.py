"""TREC qrels: judgements by grade or on INEX's two scales, and the ideals they make."""

import re
from array import array
from collections.abc import Callable, Mapping
from typing import TypeVar

from prum.simulator.collections.files import FilePath, no_lines, place
from prum.simulator.collections.separated import rows
from prum.simulator.model.assessments import Assessment, assessment_of
from prum.simulator.model.errors import InputError, shown, whole_number

_Grade = TypeVar("_Grade")

_QRELS = ("topic", "iteration", "element", "grade")
_LEAST_GRADE = -2
_GRADE = re.compile(r"[+-]?[0-9]{1,18}")


def read_qrels(path: FilePath) -> dict[str, dict[str, int]]:
    """Return the grades of each topic of a TREC qrels file: ``{topic: {element: grade}}``.

    A line has four columns, ``topic iteration element grade``, separated by blanks or tabs; blank
    lines are skipped. The iteration column must be there and is ignored. Grades are whole numbers;
    -1 and -2 are TREC's marks for elements that were pooled but not judged, and for junk.

    Plain or gzipped, whatever the name.

    Raises
    ------
    InputError
        for a line without four columns, a grade that is fractional or less than -2, an element
        judged twice for a topic, a file that is empty, not UTF-8 text or a damaged gzip file.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 a 2\\nq1 0.5 b -1\\nq2 0 a 0\\n")
    >>> read_qrels(path)
    {'q1': {'a': 2, 'b': -1}, 'q2': {'a': 0}}
    """
    return _judged(path, _grade)


def _grade(written: str, place: str) -> int:
    grade = int(written) if _GRADE.fullmatch(written) else None
    if grade is None or grade < _LEAST_GRADE:
        thing, rule = "grade", f"be a whole number of at least {_LEAST_GRADE}"
        raise InputError(thing, written, rule, remedy="correct the grade in column 4", place=place)
    return grade


def read_assessments(path: FilePath) -> dict[str, dict[str, Assessment]]:
    """Return the assessments of each topic of a qrels file on two scales.

    As `read_qrels`, but the fourth column is written like E3S2: exhaustivity 3, specificity 2.

    Raises
    ------
    InputError, OSError
        as `read_qrels`; also for a column that is not an `Assessment`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 a E3S2\\nq1 0 b E0S0\\n")
    >>> {element: str(value) for element, value in read_assessments(path)["q1"].items()}
    {'a': 'E3S2', 'b': 'E0S0'}
    """
    return _judged(path, lambda written, place: assessment_of(written, place=place))


def _judged(path: FilePath, read: Callable[[str, str], _Grade]) -> dict[str, dict[str, _Grade]]:
    """Return the fourth column by topic and element; `read` takes its text and place."""
    judged: dict[str, tuple[dict[str, _Grade], array[int]]] = {}
    known: dict[str, _Grade] = {}
    for line, (topic, _, element, written) in rows(path, _QRELS):
        grades, lines = judged.setdefault(topic, ({}, array("q")))
        if written not in known:
            known[written] = read(written, place(path, line))
        if element in grades:
            thing = f"element judged again for topic {shown(topic)}"
            rule = "be judged once"
            remedy = f"keep this line or line {lines[list(grades).index(element)]}"
            raise InputError(thing, element, rule, remedy=remedy, place=place(path, line))
        grades[element] = known[written]
        lines.append(line)
    if not judged:
        raise no_lines(path)
    return {topic: grades for topic, (grades, _) in judged.items()}


def ideals_of(
    qrels: Mapping[str, Mapping[str, int]], *, ideal_grade: int = 1
) -> dict[str, tuple[str, ...]]:
    """Return the ideal elements of each topic, sorted: those of grade `ideal_grade` or more.

    A topic none of whose elements is ideal has an empty tuple.

    Raises
    ------
    InputError
        if `ideal_grade` is not a whole number of at least 1.

    >>> ideals_of({"q1": {"b": 2, "a": 1, "c": -1}, "q2": {"a": 0}})
    {'q1': ('a', 'b'), 'q2': ()}
    """
    least = whole_number(
        "ideal_grade", ideal_grade, least=1, remedy="give the lowest grade that counts as ideal"
    )
    return {
        topic: tuple(sorted(element for element, grade in grades.items() if grade >= least))
        for topic, grades in qrels.items()
    }
