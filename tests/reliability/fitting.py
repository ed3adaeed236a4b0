"""Fit made logs of known walks, and count which intervals hold the true probabilities.

    python -m tests.reliability.fitting [--worlds 40] [--seed 1]

A world has 60 elements with 2 to 8 links each. People choose among an element's links with
probabilities that are Dirichlet around shares: alike (plain), by what targets are worth (targets),
by features of the links (features), or by both. Stops are Beta. Beside the default stands the base
`uniform`, and the default with what it believes beforehand taken as known.
"""

import argparse
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from prum.experiments.fitting.features import link_features
from prum.experiments.fitting.walk import WalkEstimator
from prum.simulator.model import Links
from prum.simulator.model.arrays import Floats, Ints

KINDS = ("plain", "targets", "features", "both")
SIZES = (60, 400, 4_000)
# Visits to an element, from the first of these to before the second.
VISITS = {"0 to 2": (0, 3), "3 to 6": (3, 7), "7 to 20": (7, 21), "more": (21, 10**9)}
# Of fewer links no share is shown.
LEAST = 200
ELEMENTS = [f"e{number:02d}" for number in range(60)]


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """People who walk: their links, and of each row the true P(step)."""

    links: Links
    stops: Floats
    theta: Floats

    @classmethod
    def made(cls, kind: str, rng: np.random.Generator) -> "World":
        """Return a world whose weights and concentration are drawn, too."""
        size = len(ELEMENTS)
        pairs = [
            (ELEMENTS[x], ELEMENTS[(x + step) % size])
            for x in range(size)
            for step in rng.choice(np.arange(1, size), rng.integers(2, 9), replace=False).tolist()
        ]
        links = Links(dict.fromkeys(pairs, 1.0))
        logits = np.zeros(len(links))
        if kind in ("targets", "both"):
            logits += rng.normal(0, 1, size)[links.targets]
        if kind in ("features", "both"):
            features = link_features(links)
            logits += features.values @ rng.normal(0, 0.6, len(features.names))
        shares = np.exp(logits)
        shares /= np.bincount(links.sources, shares)[links.sources]
        each = np.exp(rng.uniform(np.log(0.5), np.log(5)))
        shapes = each * np.diff(links.starts)[links.sources] * shares
        theta = rng.standard_gamma(shapes) + 1e-300
        theta /= np.bincount(links.sources, theta)[links.sources]
        return cls(links, rng.beta(1.5, 4.5, size), theta)

    @property
    def steps(self) -> Floats:
        """P(x -> y) of each row of the links."""
        return (1 - self.stops[self.links.sources]) * self.theta

    def log(self, num_sessions: int, rng: np.random.Generator) -> list[list[str]]:
        """Return the visits of so many people, who enter anywhere."""
        starts, targets = self.links.starts, self.links.targets
        ends = np.cumsum(self.theta)
        ends -= np.append(0, ends)[starts[self.links.sources]] - self.links.sources
        at = rng.integers(len(ELEMENTS), size=num_sessions)
        people = np.arange(num_sessions)
        visits = [[ELEMENTS[x]] for x in at.tolist()]
        while len(people):
            stays = rng.random(len(people)) >= self.stops[at]
            people, at = people[stays], at[stays]
            row = np.searchsorted(ends, at + rng.random(len(at)), side="right")
            row = np.clip(row, starts[at], starts[at + 1] - 1)
            at = targets[row].astype(np.int64)
            for person, x in zip(people.tolist(), at.tolist(), strict=True):
                visits[person].append(ELEMENTS[x])
        return visits


def measured(
    kind: str, num_sessions: int, seed: int, *, plugged_in: bool = False, **how: Any
) -> tuple[Ints, Ints, float]:
    """Return of a made log by `VISITS` the numbers of links and of intervals of 95 % that hold.

    And the mean squared error of all probabilities. `plugged_in` takes as known what is believed
    beforehand.
    """
    rng = np.random.default_rng([seed, KINDS.index(kind), num_sessions])
    world = World.made(kind, rng)
    walk = WalkEstimator(**how).fit(world.log(num_sessions, rng), world.links)
    if plugged_in:
        walk = replace(walk, choices=replace(walk.choices, draws=None), draws=None)
    table = walk.intervals()
    holds = (table.low <= world.steps) & (world.steps <= table.high)
    ends = [low for low, _ in VISITS.values()]
    group = np.searchsorted(ends, table.tried, side="right") - 1
    return (
        np.bincount(group, minlength=len(ends)),
        np.bincount(group, holds, len(ends)).astype(np.int64),
        float(np.square(table.probability - world.steps).mean()),
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Count which intervals of fitted walks hold.")
    parser.add_argument("--worlds", type=int, default=40, help="of each kind and size (40)")
    parser.add_argument("--seed", type=int, default=1, help="of the first world (1)")
    options = parser.parse_args()
    ways: dict[str, dict[str, Any]] = {
        "default": {},
        "uniform": {"base": "uniform"},
        "known": {"plugged_in": True},
    }
    print("sessions  world     beliefs    rmse   " + "  ".join(f"{name:>7}" for name in VISITS))
    for num_sessions in SIZES:
        for kind in KINDS:
            for name, how in ways.items():
                seeds = range(options.seed, options.seed + options.worlds)
                links, holds, errors = zip(
                    *(measured(kind, num_sessions, seed, **how) for seed in seeds), strict=True
                )
                shares = "  ".join(
                    f"{hold / number:>7.3f}" if number >= LEAST else "      –"
                    for hold, number in zip(sum(holds), sum(links), strict=True)
                )
                error = np.mean(errors) ** 0.5
                print(
                    f"{num_sessions:>8,}  {kind:<8}  {name:<7}  {error:.4f}   {shares}", flush=True
                )


if __name__ == "__main__":
    main()
