"""Plain-Python twins of the kernels for measures of effort: the same users, slowly and readably.

Only the tables and the streams' states are shared with the kernels; sets of ideals are Python's,
and the fewest elements are found by trying all unions.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import Independent, Task
from prum.simulator.sampling.measured.effort import Efforts, EffortVisits
from prum.simulator.sampling.streams import EFFORTS, RandomNumbers, stream

Ints = NDArray[np.int64]
Ideals = frozenset[int]
_ONE = 1 << 40


def reference_efforts(
    task: Task,
    navigation: Independent,
    *,
    num_users: int,
    seed: int,
    block: int = 0,
    values: Mapping[str, float] | None = None,
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return C(r), CL(r), value seen by rank, and ratios of effort in 2^-40, of a block's first.

    Shapes (num_users, t), but (num_users, o) for values, which are weights of `Efforts`.

    >>> task = Task(["d", "c"], ["a", "b"], 4)
    >>> certain = Independent({("c", "a"): 1, ("c", "b"): 1})
    >>> consulted, leading, seen, effort = reference_efforts(task, certain, num_users=1, seed=1)
    >>> consulted.tolist(), leading.tolist(), (effort / 2**40).tolist()
    ([[2, 2]], [[1, 1]], [[0.5, 0.5]])
    """
    sampler = Efforts(task, navigation, values)
    numbers = RandomNumbers(stream(seed, sampler.key, block, EFFORTS))
    weights, t = sampler.weights.tolist(), task.num_ideals
    columns: tuple[list[list[int]], ...] = ([], [], [], [])
    for _ in range(num_users):
        shown = _tossed(sampler.visits, numbers, t)
        order = sampler.visits.ranking.tolist()
        finds = _consulted([shown[element] for element in order])
        seen, rank_of = list[int](), dict[int, int]()
        for rank in range(1, len(order) + 1):
            found = (x for x, (first, _) in finds.items() if first <= rank)
            seen.append(sum(weights[x] for x in found))
            for r, level in enumerate(sampler.levels.tolist()):
                if seen[-1] >= level:
                    rank_of.setdefault(r, rank)
        fewest = _fewest(shown, weights, sampler.levels.tolist()[: len(rank_of)])
        effort = [0] * t
        for r, rank in rank_of.items():
            effort[r] = (fewest[r] * _ONE + rank // 2) // rank
        ranks, leads = _with_unranked(finds, t, task, numbers)
        for column, row in zip(columns, (ranks, leads, seen, effort), strict=True):
            column.append(row)
    consulted, leading, values_seen, efforts = (np.array(c, dtype=np.int64) for c in columns)
    return consulted, leading, values_seen, efforts


def _tossed(visits: EffortVisits, numbers: RandomNumbers, t: int) -> list[Ideals]:
    """Return what each element shows."""
    shown = [{x for x in range(t) if int(words[x // 64]) >> x % 64 & 1} for words in visits.certain]
    for (element, x), chance in zip(visits.tossed.tolist(), visits.chances.tolist(), strict=True):
        if numbers.unit() < chance:
            shown[element].add(x)
    return list(map(frozenset, shown))


def _consulted(shown: list[Ideals]) -> dict[int, tuple[int, int]]:
    """Return for each ideal that is seen its rank and how many elements have led by then."""
    finds = dict[int, tuple[int, int]]()
    for rank, ideals in enumerate(shown, start=1):
        led = len({first for first, _ in finds.values()})
        for x in ideals - finds.keys():
            finds[x] = rank, led + 1
    return finds


def _with_unranked(
    finds: dict[int, tuple[int, int]], wanted: int, task: Task, numbers: RandomNumbers
) -> tuple[list[int], list[int]]:
    """Return C and CL of the first, second, ... ideal, those not found at random places."""
    in_list = sorted(finds.values())
    places = set[int]()
    for top in range(task.num_unranked - wanted + len(in_list) + 1, task.num_unranked + 1):
        place = 1 + int(numbers.unit() * top)
        places.add(top if place in places else place)
    led = in_list[-1][1] if in_list else 0
    behind = [(task.num_ranked + place, led + k) for k, place in enumerate(sorted(places), start=1)]
    told = in_list + behind
    return [rank for rank, _ in told], [leads for _, leads in told]


def _fewest(shown: list[Ideals], weights: list[int], levels: list[int]) -> list[int]:
    """Return the fewest elements that reach each of the levels."""
    sets = {ideals for ideals in shown if len(ideals) > 1}
    unions, fewest = [{frozenset[int]()}], list[int]()  # unions[k]: of k sets, but of no fewer
    number = reached = 0
    for level in levels:
        while reached < level:
            number += 1
            unions.append({a | b for a in unions[-1] for b in sets}.difference(*unions))
            reached = max(
                _filled(union, number - used, weights)
                for used, layer in enumerate(unions)
                for union in layer
            )
        fewest.append(number)
    return fewest


def _filled(union: Ideals, singles: int, weights: list[int]) -> int:
    """Return the value of a set of ideals and the heaviest others, one by one."""
    others = sorted((weight for x, weight in enumerate(weights) if x not in union), reverse=True)
    return sum(weights[x] for x in union) + sum(others[:singles])
