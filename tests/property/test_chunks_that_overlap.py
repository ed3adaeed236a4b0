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

import numpy as np
import pytest

from prum.analytic import PrecisionRecall, closed_form, independent_of, prum_of
from prum.analytic.spans import (
    ListCoverage,
    char_precision_at,
    coverage_within,
    efficiency,
    first_touch,
    iou_at,
    list_coverage,
)
from prum.simulator.model import ChunkTable, Covering, ListCosts, Span, Task
from tests.tiers import slow

ROUNDING = 1e-12
NUM_CHUNKS, NUM_SPANS, LISTS_OF_TABLE = 40, 20, 50


@dataclass
class Drawn:
    """A list of chunks that overlap, in a table that has copies and halves of each chunk."""

    covering: Covering
    ranking: list[str]

    def task(self, ranking: list[str]) -> Task:
        size = self.covering.collection_size(len(set(ranking)))
        return Task(ranking, self.covering.spans, size)

    def shown(self, ranking: list[str]) -> ListCoverage:
        return list_coverage(self.task(ranking), self.covering)

    def within(self, ranking: list[str], budgets: np.ndarray) -> list[float]:
        task = self.task(ranking)
        shown, costs = list_coverage(task, self.covering), self.covering.costs_along(task)
        return [coverage_within(shown, costs, budget) for budget in budgets.tolist()]

    def results(self, ranking: list[str], behind: float) -> list[PrecisionRecall]:
        """Return exact and noisy-or PRUM; exact by characters, of which chunks behind have some."""
        task = self.task(ranking)
        exact = closed_form(task, self.covering)
        each = self.covering.costs_along(task).ranked
        same = Task(ranking, self.covering.spans, len(set(ranking)) + 100)
        costs = ListCosts(each, behind, unit="characters")
        by_cost = closed_form(same, self.covering, costs=costs)
        assert exact is not None
        assert by_cost is not None
        noisy = independent_of(task, self.covering), prum_of(task, self.covering)
        return [exact, by_cost, *noisy]

    def efficiency(self, ranking: list[str]) -> float:
        value = efficiency(self.task(ranking), self.covering)
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
    shown = drawn.shown(drawn.ranking)
    assert (np.diff(shown.coverage) >= 0).all()
    for k in range(1, len(drawn.ranking) + 1):
        values = shown.coverage[k], char_precision_at(shown, k), iou_at(shown, k)
        assert min(values) >= 0
        assert max(values) <= 1
    assert 0 <= first_touch(shown) <= 1
    assert 0 < drawn.efficiency(drawn.ranking) <= 1
    for result in drawn.results(drawn.ranking, 50):
        assert result.precision.min() > 0
        assert result.precision.max() <= 1 + ROUNDING


def assert_copies_gain_nothing(drawn: Drawn, random: np.random.Generator) -> None:
    original = int(random.integers(len(drawn.ranking)))
    place = int(random.integers(original + 1, len(drawn.ranking) + 1))
    copied = drawn.ranking.copy()
    copied.insert(place, f"copy of {drawn.ranking[original]}")
    before, after = drawn.shown(drawn.ranking), drawn.shown(copied)
    assert (after.coverage[:-1] <= before.coverage + ROUNDING).all()
    assert after.coverage[-1] == pytest.approx(before.coverage[-1], abs=ROUNDING)
    assert ((after.gold[:-1] > 0) <= (before.gold > 0)).all()
    assert first_touch(after) <= first_touch(before)
    budgets = np.append(before.read, after.read)
    pairs = zip(drawn.within(drawn.ranking, budgets), drawn.within(copied, budgets), strict=True)
    assert all(new <= old + ROUNDING for old, new in pairs)
    for old, new in zip(drawn.results(drawn.ranking, 50), drawn.results(copied, 50), strict=True):
        assert (new.precision <= old.precision * (1 + ROUNDING)).all()
    assert drawn.efficiency(copied) <= drawn.efficiency(drawn.ranking) * (1 + ROUNDING)


def assert_cuts_change_no_coverage(drawn: Drawn, random: np.random.Generator) -> None:
    place = int(random.integers(len(drawn.ranking)))
    halves = [f"{side} of {drawn.ranking[place]}" for side in ("left", "right")]
    known = [half for half in halves if half in drawn.covering.chunks.code]
    cut = drawn.ranking[:place] + known + drawn.ranking[place + 1 :]
    before, after = drawn.shown(drawn.ranking), drawn.shown(cut)
    assert after.coverage[-1] == pytest.approx(before.coverage[-1], abs=ROUNDING)
    assert (after.gold[-1], after.union[-1]) == (before.gold[-1], before.union[-1])
    ends = before.read[1:]
    assert drawn.within(cut, ends) == pytest.approx(drawn.within(drawn.ranking, ends), abs=ROUNDING)


def assert_names_do_not_matter(drawn: Drawn, random: np.random.Generator) -> None:
    rows = [*drawn.covering.chunks]
    random.shuffle(rows)
    name = {row[0]: f"{number}" for number, row in enumerate(rows)}
    document = {"d0": "z", "d1": "a"}
    renamed = ChunkTable({name[c]: (document[d], start, end) for c, d, start, end in rows})
    keys = random.permutation(NUM_SPANS).tolist()
    spans = {
        f"x{key}": Span(document[x.document], x.start, x.end)
        for key, x in zip(keys, drawn.covering.spans.values(), strict=True)
    }
    other = Drawn(
        Covering(renamed, spans, whole=drawn.covering.whole), [name[c] for c in drawn.ranking]
    )
    before, after = drawn.shown(drawn.ranking), other.shown(other.ranking)
    np.testing.assert_allclose(after.coverage, before.coverage, atol=ROUNDING)
    for attribute in ("gold", "union", "read", "num_gold"):
        np.testing.assert_array_equal(getattr(after, attribute), getattr(before, attribute))
    results = zip(drawn.results(drawn.ranking, 50), other.results(other.ranking, 50), strict=True)
    for old, new in results:
        np.testing.assert_allclose(new.precision, old.precision, rtol=1e-10)
    assert other.efficiency(other.ranking) == pytest.approx(drawn.efficiency(drawn.ranking))


# 20 spans to a list: 100,000 spans that chunks overlap.
@pytest.mark.parametrize("count", [20, pytest.param(5000, marks=slow)])
def test_overlap_gains_nothing(count: int) -> None:
    random = np.random.default_rng(count)
    for number, drawn in enumerate(drawn_lists(random, count)):
        assert_shares(drawn)
        assert_copies_gain_nothing(drawn, random)
        assert_cuts_change_no_coverage(drawn, random)
        if number % LISTS_OF_TABLE == 0:
            assert_names_do_not_matter(drawn, random)


def test_other_texts_do_gain() -> None:
    random = np.random.default_rng(1)
    drawn = next(drawn_lists(random, 1))
    better = drawn.ranking + [f"c{k}" for k in range(NUM_CHUNKS) if f"c{k}" not in drawn.ranking]
    assert drawn.shown(better).coverage[-1] > drawn.shown(drawn.ranking).coverage[-1]
    # A naive sum of shares rises with each copy.
    copy = ["c0", "copy of c0"]
    assert drawn.shown(copy).read[-1] == 2 * drawn.shown(copy).union[-1]
