"""Other judgements that might have been made: shallower pools, other assessors, fewer topics."""

import numpy as np

from prum.experiments.studies.robustness.rounds import Round
from prum.simulator.model.arrays import Flags, Floats


def pooled(round_: Round, depth: int) -> Flags:
    """Return what is relevant of the elements that some system has down to a rank.

    The pool that the same systems would have given; what is not in it counts as not relevant.
    """
    return round_.relevant & (round_.depths <= depth)


def pool_depths(round_: Round) -> list[int]:
    """Return depths 1, 2, 5, 10, 20, ... below the first that holds all relevant elements."""
    depths = round_.depths
    within = round_.relevant & (depths <= round_.codes.shape[2])
    deepest = int(depths[within].max(initial=1))
    steps = (step * 10**power for power in range(7) for step in (1, 2, 5))
    return [depth for depth in steps if depth < deepest]


def disturbed(round_: Round, dial: float, rng: np.random.Generator) -> Flags:
    """Return what another assessor finds relevant, who differs from the first by a dial.

    They reject each relevant element with probability `dial`, and accept each other judged element
    with a probability of its topic that keeps the expected number of relevant elements. So of what
    either takes for relevant, both do for some (1 - dial) / (1 + dial): .8 at dial .11, .43 at .4,
    as much as assessors of TREC were seen to share.
    """
    relevant, others = round_.relevant, round_.judged & ~round_.relevant
    lost = round_.num_relevant(relevant) * dial
    candidates = np.bincount(round_.topic_of[others], minlength=len(round_.topics))
    share = np.divide(lost, candidates, out=np.zeros(len(lost)), where=candidates > 0).clip(max=1)
    chance = np.where(relevant, 1 - dial, np.where(others, share[round_.topic_of], 0))
    accepted: Flags = rng.random(len(relevant)) < chance
    return accepted


def sample_means(scores: Floats, size: int, trials: int, rng: np.random.Generator) -> list[Floats]:
    """Return mean scores (measures, systems) over random samples of topics, none twice in one."""
    num_topics = scores.shape[2]
    samples = (rng.permutation(num_topics)[:size] for _ in range(trials))
    return [scores[:, :, sample].mean(axis=2) for sample in samples]
