"""The verdict on worlds of rare strays: right laws are not called wrong, planted errors are found.

Users browse as the truth says, the closed form is that of other chances. Errors are counted in what
the cross-check says that it would find with probability .8.
"""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from prum.experiments.crosscheck import crosscheck
from prum.experiments.sweeps import jobs
from prum.simulator import Coupled, Independent, Simulation, Task, Walk, simulate
from prum.simulator.model import Navigation
from tests.engines import simulation_of
from tests.rare_worlds import KINDS, world
from tests.tiers import slow, spread_rows

TAIL = 1e-4


@pytest.mark.parametrize("num_seeds", [2, pytest.param(60, marks=slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_right_laws_are_not_called_wrong(kind: str, num_seeds: int) -> None:
    most = 1 << (16 if num_seeds < 10 else 17)
    found = [world(kind, seed).check(seed, most=most).verdict for seed in range(num_seeds)]
    assert found.count("disagrees") <= binom.ppf(1 - TAIL, num_seeds, 0.01)


@pytest.mark.parametrize(
    ("size", "power"), spread_rows(3, [(1.0, 0.65), (1.5, 0.98), (-1.5, 0.98)])
)
@pytest.mark.parametrize("num_seeds", [2, pytest.param(16, marks=slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_planted_errors_are_found(kind: str, num_seeds: int, size: float, power: float) -> None:
    """Of what would be found .7 to .95, of half as much again all, to either side."""
    number = total = 0
    for seed in range(100, 100 + num_seeds):
        own = world(kind, seed)
        planted = own.planted(seed % len(own.misses), size, most=1 << 17)
        if planted is None:
            continue
        truth, r = planted
        check = own.check(seed, truth, most=1 << 17)
        off = np.abs(own.law(truth).consulted / own.law().consulted - 1)
        assert check.verdict != "agrees" or off.max() <= check.detect * 1.001
        number += check.comparisons["verdict"][r - 1] == "disagrees"
        total += 1
    assert number >= binom.ppf(TAIL, total, power)


# --- what was wrong before ------------------------------------------------------------------------


def chain(first: float, second: float, size: int = 1000) -> tuple[Task, Walk]:
    """Return a walk of two legs by what each misses."""
    legs = Walk({("x", "a"): 1 - first, ("a", "b"): 1 - second})
    return Task(["x"], ["a", "b"], size), legs


@pytest.mark.parametrize("seed", range(4))
def test_two_legs_that_hardly_ever_fail_agree(seed: int) -> None:
    assert crosscheck(*chain(1e-6, 1e-6), seed=seed).verdict == "agrees"


@slow
@pytest.mark.parametrize("seed", range(1))
def test_a_leg_that_the_formula_takes_for_certain_is_found(seed: int) -> None:
    """E[C(2)] is 1.667 for 2.167; the right one takes millions of users, and says so."""
    task, truth = chain(1e-5, 1e-5, 100_000)
    _, formula = chain(1e-5, 0, 100_000)

    def engine(task: Task, _: Navigation, *, num_users: int, seed: int) -> Simulation:
        return simulate(task, truth, num_users=num_users, seed=seed)

    wrong = crosscheck(task, formula, num_users=20_000, seed=seed, simulate=engine)
    assert wrong.verdict == "disagrees"
    right = crosscheck(task, truth, num_users=20_000, most_users=100_000, seed=seed)
    assert right.verdict == "unresolved"
    assert 1e7 < right.comparisons["users_needed"].max() < 1e8


def test_exclusive_visits_whose_sum_is_nearly_one_agree() -> None:
    task = Task(["x"], ["a", "b"], 1000)
    visits = Coupled(Independent({("x", "a"): 0.49999, ("x", "b"): 0.49999}), "exclusive")
    assert crosscheck(task, visits, seed=1).verdict == "agrees"


def test_late_entries_agree() -> None:
    walk = Walk({("v", "c"): 0.99999, ("z", "a"): 0.6687, ("z", "c"): 0.3312})
    assert crosscheck(Task(["v", "y", "z"], ["a", "c"], 55), walk, seed=1).verdict == "agrees"


def test_a_formula_that_is_too_high_is_found_by_users_who_never_leave() -> None:
    """A third of the users' E[C] is of those who stray, the formula says; none of them does."""
    task = Task(["x"], ["a"], 100_001)
    formula = Independent({("x", "a"): 1 - 6e-6})

    def certain(task: Task, _: Navigation, *, num_users: int, seed: int) -> Simulation:
        one = Independent({("x", "a"): 1.0})
        return simulate(task, one, num_users=num_users, seed=seed)

    assert crosscheck(task, formula, num_users=4_000, simulate=certain).verdict == "disagrees"


# --- what else a verdict is -----------------------------------------------------------------------


def test_the_number_of_users_follows_from_the_law() -> None:
    """An error of a tenth where one user in five runs meets nothing: 1.61 N / .1."""
    task, certain = Task(["x"], ["a"], 10_001), Independent({("x", "a"): 1.0})
    check = crosscheck(task, certain, num_users=1_000)
    assert check.comparisons["users"].tolist() == [161_000]
    coarse = crosscheck(task, certain, num_users=1_000, detect=0.2)
    assert coarse.comparisons["users"].tolist() == [80_500]
    assert crosscheck(task, certain, num_users=200_000).comparisons["users"].tolist() == [200_000]


def test_too_few_users_leave_the_whole_unresolved_and_say_how_many_would_do() -> None:
    task, certain = Task(["x"], ["a"], 10_001), Independent({("x", "a"): 1.0})
    check = crosscheck(task, certain, num_users=1_000, most_users=20_000)
    assert check.verdict == check.verdicts["exact"] == "unresolved"
    assert check.status == 1
    assert check.comparisons["users_needed"].tolist() == [161_000]
    assert "170,000 users a list would do." in repr(check)


def test_where_the_list_shows_all_nothing_can_stray_far() -> None:
    """Whoever consults an ideal sees it, whatever the links, and could see both from the first."""
    check = crosscheck(Task(["a", "x", "b"], ["a", "b"], 10**6), {}, num_users=100)
    assert check.comparisons["detectable"].tolist() == [0, pytest.approx(1.61 * 2 / 100 / 3)]
    assert check.verdict == "agrees"


def test_repeated_elements_may_go_beyond_the_collection() -> None:
    check = crosscheck(Task(["x"] * 6, ["a"], 3), {}, num_users=2_000)
    assert check.comparisons["exact_consulted"].tolist() == [7.5]
    assert check.verdict == "agrees"


@pytest.mark.parametrize("spread", ["none", "half"])
def test_users_who_depend_on_each_other_are_called_wrong_though_their_mean_is_right(
    spread: str,
) -> None:
    """A list of 20 unranked elements, of which C is one at random: mean 10.5."""
    task = Task([], ["a"], 20)

    def engine(task: Task, navigation: Navigation, *, num_users: int, seed: int) -> Simulation:
        of_users = np.array([10, 11] if spread == "none" else [5, 8, 13, 16])
        consulted = np.resize(of_users, num_users)[:, None]
        return simulation_of(task, navigation, consulted, np.ones_like(consulted), seed=seed)

    check = crosscheck(task, {}, num_users=20_000, simulate=engine)
    (row,) = check.comparisons.to_dict(orient="records")
    assert (row["p_leading"], row["p_consulted"], row["verdict"]) == (1, 1, "disagrees")
    assert row["p_spread"] < 1e-6


def test_what_a_law_has_forgotten_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One user in 2,000 leaves the list; the closed form takes it for nobody."""
    task, truth = Task(["x"], ["a"], 10_001), Independent({("x", "a"): 0.9995})
    exact: Any = jobs._FORMULAS["exact"](task, Independent({("x", "a"): 1.0}))
    monkeypatch.setitem(jobs._FORMULAS, "exact", lambda *_, **__: exact)
    assert crosscheck(task, truth, num_users=1_000).verdict == "disagrees"


def test_figures_show_the_verdict_s_own_intervals() -> None:
    """They hold the exact line where both means agree with it."""
    for seed in range(5):
        rows = crosscheck(*chain(1e-3, 1e-2), num_users=5_000, seed=seed).comparisons
        assert (rows["low"] <= rows["exact"]).all()
        assert (rows["exact"] <= rows["high"]).all()
