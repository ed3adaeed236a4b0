"""Sampler of users who differ in how much they browse."""

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import InputError, Task
from prum.simulator.model.population import Beta, Population, own_entries
from prum.simulator.sampling.streams import (
    FACTORS,
    VISITS,
    stream,
    unranked_streams,
    users_key,
)

Counts = NDArray[np.int32]
Floats = NDArray[np.float64]

# As in `kernels`, which is slow to load.
_NEVER = 2**31 - 1


class Populations:
    """Thinning: the visits of a user with factor 1, each made with the user's own factor."""

    def __init__(self, task: Task, navigation: Population) -> None:
        self.task, self.propensity = task, navigation.propensity
        self.key = users_key(task)
        ranks, ideals, probabilities = navigation.navigation.reach(task)
        own = own_entries(task, ranks, ideals)
        self.own_ranks = np.full(task.num_ideals, _NEVER, dtype=np.int64)
        self.own_ranks[ideals[own]] = ranks[own] + 1
        ranks, ideals, probabilities = ranks[~own], ideals[~own], probabilities[~own]
        order = np.lexsort((ranks, ideals))
        self.ranks, probabilities = ranks[order] + 1, probabilities[order]
        self.starts = np.searchsorted(ideals[order], np.arange(task.num_ideals + 1))
        certain = probabilities == 1
        self.hazards = np.empty(len(self.ranks))
        # For each column one entry more than it has visits: its end.
        self.next_certain = np.empty(len(self.ranks) + task.num_ideals, dtype=np.int64)
        for x in range(task.num_ideals):
            begin, end = self.starts[x], self.starts[x + 1]
            column = slice(begin, end)
            steps = -np.log1p(-np.where(certain[column], 0, probabilities[column]))
            self.hazards[column] = np.cumsum(steps)
            places = np.append(np.where(certain[column], np.arange(begin, end), end), end)
            self.next_certain[begin + x : end + x + 1] = np.minimum.accumulate(places[::-1])[::-1]

    def factors(self, uniform: Floats) -> Floats:
        """Return the factors of users by their numbers in [0, 1)."""
        propensity = self.propensity
        if isinstance(propensity, Beta):
            from scipy.special import betaincinv

            factors: Floats = betaincinv(propensity.a, propensity.b, uniform)
            return factors
        edges = np.cumsum(propensity.weights)
        kind = np.searchsorted(edges / edges[-1], uniform, side="right")
        return np.array(propensity.factors)[kind]

    def block(
        self, seed: int, number: int, *, sampled: bool, stratified: bool
    ) -> "_PopulationsBlock":
        """Return block `number` of the users of `seed`; it cannot be stratified."""
        if stratified:
            raise InputError(
                "stratified",
                True,
                "be False for a population (a user has no fixed number of draws to stratify)",
                remedy="leave it out, or use independent navigation",
            )
        return _PopulationsBlock(self, seed, number, sampled=sampled)


class _PopulationsBlock:
    def __init__(self, sampler: Populations, seed: int, number: int, *, sampled: bool) -> None:
        self.sampler, self.sampled = sampler, sampled
        self.own = stream(seed, sampler.key, number, FACTORS)
        self.source = stream(seed, sampler.key, number, VISITS)
        self.unranked, self.again = unranked_streams(seed, sampler.key, number, sampled)

    def draw(self, consulted: Counts, leading: Counts) -> None:
        from prum.simulator.sampling.kernels import fill_uniform
        from prum.simulator.sampling.thinning import thinned

        sampler = self.sampler
        numbers = np.empty(len(consulted), dtype=np.uint64)
        fill_uniform(self.own, numbers)
        factors = sampler.factors((numbers >> np.uint64(11)).astype(np.float64) * 2.0**-53)
        thinned(
            self.source, factors, sampler.starts, sampler.hazards, sampler.next_certain,
            sampler.ranks, sampler.own_ranks, self.unranked, self.again,
            sampler.task.num_ranked, sampler.task.num_unranked, self.sampled, consulted, leading,
        )  # fmt: skip
