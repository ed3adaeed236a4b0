"""The naive walker against the enumeration, and every fault planted in it."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from prum.simulator.model import (
    Beta,
    Browsing,
    Copula,
    Coupled,
    Independent,
    Navigation,
    OneFactor,
    Task,
    Types,
    Walk,
)
from tests.oracle.cases import (
    BROWSED,
    CASES,
    CORRELATED,
    DIAL_WITNESSES,
    HIGH_REACH,
    PATHS,
    RICH,
    TABLE,
    WITNESSES,
)
from tests.oracle.enumeration import expectations
from tests.oracle.naive import DIAL_FAULTS, FAULTS, naive_users
from tests.tiers import slow, spread

cases = pytest.mark.parametrize(("task", "navigation"), CASES.values(), ids=CASES)

# --- the naive walker against the enumeration -------------------------------------------------

USERS = 20_000
FEWER = 5_000  # enough to show every planted fault
FAMILY_WISE = 1e-4  # P(any comparison of one task beyond the threshold | walker right)


def disagreements(
    task: Task,
    navigation: Navigation,
    consulted: NDArray[np.int64],
    leading: NDArray[np.int64],
) -> list[str]:
    """Return the means of the walker that miss the exact ones by more than chance explains.

    Means of C, CL, CL / C, C^2 and C CL for each r, z with the measured standard error, Bonferroni
    over all of them. Where every user did the same, the mean must be equal.
    """
    wanted: list[tuple[str, NDArray[np.float64], Fraction]] = []
    for exact in expectations(task, navigation):
        c = consulted[:, exact.r - 1].astype(float)
        cl = leading[:, exact.r - 1].astype(float)
        ratio = np.divide(cl, c, out=np.full_like(c, np.inf), where=c > 0)
        wanted += [
            (f"E[C({exact.r})]", c, exact.consulted),
            (f"E[CL({exact.r})]", cl, exact.leading),
            (f"E[CL({exact.r}) / C({exact.r})]", ratio, exact.mean_ratio),
            (f"E[C({exact.r})^2]", c * c, exact.mean(lambda c, _: c * c)),
            (f"E[C({exact.r}) CL({exact.r})]", c * cl, exact.mean(lambda c, cl: c * cl)),
        ]
    threshold = norm.isf(FAMILY_WISE / len(wanted) / 2)
    beyond = []
    for what, values, truth in wanted:
        if np.all(values == values[0]):
            if abs(values[0] - float(truth)) > 1e-12:
                beyond.append(f"{what}: all {values[0]}, exactly {float(truth)}")
            continue
        if not np.all(np.isfinite(values)):
            beyond.append(f"{what}: not finite")
            continue
        z = (values.mean() - float(truth)) / (values.std(ddof=1) / sqrt(len(values)))
        if abs(z) > threshold:
            beyond.append(f"{what}: z = {z:.1f}, at most {threshold:.1f}")
    return beyond


@pytest.mark.parametrize("num_users", [FEWER, pytest.param(USERS, marks=slow)])
@cases
def test_naive_users_agree(task: Task, navigation: Navigation, num_users: int) -> None:
    consulted, leading = naive_users(task, navigation, num_users, np.random.default_rng(2007))
    assert consulted.shape == leading.shape == (num_users, task.num_ideals)
    assert consulted.dtype == leading.dtype == np.int64
    assert disagreements(task, navigation, consulted, leading) == []


@cases
def test_naive_users_do_only_what_can_happen(task: Task, navigation: Navigation) -> None:
    consulted, leading = naive_users(task, navigation, 2000, np.random.default_rng(1))
    for exact in expectations(task, navigation):
        column = exact.r - 1
        done = set(zip(consulted[:, column].tolist(), leading[:, column].tolist(), strict=True))
        assert done <= set(exact.joint)


def test_every_fault_has_a_witness() -> None:
    assert tuple(WITNESSES) == FAULTS
    assert len(set(FAULTS)) == len(FAULTS)


@pytest.mark.parametrize(("fault", "case"), WITNESSES.items(), ids=WITNESSES)
def test_every_fault_is_caught(fault: str, case: str) -> None:
    task, navigation = HIGH_REACH if case == "high reach" else CASES[case]
    rng = np.random.default_rng(2007)
    consulted, leading = naive_users(task, navigation, FEWER, rng, fault=fault)
    assert disagreements(task, navigation, consulted, leading) != []


# --- the same of dials ------------------------------------------------------------------------


@pytest.mark.parametrize("browsing", spread(3, BROWSED.values()), ids=BROWSED)
def test_laws_of_browsing_sum_to_one(browsing: Browsing) -> None:
    exact = (
        not isinstance(browsing.population, Beta | OneFactor) and browsing.navigation != CORRELATED
    )
    for record in expectations(RICH, browsing):
        assert abs(sum(record.joint.values()) - 1) <= (0 if exact else 1e-9)
        assert all(p > 0 for p in record.joint.values())
        assert all(1 <= cl <= min(c, record.r) for c, cl in record.joint)
        assert all(c <= RICH.num_ranked + RICH.num_unranked for c, _ in record.joint)


@slow
@pytest.mark.parametrize("case", spread(5, BROWSED))
def test_naive_users_browse_alike(case: str) -> None:
    browsing = BROWSED[case]
    users = naive_users(RICH, browsing, USERS, np.random.default_rng(2007))
    assert disagreements(RICH, browsing, *users) == []


@pytest.mark.parametrize("navigation", [TABLE, PATHS, Coupled(TABLE, Copula(0.5))], ids=str)
def test_naive_users_of_dials_not_turned_are_the_same(navigation: Navigation) -> None:
    assert not isinstance(navigation, Browsing)
    plain = naive_users(RICH, navigation, 500, np.random.default_rng(6))
    browsing = naive_users(RICH, Browsing(navigation), 500, np.random.default_rng(6))
    assert all(np.array_equal(x, y) for x, y in zip(plain, browsing, strict=True))


TWICE = {("y", "b"): 0.9, ("z", "b"): 0.9}


@slow
@pytest.mark.parametrize("population", [Beta(0.5, 0.5), OneFactor(0.8)], ids=str)
@pytest.mark.parametrize("navigation", [Independent(TWICE), Walk(TWICE)], ids=["tosses", "walk"])
def test_populations_without_fractions(
    navigation: Independent | Walk, population: Beta | OneFactor
) -> None:
    """One visit happens as to the average user; a second one tells who the user is."""
    browsing = Browsing(navigation, population)
    average = Browsing(navigation, Types([1], [population.mean]))

    def missed(ranking: list[str], fault: str | None) -> list[str]:
        task, rng = Task(ranking, ["b"], 8), np.random.default_rng(8)
        return disagreements(task, average, *naive_users(task, browsing, USERS, rng, fault=fault))

    assert missed(["y"], None) == []
    assert missed(["y", "z"], None) != []
    assert missed(["y", "z"], "factor drawn per rank") == []
    assert missed(["y", "z"], "factor of the mean") == []


def test_every_fault_of_dials_has_a_witness() -> None:
    assert tuple(DIAL_WITNESSES) == DIAL_FAULTS
    assert len({*DIAL_FAULTS, *FAULTS}) == len(DIAL_FAULTS) + len(FAULTS)
