"""Progress tells shares of time, and nothing before there is evidence."""

import pytest

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Cell, CellPart, Given
from prum.experiments.sweeps.progress import Progress
from prum.simulator.collections.examples import web_example

WEB = Given(web_example())


def cell(estimator: str, num_ranked: int, num_ideals: int = 2, name: str = "list") -> Cell:
    content = {"estimator": estimator, "ranked": num_ranked, "ideals": num_ideals, "name": name}
    return Cell(WEB, "web", name, "independent", num_ranked, num_ideals, content)


CELLS = [
    cell("simulated", 8),
    cell("exact", 10, 2),
    cell("exact", 10, 2, name="other"),
    cell("simulated", 8, name="other"),
]


def test_no_share_and_no_time_until_all_kinds_are_known() -> None:
    now = 0.0
    progress = Progress(
        CELLS, {each.key: [] for each in CELLS}, UserBudget(1_000).known_users, clock=lambda: now
    )
    assert (progress.share, progress.left) == (None, None)
    for half in range(2):
        now += 1.5
        progress.add(CELLS[0], CellPart(CELLS[0].key, 500 * half, 500, "", 1.5))
        assert (progress.share, progress.left) == (None, None)
    progress.finish(CELLS[0])
    now += 2
    progress.add(CELLS[1], CellPart(CELLS[1].key, 0, 0, "", 2))
    progress.finish(CELLS[1])
    assert progress.share == pytest.approx(0.5)
    assert progress.left == pytest.approx(5)
    for each in CELLS[2:]:
        progress.finish(each)
    assert progress.cells_done == progress.num_cells == len(CELLS)
    assert (progress.share, progress.left) == (1.0, 0.0)


def test_other_campaigns_tell_what_one_may_take() -> None:
    other = Cell(Given(web_example()), "web", "list", "independent", 8, 2, {"estimator": "exact"})
    cells = [cell("exact", 8), other]
    progress = Progress(cells, {each.key: [] for each in cells}, UserBudget(1).known_users)
    progress.add(cells[0], CellPart(cells[0].key, 0, 0, "", 2.0))
    progress.finish(cells[0])
    assert progress.share == pytest.approx(0.5)


def test_a_first_call_counts_while_it_is_the_only_one() -> None:
    cells = [cell("exact", 8, name=str(number)) for number in range(10)]
    progress = Progress(cells, {each.key: [] for each in cells}, UserBudget(1).known_users)
    now = progress.left
    assert now is None
    for each, took, left in ((cells[0], 5.0, 45.0), (cells[1], 0.1, 0.8), (cells[2], 0.1, 0.7)):
        progress.add(each, CellPart(each.key, 0, 0, "", took, warm_up=took > 1))
        progress.finish(each)
        shown = progress.share
        assert shown is not None
        # What is done counts as what it would take warm.
        rate = left / (10 - progress.cells_done)
        assert shown == pytest.approx(progress.cells_done * rate / (10 * rate))


def test_no_share_where_an_interval_decides_how_many_users_there_will_be() -> None:
    cells = [cell("simulated", 8), cell("simulated", 8, name="other")]
    progress = Progress(
        cells, {each.key: [] for each in cells}, UserBudget(half_width=0.01).known_users
    )
    assert progress.share is None
    for each in cells:
        progress.expect(each, 2_000)
        progress.add(each, CellPart(each.key, 0, 1_000, "", 0.5))
    assert progress.share == pytest.approx(0.5)
    progress.expect(cells[0], 1_000)
    progress.finish(cells[0])
    assert progress.share == pytest.approx(2 / 3)


def test_what_is_stored_counts_as_done() -> None:
    cells = [cell("simulated", 8), cell("exact", 10)]
    stored = {cells[0].key: [(0, 600)], cells[1].key: [(0, 0)]}
    progress = Progress(cells, stored, UserBudget(1_000).known_users)
    progress.finish(cells[1])
    progress.add(cells[0], CellPart(cells[0].key, 600, 200, "", 0.1))
    assert progress.share == pytest.approx(0.8)
