"""Two lists on the same users: right differences, right errors, and fewer users for them."""

import numpy as np
import pytest
from scipy.stats import binom

from prum.analytic import closed_form
from prum.simulator import Independent, InputError, Task, Walk, simulate
from prum.simulator.sampling.measured.comparison import compare_lists
from tests.tiers import slow

LINKS = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.3, ("e", "a"): 0.2}
FIRST = Task(["c", "d", "e", "a"], ["a", "b"], 30)
SECOND = Task(["d", "c", "a", "e"], ["a", "b"], 30)


def truth(navigation: Independent | Walk) -> np.ndarray:
    first, second = (closed_form(task, navigation) for task in (FIRST, SECOND))
    assert first is not None
    assert second is not None
    return first.precision - second.precision


@pytest.mark.parametrize("navigation", [Independent(LINKS), Walk(LINKS)])
@pytest.mark.parametrize("unranked", ["expected", "sampled"])
@pytest.mark.parametrize("num_seeds", [75, pytest.param(300, marks=slow)])
def test_difference_covers_the_truth_at_its_rate(
    num_seeds: int, navigation: Independent | Walk, unranked: str
) -> None:
    covered = 0
    for seed in range(num_seeds):
        found = compare_lists(
            FIRST, SECOND, navigation, num_users=2_000, seed=seed, unranked=unranked
        )
        begin, end = found.interval(0.95)
        covered += int(begin[0] <= truth(navigation)[0] <= end[0])
    low, high = binom.ppf([1e-4, 1 - 1e-4], num_seeds, 0.95)
    assert low <= covered <= high


def test_a_wrong_truth_is_not_covered() -> None:
    found = compare_lists(FIRST, SECOND, Independent(LINKS), num_users=200_000, seed=1)
    low, high = found.interval(0.9999)
    wrong = truth(Independent(LINKS)) + 0.02
    assert not ((low <= wrong) & (wrong <= high)).any()


@pytest.mark.parametrize("navigation", [Independent(LINKS), Walk(LINKS)])
def test_pairing_saves_users(navigation: Independent | Walk) -> None:
    found = compare_lists(FIRST, SECOND, navigation, num_users=50_000, seed=1)
    assert (found.users_saved > 1.2).all()


def test_ratios_are_those_of_the_simulations_of_the_same_seed() -> None:
    navigation = Independent(LINKS)
    found = compare_lists(FIRST, SECOND, navigation, num_users=40_000, seed=5, unranked="sampled")
    one, two = (simulate(task, navigation, num_users=40_000, seed=5) for task in (FIRST, SECOND))
    np.testing.assert_allclose(found.difference, one.precision - two.precision, rtol=1e-10)
    apart = np.hypot(one.precision_error, two.precision_error)
    np.testing.assert_allclose(found.unpaired_error, apart, rtol=1e-6)


def test_a_list_against_itself_differs_by_nothing() -> None:
    found = compare_lists(FIRST, FIRST, Independent(LINKS), num_users=5_000, seed=1)
    assert (found.difference == 0).all()
    np.testing.assert_allclose(found.error, 0, atol=1e-9)


def test_frame_and_repr_name_the_users() -> None:
    found = compare_lists(FIRST, SECOND, Independent(LINKS), num_users=5_000, seed=1)
    assert list(found.to_frame().columns) == [
        "r",
        "difference",
        "error",
        "low",
        "high",
        "users_saved",
    ]
    assert "5,000 users of seed 1" in repr(found)


def test_bad_input() -> None:
    other = Task(["c"], ["a"], 30)
    with pytest.raises(InputError, match="ideals of the second task"):
        compare_lists(FIRST, other, Independent(LINKS), num_users=10, seed=1)
    with pytest.raises(InputError, match="num_users is 1"):
        compare_lists(FIRST, SECOND, Independent(LINKS), num_users=1, seed=1)
    with pytest.raises(InputError, match="unranked is 'no'"):
        compare_lists(FIRST, SECOND, Independent(LINKS), num_users=10, seed=1, unranked="no")  # type: ignore[arg-type]
