"""UDCG: what the chunks of a prompt are worth to a language model that reads all of them."""

import math

import numpy as np
from numpy.typing import ArrayLike

from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, proportion, real_array

# What a chunk without the answer costs that the model takes for one with it.
DISTRACTION = 1 / 3


def reader_gains(
    relevance: ArrayLike, abstention: ArrayLike, *, distraction: float = DISTRACTION
) -> Floats:
    """Return what each chunk is worth to a language model that reads it, in [-distraction, 1].

    A model that does not abstain uses a chunk, with probability u = 1 - abstention. That is worth
    u if the chunk is relevant, and -distraction * u if it is not: it leads astray.

    Parameters
    ----------
    relevance
        0 or 1 of each chunk, shape (n,).
    abstention
        The probability that the model answers nothing when this chunk alone is given, shape (n,).
    distraction
        Weight of chunks that are not relevant, in [0, 1].

    Raises
    ------
    InputError
        for relevance other than 0 and 1, probabilities outside [0, 1], other shapes.

    >>> reader_gains([1, 0, 0], [0.25, 0.25, 1]).tolist()
    [0.75, -0.25, -0.0]
    """
    weight = proportion("distraction", distraction, remedy="give 1/3, say")
    relevant = real_array("relevance", relevance, remedy="give 0 or 1 by rank")
    if relevant.ndim != 1:
        raise InputError("relevance", relevant.shape, "have shape (n,)", remedy="give one list")
    valid = (relevant == 0) | (relevant == 1)
    check_each("relevance", relevant, valid, "be 0 or 1", remedy="binarise it", place="rank {}")
    remedy = "give a probability for each rank"
    silent = real_array("abstention", abstention, remedy=remedy, shape=relevant.shape)
    valid = (silent >= 0) & (silent <= 1)
    check_each("abstention", silent, valid, "lie in [0, 1]", remedy=remedy, place="rank {}")
    gains: Floats = np.where(relevant == 1, 1.0, -weight) * (1 - silent)
    return gains


def udcg(relevance: ArrayLike, abstention: ArrayLike, *, distraction: float = DISTRACTION) -> float:
    """Return UDCG of the chunks that a language model is given, in (0, 1).

    1 / (1 + exp(-g)), g the mean of `reader_gains`. All ranks weigh alike: the model reads the
    whole prompt, so that g is M1, `accumulate("M1", ...)`, of a user who stops at each rank with
    the same probability. Without chunks it is .5. Of Trappolini, Cuconasu, Filice, Maarek and
    Silvestri, "Redefining retrieval evaluation in the era of LLMs" (2025). Their paper has the
    distraction 1/3; the command they published printed its sample with .333.

    Raises
    ------
    InputError
        as `reader_gains`.

    >>> round(udcg([1, 0], [0, 1]), 4)
    0.6225
    """
    gains = reader_gains(relevance, abstention, distraction=distraction)
    return 1 / (1 + math.exp(-float(gains.mean()))) if len(gains) else 0.5
