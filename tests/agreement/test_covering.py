"""Readers of chunks: long spans, what does not matter to a user, and what is refused."""

import numpy as np
import pytest
from numpy.typing import NDArray

from prum.analytic.precision.covering import covering_laws
from prum.simulator import InputError, Task, simulate
from prum.simulator.model import ChunkTable, Covering, Span
from prum.simulator.sampling.streams import BLOCK
from prum.simulator.sampling.ways.samplers import compiled
from tests.covering_tasks import REPORT, Case, covering_case
from tests.tiers import slow
from tests.twins.drawing import drawn
from tests.twins.independent import reference_users

Ints = NDArray[np.int64]


def _drawn(
    case: Case, num_users: int, *, block: int = 0, sampled: bool = True
) -> tuple[Ints, Ints]:
    task, navigation = case
    users = compiled(task, navigation).block(3, block, sampled=sampled)
    return drawn(users, [1, 129, num_users - 130], task.num_ideals)


@slow
def test_kernel_equals_its_twin_where_spans_are_long_and_in_another_block() -> None:
    """Characters share entries of the guide."""
    rows = {f"c{k}": ("report", 700 * k, 700 * k + 1000) for k in range(60)}
    spans = {"x": Span("report", 11, 30_001), "y": Span("report", 29_999, 42_900)}
    ranking = [f"c{k}" for k in np.random.default_rng(1).permutation(60)[:30].tolist()]
    links = {(f"c{k}", f"c{k + 1}"): 0.4 for k in range(59)}
    case = covering_case(ranking, spans, links, chunks=ChunkTable(rows))
    twin = reference_users(*case, num_users=150, seed=3, block=1)
    assert [x.tolist() for x in _drawn(case, 150, block=1)] == [x.tolist() for x in twin]


# --- users and lists --------------------------------------------------------------------------


def test_users_have_the_same_points_and_open_the_same_in_every_list() -> None:
    """Behind another chunk, everything is seen one rank later; by other chunks, at the same."""
    spans = {"x": Span("report", 10, 90), "y": Span("report", 40, 160)}
    links = {("first half", "second half"): 0.5, ("middle", "later"): 0.25}
    ranking = ["middle", "first half"]
    here, _ = _drawn(covering_case(ranking, spans, links), 2000, sampled=False)
    behind, _ = _drawn(covering_case(["annex", *ranking], spans, links), 2000, sampled=False)
    assert np.where(here, here + 1, 0).tolist() == behind.tolist()
    renamed = ChunkTable({f"{name}!": tuple(place) for name, *place in REPORT})  # type: ignore[misc]
    points, _ = _drawn(covering_case(ranking, spans), 2000, sampled=False)
    others, _ = _drawn(
        covering_case([f"{name}!" for name in ranking], spans, chunks=renamed), 2000, sampled=False
    )
    assert others.tolist() == points.tolist()


def test_a_chunk_is_consulted_once() -> None:
    """Its second occurrence shows nothing new and opens nothing, and counts as consulted."""
    links = {("annex", "all"): 0.5}
    once = covering_case(["annex", "later", "later"], {"x": Span("report", 0, 100)}, links)
    twice = covering_case(["annex", "later", "annex"], {"x": Span("report", 0, 100)}, links)
    assert [x.tolist() for x in _drawn(once, 500)] == [x.tolist() for x in _drawn(twice, 500)]


def test_points_are_uniform() -> None:
    """Ten chunks of one character each, in order: each shows a tenth of the users their point."""
    rows = {f"c{k}": ("report", 7 + k, 8 + k) for k in range(10)}
    case = covering_case(list(rows), {"x": Span("report", 7, 17)}, chunks=ChunkTable(rows))
    consulted, _ = _drawn(case, BLOCK)
    counts = np.bincount(consulted[:, 0], minlength=11)[1:]
    assert ((counts - BLOCK / 10) ** 2).sum() / (BLOCK / 10) < 50  # chi square, 9 degrees: 1e-7


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (Task(["all"], ["z"], 9), r"ideal is 'z', must have a span; name its span in Covering"),
        (Task(["all", "?"], ["x"], 9), r"chunk is '\?', must be in the table; write ids like"),
        (Task(["all", "x"], ["x"], 2), r"chunk is 'x', must be in the table; write ids like"),
    ],
)
def test_tasks_that_do_not_fit(task: Task, message: str) -> None:
    covering = Covering(REPORT, {"x": Span("report", 0, 9)})
    with pytest.raises(InputError, match=message):
        simulate(task, covering, num_users=10, seed=1)


def test_every_span_needs_a_chunk_behind_the_list() -> None:
    """A span may be called as a chunk; then the task itself does not see that one is missing."""
    covering = Covering(REPORT, {"all": Span("report", 0, 9)})
    rule = r"number of unranked chunks is 0, must be at least 1, one for each span; take the size"
    with pytest.raises(InputError, match=rule):
        simulate(Task(["all"], ["all"], 1), covering, num_users=10, seed=1)


def test_a_whole_span_is_first_seen_behind_either_link() -> None:
    """P = .3 at the first rank, .7 * .5 at the second."""
    links = {("annex", "all"): 0.3, ("later", "all"): 0.5}
    span = {"x": Span("report", 0, 100)}
    task, covering = covering_case(["annex", "later"], span, links, whole=True)
    ((_, change),) = covering_laws(task, covering) or []
    assert change.first == pytest.approx([0.3, 0.35])
    assert change.unseen == pytest.approx([0.35])
