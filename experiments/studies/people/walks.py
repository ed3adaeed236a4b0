"""TEMPORARY stand-in for the fitted walk."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from prum.experiments.logs.counts import step_counts
from prum.experiments.logs.sessions import BACK, Sessions
from prum.simulator.model import Links, Walk


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    links: Links
    theta: np.ndarray
    stop: np.ndarray
    back: np.ndarray
    entries: np.ndarray

    @property
    def navigation(self) -> Walk:
        L = self.links
        p = self.theta * ((1 - self.stop) * (1 - self.back))[L.sources]
        names = L.elements
        return Walk(Links.from_columns([names[i] for i in L.sources], [names[i] for i in L.targets], p))

    def sample_posterior(self, n: int, seed: int) -> list[Walk]:
        return [self.navigation] * n

    def simulate(self, num_sessions: int, seed: int) -> Sessions:
        rng = np.random.default_rng(seed)
        L = self.links
        sessions = []
        entries = rng.choice(len(self.entries), num_sessions, p=self.entries / self.entries.sum())
        for x in entries.tolist():
            trail = [x]
            names = [L.elements[x]]
            while rng.random() >= self.stop[trail[-1]] and len(names) < 1000:
                if len(trail) > 1 and rng.random() < self.back[trail[-1]]:
                    trail.pop()
                    names.append(BACK)
                    continue
                rows = slice(L.starts[trail[-1]], L.starts[trail[-1] + 1])
                if rows.start == rows.stop:
                    break
                shares = np.cumsum(self.theta[rows])
                trail.append(int(L.targets[rows][min(np.searchsorted(shares, rng.random() * shares[-1]), len(shares) - 1)]))
                names.append(L.elements[trail[-1]])
            sessions.append(names)
        return Sessions.of(sessions)


Fit = Callable[[Sessions], Fitted]


def fitted(sessions, links, order=1):
    c = step_counts([sessions], links, elements=sessions.elements)
    into = np.bincount(links.targets, c.moves, len(c.elements)) + 1
    base = into[links.targets] / np.bincount(links.sources, into[links.targets], len(c.elements))[links.sources]
    theta = (c.moves + 10 * base) / (c.moved + 10)[links.sources]
    out = c.moved + c.stops + c.backs
    s = (c.stops + 1) / (out + 5)
    b = (c.backs + 0.5) / (c.moved + c.backs + 5)
    return Fitted(links, theta, s, b, c.entries)
