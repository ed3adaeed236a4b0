"""The law of what chunks show of spans, against enumeration and by hand."""

from fractions import Fraction

import numpy as np
import pytest

from prum.analytic import closed_form, independent_of, prum_of, reach_matrix
from prum.analytic.precision.of_task import consulted_law
from prum.simulator.model import ChunkTable, Covering, Span, Task
from tests.oracle.covering import expected, expected_read


def small_case(random: np.random.Generator, *, links: int, whole: bool) -> tuple[Task, Covering]:
    """Draw a few overlapping chunks of one or two short documents, and spans of at most four."""
    rows = {}
    for k in range(int(random.integers(1, 6))):
        start = int(random.integers(0, 8))
        end = start + int(random.integers(1, 6))
        rows[f"c{k}"] = (f"d{random.integers(0, 2)}", start, end)
    spans = {}
    for k in range(int(random.integers(1, 4))):
        start = int(random.integers(0, 9))
        spans[f"s{k}"] = Span(
            f"d{random.integers(0, 2)}", start, start + int(random.integers(1, 5))
        )
    chunks = list(rows)
    pairs = {(random.choice(chunks).item(), random.choice(chunks).item()) for _ in range(links)}
    ways = {pair: float(random.choice([0.25, 0.5, 0.75, 1.0])) for pair in sorted(pairs)}
    covering = Covering(ChunkTable(rows), spans, links=ways, whole=whole)
    ranking = random.choice(chunks, size=random.integers(0, 6)).tolist()
    return Task(ranking, spans, covering.collection_size(len(set(ranking)))), covering


def assert_exact(task: Task, covering: Covering) -> None:
    result = closed_form(task, covering)
    assert result is not None
    leading, consulted = expected(task, covering)
    np.testing.assert_allclose(result.leading, np.array(leading, dtype=float), rtol=1e-12)
    np.testing.assert_allclose(result.consulted, np.array(consulted, dtype=float), rtol=1e-12)
    costs = covering.costs_along(task)
    by_cost = closed_form(task, covering, costs=costs)
    assert by_cost is not None
    read = expected_read(task, covering, Fraction(costs.unranked))
    np.testing.assert_allclose(by_cost.consulted, np.array(read, dtype=float), rtol=1e-12)
    law = consulted_law(task, covering)
    assert law is not None
    np.testing.assert_allclose(law.means, result.consulted, rtol=1e-12)
    laws = [law.pmf(n) for n in range(task.num_ideals)]
    squares = [float(pmf @ (np.arange(len(pmf)) - pmf @ np.arange(len(pmf))) ** 2) for pmf in laws]
    np.testing.assert_allclose(result.consulted_deviation, np.sqrt(squares), atol=1e-6)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("links", [0, 3])
def test_enumeration_of_points_and_openings_agrees(links: int, whole: bool) -> None:
    random = np.random.default_rng(19)
    for _ in range(60 if links else 100):
        assert_exact(*small_case(random, links=links, whole=whole))


def test_enumeration_sees_a_wrong_law() -> None:
    chunks = ChunkTable({"one": ("d", 0, 5), "two": ("d", 5, 10)})
    task = Task(["one", "two"], ["x"], 3)
    covering = Covering(chunks, {"x": Span("d", 0, 10)})
    _, consulted = expected(task, covering)
    assert consulted == [1.5]
    noisy = independent_of(task, covering)  # a quarter of the users draw on
    assert noisy.consulted.tolist() == [1.5 + 0.25]


def test_halves_show_all_and_copies_show_a_half() -> None:
    chunks = ChunkTable({"left": ("d", 0, 50), "right": ("d", 50, 100), "copy": ("d", 0, 50)})
    spans = {"x": Span("d", 0, 100)}
    halves = Task(["left", "right"], ["x"], 3)
    copies = Task(["left", "copy"], ["x"], 3)
    assert reach_matrix(halves, Covering(chunks, spans)).toarray().tolist() == [[0.5], [0.5]]
    assert reach_matrix(copies, Covering(chunks, spans)).toarray().tolist() == [[0.5], [0.0]]
    for task, whole, consulted in (
        (halves, False, 1.5),
        (copies, False, 0.5 * 1 + 0.5 * 3),
        (halves, True, 2),
        (copies, True, 3),
    ):
        result = closed_form(task, Covering(chunks, spans, whole=whole))
        assert result is not None
        assert result.consulted.tolist() == [consulted]


def test_reach_is_what_each_rank_alone_shows() -> None:
    chunks = ChunkTable({"one": ("d", 0, 6), "two": ("d", 4, 10), "other": ("e", 0, 9)})
    spans = {"x": Span("d", 0, 10), "y": Span("d", 5, 6), "z": Span("gone", 0, 5)}
    ways = {("one", "two"): 0.5, ("other", "one"): 0.25}
    task = Task(["other", "one", "one", "two"], spans, 10)
    share = reach_matrix(task, Covering(chunks, spans, links=ways)).toarray()
    none = [0.0, 0.0, 0.0]
    assert share.tolist() == [[0.25 * 0.6, 0.25, 0], [0.6 + 0.5 * 0.4, 1, 0], none, [0.6, 1, 0]]
    whole = reach_matrix(task, Covering(chunks, spans, links=ways, whole=True)).toarray()
    assert whole.tolist() == [[0, 0.25, 0], [0.5, 1, 0], none, [0, 1, 0]]


def test_noisy_or_is_exact_where_each_span_is_touched_by_one_chunk() -> None:
    chunks = ChunkTable({"one": ("d", 0, 6), "two": ("d", 6, 10), "three": ("e", 0, 9)})
    spans = {"x": Span("d", 2, 5), "y": Span("d", 8, 14), "z": Span("e", 3, 12)}
    task, covering = Task(["three", "one", "two"], spans, 20), Covering(chunks, spans)
    exact, noisy = closed_form(task, covering), independent_of(task, covering)
    assert exact is not None
    np.testing.assert_allclose(exact.consulted, noisy.consulted, rtol=1e-14)
    np.testing.assert_allclose(exact.leading, noisy.leading, rtol=1e-14)
    assert prum_of(task, covering).num_ideals == 3


def test_too_many_shared_openings_have_no_closed_form() -> None:
    rows = {f"c{k}": ("far", k, k + 1) for k in range(13)} | {"both": ("d", 0, 10)}
    spans = {"x": Span("d", 0, 5), "y": Span("d", 3, 9)}
    ways = {(f"c{k}", "both"): 0.125 for k in range(13)}
    covering = Covering(ChunkTable(rows), spans, links=ways)
    ranking = [f"c{k}" for k in range(13)]
    assert closed_form(Task(ranking, spans, 20), covering) is None
    assert consulted_law(Task(ranking, spans, 20), covering) is None
    few = closed_form(Task(ranking[:6], spans, 20), covering)
    assert few is not None
    # What was surely shown before is not a matter of chance.
    sure = closed_form(Task(["both", *ranking], spans, 20), covering)
    assert sure is not None
    assert sure.consulted.tolist() == [1, 1]


def test_one_opening_shows_two_spans_together_or_neither() -> None:
    chunks = ChunkTable({"entry": ("far", 0, 1), "both": ("d", 0, 10)})
    spans = {"x": Span("d", 0, 5), "y": Span("d", 3, 9)}
    task = Task(["entry"], spans, 4)
    covering = Covering(chunks, spans, links={("entry", "both"): 0.5})
    result = closed_form(task, covering)
    assert result is not None
    assert result.leading.tolist() == [1, 1.5]  # one rank for both, or two draws
    assert result.consulted.tolist() == pytest.approx([1 + 0.5 * 4 / 3, 1 + 0.5 * 2 * 4 / 3])
    assert independent_of(task, covering).leading.tolist() == [1, 0.75 + 1]
