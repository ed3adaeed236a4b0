"""Measure what a user of each kind costs, and say what moved since the figures that are kept.

python -m tests.benchmarks.user_kinds [--rounds N] [--keep]

A user's cost is counted in random numbers: how many of them one kernel draws in the same time of
a processor, in turn with the users, in this process. So a busy machine slows both alike. `--keep`
writes the figures to `user_kinds.json`; do it after a change of speed on purpose.
"""

import argparse
import json
import os
from pathlib import Path
from time import process_time

import numpy as np

from prum.simulator.sampling import kernels
from tests.user_kinds import USERS, Users

KEPT = Path(__file__).with_suffix(".json")
NUM_USERS = 16_384
NUM_NUMBERS = 1 << 20
# Times as much or as little: less may be chance, or another processor.
FACTOR = 1.5


def reference_seconds(state: "np.ndarray[tuple[int], np.dtype[np.uint64]]") -> float:
    """Return the seconds that a random number takes."""
    out = np.empty(NUM_NUMBERS, dtype=np.uint64)
    begin = process_time()
    kernels.fill_uniform(state, out)
    return (process_time() - begin) / NUM_NUMBERS


def cost(users: Users, rounds: int) -> float:
    """Return the median, over rounds, of a user's time in random numbers."""
    state = np.arange(1, 5, dtype=np.uint64)
    reference_seconds(state)
    users(NUM_USERS, 0)  # loads what is not loaded yet
    costs = np.empty(rounds)
    for number in range(rounds):
        before = reference_seconds(state)
        begin = process_time()
        users(NUM_USERS, number)
        seconds = (process_time() - begin) / NUM_USERS
        costs[number] = 2 * seconds / (before + reference_seconds(state))
    return float(np.median(costs))


def moved(costs: dict[str, float], kept: dict[str, float]) -> list[str]:
    """Return a line for each kind that costs `FACTOR` times as much or as little as before.

    >>> moved({"a": 10, "b": 10, "c": 10, "d": 10}, {"a": 11, "b": 1, "c": 20})
    ['b: 10 random numbers a user, 1 kept: 10.0 times as slow', 'c: 10 random numbers a user, 20 \
kept: 2.0 times as fast', 'd: 10 random numbers a user, none kept']
    """
    lines = []
    for kind, value in costs.items():
        told = f"{kind}: {value:,.0f} random numbers a user, "
        if kind not in kept:
            lines.append(f"{told}none kept")
        elif max(value / kept[kind], kept[kind] / value) > FACTOR:
            times = value / kept[kind]
            how = f"{times:.1f} times as slow" if times > 1 else f"{1 / times:.1f} times as fast"
            lines.append(f"{told}{kept[kind]:,.0f} kept: {how}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keep", action="store_true", help="write the figures to be compared with")
    given = parser.parse_args()
    # `simulate` takes all processors there are.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    costs = {}
    for kind, users in USERS.items():
        costs[kind] = cost(users, given.rounds)
        print(f"{costs[kind]:10,.0f}  {kind}", flush=True)
    if given.keep:
        KEPT.write_text(json.dumps({k: float(f"{v:.3g}") for k, v in costs.items()}, indent=0))
        return
    lines = moved(costs, json.loads(KEPT.read_text()))
    print(f"\n{len(lines)} of {len(costs)} kinds of users moved by more than {FACTOR} times")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
