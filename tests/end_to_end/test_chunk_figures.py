"""Three corpora cut into chunks in six ways, ranked by BM25: figures computed independently."""

import json
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from prum.analytic import closed_form, independent_of
from prum.analytic.spans import coverage_at, efficiency, list_coverage
from prum.simulator.model import ChunkTable, Covering, Span, Task
from tests.tiers import slow

# Size and step of chunks -> naive recall (mean and largest), Coverage@10, exact and noisy-or PRUM,
# Efficiency.
FIGURES = {
    (400, 400): (1.136, 2, 0.825, 0.504, 0.392, 0.201),
    (400, 200): (1.947, 4, 0.866, 0.604, 0.567, 0.237),
    (400, 100): (3.178, 7, 0.829, 0.588, 0.584, 0.231),
    (800, 400): (2.042, 3, 0.937, 0.745, 0.742, 0.184),
    (1600, 1600): (1.072, 2, 0.988, 0.806, 0.772, 0.110),
    (1600, 800): (2.087, 3, 0.987, 0.858, 0.856, 0.123),
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


@pytest.fixture(scope="module")
def texts(shared_data: Path) -> dict[str, str]:
    folder = shared_data / "rag_spans" / "corpora"
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def gold(shared_data: Path, texts: dict[str, str]) -> dict[str, dict[str, Span]]:
    """Return the spans of each question."""
    table = pd.read_csv(shared_data / "rag_spans" / "questions_df.csv")
    table = table[table["corpus_id"].isin(texts)]
    spans = {
        row.question: {
            f"{number:02}": Span(row.corpus_id, place["start_index"], place["end_index"])
            for number, place in enumerate(json.loads(row.references))
        }
        for row in table.itertuples()
    }
    assert (len(spans), sum(map(len, spans.values()))) == (276, 452)
    return spans


def chunked(texts: dict[str, str], size: int, step: int) -> ChunkTable:
    return ChunkTable(
        {
            f"{name} {start}": (name, start, min(start + size, len(text)))
            for name, text in texts.items()
            for start in range(0, max(1, len(text) - (size - step)), step)
        }
    )


@slow
@pytest.mark.parametrize(("size", "step"), FIGURES)
def test_figures_come_out(
    texts: dict[str, str], gold: dict[str, dict[str, Span]], size: int, step: int
) -> None:
    chunks = chunked(texts, size, step)
    ranker = BM25([texts[document][start:end] for _, document, start, end in chunks])
    rows = []
    for question, spans in gold.items():
        ranking = [chunks.ids[number] for number in ranker.top(question, 10)]
        covering = Covering(chunks, spans)
        task = Task(ranking, spans, covering.collection_size(len(ranking)))
        exact, spent = closed_form(task, covering), efficiency(task, covering)
        assert exact is not None
        assert spent is not None
        coverage = coverage_at(list_coverage(task, covering), 10)
        noisy = independent_of(task, covering).average
        rows.append((naive_recall(chunks, ranking, spans), coverage, exact.average, noisy, spent))
    naive, *means = np.mean(rows, axis=0)
    values = (naive, max(row[0] for row in rows), *means)
    assert values == pytest.approx(FIGURES[size, step], abs=0.00051)


def naive_recall(chunks: ChunkTable, ranking: list[str], spans: dict[str, Span]) -> float:
    """Return chunks that hold some of a span, over spans: a span may be found several times."""
    numbers = chunks.numbers(ranking)
    documents = [chunks.documents[k] for k in chunks.document[numbers]]
    places = list(zip(documents, chunks.starts[numbers], chunks.ends[numbers], strict=True))
    touched = [
        sum(name == x.document and start < x.end and x.start < end for name, start, end in places)
        for x in spans.values()
    ]
    return float(np.mean(touched))
