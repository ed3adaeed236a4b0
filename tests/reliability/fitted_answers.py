"""Fit made logs of known walks, and count how often what is said of the fitted walk is false.

    python -m tests.reliability.fitted_answers [--worlds 40] [--seed 1]

Of `prum fit`, the gain over links all alike on sessions held out. Worlds are those of
`tests.reliability.fitting`.
"""

import argparse
import itertools
from dataclasses import replace

import numpy as np

from prum.experiments.fitting.held_out import judge
from prum.experiments.fitting.walk import WalkEstimator
from prum.simulator.model.arrays import Floats, Ints
from tests.reliability.fitting import KINDS, SIZES, World

LOGS, PEOPLE = 20, 40_000
HELD_OUT = (10, 20, 60, 400)


def gains(kind: str, learned: int, held_out: int, seed: int, *, others: bool = False) -> Ints:
    """Return of `LOGS` held-out logs how many intervals hold the gain, and mistake its sign.

    The true gain is that of many people; if `others`, of people who choose otherwise.
    """
    rng = np.random.default_rng([seed, KINDS.index(kind), learned, held_out])
    world = World.made(kind, rng)
    walk = WalkEstimator().fit(world.log(learned, rng), world.links)
    people = replace(world, theta=_turned(world)) if others else world
    true = judge(walk, people.log(PEOPLE, rng)).main.gain[0]
    found = [judge(walk, world.log(held_out, rng)).main.gain for _ in range(LOGS)]
    holds = sum(low <= true <= high for _, low, high in found)
    mistakes = sum(low > 0 >= true or high < 0 <= true for _, low, high in found)
    return np.array([holds, mistakes])


def _turned(world: World) -> Floats:
    """Return the probabilities of each element's links, each as that of the next one."""
    starts = world.links.starts
    parts = [world.theta[x:y] for x, y in itertools.pairwise(starts)]
    return np.concatenate([np.roll(part, 1) for part in parts])


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Count which answers on fitted walks are false.")
    parser.add_argument("--worlds", type=int, default=40, help="of each kind and size (40)")
    parser.add_argument("--seed", type=int, default=1, help="of the first world (1)")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.worlds)
    print("sessions  held out  intervals of the gain that hold it  wrong signs")
    for learned in SIZES[:2]:
        for held_out in HELD_OUT:
            counts = sum(gains(kind, learned, held_out, seed) for kind in KINDS for seed in seeds)
            holds, mistakes = counts / (LOGS * len(KINDS) * len(seeds))
            print(f"{learned:>8,}  {held_out:>8,}  {holds:>35.3f}  {mistakes:>11.4f}", flush=True)


if __name__ == "__main__":
    main()
