"""One way to a value: what `precision` gives is what the roads of their own give."""

import pickle
from inspect import signature
from typing import Any

import numpy as np
import pytest

import prum
from prum.analytic import closed_form, exact_joint, prum_of, walk_within
from tests.unit.experiments.crosscheck.test_means import TASK

LINKS = {("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4}


@pytest.mark.parametrize("browsing", [prum.Independent(LINKS), prum.Walk(LINKS)])
def test_each_road_is_its_own(browsing: prum.Independent | prum.Walk) -> None:
    assert prum.precision(TASK, browsing) == prum_of(TASK, browsing)
    assert prum.precision(TASK, browsing, by="exact") == closed_form(TASK, browsing)
    of_users = prum.precision(TASK, browsing, by="simulated", num_users=1_000, seed=7)
    again = prum.simulate(TASK, browsing, num_users=1_000, seed=7)
    assert np.array_equal(of_users.precision, again.precision)
    assert of_users.num_users == 1_000


def test_the_exact_value_has_the_dependence_of_the_users() -> None:
    moves = np.zeros((4, 4))
    for (source, target), chance in LINKS.items():
        moves["cdab".index(source), "cdab".index(target)] = chance
    walked = exact_joint(walk_within(moves, [0, 1, 2, 3], [2, 3]), 0).precision
    found = prum.precision(TASK, prum.Walk(LINKS), by="exact").precision
    assert np.abs(found - walked).max() < 1e-12
    apart = np.abs(found - prum.precision(TASK, LINKS, by="exact").precision)
    assert apart.max() > 0.1


@pytest.mark.parametrize(
    ("browsing", "by", "told"),
    [
        (LINKS, "exakt", "by is 'exakt', must be one of prum, exact, simulated; did you mean"),
        (LINKS, None, "by is None, must be one of prum, exact, simulated; choose one of them"),
        ("links.csv", "prum", "navigation is 'links.csv', must be links, or a navigation; give "),
    ],
)
def test_what_is_none_is_refused(browsing: object, by: object, told: str) -> None:
    with pytest.raises(prum.InputError) as caught:
        prum.precision(TASK, browsing, by)
    assert str(caught.value).startswith(told)


def test_simulated_users_take_links_and_refuse_those_that_touch_nothing() -> None:
    """As `precision`; the engine that is wrapped takes whatever it is given."""
    of_links = prum.simulate(TASK, LINKS, num_users=100, seed=1)
    assert of_links == prum.simulator.simulate(TASK, prum.Independent(LINKS), num_users=100, seed=1)
    off: Any
    for off in ({("Hub", "guide"): 0.5}, prum.Walk({("Hub", "guide"): 0.5})):
        with pytest.raises(prum.InputError, match="links") as caught:
            prum.simulate(TASK, off, num_users=100, seed=1)
        with pytest.raises(prum.InputError) as same:
            prum.precision(TASK, off)
        assert str(caught.value) == str(same.value)
    assert signature(prum.simulate) == signature(prum.simulator.simulate)
    assert pickle.loads(pickle.dumps(prum.simulate)) is prum.simulate


def test_where_there_is_no_closed_form_nothing_takes_its_place() -> None:
    ideals = [f"ideal{number}" for number in range(20)]
    task = prum.Task(["x"], ideals, 30)
    walk = prum.Walk({("x", ideal): 0.04 for ideal in ideals})
    with pytest.raises(prum.InputError, match="no closed form; take 'simulated'"):
        prum.precision(task, walk, by="exact")
    assert prum.precision(task, walk, by="simulated", num_users=100).num_ideals == 20
