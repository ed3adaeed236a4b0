"""Sessions beside a bare SimPy loop and the kernels: users a second, in one process.

python -m tests.benchmarks.sessions
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import simpy

from prum.simulator import built_in_campaign, simulate
from prum.simulator.model import Task
from prum.simulator.model.stopping import Found, Persistence, Stopping
from prum.simulator.sessions.session import sessions

ROUNDS = 7
USERS, KERNEL_USERS = 400, 100_000


def bare(task: Task, num_users: int) -> None:
    """Let users wait a second at each rank: what SimPy itself costs, with nothing to see."""

    def life(env: simpy.Environment) -> Iterator[Any]:
        for _ in range(task.num_ranked):
            yield env.timeout(1)
            if random.random() > 0.9:
                return

    for _ in range(num_users):
        env = simpy.Environment()
        env.run(env.process(life(env)))


def rate(work: Callable[[], object], num_users: int) -> float:
    """Return users a second."""
    began = time.perf_counter()
    work()
    return num_users / (time.perf_counter() - began)


def main() -> None:
    """Print medians, and ratios to the bare loop."""
    campaign = built_in_campaign()
    _, topic, task = next(campaign.tasks())
    browsing = campaign.navigation_on(topic)
    ten = Stopping(Persistence(0.9))
    works: dict[str, tuple[Callable[[], object], int]] = {
        "bare SimPy, 10 elements": (lambda: bare(task, USERS), USERS),
        "sessions, 10 elements": (
            lambda: list(sessions(task, browsing, num_users=USERS, seed=1, stopping=ten)),
            USERS,
        ),
        "sessions, all ideals": (
            lambda: list(
                sessions(
                    task,
                    browsing,
                    num_users=USERS,
                    seed=1,
                    stopping=Stopping(Found(task.num_ideals)),
                )
            ),
            USERS,
        ),
        "sessions, all ideals, what is new": (
            lambda: list(
                sessions(
                    task,
                    browsing,
                    num_users=USERS,
                    seed=1,
                    stopping=Stopping(Found(task.num_ideals)),
                    detail="new",
                )
            ),
            USERS,
        ),
        "kernels, all ideals": (
            lambda: simulate(task, browsing, num_users=KERNEL_USERS, seed=1, threads=1),
            KERNEL_USERS,
        ),
    }
    rates: dict[str, list[float]] = {name: [] for name in works}
    for work, num_users in works.values():
        rate(work, num_users)
    for _ in range(ROUNDS):
        for name, (work, num_users) in works.items():
            rates[name].append(rate(work, num_users))
    medians = {name: statistics.median(some) for name, some in rates.items()}
    first = medians["bare SimPy, 10 elements"]
    for name, median in medians.items():
        print(f"{name:34} {median:12,.0f} users/s   {median / first:10.3f}")


if __name__ == "__main__":
    main()
