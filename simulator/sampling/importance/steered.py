"""Sampler of users of whom some are steered towards what is rare, wherever users toss visits."""

from typing import NamedTuple, Protocol

import numpy as np

from prum.simulator.model import Task, Types
from prum.simulator.model.arrays import Counts, Floats, Ints
from prum.simulator.sampling import kernels
from prum.simulator.sampling.importance.goals import Aims, Tossed, aims, bounds, tossed
from prum.simulator.sampling.kernels import COPULA, WALK
from prum.simulator.sampling.streams import (
    NEVER,
    PUSHED,
    PUSHED_EVERY,
    UNIT,
    stream,
    uniform,
    unranked_streams,
    weighted,
)
from prum.simulator.sampling.ways.coupled import FAR, num_nodes
from prum.simulator.sampling.ways.mixture import types_of
from prum.simulator.sampling.ways.stepwise import StepwiseSampler, UserFactors

# Steered users' uniform numbers, which make their factors: P(their own), and that of each tail;
# in a tail P(u < x) = x^_POWER. Of types, P(their own); else each is as likely.
_OWN, _TAIL, _POWER = 0.4, 0.3, 0.2
_OWN_TYPE = 0.5
# Walkers overlook ideals where sets of them are so few, and users of a copula where its factor is
# integrated at so few values.
_MOST_IDEALS, _MOST_CELLS, _MOST_NODES = 10, 1 << 20, 256
# In place of a number of a story's need, as streams of the unranked part are told apart.
_STEERED = 1 << 31


# Structures of `kernels.h`, which says what they hold.


class Reaching(NamedTuple):
    """P(a path from a node gets to an ideal, or to one of a set): (t, nodes) and (sets, nodes)."""

    ideals: Floats
    sets: Floats


class Overlooking(NamedTuple):
    """How ideals are overlooked: each is kept with keeps[goal, ideal], and P(goal)."""

    keeps: Floats
    shares: Floats
    factors: Floats
    weights: Floats


class Goals(NamedTuple):
    """Goals: P(this or an earlier one), two ideals, ranks, rows of `Overlooking.keeps`."""

    shares: Floats
    firsts: Ints
    seconds: Ints
    ranks: Ints
    overlooks: Ints


class Tosses(NamedTuple):
    """What may show an ideal in the list, and which goals it is part of."""

    ranks: Ints
    ideals: Ints
    margins: Floats
    fades: Floats
    singles: Floats
    missing: Floats
    pairs: Ints
    doubles: Floats
    none: float


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
    goal is still met, where it can be. Some overlook ideals instead, so that many are missed at
    once. The others are those of the plain sampler. Where users differ, the number that makes a
    steered user's factor is drawn from its tails as well, or from each type.
    """

    def __init__(
        self,
        plain: PlainSampler,
        table: StepwiseSampler,
        reaching: Reaching,
        tosses: Tossed,
        goals: Aims,
        common: tuple[Floats, Floats],
    ) -> None:
        self.task, self.plain, self.table = plain.task, plain, table
        self.reaching = reaching
        self.need = table.needs()[0][0]
        self.bounds = bounds(table, tosses, reaching.ideals)
        self.overlooking = Overlooking(goals.keeps, goals.overlooking, *common)
        singles, missing, pairs, doubles, free, _, _ = goals
        self.tosses = Tosses(*tosses, singles, missing, pairs, doubles, free)
        first, second = goals.pairs.T
        ideals, t, num = tosses.ideals, self.task.num_ideals, len(goals.overlooking)
        one = np.concatenate(
            (goals.singles, goals.missing, goals.doubles, goals.overlooking, [goals.free])
        )
        every = np.cumsum(one)
        none = np.full(num + 1, -1)
        firsts = np.concatenate((ideals, np.arange(t), ideals[first], none))
        seconds = np.concatenate((np.full(len(ideals) + t, -1), ideals[second], none))
        ranks = np.concatenate((tosses.ranks, np.full(t, NEVER), tosses.ranks[first], 0 * none))
        overlooks = np.full(len(one), -1)
        overlooks[len(one) - num - 1 : -1] = np.arange(num)
        columns = every / every[-1], firsts, seconds, ranks, overlooks
        self.choices = Goals(*(column[one > 0] for column in columns))

    def weigh(self, users: UserFactors, seen: Counts, ratio: Floats) -> None:
        """Multiply `ratio` by how much commoner users with such first-seen ranks are if steered."""
        dials, visits, _, listed, _ = self.table.tables()
        others = np.zeros(len(ratio))
        if len(self.overlooking.shares):
            kernels.overlooked(
                self.overlooking,
                self.reaching,
                dials,
                visits,
                listed,
                self.need,
                users,
                seen,
                others,
            )
        kernels.ratios(
            self.tosses, dials, self.task.num_ranked, self.need, users, seen, others, ratio
        )

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
    anywhere, common = _anywhere(table), _common(table)
    goals = aims(table, tosses, overlook=anywhere is not None and common is not None)
    if goals is None:
        return None
    reaching = Reaching(reached, reached[:0] if anywhere is None else anywhere)
    nothing = np.empty(0), np.empty(0)
    return SteeredSampler(plain, table, reaching, tosses, goals, common or nothing)


def _anywhere(table: StepwiseSampler) -> Floats | None:
    """Return P(a path from a node gets to one of a set), shape (2^t, nodes); None if many."""
    t = table.task.num_ideals
    if table.rule != WALK:
        return np.empty((0, 0))
    if t > _MOST_IDEALS or len(table.ideal_of) << t > _MOST_CELLS:
        return None
    return table.reached((np.arange(1 << t)[:, None] >> np.arange(t) & 1).astype(np.bool_))


def _common(table: StepwiseSampler) -> tuple[Floats, Floats] | None:
    """Return at which values a copula's common factor is integrated, with weights; None if many."""
    if table.rule != COPULA:
        return np.empty(0), np.empty(0)
    largest = int(np.diff(table.visits[0]).max(initial=0))
    num = num_nodes(largest, table.rho)
    if num > _MOST_NODES or num * len(table.visits[1]) > _MOST_CELLS:
        return None
    factors = np.linspace(-FAR, FAR, num)
    weights = np.exp(-factors * factors / 2)
    return factors, weights / weights.sum()


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
        sampler, task = self.sampler, self.sampler.task
        table, num_users = sampler.table, len(consulted)
        seen = np.empty((task.num_ideals, num_users), dtype=np.int32)
        numbers = self.plain.draw_seen(consulted, leading, seen)
        every = slice(PUSHED_EVERY - 1, None, PUSHED_EVERY)
        count = num_users // PUSHED_EVERY
        ratio = np.ones(num_users)
        population = table.browsing.population
        if numbers is not None:
            own = uniform(self.own, 2 * count).reshape(-1, 2)
            # The users of a unit have one stratum each of what decides on their kind.
            strata = np.arange(self.passed, self.passed + count) % (UNIT // PUSHED_EVERY)
            own[:, 0] = (strata + own[:, 0]) * (PUSHED_EVERY / UNIT)
            if isinstance(population, Types):
                numbers[every] = _of_types(population, own)
                ratio = _commoner_types(population)[types_of(population.weights, numbers)]
            else:
                numbers[every] = _from_tails(own)
                ratio = _tilt(numbers)
        numbers = np.zeros(num_users) if numbers is None else numbers
        users = table.users(numbers)
        own_users = UserFactors(*(column[every].copy() for column in users))
        c, cl = (np.empty((count, task.num_ideals), np.int32, order="F") for _ in range(2))
        ranks = np.empty((task.num_ideals, count), dtype=np.int32)
        kernels.steered(
            self.users_key,
            self.passed,
            sampler.choices,
            sampler.overlooking,
            sampler.reaching,
            *table.tables(),
            sampler.need,
            own_users,
            self.unranked,
            self.again,
            task.num_ranked,
            task.num_unranked,
            c.T,
            cl.T,
            ranks,
        )
        consulted[every], leading[every], seen[:, every] = c, cl, ranks
        sampler.weigh(users, seen, ratio)
        self.passed += count
        return seen, ratio


def _shares_of_types(population: Types) -> Floats:
    """Return what share of steered users is of each type: none is rare."""
    weights = np.array(population.weights)
    even = (weights > 0) / np.count_nonzero(weights)
    shares: Floats = _OWN_TYPE * weights + (1 - _OWN_TYPE) * even
    return shares


def _commoner_types(population: Types) -> Floats:
    """Return how much commoner each type is among steered users."""
    weights = np.array(population.weights)
    commoner: Floats = np.zeros(len(weights))
    commoner[weights > 0] = _shares_of_types(population)[weights > 0] / weights[weights > 0]
    return commoner


def _of_types(population: Types, numbers: Floats) -> Floats:
    """Return steered users' numbers in [0, 1) from two uniform ones each: type, and within it."""
    chosen = types_of(_shares_of_types(population).tolist(), numbers[:, 0])
    edges = np.cumsum((0.0, *population.weights))
    edges /= edges[-1]
    drawn: Floats = edges[chosen] + numbers[:, 1] * (edges[chosen + 1] - edges[chosen])
    within: Floats = np.clip(drawn, edges[chosen], np.nextafter(edges[chosen + 1], 0))
    return within


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
