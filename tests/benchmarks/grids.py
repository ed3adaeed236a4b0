"""Measure what a grid costs beside the work of its cells, and simulate one on a cluster.

python tests/benchmarks/grids.py [--cells N] [--workers W]

Measured, on N cells that compute next to nothing (100,000 by default, some five minutes): listing
the grid, computing it in shards, and merging them. Simulated with these numbers, a million cells on
W workers that die now and then: one coordinator that hands out every cell and writes the one store,
and shards with a store each, merged in the end.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import simpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from prum.experiments.sweeps.shards import Shard, status
from prum.experiments.sweeps.specification import SweepSpecification
from prum.experiments.sweeps.store import Store
from prum.experiments.sweeps.verb import sweep
from tests.benchmarks.compare import duration, table

# Seconds of the coordinator for a part on Dask, and of a mean cell's work: docs/performance.md.
DASK, WORK = 1.5e-3, 40e-3
# Seconds between a worker's deaths, in the mean, and until another stands in its place.
LIFE, AGAIN = 3_600.0, 30.0
STARTING = 2.0  # seconds of a process until it lists the grid
GRID = 1_000_000


@dataclass(frozen=True)
class Costs:
    """Seconds for each cell of a grid: of every process, of a coordinator, and of a merge."""

    listing: float
    computing: float
    merging: float
    looking: float


def specification(num_cells: int) -> dict[str, Any]:
    """Return a grid of so many cells of a user each."""
    return {
        "campaigns": [{"example": "web"}],
        "grid": {"estimators": ["simulated"], "seeds": list(range(num_cells))},
        "users": {"num_users": 1},
    }


def timed(work: Any) -> tuple[float, Any]:
    """Return the seconds of a processor that some work takes, and what it returned."""
    began = process_time()
    done = work()
    return process_time() - began, done


def measured(num_cells: int, num_shards: int, folder: Path) -> Costs:
    """Return what a grid costs here, and check that its shards are the whole."""
    # What every shard does first: reading the grid, which checks it, is part of it.
    reading, wanted = timed(lambda: SweepSpecification.read(specification(num_cells)))
    listing, cells = timed(wanted.cells)
    listing += reading
    places = [Shard(k, num_shards).store_of(folder / "s.sqlite") for k in range(1, num_shards + 1)]
    shards = [
        timed(partial(sweep, wanted, store=place, shard=f"{k}/{num_shards}"))[0]
        for k, place in enumerate(places, start=1)
    ]

    def merge() -> int:
        with Store(folder / "merged.sqlite") as merged:
            for place in places:
                with Store(place, read_only=True) as store:
                    merged.merge(store)
            return len(merged.ranges())

    merging, number = timed(merge)
    looking, found = timed(lambda: status(cells, places, wanted.users.budget(), ""))
    assert number == num_cells
    assert not found.missing
    print(
        f"{num_cells:,} cells here: listed in {listing:.1f} s; computed in {num_shards} shards, "
        f"one after the other, in {sum(shards):.1f} s ({max(shards):.1f} s the longest); merged "
        f"in {merging:.1f} s; status in {looking:.1f} s."
    )
    computing = sum(shards) - num_shards * listing
    each = [seconds / num_cells for seconds in (listing, computing, merging, looking)]
    return Costs(*each)


@dataclass
class Run:
    """A simulated run: when it ended, cells computed again, and the share of time at work."""

    seconds: float = 0.0
    again: int = 0
    busy: float = 0.0


def by_coordinator(num_cells: int, num_workers: int, work: float, costs: Costs, seed: int) -> Run:
    """Simulate one coordinator: each cell takes its turn there, and a worker's time elsewhere."""
    draw, found = random.Random(seed), Run()
    environment = simpy.Environment()
    coordinator = simpy.Resource(environment)
    left = num_cells

    def worker() -> Iterator[Any]:
        nonlocal left
        dies = draw.expovariate(1 / LIFE)
        while left:
            left -= 1
            with coordinator.request() as turn:
                yield turn
                yield environment.timeout(DASK)
            seconds = draw.expovariate(1 / work)
            if environment.now + seconds > dies:
                # Its job is handed out again.
                left, found.again = left + 1, found.again + 1
                yield environment.timeout(max(0.0, dies - environment.now) + AGAIN)
                dies = environment.now + draw.expovariate(1 / LIFE)
                continue
            found.busy += seconds
            yield environment.timeout(seconds)

    for _ in range(num_workers):
        environment.process(worker())
    environment.run()
    return finished(found, environment.now + num_cells * costs.listing, num_workers)


def in_shards(num_cells: int, num_workers: int, work: float, costs: Costs, seed: int) -> Run:
    """Simulate a shard for each worker: each lists the grid; a killed one begins where it was."""
    draw, found = random.Random(seed), Run()
    environment = simpy.Environment()

    def shard(size: int) -> Iterator[Any]:
        left = size
        while left:
            yield environment.timeout(STARTING + num_cells * costs.listing)
            life, spent = draw.expovariate(1 / LIFE), 0.0
            while left and spent < life:
                seconds = draw.expovariate(1 / work)
                spent += seconds + costs.computing
                found.busy += seconds
                left -= 1
            yield environment.timeout(spent)
            if left:
                found.again += 1
                yield environment.timeout(AGAIN)

    sizes = [0] * num_workers
    for _ in range(num_cells):
        sizes[draw.randrange(num_workers)] += 1
    for size in sizes:
        environment.process(shard(size))
    environment.run()
    return finished(found, environment.now + num_cells * costs.merging, num_workers)


def finished(found: Run, seconds: float, num_workers: int) -> Run:
    """Return a run with its end, and its work as a share of all the workers' time."""
    found.seconds, found.busy = seconds, found.busy / seconds / num_workers
    return found


def span(seconds: float) -> str:
    """Return minutes, or hours."""
    return f"{seconds / 60:.3g} min" if seconds < 6_000 else f"{seconds / 3_600:.3g} h"


def rows(workers: Sequence[int], works: Sequence[float], costs: Costs) -> Iterator[list[str]]:
    """Yield a row for each cell's time and number of workers, by both arrangements."""
    for work in works:
        for number in workers:
            one, many = (
                way(GRID, number, work, costs, seed=1) for way in (by_coordinator, in_shards)
            )
            yield [
                duration(work),
                f"{number:,}",
                span(one.seconds),
                f"{one.busy:.1%}",
                span(many.seconds),
                f"{many.busy:.1%}",
                f"{many.again:,}",
            ]


def main() -> None:
    """Print what was measured and simulated as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--shards", type=int, default=10)
    parser.add_argument("--workers", type=int, nargs="+", default=[1_000, 10_000])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        costs = measured(options.cells, options.shards, Path(folder))
    each = (costs.listing, costs.computing, costs.merging, costs.looking)
    heads = ["", "listing", "computing", "merging", "status"]
    table("Beside the work", heads, [["a cell", *map(duration, each)]])
    heads = ["work of a cell", "workers", "one coordinator", "at work", "shards", "at work"]
    table(
        f"{GRID:,} cells, simulated",
        [*heads, "killed"],
        list(rows(options.workers, (WORK, 1.0, 15.0), costs)),
    )


if __name__ == "__main__":
    main()
