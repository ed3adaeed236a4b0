"""Users of a list whose law is known, and four ways to deviate from it by a known amount.

A user looks at ranks 1, 2, ... Having looked at a rank they go on to the next with probability c.
They open the element at rank k, if they look at it, with probability a_k. Nothing depends on
anything else: the share of users who open rank k is a_k c^(k-1). A deviation d in [0, 1] is one of

dependence
    of what a user opens: a normal factor of each user with correlation d, the same a_k.
stop rule
    c becomes c (1 - d / 2).
spread
    half of the users go on with c + d (1 - c), the others with c - d (1 - c): the same mean.
memory
    who opened the rank before opens the next with probability a_k (1 - d).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from prum.simulator.model.arrays import Flags, Floats

DEVIATIONS = ("dependence", "stop rule", "spread", "memory")
GOES_ON = 0.85
OPENS: Floats = np.asarray(0.6 * 0.85 ** np.arange(10), dtype=np.float64)
# Ranks of what is relevant in the lists of four systems, from the best to the worst.
SYSTEMS: Floats = np.array(
    [
        [1, 1, 0, 1, 0, 0, 1, 0, 0, 0],
        [1, 0, 1, 0, 1, 0, 0, 1, 0, 0],
        [0, 1, 0, 1, 0, 1, 0, 0, 1, 0],
        [0, 0, 1, 0, 1, 0, 0, 1, 0, 1],
    ],
    dtype=np.float64,
)


@dataclass(frozen=True, slots=True)
class ListUsers:
    """What users opened, shape (n, 10), and how many ranks each looked at, shape (n,)."""

    opened: Flags
    looked: Floats


def users(number: int, deviation: str, size: float, rng: np.random.Generator) -> ListUsers:
    """Return so many users who deviate by some size in one way.

    >>> users(3, "memory", 0.5, np.random.default_rng(1)).opened.shape
    (3, 10)
    """
    depth = len(OPENS)
    shape = (number, depth)
    on = np.full((number, 1), GOES_ON)
    if deviation == "stop rule":
        on = on * (1 - size / 2)
    elif deviation == "spread":
        on = on + size * (1 - GOES_ON) * np.where(rng.random((number, 1)) < 0.5, 1, -1)
    going = np.cumprod(rng.random((number, depth - 1)) < on, axis=1)
    looks = np.hstack([np.ones((number, 1)), going]) > 0
    if deviation == "dependence":
        factor = rng.standard_normal((number, 1))
        noise = np.sqrt(size) * factor + np.sqrt(1 - size) * rng.standard_normal(shape)
        opens = noise < ndtri(OPENS)
    else:
        toss = rng.random(shape)
        opens = toss < OPENS
        if deviation == "memory":
            for k in range(1, depth):
                opens[:, k] = toss[:, k] < OPENS[k] * (1 - size * opens[:, k - 1])
    return ListUsers(looks & opens, looks.sum(axis=1).astype(np.float64))


def exact_scores(go_on: float = GOES_ON) -> Floats:
    """Return the scores of the systems, relevant per opened element, of users without deviation.

    sum_k rel_k a_k c^(k-1) / sum_k a_k c^(k-1), a ratio of expectations.

    >>> exact_scores().round(3).tolist()
    [0.647, 0.548, 0.396, 0.275]
    """
    shares = OPENS * go_on ** np.arange(len(OPENS))
    return np.asarray(SYSTEMS @ shares / shares.sum())
