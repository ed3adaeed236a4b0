"""Plain-Python twin of `consultations`: users who consult element by element."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model.arrays import Ints
from prum.simulator.model.population import LONGEST_PATH
from prum.simulator.sampling.kernels import COMONOTONE, COPULA, EXCLUSIVE, INDEPENDENT, WALK
from prum.simulator.sampling.streams import (
    CONSULTATIONS,
    FACTORS,
    NEVER,
    RandomNumbers,
    Sfc64,
    split_mix,
    stream,
)
from prum.simulator.sampling.ways.stepwise import StepwiseSampler

StepRow = tuple[int, int, float, int, int, int]

_ALL = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def stories(
    sampler: StepwiseSampler, num_users: int, seed: int, block: int
) -> list[tuple[Ints, list[list[int]]]]:
    """Return, for each factor of need, its indices r - 1, and the first-seen ranks of users."""
    key = int(stream(seed, sampler.key, block, CONSULTATIONS)[0])
    factor_numbers = RandomNumbers(stream(seed, sampler.key, block, FACTORS))
    factors, normals = sampler.users(np.array([factor_numbers.unit() for _ in range(num_users)]))
    return [
        (
            columns,
            [
                User(
                    sampler, identity(key, user), float(factors[user]) * need, float(normals[user])
                ).first_seen()
                for user in range(num_users)
            ],
        )
        for need, columns in sampler.needs()
    ]


def identity(key: int, user: int) -> int:
    """Return 64 bits that name a user of a block, whose first stream number is `key`."""
    return split_mix((key + (user + 1) * _GOLDEN) & _ALL)


class User:
    """One user, who wants as many ideals as goes with their factor."""

    def __init__(self, sampler: StepwiseSampler, identity: int, factor: float, z: float) -> None:
        self.sampler, self.identity, self.factor, self.z = sampler, identity, factor, z
        self.seen_at = [NEVER] * sampler.task.num_ideals
        self.satiated = sampler.satiated.tolist()

    def first_seen(self) -> list[int]:
        """Return the ranks, or places behind the list, at which the user first sees each ideal."""
        sampler = self.sampler
        for (salt, _, _, ideal, node, _), (_, rank, fade, *_) in self.listed():
            self._consult(rank, salt, ideal, node, fade)
        if not sampler.browsing.unranked:
            return self.seen_at
        is_known = sampler.known.tolist()
        for (salt, _, _, ideal, node, document), place in self.later(rows(sampler.later_entries)):
            rank = sampler.task.num_ranked + 1 + place
            fade = float(sampler.browsing.faded(np.array(rank - 1)))
            if document >= 0 and is_known[document]:
                fade = 0.0
            if document >= 0:
                is_known[document] = True
            self._consult(rank, salt, ideal, node, fade)
        return self.seen_at

    def listed(self) -> Iterator[tuple[StepRow, StepRow]]:
        """Yield the elements of the list in the order in which they are met, and whose rank it is.

        Those that are tied have ranks of each other.
        """
        entries = rows(self.sampler.listed_entries)
        groups = self.sampler.groups.tolist() or range(len(entries))
        turns = [
            split_mix(self.identity ^ split_mix(row[0] + 0x74696564 & _ALL)) for row in entries
        ]
        order = sorted(range(len(entries)), key=lambda k: (groups[k], turns[k]))
        return zip((entries[k] for k in order), entries, strict=True)

    def later(self, entries: list[StepRow]) -> list[tuple[StepRow, int]]:
        """Return unranked elements in the order in which they are consulted, with their places."""
        order = 0x6F72646572
        turns = sorted(
            entries, key=lambda row: split_mix(self.identity ^ split_mix(row[0] + order & _ALL))
        )
        among = self.sampler.task.num_unranked
        return list(
            zip(turns, _distinct(self.numbers(0x706C61636573), among, len(turns)), strict=True)
        )

    def numbers(self, salt: int) -> Sfc64:
        """Return the user's random numbers for one element, or for another purpose."""
        start = self.identity ^ split_mix(salt + _GOLDEN & _ALL)
        a, b, c = (split_mix(start + step * _GOLDEN & _ALL) for step in (1, 2, 3))
        return Sfc64(a, b, c, 1)

    def _consult(self, rank: int, salt: int, ideal: int, node: int, fade: float) -> None:
        num_seen = sum(seen < NEVER for seen in self.seen_at)
        if num_seen == len(self.seen_at):
            return
        part = self.factor * fade * self.satiated[num_seen]
        visited = {ideal} - {-1}
        if node >= 0 and part > 0:
            if self.sampler.rule == WALK:
                passed = self.path(salt, node, part)
                visited |= {int(self.sampler.ideal_of[target]) for target in passed} - {-1}
            else:
                visited |= set(self.visits(salt, node, part))
        for x in visited:
            self.seen_at[x] = min(self.seen_at[x], rank)

    def visits(self, salt: int, node: int, part: float) -> Iterator[int]:
        """Yield the ideals that the user visits straight from an element, browsing by `part`."""
        sampler, numbers = self.sampler, self.numbers(salt)
        point = numbers.unit() if sampler.rule != INDEPENDENT else 0.0
        shared = _normal(numbers, point) if sampler.rule == COPULA else 0.0
        place = 0.0
        for visit in range(*sampler.visit_starts[node : node + 2]):
            margin = part * self._chance(float(sampler.margins[visit]))
            if sampler.rule == EXCLUSIVE:
                turns = range(math.floor(place) - 1, math.ceil(place + margin) + 1)
                seen = any(place - point <= turn < place + margin - point for turn in turns)
                place += margin
            elif sampler.rule == COMONOTONE:
                seen = point < margin
            elif sampler.rule == COPULA:
                normal, rho = _normal(numbers, numbers.unit()), sampler.rho
                seen = _below(math.sqrt(rho) * shared + math.sqrt(1 - rho) * normal) < margin
            else:
                seen = numbers.unit() < margin
            if seen:
                yield int(sampler.ideals[visit])

    def path(self, salt: int, node: int, part: float) -> Iterator[int]:
        """Yield the nodes on a path from a node, if the user sets off."""
        sampler, numbers = self.sampler, self.numbers(salt)
        if numbers.unit() >= part:
            return
        moves = 0
        while (number := numbers.unit()) < (moving := self._chance(float(sampler.moving[node]))):
            moves += 1
            if moves > LONGEST_PATH and sampler.one_factor:
                return
            row = range(sampler.starts[node], sampler.starts[node + 1])
            share = number / moving
            link = next((k for k in row if sampler.shares[k] > share), row[-1])
            node = int(sampler.targets[link])
            yield node

    def _chance(self, margin: float) -> float:
        """Return a probability for this user; if users have a z, `margin` is a quantile."""
        rho = self.sampler.one_factor
        if rho == 0:
            return margin
        return _below((margin - math.sqrt(rho) * self.z) / math.sqrt(1 - rho))


def rows(entries: tuple[NDArray[np.generic], ...]) -> list[StepRow]:
    """Return entries one by one: salt, rank, fade, ideal, node, document."""
    return list(zip(*(column.tolist() for column in entries), strict=True))


def _distinct(numbers: Sfc64, among: int, count: int) -> list[int]:
    """Return `count` distinct places of 0 .. among - 1, sorted: a uniformly random set."""
    if 2 * count > among:
        chosen: list[int] = []
        for passed in range(among):
            if numbers.unit() * (among - passed) < count - len(chosen):
                chosen.append(passed)
        return chosen
    places = [int(numbers.unit() * among) for _ in range(count)]
    while True:
        places.sort()
        twice = [k for k in range(1, count) if places[k] == places[k - 1]]
        if not twice:
            return places
        for k in twice:
            places[k] = int(numbers.unit() * among)


def _below(quantile: float) -> float:
    return 0.5 * math.erfc(-quantile / math.sqrt(2))


def _normal(numbers: Sfc64, uniform: float) -> float:
    angle = 2 * math.pi * numbers.unit()
    return math.sqrt(-2 * math.log(1 - uniform)) * math.cos(angle)
