"""The engine: computes the cells of a grid that a store lacks, whatever happens to workers.

One coordinator hands out jobs and writes their results. A job is done when its result is in the
store; otherwise it is handed out again, now or by the next run.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from functools import partial
from typing import cast

from prum.experiments.sweeps.budget import UserBudget
from prum.experiments.sweeps.cells import Cell, CellPart
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.progress import Progress, probes
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import AHEAD, MOST_LOST, WorkerLost, Workers
from prum.simulator.model import InputError
from prum.simulator.sampling.simulation import Simulation
from prum.simulator.tables.files import readable

# Seconds for which results wait for others, because writing waits for the disk.
_WRITE_EVERY = 0.05


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
    progress: Callable[[Progress], object] | None = None,
    instead: Mapping[str, Cell] | None = None,
) -> Outcome:
    """Compute what is missing of `cells`; of one without closed form the cell `instead` of its key.

    Results are the same for any workers, in any order, with any interruptions. On an exception,
    Ctrl-C among them, what has been computed is written before it goes on.

    Raises
    ------
    OSError
        if the store can't be written or the workers can't be reached.
    """
    return _Run(cells, store, workers, budget, function, progress, instead or {}).run()


class _Run:
    def __init__(
        self,
        cells: Sequence[Cell],
        store: Store,
        workers: Workers,
        budget: UserBudget,
        function: Callable[[Job], CellPart],
        progress: Callable[[Progress], object] | None,
        instead: Mapping[str, Cell],
    ) -> None:
        self.cells: dict[str, Cell] = {}
        for cell in cells:
            # Cells with different names that compute the same are one.
            self.cells.setdefault(cell.key, cell)
        self.store, self.workers, self.budget = store, workers, budget
        self.function, self.report, self.instead = function, progress, instead
        self.stored = store.ranges()
        self.parts = {key: self.stored.get(key, []) for key in self.cells}
        self.probed = probes(self.cells.values())
        self.probes, self.fresh = self._probes(), self._fresh()
        self.following: deque[Job] = deque()
        self.left: Counter[str] = Counter()
        self.suspects: deque[Job] = deque()
        self.alone: Job | None = None
        self.lost: Counter[tuple[str, int]] = Counter()
        self.begun: set[str] = set()
        self.failures: dict[str, str] = {}
        self.in_flight: dict[Future[CellPart], Job] = {}
        self.results: list[CellPart] = []
        self.written = time.monotonic()
        self.progress = Progress(
            self.cells.values(), self.parts, budget.known_users, num_workers=workers.num_workers
        )
        for key in self.cells.keys() & instead.keys():
            self.progress.doubt(self.cells[key], instead[key], budget.known_users(instead[key]))

    def run(self) -> Outcome:
        self.store.register(self.cells.values())
        try:
            while self._hand_out():
                self._collect()
        except BaseException:
            done = [future for future in self.in_flight if future.done()]
            self.results += [f.result() for f in done if not f.cancelled() and not f.exception()]
            raise
        finally:
            self._write()
            self.store.fail(self.failures)
        return Outcome(self.failures, len(self.begun - self.failures.keys()))

    def _hand_out(self) -> bool:
        """Give the workers enough to do; return whether anything is being done."""
        while len(self.in_flight) < AHEAD * self.workers.num_workers:
            job = self._next_job()
            if job is None:
                break
            if job.cell.key not in self.failures:
                self.in_flight[self.workers.submit(self.function, job)] = job
        return bool(self.in_flight or self.results)

    def _next_job(self) -> Job | None:
        """Return the job to hand out next, None if there is none now."""
        if self.suspects and not self.in_flight:
            self.alone = self.suspects.popleft()
            return self.alone
        if self.suspects or (self.alone and self.in_flight):
            return None
        job = next(self.probes, None)
        if job is not None:
            return job
        return self.following.popleft() if self.following else next(self.fresh, None)

    def _collect(self) -> None:
        """Wait for results, and write them if they are enough or old enough."""
        if self.in_flight:
            pause = self.written + _WRITE_EVERY - time.monotonic()
            timeout = max(0.0, pause) if self.results else None
            done, _ = wait(self.in_flight, timeout=timeout, return_when=FIRST_COMPLETED)
            self._sort_out(done)
            if time.monotonic() < self.written + _WRITE_EVERY:
                return
        self._write()

    def _sort_out(self, futures: Iterable[Future[CellPart]]) -> None:
        """Take what workers did: results, errors of the job, and jobs that lost their worker."""
        for future in futures:
            job = self.in_flight.pop(future)
            alone, self.alone = self.alone is job, None
            error = CancelledError() if future.cancelled() else future.exception()
            if error is None:
                self.results.append(future.result())
                continue
            if isinstance(error, InputError):  # another prum: no job would fare better
                raise error
            place = job.cell.key, job.first
            self.lost[place] += alone
            if isinstance(error, WorkerLost) and self.lost[place] < MOST_LOST:
                self.suspects.append(job)
            else:
                message = f"{job}: {' '.join(str(error).split())}"
                self.failures[job.cell.key] = readable(message)
                self.progress.finish(job.cell)

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
            self.progress.add(self.cells[part.key], part)
        if self.report is not None:
            self.report(self.progress)

    def _probes(self) -> Iterator[Job]:
        """Yield the first job of each cell of the lists that show what cells take."""
        for key in self.probed:
            jobs = self._jobs(self.cells[key])
            yield from jobs[:1]
            self.following.extend(jobs[1:])

    def _fresh(self) -> Iterator[Job]:
        for cell in tuple(self.cells.values()):
            if cell.key not in self.probed:
                yield from self._jobs(cell)

    def _jobs(self, cell: Cell) -> list[Job]:
        """Return a cell's next jobs; if it is done, those of the cell instead of it, if any."""
        parts = self.parts[cell.key]
        ranges = self.budget.missing(cell, parts, partial(self._result, cell))
        self.left[cell.key] = len(ranges)
        if ranges:
            self.begun.add(cell.key)
            expected = self.budget.expected_users(cell, parts, partial(self._result, cell))
            if expected is not None:
                self.progress.expect(cell, expected)
        else:
            self.progress.finish(cell)
            if cell.key in self.instead:
                return self._replaced(cell)
        return [Job(cell, first, count) for first, count in ranges]

    def _replaced(self, cell: Cell) -> list[Job]:
        """Return the first jobs of the cell instead of one, if that has no closed form."""
        is_needed = self.store.result(cell.key) is None
        self.progress.decide(cell, is_needed=is_needed)
        other = self.instead[cell.key]
        if not is_needed or other.key in self.cells:
            return []
        self.cells[other.key] = other
        self.parts[other.key] = self.stored.get(other.key, [])
        self.store.register([other])
        self.progress.include(other, self.parts[other.key], self.budget.known_users(other))
        return self._jobs(other)

    def _result(self, cell: Cell) -> Simulation:
        return cast("Simulation", self.store.result(cell.key))
