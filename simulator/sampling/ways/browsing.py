"""Samplers of users who browse with dials: of a population alone, or step by step."""

from itertools import pairwise

import numpy as np

from prum.simulator.model import Browsing, Independent, OneFactor, Task
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.population import Beta, Types
from prum.simulator.sampling.streams import FACTORS, NEVER, VISITS, uniform, users_key
from prum.simulator.sampling.ways.samplers import KernelBlock, KernelSampler, Sampler, compiled
from prum.simulator.sampling.ways.stepwise import StepwiseSampler, factors_of

# Guide entries per visit, about: a look-up is seldom more than one too early.
_STRETCHES = 4
_MOST_STRETCHES = 1 << 14
# In place of the factor 0, since numbers are divided by it.
_LEAST = 1e-290


class PopulationSampler(KernelSampler):
    """Thinning: a user stops at slightly more visits than they make, and makes most of these."""

    purposes = VISITS, FACTORS

    def __init__(self, task: Task, navigation: Independent, population: Types | Beta) -> None:
        self.task, self.navigation, self.population = task, navigation, population
        self.key = users_key(task)
        ranks, ideals, probabilities = navigation.reach(task)
        own_ideal = {ideal: x for x, ideal in enumerate(task.ideals)}
        element = np.array([own_ideal.get(e, -1) for e in task.ranking], dtype=np.int64)
        shows_itself = element[ranks] == ideals
        self.own_ranks = np.full(task.num_ideals, NEVER, dtype=np.int64)
        self.own_ranks[ideals[shows_itself]] = ranks[shows_itself] + 1
        self._tables(ranks[~shows_itself] + 1, ideals[~shows_itself], probabilities[~shows_itself])

    def _tables(self, ranks: Ints, ideals: Ints, probabilities: Floats) -> None:
        """Lay out each ideal's visits one behind the other, each time with "never" as the last."""
        t = self.task.num_ideals
        order = np.lexsort((ranks, ideals))
        bounds = np.searchsorted(ideals[order], np.arange(1, t + 1))
        self.starts = np.concatenate(([0], bounds + np.arange(1, t + 1)))
        self.ranks = np.insert(ranks[order], bounds, NEVER).astype(np.int32)
        self.margins = np.insert(probabilities[order], bounds, 0.0)
        self.hazards = np.empty(len(self.ranks))
        self.next_certain = np.empty(len(self.ranks), dtype=np.int64)
        self.scales = np.empty(t)
        guides = []
        for x, (begin, end) in enumerate(pairwise(self.starts.tolist())):
            margins = self.margins[begin:end]
            hazards = np.cumsum(-np.log1p(-np.where(margins < 1, margins, 0)))
            num_stretches = min(_STRETCHES * len(hazards), _MOST_STRETCHES)
            # Never is a stretch of its own. Rounding it down does no harm, rounding it up would.
            self.scales[x] = (num_stretches - 1) / max(hazards[-1], 1e-300)
            edges = np.arange(num_stretches) * ((1 - 1e-12) / self.scales[x])
            hazards[-1] = np.inf
            guides.append(begin + np.searchsorted(hazards, edges, side="right").astype(np.int32))
            self.hazards[begin:end] = hazards
            certain = (margins == 1) | (hazards == np.inf)
            places = np.where(certain, np.arange(begin, end), end)
            self.next_certain[begin:end] = np.minimum.accumulate(places[::-1])[::-1]
        self.guide_starts = np.cumsum([0, *map(len, guides)])
        self.guide = np.concatenate(guides)

    def draw(self, block: KernelBlock) -> None:
        """Draw the next users of a block, each with a factor of their own."""
        from prum.simulator.sampling.kernels import thinned

        numbers = uniform(block.more[0], block.consulted.shape[1])
        thinned(np.maximum(factors_of(self.population, numbers), _LEAST), self, block)


def sampler(task: Task, browsing: Browsing) -> Sampler:
    """Return the sampler of a task: without dials, of a population alone, or step by step."""
    tossed, population = browsing.base.tossed, browsing.population
    if browsing.is_plain:
        return compiled(task, browsing.base)
    if (
        browsing.turned == ("population",)
        and tossed is not None
        and population is not None
        and not isinstance(population, OneFactor)
    ):
        return PopulationSampler(task, tossed, population)
    return StepwiseSampler(task, browsing)
