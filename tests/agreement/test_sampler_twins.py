"""Kernels against their plain-Python twins: the same users from the same streams, bit for bit."""

import numpy as np
import pytest
from numpy.typing import NDArray

from prum.simulator.model import Independent, Navigation, Task, Walk
from prum.simulator.sampling.kernels import fill_uniform
from prum.simulator.sampling.streams import stream, users_key
from prum.simulator.sampling.ways.samplers import compiled
from tests.oracle.cases import CASES
from tests.samples import random_task
from tests.tiers import spread_random
from tests.twins.drawing import drawn
from tests.twins.independent import reference_users

Ints = NDArray[np.int64]

USERS = 300
NUM_RANDOM = 25


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


def _large(num_ranked: int, num_ideals: int, *, walk: bool) -> tuple[Task, Navigation]:
    """Return a task with many ranks and ideals, duplicates, and an unranked part."""
    rng = np.random.default_rng([num_ranked, num_ideals, walk])
    pool = [f"p{number}" for number in range(num_ranked)]
    ideals = [f"i{number}" for number in range(num_ideals)]
    everything = pool + ideals
    ranking = [everything[k] for k in rng.integers(0, len(everything), num_ranked)]
    links: dict[tuple[str, str], float] = {}
    for source in everything:
        degree = int(rng.integers(0, 9))
        for target in rng.permutation(len(everything))[:degree].tolist():
            if everything[target] != source:
                links[source, everything[target]] = rng.random() / max(degree, 1)
    task = Task(ranking, ideals, 3 * len(everything))
    return task, Walk(links) if walk else Independent(links)


TASKS: dict[str, tuple[Task, Navigation]] = {
    **CASES,
    "100 ranks, 70 ideals": _large(100, 70, walk=False),
    "100 ranks, 70 ideals, walk": _large(100, 70, walk=True),
    "64 ranks, 64 ideals": _large(64, 64, walk=False),
    "64 ranks, 64 ideals, walk": _large(64, 64, walk=True),
    "1,000 ranks, 3 ideals": _large(1000, 3, walk=False),
    "1,000 ranks, 3 ideals, walk": _large(1000, 3, walk=True),
    "65 ranks, 130 ideals": _large(65, 130, walk=False),
    "no ranks, 90 ideals": (Task([], [f"i{k}" for k in range(90)], 1000), Independent({})),
    "no ranks, most are ideals": (Task([], [f"i{k}" for k in range(90)], 100), Independent({})),
    **{
        f"random {'walk ' * walk}{number}": random_task(
            np.random.default_rng([number, walk, 6]), walk=walk
        )
        for walk in (False, True)
        for number in range(NUM_RANDOM)
    },
}
LARGE = [name for name in TASKS if any(size in name for size in ("70", "90", "130", "1,000"))]
every = pytest.mark.parametrize("name", spread_random(6, TASKS, LARGE))
INDEPENDENT = [name for name in TASKS if isinstance(TASKS[name][1], Independent)]


def _equal(one: tuple[Ints, Ints], two: tuple[Ints, Ints]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(one, two, strict=True))


@every
@pytest.mark.parametrize("sampled", [True, False], ids=["sampled", "expected"])
def test_kernel_equals_its_twin(name: str, sampled: bool) -> None:
    task, navigation = TASKS[name]
    users = kernel_users(task, navigation, num_users=USERS, seed=20, sampled=sampled)
    assert users[0].min() >= (1 if sampled else 0)
    twin = reference_users(task, navigation, num_users=USERS, seed=20, sampled=sampled)
    assert _equal(users, twin)


@every
def test_second_block(name: str) -> None:
    task, navigation = TASKS[name]
    users = kernel_users(task, navigation, num_users=50, seed=20, block=1)
    assert _equal(users, reference_users(task, navigation, num_users=50, seed=20, block=1))


@every
def test_users_drawn_in_chunks_are_the_same(name: str) -> None:
    task, navigation = TASKS[name]
    whole = kernel_users(task, navigation, num_users=USERS, seed=21)
    for chunk in (1, 64, 299):
        assert _equal(kernel_users(task, navigation, num_users=USERS, seed=21, chunk=chunk), whole)


@pytest.mark.parametrize("name", ["table III", "unranked part", "walk with cycle", "empty ranking"])
def test_another_seed_block_or_mode_differs(name: str) -> None:
    """Negative control: the comparison must be able to fail."""
    task, navigation = TASKS[name]
    users = kernel_users(task, navigation, num_users=USERS, seed=20)
    for changes in ({"seed": 21}, {"block": 1}, {"sampled": False}):
        if name in ("table III", "empty ranking") and "sampled" in changes:
            continue
        twin = reference_users(task, navigation, num_users=USERS, **{"seed": 20, **changes})  # type: ignore[arg-type]
        assert not _equal(users, twin)


def test_one_percent_of_a_link_differs() -> None:
    """Negative control: on the same stream a slightly other probability shows up."""
    task, navigation = CASES["table III"]
    changed = Independent({("c", "a"): 0.404, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
    users = kernel_users(task, navigation, num_users=3000, seed=20)
    assert not _equal(users, reference_users(task, changed, num_users=3000, seed=20))
    same = reference_users(task, navigation, num_users=3000, seed=20)
    assert _equal(users, same)


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
