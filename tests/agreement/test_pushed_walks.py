"""Pushed walkers: the same as their plain-Python twin, and weighed so that nothing is changed."""

import numpy as np
import pytest
from numpy.typing import NDArray

from prum.analytic import closed_form
from prum.simulator import Simulation, Task, simulate
from prum.simulator.model import Links, Navigation, Walk
from prum.simulator.sampling.importance import walks as pushed_walks
from prum.simulator.sampling.importance.samplers import pushed
from prum.simulator.sampling.importance.walks import PushedWalkSampler
from prum.simulator.sampling.streams import weighted
from prum.simulator.sampling.ways.walk import WalkSampler
from tests.oracle.cases import CASES
from tests.samples import random_task
from tests.tiers import spread_random
from tests.twins.drawing import drawn
from tests.twins.pushed_paths import PushedTwin

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

USERS = 128
# Two-sided, all tests of a run of this file at one level of 1e-6.
LARGEST_Z = 6.5


def _ring(length: int, ideals: int) -> tuple[Task, Walk]:
    """Return a list of pages in a ring with some that are far from any ideal, and duplicates."""
    rng = np.random.default_rng([length, ideals])
    pages = [f"p{number:03}" for number in range(length)]
    links = {}
    for place, page in enumerate(pages):
        links[page, pages[(place + 1) % length]] = 0.6
        links[page, pages[int(rng.integers(length))]] = 0.25
    wanted = [pages[int(place)] for place in rng.permutation(length)[:ideals]]
    ranking = [pages[int(place)] for place in rng.integers(0, length, 30)]
    return Task(ranking, wanted, 5 * length), Walk(links)


def _rare() -> tuple[Task, Walk]:
    """Return a list where both ideals are seen at once by 1e-4, and one is missed by 1e-3."""
    links = {("x", "a"): 0.9, ("y", "b"): 0.99, ("a", "m"): 0.02, ("m", "b"): 0.005}
    links |= {("z", "b"): 0.9, ("z", "z"): 0.05}
    return Task(["x", "y", "z", "a"], ["a", "b"], 2_000), Walk(links)


ALL: dict[str, tuple[Task, Navigation]] = {
    **{name: case for name, case in CASES.items() if isinstance(case[1], Walk)},
    "ring": _ring(40, 6),
    "rare": _rare(),
    "no ideal is reachable": (Task(["x"], ["a"], 9), Walk({("x", "y"): 0.5, ("a", "x"): 0.5})),
    "ideals in no link": (Task(["x", "b"], ["a", "b"], 9), Walk({("x", "y"): 0.5})),
    "certain moves": (
        Task(["x", "y"], ["a", "b"], 9),
        Walk({("x", "a"): 1, ("a", "m"): 1, ("m", "b"): 0.001, ("y", "b"): 1, ("b", "y"): 0.5}),
    ),
    "one of two for certain": (
        Task(["x", "y"], ["a", "b", "c"], 9),
        Walk({("x", "m"): 1, ("m", "a"): 0.5, ("m", "b"): 0.5, ("y", "m"): 1}),
    ),
    "links to itself": (
        Task(["a", "x"], ["a", "b"], 99),
        Walk({("a", "a"): 0.7, ("a", "b"): 0.001, ("x", "x"): 0.5, ("x", "b"): 0.4}),
    ),
    "one rank, without links": (Task(["a"], ["a", "b"], 5), Walk({("x", "a"): 0.5})),
    "one rank": (Task(["x"], ["a", "b"], 5), Walk({("x", "a"): 0.01, ("a", "b"): 0.01})),
    "duplicates": (
        Task(["x", "x", "a", "x", "a"], ["a", "b"], 9),
        Walk({("x", "a"): 0.1, ("a", "b"): 0.01}),
    ),
    "no ranks": (Task([], ["a"], 5), Walk({("x", "a"): 0.5})),
    **{
        f"random {number}": random_task(np.random.default_rng([number, 18]), walk=True)
        for number in range(24)
    },
}
every = pytest.mark.parametrize("name", spread_random(5, ALL))


def _pushed(name: str) -> PushedWalkSampler | None:
    task, navigation = ALL[name]
    assert isinstance(navigation, Walk)
    return pushed(WalkSampler(task, navigation))


def _users(
    sampler: PushedWalkSampler, count: int, *, chunk: int | None = None
) -> tuple[Ints, Ints, Floats]:
    chunk = count if chunk is None else chunk
    sizes, t = [chunk] * (count // chunk), sampler.task.num_ideals
    return drawn(sampler.block(3, 1), sizes, t, weights=float)  # type: ignore[return-value]


def _z(run: Simulation, task: Task, navigation: Navigation) -> Floats:
    exact = closed_form(task, navigation)
    assert exact is not None
    measured = np.stack([run.leading - exact.leading, run.consulted - exact.consulted])
    errors = np.stack([run.leading_error, run.consulted_error])
    equal = np.abs(measured) < 1e-9
    return np.where(equal, 0, measured / np.where(errors > 0, errors, 1e-9))


@every
def test_kernel_equals_its_twin(name: str) -> None:
    sampler = _pushed(name)
    if sampler is None:
        return
    consulted, leading, weights = _users(sampler, USERS)
    twin = PushedTwin(sampler)
    counts, ratios = twin.users(3, 1, USERS)
    assert np.array_equal(consulted, counts[:, 0])
    assert np.array_equal(leading, counts[:, 1])
    assert weights == pytest.approx(weighted(ratios), rel=1e-9)


def test_the_same_in_any_chunks() -> None:
    sampler = _pushed("ring")
    assert sampler is not None
    whole, parts = _users(sampler, 256), _users(sampler, 256, chunk=32)
    assert all(np.array_equal(*both) for both in zip(whole, parts, strict=True))


@every
def test_weighed_users_agree_with_the_exact_law(name: str) -> None:
    task, navigation = ALL[name]
    run = simulate(task, navigation, num_users=8_192, seed=5, rare=True)
    assert np.abs(_z(run, task, navigation)).max() < LARGEST_Z
    sampler = _pushed(name)
    if sampler is not None:
        weights = _users(sampler, 4_096)[2]
        assert weights.max() <= 4 / 3
        assert abs(weights.mean() - 1) <= LARGEST_Z * weights.std() / 64 + 1e-12


def test_wrong_weights_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pushes of first legs twice as common as the weights say do not agree."""
    task, navigation = ALL["rare"]
    made = pushed_walks._pushes

    def wrong(*tables: object) -> object:
        pushes = made(*tables)  # type: ignore[arg-type]
        return pushes._replace(first=pushes.first * 2)

    monkeypatch.setattr(pushed_walks, "_pushes", wrong)
    run = simulate(task, navigation, num_users=40_000, seed=5, rare=True)
    assert np.abs(_z(run, task, navigation)).max() > LARGEST_Z


def test_what_is_rare_varies_less() -> None:
    task, navigation = ALL["rare"]
    plain = simulate(task, navigation, num_users=65_536, seed=6)
    rare = simulate(task, navigation, num_users=65_536, seed=6, rare=True)
    assert rare.leading_error[1] < plain.leading_error[1] / 5
    assert rare.consulted_error[1] < plain.consulted_error[1] / 4


def test_nothing_to_push_is_plain() -> None:
    for name in ("no ideal is reachable", "ideals in no link", "no ranks"):
        assert _pushed(name) is None


def test_ideals_share_classes_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushed_walks, "_MOST_NEAR", 2 * 16 * 40)
    pushed_walks._ahead.cache_clear()
    sampler = _pushed("ring")
    assert sampler is not None
    assert sampler.ahead.near.shape[2] == 2
    task, navigation = ALL["ring"]
    run = simulate(task, navigation, num_users=40_000, seed=7, rare=True)
    assert np.abs(_z(run, task, navigation)).max() < LARGEST_Z
    pushed_walks._ahead.cache_clear()


def test_links_that_sum_to_one_by_rounding() -> None:
    """Links whose sum exceeds 1 by rounding are scaled, as alias tables are."""
    third = 1 / 3 + 1e-10
    links = Links({("x", target): third for target in ("a", "b", "c")})
    task = Task(["x"], ["a", "b"], 9)
    run = simulate(task, Walk(links), num_users=4_096, seed=8, rare=True)
    assert run.leading[0] == 1
