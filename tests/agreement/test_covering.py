"""Readers of chunks: kernel and twin, naive readers, and what does not matter to a user."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from prum.analytic import PrecisionRecall, closed_form
from prum.analytic.precision.of_task import independent_of
from prum.simulator import ChunkTable, Covering, InputError, Span, Task, simulate
from prum.simulator.sampling.streams import BLOCK
from prum.simulator.sampling.ways.samplers import compiled
from tests.covering_tasks import COVERINGS, OPENED, REPORT, Case, covering_case, random_covering
from tests.judging import judge, quantities
from tests.oracle.readers import naive_readers
from tests.tiers import spread_random
from tests.twins.drawing import drawn
from tests.twins.independent import reference_users

Ints = NDArray[np.int64]

# P(any false alarm in one test of this file), whatever the seed.
FAMILY_WISE = 1e-6
CASES: dict[str, Case] = {
    **COVERINGS,
    **{f"random {k}": random_covering(np.random.default_rng([k, 40])) for k in range(40)},
}
every = pytest.mark.parametrize("name", spread_random(4, CASES))


def _drawn(
    case: Case, num_users: int, *, block: int = 0, sampled: bool = True
) -> tuple[Ints, Ints]:
    task, navigation = case
    users = compiled(task, navigation).block(3, block, sampled=sampled)
    return drawn(users, [1, 129, num_users - 130], task.num_ideals)


@every
@pytest.mark.parametrize("sampled", [True, False], ids=["sampled", "expected"])
def test_kernel_equals_its_twin(name: str, sampled: bool) -> None:
    task, navigation = CASES[name]
    users = _drawn(CASES[name], 200, sampled=sampled)
    twin = reference_users(task, navigation, num_users=200, seed=3, sampled=sampled)
    assert [column.tolist() for column in users] == [column.tolist() for column in twin]


def test_kernel_equals_its_twin_where_spans_are_long_and_in_another_block() -> None:
    """Characters share entries of the guide."""
    rows = {f"c{k}": ("report", 700 * k, 700 * k + 1000) for k in range(60)}
    spans = {"x": Span("report", 11, 30_001), "y": Span("report", 29_999, 42_900)}
    ranking = [f"c{k}" for k in np.random.default_rng(1).permutation(60)[:30].tolist()]
    links = {(f"c{k}", f"c{k + 1}"): 0.4 for k in range(59)}
    case = covering_case(ranking, spans, links, chunks=ChunkTable(rows))
    twin = reference_users(*case, num_users=150, seed=3, block=1)
    assert [x.tolist() for x in _drawn(case, 150, block=1)] == [x.tolist() for x in twin]


# --- naive readers ----------------------------------------------------------------------------


def _z(case: Case, naive: Case) -> list[float]:
    """Return z of the means of CL and C, at each r, of users of a case and naive ones."""
    simulation = simulate(*case, num_users=100_000, seed=41)
    consulted, leading = naive_readers(*naive, 2_000, np.random.default_rng(42))
    z: list[float] = []
    for theirs, mean, error in (
        (leading, simulation.leading, simulation.leading_error),
        (consulted, simulation.consulted, simulation.consulted_error),
    ):
        deviation = np.hypot(theirs.std(axis=0, ddof=1) / len(theirs) ** 0.5, error)
        difference = theirs.mean(axis=0) - mean
        same = np.abs(difference) < 1e-9
        with np.errstate(divide="ignore", invalid="ignore"):
            z += np.where(same, 0, np.abs(difference) / deviation).tolist()
    return z


def _threshold() -> float:
    count = sum(2 * task.num_ideals for task, _ in CASES.values())
    return float(norm.isf(FAMILY_WISE / 2 / count))


@every
def test_naive_readers_agree(name: str) -> None:
    assert max(_z(CASES[name], CASES[name])) < _threshold()


def _with(case: Case, **changes: object) -> Case:
    """Return a case with another covering."""
    task, old = case
    content = {"spans": old.spans, "links": old.links, "whole": old.whole, **changes}
    return task, Covering(old.chunks, **content)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("two halves", {"spans": {"x": Span("report", 0, 110)}}),
        ("overlapping gold", {"spans": {"x": Span("report", 10, 90), "y": Span("report", 60, 80)}}),
        ("opened for two spans", {"links": {("first half", "second half"): 0.6}}),
        ("opened for two spans", {"whole": True}),
        ("opened, whole", {"whole": False}),
    ],
)
def test_naive_readers_of_something_else_are_rejected(
    name: str, changes: dict[str, object]
) -> None:
    """Negative control: a span ten longer or twenty later, an opening .1 more probable."""
    assert max(_z(CASES[name], _with(CASES[name], **changes))) > _threshold()


def test_what_is_opened_shows_parts_of_two_spans_to_the_same_users() -> None:
    """Whoever opens the middle sees both spans there, or none of them: CL(2) = 1."""
    spans = {"x": Span("report", 30, 40), "y": Span("report", 50, 60)}
    task, covering = covering_case(["annex"], spans, {("annex", "middle"): 0.5}, more=1000)
    consulted, leading = _drawn((task, covering), 1000)
    assert set(zip(consulted[:, 0].tolist(), leading[:, 1].tolist(), strict=True)) >= {(1, 1)}
    assert ((consulted[:, 1] == 1) == (consulted[:, 0] == 1)).all()


# --- users and lists --------------------------------------------------------------------------


def test_results_do_not_depend_on_threads_or_parts() -> None:
    case = COVERINGS["opened for two spans"]
    whole = simulate(*case, num_users=3 * BLOCK + 5, seed=5, threads=1)
    assert simulate(*case, num_users=3 * BLOCK + 5, seed=5, threads=3) == whole
    first = simulate(*case, num_users=BLOCK + 1, seed=5)
    rest = simulate(*case, num_users=2 * BLOCK + 4, seed=5, first_user=BLOCK + 1)
    assert first + rest == whole
    assert simulate(*case, num_users=3 * BLOCK + 5, seed=6) != whole


def test_user_4711_alone() -> None:
    case = COVERINGS["opened for two spans"]
    consulted, leading = _drawn(case, 5000)
    alone = simulate(*case, num_users=1, first_user=4711, seed=3)
    assert alone.consulted.tolist() == consulted[4711].tolist()
    assert alone.leading.tolist() == leading[4711].tolist()


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


# --- closed form ------------------------------------------------------------------------------


def _judged(case: Case, exact: PrecisionRecall | None, *, num_users: int = 200_000) -> set[str]:
    simulation = simulate(*case, num_users=num_users, seed=43)
    (judged,), _ = judge([quantities(exact, simulation)], FAMILY_WISE)
    return set(judged.verdicts)


def test_users_agree_with_the_closed_form() -> None:
    """E[CL] and E[C] of all cases at every r under one family-wise level."""
    cases = [
        quantities(closed_form(*case), simulate(*case, num_users=50_000, seed=43))
        for case in CASES.values()
    ]
    judged, num_tested = judge(cases, FAMILY_WISE)
    verdicts = {name: set(one.verdicts) for name, one in zip(CASES, judged, strict=True)}
    assert {name: seen for name, seen in verdicts.items() if "disagrees" in seen} == {}
    assert num_tested > 0.9 * sum(3 * task.num_ideals for task, _ in CASES.values())


def test_expected_draws_agree_with_the_closed_form() -> None:
    z = []
    for case in COVERINGS.values():
        truth = closed_form(*case)
        assert truth is not None
        simulation = simulate(*case, num_users=50_000, seed=44, unranked="expected")
        for quantity in ("leading", "consulted"):
            error = getattr(simulation, f"{quantity}_error")
            difference = getattr(simulation, quantity) - getattr(truth, quantity)
            assert difference[error == 0] == pytest.approx(0, abs=2.0**-20)
            z += (difference[error > 0] / error[error > 0]).tolist()
    assert np.abs(z).max() < norm.isf(FAMILY_WISE / 2 / len(z))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("two halves", {"spans": {"x": Span("report", 1, 101)}}),
        ("opened for two spans", {"links": {**OPENED, ("annex", "middle"): 0.32}}),
        ("opened, whole", {"links": {**OPENED, ("annex", "middle"): 0.32}}),
        ("whole", {"whole": False}),
    ],
)
def test_the_closed_form_of_something_else_is_rejected(
    name: str, changes: dict[str, object]
) -> None:
    """Negative control: a span one character later, an opening .02 more probable, another need."""
    assert _judged(CASES[name], closed_form(*CASES[name])) == {"agrees"}
    assert "disagrees" in _judged(CASES[name], closed_form(*_with(CASES[name], **changes)))


@pytest.mark.parametrize("name", ["two halves", "whole", "opened, whole", "opened for two spans"])
def test_noisy_or_in_place_of_the_union_is_rejected(name: str) -> None:
    """Negative control: chunks that miss a span independently of each other."""
    assert "disagrees" in _judged(CASES[name], independent_of(*CASES[name]))
