"""Sampler of users of whom some are steered towards what is rare, wherever users toss visits."""

from typing import Protocol

import numpy as np

from prum.simulator.model import Task
from prum.simulator.model.arrays import Counts, Floats
from prum.simulator.sampling.streams import (
    PUSHED,
    PUSHED_EVERY,
    stream,
    uniform,
    unranked_streams,
    weighted,
)
from prum.simulator.sampling.ways.goals import NEVER, Aims, Tossed, aims, tossed
from prum.simulator.sampling.ways.stepwise import WALK, StepwiseSampler

# Steered users' uniform numbers, which make their factors: P(their own), and that of each tail;
# in a tail P(u < x) = x^_POWER.
_OWN, _TAIL, _POWER = 0.4, 0.3, 0.2
# In place of a number of a story's need, as streams of the unranked part are told apart.
_STEERED = 1 << 31


class SeenBlock(Protocol):
    """A block of plain users who say when they first saw which ideal."""

    def draw_seen(self, consulted: Counts, leading: Counts, seen: Counts) -> Floats | None:
        """Draw as ever; write first-seen ranks to `seen` (t, users), return users' numbers."""


class PlainSampler(Protocol):
    """A sampler whose blocks are such."""

    task: Task
    key: tuple[int, ...]

    def block(self, seed: int, number: int, *, sampled: bool) -> SeenBlock:
        """Return block `number` of the users of `seed`."""


class SteeredSampler:
    """Every fourth user has a goal: to see an ideal, or two, first at a given rank, or never.

    They consult step by step, as `StepwiseSampler` has it, and each visit is drawn given that the
    goal is still met, where it can be. The others are those of the plain sampler. Where users
    differ, the number that makes a steered user's factor is drawn from its tails as well.
    """

    def __init__(
        self,
        plain: PlainSampler,
        table: StepwiseSampler,
        reached: Floats,
        tosses: Tossed,
        goals: Aims,
    ) -> None:
        self.task, self.plain, self.table = plain.task, plain, table
        self.reached, self.tosses, self.goals = reached, tosses, goals
        self.need = table.needs()[0][0]
        first, second = goals.pairs.T
        one = np.concatenate((goals.singles, goals.missing, goals.doubles, [goals.free]))
        every = np.cumsum(one)
        ideals, t = tosses.ideals, self.task.num_ideals
        firsts = np.concatenate((ideals, np.arange(t), ideals[first], [-1]))
        seconds = np.concatenate((np.full(len(ideals) + t, -1), ideals[second], [-1]))
        ranks = np.concatenate((tosses.ranks, np.full(t, NEVER), tosses.ranks[first], [0]))
        kept = one > 0
        self.choices = (every / every[-1])[kept], firsts[kept], seconds[kept], ranks[kept]

    def block(self, seed: int, number: int) -> "_SteeredBlock":
        """Return block `number` of the users of `seed`, from its first user on."""
        return _SteeredBlock(self, seed, number)


def steered(plain: PlainSampler, table: StepwiseSampler) -> SteeredSampler | None:
    """Return the sampler with steered users; None where nothing is rare, or they are not possible.

    They are not where users browse differently for different numbers of ideals wanted, for then a
    user tells several stories at once; nor on walks by `OneFactor`, or on very long ones, since
    P(a path gets to an ideal) has to be known for each user.
    """
    reached: Floats | None = np.empty((0, 0))
    if table.rule == WALK:
        reached = None if table.one_factor else table.reached()
    if reached is None or len(table.needs()) > 1:
        return None
    tosses = tossed(table, reached)
    goals = aims(table, tosses)
    return None if goals is None else SteeredSampler(plain, table, reached, tosses, goals)


class _SteeredBlock:
    def __init__(self, sampler: SteeredSampler, seed: int, number: int) -> None:
        plain = sampler.plain
        self.sampler = sampler
        self.plain = plain.block(seed, number, sampled=True)
        key = *plain.key, _STEERED
        self.users_key = stream(seed, plain.key, number, PUSHED)[0]
        self.own = stream(seed, key, number, PUSHED)
        self.unranked, self.again = unranked_streams(seed, key, number, True)
        self.passed = 0

    def draw(self, consulted: Counts, leading: Counts, weights: Floats) -> None:
        _, ratio = self.draw_ratios(consulted, leading)
        weights[:] = weighted(ratio)

    def draw_ratios(self, consulted: Counts, leading: Counts) -> tuple[Counts, Floats]:
        """Draw users; return first-seen ranks (t, users), and how much commoner such are steered.

        Numbers of users are multiples of `PUSHED_EVERY`.
        """
        from prum.simulator.sampling.kernels import steering as kernel

        sampler, task = self.sampler, self.sampler.task
        table, num_users = sampler.table, len(consulted)
        seen = np.empty((task.num_ideals, num_users), dtype=np.int32)
        numbers = self.plain.draw_seen(consulted, leading, seen)
        every = slice(PUSHED_EVERY - 1, None, PUSHED_EVERY)
        count = num_users // PUSHED_EVERY
        ratio = np.ones(num_users)
        if numbers is not None:
            numbers[every] = _from_tails(uniform(self.own, 2 * count).reshape(-1, 2))
            ratio = _tilt(numbers)
        numbers = np.zeros(num_users) if numbers is None else numbers
        factors, normals = table.users(numbers)
        dials, visits, graph, listed, later = table.tables()
        c, cl = (np.empty((count, task.num_ideals), np.int32, order="F") for _ in range(2))
        ranks = np.empty((task.num_ideals, count), dtype=np.int32)
        kernel.steered(
            self.users_key, self.passed, kernel.Goals(*sampler.choices), dials, visits, graph,
            sampler.reached, listed, later, sampler.need, factors[every], normals[every],
            self.unranked, self.again, task.num_ranked, task.num_unranked, c, cl, ranks,
        )  # fmt: skip
        consulted[every], leading[every], seen[:, every] = c, cl, ranks
        kernel.ratios(
            kernel.Tosses(*sampler.tosses, *sampler.goals), dials, task.num_ranked, sampler.need,
            factors, normals, seen, ratio,
        )  # fmt: skip
        self.passed += count
        return seen, ratio


def _from_tails(numbers: Floats) -> Floats:
    """Return steered users' numbers in [0, 1) from two uniform ones each."""
    small = numbers[:, 1] ** (1 / _POWER)
    own, low = numbers[:, 0] < _OWN, numbers[:, 0] < _OWN + _TAIL
    drawn: Floats = np.select([own, low], [numbers[:, 1], small], 1 - small)
    # The largest would make a z infinite.
    return np.minimum(drawn, 1 - 2.0**-52)


def _tilt(numbers: Floats) -> Floats:
    """Return the density of steered users' numbers, shape (users,)."""
    least = 2.0**-54
    low, high = np.maximum(numbers, least), np.maximum(1 - numbers, least)
    tails: Floats = low ** (_POWER - 1) + high ** (_POWER - 1)
    return _OWN + _TAIL * _POWER * tails
