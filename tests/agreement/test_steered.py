"""Users steered towards what is rare: kernel and twin, exact values, and what it is worth."""

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
    OneFactor,
    Task,
    Types,
    Walk,
    simulate,
)
from prum.simulator.model import Navigation
from prum.simulator.model.arrays import Floats
from prum.simulator.sampling import kernels
from prum.simulator.sampling.importance import goals
from prum.simulator.sampling.importance.samplers import pushed
from prum.simulator.sampling.importance.steered import _STEERED, SteeredSampler
from prum.simulator.sampling.streams import (
    AGAIN,
    PUSHED_EVERY,
    UNIT,
    UNRANKED,
    RandomNumbers,
    stream,
)
from prum.simulator.sampling.ways.samplers import compiled
from tests.oracle.enumeration import expectations
from tests.samples import WAYS, floats, random_browsing
from tests.tiers import spread
from tests.twins.drawing import drawn
from tests.twins.independent import one_user
from tests.twins.steering import ratio, steered_users

# P(any false alarm in one test of this file), whatever the seed.
FAMILY_WISE = 1e-6
DIALS: list[tuple[str, ...]] = [
    (),
    ("types",),
    ("beta",),
    ("one factor",),
    ("fading", "satiation"),
    ("documents", "unranked"),
    ("types", "fading", "satiation", "documents", "unranked"),
]
CASES = [
    *((way, dials) for way in WAYS for dials in DIALS),
    *(("walk", dials) for dials in DIALS if dials and "one factor" not in dials),
]
every = pytest.mark.parametrize("case", spread(8, CASES), ids=str)


@pytest.fixture
def all_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take everything to be rare, so that small tasks have goals of all kinds."""
    monkeypatch.setattr(goals, "RARE", 2.0)


def tasks(case: tuple[str, tuple[str, ...]], number: int) -> list[tuple[Task, Browsing]]:
    """Return small tasks in which users can be steered."""
    way, dials = case
    seeds = ([seed, len(dials), 7] for seed in range(100))
    made = (random_browsing(np.random.default_rng(seed), way, dials) for seed in seeds)
    return [one for one in made if isinstance(pushed(compiled(*one)), SteeredSampler)][:number]


def steered(task: Task, navigation: Navigation) -> SteeredSampler:
    sampler = pushed(compiled(task, navigation))
    assert isinstance(sampler, SteeredSampler)
    return sampler


# --- kernel and twin --------------------------------------------------------------------------


@every
@pytest.mark.usefixtures("all_rare")
def test_steered_users_are_those_of_the_twin(case: tuple[str, tuple[str, ...]]) -> None:
    for task, navigation in tasks(case, 2):
        sampler = steered(task, navigation)
        block, t = sampler.block(3, 1), task.num_ideals
        parts = []
        for size in (32, 288):
            room = [np.full((size, t), -7, np.int32, order="F") for _ in range(2)]
            parts.append((*room, *block.draw_ratios(*room)))
        consulted, leading, seen, ratios = (
            np.concatenate(columns, axis=axis)
            for columns, axis in zip(zip(*parts, strict=True), (0, 0, 1, 0), strict=True)
        )
        turns = np.arange(len(ratios)) % PUSHED_EVERY == PUSHED_EVERY - 1
        plain = drawn(compiled(task, navigation).block(3, 1, sampled=True), [len(ratios)], t)
        assert np.array_equal(consulted[~turns], plain[0][~turns])
        assert np.array_equal(leading[~turns], plain[1][~turns])
        if not {"types", "beta", "one factor"} & set(case[1]):
            users = steered_users(sampler, 3, 1, [1.0] * turns.sum(), [0.0] * turns.sum())
            ranks = seen[:, turns].T.tolist()
            assert ranks == users
            expected = [ratio(sampler, row, 1.0, 0.0) for row in seen.T.tolist()]
            assert ratios == pytest.approx(expected, rel=1e-9)
            if not navigation.turned or not navigation.unranked:
                key = *sampler.plain.key, _STEERED
                streams = (RandomNumbers(stream(3, key, 1, which)) for which in (UNRANKED, AGAIN))
                unranked, again = streams
                told = [one_user(task, row, unranked, again, True) for row in ranks]
                assert consulted[turns].tolist() == [c for c, _ in told]
                assert leading[turns].tolist() == [cl for _, cl in told]


@pytest.mark.parametrize(
    "law", [Types([0.4, 0.6], [0.3, 0.9]), Beta(1, 2), OneFactor(0.4)], ids=str
)
@pytest.mark.usefixtures("all_rare")
def test_users_who_differ_are_those_of_the_twin(law: Types | Beta | OneFactor) -> None:
    """Factors, drawn from tails, are taken from the kernel's own arguments."""
    task = Task(["x", "a", "y", "b"], ["a", "b", "c"], 9)
    links = {("x", "a"): 0.5, ("x", "b"): 0.2, ("a", "c"): 0.3, ("y", "b"): 0.6, ("b", "c"): 0.1}
    sampler = steered(task, Browsing(Independent(links), law, fading=0.9))
    users = sampler.table.users(np.random.default_rng(5).random(200))
    seen = np.empty((3, 200), np.int32)
    room = np.empty((2, 3, 200), np.int32)
    block = sampler.block(6, 0)
    kernels.steered(
        block.users_key,
        0,
        sampler.choices,
        sampler.overlooking,
        sampler.reaching,
        *sampler.table.tables(),
        1.0,
        users,
        block.unranked,
        block.again,
        4,
        5,
        *room,
        seen,
    )
    factors, normals = (column.tolist() for column in users)
    assert seen.T.tolist() == steered_users(sampler, 6, 0, factors, normals)
    ratios = np.ones(200)
    sampler.weigh(users, seen, ratios)
    expected = [
        ratio(sampler, *user) for user in zip(seen.T.tolist(), factors, normals, strict=True)
    ]
    assert ratios == pytest.approx(expected, rel=1e-9)


# --- exact values -----------------------------------------------------------------------------


def exact(task: Task, navigation: Browsing) -> tuple[Floats, Floats] | None:
    """Return E[CL(r)] and E[C(r)], by enumeration where there are fractions."""
    value = closed_form(task, navigation)
    if value is not None:
        return value.leading, value.consulted
    coupling = getattr(navigation.navigation, "coupling", None)
    if isinstance(coupling, Copula) or isinstance(navigation.population, Beta | OneFactor):
        return None
    laws = expectations(task, navigation)
    return floats(law.leading for law in laws), floats(law.consulted for law in laws)


def z_scores(task: Task, navigation: Browsing, truth: tuple[Floats, Floats], seed: int) -> Floats:
    """Return z of simulated means, and of the mean weight, against their exact values."""
    simulation = simulate(task, navigation, num_users=32_000, seed=seed, rare=True)
    measured = np.concatenate((simulation.leading, simulation.consulted))
    error = np.concatenate((simulation.leading_error, simulation.consulted_error))
    difference = measured - np.concatenate(truth)
    assert difference[error < 1e-12] == pytest.approx(0, abs=1e-9)
    block, size = steered(task, navigation).block(seed, 0), 16_000
    weights, room = np.empty(size), np.empty((2, task.num_ideals, size), np.int32)
    block.draw(room[0].T, room[1].T, weights)
    units = weights.reshape(-1, UNIT).mean(axis=1)
    spread = units.std(ddof=1) / np.sqrt(len(units))
    own = (units.mean() - 1) / spread if spread > 1e-12 else 0.0
    return np.append(difference[error >= 1e-12] / error[error >= 1e-12], own)


@every
@pytest.mark.usefixtures("all_rare")
def test_steered_users_agree_with_exact_values(case: tuple[str, tuple[str, ...]]) -> None:
    cases = [(*one, truth) for one in tasks(case, 4) if (truth := exact(*one)) is not None]
    z = np.concatenate([[0.0], *(z_scores(*one, seed=11) for one in cases)])
    assert np.abs(z).max() < norm.isf(FAMILY_WISE / (2 * len(z)))


# Rarely missed, rarely seen early, rarely two at once; of users who differ, and of dials.
RARE_TASK = Task(["x", "y", "a", "z", "b"], ["a", "b", "c"], 200)
RARE_LINKS = {
    ("x", "a"): 1e-4,
    ("y", "a"): 2e-4,
    ("y", "b"): 3e-4,
    ("a", "b"): 1e-4,
    ("x", "c"): 0.99,
    ("y", "c"): 0.9,
    ("a", "c"): 0.95,
    ("z", "c"): 0.9,
    ("b", "c"): 0.9,
    ("z", "b"): 1e-3,
}
PLAIN = Independent(RARE_LINKS)
RARE: dict[str, Navigation] = {
    "exclusive": Coupled(PLAIN, "exclusive"),
    "comonotone": Coupled(PLAIN, "comonotone"),
    "copula": Coupled(PLAIN, Copula(0.3)),
    "types": Browsing(PLAIN, Types([0.9, 0.1], [1, 0.9])),
    "beta": Browsing(PLAIN, Beta(20, 1)),
    "one factor": Browsing(PLAIN, OneFactor(0.1)),
    "fading": Browsing(PLAIN, fading=0.99),
    "copula, fading": Browsing(Coupled(PLAIN, Copula(0.3)), fading=0.99),
    "walk": Browsing(
        Walk({("x", "c"): 0.99, ("y", "a"): 1e-3, ("a", "b"): 1e-3, ("z", "c"): 0.9}), fading=0.99
    ),
    "satiation": Browsing(PLAIN, satiation=[0.99, 1]),
}


@pytest.mark.parametrize("name", spread(2, RARE))
def test_what_is_rare_is_measured_with_far_fewer_users(name: str) -> None:
    """E[CL(r)] has a tenth of plain users' variance, or less."""
    task, navigation = RARE_TASK, RARE[name]
    value = closed_form(task, navigation)
    assert value is not None
    simulation = simulate(task, navigation, num_users=48_000, seed=12, rare=True)
    gap = np.arange(1, 4) - value.leading
    plain = gap[1:] * (1 - gap[1:]) / simulation.num_users
    assert (plain > 10 * simulation.leading_error[1:] ** 2).all()
    for measured, error, truth in (
        (simulation.leading, simulation.leading_error, value.leading),
        (simulation.consulted, simulation.consulted_error, value.consulted),
    ):
        z = (measured - truth)[error > 1e-12] / error[error > 1e-12]
        assert np.abs(z).max() < norm.isf(FAMILY_WISE / 36)


@pytest.mark.parametrize("name", spread(3, RARE))
def test_what_is_rare_being_a_tenth_commoner_is_noticed(name: str) -> None:
    """Negative control, out of reach of plain users: one in thousands of them meets anything."""
    value = closed_form(RARE_TASK, RARE[name])
    assert value is not None
    changes = {pair: 1.1 * p if p < 0.5 else 1 - 1.1 * (1 - p) for pair, p in RARE_LINKS.items()}
    more = Independent(changes)
    navigation = RARE[name]
    if isinstance(navigation, Coupled):
        changed: Navigation = Coupled(more, navigation.coupling)
    else:
        assert isinstance(navigation, Browsing)
        dials = {dial: getattr(navigation, dial) for dial in navigation.turned}
        base = navigation.navigation
        inner = Coupled(more, base.coupling) if isinstance(base, Coupled) else more
        changed = Browsing(inner, **dials)
    simulation = simulate(RARE_TASK, changed, num_users=200_000, seed=13, rare=True)
    z = (simulation.leading - value.leading)[1:] / simulation.leading_error[1:]
    assert np.abs(z).max() > norm.isf(FAMILY_WISE / 4)


@pytest.mark.parametrize("seed", [15, 16, 17])
def test_two_events_that_plain_users_never_meet(seed: int) -> None:
    """Weights then take hardly more than two values, and means must not lean on what was unseen."""
    links = Independent({("a", "b"): 5e-6, ("z", "c"): 1e-5})
    task, navigation = Task(["a", "b", "z"], ["a", "b", "c"], 300), Coupled(links, "exclusive")
    value = closed_form(task, navigation)
    assert value is not None
    simulation = simulate(task, navigation, num_users=32_000, seed=seed, rare=True)
    error = simulation.leading_error[1]
    assert 0 < error < 1e-6
    assert abs(simulation.leading[1] - value.leading[1]) < norm.isf(FAMILY_WISE / 6) * error


# --- where nobody is steered ------------------------------------------------------------------

A = Independent({("x", "a"): 1.0, ("x", "b"): 1.0})
NOTHING: dict[str, tuple[Task, Navigation]] = {
    "no links": (Task(["x", "a"], ["a", "b"], 9), Coupled(Independent({}), "exclusive")),
    "all is certain": (Task(["x"], ["a", "b"], 9), Coupled(A, "comonotone")),
    "no ranks": (Task([], ["a"], 9), Browsing(A, Beta(1, 1))),
    "nothing is rare": (
        Task(["x"], ["a", "b"], 9),
        Coupled(Independent({("x", "a"): 0.5, ("x", "b"): 0.5}), "exclusive"),
    ),
    "walks by one factor": (RARE_TASK, Browsing(Walk({("x", "a"): 1e-4}), OneFactor(0.5))),
    "need": (RARE_TASK, Browsing(PLAIN, need=[0.5, 1])),
}


@pytest.mark.parametrize("name", NOTHING)
def test_nobody_is_steered(name: str) -> None:
    assert pushed(compiled(*NOTHING[name])) is None


# Ties and bounds: equal margins, sums of exactly 1 and over 1, an element twice, one rank.
TIES: dict[str, tuple[Task, Navigation]] = {
    name: (Task(ranking, ["a", "b"], 30), Coupled(Independent(links), coupling))
    for name, ranking, links, coupling in [
        ("ties", ["x", "y"], {("x", "a"): 1e-3, ("x", "b"): 1e-3, ("y", "a"): 0.5}, "comonotone"),
        ("sum of 1", ["x"], {("x", "a"): 0.999, ("x", "b"): 0.001}, "exclusive"),
        ("over 1", ["x", "a"], {("x", "a"): 0.999, ("x", "b"): 0.9}, "exclusive"),
        ("twice", ["x", "x", "b", "b"], {("x", "a"): 1e-3, ("b", "a"): 0.999}, "exclusive"),
        ("one rank", ["a"], {("a", "b"): 1e-4}, Copula(0.5)),
        ("all but certain", ["x"], {("x", "a"): 1 - 1e-12, ("x", "b"): 1e-3}, "comonotone"),
    ]
}


@pytest.mark.parametrize("name", TIES)
def test_ties_and_bounds(name: str) -> None:
    task, navigation = TIES[name]
    value = closed_form(task, navigation)
    assert value is not None
    simulation = simulate(task, navigation, num_users=64_000, seed=14, rare=True)
    assert pushed(compiled(task, navigation)) is not None
    for measured, error, truth in (
        (simulation.leading, simulation.leading_error, value.leading),
        (simulation.consulted, simulation.consulted_error, value.consulted),
    ):
        difference = measured - truth
        assert np.abs(difference)[error < 1e-12] == pytest.approx(0, abs=1e-9)
        z = difference[error >= 1e-12] / error[error >= 1e-12]
        assert np.abs(z).max(initial=0) < norm.isf(FAMILY_WISE / 48)
