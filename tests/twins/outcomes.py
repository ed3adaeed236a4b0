"""Plain-Python twins of the loops for users whose visits are coupled, or who differ."""

import math
from itertools import pairwise

import numpy as np

from prum.simulator.sampling.streams import CONTEXTS, NEVER, RandomNumbers, split_mix, stream
from prum.simulator.sampling.ways.browsing import PopulationSampler
from prum.simulator.sampling.ways.coupled import ContextSampler

_ALL = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def in_contexts(sampler: ContextSampler, seed: int, block: int, user: int) -> list[int]:
    """Return the ranks at which a user first saw each ideal."""
    key = int(stream(seed, sampler.key, block, CONTEXTS)[0])
    seen_at = [NEVER] * sampler.task.num_ideals
    numbers = _SplitMix(split_mix((key + (user + 1) * _GOLDEN) & _ALL))
    context = 0
    while NEVER in seen_at:
        number = numbers.raw()
        level = (1 - (number >> 11) / 2**53) * float(sampler.levels[context])
        begin, end = sampler.segments[context].tolist()
        outcome = begin + int(np.searchsorted(-sampler.below[begin:end], -level, side="right"))
        place = int(sampler.arrivals[outcome])
        if place < 0:
            break
        ideals = sampler.ideals[sampler.starts[place] : sampler.starts[place + 1]].tolist()
        what = int(sampler.seen[outcome])
        if what < 0:
            visited = _in_cell(sampler, _SplitMix(number), place, ~what)
        else:
            visited = sampler.places[slice(*sampler.lists[what].tolist())].tolist()
        for k in visited:
            seen_at[ideals[k]] = min(seen_at[ideals[k]], int(sampler.ranks[place]))
        context = place + 1
    return seen_at


def _in_cell(sampler: ContextSampler, numbers: "_SplitMix", context: int, cell: int) -> list[int]:
    """Return the places of what is visited in a context, the common factor being in a cell."""
    begin, end = sampler.starts[context : context + 2].tolist()
    shape = len(sampler.edges), end - begin
    rows = slice(begin * shape[0], end * shape[0])
    hazards = sampler.hazards[rows].reshape(shape)[cell].tolist()
    most, least = sampler.highs[rows].reshape(shape)[cell : cell + 2].tolist()
    low, high = sampler.edges[cell : cell + 2].tolist()
    z: float | None = None
    visited = []
    passed = -math.log(1 + numbers.unit() * math.expm1(-hazards[-1]))
    k = min(sum(hazard <= passed for hazard in hazards), len(hazards) - 1)
    while k < len(hazards):
        chance = numbers.unit() * most[k]
        seen = chance < least[k]
        if not seen:
            nearest = min(max(low, 0), high)
            while z is None:
                z = low + numbers.unit() * (high - low)
                if numbers.unit() >= math.exp((nearest * nearest - z * z) / 2):
                    z = None
            depth = math.sqrt(sampler.rho) * z - float(sampler.normals[begin + k])
            seen = chance < math.erfc(depth / math.sqrt(2 - 2 * sampler.rho)) / 2
        if seen:
            visited.append(k)
        passed = hazards[k] - math.log(1 - numbers.unit())
        k = sum(hazard <= passed for hazard in hazards)
    return visited


def thinned(sampler: PopulationSampler, source: RandomNumbers, factor: float) -> list[int]:
    """Return the ranks at which the next user, with their factor, first saw each ideal."""
    seen_at = sampler.own_ranks.tolist()
    factor = max(factor, 1e-290)
    for x, (begin, end) in enumerate(pairwise(sampler.starts.tolist())):
        number = source.raw()
        more = _SplitMix(number)
        last, passed = begin - 1, -math.log(1 - (number >> 11) / 2**53) / factor
        while True:
            certain = sampler.next_certain[last + 1]
            later = range(last + 1, end)
            last = next(k for k in later if sampler.hazards[k] > passed or k == certain)
            p = float(sampler.margins[last])
            proposed = -math.expm1(factor * math.log1p(-p)) if p < 1 else 1.0
            chance = more.unit()
            if chance < 1 - p or chance * proposed < factor * p:
                seen_at[x] = min(seen_at[x], int(sampler.ranks[last]))
                break
            passed = float(sampler.hazards[last]) - math.log(1 - more.unit()) / factor
    return seen_at


class _SplitMix:
    """SplitMix64, set to a given state."""

    def __init__(self, state: int) -> None:
        self._state = state

    def raw(self) -> int:
        self._state = (self._state + _GOLDEN) & _ALL
        return split_mix(self._state)

    def unit(self) -> float:
        return (self.raw() >> 11) / 2**53
