"""Walk on a million pages with ten million links, and print Markdown.

python tests/benchmarks/large_walks.py [--rounds N]

Beside it, in the same process: how many alias columns a second NumPy reads at random and writes
down. A few minutes, most of them for making the links.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from prum.simulator import simulate
from prum.simulator.model import Task
from prum.simulator.model.arrays import Counts, Words
from prum.simulator.sampling.ways.samplers import compiled
from tests.benchmarks.compare import duration, interleaved, number, ratio, table
from tests.benchmarks.workloads import web

PAGES, LINKS, IDEALS = 1_000_000, 10_000_000, 5
# A page is left with .85: a walk takes so many random numbers, the stop's among them.
STEPS = 1 / 0.15
READS = 4_000_000


def read(columns: Words, where: Counts, out: Words) -> None:
    """Read records at random places and write them down; NumPy lets go of the lock."""
    np.take(columns, where, axis=0, out=out, mode="clip")


def peak() -> float:
    """Return the process's peak memory in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    begin = perf_counter()
    names, walk = web(PAGES, LINKS)
    made, memory = perf_counter() - begin, peak()
    begin = perf_counter()
    walk.links.key  # noqa: B018
    hashed = perf_counter() - begin
    rng = np.random.default_rng(1)
    ideals = [names[k] for k in rng.choice(PAGES, IDEALS, replace=False)]
    compiled(Task(names[:1], ideals, PAGES), web(10, 20)[1])  # loads the kernels
    begin = perf_counter()
    sampler = compiled(Task(names[:1], ideals, PAGES), walk)
    tables = perf_counter() - begin
    table(
        f"{PAGES:,} pages, {LINKS:,} links",
        ["links made, checked", "their key", "alias tables", "of size", "peak before", "after"],
        [
            [
                duration(made),
                duration(hashed),
                duration(tables),
                f"{sampler.columns.nbytes / 2**20:.0f} MiB",
                f"{memory:,.0f} MiB",
                f"{peak():,.0f} MiB",
            ]
        ],
    )
    where = rng.integers(0, len(sampler.columns), READS)
    rooms = np.zeros((2, READS, 2), np.uint64)
    rows = []
    for depth in (10, 100):
        ranking = [names[k] for k in rng.choice(PAGES, depth, replace=False)]
        task, count = Task(ranking, ideals, PAGES), 10 * 262_144 // depth

        def users(threads: int, task: Task = task, count: int = count) -> object:
            return simulate(task, walk, num_users=count, seed=1, threads=threads)

        def reads(threads: int) -> object:
            with ThreadPoolExecutor(threads) as pool:
                return list(
                    pool.map(lambda out: read(sampler.columns, where, out), rooms[:threads])
                )

        seconds = interleaved(
            {
                "one": lambda: users(1),
                "reads": lambda: reads(1),
                "two": lambda: users(2),
                "two reads": lambda: reads(2),
            },
            rounds,
        )
        steps = count * depth * STEPS
        rows += [
            [
                f"{depth}",
                f"{threads}",
                number(count / np.median(seconds[ours])),
                number(steps / np.median(seconds[ours])),
                number(threads * READS / np.median(seconds[alone])),
                f"{100 * ratio(seconds[alone] / (threads * READS), seconds[ours] / steps):.0f} %",
            ]
            for threads, ours, alone in ((1, "one", "reads"), (2, "two", "two reads"))
        ]
    table(
        "Walks from every rank",
        ["ranks", "threads", "users/s", "steps/s", "random reads/s alone", "share of that"],
        rows,
    )


if __name__ == "__main__":
    main()
