"""The law of C(r) of every way of browsing: its moments, enumeration, and simulated users."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from prum.analytic import (
    closed_form,
    consulted_pmf,
    consulted_quantiles,
    reach_matrix,
)
from prum.simulator import (
    Beta,
    Browsing,
    Coupled,
    Independent,
    InputError,
    OneFactor,
    Task,
    Types,
    Walk,
    simulate,
)
from prum.simulator.model import Navigation
from tests.oracle.enumeration import expectations
from tests.samples import WAYS, random_browsing
from tests.tiers import spread

Floats = NDArray[np.float64]
Case = tuple[str, tuple[str, ...]]

DIALS: list[tuple[str, ...]] = [
    (),
    ("types",),
    ("beta",),
    ("one factor",),
    ("fading",),
    ("satiation",),
    ("need",),
    ("documents",),
    ("unranked",),
    ("types", "need"),
    ("beta", "satiation"),
    ("one factor", "fading"),
    ("one factor", "unranked"),
    ("types", "fading", "satiation", "need", "documents"),
]
CASES = list(product((*WAYS, "walk"), DIALS))
# P(any false alarm in this file), whatever the seed.
FAMILY_WISE = 1e-5
NUM_USERS = 20_000


def _moments(pmf: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mean, deviation, skewness of laws of 0, 1, .., about the means."""
    c = np.arange(pmf.shape[1])
    mean = pmf @ c
    away = c - mean[:, np.newaxis]
    deviation = np.sqrt((pmf * away**2).sum(axis=1))
    third = (pmf * away**3).sum(axis=1)
    return mean, deviation, third


def _case(case: Case, seed: int = 0) -> tuple[Task, Navigation]:
    way, dials = case
    return random_browsing(np.random.default_rng([seed, len(dials), way == "walk"]), way, dials)


@pytest.mark.parametrize("case", spread(5, CASES))
def test_moments_are_those_of_the_closed_form(case: Case) -> None:
    for seed in range(3):
        task, navigation = _case(case, seed)
        form, pmf = closed_form(task, navigation), consulted_pmf(task, navigation)
        assert (form is None) == (pmf is None)
        if form is None or pmf is None:
            assert consulted_quantiles(task, navigation, [0.5]) is None
            continue
        assert pmf.shape == (task.num_ideals, task.num_ranked + task.num_unranked + 1)
        assert pmf.sum(axis=1) == pytest.approx(1, abs=1e-9)
        mean, deviation, third = _moments(pmf)
        assert mean == pytest.approx(form.consulted, rel=1e-9)
        assert form.consulted_deviation is not None
        assert form.consulted_skewness is not None
        # A root makes the rounding of a variance of 0 large.
        assert deviation**2 == pytest.approx(form.consulted_deviation**2, rel=1e-9, abs=1e-9)
        wanted = form.consulted_skewness * form.consulted_deviation**3
        assert third == pytest.approx(wanted, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("case", spread(5, CASES))
def test_enumeration_gives_the_same_law(case: Case) -> None:
    task, navigation = _case(case)
    pmf = consulted_pmf(task, navigation)
    if pmf is None:
        return
    for truth in expectations(task, navigation):
        wanted = np.zeros(pmf.shape[1])
        for c, p in truth.consulted_pmf.items():
            wanted[c] = float(p)
        assert pmf[truth.r - 1] == pytest.approx(wanted, abs=1e-9)
        assert consulted_pmf(task, navigation, truth.r) == pytest.approx(pmf[truth.r - 1])


@pytest.mark.parametrize("case", spread(5, CASES))
def test_quantiles_are_those_of_the_law(case: Case) -> None:
    levels = [1e-6, 0.1, 0.5, 0.9, 0.999999]
    task, navigation = _case(case, 1)
    pmf, quantiles = consulted_pmf(task, navigation), consulted_quantiles(task, navigation, levels)
    if pmf is None or quantiles is None:
        return
    for row, level in zip(quantiles, levels, strict=True):
        for r, law in enumerate(pmf):
            below = np.cumsum(law) / law.sum()
            assert below[row[r]] >= level - 1e-10
            assert row[r] == 0 or below[row[r] - 1] < level + 1e-10


def _distance(pmf: Floats, task: Task, navigation: Navigation, r: int) -> tuple[float, int]:
    """Return Pearson's chi-square of simulated C(r), cells of few users put together."""
    simulation = simulate(task, navigation, num_users=NUM_USERS, seed=r)
    counts = np.zeros(len(pmf))
    table = simulation.consulted_counts(r)
    counts[table["up_to"].to_numpy()] = table["users"].to_numpy()
    assert counts[pmf == 0].sum() == 0
    rare = pmf * NUM_USERS < 10
    observed = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(pmf[~rare], pmf[rare].sum()) * NUM_USERS
    some = wanted > 0
    terms = (observed[some] - wanted[some]) ** 2 / wanted[some]
    return float(terms.sum()), int(some.sum()) - 1


LINKS = {("x", "a"): 0.3, ("x", "b"): 0.5, ("y", "b"): 0.4, ("y", "c"): 0.2, ("a", "c"): 0.3}
TASK = Task(["x", "y", "a", "z"], ["a", "b", "c"], 12)
NAVIGATIONS: list[Navigation] = [
    Independent(LINKS),
    Coupled(Independent(LINKS), "exclusive"),
    Coupled(Independent(LINKS), "comonotone"),
    Walk(LINKS),
    Browsing(Walk(LINKS), Types([0.5, 0.5], [0.2, 1])),
    Browsing(Independent(LINKS), Beta(1, 2), fading=0.7),
    Browsing(Independent(LINKS), OneFactor(0.6)),
    Browsing(Independent(LINKS), satiation=[0.3, 1], need=[1, 0.5]),
    Browsing(Walk(LINKS), Types([0.3, 0.7], [0, 1]), unranked=True),
]


@pytest.mark.parametrize("number", range(len(NAVIGATIONS)))
def test_simulated_users_follow_the_law(number: int) -> None:
    level = FAMILY_WISE / (len(NAVIGATIONS) * TASK.num_ideals)
    pmf = consulted_pmf(TASK, NAVIGATIONS[number])
    assert pmf is not None
    for r, law in enumerate(pmf, start=1):
        distance, degrees = _distance(law, TASK, NAVIGATIONS[number], r)
        assert distance <= chi2.isf(level, max(degrees, 1))


def test_another_law_is_noticed() -> None:
    """Negative control: users of a walk, held against independent visits of the same reach."""
    walk = Walk(LINKS)
    reach = reach_matrix(TASK, walk)
    level = FAMILY_WISE / (len(NAVIGATIONS) * TASK.num_ideals)
    distance, degrees = _distance(consulted_pmf(reach, TASK.num_unranked, 3), TASK, walk, 3)
    assert distance > chi2.isf(level, degrees)


def test_a_million_unranked_elements_take_no_columns() -> None:
    """Halves against the stored law where that fits, and a law known in closed form."""
    reach = np.array([[0.5, 0.2, 0.1], [0.3, 0.0, 0.9]])
    task = Task(["x", "y"], ["a", "b", "c"], 3_002)
    links = {("xy"[i], "abc"[k]): p for (i, k), p in np.ndenumerate(reach) if p}
    levels = [0.05, 0.5, 0.95]
    quantiles = consulted_quantiles(task, Independent(links), levels)
    assert quantiles is not None
    for r in range(1, 4):
        cumulative = np.cumsum(consulted_pmf(reach, 3_000, r))
        assert quantiles[:, r - 1].tolist() == np.searchsorted(cumulative, levels).tolist()
    alone = consulted_quantiles(Task([], ["a"], 2_000_000_000), Independent({}), [0.25, 0.9])
    assert alone is not None
    assert alone.tolist() == [[500_000_000], [1_800_000_000]]


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([], "probabilities is (), must hold a number; give .5 for the median"),
        ([0.5, 1], "probabilities[1] is 1.0, must lie in (0, 1); give .5 for the median"),
    ],
)
def test_bad_quantiles(probabilities: list[float], message: str) -> None:
    with pytest.raises(InputError) as caught:
        consulted_quantiles(TASK, Independent(LINKS), probabilities)
    assert str(caught.value) == message


def test_bad_law() -> None:
    with pytest.raises(InputError, match="r is 4, must be a whole number from 1 to 3"):
        consulted_pmf(TASK, Independent(LINKS), 4)
    with pytest.raises(InputError, match="navigation is 3, must be Independent"):
        consulted_pmf(TASK, 3)  # type: ignore[call-overload]
