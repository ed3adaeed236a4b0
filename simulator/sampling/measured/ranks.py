"""How many simulated users consult each rank of a list, and to how many it shows something new."""

from dataclasses import dataclass

import numpy as np

from prum.simulator.model import Navigation, Task
from prum.simulator.model.arrays import Ints
from prum.simulator.sampling.sampler import check_no_need, checked_seed, checked_users
from prum.simulator.sampling.streams import BLOCK
from prum.simulator.sampling.ways.samplers import compiled

# Numbers held at once for a chunk of users, and the users that kernels handle at once.
_CHUNK_CELLS, _TILE = 1 << 20, 128


@dataclass(frozen=True, slots=True, eq=False)
class UsersByRank:
    """How many of `num_users` did what at each rank, by r = 1 .. t; arrays of shape (o, t).

    Attributes
    ----------
    num_users
        Number of users.
    consulted
        Users who want r ideals and consult rank i.
    leading
        Those of them to whom rank i shows a previously unseen ideal.
    """

    num_users: int
    consulted: Ints
    leading: Ints


def simulate_ranks(task: Task, navigation: Navigation, *, num_users: int, seed: int) -> UsersByRank:
    """Count what simulated users do at each rank; they are those of `simulate` with this seed.

    Raises
    ------
    InputError
        for `num_users` or `seed` out of range, what is no navigation, and where users browse by
        their need: a user who wants r ideals is then another than one who wants r - 1.

    >>> from prum.simulator import Independent, Task
    >>> task = Task(["c", "a"], ["a"], 2)
    >>> found = simulate_ranks(task, Independent({("c", "a"): 1}), num_users=10, seed=1)
    >>> found.consulted.ravel().tolist(), found.leading.ravel().tolist()
    ([10, 0], [10, 0])
    """
    seed, count = checked_seed(seed), checked_users(num_users)
    sampler = compiled(task, navigation)
    check_no_need(task, navigation, "by rank")
    o, t = task.num_ranked, task.num_ideals
    # Users by the rank where they stop, o + 1 for behind the list; and by where ideal r is new.
    stopped, new = (np.zeros((t, o + 2), dtype=np.int64) for _ in range(2))
    chunk = max(1, _CHUNK_CELLS // (t * _TILE)) * _TILE
    for number, first in enumerate(range(0, count, BLOCK)):
        block = sampler.block(seed, number, sampled=True)
        size = min(BLOCK, count - first)
        for begin in range(0, size, chunk):
            shape = (min(chunk, size - begin), t)
            consulted, leading = (np.empty(shape, dtype=np.int32, order="F") for _ in range(2))
            block.draw(consulted, leading)
            before = np.zeros(shape[0], dtype=np.int32)
            for r, depth in enumerate(np.minimum(consulted, o + 1).T):
                stopped[r] += np.bincount(depth, minlength=o + 2)
                # The r-th ideal is new at a rank with those that are seen there together once.
                new[r] += np.bincount(depth[depth > before], minlength=o + 2)
                before = depth
    reached = count - np.cumsum(stopped, axis=1)[:, :o]
    return UsersByRank(count, reached.T, np.cumsum(new, axis=0)[:, 1 : o + 1].T)
