"""TREC runs: what systems returned, with scores; in files, each with a name of its own."""

import math
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path, PurePath

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError, shown
from prum.simulator.model.tied import Tie
from prum.simulator.tables.files import (
    FilePath,
    Opened,
    WordTable,
    bare_name,
    looked_at,
    no_lines,
    place,
    readable,
    tables,
)

ScoreArray = NDArray[np.float32]

_RUN = ("topic", "Q0", "element", "rank", "score", "tag")
_TOPIC, _ELEMENT, _SCORE, _TAG = 0, 2, 4, 5
_LARGEST_SCORE = float(np.finfo(np.float32).max)
# Of a run that is read topic by topic.
_LINES_AT_ONCE = 1 << 16


def read_run(path: FilePath, *, texts: dict[str, str] | None = None) -> dict[str, tuple[str, ...]]:
    """Return the ranked list of each topic of a TREC run: element ids, best first.

    A line has six columns, ``topic Q0 element rank score tag``, separated by blanks or tabs; blank
    lines and those that begin with # are skipped. The order is that of trec_eval: by score, highest
    first, in single precision (1.00000001 and 1.0 tie); ties by element id, last first, compared as
    UTF-8 bytes. The rank column must be there and is ignored. An element that a topic lists twice
    is kept twice: a user consults it again and it leads nowhere new (trec_eval would refuse it).
    Topics keep the order in which the file first names them. Any text without blanks is an id, also
    of a part of a document, such as ``r7108/bdy[1]/sec[2]`` of `read_xml`.

    Plain or compressed by gzip, xz or bzip2, whatever the name. Runs read with the same `texts`
    share the strings of ids, which saves memory.

    Raises
    ------
    InputError
        for a line without six columns, a score that is not a finite number in single precision, a
        file that is empty, not UTF-8 text or compressed and damaged.
    OSError
        if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "my.run"
    >>> _ = path.write_text("q1 Q0 a 1 0.5 my\\nq1 Q0 c 2 0.9 my\\nq1 Q0 b 3 0.5 my\\n")
    >>> read_run(path)
    {'q1': ('c', 'b', 'a')}
    """
    return {topic: tuple(ranked) for topic, (ranked, _) in _lists(path, texts)}


class RunByTopic:
    """The lists of a TREC run in a file, read some topics at a time, so that memory stays flat.

    Iterating yields what `read_run` returns, piece by piece, where the lines of a topic stand
    together; else `ScatteredError` is raised on the way, and `whole` has the lists.
    """

    def __init__(self, file: Opened) -> None:
        self._file = file

    def __iter__(self) -> Iterator[dict[str, tuple[str, ...]]]:
        piece, places = dict[str, tuple[str, ...]](), 0
        for topic, (ranked, _) in _lists(self._file, None, at_once=_LINES_AT_ONCE):
            piece[topic] = tuple(ranked)
            places += len(ranked)
            if places >= _LINES_AT_ONCE:
                yield piece
                piece, places = {}, 0
        yield piece

    @property
    def place(self) -> str:
        """The file, as messages name it."""
        return place(self._file)

    def whole(self) -> dict[str, tuple[str, ...]]:
        """Return all lists, read from the top again."""
        return read_run(os.fspath(self._file))


class ScatteredError(Exception):
    """Lines of a topic stand behind those of others, when its list was given away."""


def read_tied_run(
    path: FilePath, *, texts: dict[str, str] | None = None
) -> dict[str, tuple[str | tuple[str, ...], ...]]:
    """Return the ranked list of each topic of a TREC run, with elements of equal score tied.

    As `read_run`, but elements whose scores are equal in single precision share a rank: a `Tie` of
    them, in the order of `read_run`, takes the place of an id.

    Raise InputError or OSError as `read_run`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "my.run"
    >>> _ = path.write_text("q1 Q0 a 1 0.5 my\\nq1 Q0 c 2 0.9 my\\nq1 Q0 b 3 0.5 my\\n")
    >>> read_tied_run(path)
    {'q1': ('c', Tie('b', 'a'))}
    """
    lists = _lists(path, texts)
    return {topic: _with_ties(ranked, edges) for topic, (ranked, edges) in lists}


def read_scored_run(path: FilePath) -> dict[str, dict[str, float]]:
    """Return each topic's elements with their scores, in the order of `read_run`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "my.run"
    >>> _ = path.write_text("q1 Q0 a 1 0.5 my\\nq1 Q0 c 2 0.75 my\\n")
    >>> read_scored_run(path)
    {'q1': {'c': 0.75, 'a': 0.5}}
    """
    scored: dict[str, dict[str, float]] = {}
    for table in tables(path, _RUN):
        topics, elements, values = table.words(_TOPIC), table.words(_ELEMENT), _scores(table, path)
        columns = table.lines, topics, elements, values.tolist()
        for line, topic, element, score in zip(*columns, strict=True):
            scores = scored.setdefault(topic, {})
            if element in scores:
                thing = f"element of topic {shown(topic)}"
                rule = "be listed once to have one score"
                remedy = "drop one of its lines"
                raise InputError(thing, element, rule, remedy=remedy, place=place(path, line))
            scores[element] = score
    if not scored:
        raise no_lines(path)
    return {
        topic: {element: scores[element] for element in _ranking(scores)[0]}
        for topic, scores in scored.items()
    }


def ranking_of(scores: Mapping[str, float]) -> tuple[str, ...]:
    """Return elements in the order of `read_run`.

    Raise InputError for a score that is not a finite number in single precision.

    >>> ranking_of({"a": 0.5, "c": 0.9, "b": 0.5})
    ('c', 'b', 'a')
    """
    return tuple(_ranking(scores)[0])


def tied_ranking_of(scores: Mapping[str, float]) -> tuple[str | tuple[str, ...], ...]:
    """Return elements as `read_tied_run` does, those of equal score tied.

    Raise InputError as `ranking_of`.

    >>> tied_ranking_of({"a": 1, "b": 1})
    (Tie('b', 'a'),)
    """
    return _with_ties(*_ranking(scores))


def _ranking(scores: Mapping[str, float]) -> tuple[list[str], Sequence[int]]:
    for element, score in scores.items():
        try:
            is_finite = abs(score) <= _LARGEST_SCORE
        except TypeError:  # A text, say.
            is_finite = False
        if not is_finite:
            rule = "be a finite number in single precision"
            raise InputError(f"score of {shown(element)}", score, rule, remedy="correct it")
    return _ranked(list(scores), [np.fromiter(scores.values(), np.float32, len(scores))])


def _lists(
    path: FilePath, texts: dict[str, str] | None, *, at_once: float = math.inf
) -> Iterator[tuple[str, tuple[list[str], Sequence[int]]]]:
    """Yield each topic with its elements in order, where each score's begin, and the end.

    Once there are so many lines, topics that ended are given away; raise ScatteredError if one of
    these goes on.
    """
    lists: dict[str, tuple[list[str], list[ScoreArray]]] = {}
    gone, num_lines = set[str](), 0
    for table in tables(path, _RUN):
        elements, values = table.words(_ELEMENT), _scores(table, path)
        shared = elements if texts is None else list(map(texts.setdefault, elements, elements))
        starts = table.changes(_TOPIC)
        edges = pairwise([*starts.tolist(), len(elements)])
        for topic, (begin, end) in zip(table.words(_TOPIC, starts), edges, strict=True):
            if topic in gone:
                raise ScatteredError
            ranked, scores = lists.setdefault(topic, ([], []))
            ranked += shared[begin:end]
            scores.append(values[begin:end].astype(np.float32))
        num_lines += len(elements)
        if num_lines >= at_once:
            for ended in list(lists)[:-1]:
                gone.add(ended)
                yield ended, _ranked(*lists.pop(ended))
            num_lines = 0
    if not lists:
        raise no_lines(path)
    for topic in list(lists):
        yield topic, _ranked(*lists.pop(topic))


def _scores(table: WordTable, path: FilePath) -> Floats:
    """Return scores as numbers, all finite in single precision."""
    text = table.text(_SCORE)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # of what ends in no number
        try:
            values = np.fromstring(text, sep="\n")
            if len(values) == len(table.lines) and bool((np.abs(values) <= _LARGEST_SCORE).all()):
                return values
        except (DeprecationWarning, ValueError):
            pass
    written = table.words(_SCORE)
    bad = next(number for number, text in enumerate(written) if not _is_score(text))
    rule, remedy = "be a finite number in single precision", "correct the score in column 5"
    raise InputError(
        "score", written[bad], rule, remedy=remedy, place=place(path, table.lines[bad])
    )


def _is_score(text: str) -> bool:
    try:
        return abs(float(text)) <= _LARGEST_SCORE and text.isascii() and "_" not in text
    except ValueError:
        return False


def _with_ties(ranked: list[str], edges: Sequence[int]) -> tuple[str | tuple[str, ...], ...]:
    return tuple(
        ranked[start] if end == start + 1 else Tie(*ranked[start:end])
        for start, end in pairwise(edges)
    )


def _ranked(elements: list[str], pieces: list[ScoreArray]) -> tuple[list[str], Sequence[int]]:
    """Return `elements` by score, highest first, ties by id, last first; and where scores change.

    Python compares texts by code point, which is the order of their UTF-8 bytes.
    """
    values = np.concatenate(pieces)
    if bool((values[1:] < values[:-1]).all()):
        return elements, range(len(elements) + 1)
    ranked, ordered = list(elements), values
    if not bool((values[1:] <= values[:-1]).all()):
        order = np.argsort(-values, kind="stable")
        ranked = [elements[position] for position in order.tolist()]
        ordered = values[order]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    edges = [0, *changes.tolist(), len(ranked)]
    for start, end in pairwise(edges):
        if end > start + 1:
            ranked[start:end] = sorted(ranked[start:end], reverse=True)
    return ranked, edges


# A line of a run, with its tag.
_RETRIEVED = re.compile(rb"\s*(?:[^ \t]+[ \t]+){4}[-+.0-9eE]+[ \t]+([^ \t\r\n]+)\s*")
# Standard input and other streams that are open already: their paths are no names.
_STREAMS = re.compile(r"/dev/stdin|(/dev/fd|/proc/self/fd)/\d+")


def run_files(runs: Sequence[FilePath]) -> list[str | Path]:
    """Return files of runs; a folder stands for the files in it, sorted by their names.

    One that has none but in its folders stands for those. Files whose names begin with a dot are
    left out.

    Raise InputError for a folder without files, and OSError if a folder cannot be read.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("dense", "bm25", ".hidden"):
    ...     _ = (folder / name).write_text("q1 Q0 a 1 0.5 my\\n")
    >>> [pathlib.Path(file).name for file in run_files([folder])]
    ['bm25', 'dense']
    """
    files = list[str | Path]()
    for path in runs:
        if not os.path.isdir(path):
            files.append(path if isinstance(path, str) else Path(path))
            continue
        names = sorted(name for name in os.listdir(path) if not name.startswith("."))
        inside = [os.path.join(path, name) for name in names]
        inside = [file for file in inside if not os.path.isdir(file)]
        if not inside:
            within = ((at, name) for at, _, own in os.walk(path) for name in own)
            inside = [os.path.join(*one) for one in sorted(within) if not one[1].startswith(".")]
        if not inside:
            rule = "be at least 1 (names that begin with a dot don't count)"
            remedy = "give another folder, or files"
            raise InputError("number of files", 0, rule, remedy=remedy, place=place(path))
        files += inside
    return files


def named_runs(runs: Sequence[FilePath]) -> Iterator[tuple[str, Opened]]:
    """Yield each run with its name: open, and to be read from the top before the next.

    Folders stand for their files, as `run_files` has them. A run is called by its file, without
    the suffix of a compressed one. Files whose names are alike then keep them whole; if these are
    alike, too, as in two folders, they are called by their paths. Standard input is called by its
    run tag (column 6 of the first line).

    Raise InputError if a file is given twice, or two runs have one name; as `run_files` and
    `looked_at`. Raise OSError if a file cannot be read.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("bm25", "bm25.gz", "dense.run.gz"):
    ...     _ = (folder / name).write_text("q1 Q0 a 1 0.5 my\\n")
    >>> [name for name, _ in named_runs([folder])]
    ['bm25', 'bm25.gz', 'dense.run']
    """
    files = run_files(runs)
    bare = [bare_name(PurePath(path).name) for path in files]
    whole = [PurePath(path).name for path in files]
    given, used = set[str](), dict[str, str]()
    for path in files:
        if os.path.abspath(path) in given:
            rule, remedy = "be given once", "leave it out the second time"
            raise InputError("run", readable(path), rule, remedy=remedy)
        given.add(os.path.abspath(path))
    for path, short, name in zip(files, bare, whole, strict=True):
        with looked_at(path) as file:
            tag = _tag(file) if _STREAMS.fullmatch(os.fspath(path)) else ""
            if not tag and bare.count(short) == 1:
                name = short
            elif whole.count(name) > 1:
                name = os.fspath(path)
            if (label := tag or readable(name)) in used:
                rule, remedy = "have a name of its own", "rename one of the files"
                raise InputError("run", label, rule, remedy=remedy, place=place(path))
            used[label] = ""
            yield label, file


def is_trec_run(file: Opened) -> bool:
    """Return whether a file begins as a TREC run does."""
    return _RETRIEVED.fullmatch(file.line) is not None


def _tag(file: Opened) -> str:
    """Return the run tag of the first line, or nothing if it is not that of a run."""
    line = _RETRIEVED.fullmatch(file.line)
    try:
        return "" if line is None else line[1].decode()
    except UnicodeDecodeError:  # the reader says where
        return ""
