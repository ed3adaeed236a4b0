"""Progress tells shares of time, and nothing before there is evidence."""

import pytest

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Cell, Given
from prum.experiments.sweeps.parts import CellPart
from prum.experiments.sweeps.progress import Progress
from prum.simulator.collections.built_in import web_example

WEB = Given(web_example())


def cell(estimator: str, num_ranked: int, num_ideals: int = 2, name: str = "list") -> Cell:
    content = {"estimator": estimator, "ranked": num_ranked, "ideals": num_ideals, "name": name}
    return Cell(WEB, "web", name, "independent", num_ranked, num_ideals, content)


def seconds(of: Cell, users: int) -> float:
    """Return the time that a cell truly takes: exact values are slow for many ideals."""
    if of.estimator == "simulated":
        return 1e-5 * users * (of.num_ranked + of.num_ideals)
    return 1e-3 * of.num_ranked * 2**of.num_ideals


CELLS = [
    cell("simulated", 8),
    cell("exact", 10, 2),
    cell("exact", 10, 9),
    cell("simulated", 98),
    cell("exact", 5, 9),
    cell("exact", 40, 2),
]


def test_share_is_that_of_the_time_once_all_kinds_are_known() -> None:
    budget = UserBudget(1_000)
    progress = Progress(CELLS, {each.key: [] for each in CELLS}, budget.known_users)
    assert progress.share is None
    total = sum(seconds(each, 1_000) for each in CELLS)
    passed = 0.0
    for number, each in enumerate(CELLS):
        for half in range(2 if each.estimator == "simulated" else 1):
            users = 500 if each.estimator == "simulated" else 0
            took = seconds(each, users)
            progress.add(each, CellPart(each.key, 500 * half, users, "", took))
            passed += took
        progress.finish(each)
        if number < 2:
            assert progress.share is None
        else:
            assert progress.share == pytest.approx(passed / total)
    assert progress.cells_done == progress.num_cells == len(CELLS)
    assert progress.share == 1.0


def test_no_share_where_an_interval_decides_how_many_users_there_will_be() -> None:
    cells = [cell("simulated", 8), cell("simulated", 8, name="other")]
    progress = Progress(
        cells, {each.key: [] for each in cells}, UserBudget(half_width=0.01).known_users
    )
    for each in cells:
        assert progress.share is None
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
