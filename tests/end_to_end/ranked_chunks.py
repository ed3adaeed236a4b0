"""Texts cut into chunks and ranked by BM25, and what six ways to cut three corpora come to."""

import math
import re
from collections import Counter, defaultdict

import numpy as np

from prum.simulator.model import ChunkTable

# Size and step of chunks -> Coverage@10, exact PRUM and Efficiency, computed independently.
FIGURES = {
    (400, 400): (0.825, 0.504, 0.201),
    (400, 200): (0.866, 0.604, 0.237),
    (400, 100): (0.829, 0.588, 0.231),
    (800, 400): (0.937, 0.745, 0.184),
    (1600, 1600): (0.988, 0.806, 0.110),
    (1600, 800): (0.987, 0.858, 0.123),
}


def words(text: str) -> list[str]:
    return re.findall("[a-z0-9]+", text.lower())


class BM25:
    """k1 1.2, b .75; each word of a question counts once; ties in the order of the chunks."""

    def __init__(self, texts: list[str]) -> None:
        counts = [Counter(words(text)) for text in texts]
        lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
        self.weights = 1.2 * (1 - 0.75 + 0.75 * lengths / lengths.mean())
        self.postings = defaultdict(list)
        for number, count in enumerate(counts):
            for word, times in count.items():
                self.postings[word].append((number, times))

    def top(self, question: str, k: int) -> list[int]:
        n = len(self.weights)
        scores = np.zeros(n)
        for word in dict.fromkeys(words(question)):
            if word in self.postings:
                rows, times = np.array(self.postings[word]).T
                rarity = math.log(1 + (n - len(rows) + 0.5) / (len(rows) + 0.5))
                scores[rows] += rarity * times * 2.2 / (times + self.weights[rows])
        return np.argsort(-scores, kind="stable")[:k].tolist()


def chunked(texts: dict[str, str], size: int, step: int) -> ChunkTable:
    return ChunkTable(
        {
            f"{name} {start}": (name, start, min(start + size, len(text)))
            for name, text in texts.items()
            for start in range(0, max(1, len(text) - (size - step)), step)
        }
    )
