"""Users of several types: the law of C(r), and the same type in every list and engine."""

import numpy as np
import pytest

from prum.analytic import (
    closed_form,
    consulted_pmf,
    reach_matrix,
)
from prum.simulator import (
    Independent,
    Mixture,
    Task,
    Walk,
    play,
)
from prum.simulator.sampling.ways.samplers import compiled
from prum.simulator.sessions.engine import simulate_sessions
from tests.agreement.test_engines import mixed
from tests.twins.drawing import drawn

CASES = [mixed(number) for number in range(30)]


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


def test_users_have_the_same_type_in_every_list_and_every_engine() -> None:
    # Everybody of one type sees all at once, nobody of the other sees anything.
    every = Task(["x"], ["a"], 2)
    types = Mixture([0.3, 0.7], [Walk({("x", "a"): 1}), Walk({("x", "b"): 1})])
    consulted, _ = drawn(compiled(every, types).block(3, 0, sampled=True), [50], 1)
    played = [play(every, types, user=user, seed=3).consulted for user in range(50)]
    assert played == consulted[:, 0].tolist()
    assert set(played) == {1, 2}
    task, dialled = CASES[1]
    sessions = simulate_sessions(task, dialled, num_users=500, seed=2)
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
