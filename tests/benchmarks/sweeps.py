"""Measure what a sweep costs beside its cells' own work, and print Markdown.

python -m tests.benchmarks.sweeps [--rounds N] [--cells N]

Sides of a comparison run one after the other in every round, so that a busy machine slows them
alike. Workers are warm where nothing else is said: campaigns read. About three
minutes on two processors.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from prum.experiments.sweeps.cells import Cell, CellPart
from prum.experiments.sweeps.engine import run
from prum.experiments.sweeps.jobs import Job, compute
from prum.experiments.sweeps.shards import Shard, status
from prum.experiments.sweeps.specification import SweepSpecification
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.verb import sweep
from prum.experiments.sweeps.workers import Cluster, Here, Processes, Workers
from prum.simulator import simulate
from tests.benchmarks.frame import Seconds, duration, interleaved, table
from tests.benchmarks.workloads import flat_task

# Some 1,000 cells of about a millisecond each: formulas, and one block of users.
TINY = {
    "campaigns": [{"example": "campaign"}, {"example": "walks"}],
    "grid": {"estimators": ["no-browsing", "prum", "exact", "simulated"]},
    "users": {"num_users": 16_384},
}
# 24 cells of about a second each.
LONG = {
    "campaigns": [{"example": "campaign"}],
    "grid": {"topics": ["topic01", "topic02", "topic03"], "estimators": ["simulated"]},
    "users": {"num_users": 24_000_000},
}


class Sweeps:
    """The cells of a specification, computed anew into a file each time they are run."""

    def __init__(self, content: dict[str, object], folder: Path) -> None:
        specification = SweepSpecification.read(content)
        # Lists without browsing are the same in both campaigns.
        self.cells: list[Cell] = [*{cell.key: cell for cell in specification.cells()}.values()]
        self.budget = specification.users.budget()
        self.path = folder / "store.sqlite"

    def run(self, workers: Workers) -> None:
        """Compute all cells."""
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        with Store(self.path) as store:
            outcome = run(self.cells, store, workers, self.budget)
            assert outcome.num_computed == len(self.cells), outcome.failures

    def bare(self) -> None:
        """Do the workers' work in a loop: no engine, no store."""
        for cell in self.cells:
            for first, count in self.budget.missing(cell, [], lambda: None):  # type: ignore[arg-type, return-value]
                compute(Job(cell, first, count))


def overhead_rows(sweeps: Sweeps, seconds: Seconds, sides: dict[str, int]) -> list[list[str]]:
    """Return a row for each side: wall time over cells, and what of it is not a bare loop's."""
    rows = []
    for name, workers in sides.items():
        count = len(sweeps.cells)
        wall = seconds[name] / count
        beyond = wall - seconds["loop"] / count / workers
        rows.append([name, *(milliseconds(value) for value in (wall, beyond))])
    return rows


def milliseconds(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> str:
    """Return the median in milliseconds."""
    return f"{1e3 * float(np.median(values)):.2f} ms"


OVERHEAD = ["workers", "wall time", "less the bare loop's"]


def overhead(folder: Path, rounds: int) -> None:
    """Print what a tiny cell costs beside its own work, in this process and on others."""
    sweeps = Sweeps(TINY, folder)
    with Processes(1) as one, Processes(2) as two:
        sides: dict[str, tuple[int, Workers]] = {
            "this process": (1, Here()),
            "one process": (1, one),
            "two processes": (2, two),
        }
        functions: dict[str, Callable[[], object]] = {"loop": sweeps.bare}
        for name, (_, workers) in sides.items():
            functions[name] = partial(sweeps.run, workers)
        seconds = interleaved(functions, rounds)
    loop = milliseconds(seconds["loop"] / len(sweeps.cells))
    table(
        f"A cell of {len(sweeps.cells):,}; {loop} in a loop without engine and store",
        OVERHEAD,
        overhead_rows(sweeps, seconds, {name: count for name, (count, _) in sides.items()}),
    )


def on_dask(folder: Path, rounds: int) -> None:
    """Print the same of a Dask scheduler and two workers on this machine."""
    sweeps = Sweeps(TINY, folder)
    with dask_of_two(folder) as address, Cluster(address) as cluster:
        while cluster.num_workers < 2:
            time.sleep(0.1)
        seconds = interleaved(
            {"loop": sweeps.bare, "two on Dask": partial(sweeps.run, cluster)},
            rounds,
        )
    table(
        "The same on Dask, scheduler and two workers on the loopback",
        OVERHEAD,
        overhead_rows(sweeps, seconds, {"two on Dask": 2}),
    )


@contextlib.contextmanager
def dask_of_two(folder: Path) -> Iterator[str]:
    """Start a scheduler and two workers; give the scheduler's address."""
    file = folder / "scheduler.json"
    place = ("--scheduler-file", str(file), "--no-dashboard")
    commands = [
        ["scheduler", "--host", "127.0.0.1", "--port", "0", *place],
        *[["worker", *place, "--no-nanny", "--nthreads", "1"]] * 2,
    ]
    environment = {**os.environ, "DASK_TEMPORARY_DIRECTORY": str(folder)}
    with contextlib.ExitStack() as started:
        for name, *words in commands:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{name}", *words],
                env=environment,
                stderr=subprocess.DEVNULL,
            )
            started.callback(process.wait)
            started.callback(process.send_signal, signal.SIGTERM)
            while not file.exists() or not file.read_text():
                time.sleep(0.05)
        yield json.loads(file.read_text())["address"]


def speedup(folder: Path, rounds: int) -> None:
    """Print how much faster two workers are than one, and than this process."""
    sweeps = Sweeps(LONG, folder)
    with Processes(1) as one, Processes(2) as two:
        names: dict[str, Workers] = {"one process": one, "two processes": two}
        for workers in names.values():
            warm = Sweeps({**LONG, "users": {"num_users": 1}}, folder)
            warm.run(workers)
        seconds = interleaved(
            {name: partial(sweeps.run, workers) for name, workers in names.items()}, rounds
        )
    table(
        f"{len(sweeps.cells)} cells of {sweeps.budget.num_users:,} users, the best of {rounds}",
        ["workers", "wall time"],
        [[name, duration(float(times.min()))] for name, times in seconds.items()],
    )


def store(folder: Path) -> None:
    """Print how many bytes a cell has in the store."""
    rows = []
    for t in (10, 1000):
        task, navigation = flat_task(20, t)
        text = simulate(task, navigation, num_users=100_000, seed=1).to_json()
        file = folder / f"{t}.sqlite"
        cells = [a_cell(number) for number in range(100)]
        with Store(file) as opened:
            for cell in cells:
                opened.add([CellPart(cell.key, 0, 0, text)])
        rows.append([f"{t:,}", f"{file.stat().st_size / len(cells):,.0f}"])
    table("A simulated cell in the store", ["t", "bytes of file"], rows)


def a_cell(number: int) -> Cell:
    """Return a cell that computes something of its own."""
    source = SweepSpecification.read({"campaigns": [{"example": "campaign"}]}).campaigns[0]
    content = {"estimator": "prum", "version": "0", "task_key": f"{number:064}"}
    content["navigation_key"] = f"{number:064}"
    return Cell(source, "topic01", "near-miss-noisy", "independent", "independent", 100, 5, content)


def large_grid(folder: Path, num_cells: int, num_shards: int = 10) -> None:
    """Print what a cell of a grid of so many cells costs that computes next to nothing."""
    content = {
        "campaigns": [{"example": "web"}],
        "grid": {"estimators": ["simulated"], "seeds": list(range(num_cells))},
        "users": {"num_users": 1},
    }
    seconds = dict.fromkeys(("listing", "computing", "merging", "status"), 0.0)

    @contextlib.contextmanager
    def timed(step: str) -> Iterator[None]:
        began = time.process_time()
        yield
        seconds[step] += time.process_time() - began

    with timed("listing"):
        wanted = SweepSpecification.read(content)
        cells = wanted.cells()
    places = [Shard(k, num_shards).store_of(folder / "s.sqlite") for k in range(1, num_shards + 1)]
    for k, place in enumerate(places, start=1):
        with timed("computing"):
            sweep(wanted, store=place, shard=f"{k}/{num_shards}")
    with timed("merging"), Store(folder / "merged.sqlite") as merged:
        for place in places:
            with Store(place, read_only=True) as store:
                merged.merge(store)
        assert len(merged.ranges()) == num_cells
    with timed("status"):
        assert not status(cells, places, wanted.users.budget(), "")[0]
    table(
        f"A cell of a grid of {num_cells:,}, in {num_shards} shards, one after the other",
        [*seconds],
        [[duration(each / num_cells) for each in seconds.values()]],
    )


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cells", type=int, default=100_000, help="of the large grid")
    options = parser.parse_args()
    rounds = options.rounds
    print(f"load {os.getloadavg()[0]:.1f} at the start; {rounds} rounds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        overhead(folder, rounds)
        on_dask(folder, max(2, rounds // 2))
        speedup(folder, max(2, rounds // 2))
        store(folder)
        large_grid(folder, options.cells)
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
