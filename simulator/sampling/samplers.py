"""Samplers: a task and a way of browsing, compiled into tables from which users are drawn.

A sampler knows one thing, how to write C(r) and CL(r) of the next users of a block. `compiled`
chooses it by the navigation.
"""

from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import (
    Coupled,
    Independent,
    InputError,
    Links,
    Navigation,
    Population,
    Task,
    Walk,
)
from prum.simulator.sampling.contexts import Contexts
from prum.simulator.sampling.populations import Populations
from prum.simulator.sampling.streams import (
    FIRST_SEEN,
    WALKS,
    stream,
    unranked_streams,
    users_key,
)

Counts = NDArray[np.int32]
Words = NDArray[np.uint64]

# Stands for the rank of what the list does not give, as in `kernels`, which is slow to load.
NEVER = 2**31 - 1
# A guide table of up to 2^14 entries stays in the first cache.
_GUIDE_BITS = 14


class Block(Protocol):
    """The users of one block, drawn in order."""

    def draw(self, consulted: Counts, leading: Counts) -> None:
        """Write C(r) and CL(r) of the next users to arrays of shape (users, t).

        It is fastest where the arrays are in column order (``order="F"``).
        Where the unranked part is not sampled and the list did not suffice, C(r) is 0 and CL(r)
        what the list led to.
        """


class Sampler(Protocol):
    """Draws the users of a task."""

    task: Task

    def block(self, seed: int, number: int, *, sampled: bool, stratified: bool) -> Block:
        """Return block `number` of the users of `seed`, from its first user on."""


def compiled(task: Task, navigation: Navigation) -> Sampler:
    """Return the sampler of a task under a navigation.

    Raises
    ------
    InputError
        for an object that is no navigation.
    """
    if isinstance(navigation, Independent):
        return FirstSeen(task, navigation)
    if isinstance(navigation, Walk):
        return Walks(task, navigation)
    if isinstance(navigation, Coupled):
        if navigation.is_independent:
            return FirstSeen(task, navigation.navigation)
        return Contexts(task, navigation)
    if isinstance(navigation, Population):
        return Populations(task, navigation)
    raise InputError(
        "navigation",
        navigation,
        "be Independent, Coupled, Population or Walk",
        remedy="wrap your links in one of them",
    )


class FirstSeen:
    """Independent navigation: the rank at which each ideal is first seen, by inversion.

    P(first seen at rank i) = reach[i, x] prod_{j<i} (1 - reach[j, x]); a user's number for ideal
    x is the same in every list, so two lists are compared on the same users.
    """

    def __init__(self, task: Task, navigation: Independent) -> None:
        self.task = task
        self.key = users_key(task)
        ranks, ideals, probabilities = navigation.reach(task)
        order = np.lexsort((ranks, ideals))
        ranks, ideals, probabilities = ranks[order], ideals[order], probabilities[order]
        t = task.num_ideals
        cumulative: list[Words] = []
        candidates: list[NDArray[np.int32]] = []
        guides: list[NDArray[np.int32]] = []
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

    def block(
        self, seed: int, number: int, *, sampled: bool, stratified: bool
    ) -> "_FirstSeenBlock":
        """Return block `number` of the users of `seed`, from its first user on."""
        return _FirstSeenBlock(self, seed, number, sampled=sampled, stratified=stratified)


class _FirstSeenBlock:
    def __init__(
        self, sampler: FirstSeen, seed: int, number: int, *, sampled: bool, stratified: bool
    ) -> None:
        self.sampler, self.sampled, self.stratified = sampler, sampled, stratified
        self.state = stream(seed, sampler.key, number, FIRST_SEEN)
        self.unranked, self.again = unranked_streams(seed, sampler.key, number, sampled)

    def draw(self, consulted: Counts, leading: Counts) -> None:
        from prum.simulator.sampling import kernels

        sampler = self.sampler
        kernels.first_seen(
            self.state, self.stratified, sampler.starts, sampler.cumulative, sampler.ranks,
            sampler.guide_starts, sampler.guides, sampler.shifts, self.unranked, self.again,
            sampler.task.num_ranked, sampler.task.num_unranked, self.sampled, consulted, leading,
        )  # fmt: skip


def _cumulative(probabilities: NDArray[np.float64]) -> Words:
    """Return P(first seen by candidate k) as shares of 2^64, and an end that nothing exceeds.

    Where an ideal is certain to be seen at its last candidate, that candidate is the end.
    """
    unseen = np.cumprod(1 - probabilities)
    seen = (1 - unseen) * 2.0**53
    shares = np.minimum(seen, 2.0**53 - 1).astype(np.uint64) << np.uint64(11)
    top = np.uint64(0xFFFFFFFFFFFFFFFF)
    certain = np.flatnonzero(probabilities == 1)
    if certain.size:
        return np.append(shares[: certain[0]], top)
    return np.append(shares, top)


class Walks:
    """Walks on the links: one path from each entry, step by step through alias tables."""

    def __init__(self, task: Task, navigation: Walk) -> None:
        self.task = task
        self.key = users_key(task)
        self.rows, self.columns = _alias_tables(navigation.links)
        code = navigation.links.code
        ideal_of = {ideal: x for x, ideal in enumerate(task.ideals)}
        self.ideal_of = np.full(len(navigation.links.elements), -1, dtype=np.int32)
        for ideal, x in ideal_of.items():
            if ideal in code:
                self.ideal_of[code[ideal]] = x
        ranks, entries, entry_ideals = [], [], []
        done: set[str] = set()
        starts = navigation.links.starts
        for rank, element in enumerate(task.ranking):
            if element in done:
                continue
            done.add(element)
            position = code.get(element, -1)
            if position >= 0 and starts[position] == starts[position + 1]:
                position = -1
            x = ideal_of.get(element, -1)
            if position >= 0 or x >= 0:
                ranks.append(rank + 1)
                entries.append(position)
                entry_ideals.append(x)
        self.ranks = np.array(ranks, dtype=np.int64)
        self.entries = np.array(entries, dtype=np.int64)
        self.entry_ideals = np.array(entry_ideals, dtype=np.int64)

    def block(self, seed: int, number: int, *, sampled: bool, stratified: bool) -> "_WalksBlock":
        """Return block `number` of the users of `seed`; it cannot be stratified."""
        if stratified:
            raise InputError(
                "stratified",
                True,
                "be False for walks (a path has no fixed number of draws to stratify)",
                remedy="leave it out, or use independent navigation",
            )
        return _WalksBlock(self, seed, number, sampled=sampled)


class _WalksBlock:
    def __init__(self, sampler: Walks, seed: int, number: int, *, sampled: bool) -> None:
        self.sampler, self.sampled = sampler, sampled
        self.walk_key = stream(seed, sampler.key, number, WALKS)[0]
        self.unranked, self.again = unranked_streams(seed, sampler.key, number, sampled)
        self.done = 0

    def draw(self, consulted: Counts, leading: Counts) -> None:
        from prum.simulator.sampling import kernels

        sampler = self.sampler
        kernels.walks(
            self.walk_key, self.done, sampler.rows, sampler.columns, sampler.ideal_of,
            sampler.ranks, sampler.entries, sampler.entry_ideals, self.unranked, self.again,
            sampler.task.num_ranked, sampler.task.num_unranked, self.sampled, consulted, leading,
        )  # fmt: skip
        self.done += len(consulted)


@lru_cache(maxsize=4)
def _alias_tables(links: Links) -> tuple[Words, Words]:
    """Return rows and columns as `kernels.walks` takes them; kept for the next tasks.

    A column is a threshold and a word of two outcomes, the first in the lower half.
    """
    from prum.simulator.sampling.alias import alias_tables

    outcomes = np.diff(links.starts) + 1
    bits = np.ceil(np.log2(outcomes)).astype(np.int64)
    row_starts = np.concatenate(([0], np.cumsum(1 << bits)))
    size = int(row_starts[-1])
    thresholds = np.zeros(size, dtype=np.uint64)
    stays, goes = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
    alias_tables(
        links.starts, links.targets, links.probabilities, row_starts[:-1], bits,
        thresholds, stays, goes,
    )  # fmt: skip
    rows = (row_starts[:-1].astype(np.uint64) << np.uint64(6)) | bits.astype(np.uint64)
    both = (goes.view(np.uint32).astype(np.uint64) << np.uint64(32)) | stays.view(np.uint32)
    return rows, np.stack((thresholds, both), axis=1)
