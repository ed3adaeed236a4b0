"""Users per second with costs and without: `python tests/benchmarks/charged_users.py`."""

import time

import numpy as np

from prum.simulator import Simulation, simulate
from prum.simulator.collections import example_campaign
from prum.simulator.model import ListCosts, Navigation, Task

USERS = 1 << 18
ROUNDS = 7
NUM_LISTS = 8


def _timed(task: Task, navigation: Navigation, costs: ListCosts | None) -> tuple[Simulation, float]:
    began = time.process_time()
    simulation = simulate(task, navigation, num_users=USERS, seed=1, threads=1, costs=costs)
    return simulation, time.process_time() - began


def main() -> None:
    """Print millions of users per second without and with costs, and the ratio of times.

    Each is the median over lists of the built-in campaign and rounds that take turns.
    """
    rng = np.random.default_rng(1)
    campaign = example_campaign("campaign")
    lists = list(campaign.tasks())[: NUM_LISTS * 7 : 7]
    seconds = np.empty((2, len(lists), ROUNDS))
    for place, (_, topic, task) in enumerate(lists):
        navigation = campaign.navigation_on(topic)
        costs = ListCosts(rng.integers(20, 2_000, task.num_ranked), 300.5, unit="tokens")
        _timed(task, navigation, None), _timed(task, navigation, costs)
        for turn in range(ROUNDS):
            for manner, given in enumerate((None, costs)):
                seconds[manner, place, turn] = _timed(task, navigation, given)[1]
    plain, charged = USERS / np.median(seconds, axis=(1, 2)) / 1e6
    ratio = np.median(seconds[1] / seconds[0])
    print("million users/s without costs, with costs, time with over without")
    print(f"{plain:.2f}, {charged:.2f}, {ratio:.2f}")


if __name__ == "__main__":
    main()
