"""Users taken in steps, where the first are too few: the level holds, and what is rare is found.

Rates are held against binomial quantiles of 1e-4, as in `test_crosscheck_calibration`.
"""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from prum.analytic import closed_form
from prum.experiments.crosscheck import crosscheck, crosscheck_campaigns
from prum.experiments.crosscheck.users import TESTS_OF_A_STEP, sizes
from prum.experiments.crosscheck.verdicts import quantities
from prum.experiments.sweeps.workers import Processes
from prum.simulator import Coupled, Independent, Simulation, Task, Walk, simulate
from prum.simulator.collections.campaign import Campaign
from prum.simulator.collections.examples import EXAMPLES, example_campaign
from prum.simulator.model import Navigation
from tests.engines import plain_engine as plain
from tests.tiers import slow

TAIL = 1e-4
seeds = pytest.mark.parametrize("num_seeds", [25, pytest.param(300, marks=slow)])

# Of 1,000 users two or three miss `b` and go on behind the list, or see it early.
TASK = Task(["x", "a", "y"], ["a", "b"], 60)
LINKS = {("x", "b"): 0.0025, ("a", "b"): 0.004, ("y", "b"): 0.997}
MAYBE = {("x", "b"): 0.3, ("x", "a"): 0.003, ("y", "b"): 0.995}
CASES: dict[str, Navigation] = {
    "independent": Independent(LINKS),
    "walk": Walk(LINKS),
    "exclusive": Coupled(Independent(MAYBE), "exclusive"),
}


@pytest.mark.parametrize("name", CASES)
@seeds
def test_steps_raise_no_more_false_alarms_than_promised(name: str, num_seeds: int) -> None:
    most, alarms, looked = int(binom.ppf(1 - TAIL, num_seeds, 0.05)), 0, set[int]()
    for seed in range(num_seeds):
        check = crosscheck(TASK, CASES[name], num_users=500, seed=seed, level=0.05)
        assert check.num_tested == 5
        alarms += check.verdict == "disagrees"
        looked.add(int(check.comparisons["users"].max()))
    print(f"{name}: {alarms} false alarms of {num_seeds}, {most} allowed, users {sorted(looked)}")
    assert min(looked) > 500
    assert alarms <= most


def test_looking_again_without_paying_is_found() -> None:
    """Negative control: at .05 each of five looks at growing samples, of which any may reject."""
    case, num_seeds = (Task(["x", "a"], ["a"], 2), Independent({("x", "a"): 0.5})), 400
    exact, steps, paid, unpaid = closed_form(*case), sizes(500, 128_000), 0, 0
    for seed in range(num_seeds):
        runs = [simulate(*case, num_users=n, seed=seed, threads=1) for n in steps]
        p = min(float(quantities(exact, run).p()[1, 0]) for run in runs)
        unpaid += p < 0.05
        paid += len(steps) * p < 0.05
    most = int(binom.ppf(1 - TAIL, num_seeds, 0.05))
    print(f"unpaid {unpaid}, paid {paid} of {num_seeds}, {most} allowed")
    assert unpaid > most
    assert paid <= most


def test_each_p_value_pays_for_all_tests_that_might_judge_it() -> None:
    """What the first users surely carry is judged once, whatever happens."""
    check = crosscheck(TASK, CASES["independent"], num_users=500, seed=1)
    (case,) = check.cases
    looks = TESTS_OF_A_STEP * len(sizes(500))
    assert (case.looks, len(sizes(500))) == (looks, 6)
    compared = case.quantities
    assert compared.looks is not None
    assert set(compared.looks.ravel()) <= {1, looks}
    alone = quantities(case.exact, case.simulated, case.rare, case.more)
    assert np.allclose(compared.p(), np.minimum(compared.looks * alone.p(), 1), equal_nan=True)


def test_a_fault_that_the_first_users_cannot_show_is_found() -> None:
    """`b` is seen early by one user in 1,000, and by one in 400 as simulated."""
    faulty, right = Independent(LINKS), Independent({**LINKS, ("x", "b"): 0.001})

    def engine(
        _: Task, __: Navigation, *, num_users: int, seed: int, rare: bool = False
    ) -> Simulation:
        return simulate(TASK, faulty, num_users=num_users, seed=seed, rare=rare)

    check = partial(crosscheck, TASK, right, num_users=500, seed=1)
    assert check(simulate=engine, most_users=500).verdict != "disagrees"
    assert check(simulate=engine).verdict == "disagrees"
    assert check().verdict == "agrees"


MANY_LISTS = ("campaign", "walks")


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=[slow] if x in MANY_LISTS else []) for x in EXAMPLES]
)
def test_no_comparison_of_the_built_in_examples_is_unresolved(name: str) -> None:
    """As the command has it, by default."""
    check = crosscheck_campaigns([example_campaign(name)], num_users=100_000, seed=1)
    assert check.verdict == "agrees"
    assert "unresolved" not in set(check.comparisons["verdict"])


def test_without_more_users_built_in_comparisons_are_unresolved() -> None:
    """Negative control: plain users of the first step alone."""
    campaign = example_campaign("web")
    check = crosscheck_campaigns([campaign], num_users=30, most_users=30, seed=1, simulate=plain)
    assert "unresolved" in set(check.comparisons["verdict"])


def test_users_do_not_depend_on_workers() -> None:
    campaign = Campaign(
        name="task",
        ideals={"topic": TASK.ideals},
        runs={"list": {"topic": TASK.ranking}},
        navigation=CASES["walk"],
        collection_size=TASK.collection_size,
    )
    options: dict[str, Any] = {"num_users": 500, "seed": 1, "most_users": 50_000}
    here = crosscheck_campaigns([campaign], **options, threads=1)
    assert here.comparisons["users"].max() > 500
    with Processes(2) as workers:
        there = crosscheck_campaigns([campaign], **options, workers=workers)
    assert there.comparisons.equals(here.comparisons)
    assert (there.most_users, there.values()["most_users"]) == (50_000, 50_000)
