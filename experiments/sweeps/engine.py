"""The engine: computes the cells of a grid that a store lacks.

One coordinator hands out jobs and writes their results. A job is done when its result is in the
store; otherwise the next run hands it out again.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from functools import partial
from typing import cast

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Cell, CellPart
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import AHEAD, Workers
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.tables.files import readable

# Seconds for which results wait for others, because writing waits for the disk.
_WRITE_EVERY = 0.05
# Small jobs go together, for about so many seconds and at most so many: a cluster takes some
# milliseconds to hand out one.
_TOGETHER, _MOST_TOGETHER = 0.1, 64


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: why cells could not be computed, by key, and how many had to be."""

    failures: Mapping[str, str]
    num_computed: int


def run(
    cells: Sequence[Cell],
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
    return _Run(cells, store, workers, budget, function, progress).run()


class _Run:
    def __init__(
        self,
        cells: Sequence[Cell],
        store: Store,
        workers: Workers,
        budget: UserBudget,
        function: Callable[[Job], CellPart],
        progress: Callable[[int, int], object] | None,
    ) -> None:
        self.cells: dict[str, Cell] = {}
        for cell in cells:
            # Cells with different names that compute the same are one.
            self.cells.setdefault(cell.key, cell)
        self.store, self.workers, self.budget = store, workers, budget
        self.function, self.report = function, progress
        stored = store.ranges()
        self.parts = {key: stored.get(key, []) for key in self.cells}
        self.jobs = self._fresh()
        self.following: deque[Job] = deque()
        self.left: Counter[str] = Counter()
        self.begun: set[str] = set()
        self.num_done = 0
        self.failures: dict[str, str] = {}
        self.in_flight: dict[Future[list[CellPart | str]], list[Job]] = {}
        self.again: deque[Job] = deque()
        self.pace = _TOGETHER
        self.results: list[CellPart] = []
        self.written = time.monotonic()

    def run(self) -> Outcome:
        try:
            while self._hand_out():
                self._collect()
        except BaseException:
            self._take([f for f in self.in_flight if f.done() and not f.cancelled()])
            raise
        finally:
            self._write()
        return Outcome(self.failures, len(self.begun - self.failures.keys()))

    def _hand_out(self) -> bool:
        """Give the workers enough to do; return whether anything is being done."""
        most = AHEAD * self.workers.num_workers
        while len(self.in_flight) < most:
            if not (jobs := self._next_jobs()):
                break
            self.in_flight[self.workers.submit(_tried, self.function, jobs)] = jobs
        return bool(self.in_flight or self.results)

    def _next_jobs(self) -> list[Job]:
        """Return as many jobs as take a moment together, by the pace so far; none if all are."""
        if self.again:
            return [self.again.popleft()]
        jobs: list[Job] = []
        while len(jobs) < min(max(1, _TOGETHER / self.pace), _MOST_TOGETHER):
            job = self.following.popleft() if self.following else next(self.jobs, None)
            if job is None:
                break
            if job.cell.key not in self.failures:
                jobs.append(job)
        return jobs

    def _collect(self) -> None:
        """Wait for results, and write them if they are enough or old enough."""
        if self.in_flight:
            pause = self.written + _WRITE_EVERY - time.monotonic()
            timeout = max(0.0, pause) if self.results else None
            done, _ = wait(self.in_flight, timeout=timeout, return_when=FIRST_COMPLETED)
            self._take(done)
            if time.monotonic() < self.written + _WRITE_EVERY:
                return
        self._write()

    def _take(self, futures: Iterable[Future[list[CellPart | str]]]) -> None:
        """Take what came of jobs; one that fails, or whose worker is lost, fails its cell.

        Which of several lost a worker is not known: each is tried again by itself.
        """
        for future in futures:
            jobs = self.in_flight.pop(future)
            if future.cancelled():
                raise ConnectionError("the scheduler was lost; run again to go on")
            error = future.exception()
            if error and len(jobs) > 1:
                self.again.extend(jobs)
                continue
            results = [_in_words(error)] if error else future.result()
            self.following.extendleft(reversed(jobs[len(results) :]))
            for job, result in zip(jobs, results, strict=False):
                if isinstance(result, CellPart):
                    self.results.append(result)
                    self.pace += (max(result.seconds, 1e-4) - self.pace) / 8
                else:
                    self.num_done += job.cell.key not in self.failures
                    self.failures[job.cell.key] = readable(f"{job}: {' '.join(result.split())}")

    def _write(self) -> None:
        """Write the results so far, then see what their cells still need."""
        self.written = time.monotonic()
        if not self.results:
            return
        # Interrupted here, they are written again, which does not matter.
        self.store.add(self.results)
        results, self.results = self.results, []
        for part in results:
            self.parts[part.key].append((part.first, part.count))
            self.left[part.key] -= 1
            if not self.left[part.key]:
                self.following.extend(self._jobs(self.cells[part.key]))
        if self.report is not None:
            self.report(self.num_done, len(self.cells))

    def _fresh(self) -> Iterator[Job]:
        for cell in self.cells.values():
            yield from self._jobs(cell)

    def _jobs(self, cell: Cell) -> list[Job]:
        """Return a cell's next jobs."""
        key = cell.key
        result = cast("Callable[[], Simulation]", partial(self.store.result, key))
        ranges = self.budget.missing(cell, self.parts[key], result)
        self.left[key] = len(ranges)
        if ranges:
            self.begun.add(key)
        else:
            self.num_done += key not in self.failures
        return [Job(cell, first, count) for first, count in ranges]


def _tried(function: Callable[[Job], CellPart], jobs: Sequence[Job]) -> list[CellPart | str]:
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
    return results


def _in_words(error: BaseException) -> str:
    if isinstance(error, BrokenExecutor):
        return "a process died, and the others with it; run again to try once more"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
