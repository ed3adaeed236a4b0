"""Measure prum beside other ways and print Markdown: medians of interleaved rounds.

python tests/benchmarks/compare.py [--rounds N] [--large]

All sides of a comparison run one after the other in every round, in one process, so that a busy
machine slows them alike; ratios are medians of the rounds' own ratios.
"""

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import get_args

import numpy as np
import scipy
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from prum.analytic import exact, exact_joint, prum
from prum.simulator import Beta, Browsing, Copula, Coupled, Task, simulate
from prum.simulator.model import Navigation
from prum.simulator.sampling.sampler import Unranked
from tests.benchmarks.workloads import (
    NumpySampler,
    dense_reach,
    exact_by_numpy,
    exact_by_scipy,
    flat_task,
    graph_task,
    joint_law,
    sparse_reach,
)

Seconds = dict[str, NDArray[np.float64]]

CHUNK = 65_536


def interleaved(
    sides: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = perf_counter,
) -> Seconds:
    """Return the seconds each side took in each round, after a first one that does not count."""
    seconds = {name: np.empty(rounds) for name in sides}
    for number in range(-1, rounds):
        for name, function in sides.items():
            begin = clock()
            function()
            if number >= 0:
                seconds[name][number] = clock() - begin
    return seconds


def ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> float:
    """Return the median of the rounds' ratios."""
    return float(np.median(above / below))


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """Print a Markdown table."""
    print(f"\n### {title}\n")
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    sys.stdout.flush()


def number(value: float) -> str:
    """Return three figures: 12.3 million, 45,600, 7.89."""
    if value >= 1e9:
        return f"{value / 1e9:.3g} billion"
    if value >= 1e6:
        return f"{value / 1e6:.3g} million"
    if value >= 1000:
        return f"{round(value, 2 - int(np.log10(value))):,.0f}"
    return f"{value:.3g}"


def duration(seconds: float) -> str:
    """Return seconds in a fitting unit."""
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{1e3 * seconds:.3g} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.3g} µs"


def uniforms(count: float) -> None:
    """Draw so many random numbers, a chunk at a time."""
    rng = np.random.default_rng(1)
    for _ in range(round(count / CHUNK)):
        rng.random(CHUNK)


def users_of(
    shape: tuple[int, int], unranked: Unranked, simulated: int, vectorised: int, rounds: int
) -> list[str]:
    """Compare `simulate` with a vectorised sampler and with drawing the numbers alone."""
    task, navigation = flat_task(*shape)
    sampler, rng = NumpySampler.of(task, navigation), np.random.default_rng(1)
    needed = float(task.num_ideals)
    if unranked == "sampled":
        needed += float(sum(1 - column[-1] for column in sampler.cumulative))

    def simulation(threads: int) -> Callable[[], object]:
        return lambda: simulate(
            task, navigation, num_users=simulated, seed=1, unranked=unranked, threads=threads
        )

    seconds = interleaved(
        {
            "one": simulation(1),
            "NumPy": lambda: sampler.run(vectorised, rng, sampled=unranked == "sampled"),
            "uniforms": lambda: uniforms(simulated * needed),
            "two": simulation(2),
        },
        rounds,
    )
    one = seconds["one"]
    return [
        f"{shape[0]:,} x {shape[1]}, {unranked}",
        number(simulated / np.median(one)),
        number(vectorised / np.median(seconds["NumPy"])),
        f"{ratio(seconds['NumPy'] / vectorised, one / simulated):.1f}",
        f"{needed:.1f}",
        f"{ratio(one, seconds['uniforms']):.2f}",
        f"{ratio(one, seconds['two']):.2f}",
    ]


def users(rounds: int) -> None:
    """Print users per second, and how far that is from drawing numbers alone."""
    measured = [
        users_of(shape, unranked, simulated, vectorised, rounds)
        for shape, simulated, vectorised in (
            ((1000, 10), 2_000_000, 131_072),
            ((100, 50), 393_216, 65_536),
        )
        for unranked in get_args(Unranked)
    ]
    table(
        "Users per second",
        [
            "ranks x ideals, unranked part",
            "`simulate`, one thread",
            "vectorised NumPy",
            "times as fast as NumPy",
            "numbers a user needs",
            "time over drawing them",
            "two threads over one",
        ],
        measured,
    )


def dependent(rounds: int) -> None:
    """Print how much slower users are whose visits depend on each other, on the same tables."""
    rows = []
    for shape, count in (((1000, 10), 1_048_576), ((100, 50), 262_144)):
        task, independent = flat_task(*shape)
        ways: dict[str, Navigation] = {
            "independent": independent,
            "exclusive": Coupled(independent, "exclusive"),
            "comonotone": Coupled(independent, "comonotone"),
            "copula .5": Coupled(independent, Copula(0.5)),
            "beta 1 1": Browsing(independent, Beta(1, 1)),
            "beta 2 5": Browsing(independent, Beta(2, 5)),
        }

        def users(way: str, task: Task = task, ways: dict[str, Navigation] = ways) -> object:
            return simulate(task, ways[way], num_users=count, seed=1, threads=1)  # noqa: B023

        seconds = interleaved({way: partial(users, way) for way in ways}, rounds)
        rows += [
            [
                f"{shape[0]:,} x {shape[1]}",
                way,
                number(count / np.median(times)),
                f"{ratio(times, seconds['independent']):.1f}",
            ]
            for way, times in seconds.items()
        ]
    table(
        "Users who depend on more, one thread",
        ["ranks x ideals", "visits", "users/s", "times as long as independent"],
        rows,
    )


def walks(rounds: int) -> None:
    """Time walks on 10,000 pages."""
    task, navigation = graph_task()
    count = 131_072
    seconds = interleaved(
        {
            str(threads): partial(
                simulate, task, navigation, num_users=count, seed=1, threads=threads
            )
            for threads in (1, 2)
        },
        rounds,
    )
    table(
        "Walks on 10,000 pages, 10 links each, 20 random numbers a walk",
        ["users/s, one thread", "two threads over one"],
        [[number(count / np.median(seconds["1"])), f"{ratio(seconds['1'], seconds['2']):.2f}"]],
    )


def closed_forms(rounds: int) -> None:
    """Time the closed forms, one of them beside scipy.stats.poisson_binom and plain NumPy."""
    dense, unranked = dense_reach(1000, 100), 2000
    ours = exact(dense, unranked)
    for leading, consulted in (exact_by_scipy(dense, unranked), exact_by_numpy(dense, unranked)):
        np.testing.assert_allclose(ours.leading, leading, rtol=1e-9)
        np.testing.assert_allclose(ours.consulted, consulted, rtol=1e-9)
    seconds = interleaved(
        {
            "exact": lambda: exact(dense, unranked),
            "scipy": lambda: exact_by_scipy(dense, unranked),
            "numpy": lambda: exact_by_numpy(dense, unranked),
            "prum": lambda: prum(dense, unranked),
        },
        max(3, rounds // 2),
        process_time,
    )
    within, large = joint_law(100, 12), sparse_reach(10_000, 5_000, 10)
    others = interleaved(
        {
            "joint": lambda: exact_joint(within, 1000),
            "exact large": lambda: exact(large, 20_000),
            "prum large": lambda: prum(large, 20_000),
        },
        max(3, rounds // 3),
        process_time,
    )

    def over(side: str) -> str:
        return f"{ratio(seconds[side], seconds['exact']):.3g}"

    rows = [
        ["`exact`, o = 1,000, t = 100, dense", seconds["exact"], ""],
        ["the same with `scipy.stats.poisson_binom`", seconds["scipy"], over("scipy")],
        ["the same in vectorised NumPy", seconds["numpy"], over("numpy")],
        ["`prum`, o = 1,000, t = 100, dense", seconds["prum"], ""],
        ["`exact_joint`, o = 100, t = 12", others["joint"], ""],
        ["`exact`, o = 10,000, t = 5,000, 50,000 entries", others["exact large"], ""],
        ["`prum`, o = 10,000, t = 5,000, 50,000 entries", others["prum large"], ""],
    ]
    table(
        "Closed forms, seconds of the processor",
        ["what", "median", "times as long as `exact`"],
        [[name, duration(float(np.median(times))), times_as] for name, times, times_as in rows],
    )


# The peak is the kernel's own count for the process; ru_maxrss would include its parent's.
_MEMORY = """
import sys
sys.path.insert(0, sys.argv[1])
from prum.simulator import Beta, Browsing, Copula, Coupled, Task, simulate
from prum.simulator.model import Navigation
from tests.benchmarks.workloads import flat_task
task, navigation = flat_task(1000, 10)
simulate(task, navigation, num_users=int(sys.argv[2]), seed=1)
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


def memory(large: bool) -> None:
    """Print the peak memory of processes that simulate ever more users."""
    rows = []
    for count in (1, 100_000, 10_000_000, *([100_000_000] if large else [])):
        begin = perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", _MEMORY, sys.path[0], str(count)],
            check=True,
            capture_output=True,
            text=True,
        )
        peak = int(done.stdout) / 1024
        rows.append([f"{count:,}", f"{peak:.0f} MiB", duration(perf_counter() - begin)])
    table(
        "Peak memory, 1,000 x 10, all processors",
        ["users", "peak of the process", "start to end"],
        rows,
    )


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--large", action="store_true", help="simulate 100,000,000 users as well")
    options = parser.parse_args()
    print(
        f"{len(os.sched_getaffinity(0))} processors ({platform.machine()}), "
        f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"load {os.getloadavg()[0]:.1f} at the start; "
        f"{options.rounds} rounds"
    )
    users(options.rounds)
    dependent(max(3, options.rounds // 3))
    walks(options.rounds)
    closed_forms(options.rounds)
    memory(options.large)


if __name__ == "__main__":
    main()
