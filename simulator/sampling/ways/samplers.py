"""Samplers: a task and a way of browsing, compiled into tables from which users are drawn.

A sampler only knows how to write C(r) and CL(r) of the next users of a block. `compiled` chooses
it by the navigation.
"""

from typing import Protocol

import numpy as np

from prum.simulator.model import (
    Browsing,
    Coupled,
    Covering,
    Independent,
    InputError,
    Mixture,
    Navigation,
    OneFactor,
    Task,
    Walk,
)
from prum.simulator.model.arrays import Counts, Floats, Words
from prum.simulator.sampling.streams import FIRST_SEEN, stream, unranked_streams, users_key
from prum.simulator.sampling.ways.contexts import ContextSampler
from prum.simulator.sampling.ways.covering import CoveringSampler
from prum.simulator.sampling.ways.mixture import MixtureSampler
from prum.simulator.sampling.ways.populations import PopulationSampler
from prum.simulator.sampling.ways.pushed_visits import PushedVisits, pushed_visits
from prum.simulator.sampling.ways.stepwise import StepwiseSampler
from prum.simulator.sampling.ways.walks import WalkSampler

# The rank of ideals that the list does not show, as in `kernels`, which is slow to load.
NEVER = 2**31 - 1
# A guide table of up to 2^14 entries stays in the first cache.
_GUIDE_BITS = 14


class UserBlock(Protocol):
    """The users of one block, drawn in order."""

    def draw(self, consulted: Counts, leading: Counts) -> None:
        """Write C(r) and CL(r) of the next users to arrays of shape (users, t).

        It is fastest if the arrays are in column order (``order="F"``). Where the unranked part is
        not sampled and the list did not suffice, C(r) is 0 and CL(r) is that of the list.
        """


class Sampler(Protocol):
    """Draws the users of a task."""

    task: Task

    def block(self, seed: int, number: int, *, sampled: bool) -> UserBlock:
        """Return block `number` of the users of `seed`, from its first user on."""


class PushedBlock(Protocol):
    """The plain and pushed users of one block, drawn in order."""

    def draw(self, consulted: Counts, leading: Counts, weights: Floats) -> None:
        """Write C(r), CL(r) and the weights of the next users: arrays (users, t) and (users,).

        A weight is p / q, p a user's probability and q that of being drawn so by a user of whom it
        is not known whether they are pushed (`streams.weighted`); at most 4/3.
        """


class PushedSampler(Protocol):
    """Draws the users of a task, of whom every fourth is pushed towards what is rare.

    User v of a block is pushed if v % PUSHED_EVERY is PUSHED_EVERY - 1 (`streams.is_pushed`); the
    others are those of the plain sampler. The unranked part is sampled. `bounds` (2, t) are those
    on the probabilities that C(r) lies behind the list, and that CL(r) is less than r.
    """

    task: Task
    bounds: Floats

    def block(self, seed: int, number: int) -> PushedBlock:
        """Return block `number` of the users of `seed`, from its first user on."""


class NavigationSampler(Sampler, Protocol):
    """Draws the users of a task under a navigation."""

    def pushed(self) -> PushedSampler | None:
        """Return a sampler of plain and pushed users, None where nothing is rare."""


def compiled(task: Task, navigation: Navigation) -> NavigationSampler:
    """Return the sampler of a task under a navigation.

    Raises
    ------
    InputError
        for an object that is not a navigation.
    """
    if isinstance(navigation, Independent):
        return FirstSeen(task, navigation)
    if isinstance(navigation, Walk):
        return WalkSampler(task, navigation)
    if isinstance(navigation, Coupled):
        if navigation.is_independent:
            return FirstSeen(task, navigation.navigation)
        return ContextSampler(task, navigation)
    if isinstance(navigation, Mixture):
        types = [compiled(task, of_type) for of_type in navigation.navigations]
        return MixtureSampler(task, navigation.shares, types)
    if isinstance(navigation, Covering):
        return CoveringSampler(task, navigation)
    if isinstance(navigation, Browsing):
        return _of_browsing(task, navigation)
    rule = "be Independent, Coupled, Walk, Browsing, Mixture or Covering"
    raise InputError("navigation", navigation, rule, remedy="wrap your links in one of them")


def _of_browsing(task: Task, browsing: Browsing) -> NavigationSampler:
    navigation, population = browsing.navigation, browsing.population
    if browsing.is_plain:
        return compiled(task, navigation)
    if isinstance(navigation, Coupled) and navigation.is_independent:
        navigation = navigation.navigation
    if (
        browsing.turned == ("population",)
        and isinstance(navigation, Independent)
        and population is not None
        and not isinstance(population, OneFactor)
    ):
        return PopulationSampler(task, navigation, population)
    return StepwiseSampler(task, browsing)


class FirstSeen:
    """Independent navigation: the rank at which each ideal is first seen, by inversion.

    P(first seen at rank i) = reach[i, x] prod_{j<i} (1 - reach[j, x]). A user's random number for
    ideal x is the same in every list, so two lists are compared on the same users.
    """

    def __init__(self, task: Task, navigation: Independent) -> None:
        self.task = task
        self.key = users_key(task)
        ranks, ideals, probabilities = navigation.reach(task)
        order = np.lexsort((ranks, ideals))
        ranks, ideals, probabilities = ranks[order], ideals[order], probabilities[order]
        t = task.num_ideals
        cumulative: list[Words] = []
        candidates: list[Counts] = []
        guides: list[Counts] = []
        self.shifts = np.empty(t, dtype=np.uint64)
        bounds = np.searchsorted(ideals, np.arange(t + 1))
        for x in range(t):
            column = slice(bounds[x], bounds[x + 1])
            edges = _cumulative(probabilities[column])
            bits = max(len(edges).bit_length(), min(_GUIDE_BITS, (8 * len(edges)).bit_length()))
            self.shifts[x] = 64 - bits
            buckets = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
            guides.append(np.searchsorted(edges, buckets, side="right").astype(np.int32))
            cumulative.append(edges)
            candidates.append(np.append(ranks[column] + 1, NEVER)[: len(edges)].astype(np.int32))
        self.starts = np.concatenate(([0], np.cumsum([len(edges) for edges in cumulative])))
        self.cumulative = np.concatenate(cumulative)
        self.ranks = np.concatenate(candidates)
        self.guide_starts = np.concatenate(([0], np.cumsum([len(guide) for guide in guides])))
        self.guides = np.concatenate(guides)

    def pushed(self) -> PushedVisits | None:
        """Return a sampler of plain and pushed users, None where nothing is rare."""
        return pushed_visits(self)

    def block(self, seed: int, number: int, *, sampled: bool) -> "_FirstSeenBlock":
        """Return block `number` of the users of `seed`, from its first user on."""
        return _FirstSeenBlock(self, seed, number, sampled=sampled)


class _FirstSeenBlock:
    def __init__(self, sampler: FirstSeen, seed: int, number: int, *, sampled: bool) -> None:
        self.sampler, self.sampled = sampler, sampled
        self.state = stream(seed, sampler.key, number, FIRST_SEEN)
        self.unranked, self.again = unranked_streams(seed, sampler.key, number, sampled)

    def draw(self, consulted: Counts, leading: Counts) -> None:
        from prum.simulator.sampling.kernels import first_seen

        sampler = self.sampler
        first_seen(
            self.state, sampler.starts, sampler.cumulative, sampler.ranks,
            sampler.guide_starts, sampler.guides, sampler.shifts, self.unranked, self.again,
            sampler.task.num_ranked, sampler.task.num_unranked, self.sampled,
            consulted.T, leading.T,
        )  # fmt: skip


def _cumulative(probabilities: Floats) -> Words:
    """Return P(first seen by candidate k) as shares of 2^64, ending with the largest number.

    If an ideal is certain to be seen at its last candidate, that candidate is the end.
    """
    unseen = np.cumprod(1 - probabilities)
    seen = (1 - unseen) * 2.0**53
    shares = np.minimum(seen, 2.0**53 - 1).astype(np.uint64) << np.uint64(11)
    top = np.uint64(0xFFFFFFFFFFFFFFFF)
    certain = np.flatnonzero(probabilities == 1)
    if certain.size:
        return np.append(shares[: certain[0]], top)
    return np.append(shares, top)
