"""The law of C(r) against simulated users, where it is long, and bad input.

It is enumerated in test_forms.
"""

import numpy as np
import pytest
from scipy.stats import chi2

from prum.analytic import consulted_pmf, consulted_quantiles, reach_matrix
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
from tests.samples import Floats

# P(any false alarm in this file), whatever the seed.
FAMILY_WISE = 1e-5
NUM_USERS = 20_000


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
