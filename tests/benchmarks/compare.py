"""Measure prum beside other ways and print Markdown: medians of interleaved rounds.

python -m tests.benchmarks.compare [--rounds N] [--large]

All sides of a comparison run one after the other in every round, in one process, so that a busy
machine slows them alike; ratios are medians of the rounds' own ratios. `--large` adds 100,000,000
users, and walks on a million pages with ten million links, which take minutes to be made.
"""

import argparse
import os
import platform
import random
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter, process_time
from typing import get_args

import numpy as np
import scipy
import simpy

from prum.analytic import exact, exact_joint, prum
from prum.simulator import Beta, Browsing, Copula, Coupled, Expansion, Links, Task, simulate
from prum.simulator.collections import built_in_campaign
from prum.simulator.model import ListCosts, Navigation
from prum.simulator.model.stopping import Found, Stopping
from prum.simulator.sampling.sampler import Unranked
from prum.simulator.sampling.ways.samplers import compiled
from prum.simulator.sessions.session import sessions
from tests.benchmarks.frame import (
    PYTHON,
    ROOT,
    duration,
    interleaved,
    number,
    ratio,
    table,
    used_by,
)
from tests.benchmarks.workloads import (
    NumpySampler,
    dense_reach,
    exact_by_numpy,
    exact_by_scipy,
    flat_task,
    graph_task,
    joint_law,
    sparse_reach,
    web,
)

CHUNK = 65_536


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

        costs = ListCosts(np.arange(20.0, 20 + shape[0]), 300.5, unit="tokens")
        sides: dict[str, Callable[[], object]] = {way: partial(users, way) for way in ways}
        sides["independent, costs"] = partial(
            simulate, task, independent, num_users=count, seed=1, threads=1, costs=costs
        )
        seconds = interleaved(sides, rounds)
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


PAGES, LINKS, READS = 1_000_000, 10_000_000, 4_000_000
# A page is left with .85: a walk takes so many random numbers, the stop's among them.
STEPS = 1 / 0.15


def large_walks(rounds: int) -> None:
    """Time walks on a large web, beside NumPy reading their records at random and nothing else."""
    names, walk = web(PAGES, LINKS)
    rng = np.random.default_rng(1)
    ideals = [names[k] for k in rng.choice(PAGES, 5, replace=False).tolist()]
    columns = compiled(Task(names[:1], ideals, PAGES), walk).columns
    where, room = rng.integers(0, len(columns), READS), np.zeros((READS, 2), np.uint64)
    rows = []
    for depth in (10, 100):
        ranking = [names[k] for k in rng.choice(PAGES, depth, replace=False).tolist()]
        task, count = Task(ranking, ideals, PAGES), 10 * 262_144 // depth
        walking = partial(simulate, task, walk, num_users=count, seed=1, threads=1)
        reading = partial(np.take, columns, where, axis=0, out=room, mode="clip")
        seconds = interleaved({"walks": walking, "reads": reading}, rounds)
        steps = count * depth * STEPS
        share = ratio(seconds["reads"] / READS, seconds["walks"] / steps)
        rate = np.median(seconds["walks"])
        rows.append(
            [f"{depth}", number(count / rate), number(steps / rate), f"{100 * share:.0f} %"]
        )
    table(
        f"Walks on {PAGES:,} pages, {LINKS:,} links, one thread",
        ["ranks", "users/s", "steps/s", "of the speed of reading records at random"],
        rows,
    )


def expansions(rounds: int) -> None:
    """Time users who expand 20 seeds of a web of 20,000 pages, 10 links of .5 each."""
    _, walk = graph_task(20_000)
    links = walk.links
    links = Links.from_columns(
        *zip(*((x, y) for x, y, _ in links), strict=True), [0.5] * len(links)
    )
    count, names, rows = 20_000, links.elements, []
    for hops in (1, 2, 3):
        expansion, shown = Expansion(links, hops=hops, fan_out=10), set(names[:20])
        for _ in range(hops):
            shown = {y for x, y, _ in links if x in shown}
        task = Task(names[:20], sorted(shown)[:20], 20_000)
        work = partial(simulate, task, expansion, num_users=count, seed=1, threads=1)
        seconds = float(np.median(interleaved({"": work}, rounds, process_time)[""])) / count
        pages = 20 * sum(5.0**hop for hop in range(hops + 1))
        rows.append(
            [f"{hops}", number(1 / seconds), f"{pages:,.0f}", f"{1e9 * seconds / pages:.3g}"]
        )
    columns = ["hops", "users/s", "pages that a user would read", "ns a page"]
    table("Seeds expanded, one thread", columns, rows)


def clocks(rounds: int) -> None:
    """Time users with a clock beside a loop of SimPy that only waits, and the kernels."""
    campaign = built_in_campaign()
    _, topic, task = next(campaign.tasks())
    browsing = campaign.navigation_on(topic)
    stopping, count, many = Stopping(Found(task.num_ideals)), 400, 100_000

    def waiting() -> None:
        def life(env: simpy.Environment) -> Iterator[simpy.Event]:
            for _ in range(task.num_ranked):
                yield env.timeout(1)
                if random.random() > 0.9:
                    return

        for _ in range(count):
            env = simpy.Environment()
            env.run(env.process(life(env)))

    seconds = interleaved(
        {
            "bare SimPy, 10 elements": waiting,
            "sessions, all ideals": lambda: list(
                sessions(task, browsing, num_users=count, seed=1, stopping=stopping)
            ),
            "kernels, all ideals": lambda: simulate(
                task, browsing, num_users=many, seed=1, threads=1
            ),
        },
        rounds,
    )
    table(
        "Users with a clock",
        ["what", "users/s"],
        [
            [name, number((many if name.startswith("kernels") else count) / np.median(times))]
            for name, times in seconds.items()
        ],
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


_MEMORY = """
from prum.simulator import simulate
from tests.benchmarks.workloads import flat_task
simulate(*flat_task(1000, 10), num_users={}, seed=1)
"""


def memory(large: bool) -> None:
    """Print the peak memory of processes that simulate ever more users."""
    rows = []
    for count in (1, 100_000, 10_000_000, *([100_000_000] if large else [])):
        begin = perf_counter()
        _, peak = used_by([PYTHON, "-c", _MEMORY.format(count)], ROOT)
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
    parser.add_argument("--large", action="store_true", help="what takes minutes, too")
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
    if options.large:
        large_walks(max(3, options.rounds // 3))
    expansions(max(3, options.rounds // 3))
    clocks(max(3, options.rounds // 3))
    closed_forms(options.rounds)
    memory(options.large)


if __name__ == "__main__":
    main()
