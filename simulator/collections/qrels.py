"""TREC qrels: judgements by grade, of subtopics, on INEX's two scales, by preference; ideals."""

import math
import re
from array import array
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Generic, TypeVar

from prum.simulator.model.assessments import Assessment, assessment_of
from prum.simulator.model.errors import InputError, shown, whole_number
from prum.simulator.tables.files import (
    FilePath,
    LineForm,
    Opened,
    looked_at,
    no_lines,
    place,
    tables,
)
from prum.simulator.tables.names import ELEMENT, GRADE, SUBTOPIC, TOPIC

_Grade = TypeVar("_Grade")
_Number = TypeVar("_Number", int, float)

# Lines of trec_eval; those of MS MARCO, of which each is relevant.
QREL_LINES = LineForm(
    "qrels",
    ("topic iteration element grade", "topic element"),
    {"topic": TOPIC, "element": ELEMENT, "grade": GRADE, "iteration": SUBTOPIC},
)
_LEAST_GRADE = -2
# Grades below the highest are looked for up to this one.
_LONGEST_SCALE = 1_000
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(
    r"\+?(?=\.?[0-9])(?=.*[.eE])[0-9]{0,18}\.?[0-9]{0,30}(?:[eE][+-]?[0-9]{1,3})?"
)


def read_qrels(path: FilePath) -> dict[str, dict[str, float]]:
    """Return the grades of each topic of a TREC qrels file: ``{topic: {element: grade}}``.

    A line has four columns, ``topic iteration element grade``, separated by blanks or tabs; or two,
    ``topic element``, as MS MARCO has them: what stands there has grade 1. A first line may name
    the columns. Blank lines and those that begin with # are skipped. The iteration is ignored, but
    where an element is judged again for a topic with another one: then the column names subtopics,
    and the highest of the element's grades counts. Grades are whole numbers, or decimals such as
    relevance in [0, 1]; -1 and -2 are TREC's marks for elements that were pooled but not judged,
    and for junk.

    Plain or compressed as `read_run` says.

    Raises
    ------
    InputError
        for a line with another number of columns, a grade that is no number, a negative decimal or
        less than -2, an element judged twice for a topic and subtopic, a file that is empty, not
        UTF-8 text or compressed and damaged.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 a 2\nq1 0.5 b -1\nq2 0 a 0.8\n")
    >>> read_qrels(path)
    {'q1': {'a': 2, 'b': -1}, 'q2': {'a': 0.8}}
    """
    return graded(judged_lines(path, written_grade))[0]


def read_whole_qrels(path: FilePath) -> dict[str, dict[str, int]]:
    """Return what `read_qrels` does where all grades are whole numbers."""
    return graded(judged_lines(path, whole_grade))[0]


def whole_grade(written: str, place: str) -> int:
    """Return a grade that is a whole number of at least -2."""
    grade = int(written) if _WHOLE.fullmatch(written) else None
    if grade is None or grade < _LEAST_GRADE:
        thing, rule = "grade", f"be a whole number of at least {_LEAST_GRADE}"
        raise InputError(thing, written, rule, remedy="correct the grade in column 4", place=place)
    return grade


def written_grade(written: str, place: str) -> float:
    """Return a grade that is a whole number of at least -2, or a decimal of at least 0."""
    if _WHOLE.fullmatch(written):
        return whole_grade(written, place)
    grade = float(written) if _DECIMAL.fullmatch(written) else math.inf
    if not math.isfinite(grade):
        rule = f"be a whole number of at least {_LEAST_GRADE}, or a decimal like 0.8"
        remedy = "correct the grade in column 4"
        raise InputError("grade", written, rule, remedy=remedy, place=place)
    return int(grade) if grade.is_integer() else grade


def read_assessments(path: FilePath) -> dict[str, dict[str, Assessment]]:
    """Return the assessments of each topic of a qrels file on two scales.

    As `read_qrels`, but the fourth column is written like E3S2: exhaustivity 3, specificity 2.

    Raises
    ------
    InputError, OSError
        as `read_qrels`; also for a column that is not an `Assessment`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 a E3S2\nq1 0 b E0S0\n")
    >>> {element: str(value) for element, value in read_assessments(path)["q1"].items()}
    {'a': 'E3S2', 'b': 'E0S0'}
    """
    judged = judged_lines(path, lambda written, place: assessment_of(written, place=place))
    for topic, rows in judged.items():
        rows.subtopics[:] = [""] * len(rows.elements)
        rows.by_subtopic(topic)
    return {topic: rows.by_element() for topic, rows in judged.items()}


@dataclass(frozen=True, slots=True)
class JudgedRows(Generic[_Grade]):
    """What is said of a topic, a row for each element and subtopic, column by column.

    `where` takes what stands in `rows` to a place.
    """

    where: Callable[[int], str]
    elements: list[str] = field(default_factory=list)
    subtopics: list[str] = field(default_factory=list)
    grades: list[_Grade] = field(default_factory=list)
    rows: "array[int]" = field(default_factory=lambda: array("q"))

    @property
    def repeats(self) -> bool:
        """Whether an element stands in several rows."""
        return len(set(self.elements)) < len(self.elements)

    def by_element(self) -> dict[str, _Grade]:
        """Return element -> grade."""
        return dict(zip(self.elements, self.grades, strict=True))

    def by_subtopic(self, topic: str) -> dict[str, dict[str, _Grade]]:
        """Return element -> subtopic -> grade; raise InputError for one that is there twice."""
        judged: dict[str, dict[str, _Grade]] = {}
        columns = self.elements, self.subtopics, self.grades
        for number, (element, subtopic, grade) in enumerate(zip(*columns, strict=True)):
            grades = judged.setdefault(element, {})
            if subtopic in grades:
                keys = list(zip(self.elements, self.subtopics, strict=True))
                first = self.where(self.rows[keys.index((element, subtopic))])
                thing = f"element judged again for topic {shown(topic)}"
                other = first.rpartition(", ")[2]
                remedy = f"keep this {other.split()[0]} or {other}"
                here = self.where(self.rows[number])
                raise InputError(thing, element, "be judged once", remedy=remedy, place=here)
            grades[subtopic] = grade
        return judged


def graded(
    judged: Mapping[str, JudgedRows[_Number]], *, by_subtopic: bool = False
) -> tuple[dict[str, dict[str, _Number]], dict[str, dict[str, dict[str, _Number]]] | None]:
    """Return topic -> element -> grade, and topic -> element -> subtopic -> grade if these count.

    They do if some topic has an element more than once, of which the highest grade counts then;
    `by_subtopic`, if some topic has several. Otherwise the column says nothing: old qrels have 0,
    Q0 or the round of pooling in it.
    """
    if by_subtopic:
        by_subtopic = any(len(set(rows.subtopics)) > 1 for rows in judged.values())
    if not by_subtopic and not any(rows.repeats for rows in judged.values()):
        return {topic: rows.by_element() for topic, rows in judged.items()}, None
    subtopics = {topic: rows.by_subtopic(topic) for topic, rows in judged.items()}
    highest = {
        topic: {element: max(grades.values()) for element, grades in elements.items()}
        for topic, elements in subtopics.items()
    }
    return highest, subtopics


def judged_lines(
    path: FilePath, read: Callable[[str, str], _Grade]
) -> dict[str, JudgedRows[_Grade]]:
    """Return the lines of each topic; `read` takes the text of a grade and its place."""
    judged: dict[str, JudgedRows[_Grade]] = {}
    known: dict[str, _Grade] = {}
    shared: dict[str, str] = {}
    where = partial(place, path)
    with nullcontext(path) if isinstance(path, Opened) else looked_at(path) as file:
        for table in tables(file, QREL_LINES):
            elements, num = table.words("element"), len(table.lines)
            # Without a grade all that stands there is relevant.
            written = table.words("grade") if "grade" in table.names else ["1"] * num
            named = table.words("iteration") if "iteration" in table.names else ["0"] * num
            subtopics = [shared.setdefault(text, text) for text in named]
            for row in sorted(map(written.index, set(written) - known.keys())):
                known[written[row]] = read(written[row], where(table.lines[row]))
            grades = [known[text] for text in written]
            starts = table.changes("topic")
            edges = pairwise([*starts.tolist(), num])
            for topic, (begin, end) in zip(table.words("topic", starts), edges, strict=True):
                rows = judged.setdefault(topic, JudgedRows(where))
                rows.elements.extend(elements[begin:end])
                rows.subtopics.extend(subtopics[begin:end])
                rows.grades.extend(grades[begin:end])
                rows.rows.extend(table.lines[begin:end])
    if not judged:
        raise no_lines(path)
    return judged


def ideals_of(
    qrels: Mapping[str, Mapping[str, float]], *, ideal_grade: int = 1
) -> dict[str, tuple[str, ...]]:
    """Return the ideal elements of each topic, sorted: those that reach `ideal_grade`.

    A topic none of whose elements is ideal has an empty tuple.

    Raises
    ------
    InputError
        if `ideal_grade` is not a whole number of at least 1.

    >>> ideals_of({"q1": {"b": 2, "a": 1, "c": -1}, "q2": {"a": 0}})
    {'q1': ('a', 'b'), 'q2': ()}
    >>> ideals_of({"q": {"b": 0.8, "a": 0.5, "c": 0.4}})
    {'q': ('a', 'b')}
    """
    least = whole_number(
        "ideal_grade", ideal_grade, least=1, remedy="give the lowest grade that counts as ideal"
    )
    return {
        topic: tuple(sorted(element for element, grade in grades.items() if reaches(grade, least)))
        for topic, grades in qrels.items()
    }


def reaches(grade: float, least: int) -> bool:
    """Return whether a grade counts as `least` or more, decimals as they stand.

    But relevance in [0, 1] reaches 1 from 1/2, the threshold of Mizzaro (2001).

    >>> reaches(2, 2), reaches(0.5, 1), reaches(0.49, 1), reaches(1.5, 2)
    (True, True, False, False)
    """
    return grade >= (0.5 if least == 1 else least)


def scale_of(judgements: Mapping[str, Mapping[str, float]]) -> tuple[float, str]:
    """Return the grade that is worth 1, and why judgements do not tell it, if they don't.

    It is the highest; of decimals in [0, 1] it is 1. Decimals above 1 do not tell where their scale
    ends, nor do whole grades of which some below the highest were never given.

    >>> scale_of({"q": {"a": 2, "b": 1, "c": 0}}), scale_of({"q": {"a": 0.8, "b": 0.1}})
    ((2, ''), (1, ''))
    >>> scale_of({"q": {"a": 4, "b": 2, "c": 1}})
    (4, 'no element has grade 3, so that the scale may go on beyond 4')
    """
    given = {grade for grades in judgements.values() for grade in grades.values()}
    top = max(given, default=1)
    if all(float(grade).is_integer() for grade in given):
        missing = set(range(1, min(int(top), _LONGEST_SCALE))) - given
        if not missing:
            return top, ""
        rest = f"the scale may go on beyond {top:g}"
        return top, f"no element has grade {min(missing)}, so that {rest}"
    if top <= 1:
        return 1, ""
    return top, f"grades are decimals, up to {top:g}, and do not tell the highest of the scale"
