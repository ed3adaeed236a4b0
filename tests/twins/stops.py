"""Plain-Python twin of the kernel for users who stop: the same users, slowly and readably."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from prum.simulator.sampling.measured.stops import StoppingUsers
from prum.simulator.sampling.streams import RandomNumbers

Values = tuple[float, float, float, float]


def reference_stops(
    users: StoppingUsers, state: NDArray[np.uint64], thetas: Sequence[float]
) -> tuple[list[Values], list[int]]:
    """Return what users have by the four models, and where they stop, 0 if not in the list.

    >>> from prum.simulator.sampling.measured.stops import stopping_users
    >>> from prum.simulator.sampling.streams import STOPS, stream
    >>> users = stopping_users("AP", [[0.0], [1.0]])
    >>> reference_stops(users, stream(1, (), 0, STOPS), [0.5])
    ([(1.0, 1.0, 0.5, 0.5)], [2])
    """
    numbers = RandomNumbers(state)
    drawn = [_one(users, numbers, theta) for theta in thetas]
    return [values for values, _ in drawn], [rank for _, rank in drawn]


def _one(users: StoppingUsers, numbers: RandomNumbers, theta: float) -> tuple[Values, int]:
    wanted = None
    if len(users.wanting):
        place = numbers.unit() * float(users.wanting[-1])
        wanted = next(x for x, edge in enumerate(users.wanting.tolist()) if edge > place)
    seen = list[int]()
    interested, total = True, 0.0
    for k in range(users.num_ranks):
        new, leaves = 0.0, False
        for visit in range(users.starts[k], users.starts[k + 1]):
            x = int(users.ideals[visit])
            if x in seen or not numbers.unit() < users.chances[visit]:
                continue
            if interested and users.keeping[len(seen)] < 1:
                interested = numbers.unit() < users.keeping[len(seen)]
            seen.append(x)
            new += float(users.gains[x]) if interested else 0.0
            satisfied = users.satisfying[x] > 0 and numbers.unit() < theta * users.satisfying[x]
            leaves |= bool(satisfied) or x == wanted
        total += new
        leaves |= bool(users.leaving[k] > 0 and numbers.unit() < theta * users.leaving[k])
        if leaves:
            f = float(users.efforts[k])
            return (new, total, f, f * total), k + 1
    return (0.0, total, 0.0, 0.0), 0
