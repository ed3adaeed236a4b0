"""Plain-Python twin of `pushed_walks`: the same users and ratios from the same streams.

Tables are shared with the kernel: how users are pushed is anybody's choice. How much commoner this
makes them is not taken from the kernel's ratios but from the chances of every leg.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.simulator.sampling.importance.walks import PushedWalkSampler
from prum.simulator.sampling.streams import (
    AGAIN,
    NEVER,
    PUSHED,
    PUSHED_EVERY,
    UNRANKED,
    WALKS,
    RandomNumbers,
    split_mix,
    stream,
)
from tests.twins.independent import one_user

Floats = NDArray[np.float64]

_ALL = 2**64 - 1
_HALF = 2**32 - 1
_GOLDEN = 0x9E3779B97F4A7C15


@dataclass
class _Leg:
    """The leg on which a walker is: where it began (a node), and at which step."""

    start: int
    began: int
    first: bool


@dataclass
class _Walker:
    entry: int
    place: int
    numbers: RandomNumbers
    leg: _Leg | None
    seen: set[int]
    before: int = 0


@dataclass
class _User:
    """A user: how they are pushed, their numbers for it, and what both laws say of their legs."""

    plan: int
    source: int
    seen_at: list[int]
    towards: float = 1.0
    shunned: set[tuple[int, int]] = field(default_factory=set)

    def uniform(self) -> float:
        self.source = (self.source + _GOLDEN) & _ALL
        return (split_mix(self.source) >> 11) / 2.0**53


class PushedTwin:
    """Draws users of a sampler one by one."""

    def __init__(self, sampler: PushedWalkSampler) -> None:
        self.sampler, self.plain = sampler, sampler.plain
        self.graph, self.ahead, self.pushes = sampler.graph, sampler.ahead, sampler.pushes
        self.steps = len(self.ahead.near)
        self.node_of = {int(place): node for node, place in enumerate(self.graph.places.tolist())}
        slots = self.plain.slots.tolist()
        self.ideal_of = dict(zip(slots, self.plain.slot_ideals.tolist(), strict=True))

    def users(self, seed: int, block: int, count: int) -> tuple[NDArray[np.int64], Floats]:
        """Return C(r) and CL(r) of users, shape (count, 2, t), and q / p."""
        task, key = self.plain.task, self.plain.key
        unranked = RandomNumbers(stream(seed, key, block, UNRANKED))
        again = RandomNumbers(stream(seed, key, block, AGAIN))
        drawn = [self.user(seed, block, number) for number in range(count)]
        counts = [one_user(task, seen_at, unranked, again, True) for seen_at, _ in drawn]
        return np.array(counts), np.array([ratio for _, ratio in drawn])

    def user(self, seed: int, block: int, number: int) -> tuple[list[int], float]:
        """Return the ranks of first seeing each ideal, and q / p."""
        plain, key = self.plain, self.plain.key
        walks = int(stream(seed, key, block, WALKS)[0])
        pushes = int(stream(seed, key, block, PUSHED)[0])
        identity = split_mix((walks + (number + 1) * _GOLDEN) & _ALL)
        source = split_mix((pushes + (number + 1) * _GOLDEN) & _ALL)
        user = _User(-1, source, [NEVER] * plain.task.num_ideals)
        if number % PUSHED_EVERY == PUSHED_EVERY - 1:
            user.plan = self._plan(user)
        ends = self.pushes.batches.tolist()
        walked = 0
        for low, high in pairwise(ends):
            if NEVER not in user.seen_at:
                break
            walked = high
            walkers = [self._set_off(user, entry, identity) for entry in range(low, high)]
            self._walk(user, [walker for walker in walkers if walker is not None])
        return user.seen_at, self._ratio(user, walked)

    def _plan(self, user: _User) -> int:
        if user.uniform() < self.pushes.towards:
            return 0
        return int(self.pushes.sets[_choice(self.pushes.shares, user.uniform())])

    def _set_off(self, user: _User, entry: int, identity: int) -> _Walker | None:
        x = int(self.plain.entry_ideals[entry])
        if x >= 0:
            user.seen_at[x] = min(user.seen_at[x], int(self.plain.ranks[entry]))
        place, node = int(self.plain.places[entry]), int(self.plain.entries[entry])
        if not place:
            return None
        start = identity ^ split_mix((node + 1) * _GOLDEN & _ALL)
        words = [split_mix((start + step * _GOLDEN) & _ALL) for step in (1, 2, 3)]
        numbers = RandomNumbers(np.array([*words, 1], dtype=np.uint64))
        walker = _Walker(entry, place, numbers, _Leg(node, 0, True), {x} - {-1})
        if user.plan == 0:
            to = _choice(self.pushes.first[entry], user.uniform())
            if to >= 0:
                self._lead(user, walker, node, to, 0)
        return walker

    def _walk(self, user: _User, walkers: list[_Walker]) -> None:
        step = 1
        while walkers:
            for walker in walkers:
                walker.before, walker.place = walker.place, self._stepped(walker)
            if step <= self.steps and len(self.pushes.sets):
                for walker in walkers:
                    self._shun(user, walker, step)
            walkers = [walker for walker in walkers if walker.place]
            for walker in walkers:
                x = self.ideal_of.get(walker.place, -1)
                if x >= 0:
                    node = self.node_of[walker.place]
                    to = self._arrived(user, walker, x, node, step)
                    if to >= 0:
                        self._lead(user, walker, node, to, step)
            step += 1

    def _stepped(self, walker: _Walker) -> int:
        number, place = walker.numbers.raw(), walker.place
        bits = (place & -place).bit_length() - 1
        column = (place - (1 << bits)) // 2 + (number >> (64 - bits))
        threshold, outcomes = (int(word) for word in self.plain.columns[column])
        return outcomes & _HALF if (number << bits) & _ALL < threshold else outcomes >> 32

    def _arrived(self, user: _User, walker: _Walker, x: int, node: int, step: int) -> int:
        """End the walker's leg at an ideal; return the class to which they are pushed on, or -1."""
        rank = int(self.plain.ranks[walker.entry])
        user.seen_at[x] = min(user.seen_at[x], rank)
        leg, walker.leg = walker.leg, None
        if leg is None:
            return -1
        to = int(self.ahead.classes[x])
        only = next(iter(walker.seen), -1)
        if step - leg.began <= self.steps:
            chance = self._chance(leg.start, to)
            if leg.first:
                every = np.diff(self.pushes.first[walker.entry], prepend=0.0)
                user.towards *= 1 + every[to] / chance / (1 - every.sum())
                user.shunned.add((walker.entry, to))
            else:
                later = self.pushes.later[walker.entry, only]
                share = np.diff(self.pushes.onward[only], prepend=0.0)[to]
                user.towards *= (1 - later + later * share / chance) / (1 - later)
        walker.seen.add(x)
        if len(walker.seen) > 1:
            return -1
        walker.leg = _Leg(node, step, False)
        later = float(self.pushes.later[walker.entry, x])
        user.towards *= 1 - later
        if later > 0 and user.plan == 0 and user.uniform() < later:
            return _choice(self.pushes.onward[x], user.uniform())
        return -1

    def _lead(self, user: _User, walker: _Walker, node: int, to: int, step: int) -> None:
        while to >= 0:
            for near in self.ahead.near[::-1]:
                parts = [p * self._near(near, v)[to] for v, p in self._links(node)]
                cumulative = np.cumsum([0.0, *parts])[1:]
                chosen = int(np.argmax(cumulative > user.uniform() * cumulative[-1]))
                node = self._links(node)[chosen][0]
                if int(self.graph.places[node]) in self.ideal_of:
                    break
            walker.place = int(self.graph.places[node])
            to = self._arrived(user, walker, self.ideal_of[walker.place], node, step)

    def _shun(self, user: _User, walker: _Walker, step: int) -> None:
        if user.plan <= 0 or not walker.place or walker.leg is None or not walker.leg.first:
            return
        node = self.node_of[walker.place]
        column = (walker.place - (walker.place & -walker.place)) >> 1
        if not self.ahead.most[column] > 0:
            return
        near = self.ahead.near[self.steps - step]
        if user.uniform() >= self._danger(near, node, user.plan, walker.entry):
            return
        links = self._links(self.node_of[walker.before])
        parts = [p * (1 - self._danger(near, v, user.plan, walker.entry)) for v, p in links]
        stops = max(1 - sum(p for _, p in links), 0.0)
        share, passed = user.uniform() * (sum(parts) + stops), 0.0
        walker.place = 0
        for (v, _), part in zip(links, parts, strict=True):
            passed += part
            if passed > share:
                walker.place = int(self.graph.places[v])
                return

    def _links(self, node: int) -> list[tuple[int, float]]:
        span = slice(self.graph.starts[node], self.graph.starts[node + 1])
        targets, probabilities = self.graph.targets[span], self.graph.probabilities[span]
        return list(zip(targets.tolist(), probabilities.tolist(), strict=True))

    def _near(self, near: Any, node: int) -> Any:
        row = self.ahead.rows[node]
        return near[row] if row >= 0 else np.zeros(near.shape[1])

    def _chance(self, node: int, to: int) -> float:
        """Return P(a leg from a node ends in a class in time)."""
        return sum(p * self._near(self.ahead.near[-1], v)[to] for v, p in self._links(node))

    def _members(self, shunned: int, entry: int) -> list[int]:
        bits, ends = self.pushes.bits.tolist(), self.pushes.ends.tolist()
        return [to for to in range(len(bits)) if bits[to] & shunned and entry < ends[to]]

    def _danger(self, near: Any, node: int, shunned: int, entry: int) -> float:
        values = self._near(near, node)
        return min(sum(values[to] for to in self._members(shunned, entry)), 1.0)

    def _ratio(self, user: _User, walked: int) -> float:
        entries = [entry for entry in range(walked) if self.plain.places[entry]]
        towards = user.towards
        for entry in entries:
            towards *= 1 - self.pushes.first[entry][-1]
        shun = 0.0
        shares = np.diff(self.pushes.shares, prepend=0.0)
        for shunned, share in zip(self.pushes.sets.tolist(), shares.tolist(), strict=True):
            if any(to in self._members(shunned, entry) for entry, to in user.shunned):
                continue
            for entry in entries:
                start = int(self.plain.entries[entry])
                share /= 1 - sum(self._chance(start, to) for to in self._members(shunned, entry))
            shun += share
        return self.pushes.towards * towards + (1 - self.pushes.towards) * shun


def _choice(cumulative: Any, number: float) -> int:
    """Return the first place whose cumulative probability exceeds the number, else -1."""
    exceeding = np.flatnonzero(np.asarray(cumulative) > number)
    return int(exceeding[0]) if exceeding.size else -1
