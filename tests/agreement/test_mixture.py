"""Users of several types: kernel and twin, enumeration, naive walker, closed form, sessions."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from prum.analytic import (
    closed_form,
    consulted_pmf,
    consulted_quantiles,
    reach_matrix,
)
from prum.analytic.precision.gradient import AS_INDEPENDENT, link_gradient
from prum.experiments.crosscheck.verb import crosscheck
from prum.simulator import Browsing, Coupled, Independent, Mixture, Task, Walk, play, simulate
from prum.simulator.model import ListCosts, Navigation
from prum.simulator.sampling.measured.comparison import compare_lists
from prum.simulator.sampling.streams import BLOCK
from prum.simulator.sampling.ways.samplers import compiled
from prum.simulator.sessions.engine import simulate_sessions
from tests.judging import judge, quantities
from tests.oracle.enumeration import expectations
from tests.oracle.naive import naive_users
from tests.samples import floats, random_task
from tests.tiers import slow
from tests.twins.drawing import drawn
from tests.twins.independent import reference_users

# P(any false alarm in one test of this file), whatever the seed.
FAMILY_WISE = 1e-6
SHARES = (0.25, 0.6, 0.15)

Case = tuple[Task, Mixture]


def _case(seed: int) -> Case:
    """Return a small task, and types who walk, toss, or browse by dials, some of them alike."""
    walk = bool(seed % 2)
    task, first = random_task(np.random.default_rng([seed, 20]), walk=walk)
    assert isinstance(first, Independent | Walk)
    less = {(x, y): p * 0.4 for x, y, p in first.links}
    second = Walk(less) if walk else Coupled(Independent(less), "comonotone")
    third = Browsing(first, fading=0.5, need=[0.3, 1]) if seed % 3 else first
    return task, Mixture(SHARES, [first, second, third])


CASES = [_case(seed) for seed in range(30)]
# Two types whose mean, drawn anew at each element, is another user.
APART: Case = (
    Task(["x", "u", "v"], ["a", "b"], 40),
    Mixture(
        [0.5, 0.5],
        [
            Walk({("x", "a"): 0.9, ("u", "b"): 0.9, ("v", "a"): 0.9}),
            Walk({("x", "b"): 0.1, ("v", "a"): 0.1}),
        ],
    ),
)


@pytest.mark.parametrize("sampled", [True, False], ids=["sampled", "expected"])
def test_kernels_and_twins_give_the_same_users(sampled: bool) -> None:
    for task, mixture in CASES[:12]:
        if not sampled:
            plain = [way for way in mixture.navigations if not isinstance(way, Browsing)]
            mixture = Mixture([1 / len(plain)] * len(plain), plain)
        twin = reference_users(task, mixture, num_users=200, seed=4, sampled=sampled)
        block = compiled(task, mixture).block(4, 0, sampled=sampled)
        users = drawn(block, [1, 129, 70], task.num_ideals)
        assert [x.tolist() for x in users] == [x.tolist() for x in twin]


def test_closed_forms_are_those_of_the_enumeration() -> None:
    for task, mixture in CASES:
        truths = [expectations(task, way) for way in mixture.navigations]
        value = closed_form(task, mixture)
        assert value is not None
        for name in ("leading", "consulted"):
            mean = [
                sum(
                    (
                        Fraction(share).limit_denominator(100) * getattr(e, name)
                        for share, e in zip(SHARES, of_r, strict=True)
                    ),
                    Fraction(0),
                )
                for of_r in zip(*truths, strict=True)
            ]
            assert getattr(value, name) == pytest.approx(floats(mean), rel=1e-12)


def test_the_law_of_depths_has_the_means_of_the_closed_form() -> None:
    for task, mixture in CASES:
        value, pmf = closed_form(task, mixture), consulted_pmf(task, mixture)
        assert value is not None
        assert pmf is not None
        depths = np.arange(pmf.shape[1])
        assert pmf.sum(axis=1) == pytest.approx(1, rel=1e-12)
        assert pmf @ depths == pytest.approx(value.consulted, rel=1e-12)
        deviation = np.sqrt(np.maximum(pmf @ depths**2 - (pmf @ depths) ** 2, 0))
        assert value.consulted_deviation == pytest.approx(deviation, rel=1e-9, abs=1e-5)
        medians = consulted_quantiles(task, mixture, [0.5])
        assert medians is not None
        reached = np.take_along_axis(pmf.cumsum(axis=1), medians.T, axis=1)
        assert (reached >= 0.5 - 1e-12).all()


def test_users_agree_with_the_closed_form() -> None:
    cases = [
        quantities(closed_form(*case), simulate(*case, num_users=50_000, seed=41)) for case in CASES
    ]
    judged, num_tested = judge(cases, FAMILY_WISE)
    assert "disagrees" not in {verdict for one in judged for verdict in one.verdicts}
    assert num_tested > 50


def _z(case: Case, played: Mixture | Navigation) -> float:
    """Return the largest z of C and CL of simulated users of a case and naive ones of another."""
    task, mixture = case
    simulation = simulate(task, mixture, num_users=200_000, seed=42)
    rng = np.random.default_rng(43)
    ways, shares = (
        (played.navigations, played.shares) if isinstance(played, Mixture) else ((played,), (1.0,))
    )
    counts = rng.multinomial(8_000, shares)
    parts = [naive_users(task, way, n, rng) for way, n in zip(ways, counts, strict=True) if n]
    largest = 0.0
    for of, name in enumerate(("consulted", "leading")):
        naive = np.concatenate([part[of] for part in parts])
        errors = naive.std(axis=0) / len(naive) ** 0.5, getattr(simulation, f"{name}_error")
        apart = np.abs(naive.mean(axis=0) - getattr(simulation, name))
        error = np.hypot(*errors)
        largest = max([largest, *(apart[error > 0] / error[error > 0]).tolist()])
        assert apart[error == 0] == pytest.approx(0, abs=1e-9)
    return largest


def test_naive_users_of_each_type_agree_and_others_are_rejected() -> None:
    """Controls: shares a tenth off, and users whose type is drawn anew at each element."""
    _, mixture = APART
    most = float(norm.isf(FAMILY_WISE / 2 / 4))
    assert _z(APART, mixture) < most
    assert _z(APART, Mixture([0.6, 0.4], mixture.navigations)) > most
    assert _z(APART, Walk(mixture.links)) > most


def test_expected_draws_agree_with_the_closed_form() -> None:
    value = closed_form(*APART)
    assert value is not None
    z = []
    for seed in range(20):
        users = simulate(*APART, num_users=4_096, seed=seed, unranked="expected")
        z.append((users.consulted - value.consulted) / users.consulted_error)
        z.append((users.precision - value.precision) / users.precision_error)
    assert np.abs(z).max() < norm.isf(FAMILY_WISE / 2 / np.size(z))
    # The errors are what varies from seed to seed: chi squared with 20 degrees.
    assert 0.05 < np.mean(np.square(z)) < 3.5


def test_results_do_not_depend_on_threads_or_parts() -> None:
    whole = simulate(*APART, num_users=2 * BLOCK + 5, seed=5, threads=1)
    assert simulate(*APART, num_users=2 * BLOCK + 5, seed=5, threads=3) == whole
    first = simulate(*APART, num_users=BLOCK + 1, seed=5)
    assert first + simulate(*APART, num_users=BLOCK + 4, seed=5, first_user=BLOCK + 1) == whole


def test_one_type_is_no_mixture() -> None:
    task, mixture = APART
    alone = mixture.navigations[0]
    single = simulate(task, Mixture([1], [alone]), num_users=1000, seed=1)
    assert single.tally == simulate(task, alone, num_users=1000, seed=1).tally


def test_users_have_the_same_type_in_every_list_and_every_engine() -> None:
    task, mixture = APART
    other = Task(["annex", *task.ranking], task.ideals, 41)
    paired = compare_lists(task, other, mixture, num_users=5_000, seed=1)
    assert (paired.error < 0.5 * paired.unpaired_error).all()
    # Everybody of one type sees all at once, nobody of the other sees anything.
    every = Task(["x"], ["a"], 2)
    types = Mixture([0.3, 0.7], [Walk({("x", "a"): 1}), Walk({("x", "b"): 1})])
    consulted, _ = drawn(compiled(every, types).block(3, 0, sampled=True), [50], 1)
    played = [play(every, types, user=user, seed=3).consulted for user in range(50)]
    assert played == consulted[:, 0].tolist()
    assert set(played) == {1, 2}
    task, dialled = CASES[1]
    sessions = simulate_sessions(task, dialled, num_users=2_000, seed=2)
    value = closed_form(task, dialled)
    assert value is not None
    assert (np.abs(sessions.consulted - value.consulted) <= 6 * sessions.consulted_error).all()


def test_reach_is_the_mean_and_what_is_certain_stays_so() -> None:
    thirds = [0.1, 0.2, 0.7]
    task = Task(["x", "a"], ["a", "b"], 2 + 1)
    ways = [Independent({("x", "a"): p, ("x", "b"): 1.0}) for p in (0.1, 0.4, 0.9)]
    reach = reach_matrix(task, Mixture(thirds, ways))
    assert reach.toarray()[0] == pytest.approx([0.72, 1.0])
    assert reach.toarray()[1].tolist() == [1.0, 0.0]
    assert reach[0, 1] == 1
    gradient = link_gradient(task, Mixture(thirds, ways))
    assert gradient.method == AS_INDEPENDENT
    assert gradient.probabilities[0, 0] == pytest.approx(0.72)


@slow
def test_costs_and_the_whole_crosscheck() -> None:
    task, mixture = APART
    checked = crosscheck(
        task, mixture, num_users=100_000, seed=1, quantiles=[0.5], costs=ListCosts([3, 1, 2], 2.0)
    )
    assert checked.verdict == "agrees"
    assert checked.cases[0].navigation == "mixture of walk, walk"
    wrong = crosscheck(
        task,
        mixture,
        num_users=100_000,
        seed=1,
        simulate=lambda task, _, **more: simulate(task, Walk(mixture.links), **more),
    )
    assert wrong.verdict == "disagrees"
