"""TREC files: runs (what systems returned) and qrels (what was judged)."""

import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from prum.simulator.collections.files import FilePath, no_lines, place
from prum.simulator.collections.separated import rows, tables
from prum.simulator.model.assessments import Assessment, assessment_of
from prum.simulator.model.errors import InputError, shown, whole_number

Scores = NDArray[np.float32]
_Grade = TypeVar("_Grade")

_RUN = ("topic", "Q0", "element", "rank", "score", "tag")
_QRELS = ("topic", "iteration", "element", "grade")
_LEAST_GRADE = -2
_LARGEST_SCORE = float(np.finfo(np.float32).max)
_GRADE = re.compile(r"[+-]?[0-9]{1,18}")


def read_run(path: FilePath, *, texts: dict[str, str] | None = None) -> dict[str, tuple[str, ...]]:
    """Return the ranked list of each topic of a TREC run: element ids, best first.

    A line has six columns, ``topic Q0 element rank score tag``, separated by blanks or tabs; blank
    lines are skipped. The order is that of trec_eval: by score, highest first, in single precision
    (1.00000001 and 1.0 tie); ties by element id, last first, compared as UTF-8 bytes. The rank
    column must be there and is ignored. An element that a topic lists twice is kept twice: a user
    consults it again and it leads nowhere new (trec_eval would refuse it). Topics come in the
    order in which the file first names them. The element may be a part of a document, as a file and
    a path in it: any id without blanks is one, such as ``r7108/bdy[1]/sec[2]`` of `read_xml`.

    Plain or gzipped, whatever the name. Runs that are read with the same `texts` share
    their ids: one text for an id, however many lists name it.

    Raises
    ------
    InputError
        for a line without six columns, a score that is no finite number in single precision, a
        file that is empty, no UTF-8 text or a damaged gzip file.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "my.run"
    >>> _ = path.write_text("q1 Q0 a 1 0.5 my\\nq1 Q0 c 2 0.9 my\\nq1 Q0 b 3 0.5 my\\n")
    >>> read_run(path)
    {'q1': ('c', 'b', 'a')}
    """
    return {topic: tuple(ranked) for topic, (ranked, _) in _lists(path, texts)}


def read_tied_run(
    path: FilePath, *, texts: dict[str, str] | None = None
) -> dict[str, tuple[str | tuple[str, ...], ...]]:
    """Return the ranked list of each topic of a TREC run, with elements of equal score tied.

    As `read_run`, but elements whose scores are equal in single precision share a rank: a tuple of
    them, in the order of `read_run`, stands in the place of one.

    Raises
    ------
    InputError, OSError
        as `read_run`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "my.run"
    >>> _ = path.write_text("q1 Q0 a 1 0.5 my\\nq1 Q0 c 2 0.9 my\\nq1 Q0 b 3 0.5 my\\n")
    >>> read_tied_run(path)
    {'q1': ('c', ('b', 'a'))}
    """
    return {topic: _with_ties(ranked, edges) for topic, (ranked, edges) in _lists(path, texts)}


def ranking_of(
    scores: Mapping[str, float], *, tied: bool = False
) -> tuple[str | tuple[str, ...], ...]:
    """Return elements in the order of `read_run`, those of equal score tied as by `read_tied_run`.

    Raises
    ------
    InputError
        for a score that is no finite number in single precision.

    >>> ranking_of({"a": 0.5, "c": 0.9, "b": 0.5}), ranking_of({"a": 1, "b": 1}, tied=True)
    (('c', 'b', 'a'), (('b', 'a'),))
    """
    for element, score in scores.items():
        if not abs(score) <= _LARGEST_SCORE:
            raise InputError(
                f"score of {shown(element)}", score, "be a finite number in single precision",
                remedy="correct it",
            )  # fmt: skip
    values = np.fromiter(scores.values(), np.float32, len(scores))
    ranked, edges = _ranked(list(scores), [values])
    return _with_ties(ranked, edges) if tied else tuple(ranked)


def _lists(
    path: FilePath, texts: dict[str, str] | None
) -> Iterator[tuple[str, tuple[list[str], Sequence[int]]]]:
    """Yield each topic with its elements in order and where each score's begin, and the end."""
    found: dict[str, tuple[list[str], list[Scores]]] = {}
    for lines, (topics, elements, written) in tables(path, _RUN, ("topic", "element", "score")):
        shared = elements if texts is None else list(map(texts.setdefault, elements, elements))
        values = _scores(written, lines, path)
        begin = 0
        for topic, of_topic in groupby(topics):
            end = begin + len(list(of_topic))
            ranked, scores = found.setdefault(topic, ([], []))
            ranked += shared[begin:end]
            scores.append(values[begin:end])
            begin = end
    if not found:
        raise no_lines(path)
    for topic in list(found):
        yield topic, _ranked(*found.pop(topic))


def _scores(written: Sequence[str], lines: Sequence[int], path: FilePath) -> Scores:
    """Return the numbers that are written, each finite in single precision."""
    try:
        values = np.fromiter(map(float, written), np.float64, len(written))
        together = "".join(written)
        # Python reads 1_000 and other scripts' digits as numbers.
        fine = together.isascii() and "_" not in together
        if fine and bool((np.abs(values) <= _LARGEST_SCORE).all()):
            return values.astype(np.float32)
    except ValueError:
        pass
    bad = next(number for number, text in enumerate(written) if not _is_score(text))
    raise InputError(
        "score",
        written[bad],
        "be a finite number in single precision",
        remedy="correct the score in column 5",
        place=place(path, lines[bad]),
    )


def _is_score(text: str) -> bool:
    try:
        return abs(float(text)) <= _LARGEST_SCORE and text.isascii() and "_" not in text
    except ValueError:
        return False


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
        judged twice for a topic, a file that is empty, no UTF-8 text or a damaged gzip file.
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
        raise InputError(
            "grade", written, f"be a whole number of at least {_LEAST_GRADE}",
            remedy="correct the grade in column 4", place=place,
        )  # fmt: skip
    return grade


def read_assessments(path: FilePath) -> dict[str, dict[str, Assessment]]:
    """Return the assessments of each topic of a qrels file on two scales.

    As `read_qrels`, but the fourth column is written like E3S2: exhaustivity 3, specificity 2.

    Raises
    ------
    InputError
        as `read_qrels`, and for a column that is no `Assessment`.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 a E3S2\\nq1 0 b E0S0\\n")
    >>> {element: str(found) for element, found in read_assessments(path)["q1"].items()}
    {'a': 'E3S2', 'b': 'E0S0'}
    """
    return _judged(path, lambda written, place: assessment_of(written, place=place))


def _judged(path: FilePath, read: Callable[[str, str], _Grade]) -> dict[str, dict[str, _Grade]]:
    """Return what `read` makes of the fourth column and its place, by topic and element."""
    found: dict[str, tuple[dict[str, _Grade], array[int]]] = {}
    for line, (topic, _, element, written) in rows(path, _QRELS):
        grades, lines = found.setdefault(topic, ({}, array("q")))
        where = place(path, line)
        grade = read(written, where)
        if element in grades:
            raise InputError(
                f"element judged again for topic {shown(topic)}",
                element,
                "be judged once",
                remedy=f"keep this line or line {lines[list(grades).index(element)]}",
                place=where,
            )
        grades[element] = grade
        lines.append(line)
    if not found:
        raise no_lines(path)
    return {topic: grades for topic, (grades, _) in found.items()}


def ideals_of(
    qrels: Mapping[str, Mapping[str, int]], *, ideal_grade: int = 1
) -> dict[str, tuple[str, ...]]:
    """Return the ideal elements of each topic, sorted: those of grade `ideal_grade` or more.

    A topic none of whose elements is ideal has an empty tuple.

    Raises
    ------
    InputError
        if `ideal_grade` is no whole number of at least 1.

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


def _with_ties(ranked: list[str], edges: Sequence[int]) -> tuple[str | tuple[str, ...], ...]:
    return tuple(
        ranked[start] if end == start + 1 else tuple(ranked[start:end])
        for start, end in pairwise(edges)
    )


def _ranked(elements: list[str], pieces: list[Scores]) -> tuple[list[str], Sequence[int]]:
    """Return `elements` by score, highest first, ties by id, last first; and where scores change.

    Python compares texts by code point, which is the order of their UTF-8 bytes.
    """
    values = np.concatenate(pieces)
    if bool((values[1:] < values[:-1]).all()):
        return elements, range(len(elements) + 1)
    order = np.argsort(-values, kind="stable")
    ranked = [elements[position] for position in order.tolist()]
    ordered = values[order]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    edges = [0, *changes.tolist(), len(ranked)]
    for start, end in pairwise(edges):
        if end > start + 1:
            ranked[start:end] = sorted(ranked[start:end], reverse=True)
    return ranked, edges
