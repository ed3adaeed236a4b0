"""Samplers of rare users: one for each sampler of plain users that has one."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from prum.simulator.model import Browsing, Task
from prum.simulator.model.arrays import Counts, Floats
from prum.simulator.sampling.importance.goals import RARE
from prum.simulator.sampling.importance.steered import steered
from prum.simulator.sampling.importance.visits import pushed_visits
from prum.simulator.sampling.importance.walks import PushedWalkSampler
from prum.simulator.sampling.streams import PUSHED_EVERY, TYPES, stream, uniform, weighted
from prum.simulator.sampling.ways.browsing import PopulationSampler
from prum.simulator.sampling.ways.coupled import ContextSampler
from prum.simulator.sampling.ways.independent import FirstSeen
from prum.simulator.sampling.ways.mixture import MixtureSampler, draw_each, seed_of_type, types_of
from prum.simulator.sampling.ways.samplers import Sampler, UserBlock
from prum.simulator.sampling.ways.stepwise import StepwiseSampler
from prum.simulator.sampling.ways.walk import WalkSampler


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


def pushed(plain: Sampler) -> PushedSampler | None:
    """Return a sampler of the same users of whom some are pushed, None where nothing is rare.

    None also where nobody can be pushed: readers of chunks, say.
    """
    match plain:
        case FirstSeen():
            return pushed_visits(plain)
        case WalkSampler():
            return PushedWalkSampler.of(plain)
        case StepwiseSampler():
            return steered(plain, plain)
        case ContextSampler():
            return steered(plain, StepwiseSampler(plain.task, Browsing(plain.navigation)))
        case PopulationSampler():
            browsing = Browsing(plain.navigation, plain.population)
            return steered(plain, StepwiseSampler(plain.task, browsing))
        case MixtureSampler():
            types = [pushed(of_type) for of_type in plain.types]
            rare = any(0 < share < RARE for share in plain.shares)
            return PushedMixture(plain, types) if rare or any(types) else None
    return None


class PushedMixture:
    """Plain and pushed users of several types; where nothing is rare for a type, all are plain.

    Half of the pushed users are of one type as likely as of another, so that no type is rare.
    """

    def __init__(self, plain: MixtureSampler, pushed: Sequence[PushedSampler | None]) -> None:
        self.task, self.plain, self.pushed = plain.task, plain, pushed
        self.own = np.array(plain.shares) / np.sum(plain.shares)
        self.shares = (self.own + (self.own > 0) / np.count_nonzero(self.own)) / 2
        parts = zip(self.own, pushed, strict=True)
        self.bounds: Floats = sum(
            (share * one.bounds for share, one in parts if one is not None),
            start=np.zeros((2, plain.task.num_ideals)),
        )

    def block(self, seed: int, number: int) -> "_PushedTypesBlock":
        """Return block `number` of the users of `seed`, from its first user on."""
        blocks: list[PushedBlock] = []
        for k, (of_type, pushed) in enumerate(zip(self.plain.types, self.pushed, strict=True)):
            own = seed_of_type(seed, k)
            plain = of_type.block(own, number, sampled=True)
            blocks.append(_Unpushed(plain) if pushed is None else pushed.block(own, number))
        return _PushedTypesBlock(self, seed, number, blocks)


class _PushedTypesBlock:
    def __init__(
        self, sampler: PushedMixture, seed: int, number: int, blocks: Sequence[PushedBlock]
    ) -> None:
        self.sampler, self.blocks = sampler, blocks
        self.state = stream(seed, sampler.plain.key, number, TYPES)

    def draw(self, consulted: Counts, leading: Counts, weights: Floats) -> None:
        own, shares = self.sampler.own, self.sampler.shares
        numbers = uniform(self.state, len(consulted))
        chosen = types_of(self.sampler.plain.shares, numbers)
        every = slice(PUSHED_EVERY - 1, None, PUSHED_EVERY)
        chosen[every] = types_of(shares.tolist(), numbers[every])
        draw_each(self.blocks, chosen, consulted, leading, weights)
        ratio = np.maximum(PUSHED_EVERY / weights - (PUSHED_EVERY - 1), 0)
        weights[:] = weighted(ratio * shares[chosen] / own[chosen])


class _Unpushed:
    def __init__(self, plain: UserBlock) -> None:
        self.plain = plain

    def draw(self, consulted: Counts, leading: Counts, weights: Floats) -> None:
        self.plain.draw(consulted, leading)
        weights[:] = 1
