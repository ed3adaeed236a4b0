"""What no overlap of chunks can do to measures of spans, on random lists.

A copy of a chunk, put in anywhere after it, adds nothing to what is seen at any rank and moves
what stands below it down. So E[CL(r)] stays, and coverage of k chunks, or of those within a budget,
cannot rise. Read as well is what the copy costs, a, by those still reading: P(F_i < r). If the copy
stood behind the list before, draws there cost less: with U the cost of all u elements there, k of
n spans take k / (n + 1) (U + U / u) in the mean. Without the copy it is U - a, and what is
saved is at most k / (n + 1) a (1 + 1 / u) <= a, as k <= n <= u; and these users read the copy.
So E[cost(r)] cannot fall, nor PRUM, exact or not, or Efficiency rise. In PRUM by cost what leads to
something new costs, too, and behind the list that is the mean: the chunks there must stay the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest

from prum.analytic import PrecisionRecall, closed_form, independent_of, prum_of
from prum.analytic.spans import (
    ListCoverage,
    char_precision_at,
    efficiency,
    first_touch,
    iou_at,
    list_coverage,
)
from prum.simulator.model import ChunkTable, Covering, ListCosts, Span, Task
from prum.simulator.model.costs import num_paid
from tests.tiers import slow

ROUNDING = 1e-12
NUM_CHUNKS, NUM_SPANS, LISTS_OF_TABLE = 40, 50, 50


@dataclass
class Drawn:
    """A list of chunks that overlap, in a table that has copies and halves of each chunk."""

    covering: Covering
    ranking: list[str]

    def with_list(self, ranking: list[str]) -> "Drawn":
        return Drawn(self.covering, ranking)

    @cached_property
    def task(self) -> Task:
        size = self.covering.collection_size(len(set(self.ranking)))
        return Task(self.ranking, self.covering.spans, size)

    @cached_property
    def shown(self) -> ListCoverage:
        return list_coverage(self.task, self.covering)

    @cached_property
    def costs(self) -> ListCosts:
        return self.covering.costs_along(self.task)

    def within(self, budgets: np.ndarray) -> list[float]:
        return [
            float(self.shown.coverage[num_paid(self.costs.ranked, budget)])
            for budget in budgets.tolist()
        ]

    @cached_property
    def results(self) -> list[PrecisionRecall]:
        """Exact and noisy-or PRUM; exact by characters, of which chunks behind have some."""
        same = Task(self.ranking, self.covering.spans, len(set(self.ranking)) + 100)
        costs = ListCosts(self.costs.ranked, 50, unit="characters")
        exact = closed_form(self.task, self.covering)
        by_cost = closed_form(same, self.covering, costs=costs)
        assert exact is not None
        assert by_cost is not None
        return [exact, by_cost, *(of(self.task, self.covering) for of in (independent_of, prum_of))]

    @cached_property
    def efficiency(self) -> float:
        value = efficiency(self.task, self.covering)
        assert value is not None
        return value


def drawn_lists(random: np.random.Generator, count: int) -> Iterator[Drawn]:
    for number in range(count):
        if number % LISTS_OF_TABLE == 0:
            chunks = drawn_chunks(random)
        spans = {f"s{k}": Span(*drawn_place(random, 30)) for k in range(NUM_SPANS)}
        covering = Covering(chunks, spans, whole=bool(random.random() < 0.3))
        ranked = random.permutation(NUM_CHUNKS)[: random.integers(1, 16)]
        yield Drawn(covering, [f"c{k}" for k in ranked.tolist()])


def drawn_chunks(random: np.random.Generator) -> ChunkTable:
    rows = {}
    for k in range(NUM_CHUNKS):
        document, start, end = drawn_place(random, 80)
        cut = int(random.integers(start + 1, end)) if end > start + 1 else end
        rows[f"c{k}"] = rows[f"copy of c{k}"] = document, start, end
        rows[f"left of c{k}"] = document, start, cut
        if cut < end:
            rows[f"right of c{k}"] = document, cut, end
    return ChunkTable(rows)


def drawn_place(random: np.random.Generator, longest: int) -> tuple[str, int, int]:
    start = int(random.integers(0, 200))
    return f"d{random.integers(0, 2)}", start, start + int(random.integers(1, longest))


def assert_shares(drawn: Drawn) -> None:
    shown = drawn.shown
    assert (np.diff(shown.coverage) >= 0).all()
    for k in range(1, shown.num_ranked + 1):
        values = shown.coverage[k], char_precision_at(shown, k), iou_at(shown, k)
        assert min(values) >= 0
        assert max(values) <= 1
    assert 0 <= first_touch(shown) <= 1
    assert 0 < drawn.efficiency <= 1
    for result in drawn.results:
        assert result.precision.min() > 0
        assert result.precision.max() <= 1 + ROUNDING


def assert_copies_gain_nothing(drawn: Drawn, random: np.random.Generator) -> None:
    original = int(random.integers(len(drawn.ranking)))
    place = int(random.integers(original + 1, len(drawn.ranking) + 1))
    ranking = drawn.ranking.copy()
    ranking.insert(place, f"copy of {ranking[original]}")
    copied = drawn.with_list(ranking)
    before, after = drawn.shown, copied.shown
    assert (after.coverage[:-1] <= before.coverage + ROUNDING).all()
    assert after.coverage[-1] == pytest.approx(before.coverage[-1], abs=ROUNDING)
    assert ((after.gold[:-1] > 0) <= (before.gold > 0)).all()
    assert first_touch(after) <= first_touch(before)
    budgets = np.append(before.read, after.read)
    pairs = zip(drawn.within(budgets), copied.within(budgets), strict=True)
    assert all(new <= old + ROUNDING for old, new in pairs)
    for old, new in zip(drawn.results, copied.results, strict=True):
        assert (new.precision <= old.precision * (1 + ROUNDING)).all()
    assert copied.efficiency <= drawn.efficiency * (1 + ROUNDING)


def assert_cuts_change_no_coverage(drawn: Drawn, random: np.random.Generator) -> None:
    place = int(random.integers(len(drawn.ranking)))
    halves = [f"{side} of {drawn.ranking[place]}" for side in ("left", "right")]
    known = [half for half in halves if half in drawn.covering.chunks.code]
    cut = drawn.with_list(drawn.ranking[:place] + known + drawn.ranking[place + 1 :])
    before, after = drawn.shown, cut.shown
    assert after.coverage[-1] == pytest.approx(before.coverage[-1], abs=ROUNDING)
    assert (after.gold[-1], after.union[-1]) == (before.gold[-1], before.union[-1])
    ends = before.read[1:]
    assert cut.within(ends) == pytest.approx(drawn.within(ends), abs=ROUNDING)


# 50 spans to a list: 25,000 spans that chunks overlap.
@pytest.mark.parametrize("count", [12, pytest.param(500, marks=slow)])
def test_overlap_gains_nothing(count: int) -> None:
    random = np.random.default_rng(count)
    for drawn in drawn_lists(random, count):
        assert_shares(drawn)
        assert_copies_gain_nothing(drawn, random)
        assert_cuts_change_no_coverage(drawn, random)
