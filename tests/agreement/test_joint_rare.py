"""Rare users where several rare things happen at once: means, errors, and what nobody showed."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from prum.analytic import closed_form
from prum.simulator import (
    Beta,
    Browsing,
    Copula,
    Coupled,
    Independent,
    Mixture,
    OneFactor,
    Simulation,
    Task,
    Types,
    Walk,
    simulate,
)
from prum.simulator.model import Navigation
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling.importance import goals
from prum.simulator.sampling.importance.goals import meetings, misses
from prum.simulator.sampling.importance.samplers import pushed
from prum.simulator.sampling.streams import UNIT
from prum.simulator.sampling.ways.samplers import compiled
from prum.simulator.sampling.ways.stepwise import StepwiseSampler
from prum.simulator.sampling.weighted import WeightedTally
from tests.samples import WAYS, random_browsing
from tests.tiers import slow, spread
from tests.twins.drawing import drawn

# P(any false alarm in one test of this file), whatever the seed.
FAMILY_WISE = 1e-6
Case = tuple[Task, Navigation]

TASK = Task(["x", "y", "z"], ["a", "b", "c"], 100_000)
APART = Independent({("x", "a"): 0.999, ("y", "b"): 0.998, ("z", "c"): 0.9995})
AT_ONE = Independent({("x", "a"): 0.999, ("x", "b"): 0.999, ("x", "c"): 0.998})
BESIDE = Independent(
    {
        ("x", "a"): 0.97,
        ("y", "a"): 0.97,
        ("y", "b"): 0.97,
        ("z", "b"): 0.96,
        ("z", "c"): 0.98,
        ("x", "c"): 0.9,
    }
)
ONE_OF = Independent(
    {("x", "a"): 0.99, ("x", "b"): 0.005, ("y", "b"): 0.99, ("z", "c"): 0.98, ("z", "a"): 0.01}
)
WALK = Walk({("x", "a"): 0.999, ("a", "b"): 0.998, ("y", "b"): 0.999, ("z", "c"): 0.99})
# All of the rare things that users have to do at once for E[C(1)], or E[C(2)], of each.
CASES: dict[str, Case] = {
    "exclusive": (TASK, Coupled(ONE_OF, "exclusive")),
    "copula": (TASK, Coupled(BESIDE, Copula(0.3))),
    "one factor": (TASK, Browsing(APART, OneFactor(0.1))),
    "beta": (TASK, Browsing(APART, Beta(50, 0.1))),
    "a rare type": (TASK, Browsing(APART, Types([0.5, 1e-5, 0.5 - 1e-5], [1, 0.1, 0.9999]))),
    "a rare mixture": (TASK, Mixture([1 - 1e-5, 1e-5], [APART, Independent({("x", "a"): 0.01})])),
    "less and less": (TASK, Browsing(AT_ONE, satiation=[1, 0.5, 0.1])),
    "more and more": (TASK, Browsing(APART, satiation=[0.9, 0.99, 1])),
    "comonotone, less": (TASK, Browsing(Coupled(BESIDE, "comonotone"), satiation=[1, 0.9, 0.5])),
    "walk, less": (TASK, Browsing(WALK, satiation=[1, 0.9, 0.99])),
}


def _rare(case: Case, seed: int, num_users: int = 16_000) -> Simulation:
    return simulate(*case, num_users=num_users, seed=seed, threads=1, rare=True)


@pytest.mark.parametrize("num_seeds", [4, pytest.param(40, marks=slow)])
@pytest.mark.parametrize("name", CASES)
def test_joint_rare_events_are_measured(name: str, num_seeds: int) -> None:
    """At each r means agree, and E[C(1)] has a twentieth of plain users' variance, or less."""
    exact = closed_form(*CASES[name])
    assert exact is not None
    assert exact.consulted_deviation is not None
    threshold = norm.isf(FAMILY_WISE / (12 * num_seeds))
    for seed in range(num_seeds):
        run = _rare(CASES[name], seed)
        assert run.unseen == ()
        for measured, error, truth in (
            (run.leading, run.leading_error, exact.leading),
            (run.consulted, run.consulted_error, exact.consulted),
        ):
            varies = error > 1e-12
            assert measured[~varies] == pytest.approx(truth[~varies], abs=1e-9)
            z = (measured - truth)[varies] / error[varies]
            assert np.abs(z).max(initial=0) < threshold
        plain = exact.consulted_deviation[0] / np.sqrt(run.num_users)
        assert plain**2 > 20 * run.consulted_error[0] ** 2


@pytest.mark.parametrize("name", spread(3, CASES))
def test_a_joint_event_half_as_common_again_is_noticed(name: str) -> None:
    """Negative control: nothing changes but what is rare, 1 + 1.5 (E[C(1)] - 1) for E[C(1)]."""
    exact = closed_form(*CASES[name])
    assert exact is not None
    run = _rare(CASES[name], 1, 64_000)
    wrong = exact.consulted[0] + 0.5 * (exact.consulted[0] - 1)
    assert abs(run.consulted[0] - wrong) > norm.isf(FAMILY_WISE / 2) * run.consulted_error[0]


# --- what nobody showed -----------------------------------------------------------------------


@pytest.fixture
def not_overlooking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody overlook ideals, so that hardly any user misses several."""

    def none(table: StepwiseSampler, *_: object) -> Floats:
        return np.empty((0, table.task.num_ideals))

    monkeypatch.setattr(goals, "_keeps", none)


@pytest.mark.parametrize("name", ["exclusive", "less and less", "walk, less"])
@pytest.mark.usefixtures("not_overlooking")
def test_what_nobody_showed_is_in_the_error(name: str) -> None:
    case = CASES[name]
    exact = closed_form(*case)
    assert exact is not None
    for seed in range(4):
        run = _rare(case, seed)
        assert 1 in run.unseen
        off = np.abs(run.consulted - exact.consulted)[0]
        assert off < 3 * run.consulted_error[0]
        low, high = run.interval(0.999)
        assert low[0] < exact.precision[0] < high[0]
        relative = run.precision_error / run.precision
        assert relative[0] == pytest.approx(run.consulted_error[0] / run.consulted[0], rel=0.01)
        assert "hardly anybody showed what is rare at r = 1" in repr(run)
        if name != "walk, less":
            # Negative control: by its own users alone such a run is sure of a wrong mean.
            assert isinstance(run.tally, WeightedTally)
            assert off > 3 * replace(run.tally, shown=None).error("consulted")[0]


def test_what_users_showed_adds_up_and_comes_back() -> None:
    case = CASES["walk, less"]
    parts = [
        simulate(*case, num_users=10 * UNIT, first_user=10 * UNIT * k, seed=1, rare=True)
        for k in range(2)
    ]
    whole = _rare(case, 1, 20 * UNIT)
    assert parts[0] + parts[1] == whole
    again = Simulation.from_json(whole.to_json())
    assert again.unseen == whole.unseen
    assert again.consulted_error.tolist() == whole.consulted_error.tolist()


def test_bounds_whatever_the_dependence() -> None:
    """The worst dependence reaches them: one of three is always missed where each is by a third."""
    assert misses(np.full(3, 1 / 3)).tolist() == pytest.approx([1 / 3, 1 / 2, 1])
    assert misses(np.array([0.0, 1.0])).tolist() == [0, 1]
    assert misses(np.zeros(2)).tolist() == [0, 0]
    at_two = np.array([1, 1, 2]), np.array([0.25, 0.5, 1.0])
    assert meetings(*at_two, 3).tolist() == [0, 0.25, 0.25]
    assert meetings(*at_two, 3, apart=True).tolist() == [0, 0, 0]


@pytest.mark.parametrize("dials", [(), ("types",), ("beta",), ("one factor",), ("satiation",)])
@pytest.mark.parametrize("way", WAYS)
def test_bounds_hold_for_plain_users(
    way: str, dials: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of random tasks; and what they call impossible nobody does."""
    monkeypatch.setattr(goals, "RARE", 2.0)
    checked = 0
    for seed in range(6):
        task, browsing = random_browsing(np.random.default_rng([seed, 17]), way, dials)
        sampler = pushed(compiled(task, browsing))
        if sampler is None:
            continue
        n, r = 2_000, np.arange(1, task.num_ideals + 1)
        consulted, leading = drawn(compiled(task, browsing).block(1, 0, sampled=True), [n], len(r))
        shares = np.stack(((consulted > task.num_ranked).mean(axis=0), (leading < r).mean(axis=0)))
        chance = np.sqrt(sampler.bounds * (1 - sampler.bounds) / n)
        assert (shares <= sampler.bounds + 6 * chance + 1e-12).all()
        checked += 1
    assert checked
