"""Walks of second order: what people choose at x depends on the element that they came from, too.

Those who came to x from w choose with theta_wx, which is Dirichlet around theta_x with a
concentration k. What is known of theta_x comes from all others who were at x, so that nothing is
used twice: if they leave theta_x Dirichlet with mean m and concentration K, then theta_wx has mean
m, and is taken to be Dirichlet with the concentration c that gives it the right variance,

    1 / (c + 1) = 1 / (k + 1) + k / (k + 1) / (K + 1).

Without memory, for k without end, c is K, and this is the walk of first order. So both are compared
by one number: how probable the choices of each w at x are, given those of all others there.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from prum.experiments.fitting.dirichlet import group_sums, log_rising
from prum.experiments.logs.counts import StepCounts
from prum.experiments.logs.sessions import Sessions, places_in
from prum.simulator.model import InputError, Links
from prum.simulator.model.arrays import Flags, Floats, Ints

# The logarithm of k lies between these.
_BOUNDS = (-5.0, 15.0)


@dataclass(frozen=True, eq=False)
class Memory:
    """How choices at x depend on where people came from.

    Parameters
    ----------
    counts, shapes
        The log; Dirichlet shapes of theta_x given all of it, by row of links.
    concentration
        k, in choices; the less, the more depends on w.
    """

    counts: StepCounts
    shapes: Floats
    concentration: float

    @cached_property
    def _context(self) -> tuple[Ints, Ints, Floats, Floats]:
        """Of pairs (w, x): sorted keys, of each row of `after` its pair; and by pair N and K."""
        before, row, number = self.counts.after.T
        sources = self.counts.links.sources.astype(np.int64)
        keys, pair = np.unique(
            before * len(self.counts.elements) + sources[row], return_inverse=True
        )
        chosen = group_sums(number, pair, len(keys))
        whole = group_sums(self.shapes, sources, len(self.counts.elements))
        return keys, pair, chosen, whole[keys % len(self.counts.elements)] - chosen

    def _shrunk(self, concentration: float) -> Floats:
        """Return c of each pair."""
        others, k = self._context[3], concentration
        part = 1 / (k + 1) if np.isfinite(k) else 0.0
        return 1 / (part + (1 - part) / (others + 1)) - 1

    def log_evidence(self, concentration: float) -> float:
        """Return log P of what people chose at x who came from w, given all others; of all w, x."""
        _, pair, chosen, others = self._context
        _, row, number = self.counts.after.T
        rest = (self.shapes[row] - number) / others[pair]
        c = self._shrunk(concentration)
        rising = log_rising(c[pair] * rest, number.astype(np.float64)).sum()
        return float(rising - log_rising(c, chosen).sum())

    @property
    def gain(self) -> float:
        """By how much log P of the choices is larger than in the walk of first order, in nats."""
        return self.log_evidence(self.concentration) - self.log_evidence(np.inf)

    @cached_property
    def own_weights(self) -> tuple[Ints, Floats]:
        """Return pairs (w, x), as sorted keys, and what share of choices is as those from w chose.

        The mean of theta_wx is (n_wx + c m) / (N + c). The rest is as in theta_x, given all people.
        """
        keys, _, chosen, others = self._context
        c = self._shrunk(self.concentration)
        return keys, chosen * (1 - c / others) / (chosen + c)

    @cached_property
    def own_rows(self) -> tuple[Ints, Ints, Floats]:
        """Return by pair where its rows begin; rows of links, and their shares in the pair."""
        _, pair, chosen, _ = self._context
        _, row, number = self.counts.after.T
        order = np.lexsort((row, pair))
        starts = np.searchsorted(pair[order], np.arange(len(chosen) + 1))
        return starts, row[order], (number / chosen[pair])[order]

    def pairs(self, before: Ints, at: Ints) -> Ints:
        """Return the numbers of pairs (w, x); -1 where nobody came to x from w before."""
        keys = self.own_weights[0]
        return places_in(keys, before * len(self.counts.elements) + at)

    def shares(self, shares: Floats, before: Ints, rows: Ints) -> Floats:
        """Return the means of theta_wx for rows of links, from w each; theta_x where w is -1."""
        links = self.counts.links
        pair = self.pairs(before, links.sources[rows].astype(np.int64))
        _, own, part = self.own_rows
        starts = self.own_rows[0]
        keys = np.repeat(np.arange(len(starts) - 1), np.diff(starts)) * len(links) + own
        taken = np.append(part, 0.0)[places_in(keys, pair * len(links) + rows)]
        weight = np.append(self.own_weights[1], 0.0)[pair]
        mean: Floats = (1 - weight) * shares[rows] + weight * taken
        return mean


def memory_concentration(counts: StepCounts, shapes: Floats) -> float:
    """Return the k under which what people chose at x who came from w is most probable."""
    from scipy.optimize import minimize_scalar

    memory = Memory(counts, shapes, np.inf)
    best = minimize_scalar(
        lambda log: -memory.log_evidence(np.exp(log)), bounds=_BOUNDS, method="bounded"
    )
    return float(np.exp(best.x))


# Visits after which a session is cut: there are people who hardly ever stop.
MOST_VISITS = 10_000
# So much below 1 are random numbers that a sum with the number of a row doesn't round to the next.
_BELOW = 1 - 2.0**-30


def made_walks(
    counts: StepCounts,
    stop: Floats,
    back: Floats,
    is_leaf: Flags,
    choose: "Chooser",
    num_sessions: int,
    seed: int,
) -> Sessions:
    """Return sessions of one path each, entries drawn as in the log.

    Parameters
    ----------
    counts
        The log.
    stop, back, is_leaf
        By element: the probabilities of stopping and of going back, and whether no link leads on.
    choose
        Which link people take.

    Raise InputError for a number of sessions below 1.
    """
    if num_sessions < 1:
        raise InputError("number of sessions", num_sessions, "be at least 1", remedy="try 1000")
    rng = np.random.default_rng(seed)
    entered = np.cumsum(counts.entries)
    at = np.searchsorted(entered, rng.random(num_sessions) * entered[-1], side="right")
    session, depth = np.arange(num_sessions), np.ones(num_sessions, dtype=np.int64)
    trail, before = at[:, None], np.full(num_sessions, -1)
    visits = [(session, at, np.zeros(num_sessions, dtype=np.bool_))]
    while len(session) and len(visits) < MOST_VISITS:
        tosses = rng.random((4, len(session)))
        alone = depth == 1
        stays = ~((tosses[0] < stop[at]) | (alone & is_leaf[at]))
        session, depth, trail, at, before, alone, tosses = (
            session[stays],
            depth[stays],
            trail[stays],
            at[stays],
            before[stays],
            alone[stays],
            tosses[:, stays],
        )
        goes_back = ~alone & (tosses[1] < back[at])
        person = np.arange(len(session))
        target = choose(at, before, tosses[2:])
        depth = depth + np.where(goes_back, -1, 1)
        if depth.max(initial=0) > trail.shape[1]:
            trail = np.pad(trail, ((0, 0), (0, trail.shape[1])))
        before = np.where(goes_back, -1, at)
        at = np.where(goes_back, trail[person, depth - 1], target)
        trail[person, depth - 1] = at
        visits.append((session, at, goes_back))
    number, element, is_back = (np.concatenate(column) for column in zip(*visits, strict=True))
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(num_sessions + 1))
    cut = np.isin(np.arange(num_sessions), session)
    columns = element[order].astype(np.int64), starts.astype(np.int64), is_back[order]
    return Sessions.of_paths(counts.elements, *columns, cut)


class Chooser:
    """Which link people take, each by two random numbers."""

    def __init__(self, links: Links, shares: Floats, memory: Memory | None) -> None:
        self.targets = links.targets.astype(np.int64)
        self.ends = _ends(shares, links.starts)
        self.memory = memory
        if memory is not None:
            starts, self.rows, own = memory.own_rows
            self.own_ends = _ends(own, starts)

    def __call__(self, at: Ints, before: Ints, tosses: Floats) -> Ints:
        """Return where people go who are at some elements and came from others, -1 from none."""
        row = np.searchsorted(self.ends, at + tosses[0] * _BELOW, side="right")
        if self.memory is not None:
            pair = self.memory.pairs(before, at)
            weight = np.append(self.memory.own_weights[1], 0)[pair]
            own = tosses[1] < weight
            place = np.searchsorted(
                self.own_ends, pair[own] + tosses[0][own] * _BELOW, side="right"
            )
            row[own] = self.rows[place]
        # Where there is no link nobody moves on, and any row will do.
        targets: Ints = self.targets[np.minimum(row, len(self.targets) - 1)]
        return targets


def _ends(shares: Floats, starts: Ints) -> Floats:
    """Return where each row ends if those of group i fill the interval from i to i + 1."""
    sizes = np.diff(starts)
    group = np.repeat(np.arange(len(sizes)), sizes)
    sums = np.append(0.0, np.cumsum(shares))
    within = np.minimum(sums[1:] - sums[starts[group]], 1.0)
    within[starts[1:][sizes > 0] - 1] = 1.0
    ends: Floats = group + within
    return ends
