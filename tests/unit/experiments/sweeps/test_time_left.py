"""The time that is said to be left is within a factor of two, from a tenth of the way on.

The engine runs on a clock that only jobs advance: what each costs is known.
"""

import heapq
import random
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, NamedTuple

import pytest

from prum.experiments.sweeps import engine
from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Cell, CellPart, Given, kind_of
from prum.experiments.sweeps.jobs import Job
from prum.experiments.sweeps.progress import Progress
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Workers
from prum.simulator.collections.examples import web_example

WEB, OTHER = Given(web_example()), Given(web_example())

Cost = Callable[[Job], float]


class Report(NamedTuple):
    """The shares of time and cells that had passed; seconds left, as told and in truth."""

    share: float
    cells: float
    left: float | None
    true: float


class Pretended(Workers):
    """Workers on a clock of their own: a job is done at once, and takes what `cost` says.

    The first of a kind at a worker takes `warm_up` seconds more; handing one out, `trouble`.
    """

    def __init__(
        self, cost: Cost, num_workers: int = 1, *, warm_up: float = 0.0, trouble: float = 0.0
    ) -> None:
        self.cost, self.number, self.warm_up, self.trouble = cost, num_workers, warm_up, trouble
        self.free = [(0.0, worker) for worker in range(num_workers)]
        self.seen: set[tuple[Any, int]] = set()

    @property
    def num_workers(self) -> int:
        return self.number

    @property
    def ends(self) -> float:
        return max(self.free)[0]

    def now(self) -> float:
        return self.free[0][0]

    def submit(self, _: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        (job,) = arguments
        begins, worker = self.free[0]
        kind = kind_of(job.cell)
        is_new = (kind, worker) not in self.seen
        self.seen.add((kind, worker))
        seconds = self.cost(job) + is_new * self.warm_up
        heapq.heapreplace(self.free, (begins + seconds + self.trouble, worker))
        future: Future[Any] = Future()
        part = CellPart(job.cell.key, job.first, job.count, "{}", seconds, is_new)
        future.set_result(part)
        return future

    def close(self, *, kill: bool = False) -> None:
        pass


def told(
    cells: list[Cell],
    cost: Cost,
    monkeypatch: pytest.MonkeyPatch,
    num_workers: int = 1,
    num_users: int = 1_000_000,
    **options: float,
) -> list[Report]:
    """Return what is reported."""
    workers = Pretended(cost, num_workers, **options)
    monkeypatch.setattr(engine, "Progress", partial(Progress, clock=workers.now))
    monkeypatch.setattr(engine, "_WRITE_EVERY", 0.0)
    reports: list[tuple[float, float, float | None]] = []

    def take(progress: Progress) -> None:
        share = progress.cells_done / progress.num_cells
        reports.append((workers.now(), share, progress.left))

    engine.run(cells, Store(), workers, UserBudget(num_users), progress=take)
    ends = workers.ends
    return [Report(now / ends, share, left, ends - now) for now, share, left in reports]


def wrong(reports: list[Report]) -> list[Report]:
    """Return reports that are off, from a tenth of the way to the last twentieth."""
    late = [report for report in reports if 0.1 <= report.share <= 0.95]
    assert len(late) > 10
    return [
        report
        for report in late
        if report.left is None or not report.true / 2 <= report.left <= 2 * report.true
    ]


def cell(
    estimator: str,
    ranked: int,
    ideals: int,
    name: str,
    navigation: str = "independent",
    source: Given = WEB,
) -> Cell:
    content = {
        "estimator": estimator,
        "list": name,
        "ranked": ranked,
        "ideals": ideals,
        "navigation": navigation,
        "source": id(source),
    }
    return Cell(source, f"topic of {ideals}", name, navigation, ranked, ideals, content)


def lists(
    kinds: list[tuple[str, str]], ideals: list[int], ranked: int = 100, source: Given = WEB
) -> list[Cell]:
    return [
        cell(estimator, ranked, t, f"list {number}", navigation, source)
        for number, t in enumerate(ideals)
        for estimator, navigation in kinds
    ]


FORMULAS = [("no-browsing", "none"), ("prum", "independent"), ("exact", "independent")]
SIMULATED = [("simulated", "independent"), ("simulated", "walk"), ("exact", "walk")]


def cost_of(job: Job, chance: random.Random, spread: float = 0.5) -> float:
    """Return the seconds of a job: walks are slow to simulate, exact values take time 2^t."""
    t, o = job.cell.num_ideals, job.cell.num_ranked
    noise = chance.lognormvariate(0, spread)
    match job.cell.estimator, job.cell.navigation:
        case "simulated", "walk":
            return 1e-7 * job.count * o * noise
        case "simulated", _:
            return 3e-7 * job.count * t * noise
        case "exact", "walk":
            return (1e-3 + 1e-6 * o * 2**t) * noise
    return 2e-6 * o * t * noise


@pytest.mark.parametrize("num_workers", [1, 2, 7])
def test_kinds_of_other_speeds(num_workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    cells = lists(FORMULAS + SIMULATED, [chance.randrange(2, 13) for _ in range(40)])
    reports = told(cells, partial(cost_of, chance=chance), monkeypatch, num_workers)
    assert wrong(reports) == []


def test_a_campaign_that_comes_last_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(2)
    ideals = [chance.randrange(3, 9) for _ in range(60)]
    cells = lists(FORMULAS, ideals) + lists(SIMULATED, ideals, source=OTHER)
    reports = told(cells, partial(cost_of, chance=chance), monkeypatch)
    assert wrong(reports) == []
    # What the number of cells alone would say is.
    seconds = reports[0].true / (1 - reports[0].share)
    by_cells = [
        report._replace(left=report.share * seconds * (1 / max(report.cells, 0.01) - 1))
        for report in reports
    ]
    assert len(wrong(by_cells)) > 20


@pytest.mark.parametrize("num_workers", [1, 4])
def test_exact_values_take_time_beyond_proportion(
    num_workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(3)
    ideals = [*range(4, 15)] * 30
    chance.shuffle(ideals)
    cells = lists([("prum", "walk"), ("exact", "walk")], ideals)
    reports = told(cells, partial(cost_of, chance=chance, spread=0.3), monkeypatch, num_workers)
    # In what order results of several workers are taken varies from run to run.
    assert len(wrong(reports)) <= 0.05 * len(reports)


@pytest.mark.parametrize("num_workers", [1, 3])
def test_first_calls_do_not_count(num_workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(4)
    cells = lists(FORMULAS + SIMULATED, [chance.randrange(3, 9) for _ in range(60)])
    cost = partial(cost_of, chance=chance)
    reports = told(cells, cost, monkeypatch, num_workers, 500_000, warm_up=0.4)
    assert wrong(reports) == []


def test_what_jobs_do_not_measure_passes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(5)
    cells = lists(FORMULAS, [chance.randrange(3, 9) for _ in range(200)])
    reports = told(cells, partial(cost_of, chance=chance), monkeypatch, 2, trouble=0.02)
    assert wrong(reports) == []


def test_few_large_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(6)
    cells = lists([*SIMULATED, *FORMULAS], [8])
    reports = told(cells, partial(cost_of, chance=chance), monkeypatch, 2, 100_000_000)
    assert wrong(reports) == []
