"""TREC files: runs (what systems returned) and qrels (what was judged)."""

import re
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from prum.simulator.collections.files import FilePath, blocks, no_lines, place
from prum.simulator.model.errors import InputError, shown, whole_number

Scores = NDArray[np.float32]

_RUN = ("topic", "Q0", "element", "rank", "score", "tag")
_QRELS = ("topic", "iteration", "element", "grade")
_LEAST_GRADE = -2
_LARGEST_SCORE = float(np.finfo(np.float32).max)
_GRADE = re.compile(rb"[+-]?[0-9]{1,18}")
# A word that stands for the end of a line.
_END = b"\1"
_BETWEEN_BLANKS = re.compile(rb"[^ \t]+")


def read_run(path: FilePath) -> dict[str, tuple[str, ...]]:
    """Return the ranked list of each topic of a TREC run: element ids, best first.

    A line has six columns, ``topic Q0 element rank score tag``, separated by blanks or tabs; blank
    lines are skipped. The order is that of trec_eval: by score, highest first, in single precision
    (1.00000001 and 1.0 tie); ties by element id, last first, compared as UTF-8 bytes. The rank
    column must be there and is ignored. An element that a topic lists twice is kept twice: a user
    consults it again and it leads nowhere new (trec_eval would refuse it). Topics come in the
    order in which the file first names them.

    Plain or gzipped, whatever the name.

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
    found: dict[bytes, tuple[list[str], list[Scores]]] = {}
    for lines, (topics, _, elements, _, written, _) in _tables(path, _RUN):
        # One text for an id, however many lists name it.
        ids = list(map(sys.intern, b"\n".join(elements).decode().split("\n")))
        values = _scores(written, lines, path)
        begin = 0
        for topic, of_topic in groupby(topics):
            end = begin + len(list(of_topic))
            ranked, scores = found.setdefault(topic, ([], []))
            ranked += ids[begin:end]
            scores.append(values[begin:end])
            begin = end
    if not found:
        raise no_lines(path)
    return {topic.decode(): _ranked(*found.pop(topic)) for topic in list(found)}


def _scores(written: Sequence[bytes], lines: Sequence[int], path: FilePath) -> Scores:
    """Return the numbers that are written, each finite in single precision."""
    try:
        values = np.fromiter(map(float, written), np.float64, len(written))
        if bool((np.abs(values) <= _LARGEST_SCORE).all()) and b"_" not in b"".join(written):
            return values.astype(np.float32)
    except ValueError:
        pass
    bad = next(number for number, text in enumerate(written) if not _is_score(text))
    raise InputError(
        "score",
        written[bad].decode(),
        "be a finite number in single precision",
        remedy="correct the score in column 5",
        place=place(path, lines[bad]),
    )


def _is_score(text: bytes) -> bool:
    try:
        return abs(float(text)) <= _LARGEST_SCORE and b"_" not in text
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
    found: dict[bytes, tuple[dict[str, int], array[int]]] = {}
    for line, (topic, _, judged, written) in _rows(path, _QRELS):
        grades, lines = found.setdefault(topic, ({}, array("q")))
        grade = int(written) if _GRADE.fullmatch(written) else None
        if grade is None or grade < _LEAST_GRADE:
            raise InputError(
                "grade",
                written.decode(),
                f"be a whole number of at least {_LEAST_GRADE}",
                remedy="correct the grade in column 4",
                place=place(path, line),
            )
        element = judged.decode()
        if element in grades:
            first = lines[list(grades).index(element)]
            raise InputError(
                f"element judged again for topic {shown(topic.decode())}",
                element,
                "be judged once",
                remedy=f"keep this line or line {first}",
                place=place(path, line),
            )
        grades[element] = grade
        lines.append(line)
    if not found:
        raise no_lines(path)
    return {topic.decode(): grades for topic, (grades, _) in found.items()}


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


def _rows(path: FilePath, names: tuple[str, ...]) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    """Yield (line number, columns) of each line that is not blank."""
    for lines, columns in _tables(path, names):
        yield from zip(lines, zip(*columns, strict=True), strict=True)


def _tables(
    path: FilePath, names: tuple[str, ...]
) -> Iterator[tuple[Sequence[int], Sequence[Sequence[bytes]]]]:
    """Yield (line numbers, columns) of the lines that are not blank, many lines at once."""
    for first_line, whole_lines in blocks(path):
        block = whole_lines.replace(b"\r\n", b"\n").removesuffix(b"\n")
        # bytes.split is fast, but also splits at control characters, which may stand in an id.
        odd = any(mark in block for mark in (b"\r", b"\v", b"\f", _END))
        columns = None if odd else _split(block, len(names))
        if columns is not None:
            yield range(first_line, first_line + len(columns[0])), columns
            continue
        lines, rows = list[int](), list[list[bytes]]()
        split = _BETWEEN_BLANKS.findall if odd else bytes.split
        for line, text in enumerate(block.split(b"\n"), start=first_line):
            row = split(text)
            if len(row) == len(names):
                lines.append(line)
                rows.append(row)
            elif row:
                raise InputError(
                    f"number of columns of {shown(text.decode())}",
                    len(row),
                    f"be {len(names)} ({' '.join(names)})",
                    remedy="separate the columns by blanks or tabs, and write none within an id",
                    place=place(path, line),
                )
        if rows:
            yield lines, list(zip(*rows, strict=True))


def _split(block: bytes, num_columns: int) -> list[list[bytes]] | None:
    """Return the columns of a block, or None unless each of its lines has as many."""
    words = block.replace(b"\n", b" " + _END + b" ").split()
    words.append(_END)
    width, num_lines = num_columns + 1, block.count(b"\n") + 1
    if len(words) != width * num_lines or words[num_columns::width].count(_END) != num_lines:
        return None
    return [words[column::width] for column in range(num_columns)]


def _ranked(elements: list[str], pieces: list[Scores]) -> tuple[str, ...]:
    """Return `elements` by score, highest first, ties by id, last first.

    Python compares texts by code point, which is the order of their UTF-8 bytes.
    """
    values = np.concatenate(pieces)
    if bool((values[1:] < values[:-1]).all()):
        return tuple(elements)
    order = np.argsort(-values, kind="stable")
    ranked = [elements[position] for position in order.tolist()]
    ordered = values[order]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    edges = np.concatenate(([0], changes, [len(ranked)]))
    for tie in np.flatnonzero(np.diff(edges) > 1):
        start, end = int(edges[tie]), int(edges[tie + 1])
        ranked[start:end] = sorted(ranked[start:end], reverse=True)
    return tuple(ranked)
