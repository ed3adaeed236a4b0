"""Plain-Python twins of the kernels: the same users from the same streams, slowly and readably.

Only the tables (cumulative first-seen probabilities, alias columns) and the streams' states are
shared with the kernels. Random numbers come from NumPy's own SFC64; the counting is written from
the definition of C(r) and CL(r).
"""

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import Mixture, Navigation, Task
from prum.simulator.sampling.steps import stories
from prum.simulator.sampling.streams import (
    AGAIN,
    FACTORS,
    FIRST_SEEN,
    NEVER,
    TYPES,
    UNRANKED,
    VISITS,
    WALKS,
    RandomNumbers,
    split_mix,
    stream,
    users_key,
)
from prum.simulator.sampling.ways.browsing import PopulationSampler
from prum.simulator.sampling.ways.coupled import ContextSampler
from prum.simulator.sampling.ways.covering import CoveringSampler
from prum.simulator.sampling.ways.independent import FirstSeen
from prum.simulator.sampling.ways.mixture import seed_of_type, types_of
from prum.simulator.sampling.ways.samplers import compiled
from prum.simulator.sampling.ways.stepwise import StepwiseSampler, factors_of
from prum.simulator.sampling.ways.walk import WalkSampler
from tests.twins.covering import read_chunks
from tests.twins.outcomes import in_contexts, thinned

Ints = NDArray[np.int64]
_ALL = 2**64 - 1
_HALF = 2**32 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def reference_users(
    task: Task,
    navigation: Navigation,
    *,
    num_users: int,
    seed: int,
    block: int = 0,
    sampled: bool = True,
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
    if isinstance(navigation, Mixture):
        own = RandomNumbers(stream(seed, users_key(task), block, TYPES))
        chosen = types_of(navigation.shares, np.array([own.unit() for _ in range(num_users)]))
        drawn = [
            reference_users(
                task,
                way,
                num_users=num_users,
                seed=seed_of_type(seed, k),
                block=block,
                sampled=sampled,
            )
            for k, way in enumerate(navigation.navigations)
        ]
        users = np.arange(num_users)
        return tuple(np.stack([x[of] for x in drawn])[chosen, users] for of in (0, 1))  # type: ignore[return-value]
    sampler = compiled(task, navigation)
    every = np.arange(task.num_ideals)
    if isinstance(sampler, FirstSeen):
        told = [(every, _first_seen(sampler, num_users, seed, block))]
    elif isinstance(sampler, WalkSampler):
        told = [(every, [_walked(sampler, seed, block, user) for user in range(num_users)])]
    elif isinstance(sampler, ContextSampler):
        told = [(every, [in_contexts(sampler, seed, block, user) for user in range(num_users)])]
    elif isinstance(sampler, CoveringSampler):
        told = [(every, read_chunks(sampler, num_users, seed, block))]
    elif isinstance(sampler, PopulationSampler):
        visits = RandomNumbers(stream(seed, sampler.key, block, VISITS))
        own = RandomNumbers(stream(seed, sampler.key, block, FACTORS))
        uniform = np.array([own.unit() for _ in range(num_users)])
        factors = factors_of(sampler.population, uniform).tolist()
        told = [(every, [thinned(sampler, visits, factor) for factor in factors])]
    elif isinstance(sampler, StepwiseSampler):
        told = stories(sampler, num_users, seed, block)
    else:
        raise TypeError(sampler)
    consulted = np.empty((num_users, task.num_ideals), dtype=np.int64)
    leading = np.empty_like(consulted)
    for story, (wanted, seen_at) in enumerate(told):
        key = (*sampler.key, story) if story else sampler.key
        unranked = RandomNumbers(stream(seed, key, block, UNRANKED))
        again = RandomNumbers(stream(seed, key, block, AGAIN))
        for user in range(num_users):
            c, cl = one_user(task, seen_at[user], unranked, again, sampled)
            consulted[user, wanted] = np.array(c)[wanted]
            leading[user, wanted] = np.array(cl)[wanted]
    return consulted, leading


def one_user(
    task: Task, seen_at: list[int], unranked: RandomNumbers, again: RandomNumbers, sampled: bool
) -> tuple[list[int], list[int]]:
    """Return a user's C(r) and CL(r) from the ranks (from 1) of first seeing each ideal."""
    o, t = task.num_ranked, task.num_ideals
    in_list = sorted(rank for rank in seen_at if rank != NEVER)
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


def _random_places(
    numbers: RandomNumbers, again: RandomNumbers, wanted: int, among: int
) -> list[int]:
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


def _first_seen(sampler: FirstSeen, num_users: int, seed: int, block: int) -> list[list[int]]:
    t = sampler.task.num_ideals
    numbers = RandomNumbers(stream(seed, sampler.key, block, FIRST_SEEN))
    return [
        [first_rank(sampler, x, numbers.raw() >> 11) for x in range(t)] for _ in range(num_users)
    ]


def first_rank(sampler: FirstSeen, x: int, share: int) -> int:
    """Return the rank, from 1, at which ideal x is first seen at a share of 2^53."""
    column = slice(sampler.starts[x], sampler.starts[x + 1])
    shares, candidates = sampler.cumulative[column].tolist(), sampler.ranks[column].tolist()
    return next(r for s, r in zip(shares, candidates, strict=True) if share << 11 < s)


def _walked(sampler: WalkSampler, seed: int, block: int, user: int) -> list[int]:
    task = sampler.task
    key = int(stream(seed, sampler.key, block, WALKS)[0])
    seen_at = [NEVER] * task.num_ideals
    identity = split_mix((key + (user + 1) * _GOLDEN) & _ALL)
    ideal_of = dict(zip(sampler.slots.tolist(), sampler.slot_ideals.tolist(), strict=True))
    for rank, entry, place, ideal in zip(
        sampler.ranks.tolist(),
        sampler.entries.tolist(),
        sampler.places.tolist(),
        sampler.entry_ideals.tolist(),
        strict=True,
    ):
        path_ideals = {ideal}
        if place:
            start = identity ^ split_mix((entry + 1) * _GOLDEN & _ALL)
            words = [split_mix((start + step * _GOLDEN) & _ALL) for step in (1, 2, 3)]
            numbers = RandomNumbers(np.array([*words, 1], dtype=np.uint64))
            while place:
                number = numbers.raw()
                bits = (place & -place).bit_length() - 1
                column = (place - (1 << bits)) // 2 + (number >> (64 - bits))
                threshold, outcomes = (int(word) for word in sampler.columns[column])
                first = (number << bits) & _ALL < threshold
                place = outcomes & _HALF if first else outcomes >> 32
                path_ideals.add(ideal_of.get(place, -1) if place else -1)
        for x in path_ideals - {-1}:
            seen_at[x] = min(seen_at[x], rank)
    return seen_at
