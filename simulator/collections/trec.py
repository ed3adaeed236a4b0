"""TREC runs: what systems returned, with scores; in files, each with a name of its own."""

import math
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any, Literal

import numpy as np

from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import InputError, repeated, shown
from prum.simulator.model.tied import Tie
from prum.simulator.tables.files import (
    FilePath,
    Opened,
    bare_name,
    looked_at,
    no_lines,
    place,
    readable,
)
from prum.simulator.tables.layout import numbers_of
from prum.simulator.tables.lines import LineForm, WordTable, tables
from prum.simulator.tables.names import ELEMENT, RANK, SCORE, TOPIC

# How exactly scores are read that order a list: as trec_eval 10 does, or 9 and pytrec_eval.
Precision = Literal["double", "single"]
# What is made of a list: its order, its order with ties, or elements with their scores.
ListForm = Literal["ranking", "ties", "scores"]

_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
# Lines of trec_eval, whose tag may hold blanks; and of MS MARCO, by rank.
RUN_LINES = LineForm(
    "a run",
    (("topic", "Q0", "element", "rank", "score", "tag"), ("topic", "element", "rank")),
    {"topic": TOPIC, "element": ELEMENT, "score": SCORE, "rank": RANK},
    rest=re.compile(
        rf"(?:[^ \t]+[ \t]+){{3}}{_NUMBER}[ \t]+{_NUMBER}[ \t]+(?!{_NUMBER}[ \t]).*".encode()
    ),
)
_TYPES: dict[str, Any] = {"double": np.float64, "single": np.float32}
# Of a run that is read topic by topic.
_LINES_AT_ONCE = 1 << 16
# The first ranks, of which remarks tell.
TOP = 10


class RankedLists(dict[str, Any]):
    """Topic -> list of one system, of the file `origin`.

    `merged`: topic -> places among the first ten that are ties only in single precision, if any.
    """

    def __init__(self, *given: Any, origin: str = "") -> None:
        super().__init__(*given)
        self.merged: dict[str, int] = {}
        self.origin = origin

    def add(self, topic: str, ranked: "OrderedList", takes: ListForm = "ranking") -> None:
        """Add the list of a topic; raise InputError if an element has two scores."""
        self[topic] = taken = ranked.taken(takes)
        if takes == "scores" and len(taken) < len(ranked.elements):
            thing, twice = f"element of topic {shown(topic)}", repeated(ranked.elements)
            rule, remedy = "be listed once to have one score", "drop one of its lines"
            raise InputError(thing, twice, rule, remedy=remedy, place=self.origin)
        if merged := ranked.merged:
            self.merged[topic] = merged


def read_run(
    path: FilePath,
    *,
    texts: dict[str, str] | None = None,
    takes: ListForm = "ranking",
    precision: str = "double",
) -> RankedLists:
    """Return the ranked list of each topic of a TREC run: element ids, best first.

    A line has six columns, ``topic Q0 element rank score tag``, separated by blanks or tabs; only
    the tag may hold blanks. Blank lines and those that begin with # are skipped. The order is that
    of trec_eval 10: by score, highest first; ties by element id, last first, compared as UTF-8
    bytes. The rank column must be there and is ignored. Lines of MS MARCO have three columns,
    ``topic element rank``, and go by rank. A first line may name the columns. An element that a
    topic lists twice is kept twice: a user consults it again and it leads nowhere new (trec_eval
    would refuse it). Topics keep the order in which the file first names them. Any text without
    blanks is an id, also of a part of a document, such as ``r7108/bdy[1]/sec[2]`` of `read_xml`.

    Plain or compressed by gzip, xz or bzip2, whatever the name. Runs read with the same `texts`
    share the strings of ids, which saves memory.

    `takes` says what is made of a list: a "ranking"; or "ties", a `Tie` of elements with equal
    scores, in this order, in place of an id; or "scores", element -> score, in this order. In
    "single" `precision` trec_eval 9 and pytrec_eval read scores (1.00000001 and 1.0 tie).

    Raise InputError for a line with too few columns, a score that is not a finite number, a file
    that is empty, not UTF-8 text or damaged; of scores, for an element that a topic lists twice.
    Raise OSError if the file cannot be opened or read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "my.run"
    >>> _ = path.write_text("q1 Q0 a 1 0.5 my\\nq1 Q0 c 2 0.9 my\\nq1 Q0 b 3 0.5 my\\n")
    >>> read_run(path), read_run(path, takes="ties")
    ({'q1': ('c', 'b', 'a')}, {'q1': ('c', Tie('b', 'a'))})
    """
    lists = RankedLists(origin=place(path))
    for topic, ranked in _lists(path, texts, precision):
        lists.add(topic, ranked, takes)
    return lists


class RunByTopic:
    """The lists of a TREC run in a file, read some topics at a time, so that memory stays flat.

    Iterating yields what `read_run` returns, piece by piece, where the lines of a topic stand
    together; else `ScatteredError` is raised on the way, and `whole` has the lists.
    """

    def __init__(self, file: Opened, precision: str = "double") -> None:
        self._file, self._precision, self.place = file, precision, place(file)

    def __iter__(self) -> Iterator[RankedLists]:
        piece, places = RankedLists(), 0
        for topic, ranked in _lists(self._file, None, self._precision, _LINES_AT_ONCE):
            piece.add(topic, ranked)
            places += len(ranked.elements)
            if places >= _LINES_AT_ONCE:
                yield piece
                piece, places = RankedLists(), 0
        yield piece

    def whole(self) -> RankedLists:
        """Return all lists, read from the top again."""
        return read_run(os.fspath(self._file), precision=self._precision)


class ScatteredError(Exception):
    """Lines of a topic stand behind those of others, when its list was given away."""


class OrderedList:
    """A list in order, from elements with their scores, which may come in pieces.

    Python compares texts by code point, which is the order of their UTF-8 bytes.
    """

    def __init__(self, elements: list[str], pieces: Sequence[Floats]) -> None:
        scores = np.concatenate(pieces)
        self.elements, self.scores = elements, scores
        self._edges: Sequence[int] = range(len(elements) + 1)  # where each score's begin, the end
        if bool((scores[1:] < scores[:-1]).all()):
            return
        self.elements = ranked = list(elements)
        if not bool((scores[1:] <= scores[:-1]).all()):
            order = np.argsort(-scores, kind="stable")
            self.elements = ranked = [elements[position] for position in order.tolist()]
            self.scores = scores = scores[order]
        changes = np.flatnonzero(scores[1:] != scores[:-1]) + 1
        self._edges = [0, *changes.tolist(), len(ranked)]
        for start, end in pairwise(self._edges):
            if end > start + 1:
                ranked[start:end] = sorted(ranked[start:end], reverse=True)

    def taken(self, takes: ListForm) -> Any:
        """Return the list in a form."""
        if takes == "ranking":
            return tuple(self.elements)
        if takes == "scores":
            return dict(zip(self.elements, self.scores.tolist(), strict=True))
        return tuple(
            self.elements[start] if end == start + 1 else Tie(*self.elements[start:end])
            for start, end in pairwise(self._edges)
        )

    @property
    def merged(self) -> int:
        """The number of places among the first ten that are ties only in single precision."""
        scores = self.scores[: TOP + 1]
        with np.errstate(over="ignore"):
            single = scores.astype(np.float32)
        near = (single[1:] == single[:-1]) & (scores[1:] != scores[:-1])
        if not near.any():
            return 0
        groups = np.concatenate(([0], np.cumsum(single[1:] != single[:-1])))
        return int(np.isin(groups[:TOP], groups[1:][near]).sum())


def ranked_of(scores: Mapping[str, float], precision: str = "double") -> OrderedList:
    """Return elements in the order of `read_run`.

    Raise InputError for a score that is not a finite number.

    >>> ranked_of({"a": 0.5, "c": 0.9, "b": 0.5}).taken("ties")
    ('c', Tie('b', 'a'))
    """
    largest, rule = _bounds(precision)
    for element, score in scores.items():
        try:
            is_finite = abs(score) <= largest
        except TypeError:  # A text, say.
            is_finite = False
        if not is_finite:
            raise InputError(f"score of {shown(element)}", score, rule, remedy="correct it")
    values = np.fromiter(scores.values(), np.float64, len(scores))
    return OrderedList(list(scores), [values.astype(_TYPES[precision]).astype(np.float64)])


def _bounds(precision: str) -> tuple[float, str]:
    """Return the largest number in a precision, and the rule of scores in it."""
    if precision not in _TYPES:
        rule = f"be one of {', '.join(_TYPES)}"
        raise InputError("precision", precision, rule, remedy="take single for trec_eval 9")
    rule = "be a finite number" + " in single precision" * (precision == "single")
    return float(np.finfo(_TYPES[precision]).max), rule


def _lists(
    path: FilePath,
    texts: dict[str, str] | None,
    precision: str,
    at_once: float = math.inf,
) -> Iterator[tuple[str, OrderedList]]:
    """Yield each topic with its list.

    Once there are so many lines, topics that ended are given away; raise ScatteredError if one of
    these goes on.
    """
    lists: dict[str, tuple[list[str], list[Floats]]] = {}
    gone, num_lines = set[str](), 0
    with looked_at(path) as file:
        for table in tables(file, RUN_LINES):
            elements, values = table.words("element"), _scores(table, file, precision)
            shared = elements if texts is None else list(map(texts.setdefault, elements, elements))
            starts = table.changes("topic")
            edges = pairwise([*starts.tolist(), len(elements)])
            for topic, (begin, end) in zip(table.words("topic", starts), edges, strict=True):
                if topic in gone:
                    raise ScatteredError
                ranked, scores = lists.setdefault(topic, ([], []))
                ranked += shared[begin:end]
                scores.append(values[begin:end])
            num_lines += len(elements)
            if num_lines >= at_once:
                for ended in list(lists)[:-1]:
                    gone.add(ended)
                    yield ended, OrderedList(*lists.pop(ended))
                num_lines = 0
    if not lists:
        raise no_lines(path)
    for topic in list(lists):
        yield topic, OrderedList(*lists.pop(topic))


def _scores(table: WordTable, path: FilePath, precision: str) -> Floats:
    """Return scores as finite numbers; of ranks, those below have lower ones."""
    largest, rule = _bounds(precision)
    column = "score" if "score" in table.names else "rank"
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # of what ends in no number
        try:
            values = np.fromstring(table.text(column), sep="\n")
        except (DeprecationWarning, ValueError):
            values = np.empty(0)
    if len(values) != len(table.lines):
        values = numbers_of(table.words(column))
    good = np.abs(values) <= largest
    if not good.all():
        bad = int(np.argmin(good))
        remedy = f"correct the {column} in column {table.names.index(column) + 1}"
        where = place(path, table.lines[bad])
        raise InputError(column, table.words(column)[bad], rule, remedy=remedy, place=where)
    values = values.astype(_TYPES[precision]).astype(np.float64)
    return values if column == "score" else -values


def run_files(runs: Sequence[FilePath]) -> list[str | Path]:
    """Return files of runs; a folder stands for the files in it, or below, sorted by their names.

    Those whose names begin with a dot are left out.

    Raise InputError for a folder without files, and OSError if a folder cannot be read.
    """
    files = list[str | Path]()
    for path in runs:
        if not os.path.isdir(path):
            files.append(path if isinstance(path, str) else Path(path))
            continue
        os.listdir(path)  # raises what is wrong with it
        inside = [
            os.path.join(folder, name)
            for folder, _, names in os.walk(path)
            for name in names
            if not name.startswith(".")
        ]
        if not inside:
            rule = "be at least 1 (names that begin with a dot don't count)"
            remedy = "give another folder, or files"
            raise InputError("number of files", 0, rule, remedy=remedy, place=place(path))
        files += sorted(inside)
    return files


def named_runs(runs: Sequence[FilePath]) -> Iterator[tuple[str, Opened]]:
    """Yield each run with its name: open, and to be read from the top before the next.

    Folders stand for their files, as `run_files` has them. A run is called by its file, without
    the suffix of a compressed one. Files whose names are alike then keep them whole; if these are
    alike, too, as in two folders, they are called by their paths.

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
    whole = [PurePath(path).name for path in files]
    bare = list(map(bare_name, whole))
    if (twice := repeated(map(os.path.abspath, files))) is not None:
        rule, remedy = "be given once", "leave it out the second time"
        raise InputError("run", readable(twice), rule, remedy=remedy)
    names = [
        short if bare.count(short) == 1 else name if whole.count(name) == 1 else os.fspath(path)
        for path, short, name in zip(files, bare, whole, strict=True)
    ]
    if (twice := repeated(names)) is not None:
        rule, remedy = "have a name of its own", "rename one of the files"
        raise InputError("run", readable(twice), rule, remedy=remedy)
    for path, name in zip(files, names, strict=True):
        with looked_at(path) as file:
            yield readable(name), file
