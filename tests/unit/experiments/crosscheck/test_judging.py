"""The p-values of judgements beside tails and moments that are computed another way."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from prum.analytic import closed_form
from prum.experiments.crosscheck.compared import Quantities
from prum.experiments.crosscheck.verdicts import judge, quantities
from prum.simulator import Independent, Task, simulate, web_example
from prum.simulator.sampling.weighted import WeightedTally

RARE, USERS = 0.01, 10_000


def p_of(successes: int) -> tuple[float, float]:
    """Return p of so many users who have what is rare, as judged and by the exact binomial tail.

    The tail is that of the nearer side, doubled, with half of the count itself: a continuous law,
    which is what is compared with it, has no mass there.
    """
    skewness = (1 - 2 * RARE) / np.sqrt(USERS * RARE * (1 - RARE))
    mean = successes / USERS
    error = np.sqrt(mean * (1 - mean) / (USERS - 1))
    once = np.ones((2, 1), dtype=np.bool_)
    judged = Quantities(
        np.full((2, 1), USERS - 1.0),
        np.full((2, 1), RARE),
        np.full((2, 1), mean),
        np.full((2, 1), error),
        np.full((2, 1), skewness),
        once,
        ~once,
        ~once,
    ).p()
    law = binom(USERS, RARE)
    below = law.cdf(successes) - law.pmf(successes) / 2
    return float(judged[0, 0]), float(2 * min(below, 1 - below))


def test_p_is_the_tail_of_a_skewed_law() -> None:
    judged, exact = p_of(100)
    # In the middle only g / 6 remains, and what is left out is of the third order in g = .1.
    assert judged == pytest.approx(exact, abs=1e-4)
    assert abs(judged - 1) > 0.01  # a symmetric law has 1 there
    for successes in (70, 80, 90, 110, 120, 130, 140):
        judged, exact = p_of(successes)
        assert judged == pytest.approx(exact, rel=0.06)


@pytest.mark.parametrize("level", [0.05, 1e-3, 1e-5])
@pytest.mark.parametrize("chance", [0.01, 0.99])
def test_means_are_rejected_as_often_as_the_level_says(chance: float, level: float) -> None:
    """By the exact law of how many users have what is rare: no users are drawn."""
    counts = np.arange(USERS + 1)
    law = binom(USERS, chance).pmf(counts)
    counts, law = counts[law > 1e-15], law[law > 1e-15]
    mean = counts / USERS
    shape = (2, len(counts))
    skewness = (1 - 2 * chance) / np.sqrt(USERS * chance * (1 - chance))
    every = np.ones(shape, dtype=np.bool_)
    case = Quantities(
        np.full(shape, USERS - 1.0),
        np.full(shape, chance),
        np.tile(mean, (2, 1)),
        np.tile(np.sqrt(mean * (1 - mean) / (USERS - 1)), (2, 1)),
        np.full(shape, skewness),
        every,
        ~every,
        ~every,
    )
    rate = law[case.p()[0] < level].sum()
    assert 0.85 * level < rate < 1.25 * level
    # Negative control: without the skewness they are far too often.
    naive = replace(case, skewness=np.zeros(shape)).p()[0]
    assert level > 0.01 or law[naive < level].sum() > 1.9 * level


def test_skewness_is_that_of_the_law() -> None:
    campaign = web_example()
    task, navigation = campaign.task("list", "web"), campaign.navigation_on("web")
    exact = closed_form(task, navigation)
    assert exact is not None
    users = 50_000
    found = quantities(exact, simulate(task, navigation, num_users=users, seed=1))
    # Who wants 2 consults 1 or 2 elements that lead them to something new.
    values = np.array([1.0, 2.0])
    law = np.array([2 - exact.leading[1], exact.leading[1] - 1])
    mean = law @ values
    second, third = (float(law @ (values - mean) ** k) for k in (2, 3))
    assert third < 0
    assert found.skewness[0, 1] == pytest.approx(third / second**1.5 / np.sqrt(users), rel=1e-12)


def test_one_element_that_surely_shows_two_ideals_raises_no_alarm() -> None:
    """CL(3) is 2 but for one user in a thousand: 500 users who all have 2 say nothing."""
    links = {("x", "a"): 1.0, ("x", "b"): 1.0, ("x", "c"): 0.001, ("y", "c"): 1.0}
    case = Task(["x", "y"], ["a", "b", "c"], 5), Independent(links)
    few = simulate(*case, num_users=500, seed=1)
    assert few.leading_error[2] == 0
    assert quantities(closed_form(*case), few).tested[0].tolist() == [True, True, False]
    (judged,), _ = judge([quantities(closed_form(*case), few)], 0.01)
    assert "disagrees" not in judged.verdicts
    many = simulate(*case, num_users=200_000, seed=1)
    assert quantities(closed_form(*case), many).tested[0].all()
    # Negative control: one user in five hundred instead.
    other = Independent({**links, ("x", "c"): 0.002})
    (judged,), _ = judge([quantities(closed_form(case[0], other), many)], 0.01)
    assert judged.verdicts[2] == "disagrees"


def test_such_a_comparison_says_how_many_users_would_do() -> None:
    links = {("x", "a"): 1.0, ("x", "b"): 1.0, ("x", "c"): 0.001, ("y", "c"): 1.0}
    case = Task(["x", "y"], ["a", "b", "c"], 5), Independent(links)
    needed = quantities(closed_form(*case), simulate(*case, num_users=500, seed=1)).leads_needed
    assert needed is not None
    assert needed[2] == pytest.approx(100 / 0.001)


def test_rare_users_who_all_have_one_weight_are_judged_without_a_test_of_it() -> None:
    case = Task(["x"], ["a"], 5000), Independent({("x", "a"): 0.999})
    rare = simulate(*case, num_users=320, seed=1, rare=True)
    assert isinstance(rare.tally, WeightedTally)
    sums = rare.tally.sums.copy()
    one = 1 << rare.tally.bits
    units, weight = rare.tally.num_units, 32 * one
    sums[0], sums[5] = units * weight, units * weight**2
    alike = replace(rare, tally=replace(rare.tally, sums=sums))
    assert alike.tally.weight == (1, 0)
    found = quantities(closed_form(*case), simulate(*case, num_users=320, seed=1), alike)
    assert found.weight == 1


@pytest.mark.parametrize("drawn", [0.01, 0.0])
def test_what_is_not_tested_is_bounded_by_bennetts_inequality(drawn: float) -> None:
    """One user in 500 consults two elements; what too few are to test may still be impossible."""
    task, n, chance = Task(["x", "a"], ["a"], 2), 2_000, 0.002
    run = simulate(task, Independent({("x", "a"): 1 - drawn}), num_users=n, seed=1)
    measured = float(run.consulted[0]) - 1
    assert (measured > chance) == (drawn > chance)
    exact = closed_form(task, Independent({("x", "a"): 1 - chance}))
    bound = quantities(exact, run).bound
    assert bound is not None
    room = 1 - chance if measured > chance else chance
    variance = chance * (1 - chance)
    u = room * abs(measured - chance) / variance
    p = 2 * np.exp(-n * variance / room**2 * ((1 + u) * np.log1p(u) - u))
    assert p < 0.5
    assert bound[1, 0] == pytest.approx(p, rel=1e-9)
