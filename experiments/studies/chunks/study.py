"""Study: which chunks to cut, by what users read of them, and two retrievers of each.

Questions. Do noisy-or and the exact precision of chunks that show spans of text differ between
chunkers; how does the order of chunkers change with what is counted: chunks, characters, tokens;
what does a chunk's size cost a reader with a budget of tokens; which of two retrievers is better?

Design. Each text is cut into chunks of `size` characters that begin every `step` characters. Two
retrievers rank them for each question: BM25 (k1 = 1.2, b = .75) and the cosine of TF-IDF, both over
words of letters a to z and digits. Users read the first `depth` chunks, then the others in random
order. Each gold span of a question is an ideal; a user needs a point of it, and any text that was
read shows what it covers, once. Tokens are not counted by a tokenizer: 4/3 for each word between
blanks.

For each retriever, chunker and unit, means over questions with 95 % intervals (Student's t): the
exact precision, averaged over r = 1 .. t; what it would be if the misses of chunks multiplied
(noisy-or), less the exact value; and what is read until all spans are seen. Beside them, whatever
the unit: the share of the spans that the first `depth` chunks cover, that the longest prefix of the
list within the budget covers, and the length of all spans over the characters read until all are
seen. Chunkers are compared in pairs on the same questions, by each criterion all pairs at once
(studentised bootstrap, family-wise 95 %): the places that a chunker can have. The two retrievers
are compared for each chunker, all chunkers at once.

Cost. The seven chunkers, 276 questions: under a minute.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np

from prum.experiments.frame.design import Design, Option
from prum.experiments.frame.study import Advance, counted
from prum.experiments.statistics.intervals import mean_interval
from prum.simulator.model import ChunkTable, Covering, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.chunk_table import CHARACTERS, TOKENS
from prum.simulator.model.errors import InputError

CHUNKS = "chunks"
UNITS = (CHUNKS, CHARACTERS, TOKENS)
_CHUNKER = re.compile(r"([1-9][0-9]{0,8})/([1-9][0-9]{0,8})")
_SEVEN = ("400/400", "400/200", "400/100", "800/800", "800/400", "1600/1600", "1600/800")


class ChunksDesign(Design):
    """Options of the study of chunkers."""

    texts: Annotated[str, Option("Folder of texts, or a table of them.", file="input")]
    spans: Annotated[str, Option("Gold spans of questions, with their words.", file="input")]
    chunkers: Annotated[
        tuple[str, ...],
        Option(
            "Characters of a chunk, and from one's start to the next's.",
            metavar="SIZE/STEP",
            singular="chunker",
            remedy="write 400/200",
        ),
    ] = _SEVEN
    depth: Annotated[
        int, Option("Chunks of a list.", metavar="K", least=1, most=10_000, remedy="give a number")
    ] = 10
    budget: Annotated[
        int,
        Option(
            "Tokens that a reader with a budget reads.",
            metavar="B",
            least=1,
            most=1_000_000_000,
            remedy="give a number of tokens",
        ),
    ] = 2_000

    def sizes(self) -> list[tuple[int, int]]:
        """Return size and step of each chunker.

        Raise InputError for one that is not written so, or whose step is longer than its size.
        """
        sizes = []
        for chunker in self.chunkers:
            written = _CHUNKER.fullmatch(chunker)
            size, step = (int(written[1]), int(written[2])) if written else (0, 1)
            if size < step:
                rule = "be a size and a step that is not longer, SIZE/STEP"
                raise InputError("chunker", chunker, rule, remedy="write 400/200")
            sizes.append((size, step))
        return sizes


@dataclass(frozen=True, slots=True)
class ChunksRow:
    """What a retriever makes of a chunker's chunks, in a unit.

    `precision` is exact, averaged over r and questions; `noisy_or` the same of noisy-or, and
    `error` their difference. `read` is what is read until all spans are seen. Whatever the unit,
    `coverage` is that of the first chunks, `budgeted` that of the longest prefix within the budget
    of tokens, and `efficiency` the characters of the spans over those read.
    """

    retriever: str
    chunker: str
    unit: str
    chunks: int
    questions: int
    precision: float
    precision_low: float
    precision_high: float
    noisy_or: float
    error: float
    error_low: float
    error_high: float
    read: float
    read_low: float
    read_high: float
    coverage: float
    coverage_low: float
    coverage_high: float
    budgeted: float
    budgeted_low: float
    budgeted_high: float
    efficiency: float
    efficiency_low: float
    efficiency_high: float


@dataclass(frozen=True, slots=True)
class ChunkerOrder:
    """Chunkers by a criterion, best first, and the places that each can have."""

    retriever: str
    criterion: str
    chunkers: tuple[str, ...]
    means: tuple[float, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RetrieverDifference:
    """BM25 less TF-IDF by a criterion, on the same chunks; intervals of all chunkers at once."""

    criterion: str
    chunker: str
    difference: float
    low: float
    high: float
    adjusted: float


@dataclass(frozen=True, slots=True)
class ChunksFindings:
    """The orders of chunkers, and the two retrievers beside each other."""

    orders: tuple[ChunkerOrder, ...]
    duels: tuple[RetrieverDifference, ...]
    num_texts: int
    num_spans: int


# Values of each question, by criterion.
_Values = Mapping[str, Floats]


def compute(design: ChunksDesign, progress: Advance) -> tuple[list[ChunksRow], ChunksFindings]:
    """Return what each retriever makes of each chunker, and orders."""
    from prum.simulator.collections import read_gold, read_texts

    sizes = design.sizes()
    texts = read_texts(design.texts)
    gold = read_gold(design.spans, texts)
    for question in gold.spans:
        if question not in gold.questions:
            thing, rule = f"words of question {question!r}", "be given, for retrievers to rank by"
            remedy = "add a column question"
            raise InputError(thing, None, rule, remedy=remedy, place=design.spans)
    values: dict[tuple[str, str], _Values] = {}
    num_chunks: dict[str, int] = {}
    tell = counted(progress, len(sizes) * len(RETRIEVERS) * len(gold.spans))
    for chunker, (size, step) in zip(design.chunkers, sizes, strict=True):
        table = chunks_of(texts, size, step)
        index = Index([texts[name][start:end] for _, name, start, end in table])
        for retriever, score in RETRIEVERS.items():
            each: list[dict[str, float]] = []
            for question, spans in gold.spans.items():
                ranked = best(score(index, gold.questions[question])).tolist()
                ids = [table.ids[k] for k in ranked]
                each.append(_of_question(Covering(table, spans), ids, design))
                tell()
            values[retriever, chunker] = {
                name: np.array([by[name] for by in each]) for name in each[0]
            }
        num_chunks[chunker] = len(table)
    rows = [
        row
        for retriever in RETRIEVERS
        for chunker in design.chunkers
        for row in _rows(retriever, chunker, num_chunks[chunker], values[retriever, chunker])
    ]
    num_spans = sum(map(len, gold.spans.values()))
    return rows, ChunksFindings(*_compared(design.chunkers, values), len(texts), num_spans)


def _of_question(
    covering: Covering, ranked: Sequence[str], design: ChunksDesign
) -> dict[str, float]:
    """Return the values of a question, by criterion and unit."""
    from prum.analytic import closed_form, independent_of
    from prum.analytic.spans import coverage_at, coverage_within, efficiency, list_coverage

    listed = ranked[: design.depth]
    task = Task(listed, covering.spans, covering.collection_size(len(listed)))
    values: dict[str, float] = {}
    for unit in UNITS:
        costs = None if unit == CHUNKS else covering.costs_along(task, unit)
        exact = closed_form(task, covering, costs=costs)
        if exact is None:
            raise AssertionError("without openings there is a closed form")
        values[f"precision, {unit}"] = exact.average
        values[f"noisy-or, {unit}"] = independent_of(task, covering, costs=costs).average
        values[f"read, {unit}"] = float(exact.consulted[-1])
    every = Task(ranked, covering.spans, covering.collection_size(len(ranked)))
    shown, tokens = list_coverage(every, covering), covering.costs_along(every, TOKENS)
    values["coverage"] = coverage_at(shown, design.depth)
    values["budgeted"] = coverage_within(shown, tokens, design.budget)
    values["efficiency"] = float(efficiency(task, covering) or 0)
    return values


def _rows(retriever: str, chunker: str, num_chunks: int, values: _Values) -> list[ChunksRow]:
    return [
        ChunksRow(
            retriever,
            chunker,
            unit,
            num_chunks,
            len(values["coverage"]),
            *mean_interval(values[f"precision, {unit}"]),
            float(values[f"noisy-or, {unit}"].mean()),
            *mean_interval(values[f"noisy-or, {unit}"] - values[f"precision, {unit}"]),
            *mean_interval(values[f"read, {unit}"]),
            *mean_interval(values["coverage"]),
            *mean_interval(values["budgeted"]),
            *mean_interval(values["efficiency"]),
        )
        for unit in UNITS
    ]


# Criterion -> (values of a question, 1 if more is better and -1 if less is).
CRITERIA: Mapping[str, tuple[str, int]] = {
    "precision": (f"precision, {CHUNKS}", 1),
    "coverage": ("coverage", 1),
    "within budget": ("budgeted", 1),
    "efficiency": ("efficiency", 1),
    "chunks read": (f"read, {CHUNKS}", -1),
    "characters read": (f"read, {CHARACTERS}", -1),
    "tokens read": (f"read, {TOKENS}", -1),
}


def _compared(
    chunkers: Sequence[str], values: Mapping[tuple[str, str], _Values]
) -> tuple[tuple[ChunkerOrder, ...], tuple[RetrieverDifference, ...]]:
    """Return the orders of chunkers by each criterion, and the retrievers in pairs."""
    from prum.experiments.statistics.simultaneous import compared, places

    number, orders, duels = len(chunkers), list[ChunkerOrder](), list[RetrieverDifference]()
    pairs = np.array(list(combinations(range(number), 2)), dtype=np.int64).reshape(-1, 2)
    for criterion, (name, sign) in CRITERIA.items():
        stacked = [
            np.stack([values[retriever, chunker][name] for chunker in chunkers])
            for retriever in RETRIEVERS
        ]
        for retriever, scores in zip(RETRIEVERS, stacked, strict=True):
            first, last = places(number, pairs, compared(sign * scores, pairs))
            means = scores.mean(axis=1)
            order = np.argsort(-sign * means, kind="stable")
            placed = (column[order].tolist() for column in (np.array(chunkers), means, first, last))
            orders.append(ChunkerOrder(retriever, criterion, *map(tuple, placed)))
        own = np.array([(k, number + k) for k in range(number)])
        pair = compared(np.concatenate(stacked), own)
        columns = pair.difference, pair.low, pair.high, pair.adjusted
        duels += [
            RetrieverDifference(criterion, chunker, *(float(column[k]) for column in columns))
            for k, chunker in enumerate(chunkers)
        ]
    return tuple(orders), tuple(duels)


_WORD = re.compile(r"[a-z0-9]+")
_BLANKS = re.compile(r"\S+")
# As many tokens as a word has, in English and with today's tokenizers.
TOKENS_PER_WORD = 4 / 3
_K1, _B = 1.2, 0.75


def chunks_of(texts: Mapping[str, str], size: int, step: int) -> ChunkTable:
    """Return chunks of `size` characters that begin every `step` characters.

    They begin at 0, step, 2 step ... below max(1, length - (size - step)), and end where the text
    does. Reading one costs characters, and tokens: 4/3 for each word, blanks being between words.

    >>> [row[2:] for row in chunks_of({"text": "a few words in a row"}, 10, 5)]
    [(0, 10), (5, 15), (10, 20)]
    """
    rows = [
        (name, start, min(start + size, len(text)))
        for name, text in texts.items()
        for start in range(0, max(1, len(text) - (size - step)), step)
        if text
    ]
    words = [len(_BLANKS.findall(texts[name][start:end])) for name, start, end in rows]
    names, starts, ends = zip(*rows, strict=True)
    return ChunkTable.from_columns(
        [f"{name}:{start}-{end}" for name, start, end in rows],
        names,
        starts,
        ends,
        amounts={TOKENS: np.maximum(words, 1) * TOKENS_PER_WORD},
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


class Index:
    """Texts by their words: `bm25` and `tfidf` give what each text is worth to a question."""

    def __init__(self, texts: Sequence[str]) -> None:
        from scipy.sparse import csc_array

        self._number: dict[str, int] = {}
        texts_of, words = list[int](), list[int]()
        for at, text in enumerate(texts):
            numbers = [self._number.setdefault(word, len(self._number)) for word in _words(text)]
            words += numbers
            texts_of += [at] * len(numbers)
        shape = len(texts), max(len(self._number), 1)
        counts = csc_array((np.ones(len(words)), (texts_of, words)), shape=shape)
        counts.sum_duplicates()
        self._counts = counts
        lengths: Floats = np.asarray(counts.sum(axis=1)).ravel()
        num = len(texts)
        document_frequency = np.diff(counts.indptr)
        inverse = np.log(1 + (num - document_frequency + 0.5) / (document_frequency + 0.5))
        weight = np.repeat(inverse, document_frequency)
        norm = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1e-300))
        rows = counts.indices
        self._bm25 = counts.copy()
        self._bm25.data = weight * counts.data * (_K1 + 1) / (counts.data + norm[rows])
        self._inverse = np.log((1 + num) / (1 + document_frequency)) + 1
        self._tfidf = counts.copy()
        self._tfidf.data = counts.data * np.repeat(self._inverse, document_frequency)
        square = np.bincount(rows, self._tfidf.data**2, minlength=num)
        self._tfidf.data = self._tfidf.data / np.sqrt(square[rows])

    def bm25(self, question: str) -> Floats:
        """Return the score of each text by BM25, k1 = 1.2, b = .75; shape (n,)."""
        return np.asarray(self._bm25 @ self._asked(question))

    def tfidf(self, question: str) -> Floats:
        """Return the cosine of each text and the question, tf (log((1 + n) / (1 + df)) + 1)."""
        asked = self._asked(question) * self._inverse
        length = float(np.sqrt((asked**2).sum()))
        return np.asarray(self._tfidf @ (asked / length if length else asked))

    def _asked(self, question: str) -> Floats:
        """Return 1 for each word of the question, however often it asks for it."""
        asked = np.zeros(self._counts.shape[1])
        asked[[self._number[word] for word in set(_words(question)) if word in self._number]] = 1
        return asked


def best(scores: Floats) -> Ints:
    """Return the numbers of texts, best first; ties in the order of the texts.

    >>> best(np.array([0.5, 2.0, 0.5])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-scores, kind="stable")


RETRIEVERS: Mapping[str, Callable[[Index, str], Floats]] = {
    "BM25": Index.bm25,
    "TF-IDF": Index.tfidf,
}
