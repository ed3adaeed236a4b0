"""Measure how time and memory grow with the size of what is computed, and print Markdown.

python -m tests.benchmarks.scaling [--rounds N]

A slope is the exponent p of size^p, fitted by least squares to the logarithms at the last three
sizes. Sizes of a line run one after the other in every round, and the least time of each counts:
what else the machine does only adds. Files are read by processes of their own. About five minutes
on two processors.
"""

import argparse
import itertools
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from prum.analytic import closed_form, exact, prum
from prum.analytic.precision.of_task import prum_of
from prum.simulator import simulate
from prum.simulator.model import Links, Task, Walk
from tests.benchmarks.frame import PYTHON, duration, table, used_by
from tests.benchmarks.workloads import dense_reach, flat_task

Floats = NDArray[np.float64]

# A function of a size that returns the work to be timed.
Prepare = Callable[[int], Callable[[], object]]

DEGREE = 10  # links of a page
DEPTH = 100  # ranks of a list
SHORTEST = 0.02  # seconds: shorter work is repeated for so long


def growth(
    name: str,
    theory: str,
    sizes: Sequence[int],
    values: Floats,
    unit: Callable[[float], str] = duration,
) -> list[str]:
    """Return a row of the table: the exponent is that over the last three sizes."""
    slope = np.polyfit(np.log(sizes[-3:]), np.log(values[-3:]), 1)[0]
    span = f"{sizes[0]:,} to {sizes[-1]:,}"
    return [name, span, f"{slope:.2f}", theory, unit(values[-1])]


COLUMNS = ["what", "sizes", "slope", "in theory", "at the largest"]


def seconds_of(sizes: Sequence[int], prepare: Prepare, rounds: int) -> Floats:
    """Time the work of each size in every round; the least counts."""
    works = [prepare(size) for size in sizes]
    for work in works:
        work()
    best = np.full(len(sizes), np.inf)
    for _, (place, work) in itertools.product(range(rounds), enumerate(works)):
        end = perf_counter() + SHORTEST
        while True:
            begin = perf_counter()
            work()
            best[place] = min(best[place], perf_counter() - begin)
            if perf_counter() > end:
                break
    return best


def spaced(least: int, most: int, count: int) -> list[int]:
    """Return so many whole numbers, equal factors apart."""
    return [round(size) for size in np.geomspace(least, most, count)]


def columns(num_links: int) -> tuple[list[str], list[str], Floats]:
    """Return links, 10 from each page to pages at random, that a walk follows with .95 in all."""
    n = num_links // DEGREE
    names = [f"page{number:08}" for number in range(n)]
    # Steps between targets are at least 1 and add up to less than n: no target comes twice.
    rng = np.random.default_rng(0)
    steps = rng.integers(1, (n - 1) // DEGREE, (n, DEGREE))
    targets = (np.arange(n)[:, None] + np.cumsum(steps, axis=1)) % n
    sources = [name for name in names for _ in range(DEGREE)]
    probabilities = np.full(n * DEGREE, 0.95 / DEGREE)
    return sources, [names[target] for target in targets.ravel().tolist()], probabilities


def walk_on(num_links: int) -> Walk:
    """Return a walk whose table's key is known."""
    links = Links.from_columns(*columns(num_links))
    assert links.key
    return Walk(links)


def task_of(num_pages: int, topic: int, *, num_ranked: int = DEPTH, num_ideals: int = 5) -> Task:
    """Return a list of pages at random; its ideals are those of the topic."""
    rng = np.random.default_rng([num_pages, topic])
    chosen = rng.choice(num_pages, num_ranked + num_ideals, replace=False).tolist()
    names = [f"page{number:08}" for number in chosen]
    return Task(names[:num_ranked], names[num_ranked:], num_pages)


def users_of(num_users: int, num_ranked: int, num_ideals: int) -> Callable[[], object]:
    task, navigation = flat_task(num_ranked, num_ideals)
    return lambda: simulate(task, navigation, num_users=num_users, seed=1, threads=1)


def walks(num_links: int, num_users: int) -> Callable[[], object]:
    navigation, task = walk_on(num_links), task_of(num_links // DEGREE, 0, num_ranked=10)
    return lambda: simulate(task, navigation, num_users=num_users, seed=1, threads=1)


def dense(
    estimator: Callable[..., object], num_ranked: int, num_ideals: int
) -> Callable[[], object]:
    reach = dense_reach(num_ranked, num_ideals)
    return lambda: estimator(reach, 2 * num_ideals)


def prum_of_walks(num_links: int) -> Callable[[], object]:
    """Each topic has other ideals: nothing kept of one serves the next."""
    navigation, topics = walk_on(num_links), itertools.count()
    return lambda: prum_of(task_of(num_links // DEGREE, next(topics)), navigation)


def exact_of_walks(num_ideals: int) -> Callable[[], object]:
    navigation, task = walk_on(1_000), task_of(100, 0, num_ranked=50, num_ideals=num_ideals)
    return lambda: closed_form(task, navigation)


TIMES: list[tuple[str, str, list[int], Prepare]] = [
    ("`simulate`, users", "1", spaced(65_536, 16_777_216, 5), lambda n: users_of(n, 1_000, 10)),
    ("... ranks, x 10", "0, then 1", spaced(30, 10_000, 6), lambda o: users_of(65_536, o, 10)),
    ("... ideals", "1 log² t", spaced(3, 1_000, 6), lambda t: users_of(16_384, 100, t)),
    ("walks: users", "1", spaced(2_048, 131_072, 4), lambda n: walks(100_000, n)),
    ("... links", "0, caches", spaced(1_000, 1_000_000, 4), lambda m: walks(m, 16_384)),
    ("`exact`, ranks", "1", spaced(30, 10_000, 6), lambda o: dense(exact, o, 50)),
    ("... ideals", "2, then 1.5", spaced(10, 3_000, 6), lambda t: dense(exact, 100, t)),
    ("`prum`, ranks", "1", spaced(30, 10_000, 6), lambda o: dense(prum, o, 50)),
    ("... ideals", "2 log t, then 1.5", spaced(10, 1_000, 5), lambda t: dense(prum, 100, t)),
    ("`prum` of walks, links", "1", spaced(10_000, 1_000_000, 5), prum_of_walks),
]


def write_links(size: int, path: Path) -> None:
    """Write a table of links."""
    rows = zip(*columns(size), strict=True)
    with path.open("w") as file:
        file.write("source,target,probability\n")
        file.writelines(f"{source},{target},{p}\n" for source, target, p in rows)


def write_run(size: int, path: Path) -> None:
    """Write a run."""
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        for topic in range(size // DEPTH):
            chosen = rng.integers(0, 10_000_000, DEPTH).tolist()
            file.writelines(
                f"topic{topic:07} Q0 page{page:08} {rank} {DEPTH - rank} run\n"
                for rank, page in enumerate(chosen)
            )


READERS = (
    ("links: reading", "read_links", write_links, [30_000, 300_000, 3_000_000]),
    ("lines of a run: reading", "read_run", write_run, [50_000, 500_000, 5_000_000]),
)


def files(folder: Path, rounds: int) -> None:
    """Print what reading takes, beyond what a process takes that imports the reader."""
    rows = []
    for name, reader, write, sizes in READERS:
        used = []
        for size in (0, *sizes):
            code = f"from prum.simulator.collections import {reader}"
            if size:
                path = folder / f"{reader}{size}.{'csv' if reader == 'read_links' else 'run'}"
                write(size, path)
                code += f"; {reader}({str(path)!r})"
            runs = [used_by([PYTHON, "-c", code], folder) for _ in range(rounds + 1)][1:]
            used.append(np.min(runs, axis=0))
        seconds, mebibytes = (np.array(used[1:]) - used[0]).T
        rows.append(growth(name, "1", sizes, seconds))
        rows.append(growth("... memory", "1", sizes, mebibytes, lambda value: f"{value:,.0f} MiB"))
    table("Each size in a process of its own", COLUMNS, rows)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"load {os.getloadavg()[0]:.1f} at the start; {rounds} rounds")
    rows = [
        growth(name, theory, sizes, seconds_of(sizes, prepare, rounds))
        for name, theory, sizes, prepare in TIMES
    ]
    table("Times", COLUMNS, rows)
    ideals = [4, 8, 12, 14]
    table(
        "Exact value of walks, o = 50, links the same",
        ["ideals", *map(str, ideals)],
        [["time", *map(duration, seconds_of(ideals, exact_of_walks, rounds))]],
    )
    with tempfile.TemporaryDirectory() as folder:
        files(Path(folder), max(1, rounds // 2))


if __name__ == "__main__":
    main()
