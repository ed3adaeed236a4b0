"""Sampler of users each of whose visits is on its own."""

import numpy as np

from prum.simulator.model import Independent, Task
from prum.simulator.model.arrays import Counts, Floats, Words
from prum.simulator.sampling.streams import FIRST_SEEN, NEVER, users_key
from prum.simulator.sampling.ways.samplers import KernelBlock, KernelSampler

# A guide table of up to 2^14 entries stays in the first cache.
_GUIDE_BITS = 14


class FirstSeen(KernelSampler):
    """Independent navigation: the rank at which each ideal is first seen, by inversion.

    P(first seen at rank i) = reach[i, x] prod_{j<i} (1 - reach[j, x]). A user's random number for
    ideal x is the same in every list, so two lists are compared on the same users.
    """

    purposes = (FIRST_SEEN,)

    def __init__(self, task: Task, navigation: Independent) -> None:
        self.task = task
        self.key = users_key(task)
        ranks, ideals, probabilities = navigation.reach(task)
        order = np.lexsort((ranks, ideals))
        ranks, ideals, probabilities = ranks[order], ideals[order], probabilities[order]
        t = task.num_ideals
        cumulative: list[Words] = []
        candidates: list[Counts] = []
        guides: list[Counts] = []
        self.shifts = np.empty(t, dtype=np.uint64)
        bounds = np.searchsorted(ideals, np.arange(t + 1))
        for x in range(t):
            column = slice(bounds[x], bounds[x + 1])
            edges = _cumulative(probabilities[column])
            bits = max(len(edges).bit_length(), min(_GUIDE_BITS, (8 * len(edges)).bit_length()))
            self.shifts[x] = 64 - bits
            buckets = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
            guides.append(np.searchsorted(edges, buckets, side="right").astype(np.int32))
            cumulative.append(edges)
            candidates.append(np.append(ranks[column] + 1, NEVER)[: len(edges)].astype(np.int32))
        self.starts = np.concatenate(([0], np.cumsum([len(edges) for edges in cumulative])))
        self.cumulative = np.concatenate(cumulative)
        self.ranks = np.concatenate(candidates)
        self.guide_starts = np.concatenate(([0], np.cumsum([len(guide) for guide in guides])))
        self.guides = np.concatenate(guides)

    def draw(self, block: KernelBlock) -> None:
        """Draw the next users of a block."""
        from prum.simulator.sampling.kernels import first_seen

        first_seen(self, block)


def _cumulative(probabilities: Floats) -> Words:
    """Return P(first seen by candidate k) as shares of 2^64, ending with the largest number.

    If an ideal is certain to be seen at its last candidate, that candidate is the end.
    """
    unseen = np.cumprod(1 - probabilities)
    seen = (1 - unseen) * 2.0**53
    shares = np.minimum(seen, 2.0**53 - 1).astype(np.uint64) << np.uint64(11)
    top = np.uint64(0xFFFFFFFFFFFFFFFF)
    certain = np.flatnonzero(probabilities == 1)
    if certain.size:
        return np.append(shares[: certain[0]], top)
    return np.append(shares, top)


sampler = FirstSeen
