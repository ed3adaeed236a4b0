"""TREC qrels: judgements by grade, of subtopics, on INEX's two scales, by preference; ideals."""

import math
import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from prum.simulator.model.assessments import Assessment, assessment_of
from prum.simulator.model.errors import InputError, shown, whole_number
from prum.simulator.tables.files import FilePath, Opened, no_lines, place, tables
from prum.simulator.tables.layout import id_of, text_of
from prum.simulator.tables.names import OTHER, PREFERRED, TOPIC

_Grade = TypeVar("_Grade")
_Number = TypeVar("_Number", int, float)

_QRELS = ("topic", "iteration", "element", "grade")
_TOPIC, _ITERATION, _ELEMENT, _WRITTEN = range(4)
_LEAST_GRADE = -2
# Grades below the highest are looked for up to this one.
_LONGEST_SCALE = 1_000
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(
    r"\+?(?=\.?[0-9])(?=.*[.eE])[0-9]{0,18}\.?[0-9]{0,30}(?:[eE][+-]?[0-9]{1,3})?"
)


def read_qrels(path: FilePath) -> dict[str, dict[str, float]]:
    """Return the grades of each topic of a TREC qrels file: ``{topic: {element: grade}}``.

    A line has four columns, ``topic iteration element grade``, separated by blanks or tabs; blank
    lines are skipped. The iteration column must be there and is ignored, but where an element is
    judged again for a topic with another one: then the column names subtopics, and the highest of
    the element's grades counts (`read_any_qrels` tells whether it does, `read_diversity_qrels`
    keeps all). Grades are whole numbers, or decimals such as relevance in [0, 1]; -1 and -2 are
    TREC's marks for elements that were pooled but not judged, and for junk.

    Plain or compressed as `read_run` says.

    Raises
    ------
    InputError
        for a line without four columns, a grade that is no number, a negative decimal or less than
        -2, an element judged twice for a topic and subtopic, a file that is empty, not UTF-8 text
        or compressed and damaged.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 a 2\\nq1 0.5 b -1\\nq2 0 a 0.8\\n")
    >>> read_qrels(path)
    {'q1': {'a': 2, 'b': -1}, 'q2': {'a': 0.8}}
    """
    return read_any_qrels(path)[0]


def read_whole_qrels(path: FilePath) -> dict[str, dict[str, int]]:
    """Return what `read_qrels` does where all grades are whole numbers."""
    return _highest(_judgements(path, _whole_grade), path)[0]


def _whole_grade(written: str, place: str) -> int:
    grade = int(written) if _WHOLE.fullmatch(written) else None
    if grade is None or grade < _LEAST_GRADE:
        thing, rule = "grade", f"be a whole number of at least {_LEAST_GRADE}"
        raise InputError(thing, written, rule, remedy="correct the grade in column 4", place=place)
    return grade


def _grade(written: str, place: str) -> float:
    if _WHOLE.fullmatch(written):
        return _whole_grade(written, place)
    grade = float(written) if _DECIMAL.fullmatch(written) else math.inf
    if not math.isfinite(grade):
        thing, rule = (
            "grade",
            f"be a whole number of at least {_LEAST_GRADE}, or a decimal like 0.8",
        )
        raise InputError(thing, written, rule, remedy="correct the grade in column 4", place=place)
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
    >>> _ = path.write_text("q1 0 a E3S2\\nq1 0 b E0S0\\n")
    >>> {element: str(value) for element, value in read_assessments(path)["q1"].items()}
    {'a': 'E3S2', 'b': 'E0S0'}
    """
    judgements = _judgements(path, lambda written, place: assessment_of(written, place=place))
    for topic, rows in judgements.items():
        first: dict[str, int] = {}
        for number, element in enumerate(rows.elements):
            if first.setdefault(element, number) != number:
                raise rows.repeated(topic, number, first[element], path)
    return {topic: rows.by_element() for topic, rows in judgements.items()}


def read_diversity_qrels(path: FilePath) -> dict[str, dict[str, dict[str, float]]]:
    """Return the grades of a qrels file of subtopics: ``{topic: {element: {subtopic: grade}}}``.

    As `read_qrels`, but the second column is the subtopic that an element was judged for, as in the
    diversity task of TREC's web track; an element may be judged for several.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("51 1 a 2\\n51 2 a 0\\n51 2 b 1\\n")
    >>> read_diversity_qrels(path)
    {'51': {'a': {'1': 2, '2': 0}, 'b': {'2': 1}}}
    """
    judgements = _judgements(path, _grade)
    return {topic: rows.by_subtopic(topic, path) for topic, rows in judgements.items()}


def read_any_qrels(
    path: FilePath,
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, dict[str, float]]] | None]:
    """Return what `read_qrels` does, and if the file judges subtopics what it says of these.

    It does if some element is judged again for a topic with another second column; then it is read
    by `read_diversity_qrels`, too. Otherwise the column says nothing: there are old qrels with 0,
    Q0 or the round of pooling in it.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("51 1 a 2\\n51 2 a 0\\n51 2 b 1\\n")
    >>> grades, by_subtopic = read_any_qrels(path)
    >>> grades, by_subtopic["51"]["a"]
    ({'51': {'a': 2, 'b': 1}}, {'1': 2, '2': 0})
    >>> _ = path.write_text("51 1 a 2\\n51 2 b 1\\n")
    >>> read_any_qrels(path)
    ({'51': {'a': 2, 'b': 1}}, None)
    """
    return _highest(_judgements(path, _grade), path)


def _highest(
    judgements: Mapping[str, "_Judgements[_Number]"], path: FilePath
) -> tuple[dict[str, dict[str, _Number]], dict[str, dict[str, dict[str, _Number]]] | None]:
    if not any(rows.repeats for rows in judgements.values()):
        return {topic: rows.by_element() for topic, rows in judgements.items()}, None
    subtopics = {topic: rows.by_subtopic(topic, path) for topic, rows in judgements.items()}
    highest = {
        topic: {element: max(grades.values()) for element, grades in elements.items()}
        for topic, elements in subtopics.items()
    }
    return highest, subtopics


@dataclass(frozen=True, slots=True)
class _Judgements(Generic[_Grade]):
    """The lines of a topic, column by column."""

    elements: list[str] = field(default_factory=list)
    iterations: list[str] = field(default_factory=list)
    grades: list[_Grade] = field(default_factory=list)
    lines: "array[int]" = field(default_factory=lambda: array("q"))

    @property
    def repeats(self) -> bool:
        """Whether an element stands on several lines."""
        return len(set(self.elements)) < len(self.elements)

    def by_element(self) -> dict[str, _Grade]:
        return dict(zip(self.elements, self.grades, strict=True))

    def by_subtopic(self, topic: str, path: FilePath) -> dict[str, dict[str, _Grade]]:
        judged: dict[str, dict[str, _Grade]] = {}
        columns = self.elements, self.iterations, self.grades
        for number, (element, iteration, grade) in enumerate(zip(*columns, strict=True)):
            grades = judged.setdefault(element, {})
            if iteration in grades:
                keys = list(zip(self.elements, self.iterations, strict=True))
                raise self.repeated(topic, number, keys.index((element, iteration)), path)
            grades[iteration] = grade
        return judged

    def repeated(self, topic: str, number: int, first: int, path: FilePath) -> InputError:
        """Return the error that a line judges what another did."""
        thing = f"element judged again for topic {shown(topic)}"
        remedy = f"keep this line or line {self.lines[first]}"
        line = place(path, self.lines[number])
        return InputError(thing, self.elements[number], "be judged once", remedy=remedy, place=line)


def _judgements(
    path: FilePath, read: Callable[[str, str], _Grade]
) -> dict[str, _Judgements[_Grade]]:
    """Return the lines of each topic; `read` takes the text of a grade and its place."""
    judgements: dict[str, _Judgements[_Grade]] = {}
    known: dict[str, _Grade] = {}
    shared: dict[str, str] = {}
    for table in tables(path, _QRELS):
        elements, written = table.words(_ELEMENT), table.words(_WRITTEN)
        iterations = [shared.setdefault(text, text) for text in table.words(_ITERATION)]
        for row in sorted(map(written.index, set(written) - known.keys())):
            known[written[row]] = read(written[row], place(path, table.lines[row]))
        grades = [known[text] for text in written]
        starts = table.changes(_TOPIC)
        edges = pairwise([*starts.tolist(), len(elements)])
        for topic, (begin, end) in zip(table.words(_TOPIC, starts), edges, strict=True):
            rows = judgements.setdefault(topic, _Judgements())
            rows.elements.extend(elements[begin:end])
            rows.iterations.extend(iterations[begin:end])
            rows.grades.extend(grades[begin:end])
            rows.lines.extend(table.lines[begin:end])
    if not judgements:
        raise no_lines(path)
    return judgements


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


# The preferred element, and the other one.
Pair: TypeAlias = tuple[str, str]
# Topic -> all preferences; one that two judges have stands there twice.
Preferences = Mapping[str, tuple[Pair, ...]]

_TREC = ("topic", "judge", "group", "element", "relevance")
# trec_eval's lines, which have a column more than qrels and one less than runs.
_LINE = re.compile(rb"(?:[^ \t]+[ \t]+){4}[+-]?[0-9]*\.?[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
_ROLES = (TOPIC[0], PREFERRED[0], OTHER[0])


def read_trec_preferences(file: Opened) -> dict[str, tuple[Pair, ...]]:
    """Return the preferences of a file of trec_eval: topic, judge, group, element, relevance.

    Of two elements of a topic, judge and group that of higher relevance is preferred, and so is
    what follows from several groups of a judge. A topic may be left without any.

    Raise InputError for a relevance that is no number, and as `tables` and `checked_preferences`.
    """
    judges: dict[tuple[str, str], dict[str, list[tuple[str, float]]]] = {}
    for words in tables(file, _TREC):
        columns = [words.words(column) for column in range(len(_TREC))]
        for topic, judge, group, element, written, line in zip(*columns, words.lines, strict=True):
            if _NUMBER.fullmatch(written) is None:
                thing, rule = f"relevance of {element!r}", "be a number"
                remedy = "correct column 5"
                raise InputError(thing, written, rule, remedy=remedy, place=place(file, line))
            groups = judges.setdefault((topic, judge), {})
            groups.setdefault(group, []).append((element, float(written)))
    if not judges:
        raise no_lines(file)
    rows = [
        (topic, *pair)
        for (topic, _), groups in judges.items()
        for pair in _followed(list(map(_ordered, groups.values())))
    ]
    found = checked_preferences(rows, lambda _: place(file), place(file))
    return {topic: found.get(topic, ()) for topic, _ in judges}


def _ordered(judged: Sequence[tuple[str, float]]) -> list[Pair]:
    """Return the pairs of a group whose relevance differs."""
    return [
        (one, two) if more > less else (two, one)
        for (one, more), (two, less) in combinations(judged, 2)
        if more != less
    ]


def _followed(groups: Sequence[Sequence[Pair]]) -> list[Pair]:
    """Return the pairs of a judge, each once, with those that follow from several groups."""
    pairs = list(dict.fromkeys(pair for group in groups for pair in group))
    if len(groups) == 1:
        return pairs  # one order of elements holds all that follows
    names = list(dict.fromkeys(element for pair in pairs for element in pair))
    number = {element: at for at, element in enumerate(names)}
    above = np.zeros((len(names),) * 2, dtype=np.bool_)
    for one, two in pairs:
        above[number[one], number[two]] = True
    for middle in range(len(names)):
        above |= np.outer(above[:, middle], above[middle])
    np.fill_diagonal(above, False)  # of circles
    return [(names[one], names[two]) for one, two in np.argwhere(above).tolist()]


def are_trec_preferences(file: Opened) -> bool:
    """Return whether a file begins as trec_eval's files of preferences do."""
    return _LINE.fullmatch(file.line) is not None


def checked_preferences(
    rows: Iterable[tuple[Any, Any, Any]], where: Callable[[int], str], origin: str
) -> dict[str, tuple[Pair, ...]]:
    """Return the preferences of each topic; rows are (topic, preferred, other).

    Raise InputError for what is no id, an element preferred to itself, no preference at all;
    `where` says where a row stands.

    >>> checked_preferences([(7, "a", "b"), (7, "b", "c")], str, "")
    {'7': (('a', 'b'), ('b', 'c'))}
    """
    found: dict[str, list[Pair]] = {}
    for row, values in enumerate(rows):
        topic, preferred, other = (
            text_of(value) or id_of(value, thing, where(row))
            for thing, value in zip(_ROLES, values, strict=True)
        )
        if preferred == other:
            thing, rule = f"element preferred to {other!r}", "be another one"
            raise InputError(thing, preferred, rule, remedy="leave it out", place=where(row))
        found.setdefault(topic, []).append((preferred, other))
    if not found:
        rule, remedy = "be at least 1", "say which element is preferred to which"
        raise InputError("number of preferences", 0, rule, remedy=remedy, place=origin)
    return {topic: tuple(pairs) for topic, pairs in found.items()}


def preferences_of_pairs(
    by: Mapping[Any, Iterable[Any]], origin: str = "preferences"
) -> dict[str, tuple[Pair, ...]]:
    """Return preferences given as topic -> pairs, checked.

    Raise InputError as `checked_preferences`; for what is no pair.

    >>> preferences_of_pairs({"7": [("a", "b")]})
    {'7': (('a', 'b'),)}
    """
    rows = []
    for topic, pairs in by.items():
        for pair in pairs:
            is_pair = isinstance(pair, Sequence) and len(pair) == len(_ROLES) - 1
            if isinstance(pair, str) or not is_pair:
                rule, remedy = "be a pair", "give (preferred, other)"
                thing = f"preference of topic {topic!r}"
                raise InputError(thing, pair, rule, remedy=remedy, place=origin)
            rows.append((topic, *pair))
    return checked_preferences(rows, lambda row: f"{origin}, topic {rows[row][0]!r}", origin)


def relevance_by_preference(pairs: Sequence[Pair]) -> dict[str, float]:
    """Return relevance in [0, 1] made of preferences: the best has 1, the worst 0, others evenly.

    So Mizzaro (2001, section 5) makes preferences continuous. The level of an element is the length
    of the longest chain of preferences below it; elements that are preferred to one another in a
    circle share a level. The levels of a topic lie evenly between 0 and 1, so that relevance keeps
    every preference outside circles. In one circle alone all have 1/2.

    >>> relevance_by_preference([("a", "b"), ("b", "c"), ("a", "c")])
    {'a': 1.0, 'b': 0.5, 'c': 0.0}
    >>> relevance_by_preference([("a", "b"), ("b", "a"), ("a", "c")])
    {'a': 1.0, 'b': 1.0, 'c': 0.0}
    """
    if not pairs:
        return {}
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    number = {element: at for at, element in enumerate(dict.fromkeys(x for p in pairs for x in p))}
    upper, lower = np.array([[number[x] for x in pair] for pair in pairs]).T
    graph = csr_array((np.ones(len(pairs)), (upper, lower)), shape=(len(number),) * 2)
    count, circle = connected_components(graph, connection="strong")
    below = [set[int]() for _ in range(count)]
    for one, two in zip(circle[upper].tolist(), circle[lower].tolist(), strict=True):
        if one != two:
            below[one].add(two)
    level = _chains(below)
    top = max(level)
    return {x: level[circle[at]] / top if top else 0.5 for x, at in number.items()}


def _chains(below: Sequence[set[int]]) -> list[int]:
    """Return the length of the longest chain below each node of a graph without circles."""
    above = [list[int]() for _ in below]
    for one, others in enumerate(below):
        for two in others:
            above[two].append(one)
    waiting = [len(others) for others in below]
    level, free = [0] * len(below), [at for at, number in enumerate(waiting) if not number]
    while free:
        two = free.pop()
        for one in above[two]:
            level[one] = max(level[one], level[two] + 1)
            waiting[one] -= 1
            if not waiting[one]:
                free.append(one)
    return level
