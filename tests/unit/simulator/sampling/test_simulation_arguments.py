"""Arguments of simulations: users until a precision is met, and what is refused."""

import math

import numpy as np
import pytest

from prum.simulator import InputError, simulate
from prum.simulator.model.errors import shown
from prum.simulator.sampling.streams import BLOCK
from tests.oracle.cases import CASES

WEB = CASES["table III"]
UNRANKED = CASES["unranked part"]


# --- stopping by precision --------------------------------------------------------------------


@pytest.mark.parametrize("half_width", [0.1, 0.004, 0.002, 0.001])
@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_half_width_is_met(half_width: float, confidence: float) -> None:
    task, navigation = UNRANKED
    done: list[int] = []
    simulation = simulate(
        task, navigation, half_width=half_width, confidence=confidence, seed=1, progress=done.append
    )
    low, high = simulation.interval(confidence)
    assert ((high - low) / 2 <= half_width).all()
    blocks = simulation.num_users // BLOCK
    assert simulation.num_users == blocks * BLOCK == sum(done)
    assert blocks & (blocks - 1) == 0
    assert simulation == simulate(task, navigation, num_users=simulation.num_users, seed=1)
    if blocks > 1:
        before = simulate(task, navigation, num_users=simulation.num_users // 2, seed=1)
        low, high = before.interval(confidence)
        assert ((high - low) / 2 > half_width).any()


def test_half_width_at_chosen_recall_values_alone() -> None:
    task, navigation = UNRANKED
    simulation = simulate(task, navigation, half_width=0.002, recall=[3], seed=1)
    low, high = simulation.interval()
    assert (high - low)[2] / 2 <= 0.002 < (high - low)[0] / 2
    every = simulate(task, navigation, half_width=0.002, seed=1)
    assert every.num_users > simulation.num_users
    assert simulate(task, navigation, half_width=0.002, recall=np.array([1, 3]), seed=1) == every  # type: ignore[arg-type]


@pytest.mark.parametrize("most", [BLOCK, 2 * BLOCK - 1, 3 * BLOCK, 5 * BLOCK + 7])
def test_max_users_is_not_exceeded(most: int) -> None:
    simulation = simulate(*WEB, half_width=1e-9, max_users=most, seed=1)
    assert simulation.num_users == most // BLOCK * BLOCK


def test_half_width_from_a_later_user_on() -> None:
    simulation = simulate(*WEB, half_width=0.003, first_user=BLOCK, seed=1)
    assert simulation.users[0].first == BLOCK
    total = simulate(*WEB, num_users=BLOCK, seed=1) + simulation
    assert total == simulate(*WEB, num_users=BLOCK + simulation.num_users, seed=1)


def test_half_width_of_nothing_uncertain() -> None:
    simulation = simulate(*CASES["best entry point"], half_width=1e-300, seed=1)
    assert simulation.num_users == BLOCK


def test_progress_counts_users() -> None:
    for threads in (1, 3):
        done: list[int] = []
        simulate(*WEB, num_users=5 * BLOCK + 3, seed=1, threads=threads, progress=done.append)
        assert sum(done) == 5 * BLOCK + 3


# --- bad arguments ----------------------------------------------------------------------------

BETWEEN = "must lie strictly between 0 and 1; give"
# Name -> values that are refused, and how the message goes on.
REFUSED: dict[str, tuple[list[object], str]] = {
    "num_users": (
        [0, -5, 10**12 + 1, 10**400, True, 1000.0, "1000"],
        "must be a whole number from 1 to 1000000000000; say how many users",
    ),
    "seed": (
        [-1, 2**64, 10**400, True, 1.0, None, "1"],
        "must be a whole number from 0 to 18446744073709551615; give a whole number below 2^64",
    ),
    "first_user": ([-BLOCK, 0.0, False], "must be a whole number from 0 to "),
    "threads": ([0, 1025, 1.5], "must be a whole number from 1 to 1024; leave it out"),
    "unranked": (["exact", None], "must be one of ('sampled', 'expected')"),
    "half_width": ([0, 0.0, 1, -0.01, math.nan, 10**400, True, "0.1"], f"{BETWEEN} .001, say"),
    "confidence": ([0, 1.0, 95, math.nan], f"{BETWEEN} .95"),
    "max_users": ([0, BLOCK - 1, 1e6], "must be a whole number from 16384 to "),
}
OF_STOPPING = ("half_width", "recall", "confidence", "max_users")


def refused(message: str, **changes: object) -> None:
    users = {"half_width": 0.1} if set(changes) & set(OF_STOPPING) else {"num_users": 1000}
    with pytest.raises(InputError) as caught:
        simulate(*WEB, **{**users, "seed": 1, **changes})  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, (values, _) in REFUSED.items() for value in values]
)
def test_bad_arguments(name: str, value: object) -> None:
    refused(f"{name} is {shown(value)}, {REFUSED[name][1]}", **{name: value})


@pytest.mark.parametrize(
    ("recall", "message"),
    [
        ([0], "recall is 0, must be a whole number from 1 to 2; give recall values"),
        ([1, 3], "recall is 3, must be a whole number from 1 to 2; give recall values"),
        ([1.0], "recall is 1.0, must be a whole number from 1 to 2; give recall"),
        ([True], "recall is True, must be a whole number from 1 to 2; give recall"),
        ([], "recall is (), must name a recall value; leave it out for all"),
        (1, "recall is 1, must "),
    ],
)
def test_bad_recall(recall: object, message: str) -> None:
    refused(message, recall=recall)


@pytest.mark.parametrize(("users", "width"), [(None, None), (1000, 0.1)])
def test_users_or_a_half_width(users: int | None, width: float | None) -> None:
    rule = "must be one given and one not; say how many users, or how narrow an interval"
    message = f"num_users and half_width is ({users}, {width}), {rule}"
    refused(message, num_users=users, half_width=width)


def test_bad_navigation() -> None:
    kinds = "Independent, Coupled, Walk, Browsing, Mixture or Covering"
    with pytest.raises(InputError, match=rf"navigation is \{{\}}, must be {kinds}; wrap"):
        simulate(WEB[0], {}, num_users=10, seed=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.int64(5), np.uint64(2**64 - 1)])
def test_seeds_at_the_edges(seed: int) -> None:
    simulation = simulate(*WEB, num_users=10, seed=seed)
    assert simulation.users[0].seed == int(seed)
    assert type(simulation.users[0].seed) is int


@pytest.mark.parametrize("level", [0, 1, -0.1, math.nan, "0.5", True, 10**400])
def test_levels_out_of_range(level: float) -> None:
    simulation = simulate(*WEB, num_users=10, seed=1)
    with pytest.raises(InputError, match="must lie strictly between 0 and 1"):
        simulation.interval(level)
