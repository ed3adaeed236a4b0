"""Time this prum beside another that is installed elsewhere: workload by workload, in turn.

python tests/benchmarks/beside.py PYTHON [--rounds N] [--only WORD]

PYTHON is the interpreter of an environment that the other prum is installed in. Each of the two
computes in a process of its own; in every round both do the same work, one after the other, so
that a busy machine slows both alike. A ratio is the median of the rounds' ratios of processor
seconds, the other's over this one's: above 1 this one is faster.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

Work = Callable[[int], Any]
NUM_USERS = 65_536


def workloads() -> dict[str, Work]:
    """Return everything that is timed; a round's number makes its users new ones."""
    from prum.analytic import exact, prum
    from tests.benchmarks.workloads import dense_reach, flat_task, graph_task, sparse_reach
    from tests.user_kinds import USERS

    work: dict[str, Work] = {}
    for ranks, ideals in ((1000, 10), (100, 50), (10, 3)):
        task, navigation = flat_task(ranks, ideals)
        for unranked in ("sampled", "expected"):
            work[f"{ranks} x {ideals}, {unranked}"] = partial(
                _simulated, task, navigation, 8 * NUM_USERS, unranked
            )
    walk = graph_task()
    work["walks"] = partial(_simulated, *walk, NUM_USERS, "sampled")
    for kind, users in USERS.items():
        work[f"users: {kind}"] = partial(users, NUM_USERS // 4)
    dense, large = dense_reach(1000, 100), sparse_reach(10_000, 500, 10)
    small, tiny = dense_reach(100, 10), dense_reach(10, 3)
    for form in (exact, prum):
        work[f"{form.__name__}, 1000 x 100"] = partial(_computed, form, dense, 1)
        work[f"{form.__name__}, 10,000 x 500, sparse"] = partial(_computed, form, large, 1)
        work[f"{form.__name__}, 100 x 10"] = partial(_computed, form, small, 20)
        work[f"{form.__name__}, 10 x 3"] = partial(_computed, form, tiny, 50)
    return work


def _simulated(task: Any, navigation: Any, num_users: int, unranked: str, seed: int) -> None:
    from prum.simulator import simulate

    simulate(task, navigation, num_users=num_users, seed=seed, unranked=unranked)  # type: ignore[arg-type]


def _computed(form: Callable[..., Any], reach: Any, times: int, _: int) -> None:
    for _ in range(times):
        form(reach, 20_000)


def serve() -> None:
    """Do what is named on each line of standard input, and print its processor seconds."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    work = workloads()
    print("\t".join(work), flush=True)
    for line in sys.stdin:
        name, _, number = line.rstrip("\n").partition("\t")
        begin = process_time()
        work[name](int(number))
        print(process_time() - begin, flush=True)


def started(python: str, path: str | None) -> "subprocess.Popen[str]":
    """Return a process of an interpreter that serves."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if path:
        environment["PYTHONPATH"] = path
    command = [python, str(Path(__file__)), "--serve"]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )


def told(server: "subprocess.Popen[str]") -> str:
    """Return a line that a server says."""
    assert server.stdout is not None
    return server.stdout.readline().rstrip("\n")


def seconds(server: "subprocess.Popen[str]", name: str, number: int) -> float:
    """Return how long a server works."""
    assert server.stdin is not None
    server.stdin.write(f"{name}\t{number}\n")
    server.stdin.flush()
    return float(told(server))


def main() -> None:
    """Print a line for each workload, and the slowest ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("python", nargs="?", help="the interpreter of the other environment")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    if given.python is None:
        parser.error("name the interpreter of the other environment")
    this, other = started(sys.executable, os.environ.get("PYTHONPATH")), started(given.python, None)
    names = told(this).split("\t")
    told(other)
    ratios = {}
    for name in (name for name in names if given.only in name):
        rounds = np.empty((given.rounds, 2))
        for number in range(-1, given.rounds):
            taken = seconds(other, name, number + 1), seconds(this, name, number + 1)
            if number >= 0:
                rounds[number] = taken
        ratios[name] = float(np.median(rounds[:, 0] / rounds[:, 1]))
        old, new = np.median(rounds, axis=0) * 1e3
        print(f"{ratios[name]:6.2f}  {old:9.2f} ms  {new:9.2f} ms  {name}", flush=True)
    slow = sum(ratio < 0.95 for ratio in ratios.values())
    print(f"\n{slow} of {len(ratios)} workloads below .95; least {min(ratios.values()):.2f}")


if __name__ == "__main__":
    main()
