"""simulate(rare=True): parts add up, what it refuses, and when users are plain after all."""

import pickle
from itertools import pairwise

import numpy as np
import pytest

from prum.simulator import Independent, InputError, Simulation, Task, Walk, simulate
from prum.simulator.model import Coupled
from prum.simulator.sampling.streams import BLOCK, UNIT
from prum.simulator.sampling.weighted import WeightedTally, weight_bits

TASK = Task(["a", "x", "y", "b"], ["a", "b", "c"], 200)
LINKS = {("x", "b"): 0.003, ("x", "c"): 0.9, ("y", "c"): 0.99, ("y", "b"): 1e-4}
RARE = TASK, Independent(LINKS)


def rare(num_users: int, first_user: int = 0, **options: int) -> Simulation:
    return simulate(*RARE, num_users=num_users, first_user=first_user, seed=7, rare=True, **options)


def test_threads_and_parts_do_not_matter() -> None:
    whole = rare(2 * BLOCK + 10 * UNIT, threads=1)
    assert isinstance(whole.tally, WeightedTally)
    assert rare(2 * BLOCK + 10 * UNIT, threads=3) == whole
    cuts = [0, UNIT, 7 * UNIT, BLOCK, BLOCK + UNIT, 2 * BLOCK + 10 * UNIT]
    parts = [rare(end - first, first) for first, end in pairwise(cuts)]
    assert parts[3] + parts[0] + parts[4] + parts[1] + parts[2] == whole
    assert whole.users == (whole.users[0],)


def test_to_a_half_width_is_the_same_as_at_once() -> None:
    simulation = simulate(*RARE, half_width=0.02, recall=[3], seed=7, rare=True)
    assert simulation == rare(simulation.num_users)
    assert simulation.widest([3]) <= 0.02


def test_json_and_pickle_keep_everything() -> None:
    simulation = rare(320)
    again = Simulation.from_json(simulation.to_json())
    assert again == simulation
    assert pickle.loads(pickle.dumps(simulation)) == simulation
    assert again.rare
    assert again.parameters["rare"] is True
    assert again + rare(320, 320) == rare(640)
    assert simulation.without_distribution() == simulation
    assert simulation != simulate(*RARE, num_users=320, seed=7)


def test_users_come_in_whole_units() -> None:
    assert rare(1).num_users == UNIT
    assert rare(UNIT + 1).tally.num_units == 2
    with pytest.raises(InputError, match="multiple of 32"):
        rare(UNIT, first_user=UNIT + 1)


def test_few_units_have_no_error() -> None:
    assert np.isinf(rare(2 * UNIT).consulted_error).all()
    assert np.isinf(rare(2 * UNIT).precision_error).all()
    assert np.isfinite(rare(3 * UNIT).consulted_error).all()
    assert np.isfinite(rare(UNIT).precision).all()


def test_what_is_the_same_for_all_is_exact() -> None:
    simulation = rare(20 * UNIT)
    assert simulation.consulted[0] == 1
    assert simulation.leading[0] == 1
    assert simulation.consulted_error[0] == simulation.precision_error[0] == 0
    assert simulation.mean_ratio[0] == pytest.approx(1, abs=1e-11)


@pytest.mark.parametrize(
    "options",
    [{"unranked": "expected"}, {"rare": 1}],
    ids=["expected", "one"],
)
def test_contradictions_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InputError, match="rare"):
        simulate(*RARE, num_users=64, seed=1, **{"rare": True, **options})  # type: ignore[arg-type]


def test_there_is_no_distribution() -> None:
    with pytest.raises(InputError, match="distribution"):
        rare(64).consulted_quantile(1, 0.5)


def test_plain_and_rare_do_not_add() -> None:
    with pytest.raises(InputError, match="rare"):
        rare(64) + simulate(*RARE, num_users=64, first_user=64, seed=7)


@pytest.mark.parametrize(
    ("task", "navigation"),
    [
        (Task([], ["a"], 5), Independent({})),
        (Task(["a"], ["a"], 1), Independent({})),
        (Task(["x"], ["a"], 5), Independent({("x", "a"): 0.5})),
        (Task(["x", "y"], ["a", "b"], 9), Independent({("x", "a"): 1, ("y", "b"): 1})),
    ],
    ids=["empty", "itself", "half", "certain"],
)
def test_where_nothing_is_rare_users_are_plain(task: Task, navigation: Independent) -> None:
    plain = simulate(task, navigation, num_users=64, seed=1)
    same = simulate(task, navigation, num_users=64, seed=1, rare=True)
    assert same.tally == plain.tally
    assert same.rare


def test_independent_visits_by_another_name_are_pushed_too() -> None:
    coupled = simulate(TASK, Coupled(RARE[1], "independent"), num_users=64, seed=7, rare=True)
    assert coupled.tally == rare(64).tally


@pytest.mark.parametrize("chance", [1e-13, 1e-9, 1 - 1e-9, 1 - 1e-16])
def test_extreme_chances_do_no_harm(chance: float) -> None:
    task = Task(["x", "y", "x", "a"], ["a", "b"], 2**31 - 2)
    links = {("x", "a"): chance, ("x", "b"): chance, ("y", "b"): 0.5}
    simulation = simulate(task, Independent(links), num_users=320, seed=1, rare=True)
    assert np.isfinite(simulation.precision).all()
    assert (simulation.consulted >= 1).all()


def test_many_ideals_and_ranks() -> None:
    rng = np.random.default_rng(1)
    ideals = [f"i{k}" for k in range(200)]
    ranking = [f"x{k}" for k in rng.integers(0, 300, 400)]
    links = {
        (ranking[k], ideal): float(rng.choice([1e-5, 0.01, 0.5, 0.999]))
        for ideal in ideals
        for k in rng.integers(0, 400, 3)
    }
    simulation = simulate(
        Task(ranking, ideals, 10_000), Independent(links), num_users=640, seed=1, rare=True
    )
    assert isinstance(simulation.tally, WeightedTally)
    mean, error = simulation.tally.weight
    assert abs(mean - 1) < 5 * error
    assert (np.diff(simulation.consulted) > 0).all()


def test_weights_leave_room_for_a_unit() -> None:
    for most in (1, 1000, 10**6, 2**31 - 1):
        assert UNIT * (4 << weight_bits(most)) * most < 3 << 62


def test_walks_are_plain_or_pushed_but_never_fail() -> None:
    simulate(TASK, Walk({("x", "b"): 0.5}), num_users=64, seed=1, rare=True)
