"""False alarms of the cross-check and coverage of intervals come at the promised rates.

Over many seeds of correct simulations. Rates are held against binomial quantiles of 1e-4 each
way; nothing is scaled.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from prum.analytic import PrecisionRecall, closed_form
from prum.experiments.crosscheck import Crosscheck, crosscheck
from prum.experiments.crosscheck.verdicts import LARGEST_SKEWNESS, quantities
from prum.simulator import Independent, Simulation, Task, simulate
from prum.simulator.model import Navigation
from prum.simulator.sampling.streams import BLOCK
from tests.engines import plain_engine
from tests.oracle.cases import CASES, HIGH_REACH
from tests.tiers import slow, spread

Floats = NDArray[np.float64]
Case = tuple[Task, Navigation]

# Seeds, of the fast tier and in full.
FEWER, NUM_SEEDS = 100, 1_000
seeds = pytest.mark.parametrize("num_seeds", [FEWER, pytest.param(NUM_SEEDS, marks=slow)])
TAIL = 1e-4

# Of 100 users three go on to 200 unranked elements for one ideal, and two find both at once.
RARE: Case = (
    Task(["x", "y"], ["a", "b"], 202),
    Independent({("x", "a"): 0.9, ("x", "b"): 0.02, ("y", "a"): 0.4, ("y", "b"): 0.5}),
)
CALIBRATED: dict[str, Case] = {
    "table III": CASES["table III"],
    "rare events": RARE,
    "walk with cycle": CASES["walk with cycle"],
}


def _binomial(trials: int, rate: float) -> tuple[int, int]:
    """Return the numbers of successes between which all but 2e-4 of the trials' sums lie."""
    return int(binom.ppf(TAIL, trials, rate)), int(binom.ppf(1 - TAIL, trials, rate))


def _truth(case: Case) -> PrecisionRecall:
    truth = closed_form(*case)
    assert truth is not None
    return truth


# --- false alarms -----------------------------------------------------------------------------


@pytest.fixture(
    scope="module",
    params=[
        ("table III", FEWER),
        *(pytest.param((name, NUM_SEEDS), marks=slow) for name in CALIBRATED),
    ],
    ids=lambda param: "{}, {}".format(*param),
)
def checks(request: pytest.FixtureRequest) -> list[Crosscheck]:
    """Return cross-checks of a correct simulation at family-wise level .05, one for each seed."""
    name, num_seeds = request.param
    return [
        crosscheck(*CALIBRATED[name], num_users=10_000, seed=seed, level=0.05)
        for seed in range(num_seeds)
    ]


@slow
def test_family_wise_false_alarms(checks: list[Crosscheck]) -> None:
    """At most the .9999 quantile of Binomial(1000, .05) = 77 of 1,000 cross-checks disagree."""
    num_seeds = len(checks)
    assert _binomial(NUM_SEEDS, 0.05)[1] == 77
    _, most = _binomial(num_seeds, 0.05)
    verdicts = [check.verdict for check in checks]
    alarms = verdicts.count("disagrees")
    print(f"{alarms} false alarms of {num_seeds}, at most {most} allowed")
    assert alarms <= most
    # Bonferroni's inequality costs little: not far fewer alarms either.
    assert alarms >= _binomial(num_seeds, 0.01)[0]
    assert alarms + verdicts.count("agrees") == num_seeds


def test_every_comparison_was_tested(checks: list[Crosscheck]) -> None:
    """Calibration is not bought by leaving tests out."""
    for check in checks:
        assert check.num_tested == 2 * len(check.comparisons)
        assert set(check.comparisons["verdict"]) <= {"agrees", "disagrees"}


@pytest.mark.parametrize("level", [0.05, 0.01])
def test_single_p_values_are_uniform_at_the_lower_end(
    checks: list[Crosscheck], level: float
) -> None:
    """Each test of a quantity that varies rejects at its own level, neither more nor less."""
    low, high = _binomial(len(checks), level)
    cases = [quantities(check.cases[0].exact, check.cases[0].simulated) for check in checks]
    rejected = np.sum([case.p() < level for case in cases], axis=0)
    varying = ~cases[0].fixed
    assert varying.any()
    assert (rejected[~varying] == 0).all()
    print(f"{rejected[varying]} of {len(checks)} below {level}, {low} .. {high} allowed")
    assert rejected[varying].min() >= low
    assert rejected[varying].max() <= high


@slow
def test_too_few_users_are_unresolved_and_never_disagree() -> None:
    """One user in a million needs the unranked part: ten thousand users cannot tell."""
    task = Task(["x"], ["a"], 1_000_001)
    navigation = Independent({("x", "a"): 1 - 1e-6})
    verdicts = set()
    for seed in range(50):
        check = crosscheck(
            task, navigation, num_users=10_000, seed=seed, level=0.05, simulate=plain_engine
        )
        verdicts |= set(check.comparisons["verdict"])
    assert verdicts == {"unresolved"}


def _rare_task(seed: int) -> Case:
    """Return a task whose visits are nearly sure or hardly ever happen, in several ways."""
    rng = np.random.default_rng([7, seed])
    listed = [f"e{k}" for k in range(rng.integers(1, 5))]
    ideals = [f"i{k}" for k in range(rng.integers(1, 4))]
    pairs = {
        (x, y): abs(float(rng.random() < 0.7) - float(10 ** rng.uniform(-6, -2)))
        for x in listed
        for y in ideals
        if rng.random() < 0.8
    }
    least = len(listed) + len(ideals)
    return Task(listed, ideals, int(rng.integers(least, 10 ** rng.integers(2, 7)))), Independent(
        pairs
    )


@slow
def test_what_is_rare_in_several_ways_keeps_the_rate() -> None:
    """A kind of rare users that a run has missed is neither said to disagree nor to be far."""
    verdicts = Counter[str]()
    for seed in range(1000, 1200):
        result = crosscheck(*_rare_task(seed), num_users=20_000, seed=seed + 1)
        verdicts[result.verdict] += 1
        verdicts["rare"] += result.num_rare > 0
    assert verdicts["rare"] > 100
    assert max(verdicts["disagrees"], verdicts["unresolved"]) <= _binomial(200, 0.01)[1]


@slow
@pytest.mark.parametrize("p", spread(3, [1 - 1e-4, 0.5, 0.9]))
@pytest.mark.parametrize("depth", [10, 10_000])
def test_false_alarms_far_down_a_list(depth: int, p: float) -> None:
    """C is o or o - 1: little variance beside the mean, and still no more alarms than promised."""
    ranking = [f"x{number}" for number in range(depth)]
    case = Task([*ranking, "y", "a"], ["a"], depth + 2), Independent({("y", "a"): p})
    exact = _truth(case)
    assert exact.consulted_deviation == pytest.approx([np.sqrt(p * (1 - p))], rel=1e-3)
    runs = [simulate(*case, num_users=4 * BLOCK, seed=seed) for seed in range(100)]
    rejected = [float(np.nanmin(quantities(exact, run).p())) < 0.01 for run in runs]
    assert sum(rejected) <= _binomial(100, 0.01)[1]


@pytest.mark.parametrize("name", ["no navigation", "unranked part", "empty ranking", "duplicates"])
def test_the_expected_unranked_part_agrees(name: str) -> None:
    """Expected draws are kept to 2^-20 of an element: that must not pass for a disagreement."""
    engine = partial(simulate, unranked="expected")
    check = crosscheck(*CASES[name], num_users=65_536, seed=1, simulate=engine)
    assert check.verdict == "agrees"


# --- coverage ---------------------------------------------------------------------------------


def _covered(case: Case, run: Callable[[int], Simulation], num_seeds: int) -> list[int]:
    """Return how many 95 % intervals hold the exact precision, at each r that users can carry.

    As in the cross-check: the skewness of mean C(r) must be at most .1, else the mean is not
    nearly normal and its interval promises nothing.
    """
    truth = _truth(case)
    assert truth.consulted_skewness is not None
    covered = np.zeros(truth.num_ideals, dtype=np.int64)
    fewest = np.inf
    for seed in range(num_seeds):
        simulation = run(seed)
        low, high = simulation.interval(0.95)
        covered += (low <= truth.precision) & (truth.precision <= high)
        fewest = min(fewest, simulation.num_users)
    carried = np.abs(truth.consulted_skewness) <= LARGEST_SKEWNESS * np.sqrt(fewest)
    assert carried.any()
    return [int(count) for count in covered[carried]]


WAYS: dict[str, tuple[Case, int, dict[str, object]]] = {
    "table III": (CASES["table III"], 4096, {}),
    "unranked part": (CASES["unranked part"], 4096, {}),
    "walk with cycle": (CASES["walk with cycle"], 4096, {}),
    "rare events": (RARE, BLOCK, {}),
    "high reach": (HIGH_REACH, BLOCK, {}),
    "unranked part, expected": (CASES["unranked part"], 4096, {"unranked": "expected"}),
}


@pytest.mark.parametrize("way", WAYS)
@seeds
def test_coverage_of_intervals(way: str, num_seeds: int) -> None:
    """Of 1,000 intervals of 95 % between 923 and 974 hold the exact value, at every r."""
    case, num_users, options = WAYS[way]
    num_seeds = min(num_seeds, 300) if num_users > BLOCK else num_seeds
    low, high = _binomial(num_seeds, 0.95)
    covered = _covered(
        case,
        lambda seed: simulate(*case, num_users=num_users, seed=seed, threads=1, **options),  # type: ignore[arg-type]
        num_seeds,
    )
    print(f"{way}: {covered} of {num_seeds} cover, {low} .. {high} allowed")
    assert low <= min(covered)
    assert max(covered) <= high


@pytest.mark.parametrize("looks", [1, 2])
@pytest.mark.parametrize("name", spread(3, ["table III", "walk with cycle", "rare events"]))
@pytest.mark.parametrize("num_seeds", [100, pytest.param(300, marks=slow)])
def test_coverage_after_sequential_stopping(name: str, looks: int, num_seeds: int) -> None:
    """Looking after 1, 2, 4 blocks and stopping when narrow enough costs no coverage.

    The half-width is what pilot users have at the given look, so about half of the seeds stop
    there and the others at the next.
    """
    case = CALIBRATED[name]
    pilots = [
        simulate(*case, num_users=BLOCK << (looks - 1), seed=NUM_SEEDS + seed).interval(0.95)
        for seed in range(20)
    ]
    half_width = float(np.median([(high - low).max() / 2 for low, high in pilots]))
    stopped: Counter[int] = Counter()

    def run(seed: int) -> Simulation:
        simulation = simulate(*case, half_width=half_width, seed=seed)
        stopped[simulation.num_users // BLOCK] += 1
        return simulation

    low, high = _binomial(num_seeds, 0.95)
    covered = _covered(case, run, num_seeds)
    print(f"{covered} of {num_seeds} cover after {stopped} blocks, {low} .. {high} allowed")
    assert set(stopped) == {1 << (looks - 1), 1 << looks}
    assert min(stopped.values()) >= num_seeds / 10
    assert low <= min(covered)
    assert max(covered) <= high


@seeds
def test_a_wrong_truth_is_not_covered(num_seeds: int) -> None:
    """Negative control: PRUM's value at r = 2 of Table III, .01 below the truth, is missed."""
    case = CASES["table III"]
    low, _ = _binomial(num_seeds, 0.95)
    wrong = _truth(case).precision[1] - 0.01
    covered = 0
    for seed in range(num_seeds):
        ends = simulate(*case, num_users=4096, seed=seed, threads=1).interval(0.95)
        covered += bool(ends[0][1] <= wrong <= ends[1][1])
    assert covered < low
