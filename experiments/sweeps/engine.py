"""The engine: computes the cells of a grid that a store lacks, each with its budget of users.

One coordinator hands out jobs and writes their results. A job is done when its result is in the
store; otherwise the next run hands it out again.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from prum.experiments.sweeps.cells import Cell, CellPart, UsersOfPart, missing
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import AHEAD, Workers
from prum.simulator.sampling.sampler import next_look
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.sampling.streams import BLOCK
from prum.simulator.tables.files import readable

# Numbers that a part's users need, about: a tenth of a second's work, to lose or to hand out.
_PART_NUMBERS = 1 << 24
_PART_BLOCKS = 64
# Seconds for which results wait for others, because writing waits for the disk.
_WRITE_EVERY = 0.05
# Small jobs go together, for about so many seconds and at most so many: a cluster takes some
# milliseconds to hand out one.
_TOGETHER, _MOST_TOGETHER = 0.1, 64


@dataclass(frozen=True, slots=True)
class UserBudget:
    """Users of each simulated cell: a number, or as many as a narrow interval needs.

    Parameters
    ----------
    num_users
        Users of each cell: a number, or a function of the cell.
    half_width, confidence, max_users
        Instead of `num_users`: users until precision's interval has this half-width or less at
        each recall value, or until there are `max_users`. As in `prum.simulator.simulate`.
    whole
        Simulate each cell's users at once, not in parts.
    """

    num_users: int | Callable[[Cell], int] | None = None
    half_width: float | None = None
    confidence: float = 0.95
    max_users: int = 100_000_000
    whole: bool = False

    def missing(
        self, cell: Cell, parts: Sequence[UsersOfPart], result: Callable[[], Any]
    ) -> list[UsersOfPart]:
        """Return the users to be simulated next; none if the cell is done. A formula is (0, 0).

        `parts` are those of the cell so far, `result` adds them up.
        """
        if cell.estimator != "simulated":
            return [] if parts else [(0, 0)]
        users = self.num_users(cell) if callable(self.num_users) else self.num_users
        if users is not None:
            gaps = missing(parts, (0, users))
            return gaps if self.whole else _cut(cell, gaps)
        gaps = missing(parts, (0, self.max_users))
        done = gaps[0][0] if gaps else self.max_users
        look = next_look(done, self.max_users)
        if look is None:
            return []
        needed = missing(parts, (0, look))
        # Only a look decides, and one already passed does not: so it does not matter where an
        # earlier run was cut off.
        looks = done > 0 and done == next_look(done - 1, self.max_users)
        if looks and needed == [(gaps[0][0], look - done)] and self.is_met(result()):
            return []
        return needed if self.whole else _cut(cell, needed)

    def is_met(self, simulation: Simulation) -> bool:
        """Return whether the half-width that was asked for, if any, is reached."""
        if self.half_width is None:
            return False
        recall = range(1, simulation.num_ideals + 1)
        return simulation.widest(recall, self.confidence) <= self.half_width

    def stopped(self, simulation: Simulation) -> str:
        """Return why a finished simulation has the users it has: users, half-width, or budget."""
        if self.half_width is None:
            return "users"
        return "half-width" if self.is_met(simulation) else "budget"


def _cut(cell: Cell, gaps: list[UsersOfPart]) -> list[UsersOfPart]:
    """Return the same users in parts of a tenth of a second or so, cut at fixed places."""
    # A formula's user needs a number for each ideal; a walker some for each rank.
    numbers = cell.num_ideals if cell.navigation == "independent" else 4 * cell.num_ranked
    blocks = max(1, min(_PART_BLOCKS, _PART_NUMBERS // (max(numbers, 1) * BLOCK)))
    size = blocks * BLOCK
    pieces = []
    for first, count in gaps:
        edges = [first, *range((first // size + 1) * size, first + count, size), first + count]
        pieces += [(begin, end - begin) for begin, end in pairwise(edges)]
    return pieces


class Outcome(NamedTuple):
    """How a run ended: why cells could not be computed, by key, and how many had to be."""

    failures: Mapping[str, str]
    num_computed: int


def run(
    cells: Iterable[Cell],
    store: Store,
    workers: Workers,
    budget: UserBudget,
    *,
    function: Callable[[Job], CellPart] = compute,
    progress: Callable[[int, int], object] | None = None,
) -> Outcome:
    """Compute what is missing of `cells`; `progress` is told how many are done, and of how many.

    Results are the same for any workers, in any order, with any interruptions. On an exception,
    Ctrl-C among them, what has been computed is written before it goes on.
    """
    running = _Run(cells, store, budget)
    in_flight: dict[Future[_Results], list[Job]] = {}
    written = time.monotonic()

    def write() -> None:
        nonlocal written
        written = time.monotonic()
        if running.write() and progress is not None:
            progress(running.num_done, len(running.cells))

    try:
        while True:
            while len(in_flight) < AHEAD * workers.num_workers and (jobs := running.next_jobs()):
                in_flight[workers.submit(_tried, function, jobs)] = jobs
            if not (in_flight or running.results):
                break
            if in_flight:
                pause = max(0.0, written + _WRITE_EVERY - time.monotonic())
                timeout = pause if running.results else None
                for future in wait(in_flight, timeout, FIRST_COMPLETED).done:
                    running.take(future, in_flight.pop(future))
                if time.monotonic() < written + _WRITE_EVERY:
                    continue
            write()
    except BaseException:
        for future, jobs in in_flight.items():
            if future.done() and not future.cancelled():
                running.take(future, jobs)
        raise
    finally:
        write()
    return Outcome(running.failures, len(running.begun - running.failures.keys()))


# Results of jobs, or their errors in words, and the seconds they took.
_Results = tuple[list[CellPart | str], float]


class _Run:
    """What is done of a grid, and what comes next."""

    def __init__(self, cells: Iterable[Cell], store: Store, budget: UserBudget) -> None:
        self.cells: dict[str, Cell] = {}
        for cell in cells:
            # Cells with different names that compute the same are one.
            self.cells.setdefault(cell.key, cell)
        self.store, self.budget = store, budget
        stored = store.ranges()
        self.parts = {key: stored.get(key, []) for key in self.cells}
        self.fresh = (job for cell in self.cells.values() for job in self.jobs(cell))
        self.following: deque[Job] = deque()
        self.left: Counter[str] = Counter()
        self.begun: set[str] = set()
        self.num_done = 0
        self.failures: dict[str, str] = {}
        self.results: list[CellPart] = []
        self.pace = _TOGETHER
        self.most_together = _MOST_TOGETHER

    def jobs(self, cell: Cell) -> list[Job]:
        """Return a cell's next jobs; none if it is done."""
        result = partial(self.store.result, cell.key)
        ranges = self.budget.missing(cell, self.parts[cell.key], result)
        self.left[cell.key] = len(ranges)
        if ranges:
            self.begun.add(cell.key)
        else:
            self.num_done += cell.key not in self.failures
        return [Job(cell, *users) for users in ranges]

    def next_jobs(self) -> list[Job]:
        """Return as many jobs as take a moment together, by the pace so far; none if all are."""
        jobs: list[Job] = []
        while len(jobs) < min(max(1, _TOGETHER / self.pace), self.most_together):
            job = self.following.popleft() if self.following else next(self.fresh, None)
            if job is None:
                break
            if job.cell.key not in self.failures:
                jobs.append(job)
        return jobs

    def take(self, future: Future[_Results], jobs: list[Job]) -> None:
        """Take what came of jobs; one that fails, or whose worker is lost, fails its cell.

        Which of several lost a worker is not known: from then on each job goes by itself.
        """
        if future.cancelled():
            raise ConnectionError("the scheduler was lost; run again to go on")
        results: list[CellPart | str] = []
        if (error := future.exception()) is None:
            results, seconds = future.result()
            self.pace += (max(seconds / len(results), 1e-4) - self.pace) / 8
        elif len(jobs) == 1:
            results = [_in_words(error)]
        else:
            self.most_together = 1
        self.following.extendleft(reversed(jobs[len(results) :]))
        for job, result in zip(jobs, results, strict=False):
            if isinstance(result, CellPart):
                self.results.append(result)
            else:
                self.num_done += job.cell.key not in self.failures
                self.failures[job.cell.key] = readable(f"{job}: {' '.join(result.split())}")

    def write(self) -> bool:
        """Write the results so far, if any, then see what their cells still need."""
        if not self.results:
            return False
        # Interrupted here, they are written again, which does not matter.
        self.store.add(self.results)
        results, self.results = self.results, []
        for part in results:
            self.parts[part.key].append((part.first, part.count))
            self.left[part.key] -= 1
            if not self.left[part.key]:
                self.following.extend(self.jobs(self.cells[part.key]))
        return True


def _tried(function: Callable[[Job], CellPart], jobs: Sequence[Job]) -> _Results:
    """Return jobs' results, or their errors in text: the class may not come back whole.

    Those of the first alone if these took long.
    """
    results: list[CellPart | str] = []
    began = time.monotonic()
    for job in jobs:
        if results and time.monotonic() > began + 2 * _TOGETHER:
            break
        try:
            results.append(function(job))
        except Exception as error:
            results.append(_in_words(error))
    return results, time.monotonic() - began


def _in_words(error: BaseException) -> str:
    if isinstance(error, BrokenExecutor):
        return "a process died, and the others with it; run again to try once more"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
