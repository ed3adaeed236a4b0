"""The law of C(r) against simulated users, where it is long, and bad input.

It is enumerated in test_forms.
"""

import numpy as np
import pytest
from scipy.stats import chi2

from prum.analytic import consulted_pmf, reach_matrix
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
)
from prum.simulator.model import Navigation
from prum.simulator.sampling.ways.samplers import compiled
from tests.samples import Floats
from tests.twins.drawing import drawn

# P(any false alarm in this file), whatever the seed.
FAMILY_WISE = 1e-5
NUM_USERS = 16_000


def _distance(pmf: Floats, task: Task, navigation: Navigation, r: int) -> tuple[float, int]:
    """Return Pearson's chi-square of simulated C(r), cells of few users put together."""
    users = compiled(task, navigation).block(r, 0, sampled=True)
    consulted, _ = drawn(users, [NUM_USERS], task.num_ideals)
    counts = np.bincount(consulted[:, r - 1], minlength=len(pmf))
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


def test_bad_law() -> None:
    with pytest.raises(InputError, match="r is 4, must be a whole number from 1 to 3"):
        consulted_pmf(TASK, Independent(LINKS), 4)
    with pytest.raises(InputError, match="navigation is 3, must be Independent"):
        consulted_pmf(TASK, 3)  # type: ignore[call-overload]
