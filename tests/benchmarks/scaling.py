"""Measure how time and memory grow with the size of what is computed, and print Markdown.

python -m tests.benchmarks.scaling [--rounds N]

A slope is the exponent p of size^p, fitted by least squares to the logarithms at the last three
sizes. Sizes of a line run
one after the other in every round, and the least time of each counts: what else the machine does
only adds. What needs much memory runs in a process of its own. About five minutes on two
processors.
"""

import argparse
import csv
import ctypes
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from prum.analytic import closed_form, exact, prum
from prum.analytic.precision.of_task import prum_of
from prum.experiments.sweeps.cells import Axes, CellPart, Given, grid
from prum.experiments.sweeps.engine import run
from prum.experiments.sweeps.jobs import Job
from prum.experiments.sweeps.specification import SweepSpecification
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.workers import Here
from prum.simulator import simulate
from prum.simulator.collections import read_links, read_run
from prum.simulator.collections.campaign import Campaign
from prum.simulator.model import Independent, Links, Task, Walk
from tests.benchmarks.frame import duration, table
from tests.benchmarks.workloads import dense_reach, flat_task

Floats = NDArray[np.float64]

# A function of a size that returns the work to be timed.
Prepare = Callable[[int], Callable[[], object]]

DEGREE = 10  # links of a page
DEPTH = 100  # ranks of a list
SYSTEMS = 8
A_WHILE = 0.02  # seconds for which short work is repeated


@dataclass(frozen=True)
class Growth:
    """What was measured at some sizes, and the power law through it."""

    name: str
    theory: str
    sizes: Sequence[int]
    values: Floats
    unit: Callable[[float], str] = duration

    def row(self) -> list[str]:
        """Return a row of the table: the exponent is that over the last three sizes."""
        logs = np.log(self.sizes[-3:]), np.log(self.values[-3:])
        return [
            self.name,
            f"{self.sizes[0]:,} to {self.sizes[-1]:,}",
            f"{np.polyfit(*logs, 1)[0]:.2f}",
            self.theory,
            self.unit(self.values[-1]),
        ]


COLUMNS = ["what", "sizes", "slope", "in theory", "at the largest"]


def timed(name: str, theory: str, sizes: Sequence[int], prepare: Prepare, rounds: int) -> Growth:
    """Time the work of each size in every round; the least counts."""
    works = [prepare(size) for size in sizes]
    for work in works:
        work()
    best = np.full(len(sizes), np.inf)
    for _, (number, work) in itertools.product(range(rounds), enumerate(works)):
        end = perf_counter() + A_WHILE
        while True:
            begin = perf_counter()
            work()
            best[number] = min(best[number], perf_counter() - begin)
            if perf_counter() > end:
                break
    return Growth(name, theory, sizes, best)


def sizes(least: int, most: int, count: int) -> list[int]:
    """Return so many whole numbers, equal factors apart."""
    return [round(size) for size in np.geomspace(least, most, count)]


# Tasks.


def pages(count: int) -> list[str]:
    """Return names of pages."""
    return [f"page{number:08}" for number in range(count)]


def columns(num_links: int) -> tuple[list[str], list[str], Floats]:
    """Return links, 10 from each page to pages at random, that a walk follows with .95 in all."""
    names = pages(num_links // DEGREE)
    n = len(names)
    # Steps between targets are at least 1 and add up to less than n: no target comes twice.
    rng = np.random.default_rng(0)
    steps = rng.integers(1, (n - 1) // DEGREE, (n, DEGREE))
    targets = (np.arange(n)[:, None] + np.cumsum(steps, axis=1)) % n
    sources = [name for name in names for _ in range(DEGREE)]
    probabilities = np.full(n * DEGREE, 0.95 / DEGREE)
    return sources, [names[target] for target in targets.ravel().tolist()], probabilities


def linked(num_links: int) -> Links:
    """Return the same as a table whose key is known."""
    table_of_links = Links.from_columns(*columns(num_links))
    assert table_of_links.key
    return table_of_links


def task_of(num_pages: int, topic: int, *, num_ranked: int = DEPTH, num_ideals: int = 5) -> Task:
    """Return a list of pages at random; its ideals are those of the topic."""
    rng = np.random.default_rng([num_pages, topic])
    chosen = rng.choice(num_pages, num_ranked + num_ideals, replace=False).tolist()
    names = [f"page{number:08}" for number in chosen]
    return Task(names[:num_ranked], names[num_ranked:], num_pages)


def next_topics(num_pages: int) -> Iterable[Task]:
    """Yield tasks of ever other ideals: nothing kept of one topic serves the next."""
    return (task_of(num_pages, topic) for topic in itertools.count())


# Lines of the table of times.


def simulated_users(num_users: int) -> Callable[[], object]:
    task, navigation = flat_task(1000, 10)
    return lambda: simulate(task, navigation, num_users=num_users, seed=1, threads=1)


def simulated_ranks(num_ranked: int) -> Callable[[], object]:
    task, navigation = flat_task(num_ranked, 10)
    return lambda: simulate(task, navigation, num_users=65_536, seed=1, threads=1)


def simulated_ideals(num_ideals: int) -> Callable[[], object]:
    task, navigation = flat_task(100, num_ideals)
    return lambda: simulate(task, navigation, num_users=16_384, seed=1, threads=1)


def walks(num_links: int, num_ranked: int, num_users: int) -> Callable[[], object]:
    navigation = Walk(linked(num_links))
    task = task_of(num_links // DEGREE, 0, num_ranked=num_ranked)
    return lambda: simulate(task, navigation, num_users=num_users, seed=1, threads=1)


def dense_exact(num_ranked: int, num_ideals: int) -> Callable[[], object]:
    reach = dense_reach(num_ranked, num_ideals)
    return lambda: exact(reach, 2 * num_ideals)


def dense_prum(num_ranked: int, num_ideals: int) -> Callable[[], object]:
    reach = dense_reach(num_ranked, num_ideals)
    return lambda: prum(reach, 2 * num_ideals)


def prum_of_walks(num_links: int) -> Callable[[], object]:
    navigation = Walk(linked(num_links))
    tasks = iter(next_topics(num_links // DEGREE))
    return lambda: prum_of(next(tasks), navigation)


def exact_of_walks(num_ideals: int) -> Callable[[], object]:
    navigation = Walk(linked(1_000))
    task = task_of(100, 0, num_ranked=50, num_ideals=num_ideals)
    return lambda: closed_form(task, navigation)


def times(rounds: int) -> None:
    """Print how times grow."""
    lines: list[tuple[str, str, list[int], Prepare]] = [
        ("`simulate`, users", "1", sizes(65_536, 16_777_216, 5), simulated_users),
        ("... ranks, x 10", "0, then 1", sizes(30, 10_000, 6), simulated_ranks),
        ("... ideals", "1 log² t", sizes(3, 1_000, 6), simulated_ideals),
        ("walks: users", "1", sizes(2_048, 131_072, 4), lambda n: walks(100_000, 10, n)),
        ("... links", "0, caches", sizes(1_000, 1_000_000, 4), lambda m: walks(m, 10, 16_384)),
        ("`exact`, ranks", "1", sizes(30, 10_000, 6), lambda o: dense_exact(o, 50)),
        ("... ideals", "2, then 1.5", sizes(10, 3_000, 6), lambda t: dense_exact(100, t)),
        ("`prum`, ranks", "1", sizes(30, 10_000, 6), lambda o: dense_prum(o, 50)),
        ("... ideals", "2 log t, then 1.5", sizes(10, 1_000, 5), lambda t: dense_prum(100, t)),
        ("`prum` of walks, links", "1", sizes(10_000, 1_000_000, 5), prum_of_walks),
    ]
    table("Times", COLUMNS, [timed(*line, rounds).row() for line in lines])
    ideals = [4, 6, 8, 10, 12, 14]
    exponential = timed("", "", ideals, exact_of_walks, rounds)
    table(
        "Exact value of walks, o = 50, links the same",
        ["ideals", *map(str, ideals)],
        [["time", *map(duration, exponential.values)]],
    )


# What runs in a process of its own, and returns its seconds and bytes.


def memory(name: str) -> float:
    """Return the process's memory now (VmRSS) or at most so far (VmHWM), in bytes."""
    ctypes.CDLL(None).malloc_trim(0)  # what is free goes back
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024.0 * int(next(line for line in lines if line.startswith(name)).split()[1])


class Watch:
    """Seconds of the steps of a process, and how its memory grows from the first."""

    def __init__(self) -> None:
        self.measured: dict[str, float] = {}
        self._at_first = memory("VmRSS")
        self._begin = perf_counter()

    def step(self, name: str) -> None:
        """Note the seconds since the last step, memory, and its peak so far."""
        self.measured[f"{name}, seconds"] = perf_counter() - self._begin
        self.measured[f"{name}, bytes"] = memory("VmRSS") - self._at_first
        self.measured[f"{name}, peak bytes"] = memory("VmHWM") - self._at_first
        self._begin = perf_counter()


def links_of_file(size: int, folder: Path) -> dict[str, float]:
    """Read links."""
    watch = Watch()
    links = read_links(folder / f"links{size}.csv")
    watch.step("read")
    assert len(links) == size
    return watch.measured


def run_of_file(size: int, folder: Path) -> dict[str, float]:
    """Read a run."""
    watch = Watch()
    lists = read_run(folder / f"{size}.run")
    watch.step("read")
    assert lists
    return watch.measured


def cells_of_topics(size: int, folder: Path) -> dict[str, float]:
    """Make a grid of so many cells, and bring it through the engine without computing anything."""
    rng = np.random.default_rng(0)
    names = pages(3_000)
    num_topics = size // (SYSTEMS * 2)
    topics = [f"topic{number:07}" for number in range(num_topics)]
    ideals = {topic: tuple(names[i] for i in rng.permutation(3_000)[:5]) for topic in topics}
    runs = {
        f"system{number}": {
            topic: tuple(names[i] for i in rng.permutation(3_000)[:DEPTH]) for topic in topics
        }
        for number in range(SYSTEMS)
    }
    campaign = Campaign("topics", ideals, runs, Independent({}), 3_000)
    budget = SweepSpecification.read({"campaigns": [{"example": "web"}]}).users.budget()
    result = exact(dense_reach(DEPTH, 5), 2_900).to_json()

    def computed(job: Job) -> CellPart:
        return CellPart(job.cell.key, job.first, job.count, result, 0.0)

    watch = Watch()
    cells = grid([Given(campaign)], Axes(estimators=("prum", "exact")))
    watch.step("grid")
    file = folder / f"cells{size}.sqlite"
    file.unlink(missing_ok=True)  # of the round before
    with Store(file) as store:
        run(cells, store, Here(), budget, function=computed)
        watch.step("engine")
    return watch.measured


ALONE: dict[str, Callable[[int, Path], dict[str, float]]] = {
    function.__name__: function for function in (links_of_file, run_of_file, cells_of_topics)
}


def alone(name: str, size: int, folder: Path, rounds: int = 1) -> dict[str, float]:
    """Return the least that processes of their own measured."""
    least: dict[str, float] = defaultdict(lambda: np.inf)
    for _ in range(rounds):
        command = [
            sys.executable,
            "-m",
            "tests.benchmarks.scaling",
            "--alone",
            name,
            str(size),
            str(folder),
        ]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        for key, value in json.loads(done.stdout).items():
            least[key] = min(least[key], value)
    return least


def write_links(size: int, folder: Path) -> None:
    """Write a file of links."""
    with open(folder / f"links{size}.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["source", "target", "probability"])
        writer.writerows(zip(*columns(size), strict=True))


def write_run(size: int, folder: Path) -> None:
    """Write a run."""
    rng = np.random.default_rng(0)
    with open(folder / f"{size}.run", "w") as file:
        for topic in range(size // DEPTH):
            chosen = rng.integers(0, 10_000_000, DEPTH).tolist()
            file.writelines(
                f"topic{topic:07} Q0 page{page:08} {rank} {DEPTH - rank} run\n"
                for rank, page in enumerate(chosen)
            )


def grown(name: str, of: list[int], steps: dict[str, str], folder: Path, rounds: int) -> None:
    """Print how the steps of a process grow."""
    least = [alone(name, size, folder, rounds) for size in of]
    rows = [
        Growth(
            shown,
            "1",
            of,
            np.array([values[key] for values in least]),
            size_of if key.endswith("bytes") else duration,
        ).row()
        for key, shown in steps.items()
    ]
    table("Each size in a process of its own", COLUMNS, rows)


def size_of(count: float) -> str:
    """Return bytes in a fitting unit."""
    return f"{count / 2**20:,.3g} MiB" if count < 2**30 else f"{count / 2**30:,.3g} GiB"


def files(folder: Path, rounds: int) -> None:
    """Print how reading links and runs, and the engine, grow."""
    links = [size // DEGREE * DEGREE for size in (*sizes(3_000, 300_000, 5), 3_000_000)]
    lines = [*sizes(10_000, 1_000_000, 3), 5_000_000]
    for size in links:
        write_links(size, folder)
    for size in lines:
        write_run(size, folder)
    read = {"read, seconds": "reading", "read, bytes": "memory", "read, peak bytes": "peak"}
    grown("links_of_file", links, {key: f"links: {of}" for key, of in read.items()}, folder, rounds)
    grown("run_of_file", lines, {key: f"lines: {of}" for key, of in read.items()}, folder, rounds)
    cells = {
        "engine, seconds": "cells: engine and store",
        "grid, bytes": "cells: memory of the grid",
        "engine, peak bytes": "cells: peak of the run",
    }
    grown("cells_of_topics", [320, 1_008, 3_200, 10_000, 50_000], cells, folder, rounds)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--alone", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        name, size, folder = options.alone
        print(json.dumps(ALONE[name](int(size), Path(folder))))
        return
    print(f"load {os.getloadavg()[0]:.1f} at the start; {options.rounds} rounds")
    with tempfile.TemporaryDirectory() as folder:
        times(options.rounds)
        files(Path(folder), max(1, options.rounds // 2))
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
