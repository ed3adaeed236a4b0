"""Sampler of users whose visits from one entry point depend on each other."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from prum.simulator.model import InputError, Task
from prum.simulator.model.coupling import Copula, Coupled
from prum.simulator.sampling.streams import CONTEXTS, stream, unranked_streams, users_key

Counts = NDArray[np.int32]
Floats = NDArray[np.float64]

# As in `kernels`, which is slow to load.
EXCLUSIVE, COMONOTONE, COPULA = range(3)
# Buckets of hazard per context, about: a look-up is seldom more than one too early.
_BUCKETS = 4
_MOST_BUCKETS = 1 << 14


class Contexts:
    """Coupled navigation: from one context in which the user sees something to the next.

    P(he sees nothing at a rank) = 1 - sum of the margins (exclusive), 1 - their maximum
    (comonotone); under a copula every rank that may lead somewhere is drawn.
    """

    def __init__(self, task: Task, navigation: Coupled) -> None:
        self.task = task
        self.key = users_key(task)
        coupling = navigation.coupling
        self.rho = coupling.rho if isinstance(coupling, Copula) else 0.0
        copula = self.rho not in (0, 1)
        if copula:
            self.rule = COPULA
        else:
            self.rule = EXCLUSIVE if coupling == "exclusive" else COMONOTONE
        ranks, ideals, probabilities = navigation.reach(task)
        own_ideal = {ideal: x for x, ideal in enumerate(task.ideals)}
        element = np.array([own_ideal.get(element, -1) for element in task.ranking], dtype=np.int64)
        ours = element[ranks] == ideals
        listed = np.unique(ranks)
        self.ranks = listed + 1
        self.own = np.full(len(listed), -1, dtype=np.int64)
        self.own[np.searchsorted(listed, ranks[ours])] = ideals[ours]
        ranks, ideals, margins = ranks[~ours], ideals[~ours], probabilities[~ours]
        # Laid out by ideal, or from the most probable on.
        order = np.lexsort((ideals if self.rule != COMONOTONE else -margins, ranks))
        ranks, self.ideals, margins = ranks[order], ideals[order], margins[order]
        self.starts = np.searchsorted(ranks, np.append(listed, task.num_ranked))
        self.levels, self.widths = self._levels(margins)
        certain = (self.widths >= 1) | (self.own >= 0) | copula
        self.widths[certain] = 1
        self.hazards = np.cumsum(-np.log1p(-np.where(certain, 0, self.widths)))
        num_contexts = len(listed)
        places = np.where(certain, np.arange(num_contexts), num_contexts)
        self.next_certain = np.minimum.accumulate(np.append(places, num_contexts)[::-1])[::-1]
        self.guide, self.scale = _guide(self.hazards)

    def _levels(self, margins: Floats) -> tuple[Floats, Floats]:
        """Return what a user's number is compared with, and P(he sees something) of each rank."""
        sums, largest = np.zeros(len(self.ranks)), np.zeros(len(self.ranks))
        of_rank = np.repeat(np.arange(len(self.ranks)), np.diff(self.starts))
        np.add.at(sums, of_rank, margins)
        np.maximum.at(largest, of_rank, margins)
        if self.rule == COPULA:
            return ndtri(margins), np.ones(len(self.ranks))
        if self.rule == COMONOTONE:
            return margins, largest
        levels = np.empty_like(margins)
        for begin, end in pairwise(self.starts.tolist()):
            levels[begin:end] = np.cumsum(margins[begin:end])
        return levels, np.minimum(sums, 1)

    def block(self, seed: int, number: int, *, sampled: bool, stratified: bool) -> "_ContextsBlock":
        """Return block `number` of the users of `seed`; it cannot be stratified."""
        if stratified:
            raise InputError(
                "stratified",
                True,
                "be False for coupled navigation (a user has no fixed number of draws to stratify)",
                remedy="leave it out, or use independent navigation",
            )
        return _ContextsBlock(self, seed, number, sampled=sampled)


class _ContextsBlock:
    def __init__(self, sampler: Contexts, seed: int, number: int, *, sampled: bool) -> None:
        self.sampler, self.sampled = sampler, sampled
        self.source = stream(seed, sampler.key, number, CONTEXTS)
        self.unranked, self.again = unranked_streams(seed, sampler.key, number, sampled)

    def draw(self, consulted: Counts, leading: Counts) -> None:
        from prum.simulator.sampling import kernels

        sampler = self.sampler
        kernels.contexts(
            self.source, sampler.hazards, sampler.guide, sampler.scale, sampler.next_certain,
            sampler.ranks, sampler.widths, sampler.own, sampler.starts, sampler.ideals,
            sampler.levels, sampler.rule, sampler.rho, self.unranked, self.again,
            sampler.task.num_ranked, sampler.task.num_unranked, self.sampled, consulted, leading,
        )  # fmt: skip


def _guide(hazards: Floats) -> tuple[NDArray[np.int64], float]:
    """Return the first context that each stretch of hazard may mean, and stretches per hazard."""
    total = float(hazards[-1]) if len(hazards) else 0.0
    if total <= 0:
        return np.zeros(1, dtype=np.int64), 0.0
    num_buckets = min(_BUCKETS * len(hazards), _MOST_BUCKETS)
    # A rounding earlier does no harm, one later would.
    edges = np.arange(num_buckets) * (total / num_buckets) * (1 - 1e-12)
    return np.searchsorted(hazards, edges, side="right"), num_buckets / total
