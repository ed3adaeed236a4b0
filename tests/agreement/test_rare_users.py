"""Rare users on purpose: as their twins, and with the means that closed forms have."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from prum.analytic import closed_form
from prum.experiments.crosscheck import crosscheck
from prum.experiments.crosscheck.verdicts import quantities
from prum.simulator import Independent, Simulation, Task, simulate
from prum.simulator.model import Navigation
from prum.simulator.sampling import kernels
from prum.simulator.sampling.importance.samplers import pushed
from prum.simulator.sampling.importance.visits import PushedVisits
from prum.simulator.sampling.streams import UNIT
from prum.simulator.sampling.ways.samplers import compiled
from prum.simulator.sampling.weighted import CONSULTED, LEADING, WEIGHT, WeightedTally
from tests.samples import random_task
from tests.tiers import slow
from tests.twins.drawing import drawn
from tests.twins.independent import reference_users
from tests.twins.pushing import reference_pushed, reference_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Case = tuple[Task, Independent]

# What is rare: a miss, a meeting, an ideal early in a long list, several of these.
CASES: dict[str, Case] = {
    "a miss": (Task(["x"], ["a"], 1_000_001), Independent({("x", "a"): 1 - 1e-6})),
    "misses": (
        Task(["x", "y", "z"], ["a", "b", "c"], 2003),
        Independent(
            {
                ("x", "a"): 0.99,
                ("y", "a"): 0.9,
                ("x", "b"): 0.3,
                ("y", "b"): 0.999,
                ("z", "c"): 0.9999,
                ("y", "c"): 0.01,
            }
        ),
    ),
    "a meeting": (
        Task(["a", "x", "b", "c", "x"], ["a", "b", "c"], 30),
        Independent({("x", "b"): 0.003, ("x", "c"): 0.02, ("b", "c"): 0.001}),
    ),
    "early": (
        Task([f"x{k}" for k in range(50)], ["a", "b"], 500),
        Independent(
            {("x0", "a"): 1e-4, ("x1", "b"): 1e-4, ("x40", "a"): 0.9, ("x45", "b"): 0.9}
            | {("x49", "a"): 0.99, ("x49", "b"): 0.99}
        ),
    ),
}
NUM_USERS = 32_000
# Seeds, of the fast tier and in full.
seeds = pytest.mark.parametrize("num_seeds", [20, pytest.param(300, marks=slow)])


def _tally(simulation: Simulation) -> WeightedTally:
    assert isinstance(simulation.tally, WeightedTally)
    return simulation.tally


def _drawn(case: Case, num_users: int, chunk: int) -> tuple[Ints, Ints, Floats]:
    sampler = pushed(compiled(*case))
    assert isinstance(sampler, PushedVisits)
    sizes, t = [chunk] * (num_users // chunk), case[0].num_ideals
    return drawn(sampler.block(5, 2), sizes, t, weights=float)  # type: ignore[return-value]


@pytest.mark.parametrize("chunk", [32, 160])
@pytest.mark.parametrize("name", CASES)
def test_users_and_weights_are_the_twin_s(name: str, chunk: int) -> None:
    consulted, leading, weights = _drawn(CASES[name], 320, chunk)
    told = reference_pushed(*CASES[name], num_users=320, seed=5, block=2)
    assert consulted.tolist() == told[0].tolist()
    assert leading.tolist() == told[1].tolist()
    assert weights == pytest.approx(told[2], rel=1e-9)
    assert 0 < weights.min() < weights.max() <= 4 / 3


@pytest.mark.parametrize("seed", range(5))
def test_random_tasks_are_the_twin_s(seed: int) -> None:
    """With links so strong and weak that something is rare."""
    rng = np.random.default_rng(seed)
    task, navigation = random_task(rng, walk=False)
    links = {
        (source, target): float(p if p in (0, 1) else rng.choice([1e-3, 0.3, 0.999]))
        for source, target, p in navigation.links  # type: ignore[union-attr]
    }
    case = task, Independent(links)
    assert pushed(compiled(*case)) is not None
    consulted, leading, weights = _drawn(case, 320, 320)
    told = reference_pushed(*case, num_users=320, seed=5, block=2)
    assert consulted.tolist() == told[0].tolist()
    assert leading.tolist() == told[1].tolist()
    assert weights == pytest.approx(told[2], rel=1e-9)


def test_other_users_are_those_of_the_plain_run() -> None:
    """Three of four: common random numbers, and nothing of a push in them but their weights."""
    case = CASES["a miss"]
    consulted, _, _ = _drawn(case, 320, 320)
    plain, _ = reference_users(*case, num_users=320, seed=5, block=2)
    same = (consulted == plain).all(axis=1)
    assert same.reshape(-1, 4)[:, :3].all()
    assert not same.all()


def test_sums_are_the_twin_s() -> None:
    case = CASES["misses"]
    tally = _tally(simulate(*case, num_users=320, seed=5, rare=True))
    weight, whole, leads = reference_sums(
        *reference_pushed(*case, num_users=320, seed=5), tally.bits
    )
    one = 2**tally.bits
    assert tally.sums[WEIGHT].tolist() == [weight * one] * 3
    assert tally.sums[CONSULTED].tolist() == [value * one for value in whole]
    assert tally.sums[LEADING].tolist() == [value * one for value in leads]
    assert tally.num_units == 320 // UNIT


@pytest.mark.parametrize("name", CASES)
@seeds
def test_means_are_the_exact_ones(name: str, num_seeds: int) -> None:
    """Tests of what plain users cannot carry, and of the mean weight, reject at their levels.

    Held against binomial quantiles of 1e-4; nothing is scaled.
    """
    exact = closed_form(*CASES[name])
    assert exact is not None
    plain = simulate(*CASES[name], num_users=64, seed=0)
    p, weights = [], []
    for seed in range(num_seeds):
        rare = simulate(*CASES[name], num_users=NUM_USERS, seed=seed, threads=1, rare=True)
        compared = quantities(exact, plain, rare)
        p.append(compared.p()[compared.rare])
        weights.append(compared.weight)
    tested = np.array(p)
    judged = np.isfinite(tested).mean(axis=0)
    print(f"{name}: judged {judged}, of {num_seeds}")
    assert judged.max() > 0.8
    for level in (0.05, 0.01, 0.001):
        rejected = (tested < level).sum(axis=0)
        print(f"below {level}: {rejected}, of weights {np.sum(np.array(weights) < level)}")
        assert rejected.max() <= binom.ppf(1 - 1e-4, num_seeds, level)
        assert np.sum(np.array(weights) < level) <= binom.ppf(1 - 1e-4, num_seeds, level)


def test_unweighted_users_are_not_those_of_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: the same users with weights that are not theirs are found out."""
    own = kernels.add_units

    def shuffled(
        consulted: object, leading: object, skipped: int, weights: Floats, *others: object
    ) -> None:
        own(consulted, leading, skipped, weights[::-1].copy(), *others)

    case = CASES["misses"]
    assert crosscheck(*case, num_users=NUM_USERS, seed=3).verdict == "agrees"
    monkeypatch.setattr(kernels, "add_units", shuffled)
    assert crosscheck(*case, num_users=NUM_USERS, seed=3).verdict == "disagrees"


def test_a_push_that_weights_do_not_know_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: the mean weight is not 1 if users are pushed more than weights say."""
    whole = PushedVisits.__init__

    def pushed(self: PushedVisits, *arguments: object) -> None:
        whole(self, *arguments)  # type: ignore[arg-type]
        self.inside = np.sqrt(self.inside)

    monkeypatch.setattr(PushedVisits, "__init__", pushed)
    assert crosscheck(*CASES["misses"], num_users=NUM_USERS, seed=3).verdict == "disagrees"


@pytest.mark.parametrize("name", ["a miss", "misses", "early"])
def test_the_rare_costs_little_variance(name: str) -> None:
    """Against a user's exact variance; where nothing else varies the error is nearly 0."""
    exact = closed_form(*CASES[name])
    assert exact is not None
    assert exact.consulted_deviation is not None
    assert exact.consulted_skewness is not None
    rare = simulate(*CASES[name], num_users=NUM_USERS, seed=1, rare=True)
    skewed = np.abs(exact.consulted_skewness) > 20
    error = exact.consulted_deviation / np.sqrt(NUM_USERS)
    gain = (error / np.maximum(rare.consulted_error, 1e-30)) ** 2
    print(name, gain[skewed])
    assert (gain[skewed] > 1).all()
    assert gain[skewed].max() > 10


def test_a_wrong_law_is_told_apart() -> None:
    """Negative control: twice the chance of a miss of one in a million is seen."""
    task, _ = CASES["a miss"]
    exact = closed_form(task, Independent({("x", "a"): 1 - 2e-6}))
    navigation: Navigation = CASES["a miss"][1]
    plain = simulate(task, navigation, num_users=64, seed=1)
    rare = simulate(task, navigation, num_users=NUM_USERS, seed=1, rare=True)
    assert exact is not None
    assert abs(rare.consulted - exact.consulted) > 10 * rare.consulted_error
    assert quantities(exact, plain, rare).rare[1].all()
