"""Plain-Python twins of `steering`: users with a goal, and how common they are."""

import math
from bisect import bisect_right
from collections.abc import Iterator

from prum.simulator.sampling.numbers import Sfc64
from prum.simulator.sampling.steps import User, _below, _normal, identity, rows
from prum.simulator.sampling.streams import PUSHED, stream
from prum.simulator.sampling.ways.steered import SteeredSampler
from prum.simulator.sampling.ways.stepwise import (
    COMONOTONE,
    COPULA,
    EXCLUSIVE,
    INDEPENDENT,
    WALK,
)
from tests.twins.independent import NEVER

GOAL = 0x676F616C
Goal = tuple[float, set[int], int]


def goals(sampler: SteeredSampler) -> list[Goal]:
    """Return the goals: P(goal), its ideals, their rank."""
    shares, firsts, seconds, ranks = (column.tolist() for column in sampler.choices)
    return [
        (share - before, {first, second} - {-1}, rank)
        for before, share, first, second, rank in zip(
            [0.0, *shares[:-1]], shares, firsts, seconds, ranks, strict=True
        )
    ]


class SteeredUser(User):
    """A user who is steered towards a goal of their own."""

    def __init__(self, sampler: SteeredSampler, name: int, factor: float, z: float) -> None:
        super().__init__(sampler.table, name, factor, z)
        self.steering = sampler
        shares, firsts, seconds, ranks = (column.tolist() for column in sampler.choices)
        goal = bisect_right(shares, self.numbers(GOAL).unit())
        self.goal, self.at = {firsts[goal], seconds[goal]} - {-1}, ranks[goal]
        listed = rows(sampler.table.listed_entries)
        self.rank_of = {row[0]: row[1] for row in listed}
        self.own = {(row[0], row[3]) for row in listed}

    def decided(self, salt: int, ideal: int, margin: float) -> bool | None:
        """Return whether the goal has an ideal visited, None if it leaves it to chance."""
        rank = self.rank_of.get(salt, NEVER + 1)
        left = self.seen_at[ideal] == NEVER and ideal in self.goal and 0 < margin < 1
        left = left and (salt, ideal) not in self.own
        return None if rank > self.at or not left else rank == self.at

    def visits(self, salt: int, node: int, part: float) -> Iterator[int]:
        """Yield the ideals that the user visits straight from an element, browsing by `part`."""
        sampler, numbers = self.sampler, self.numbers(salt)
        starts, ideals, chances = sampler.visits
        places = range(starts[node], starts[node + 1])
        margins = {k: part * self._chance(float(chances[k])) for k in places}
        known = {k: self.decided(salt, int(ideals[k]), margins[k]) for k in places}
        fixed = next((k for k in places if known[k] is not None), None)
        point = numbers.unit() if sampler.rule != INDEPENDENT else 0.0
        shared = 0.0
        if fixed is not None and sampler.rule != INDEPENDENT:
            width = margins[fixed]
            point = point * width if known[fixed] else width + point * (1 - width)
            if sampler.rule == EXCLUSIVE:
                begin = 0.0
                for k in range(places.start, fixed):
                    begin += margins[k]
                point = (begin + point) % 1.0
            if sampler.rule == COPULA:
                rest = _normal(numbers, numbers.unit())
                shared = math.sqrt(sampler.rho) * _quantile(point)
                shared += math.sqrt(1 - sampler.rho) * rest
        elif sampler.rule == COPULA:
            shared = _normal(numbers, point)
        at = 0.0
        for k in places:
            seen = self._seen(numbers, margins[k], point, shared, at)
            at += margins[k]
            choice = known[k]
            if seen if choice is None else choice:
                yield int(ideals[k])

    def path(self, salt: int, node: int, part: float) -> Iterator[int]:
        """Yield the nodes on a path from a node, if the user sets off."""
        ideal = min(self.goal, default=-1)
        reached = self.steering.reached[ideal].tolist()
        made = self.decided(salt, ideal, part * reached[node]) if self.goal else None
        if made is None:
            yield from super().path(salt, node, part)
            return
        sampler, numbers = self.sampler, self.numbers(salt)
        if not made and numbers.unit() >= part * (1 - reached[node]) / (1 - part * reached[node]):
            return
        while True:
            number = numbers.unit() * (reached[node] if made else 1 - reached[node])
            before, passed = 0.0, 0.0
            steps = []
            for k in range(sampler.starts[node], sampler.starts[node + 1]):
                target, share = int(sampler.targets[k]), float(sampler.shares[k])
                step = (share - before) * float(sampler.moving[node])
                step *= reached[target] if made else 1 - reached[target]
                before, passed = share, passed + step
                if step > 0:
                    steps.append((passed, target))
            where = next((target for end, target in steps if end > number), None)
            if where is None and made:
                where = steps[-1][1]
            if where is None:
                return
            node = where
            yield node
            if made and sampler.ideal_of[node] == ideal:
                yield from self._walked(numbers, node)
                return

    def _walked(self, numbers: Sfc64, node: int) -> Iterator[int]:
        sampler = self.sampler
        while (number := numbers.unit()) < (moving := float(sampler.moving[node])):
            row = range(sampler.starts[node], sampler.starts[node + 1])
            link = next((k for k in row if sampler.shares[k] > number / moving), row[-1])
            node = int(sampler.targets[link])
            yield node

    def _seen(self, numbers: Sfc64, margin: float, point: float, shared: float, at: float) -> bool:
        """Return whether a visit is made that is left to chance."""
        sampler = self.sampler
        if sampler.rule == EXCLUSIVE:
            turns = range(math.floor(at) - 1, math.ceil(at + margin) + 1)
            return any(at - point <= turn < at + margin - point for turn in turns)
        if sampler.rule == COMONOTONE:
            return point < margin
        if sampler.rule == COPULA:
            own, rho = _normal(numbers, numbers.unit()), sampler.rho
            return _below(math.sqrt(rho) * shared + math.sqrt(1 - rho) * own) < margin
        return numbers.unit() < margin


def steered_users(
    sampler: SteeredSampler, seed: int, block: int, factors: list[float], normals: list[float]
) -> list[list[int]]:
    """Return the first-seen ranks of a block's steered users, by their factors."""
    key = int(stream(seed, sampler.plain.key, block, PUSHED)[0])
    return [
        SteeredUser(sampler, identity(key, user), factor * sampler.need, z).first_seen()
        for user, (factor, z) in enumerate(zip(factors, normals, strict=True))
    ]


def ratio(sampler: SteeredSampler, seen_at: list[int], factor: float, z: float) -> float:
    """Return how much commoner a user with these first-seen ranks is if steered, goal by goal."""
    return sum(
        share * math.prod(_chance(sampler, seen_at, factor, z, x, at) for x in ideals)
        for share, ideals, at in goals(sampler)
    )


def _chance(
    sampler: SteeredSampler, seen_at: list[int], factor: float, z: float, ideal: int, at: int
) -> float:
    """Return 1 over P(what a user did about an ideal who was to see it first at a rank), or 0."""
    user = User(sampler.table, 0, factor * sampler.need, z)
    starts, ideals, margins = sampler.table.visits
    did = 1.0
    for _, rank, fade, own, node, _ in rows(sampler.table.listed_entries):
        if rank > min(at, seen_at[ideal]):
            break
        num_seen = sum(seen < rank for seen in seen_at)
        p = float(own == ideal)
        walks = sampler.table.rule == WALK
        if walks and node >= 0 and not p:
            p = user.factor * fade * user.satiated[min(num_seen, len(user.satiated) - 1)]
            p *= float(sampler.reached[ideal, node])
        for k in range(starts[node], starts[node + 1]) if node >= 0 and not p and not walks else ():
            if ideals[k] == ideal:
                p = user.factor * fade * user.satiated[num_seen]
                p *= user._chance(float(margins[k])) if p else 0.0
        if p >= 1:
            break
        wanted, done = rank == at, rank == seen_at[ideal]
        if p > 0:
            did *= (p if done else 1 - p) if done == wanted else math.inf
    return 1 / did if did else math.inf


def _quantile(probability: float) -> float:
    low, high = -40.0, 40.0
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if _below(middle) < probability else (low, middle)
    return middle
