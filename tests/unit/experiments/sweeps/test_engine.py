"""The engine: the same rows whatever workers do, nothing twice, nothing lost; budgets of users."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from prum.experiments.sweeps import engine
from prum.experiments.sweeps.cells import Cell, CellPart, Given, UsersOfPart, grid, missing
from prum.experiments.sweeps.engine import Outcome, UserBudget, run
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.verb import csv_bytes, table
from prum.experiments.sweeps.workers import Here, Workers
from prum.simulator import Simulation, simulate
from prum.simulator.collections.examples import example_campaign
from prum.simulator.sampling.streams import BLOCK

WEB = example_campaign("web")
TWINS = replace(WEB, runs={"list": WEB.runs["list"], "twin": WEB.runs["list"]})
# 7 distinct cells, 4 of them simulations: of 3 parts each.
CELLS = grid([Given(TWINS)], navigation=("independent", "walk"), seeds=(1, 2))
DISTINCT = {cell.key: cell for cell in CELLS}
BUDGET = UserBudget(3 * 64 * BLOCK)
NUM_JOBS = 5 + 4 * 3

Fate = Callable[[Job, int], str]


def quick(job: Job) -> CellPart:
    """Compute a job with a thousandth of its users, so that parts still differ and add up."""
    if not job.count:
        return compute(job)
    part = compute(replace(job, count=job.count // 1024))
    users = f'"users":[[{job.cell.content["seed"]},{job.first},'
    assert users in part.result
    return replace(
        part,
        count=job.count,
        result=part.result.replace(f"{users}{job.count // 1024}]", f"{users}{job.count}]"),
    )


class Fake(Workers):
    """Runs jobs on a thread, in random order; `fate(job, attempt)` says what becomes of each.

    "done"; "cancelled"; "crash", it and all others that were handed out are lost.
    """

    def __init__(self, fate: Fate = lambda *_: "done", seed: int = 1, num_workers: int = 3) -> None:
        self.fate, self.workers = fate, num_workers
        self.attempts: Counter[tuple[str, int]] = Counter()
        self.most = 0
        self._random = random.Random(seed)
        self._waiting: list[tuple[Future[Any], Callable[..., Any], Any, list[Job]]] = []
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1)

    @property
    def num_workers(self) -> int:
        return self.workers

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._lock:
            self._waiting.append((future, function, *arguments))
            self.most = max(self.most, len(self._waiting))
        self._thread.submit(self._deliver)
        return future

    def close(self) -> None:
        self._thread.shutdown()

    def _deliver(self) -> None:
        time.sleep(0.001)  # for others to be handed out
        with self._lock:
            if not self._waiting:
                return
            chosen = self._random.randrange(len(self._waiting))
            future, function, computing, jobs = self._waiting.pop(chosen)
            fates = set[str]()
            for job in jobs:
                place = job.cell.key, job.first
                self.attempts[place] += 1
                fates.add(self.fate(job, self.attempts[place]))
            fate = min(fates, key=["crash", "cancelled", "done"].index)
            others = self._waiting if fate == "crash" else []
            if others:
                self._waiting = []
        if fate == "done":
            future.set_result(function(computing, jobs))
            return
        if fate == "cancelled":
            future.cancel()
            future.set_running_or_notify_cancel()
            return
        for lost in (future, *(other for other, *_ in others)):
            lost.set_exception(BrokenExecutor("gone"))


def rows(store: Store, cells: list[Cell] = CELLS) -> bytes:
    return csv_bytes(table(cells, store.result, BUDGET))


def run_on(
    workers: Workers, store: Store, budget: UserBudget = BUDGET, **options: Any
) -> tuple[Outcome, Counter[tuple[str, int]]]:
    """Run, and return how it ended and how often each job was computed."""
    computed: Counter[tuple[str, int]] = Counter()

    def counting(job: Job) -> CellPart:
        computed[job.cell.key, job.first] += 1
        return quick(job)

    with workers:
        return run(CELLS, store, workers, budget, function=counting, **options), computed


@pytest.fixture(scope="module")
def undisturbed() -> bytes:
    store = Store()
    outcome, computed = run_on(Here(), store)
    assert outcome == Outcome({}, 9)
    assert set(computed.values()) == {1}
    assert len(computed) == NUM_JOBS
    return rows(store)


# --- whatever workers do ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("num_workers", [1, 3, 20])
def test_the_order_in_which_results_come_does_not_matter(
    seed: int, num_workers: int, undisturbed: bytes
) -> None:
    store, workers = Store(), Fake(seed=seed, num_workers=num_workers)
    progress: list[tuple[int, int]] = []
    outcome, computed = run_on(workers, store, progress=lambda *done: progress.append(done))
    assert outcome == Outcome({}, 9)
    assert workers.most <= 2 * num_workers
    assert progress == sorted(progress)
    assert progress[-1] == (9, 9)
    assert set(computed.values()) == {1}
    assert rows(store) == undisturbed


@pytest.mark.parametrize("seed", range(3))
def test_jobs_that_lost_their_worker_fail_and_the_next_run_computes_them(
    seed: int, undisturbed: bytes
) -> None:
    culprit = [cell for cell in CELLS if cell.estimator == "simulated"][1]

    def fates(job: Job, _: int) -> str:
        return "crash" if (job.cell.key, job.first) == (culprit.key, 0) else "done"

    store = Store()
    outcome, _ = run_on(Fake(fates, seed), store)
    assert culprit.key in outcome.failures
    # Those that were handed out with it, and no other.
    assert len(outcome.failures) <= 6
    assert "seed 2" in outcome.failures[culprit.key]
    assert ": a process died" in outcome.failures[culprit.key]
    before = sum(map(len, store.ranges().values()))
    outcome, computed = run_on(Here(), store)
    assert outcome.failures == {}
    assert sum(computed.values()) == NUM_JOBS - before
    assert rows(store) == undisturbed


def test_a_worker_with_another_prum_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prum.experiments.sweeps.jobs.own_version", lambda: "0.0.0")
    outcome = run(CELLS, Store(), Here(), BUDGET)
    assert set(outcome.failures) == set(DISTINCT)
    for told in outcome.failures.values():
        assert "version of prum is '0.0.0', must be " in told
        assert "let all workers see the same prum and files" in told


def test_a_lost_scheduler_ends_the_run_and_what_was_computed_is_kept(undisturbed: bytes) -> None:
    store = Store()
    with pytest.raises(ConnectionError, match="run again to go on"):
        run_on(Fake(lambda job, _: "cancelled" if job.first else "done"), store)
    before = sum(map(len, store.ranges().values()))
    _, computed = run_on(Here(), store)
    assert sum(computed.values()) == NUM_JOBS - before
    assert rows(store) == undisturbed


@pytest.mark.parametrize("workers", [Fake, Here])
def test_a_job_that_raises_is_told_with_its_parameters_and_others_finish(
    workers: type[Workers], undisturbed: bytes
) -> None:
    def function(job: Job) -> CellPart:
        if job.cell.content.get("seed") == 2 and job.first == 64 * BLOCK:
            raise ValueError("no\nluck")
        return quick(job)

    store = Store()
    with workers() as on:
        outcome = run(CELLS, store, on, BUDGET, function=function)
    failed = {cell.key for cell in CELLS if cell.content.get("seed") == 2}
    assert set(outcome.failures) == failed
    for key, told in outcome.failures.items():
        navigation = DISTINCT[key].navigation
        assert told == (
            f"campaign web, topic web, system list, navigation {navigation}, estimator simulated, "
            "seed 2, unranked sampled, users 1048576 to 2097151: "
            "ValueError: no luck"
        )
    others = [cell for cell in CELLS if cell.key not in failed]
    assert csv_bytes(table(others, store.result, BUDGET))
    # The next run computes what is missing, and nothing else.
    before = sum(map(len, store.ranges().values()))
    outcome, computed = run_on(Here(), store)
    assert outcome == Outcome({}, 2)
    assert sum(computed.values()) == NUM_JOBS - before
    assert rows(store) == undisturbed


# --- runs cut off -------------------------------------------------------------------------------


class Interrupting(Here):
    """Interrupts when the job of a number is handed out."""

    def __init__(self, at: int) -> None:
        self.at, self.num_handed_out = at, 0

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        if self.num_handed_out == self.at:
            raise KeyboardInterrupt
        self.num_handed_out += 1
        return super().submit(function, *arguments)


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand out each job by itself."""
    monkeypatch.setattr(engine, "_MOST_TOGETHER", 1)


class Fatal(Here):
    """Loses a worker to each job of seed 77, and with it all jobs that were handed out with it."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        jobs = arguments[1]
        self.sizes.append(len(jobs))
        future = super().submit(function, *arguments)
        if any(job.cell.content["seed"] == 77 for job in jobs):
            future = Future()
            future.set_exception(BrokenExecutor("gone"))
        return future


def test_small_jobs_go_together_and_alone_after_a_worker_was_lost() -> None:
    cells = grid([Given(WEB)], estimators=("simulated",), seeds=tuple(range(100)))
    workers, store = Fatal(), Store()
    outcome = run(cells, store, workers, UserBudget(1))
    (failed,) = [cell.key for cell in cells if cell.content["seed"] == 77]
    assert set(outcome.failures) == {failed}
    assert "a process died" in outcome.failures[failed]
    assert len(store.ranges()) == 99
    assert workers.sizes[0] == 1
    assert 4 < max(workers.sizes) <= engine._MOST_TOGETHER


@pytest.mark.usefixtures("one_by_one")
@pytest.mark.parametrize("at", [0, 1, 5, 10, NUM_JOBS - 1])
def test_an_interruption_when_a_job_is_handed_out(at: int, undisturbed: bytes) -> None:
    store = Store()
    with pytest.raises(KeyboardInterrupt):
        run_on(Interrupting(at), store)
    done = sum(map(len, store.ranges().values()))
    assert done == at
    outcome, computed = run_on(Here(), store)
    assert sum(computed.values()) == NUM_JOBS - at
    assert outcome.failures == {}
    assert rows(store) == undisturbed


@pytest.mark.usefixtures("one_by_one")
@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("at", [1, 2, 5])
def test_an_interruption_while_results_are_written(
    at: int, written: bool, undisturbed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, calls = Store.add, 0

    def interrupted(store: Store, parts: list[CellPart]) -> None:
        nonlocal calls
        calls += 1
        if calls == at and not written:
            raise KeyboardInterrupt
        add(store, parts)
        if calls == at:
            raise KeyboardInterrupt

    store, computed = Store(), []

    def function(job: Job) -> CellPart:
        computed.append(job)
        return quick(job)

    monkeypatch.setattr(Store, "add", interrupted)
    monkeypatch.setattr(engine, "_WRITE_EVERY", 0.0)
    with pytest.raises(KeyboardInterrupt):
        run(CELLS, store, Here(), BUDGET, function=function)
    monkeypatch.undo()
    assert sum(map(len, store.ranges().values())) == len(computed) >= at
    _, again = run_on(Here(), store)
    assert sum(again.values()) == NUM_JOBS - len(computed)
    assert rows(store) == undisturbed


def test_nothing_is_computed_that_is_stored(undisturbed: bytes) -> None:
    store = Store()
    run_on(Here(), store)
    outcome, computed = run_on(Here(), store)
    assert outcome == Outcome({}, 0)
    assert not computed
    more = replace(BUDGET, num_users=BUDGET.num_users + 5 * 1024)
    outcome, computed = run_on(Here(), store, more)
    assert outcome == Outcome({}, 4)
    assert {first for _, first in computed} == {BUDGET.num_users}
    assert rows(store) != undisturbed


# --- an interval's half-width -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_sequential_runs_end_with_the_users_of_simulate(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On workers that lose jobs, cut off after each look or so, in parts of one block."""
    monkeypatch.setattr("prum.experiments.sweeps.engine._PART_BLOCKS", 1)
    budget = UserBudget(half_width=0.0012)
    chance = random.Random(seed)
    store = Store()
    cells = grid([Given(WEB)], estimators=("simulated",), seeds=(1, 2))
    computed: Counter[tuple[str, int]] = Counter()

    def function(job: Job) -> CellPart:
        if chance.random() < 0.2:
            raise ValueError("cut off")
        computed[job.cell.key, job.first] += 1
        return compute(job)

    runs = 0
    with Fake(seed=seed) as workers:
        while run(cells, store, workers, budget, function=function).failures:
            runs += 1
    assert runs > 0
    assert set(computed.values()) == {1}
    for cell in cells:
        alone = simulate(
            WEB.task("list", "web"),
            WEB.navigation,
            seed=cell.content["seed"],
            half_width=0.0012,
        )
        assert alone.num_users > 2 * BLOCK
        assert store.result(cell.key) == alone


# --- budgets ------------------------------------------------------------------------------------

TASK = WEB.task("list", "web")
# Users in a part of the Web example: 64 blocks.
SIZE = 64 * BLOCK
(SIMULATED,) = grid([Given(WEB)], estimators=("simulated",))


def run_of(parts: list[UsersOfPart]) -> Simulation:
    """Return the simulation of these users, added up."""
    options: dict[str, Any] = {"seed": 1, "threads": 1}
    first, *others = (
        simulate(TASK, WEB.navigation, num_users=count, first_user=begin, **options)
        for begin, count in parts
    )
    return sum(others, first)


def never() -> Simulation:
    raise AssertionError("nobody has to look at the result")


@pytest.mark.parametrize("num_users", [1, BLOCK, SIZE, 3 * SIZE + 7])
@pytest.mark.parametrize("stored", [[], [(0, 1)], [(SIZE, 5), (SIZE + 5, SIZE)], [(3 * SIZE, 10)]])
def test_what_is_missing_of_a_number_comes_in_parts_cut_at_fixed_places(
    num_users: int, stored: list[UsersOfPart]
) -> None:
    budget = UserBudget(num_users)
    parts = budget.missing(SIMULATED, stored, never)
    gaps = missing(stored, (0, num_users))
    assert missing(parts, (0, 10 * SIZE)) == missing(gaps, (0, 10 * SIZE))
    assert all(begin // SIZE == (begin + count - 1) // SIZE for begin, count in parts)
    assert replace(budget, whole=True).missing(SIMULATED, stored, never) == gaps
    assert budget.missing(SIMULATED, [*stored, *parts], never) == []


def test_more_users_of_a_topic_with_many_ideals_come_in_smaller_parts() -> None:
    many = tuple(f"ideal {number}" for number in range(500))
    campaign = replace(WEB, ideals={"web": many}, collection_size=1000)
    (large,) = grid([Given(campaign)], estimators=("simulated",))
    parts = UserBudget(SIZE).missing(large, [], never)
    assert len(parts) > 10
    assert {count % BLOCK for _, count in parts} == {0}


@pytest.mark.parametrize("budget", [UserBudget(10), UserBudget(half_width=0.1)])
def test_a_formula_is_one_part(budget: UserBudget) -> None:
    for cell in CELLS:
        if cell.estimator != "simulated":
            assert budget.missing(cell, [], never) == [(0, 0)]
            assert budget.missing(cell, [(0, 0)], never) == []


@pytest.mark.parametrize(
    ("half_width", "confidence", "max_users"),
    [
        (0.5, 0.95, 10**6),
        (0.002, 0.95, 10**6),
        (0.002, 0.999, 10**6),
        (0.0001, 0.95, 5 * BLOCK + 17),
        (0.0001, 0.95, BLOCK),
    ],
)
def test_the_users_are_those_of_simulate(
    half_width: float, confidence: float, max_users: int
) -> None:
    limits: dict[str, Any] = {"half_width": half_width, "max_users": max_users}
    limits["confidence"] = confidence
    budget, alone = UserBudget(**limits), simulate(TASK, WEB.navigation, seed=1, **limits)
    parts: list[UsersOfPart] = []
    looks = []

    def result() -> Simulation:
        return run_of(parts)

    while more := budget.missing(SIMULATED, parts, result):
        parts += more
        looks.append(sum(count for _, count in parts) // BLOCK)
    assert run_of(parts) == alone
    assert looks == [min(2**number, max_users // BLOCK) for number in range(len(looks))]
    met = alone.widest((1, 2), confidence) <= half_width
    assert budget.stopped(alone) == ("half-width" if met else "budget")
    # A narrower interval goes on where this one stopped; fewer users need nothing.
    narrow = UserBudget(half_width=1e-9, max_users=max_users)
    done = sum(parts[-1])
    more = narrow.missing(SIMULATED, parts, result)
    assert sum(count for _, count in more) == min(done, max_users // BLOCK * BLOCK - done)
    fewer = replace(narrow, max_users=max(done - 1, BLOCK))
    assert fewer.missing(SIMULATED, parts, result) == []
