"""Texts cut into chunks of one size, and two retrievers of such chunks: BM25 and TF-IDF."""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from prum.simulator.model import ChunkTable
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.chunk_table import TOKENS

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
