"""Errors as large as a cross-check says it would have found are found with probability .8.

Rates over seeds are held against binomial quantiles of 1e-4 each way; nothing is scaled.
"""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from prum.analytic import PrecisionRecall, closed_form
from prum.experiments.crosscheck import crosscheck
from prum.experiments.crosscheck.detectable_errors import detectable
from prum.experiments.crosscheck.verdicts import quantities
from prum.experiments.statistics.tests import POWER
from prum.simulator import Independent, Simulation, Task, simulate
from prum.simulator.model import Navigation
from tests.agreement.test_crosscheck_calibration import RARE
from tests.oracle.cases import CASES
from tests.tiers import slow

Floats = NDArray[np.float64]

USERS, LEVEL, TAIL = 10_000, 1e-4, 1e-4
# The mean of C(1) of RARE has the skewness .08 with so many users, about all that is tested.
PLANTED = {"walk with cycle": CASES["walk with cycle"], "rare events": RARE}


def rates(
    case: tuple[Task, Navigation], size: float, num_seeds: int
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return how often E[CL] and E[C] off by so much are found, upwards and downwards, (2, t).

    `size` is in parts of what is said to be found; and which of them vary, so that it is said.
    """
    exact = closed_form(*case)
    assert isinstance(exact, PrecisionRecall)
    upwards, downwards = np.zeros((2, 2, exact.num_ideals))
    for seed in range(num_seeds):
        run = quantities(exact, simulate(*case, num_users=USERS, seed=seed, threads=1))
        assert run.tested.all()
        error = size * detectable(run, LEVEL)
        upwards += replace(run, simulated=run.simulated + error).p() < LEVEL
        downwards += replace(run, simulated=run.simulated - error).p() < LEVEL
    return upwards / num_seeds, downwards / num_seeds, ~run.fixed


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("num_seeds", [100, pytest.param(1_000, marks=slow)])
def test_planted_errors_are_found_with_the_probability_that_is_said(
    name: str, num_seeds: int
) -> None:
    """On the harder side with probability .8, on the other no more rarely."""
    upwards, downwards, varying = rates(PLANTED[name], 1.0, num_seeds)
    harder = np.minimum(upwards, downwards)[varying]
    low, high = (binom.ppf(tail, num_seeds, POWER) / num_seeds for tail in (TAIL, 1 - TAIL))
    print(f"found {upwards[varying]} upwards, {downwards[varying]} downwards, {low} .. {high}")
    assert harder.min() >= low
    assert harder.max() <= high


def test_smaller_errors_are_found_more_rarely() -> None:
    """Negative control: four fifths of the error, on either side of a mean that is not skewed."""
    for rate in rates(PLANTED["walk with cycle"], 0.8, 100)[:2]:
        assert rate[1, 0] < binom.ppf(TAIL, 100, POWER) / 100


@slow
def test_an_engine_that_is_off_by_so_much_disagrees() -> None:
    """Users who follow links a little more readily, so that E[C] is off by what is said."""
    task = Task(["c", "d", "a", "b"], ["a", "b"], 4)
    links = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}
    said = crosscheck(task, Independent(links), num_users=USERS, seed=1).comparisons

    def readier(factor: float) -> Independent:
        return Independent({pair: factor * p for pair, p in links.items()})

    def consulted(factor: float) -> float:
        exact = closed_form(task, readier(factor))
        assert exact is not None
        return float(exact.consulted[0])

    wanted = consulted(1) - said["detectable_consulted"][0]
    low, high = 1.0, 1.5
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if consulted(middle) > wanted else (low, middle)

    def off(task: Task, _: Navigation, *, num_users: int, seed: int) -> Simulation:
        return simulate(task, readier(low), num_users=num_users, seed=seed)

    num_seeds = 100
    verdicts = [
        crosscheck(task, Independent(links), num_users=USERS, seed=seed, simulate=off).verdict
        for seed in range(num_seeds)
    ]
    assert verdicts.count("disagrees") >= binom.ppf(TAIL, num_seeds, POWER)
