"""Streams of random numbers, and the same users in every list."""

import numpy as np
import pytest
from numpy.typing import NDArray

from prum.simulator.model import Navigation, Task
from prum.simulator.sampling.kernels import fill_uniform
from prum.simulator.sampling.streams import stream, users_key
from prum.simulator.sampling.ways.samplers import compiled
from tests.oracle.cases import CASES
from tests.twins.drawing import drawn

Ints = NDArray[np.int64]


def kernel_users(
    task: Task,
    navigation: Navigation,
    *,
    num_users: int,
    seed: int,
    block: int = 0,
    sampled: bool = True,
    chunk: int | None = None,
) -> tuple[Ints, Ints]:
    """Return C(r) and CL(r) of the first users of a block, drawn `chunk` users at a time."""
    users = compiled(task, navigation).block(seed, block, sampled=sampled)
    chunk = num_users if chunk is None else chunk
    sizes = [min(chunk, num_users - begin) for begin in range(0, num_users, chunk)]
    return drawn(users, sizes, task.num_ideals)


# --- streams ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0,), (1,), (1000,), (7, 11)])
@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_stream_is_numpys_sfc64(seed: int, shape: tuple[int, ...]) -> None:
    sequence = np.random.SeedSequence(seed, spawn_key=(1, 2, 3, 4, 5))
    raw = np.random.SFC64(sequence).random_raw(2 * int(np.prod(shape)) + 1)
    state = stream(seed, (1, 2, 3), 4, 5)
    for half in range(2):
        numbers = np.zeros(shape, dtype=np.uint64)
        fill_uniform(state, numbers.reshape(-1))
        begin = half * numbers.size
        assert numbers.ravel().tolist() == raw[begin : begin + numbers.size].tolist()


def test_streams_are_functions_of_all_they_name() -> None:
    key = users_key(CASES["table III"][0])
    base = stream(1, key, 0, 0).tolist()
    assert stream(1, key, 0, 0).tolist() == base
    others = [
        stream(2, key, 0, 0),
        stream(1, (*key[:-1], key[-1] ^ 1), 0, 0),
        stream(1, key, 1, 0),
        stream(1, key, 0, 1),
    ]
    states = [tuple(other.tolist()) for other in others]
    assert len({tuple(base), *states}) == 5


def test_users_depend_on_what_they_look_for_alone() -> None:
    """The same ideals: the same users, whatever the list, the collection and the links."""
    key = users_key(Task(["c"], ["a", "b"], 9))
    assert len(key) == 8
    assert all(0 <= word < 2**32 for word in key)
    assert users_key(Task(["x", "y"], ["b", "a"], 5000)) == key
    assert users_key(Task(["c"], ["a", "c"], 9)) != key


# --- the same users in every list -------------------------------------------------------------


def test_an_empty_rank_shifts_each_user() -> None:
    """Common random numbers: a useless element on top costs every single user one consultation."""
    for name in ("unranked part", "walk with cycle"):
        task, navigation = CASES[name]
        shifted = Task(["zzz", *task.ranking], task.ideals, task.collection_size + 1)
        for sampled in (True, False):
            options = {"num_users": 500, "seed": 3, "sampled": sampled}
            consulted, leading = kernel_users(task, navigation, **options)  # type: ignore[arg-type]
            later, same = kernel_users(shifted, navigation, **options)  # type: ignore[arg-type]
            assert np.array_equal(later, np.where(consulted > 0, consulted + 1, 0))
            assert np.array_equal(same, leading)
