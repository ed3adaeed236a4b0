"""Simulations: sums, errors, adding, threads, stopping by precision, and what is refused."""

import math
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t as student

from prum.analytic import closed_form
from prum.simulator import Independent, InputError, Simulation, Task, Walk, simulate
from prum.simulator.model import Navigation
from prum.simulator.model.errors import shown
from prum.simulator.sampling.simulation import UserRange
from prum.simulator.sampling.streams import BLOCK
from prum.simulator.sampling.ways.samplers import compiled
from tests.oracle.cases import CASES
from tests.twins.drawing import drawn

Floats = NDArray[np.float64]

WEB = CASES["table III"]
UNRANKED = CASES["unranked part"]
# Standard errors from the truth that no seed here may exceed: 1e-9 two-sided.
FAR = 6.1


def _users(
    task: Task, navigation: Navigation, num_users: int, seed: int, block: int = 0
) -> tuple[Floats, Floats]:
    """Return C(r) and CL(r) of the first users of a block, as the sampler draws them."""
    users = compiled(task, navigation).block(seed, block, sampled=True)
    consulted, leading = drawn(users, [num_users], task.num_ideals)
    return consulted.astype(float), leading.astype(float)


def _far_list() -> tuple[Task, Navigation]:
    """Return a task whose users all go far down: CL / C is about 1 / 40,000."""
    ranking = [f"x{number}" for number in range(50_000)]
    links = {(x, "a"): 1e-4 for x in ranking[30_000:]}
    return Task(ranking, ["a", "b"], 60_000), Independent(links)


# --- means and errors are those of the users --------------------------------------------------


@pytest.mark.parametrize("name", ["table III", "unranked part", "walk with cycle", "far list"])
def test_estimates_and_errors_are_those_of_the_users(name: str) -> None:
    """Means; standard errors s / sqrt(n); of precision by the delta method over users."""
    task, navigation = _far_list() if name == "far list" else CASES[name]
    n = 5_000
    simulation = simulate(task, navigation, num_users=n, seed=3)
    c, cl = _users(task, navigation, n, 3)
    ratio = cl / c
    assert simulation.leading == pytest.approx(cl.mean(axis=0), rel=1e-9, abs=1e-12)
    assert simulation.consulted == pytest.approx(c.mean(axis=0), rel=1e-9, abs=1e-12)
    assert simulation.precision == pytest.approx(
        cl.mean(axis=0) / c.mean(axis=0), rel=1e-9, abs=1e-12
    )
    assert simulation.leading_error == pytest.approx(
        cl.std(axis=0, ddof=1) / n**0.5, rel=1e-9, abs=1e-12
    )
    assert simulation.consulted_error == pytest.approx(
        c.std(axis=0, ddof=1) / n**0.5, rel=1e-9, abs=1e-12
    )
    residual = cl - simulation.precision * c
    error = residual.std(axis=0, ddof=1) / n**0.5 / c.mean(axis=0)
    assert simulation.precision_error == pytest.approx(error, rel=1e-9, abs=1e-12)
    # Ratios are kept to 2^-40, that is to 1e-12.
    assert simulation.mean_ratio == pytest.approx(ratio.mean(axis=0), rel=1e-6, abs=1e-12)
    if name != "far list":
        error = ratio.std(axis=0, ddof=1) / n**0.5
        assert simulation.mean_ratio_error == pytest.approx(error, rel=1e-4, abs=1e-12)


def test_error_of_the_mean_ratio_far_down_a_list() -> None:
    """The ratios are about 1 / 40,000: their squares need more bits than those of 1 / 2."""
    task, navigation = _far_list()
    c, cl = _users(task, navigation, 5_000, 3)
    wanted = (cl / c).std(axis=0, ddof=1) / 5_000**0.5
    simulation = simulate(task, navigation, num_users=5_000, seed=3)
    assert simulation.mean_ratio_error == pytest.approx(wanted, rel=1e-3)


def test_no_error_where_all_users_do_the_same() -> None:
    simulation = simulate(*CASES["best entry point"], num_users=1000, seed=1)
    assert simulation.precision.tolist() == [1, 1]
    for errors in (
        simulation.leading_error,
        simulation.consulted_error,
        simulation.precision_error,
        simulation.mean_ratio_error,
    ):
        assert errors.tolist() == [0, 0]


def test_one_user_has_no_error_estimate() -> None:
    simulation = simulate(*WEB, num_users=1, seed=1)
    assert np.isinf(simulation.precision_error).all()
    assert np.isinf(simulation.leading_error).all()
    low, high = simulation.interval()
    assert (low == -np.inf).all()
    assert (high == np.inf).all()
    assert "±inf" in repr(simulation)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_interval_is_that_of_students_law(confidence: float) -> None:
    simulation = simulate(*WEB, num_users=1000, seed=1)
    low, high = simulation.interval(confidence)
    half = student.isf((1 - confidence) / 2, 999) * simulation.precision_error
    assert high - simulation.precision == pytest.approx(half, rel=1e-9)
    assert simulation.precision - low == pytest.approx(half, rel=1e-9)


# --- the same users, however they are computed ------------------------------------------------


@pytest.mark.parametrize("name", ["table III", "unranked part", "walk with cycle"])
@pytest.mark.parametrize("unranked", ["sampled", "expected"])
def test_threads_do_not_matter(name: str, unranked: str) -> None:
    task, navigation = CASES[name]
    one, two, five = (
        simulate(
            task,
            navigation,
            num_users=100_000,
            seed=9,
            threads=threads,
            unranked=unranked,  # type: ignore[arg-type]
        )
        for threads in (1, 2, 5)
    )
    assert one == two == five
    assert one.tally == five.tally
    assert one.precision.tolist() == five.precision.tolist()
    other = simulate(task, navigation, num_users=100_000, seed=10, unranked="sampled")
    assert other.tally != one.tally


@pytest.mark.parametrize("name", ["table III", "unranked part", "walk with cycle"])
@pytest.mark.parametrize("unranked", ["sampled", "expected"])
def test_parts_begin_anywhere(name: str, unranked: str) -> None:
    task, navigation = CASES[name]

    def part(first: int, count: int) -> Simulation:
        return simulate(
            task,
            navigation,
            num_users=count,
            first_user=first,
            seed=11,
            unranked=unranked,
            threads=1,  # type: ignore[arg-type]
        )

    ends = [0, 1, 130, 5_000, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 777]
    parts = [part(first, end - first) for first, end in pairwise(ends)]
    whole, total = part(0, ends[-1]), parts[-1]
    for other in parts[-2::-1]:
        total += other
    assert total == whole
    assert total.users == (UserRange(11, 0, ends[-1]),)
    assert total.precision_error.tolist() == whole.precision_error.tolist()
    assert parts[0] + parts[2] != whole


def test_first_user_starts_there() -> None:
    task, navigation = UNRANKED
    later = simulate(task, navigation, num_users=100, first_user=2 * BLOCK, seed=12)
    assert later.users == (UserRange(12, 2 * BLOCK, 100),)
    assert later.consulted.tolist() == _users(task, navigation, 100, 12, 2)[0].mean(0).tolist()
    earlier = simulate(task, navigation, num_users=100, seed=12)
    assert later.tally != earlier.tally


def test_simulations_of_other_seeds_add() -> None:
    parts = [simulate(*WEB, num_users=1000, seed=seed) for seed in (3, 1, 2)]
    total = parts[0] + parts[1] + parts[2]
    assert total.num_users == 3000
    assert total.users == (UserRange(1, 0, 1000), UserRange(2, 0, 1000), UserRange(3, 0, 1000))
    assert total.leading == pytest.approx(np.mean([part.leading for part in parts], axis=0))
    assert "3,000 users of seed 1, 2, 3" in repr(total)


def test_users_in_common_do_not_add() -> None:
    one = simulate(*WEB, num_users=BLOCK + 1, seed=1)
    two = simulate(*WEB, num_users=5, first_user=BLOCK, seed=1)
    for other in (one, two):
        with pytest.raises(InputError) as caught:
            one + other
        assert str(caught.value).startswith("users of the simulation to add is UserRange(seed=1, ")
        assert "must be others than UserRange(seed=1, first=0, count=16385)" in str(caught.value)
    assert (one + simulate(*WEB, num_users=5, first_user=2 * BLOCK, seed=1)).num_users == BLOCK + 6


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("task_key", lambda: simulate(*UNRANKED, num_users=10, seed=2)),
        ("navigation_key", lambda: simulate(WEB[0], Independent({}), num_users=10, seed=2)),
        ("navigation_key", lambda: simulate(WEB[0], Walk({("c", "a"): 0.4}), num_users=10, seed=2)),
        ("unranked", lambda: simulate(*WEB, num_users=10, seed=2, unranked="expected")),
        ("version", lambda: replace(simulate(*WEB, num_users=10, seed=2), version="0")),
    ],
)
def test_other_simulations_do_not_add(name: str, other: Callable[[], Simulation]) -> None:
    one = simulate(*WEB, num_users=10, seed=1)
    with pytest.raises(InputError, match=f"^{name} of the simulation to add is .* must be .*; add"):
        one + other()


def test_frozen_picklable_and_not_hashable() -> None:
    simulation = simulate(*WEB, num_users=100, seed=1)
    with pytest.raises(FrozenInstanceError):
        simulation.unranked = "expected"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(simulation)) == simulation
    with pytest.raises(TypeError):
        hash(simulation)
    assert simulation != 1


# --- what a simulation shows ------------------------------------------------------------------


def test_parameters_give_the_same_numbers_again() -> None:
    task, navigation = UNRANKED
    simulation = simulate(task, navigation, num_users=500, first_user=BLOCK, seed=2**64 - 1)
    parameters = simulation.parameters
    assert parameters == {
        "task_key": task.key,
        "navigation_key": navigation.key,
        "users": [{"seed": 2**64 - 1, "first_user": BLOCK, "num_users": 500}],
        "unranked": "sampled",
        "version": simulation.version,
    }
    again = simulate(task, navigation, **parameters["users"][0])
    assert again == simulation


def test_table() -> None:
    simulation = simulate(*UNRANKED, num_users=1000, seed=1)
    frame, (low, high) = simulation.to_frame(), simulation.interval(0.95)
    parts = {"r": np.arange(1, 4), "recall": np.arange(1, 4) / 3, "low": low, "high": high}
    means = ["leading", "consulted", "precision"]
    names = [name for mean in means for name in (mean, f"{mean}_error")]
    assert [*frame] == ["r", "recall", *names, "low", "high", "mean_ratio"]
    for name in frame:
        wanted = parts[name] if name in parts else getattr(simulation, name)
        assert frame[name].tolist() == wanted.tolist()


# --- less variance ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["unranked part", "tight collection", "duplicates", "table III"])
def test_less_variance_the_same_means(name: str) -> None:
    task, navigation = CASES[name]
    truth = closed_form(task, navigation)
    assert truth is not None
    plain = simulate(task, navigation, num_users=102_400, seed=14)
    better = simulate(task, navigation, num_users=102_400, seed=14, unranked="expected")
    for quantity in ("leading", "consulted", "precision"):
        error = getattr(better, f"{quantity}_error")
        off = np.abs(getattr(better, quantity) - getattr(truth, quantity))
        assert (off <= FAR * error + 1e-6).all()
        assert (error <= getattr(plain, f"{quantity}_error") * 1.05 + 1e-12).all()
    if name != "table III":
        assert better.consulted_error[-1] < plain.consulted_error[-1]


def test_expected_draws_are_exact_to_the_tally_s_bits() -> None:
    """Without links every user does the same; C is kept to 2^-20 of an element."""
    task = Task(["x"], ["a", "b"], 7)
    simulation = simulate(task, Independent({}), num_users=1000, seed=1, unranked="expected")
    wanted = [float(1 + Fraction(7 * r, 3)) for r in (1, 2)]
    assert simulation.consulted == pytest.approx(wanted, abs=2.0**-21)
    assert simulation.consulted_error.tolist() == [0, 0]
    assert simulation.leading.tolist() == [1, 2]


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


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.int64(5), np.uint64(2**64 - 1)])
def test_seeds_at_the_edges(seed: int) -> None:
    simulation = simulate(*WEB, num_users=10, seed=seed)
    assert simulation.users[0].seed == int(seed)
    assert type(simulation.users[0].seed) is int
