"""Measures of chunks against spans, beside sets of characters, and by hand."""

from fractions import Fraction

import numpy as np
import pytest

from prum.analytic import closed_form
from prum.analytic.spans import (
    char_precision_at,
    coverage_at,
    efficiency,
    first_touch,
    iou_at,
    list_coverage,
    touched_at,
)
from prum.simulator.model import ChunkTable, Covering, InputError, Span, Task
from prum.simulator.model.costs import num_paid

Case = tuple[Task, Covering]


def drawn_case(random: np.random.Generator) -> Case:
    """Draw up to eight chunks that overlap, and up to four spans that do."""

    def place(longest: int) -> tuple[str, int, int]:
        start = int(random.integers(0, 30))
        return f"d{random.integers(0, 2)}", start, start + int(random.integers(1, longest))

    rows = {f"c{k}": place(20) for k in range(int(random.integers(1, 9)))}
    spans = {f"s{k}": Span(*place(12)) for k in range(int(random.integers(1, 5)))}
    covering = Covering(
        ChunkTable(rows, amounts={"tokens": random.uniform(1, 9, len(rows))}), spans
    )
    ranking = random.choice(list(rows), size=random.integers(0, 10)).tolist()
    return Task(ranking, spans, covering.collection_size(len(set(ranking)))), covering


def by_sets(task: Task, covering: Covering, k: int) -> dict[str, float]:
    """Return the measures of the first k chunks by sets of characters."""
    place = {chunk: rest for chunk, *rest in covering.chunks}

    def characters(document: str, start: int, end: int) -> set[tuple[str, int]]:
        return {(document, n) for n in range(start, end)}

    spans = [characters(x.document, x.start, x.end) for x in covering.spans.values()]
    gold = set().union(*spans)
    chunks = [characters(*place[chunk]) for chunk in task.ranking[:k]]
    union = set[tuple[str, int]]().union(*chunks)
    return {
        "coverage": float(np.mean([len(span & union) / len(span) for span in spans])),
        "success": float(bool(gold & union)),
        "char precision": len(gold & union) / max(sum(map(len, chunks)), 1),
        "iou": len(gold & union) / len(gold | union),
        "touch": next((1 / n for n, chunk in enumerate(chunks, 1) if chunk & gold), 0.0),
    }


def measured(case: Case, k: int) -> dict[str, float]:
    shown = list_coverage(*case)
    return {
        "coverage": coverage_at(shown, k),
        "success": touched_at(shown, k),
        "char precision": char_precision_at(shown, k),
        "iou": iou_at(shown, k),
        "touch": first_touch(shown),
    }


def test_sets_of_characters_give_the_same() -> None:
    random = np.random.default_rng(7)
    for _ in range(300):
        case = drawn_case(random)
        for k in (1, 2, 3, 10):
            expected = by_sets(*case, k) | {"touch": by_sets(*case, 10)["touch"]}
            assert measured(case, k) == pytest.approx(expected, abs=1e-12)


def test_spans_that_overlap_count_each_and_their_characters_once() -> None:
    chunks = ChunkTable({"one": ("d", 0, 10)})
    spans = {"x": Span("d", 0, 20), "y": Span("d", 5, 15), "z": Span("gone", 0, 10)}
    shown = list_coverage(Task(["one"], spans, 4), Covering(chunks, spans))
    assert shown.coverage.tolist() == [0, pytest.approx((0.5 + 0.5 + 0) / 3)]
    assert shown.gold.tolist() == [0, 10]
    assert shown.num_gold == 30
    assert iou_at(shown, 1) == pytest.approx(10 / 30)


def test_spans_at_the_same_place_of_documents_without_chunks_are_two() -> None:
    chunks = ChunkTable({"one": ("d", 0, 10)})
    spans = {"x": Span("gone", 0, 10), "y": Span("lost", 5, 15), "z": Span("d", 0, 10)}
    case = Task(["one"], spans, 4), Covering(chunks, spans)
    shown = list_coverage(*case)
    assert shown.num_gold == 30
    assert iou_at(shown, 1) == pytest.approx(10 / 30)
    # Two are behind the list, among three chunks of 10: the second is drawn at 8 / 3 in the mean.
    assert efficiency(*case) == pytest.approx(30 / (10 + 10 * 8 / 3))


def test_an_empty_list_has_nothing() -> None:
    chunks = ChunkTable({"one": ("d", 0, 10)})
    case = Task([], ["x"], 1), Covering(chunks, {"x": Span("d", 0, 20)})
    assert set(measured(case, 5).values()) == {0.0}
    assert efficiency(*case) == 1.0  # one chunk of half the length: less than the span is read


def test_a_budget_that_is_just_spent_pays() -> None:
    for parts in ([0.1, 0.2], [0.1] * 3, [0.7, 0.1], [4.4] * 3, [1 / 3] * 9, [0.1] * 1000):
        budget = float(sum(Fraction(repr(part)) for part in parts))
        assert num_paid(parts, budget) == len(parts)
        assert num_paid(parts, budget * (1 - 1e-9)) == len(parts) - 1
        # Whole costs are exact: of large ones a missing unit counts.
        large = np.full(len(parts), 2**40)
        assert num_paid(large, len(parts) * 2**40) == len(parts)
        assert num_paid(large, len(parts) * 2**40 - 1) == len(parts) - 1


def test_efficiency_never_exceeds_one() -> None:
    # Ten pieces of one long span: half of the pieces are read in the mean, less than the span.
    chunks = ChunkTable({f"c{k}": ("d", k * 10, k * 10 + 10) for k in range(10)})
    covering = Covering(chunks, {"x": Span("d", 0, 100)})
    task = Task(chunks.ids, ["x"], 11)
    result = closed_form(task, covering, costs=covering.costs_along(task))
    assert result is not None
    assert result.consulted.tolist() == [pytest.approx(55)]
    assert efficiency(task, covering) == 1
    # Who needs all of it reads all of it.
    assert efficiency(task, Covering(chunks, covering.spans, whole=True)) == 1


def test_efficiency_in_tokens_has_to_know_those_of_the_spans() -> None:
    chunks = ChunkTable(
        {"one": ("d", 0, 100), "two": ("d", 100, 200)}, amounts={"tokens": [20, 30]}
    )
    covering = Covering(chunks, {"x": Span("d", 80, 120)})
    task = Task(["one", "two"], ["x"], 3)
    costs = covering.costs_along(task, "tokens")
    assert efficiency(task, covering, costs=costs, gold=10) == pytest.approx(10 / (20 + 15))
    with pytest.raises(InputError, match="be given where costs are tokens"):
        efficiency(task, covering, costs=costs)
    with pytest.raises(InputError, match="positive"):
        efficiency(task, covering, costs=costs, gold=0)


def test_numbers_of_chunks_start_at_one() -> None:
    chunks = ChunkTable({"one": ("d", 0, 100)})
    shown = list_coverage(Task(["one"], ["x"], 2), Covering(chunks, {"x": Span("d", 80, 120)}))
    for measure in (coverage_at, touched_at, char_precision_at, iou_at):
        with pytest.raises(InputError, match="at least 1"):
            measure(shown, 0)
