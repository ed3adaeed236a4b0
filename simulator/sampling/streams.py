"""Random streams: a function of the seed, what the users look for, and the block of users.

A block's stream does not depend on the list or on how users browse. So the same seed gives the
same users to every system, and results do not depend on the order in which blocks are computed.
"""

from typing import cast

import numpy as np

from prum.simulator.model import Task
from prum.simulator.model.arrays import Counts, Floats, Words
from prum.simulator.model.task import content_key

# Users per stream, a power of two.
BLOCK = 16_384
# Rare users: units of so many users are independent and alike, and every fourth is pushed.
UNIT = 32
PUSHED_EVERY = 4
MOST_USERS = 10**12
LARGEST_SEED = 2**64 - 1

# The purposes of streams; AGAIN redraws places of the unranked part that coincided.
FIRST_SEEN, UNRANKED, WALKS, AGAIN, CONTEXTS, FACTORS, VISITS, CONSULTATIONS = range(8)
EFFORTS, STOPS, PREFERENCES, JUDGING, TRUST, PUSHED, POINTS, OPENINGS = range(8, 16)
TYPES = 16

# The rank of what the list does not show, as in the kernels.
NEVER = 2**31 - 1
# In place of room for first-seen ranks, where nobody asks for them.
NOBODY: Counts = np.empty((0, 0), dtype=np.int32)


def users_key(task: Task) -> tuple[int, ...]:
    """Return 256 bits, as words of 32, that name the users who look for the task's ideals."""
    digest = bytes.fromhex(content_key(["users", task.ideals]))
    return tuple(int(word) for word in np.frombuffer(digest, dtype=">u4"))


def stream(seed: int, key: tuple[int, ...], block: int, purpose: int) -> Words:
    """Return the state of NumPy's SFC64 seeded for one block and purpose, shape (4,)."""
    sequence = np.random.SeedSequence(seed, spawn_key=(*key, block, purpose))
    state = cast("dict[str, dict[str, Words]]", np.random.SFC64(sequence).state)
    return state["state"]["state"].copy()


def weighted(ratio: Floats) -> Floats:
    """Return users' weights from q / p, how much commoner pushed users are such than plain ones.

    A weight is 1 / (share of plain users + share of pushed users x ratio), pushed or not.

    >>> weighted(np.array([0.0, 1.0, 400.0])).round(4).tolist()
    [1.3333, 1.0, 0.0099]
    """
    return PUSHED_EVERY / (PUSHED_EVERY - 1 + ratio)


def uniform(state: Words, size: int) -> Floats:
    """Return the next numbers in [0, 1) of a stream, and advance its state."""
    from prum.simulator.sampling.kernels import fill_uniform

    numbers = np.empty(size, dtype=np.uint64)
    fill_uniform(state, numbers)
    return (numbers >> np.uint64(11)) / 2.0**53


def unranked_streams(
    seed: int, key: tuple[int, ...], block: int, sampled: bool
) -> tuple[Words, Words]:
    """Return the streams for places behind the list, at first and where they coincide."""
    if not sampled:
        return np.zeros(4, dtype=np.uint64), np.zeros(4, dtype=np.uint64)
    return stream(seed, key, block, UNRANKED), stream(seed, key, block, AGAIN)
