"""Users for measures of effort: kernels and their plain-Python twins bit by bit, and bad input."""

import math
from collections.abc import Mapping, Sequence
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from prum.simulator import Independent, InputError, Task, Walk
from prum.simulator.sampling.measured import effort as module
from prum.simulator.sampling.measured.effort import (
    Effort,
    Efforts,
    simulate_effort,
)
from prum.simulator.sampling.streams import BLOCK
from tests.samples import random_task
from tests.tiers import spread_random
from tests.twins.effort import reference_efforts

Ints = NDArray[np.int64]
Case = tuple[Task, Independent, dict[str, float] | None]

USERS = 200


def kernel_users(
    case: Case, num_users: int, *, block: int = 0, portion: int | None = None
) -> tuple[Ints, ...]:
    """Return what the kernel writes, drawn `portion` users at a time."""
    sampler = Efforts(*case)
    users = sampler.block(5, block, sampled=True)
    users.consulted, users.leading = np.full((2, case[0].num_ideals, num_users), -7, np.int32)
    portion = portion or num_users
    with patch.object(module, "_PORTION", portion):
        pieces = [sampler.users(users, begin) for begin in range(0, num_users, portion)]
    seen, effort = (np.concatenate(column, axis=1).T for column in zip(*pieces, strict=True))
    return users.consulted.T, users.leading.T, seen, effort


def equal(one: Sequence[Ints], two: Sequence[Ints]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(one, two, strict=True))


def random_case(number: int) -> Case:
    rng = np.random.default_rng([number, 81])
    task, navigation = random_task(rng, walk=False)
    assert isinstance(navigation, Independent)
    task = Task(task.ranking, task.ideals, task.collection_size + 10)
    values = {x: float(rng.choice([0.1, 0.2, 1, 3.7])) for x in task.ideals}
    return task, navigation, values if rng.random() < 0.5 else None


def wide(num_ideals: int, density: float, seed: int) -> Case:
    """Return a task of many ideals, elements outside its list that lead to several, and values."""
    rng = np.random.default_rng([num_ideals, seed])
    ideals = [f"i{k}" for k in range(num_ideals)]
    pool = [f"p{k}" for k in range(12)]
    ranking = [str(x) for x in rng.permutation(np.array([*ideals[: num_ideals // 2], *pool[:7]]))]
    links: dict[tuple[str, str], float] = {}
    for source in pool:
        for ideal in ideals:
            if rng.random() < density:
                links[source, ideal] = float(rng.choice([0.1, 0.5, 0.9, 1]))
    task = Task(ranking, ideals, 3 * num_ideals + 20)
    values = {x: float(rng.integers(1, 9)) for x in ideals} if seed % 2 else None
    return task, Independent(links), values


CASES: dict[str, Case] = {
    **{f"random {number}": random_case(number) for number in range(60)},
    **{f"random {t} ideals, {k}": wide(t, 5 / t, k) for t in (7, 8, 9, 16) for k in (1, 2)},
    **{f"random {t} ideals, {k}": wide(t, 3 / t, k) for t in (63, 64, 65, 130) for k in (1, 2)},
    "no list": (Task([], ["a", "b"], 9), Independent({("x", "a"): 0.5, ("x", "b"): 0.5}), None),
    "element twice": (
        Task(["x", "y", "x"], ["a", "b"], 9),
        Independent({("x", "a"): 0.5, ("x", "b"): 0.5, ("y", "a"): 0.5}),
        {"a": 1, "b": 2},
    ),
    "a tiny value": (Task(["a"], ["a", "b"], 9), Independent({}), {"a": 1e-300, "b": 1e300}),
}
every = pytest.mark.parametrize("name", spread_random(6, CASES))


# --- kernels and twins ------------------------------------------------------------------------


@every
def test_kernel_equals_its_twin(name: str) -> None:
    task, navigation, values = CASES[name]
    users = 30 if task.num_ideals > 9 else USERS
    for block in (0, 1):
        twin = reference_efforts(
            task, navigation, num_users=users, seed=5, block=block, values=values
        )
        assert equal(kernel_users(CASES[name], users, block=block), twin)


@pytest.mark.parametrize("name", ["random 1", "random 65 ideals, 1", "element twice"])
def test_portions_do_not_matter(name: str) -> None:
    assert equal(kernel_users(CASES[name], 100), kernel_users(CASES[name], 100, portion=7))


def test_the_twin_would_see_a_difference() -> None:
    """Negative control: another probability."""
    task, navigation, values = CASES["element twice"]
    users = kernel_users(CASES["element twice"], USERS)
    other = Independent({**{(s, x): p for s, x, p in navigation.links}, ("x", "a"): 0.6})
    twin = reference_efforts(task, other, num_users=USERS, seed=5, values=values)
    assert not equal(users, twin)


# --- the search for the fewest elements -------------------------------------------------------


def fewest_of(sets: Sequence[str], values: Mapping[str, float]) -> list[int]:
    """Return the fewest elements for each level, of sets that are shown for certain.

    The list is one element that shows everything it is wanted for: rank 1 reaches all levels.
    """
    links = {(f"set {k}", x): 1.0 for k, ideals in enumerate(sets) for x in ideals}
    task = Task([*values], [*values], 100)
    users = reference_efforts(task, Independent(links), num_users=1, seed=1, values=values)
    effort = simulate_effort(task, Independent(links), num_users=1, seed=1, values=values)
    assert np.allclose(effort.effort_precision, users[3][0] / 2**40, atol=1e-15)
    total, wanted, rank, ranks = sum(values.values()), 0.0, 0, []
    in_order = list(values.values())
    for level in range(1, len(values) + 1):
        while wanted < level / len(values) * total - 1e-9:
            wanted += in_order[rank]
            rank += 1
        ranks.append(rank)
    return [round(e * c) for e, c in zip(effort.effort_precision.tolist(), ranks, strict=True)]


def test_greedy_choice_is_not_the_fewest() -> None:
    """The largest set first takes three; the two others do."""
    assert fewest_of(["bcde", "abc", "def"], dict.fromkeys("abcdef", 1)) == [1, 1, 1, 1, 2, 2]


def test_values_decide_what_is_fewest() -> None:
    values = {"a": 5.0, "b": 1.0, "c": 1.0, "d": 1.0}
    assert fewest_of(["bcd"], values) == [1, 1, 2, 2]
    assert fewest_of(["ab", "cd"], values) == [1, 1, 1, 2]


def test_levels_tolerate_rounding() -> None:
    """7 times .1 is less than .7; .1 + .2 are two of three levels, .45 in all."""
    task = Task(["a", "b", "c"], ["a", "b", "c"], 3)
    values = {"a": 0.1, "b": 0.2, "c": 0.15}
    effort = simulate_effort(task, Independent({}), num_users=1, seed=1, values=values)
    assert np.allclose(effort.effort_precision, [1 / 2, 1, 1])
    assert fewest_of([], dict.fromkeys("abcdefg", 0.1)) == [1, 2, 3, 4, 5, 6, 7]


def test_a_search_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STEPS", 3)
    links = {(f"p{k}", f"i{(k * j) % 30}"): 1.0 for k in range(1, 30) for j in range(1, 8)}
    ideals = [f"i{k}" for k in range(30)]
    with pytest.raises(InputError, match=r"steps of the search .* must be at most 3"):
        simulate_effort(Task(ideals, ideals, 60), Independent(links), num_users=5, seed=1)


# --- results ----------------------------------------------------------------------------------


def test_means_and_errors_are_those_of_the_users() -> None:
    """Across blocks; the last one is not whole."""
    case = CASES["random 3"]
    task, navigation, values = case
    num_users = BLOCK + 1000
    effort = simulate_effort(task, navigation, num_users=num_users, seed=5, values=values)
    blocks = kernel_users(case, BLOCK), kernel_users(case, 1000, block=1)
    consulted, leading, seen, ratio = (np.concatenate(pair) for pair in zip(*blocks, strict=True))
    seen = seen / Efforts(*case).total
    for name, users in (
        ("consulted", consulted),
        ("leading", leading),
        ("recall", seen),
        ("effort_precision", ratio / 2**40),
    ):
        np.testing.assert_allclose(getattr(effort, name), users.mean(axis=0), rtol=1e-9)
        error = users.std(axis=0, ddof=1) / math.sqrt(num_users)
        np.testing.assert_allclose(getattr(effort, f"{name}_error"), error, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(effort.precision, leading.mean(axis=0) / consulted.mean(axis=0))
    left = (leading - effort.precision * consulted) / consulted.mean(axis=0)
    np.testing.assert_allclose(
        effort.precision_error, left.std(axis=0, ddof=1) / math.sqrt(num_users), rtol=1e-6
    )


def test_result_is_read_only_and_says_what_it_is() -> None:
    task, navigation, values = CASES["element twice"]
    effort = simulate_effort(task, navigation, num_users=9, seed=2, values=values)
    assert isinstance(effort, Effort)
    assert (effort.num_users, effort.seed, effort.values) == (9, 2, (1.0, 2.0))
    assert (effort.task_key, effort.navigation_key) == (task.key, navigation.key)
    assert repr(effort).startswith("Effort(9 users of seed 2, t = 2: effort precision ")
    with pytest.raises(ValueError, match="read-only"):
        effort.recall[0] = 1
    one = simulate_effort(task, navigation, num_users=1, seed=2)
    assert np.isinf(one.recall_error).all()


# --- bad input --------------------------------------------------------------------------------

PAIR = Task(["c", "d"], ["a", "b"], 5)
LINKS = Independent({("c", "a"): 0.5})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": {"a": 1}}, "value of 'b' is None, must be positive and finite"),
        ({"values": {"a": 1, "b": 0}}, "value of 'b' is 0, must be positive"),
        ({"values": {"a": 1, "b": 1, "c": 1}}, "element with a value is 'c', must be an ideal"),
        ({"values": [1, 1]}, r"values is \[1, 1\], must be a mapping"),
        ({"navigation": Walk({})}, "navigation is .*, must be Independent"),
        (
            {"navigation": Independent({("x", "a"): 0.1, ("y", "a"): 0.1})},
            "collection_size is 5, must be at least 6",
        ),
    ],
)
def test_bad_input(arguments: dict[str, object], message: str) -> None:
    given = {"navigation": LINKS, "num_users": 10, "seed": 1, **arguments}
    with pytest.raises(InputError, match=message):
        simulate_effort(PAIR, **given)  # type: ignore[arg-type]
