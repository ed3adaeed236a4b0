"""A walk whose steps have Dirichlet posteriors: the plainest navigation learned from a log."""

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.experiments.fitting.fitted import FittedNavigation
from prum.simulator.model import Links, Walk

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class StepPosterior(FittedNavigation):
    """From each element people take a link or stop; `shapes` of links, `stops` of elements."""

    def __init__(
        self, links: Links, shapes: Floats, stops: Floats, visits: Floats, num_sessions: int
    ) -> None:
        self.links, self.shapes, self.stops, self.visits = links, shapes, stops, visits
        self.counts = SimpleNamespace(num_sessions=num_sessions)
        self.wholes = np.bincount(links.sources, shapes, len(links.elements)) + stops

    @property
    def navigation(self) -> Walk:
        """Means."""
        return self.walk(self.shapes / self.wholes[self.links.sources])

    def walk(self, steps: Floats) -> Walk:
        """Return a walk of these steps."""
        ends = (
            [self.links.elements[x] for x in c] for c in (self.links.sources, self.links.targets)
        )
        return Walk(Links.from_columns(*ends, steps))

    def sample_posterior(self, n: int, seed: int) -> list[Any]:
        """Return walks, by gamma variates."""
        rng = np.random.default_rng(seed)
        walks = []
        for _ in range(n):
            moves, stops = rng.gamma(self.shapes), rng.gamma(self.stops)
            whole = np.bincount(self.links.sources, moves, len(stops)) + stops
            walks.append(self.walk(moves / whole[self.links.sources]))
        return walks

    def variances(self, slopes: Floats) -> Floats:
        """Return those of a Dirichlet law."""
        num, source = len(self.links.elements), self.links.sources
        p = self.shapes / self.wholes[source]
        mean = np.bincount(source, slopes * p, num)
        square = np.bincount(source, slopes**2 * p, num)
        return (square - mean**2) / (self.wholes + 1)

    def row_variances(self) -> Floats:
        """Return the variances of each step."""
        whole = self.wholes[self.links.sources]
        p = self.shapes / whole
        return p * (1 - p) / (whole + 1)

    @property
    def tried(self) -> Ints:
        """Visits of each step's source."""
        return self.visits[self.links.sources].astype(np.int64)


# It is neither learned from sessions nor written.
StepPosterior.__abstractmethods__ = frozenset()


def learned(walk: Walk, num_sessions: int, rng: np.random.Generator) -> StepPosterior:
    """Return what so many walks tell who enter anywhere, after the law by which steps were drawn.

    Before the log each element's steps and stop are as likely as any (a flat Dirichlet law).
    """
    links = walk.links
    n = len(links.elements)
    at = rng.integers(0, n, num_sessions)
    moves, stops = np.zeros(len(links)), np.zeros(n)
    edges = np.concatenate([[0.0], np.cumsum(links.probabilities)])
    while len(at):
        begin, end = links.starts[at], links.starts[at + 1]
        drawn = edges[begin] + rng.random(len(at))
        row = np.searchsorted(edges[1:], drawn, side="right")
        goes = row < end
        np.add.at(moves, row[goes], 1)
        np.add.at(stops, at[~goes], 1)
        at = links.targets[row[goes]].astype(np.int64)
    visits = np.bincount(links.sources, moves, n) + stops
    return StepPosterior(links, 1.0 + moves, 1.0 + stops, visits, num_sessions)


def flat_walk(n: int, degree: int, rng: np.random.Generator) -> Walk:
    """Return a walk with steps drawn from the flat law that `learned` begins with."""
    rows = {}
    for x in range(n):
        targets = rng.choice([y for y in range(n) if y != x], degree, replace=False)
        shares = rng.dirichlet(np.ones(degree + 1))
        rows |= {(f"e{x:03}", f"e{y:03}"): float(p) for y, p in zip(targets, shares, strict=False)}
    return Walk(rows)
