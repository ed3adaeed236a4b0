"""Sampler of users of several types: each user's type is drawn, and then what such a user does."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from prum.simulator.model import Mixture, Task
from prum.simulator.model.arrays import Counts, Floats, Ints
from prum.simulator.sampling.numbers import split_mix
from prum.simulator.sampling.streams import (
    PUSHED_EVERY,
    TYPES,
    stream,
    uniform,
    users_key,
    weighted,
)
from prum.simulator.sampling.ways.samplers import (
    NavigationSampler,
    PushedBlock,
    PushedSampler,
    UserBlock,
    compiled,
)

# What is less probable than this is rare.
RARE = 0.05
_ALL, _GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15


class MixtureSampler:
    """Every type draws every user, and each user is taken from their own type.

    So it takes as long as all types together, and users are what they are without types: numbered,
    independent of each other, and pushed by their number. Types have seeds of their own, lest a
    random number that a user of one type needs be that of another user of another type.
    """

    def __init__(
        self, task: Task, shares: Sequence[float], types: "Sequence[NavigationSampler]"
    ) -> None:
        self.task, self.shares, self.types = task, shares, types
        self.key = users_key(task)

    def pushed(self) -> "PushedMixture | None":
        """Return a sampler of plain and pushed users, None where nothing is rare, nor any type."""
        pushed = [of_type.pushed() for of_type in self.types]
        rare = any(0 < share < RARE for share in self.shares)
        return PushedMixture(self, pushed) if rare or any(x is not None for x in pushed) else None

    def block(self, seed: int, number: int, *, sampled: bool) -> "MixedBlock":
        """Return block `number` of the users of `seed`, from its first user on."""
        blocks = [
            of_type.block(seed_of_type(seed, k), number, sampled=sampled)
            for k, of_type in enumerate(self.types)
        ]
        return MixedBlock(self, seed, number, blocks)


class PushedMixture:
    """Plain and pushed users of several types; where nothing is rare for a type, all are plain.

    Half of the pushed users are of one type as likely as of another, so that no type is rare.
    """

    def __init__(self, plain: MixtureSampler, pushed: "Sequence[PushedSampler | None]") -> None:
        self.task, self.plain, self.pushed = plain.task, plain, pushed
        self.own = np.array(plain.shares) / np.sum(plain.shares)
        self.shares = (self.own + (self.own > 0) / np.count_nonzero(self.own)) / 2
        parts = zip(self.own, pushed, strict=True)
        self.bounds: Floats = sum(
            (share * one.bounds for share, one in parts if one is not None),
            start=np.zeros((2, plain.task.num_ideals)),
        )

    def block(self, seed: int, number: int) -> "_PushedMixedBlock":
        """Return block `number` of the users of `seed`, from its first user on."""
        blocks: list[PushedBlock] = []
        for k, (of_type, pushed) in enumerate(zip(self.plain.types, self.pushed, strict=True)):
            own = seed_of_type(seed, k)
            plain = of_type.block(own, number, sampled=True)
            blocks.append(_Unpushed(plain) if pushed is None else pushed.block(own, number))
        return _PushedMixedBlock(self, seed, number, blocks)


class MixedBlock:
    """The users of one block, as those of the types' blocks are."""

    def __init__(
        self, sampler: MixtureSampler, seed: int, number: int, blocks: "Sequence[UserBlock]"
    ) -> None:
        self.shares, self.blocks = sampler.shares, blocks
        self.state = stream(seed, sampler.key, number, TYPES)

    def draw(self, consulted: Counts, leading: Counts) -> None:
        """Write C(r) and CL(r) of the next users."""
        chosen = types_of(self.shares, uniform(self.state, len(consulted)))
        _draw_each(self.blocks, chosen, consulted, leading)


class _PushedMixedBlock:
    def __init__(
        self, sampler: PushedMixture, seed: int, number: int, blocks: "Sequence[PushedBlock]"
    ) -> None:
        self.sampler, self.blocks = sampler, blocks
        self.state = stream(seed, sampler.plain.key, number, TYPES)

    def draw(self, consulted: Counts, leading: Counts, weights: Floats) -> None:
        own, shares = self.sampler.own, self.sampler.shares
        numbers = uniform(self.state, len(consulted))
        chosen = types_of(self.sampler.plain.shares, numbers)
        every = slice(PUSHED_EVERY - 1, None, PUSHED_EVERY)
        chosen[every] = types_of(shares.tolist(), numbers[every])
        _draw_each(self.blocks, chosen, consulted, leading, weights)
        ratio = np.maximum(PUSHED_EVERY / weights - (PUSHED_EVERY - 1), 0)
        weights[:] = weighted(ratio * shares[chosen] / own[chosen])


def _draw_each(blocks: Sequence[Any], chosen: Ints, *drawn: Any) -> None:
    """Have every type draw every user, and take each user from their own type."""
    for k, block in enumerate(blocks):
        own = [np.empty_like(column) for column in drawn]
        block.draw(*own)
        for column, of_type in zip(drawn, own, strict=True):
            column[chosen == k] = of_type[chosen == k]


class _Unpushed:
    def __init__(self, plain: "UserBlock") -> None:
        self.plain = plain

    def draw(self, consulted: Counts, leading: Counts, weights: Floats) -> None:
        self.plain.draw(consulted, leading)
        weights[:] = 1


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
