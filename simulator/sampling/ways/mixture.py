"""Sampler of users of several types: each user's type is drawn, and then what such a user does."""

from collections.abc import Sequence

import numpy as np

from prum.simulator.model import Mixture, Task
from prum.simulator.model.arrays import Counts, Floats, Ints
from prum.simulator.sampling.streams import TYPES, split_mix, stream, uniform, users_key
from prum.simulator.sampling.ways.samplers import Sampler, UserBlock, compiled

_ALL, _GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15


class MixtureSampler:
    """Every type draws every user, and each user is taken from their own type.

    So it takes as long as all types together, and users are what they are without types: numbered,
    and independent of each other. Types have seeds of their own, lest a
    random number that a user of one type needs be that of another user of another type.
    """

    def __init__(self, task: Task, shares: Sequence[float], types: Sequence[Sampler]) -> None:
        self.task, self.shares, self.types = task, shares, types
        self.key = users_key(task)

    def block(self, seed: int, number: int, *, sampled: bool) -> "_MixedBlock":
        """Return block `number` of the users of `seed`, from its first user on."""
        blocks = [
            of_type.block(seed_of_type(seed, k), number, sampled=sampled)
            for k, of_type in enumerate(self.types)
        ]
        return _MixedBlock(self, seed, number, blocks)


class _MixedBlock:
    """The users of one block, as those of the types' blocks are."""

    def __init__(
        self, sampler: MixtureSampler, seed: int, number: int, blocks: Sequence[UserBlock]
    ) -> None:
        self.shares, self.blocks = sampler.shares, blocks
        self.state = stream(seed, sampler.key, number, TYPES)

    def draw(self, consulted: Counts, leading: Counts) -> None:
        chosen = types_of(self.shares, uniform(self.state, len(consulted)))
        for k, block in enumerate(self.blocks):
            c, cl = np.empty_like(consulted), np.empty_like(leading)
            block.draw(c, cl)
            consulted[chosen == k], leading[chosen == k] = c[chosen == k], cl[chosen == k]


def types_of(shares: Sequence[float], numbers: Floats) -> Ints:
    """Return users' types by their numbers in [0, 1).

    >>> types_of([0.25, 0, 0.75], np.array([0.2, 0.25, 0.9])).tolist()
    [0, 2, 2]
    """
    edges = np.cumsum(shares)
    chosen: Ints = np.searchsorted(edges / edges[-1], numbers, side="right")
    return chosen


def seed_of_type(seed: int, k: int) -> int:
    """Return the seed by which type k draws its users: for the first that of the simulation."""
    return seed if k == 0 else split_mix((seed + k * _GOLDEN) & _ALL)


def sampler(task: Task, mixture: Mixture) -> MixtureSampler:
    """Return the sampler of a task."""
    types = [compiled(task, of_type) for of_type in mixture.types]
    return MixtureSampler(task, mixture.shares, types)
