"""Plain-Python twins of the kernels: the same users from the same streams, slowly and readably.

Only the tables (cumulative first-seen probabilities, alias columns) and the streams' states are
shared with the kernels. Random numbers come from NumPy's own SFC64; the counting is written from
the definition of C(r) and CL(r).
"""

import math

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import Navigation, Task
from prum.simulator.sampling.contexts import COMONOTONE, EXCLUSIVE, Contexts
from prum.simulator.sampling.populations import Populations
from prum.simulator.sampling.samplers import NEVER, FirstSeen, Walks, compiled
from prum.simulator.sampling.streams import (
    AGAIN,
    CONTEXTS,
    FACTORS,
    FIRST_SEEN,
    STRATA,
    UNRANKED,
    VISITS,
    WALKS,
    stream,
)

Ints = NDArray[np.int64]
_ALL = 2**64 - 1
_HALF = 2**32 - 1


def reference_users(
    task: Task,
    navigation: Navigation,
    *,
    num_users: int,
    seed: int,
    block: int = 0,
    sampled: bool = True,
    stratified: bool = False,
) -> tuple[Ints, Ints]:
    """Return C(r) and CL(r), shape (num_users, t), of the first users of a block.

    Where the unranked part is not sampled and the list did not suffice, C(r) is 0 and CL(r) what
    the list led to.

    >>> from prum.simulator.model import Independent
    >>> task = Task(["c", "a"], ["a"], 2)
    >>> browsing = Independent({("c", "a"): 0.5})
    >>> consulted, leading = reference_users(task, browsing, num_users=4, seed=1)
    >>> consulted.ravel().tolist(), leading.ravel().tolist()
    ([2, 1, 2, 2], [1, 1, 1, 1])
    """
    sampler = compiled(task, navigation)
    if isinstance(sampler, FirstSeen):
        seen_at = _first_seen(sampler, num_users, seed, block, stratified)
    elif isinstance(sampler, Walks):
        seen_at = [_walked(sampler, seed, block, user) for user in range(num_users)]
    elif isinstance(sampler, Contexts):
        source = _Numbers(stream(seed, sampler.key, block, CONTEXTS))
        seen_at = [_in_contexts(sampler, source) for _ in range(num_users)]
    elif isinstance(sampler, Populations):
        visits = _Numbers(stream(seed, sampler.key, block, VISITS))
        own = _Numbers(stream(seed, sampler.key, block, FACTORS))
        factors = sampler.factors(np.array([own.unit() for _ in range(num_users)])).tolist()
        seen_at = [_thinned(sampler, visits, factor) for factor in factors]
    else:
        raise TypeError(sampler)
    unranked = _Numbers(stream(seed, sampler.key, block, UNRANKED))
    again = _Numbers(stream(seed, sampler.key, block, AGAIN))
    consulted = np.empty((num_users, task.num_ideals), dtype=np.int64)
    leading = np.empty_like(consulted)
    for user in range(num_users):
        consulted[user], leading[user] = _user(task, seen_at[user], unranked, again, sampled)
    return consulted, leading


def _user(
    task: Task, seen_at: list[int], unranked: "_Numbers", again: "_Numbers", sampled: bool
) -> tuple[list[int], list[int]]:
    """Return one user's C(r) and CL(r) from the ranks (from 1) at which he first saw each ideal."""
    o, t = task.num_ranked, task.num_ideals
    in_list = sorted(rank for rank in seen_at if rank <= o)
    places: list[int] = []
    if sampled and len(in_list) < t:
        places = _random_places(unranked, again, t - len(in_list), task.num_unranked)
    consulted, leading = [], []
    for r in range(1, t + 1):
        if r <= len(in_list):
            last = in_list[r - 1]
            consulted.append(last)
            leading.append(len({rank for rank in in_list if rank <= last}))
        elif sampled:
            consulted.append(o + places[r - len(in_list) - 1])
            leading.append(len(set(in_list)) + r - len(in_list))
        else:
            consulted.append(0)
            leading.append(len(set(in_list)))
    return consulted, leading


def _random_places(numbers: "_Numbers", again: "_Numbers", wanted: int, among: int) -> list[int]:
    """Return `wanted` distinct places out of 1 .. among, sorted: a uniformly random set.

    Independent ones at first. Where some coincide, more of them until enough are distinct, or,
    if more than half of all are wanted, each in turn with its chance to be among them.
    """
    chosen = {int(numbers.unit() * among) + 1 for _ in range(wanted)}
    if len(chosen) < wanted and 2 * wanted > among:
        chosen = set()
        for passed in range(among):
            if again.unit() * (among - passed) < wanted - len(chosen):
                chosen.add(passed + 1)
    while len(chosen) < wanted:
        chosen.add(int(again.unit() * among) + 1)
    return sorted(chosen)


def _first_seen(
    sampler: FirstSeen, num_users: int, seed: int, block: int, stratified: bool
) -> list[list[int]]:
    t = sampler.task.num_ideals
    numbers = _Numbers(stream(seed, sampler.key, block, FIRST_SEEN))
    if stratified:
        table: list[list[int]] = []
        for _ in range(0, num_users, STRATA):
            table += _latin_hypercube(numbers, STRATA, t)
    else:
        table = [[numbers.raw() for _ in range(t)] for _ in range(num_users)]
    users = []
    for row in table[:num_users]:
        ranks = []
        for x, number in enumerate(row):
            column = slice(sampler.starts[x], sampler.starts[x + 1])
            shares, candidates = sampler.cumulative[column].tolist(), sampler.ranks[column].tolist()
            share = number >> 11 << 11
            ranks.append(next(r for s, r in zip(shares, candidates, strict=True) if share < s))
        users.append(ranks)
    return users


def _latin_hypercube(numbers: "_Numbers", size: int, t: int) -> list[list[int]]:
    bits = size.bit_length() - 1
    table = [[0] * t for _ in range(size)]
    for x in range(t):
        strata = list(range(size))
        for user in range(size - 1, 0, -1):
            other = int(numbers.unit() * (user + 1))
            strata[user], strata[other] = strata[other], strata[user]
        for user in range(size):
            table[user][x] = strata[user] << (64 - bits) | numbers.raw() >> bits
    return table


def _walked(sampler: Walks, seed: int, block: int, user: int) -> list[int]:
    task = sampler.task
    key = int(stream(seed, sampler.key, block, WALKS)[0])
    seen_at = [NEVER] * task.num_ideals
    golden = 0x9E3779B97F4A7C15
    identity = _split_mix((key + (user + 1) * golden) & _ALL)
    for rank, entry, ideal in zip(
        sampler.ranks.tolist(),
        sampler.entries.tolist(),
        sampler.entry_ideals.tolist(),
        strict=True,
    ):
        path_ideals = {ideal}
        if entry >= 0:
            start = identity ^ _split_mix((entry + 1) * golden & _ALL)
            words = [_split_mix((start + step * golden) & _ALL) for step in (1, 2, 3)]
            numbers = _Numbers(np.array([*words, 1], dtype=np.uint64))
            element = entry
            while True:
                row = int(sampler.rows[element])
                number = numbers.raw()
                bits = row & 63
                column = (row >> 6) + (number >> (64 - bits))
                threshold, outcomes = (int(word) for word in sampler.columns[column])
                first = (number << bits) & _ALL < threshold
                element = outcomes & _HALF if first else outcomes >> 32
                if element == _HALF:
                    break
                path_ideals.add(int(sampler.ideal_of[element]))
        for x in path_ideals - {-1}:
            seen_at[x] = min(seen_at[x], rank)
    return seen_at


def _in_contexts(sampler: Contexts, source: "_Numbers") -> list[int]:
    """Return the ranks at which the next user first saw each ideal."""
    seen_at = [NEVER] * sampler.task.num_ideals
    hazards = sampler.hazards.tolist()
    place, passed = -1, 0.0
    while NEVER in seen_at:
        passed -= math.log(1 - source.unit())
        later = range(place + 1, len(hazards))
        certain = sampler.next_certain[place + 1]
        place = next((k for k in later if hazards[k] > passed or k == certain), len(hazards))
        if place == len(hazards):
            break
        passed = hazards[place]
        point = source.unit() * float(sampler.widths[place])
        entries = slice(sampler.starts[place], sampler.starts[place + 1])
        visited = {int(sampler.own[place])} - {-1}
        margins = zip(
            sampler.ideals[entries].tolist(), sampler.levels[entries].tolist(), strict=True
        )
        if sampler.rule == EXCLUSIVE:
            before = 0.0
            for x, level in margins:
                if any(before <= point + turn < level for turn in range(int(level) + 1)):
                    visited.add(x)
                before = level
        elif sampler.rule == COMONOTONE:
            visited |= {x for x, level in margins if point < level}
        else:
            shared, other = _normals(source, point)
            for number, (x, level) in enumerate(margins):
                mine = other
                if number % 2:
                    mine, other = _normals(source, source.unit())
                if math.sqrt(sampler.rho) * shared + math.sqrt(1 - sampler.rho) * mine <= level:
                    visited.add(x)
        for x in visited:
            seen_at[x] = min(seen_at[x], int(sampler.ranks[place]))
    return seen_at


def _thinned(sampler: Populations, source: "_Numbers", factor: float) -> list[int]:
    """Return the ranks at which the next user, with his factor, first saw each ideal."""
    seen_at = sampler.own_ranks.tolist()
    for x, own_rank in enumerate(sampler.own_ranks.tolist()):
        visits = range(sampler.starts[x], sampler.starts[x + 1])
        passed = 0.0
        last = visits.start - 1
        while factor > 0:
            passed -= math.log(1 - source.unit())
            certain = sampler.next_certain[last + 1 + x]
            later = (k for k in visits if k > last)
            last = next((k for k in later if sampler.hazards[k] > passed or k == certain), -1)
            if last < 0 or sampler.ranks[last] >= own_rank:
                break
            if source.unit() < factor:
                seen_at[x] = int(sampler.ranks[last])
                break
            passed = float(sampler.hazards[last])
    return seen_at


def _normals(source: "_Numbers", uniform: float) -> tuple[float, float]:
    radius, angle = math.sqrt(-2 * math.log(1 - uniform)), 2 * math.pi * source.unit()
    return radius * math.cos(angle), radius * math.sin(angle)


def _split_mix(number: int) -> int:
    """Return SplitMix64's output for a state (Steele, Lea and Flood 2014)."""
    number = ((number ^ number >> 30) * 0xBF58476D1CE4E5B9) & _ALL
    number = ((number ^ number >> 27) * 0x94D049BB133111EB) & _ALL
    return number ^ number >> 31


class _Numbers:
    """NumPy's SFC64, set to a given state."""

    def __init__(self, state: NDArray[np.uint64]) -> None:
        self._bits = np.random.SFC64(0)
        content = self._bits.state
        content["state"] = {"state": state}
        self._bits.state = content

    def raw(self) -> int:
        return int(self._bits.random_raw())

    def unit(self) -> float:
        return (self.raw() >> 11) / 2**53
