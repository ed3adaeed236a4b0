"""Plain-Python twins of pushed users: drawn, weighed and summed slowly and readably.

Only the tables are shared with the kernels: which group a pushed user goes for, and of each ideal
the shares that the group favours and how likely they become. A weight is a ratio of probabilities,
ideal by ideal and group by group.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model import Independent, Task
from prum.simulator.sampling.importance.samplers import pushed
from prum.simulator.sampling.importance.visits import PushedVisits
from prum.simulator.sampling.streams import (
    AGAIN,
    FIRST_SEEN,
    PUSHED,
    PUSHED_EVERY,
    UNIT,
    UNRANKED,
    RandomNumbers,
    stream,
)
from prum.simulator.sampling.ways.samplers import compiled
from tests.twins.independent import first_rank, one_user

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_ONE = 2**53


def reference_pushed(
    task: Task, navigation: Independent, *, num_users: int, seed: int, block: int = 0
) -> tuple[Ints, Ints, Floats]:
    """Return C(r) and CL(r), shape (num_users, t), and weights of the first users of a block.

    >>> task = Task(["x"], ["a"], 2)
    >>> users = reference_pushed(task, Independent({("x", "a"): 0.99}), num_users=4, seed=1)
    >>> [column.ravel().round(3).tolist() for column in users]
    [[1, 1, 1, 1], [1, 1, 1, 1], [1.142, 1.142, 1.142, 1.142]]
    """
    sampler = pushed(compiled(task, navigation))
    assert isinstance(sampler, PushedVisits)
    key = sampler.sampler.key
    numbers, pushes, unranked, again = (
        RandomNumbers(stream(seed, key, block, purpose))
        for purpose in (FIRST_SEEN, PUSHED, UNRANKED, AGAIN)
    )
    consulted, leading = np.empty((2, num_users, task.num_ideals), dtype=np.int64)
    weights = np.empty(num_users)
    for user in range(num_users):
        shares = [numbers.raw() >> 11 for _ in range(task.num_ideals)]
        if user % PUSHED_EVERY == PUSHED_EVERY - 1:
            stratum = user % UNIT // PUSHED_EVERY
            pick = (stratum + pushes.unit()) * (PUSHED_EVERY / UNIT)
            group = next(g for g, edge in enumerate(sampler.picks.tolist()) if pick < edge)
            for x, low, high, inside in _entries(sampler, group):
                shares[x] = _moved(shares[x], low, high, inside)
        seen_at = [first_rank(sampler.sampler, x, share) for x, share in enumerate(shares)]
        consulted[user], leading[user] = one_user(task, seen_at, unranked, again, True)
        weights[user] = PUSHED_EVERY / (PUSHED_EVERY - 1 + _ratio(sampler, shares))
    return consulted, leading, weights


def reference_sums(
    consulted: Ints, leading: Ints, weights: Floats, bits: int
) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """Return sum of W, and of W C and W CL at each r, over users, as fractions."""
    whole = [Fraction(round(weight * 2**bits), 2**bits) for weight in weights.tolist()]
    return (
        sum(whole, Fraction(0)),
        *(
            [sum((w * v for w, v in zip(whole, column, strict=True)), Fraction(0)) for column in of]
            for of in (consulted.T.tolist(), leading.T.tolist())
        ),
    )


def _entries(sampler: PushedVisits, group: int) -> list[tuple[int, int, int, float]]:
    some = slice(sampler.starts[group], sampler.starts[group + 1])
    columns = (sampler.ideals, sampler.lows, sampler.highs, sampler.inside)
    return list(zip(*(column[some].tolist() for column in columns), strict=True))


def _moved(share: int, low: int, high: int, inside: float) -> int:
    """Return where a uniform share of 2^53 goes if low .. high - 1 has probability `inside`."""
    unit, chance = share / _ONE, (high - low) / _ONE
    rest = (1 - inside) / (1 - chance)
    below = low / _ONE * rest
    if unit < below:
        return min(int(unit / rest * _ONE), low - 1)
    if unit < below + inside:
        return min(low + int((unit - below) / inside * (high - low)), high - 1)
    return min(high + int((unit - below - inside) / rest * _ONE), _ONE - 1)


def _ratio(sampler: PushedVisits, shares: list[int]) -> float:
    """Return how much commoner pushed users with these shares are than plain ones."""
    picked = np.diff(np.minimum(sampler.picks, 1), prepend=0).tolist()
    total = 0.0
    for group, share in enumerate(picked):
        for x, low, high, inside in _entries(sampler, group):
            chance = (high - low) / _ONE
            happens = low <= shares[x] < high
            share *= inside / chance if happens else (1 - inside) / (1 - chance)
        total += share
    return total
