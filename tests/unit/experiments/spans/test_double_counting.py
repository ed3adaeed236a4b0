"""Cases in which tools counted text that chunks share twice: their numbers, and ours beside them.

The smallest lists with the numbers that gbrain, trulens, haystack and retrieval-benchmarker print.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import prum

MEASURES = "Coverage, Success, RR, CharPrecision, IoU, Efficiency, ExactPRUM, PRUM"
Chunk = tuple[str, int, int]


def naive_recall(hits: Sequence[str], relevant: set[str], k: int) -> float:
    """Return recall as the tools had it: every hit counts, also the same again."""
    return sum(hit in relevant for hit in hits[:k]) / len(relevant)


def naive_ndcg(hits: Sequence[str], relevant: set[str], k: int) -> float:
    """Return nDCG whose gain counts every hit, and whose ideal counts each once."""
    gain = sum(1 / math.log2(at + 2) for at, hit in enumerate(hits[:k]) if hit in relevant)
    return gain / sum(1 / math.log2(at + 2) for at in range(min(len(relevant), k)))


def pages(chunks: Sequence[Chunk]) -> list[str]:
    return [page for page, _, _ in chunks]


def scores(
    retrieved: Mapping[str, Any], gold: Mapping[str, Any], k: int = 5
) -> dict[tuple[str, str], float]:
    """Return (system, measure) -> mean, all of which lie in [0, 1]."""
    result = prum.spans.evaluate(retrieved, gold, measures=MEASURES, k=k)
    frame = result.to_frame()
    assert frame["score"].between(0, 1).all()
    means: dict[tuple[str, str], float] = (
        frame.groupby(["system", "measure"])["score"].mean().to_dict()
    )
    return means


def test_recall_of_1_43_over_seven_questions() -> None:
    """Seven questions with one page each; of three of them both overlapping chunks are hit."""
    first, second = (0, 120), (80, 200)
    retrieved: dict[str, list[Chunk]] = {
        f"q{n}": [(f"page{n}", *first), *([(f"page{n}", *second)] if n <= 3 else [])]
        for n in range(1, 8)
    }
    naive = [naive_recall(pages(hits), {f"page{q[1:]}"}, 10) for q, hits in retrieved.items()]
    assert f"{sum(naive) / 7:.2f}" == "1.43"
    mean = scores({"hybrid": retrieved}, {q: [(f"page{q[1:]}", 90, 110)] for q in retrieved}, k=10)
    assert mean["hybrid", "Coverage@10"] == 1


def test_recall_of_2_and_ndcg_of_1_63_for_a_chunk_that_comes_twice() -> None:
    a, b, x = ("a", 0, 50), ("b", 0, 50), ("x", 0, 50)
    assert naive_recall(pages([a, a, x]), {"a"}, 3) == 2
    assert naive_ndcg(pages([a, a]), {"a"}, 2) == 1.6309297535714575
    for hits in ([a, a, x], [a, a]):
        assert scores({"list": {"q": hits}}, {"q": [a]})["list", "Coverage@5"] == 1
    # Of two chunks that are needed the same comes twice: half is recalled, not all.
    assert naive_recall(pages([a, a]), {"a", "b"}, 2) == 1
    assert scores({"list": {"q": [a, a]}}, {"q": [a, b]})["list", "Coverage@5"] == 0.5
    # So it is if the copy has another id, as where a page was indexed by two sources.
    copies = [{"id": n, "doc": "a", "start": 0, "end": 50} for n in range(4)]
    assert naive_recall(["a"] * 4, {"a"}, 5) == 4
    copied = scores({"list": {"q": copies}, "plain": {"q": copies[:1]}}, {"q": [a, b]})
    assert copied["list", "Coverage@5"] == 0.5
    for measure in (
        "Coverage@5",
        "Success@5",
        "CharPrecision@5",
        "IoU@5",
        "Efficiency",
        "ExactPRUM",
    ):
        assert copied["list", measure] <= copied["plain", measure]


@pytest.mark.parametrize("length", [100, 1000])
def test_a_touch_is_not_a_hit(length: int) -> None:
    """A chunk that touches one character of an answer shows a fiftieth of it, however long."""
    mean = scores({"large": {"q": [("page", 51, 51 + length)]}}, {"q": [("page", 2, 52)]})
    assert mean["large", "Success@5"] == 1
    assert mean["large", "Coverage@5"] == pytest.approx(1 / 50)
    assert mean["large", "CharPrecision@5"] == pytest.approx(1 / length)
