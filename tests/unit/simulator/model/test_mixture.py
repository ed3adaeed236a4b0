"""Mixtures of types: what they hold, and what is refused."""

import pytest

from prum.analytic import NoWalkError, closed_form, reach_matrix, walk_of
from prum.simulator import simulate
from prum.simulator.model import (
    Browsing,
    Covering,
    Independent,
    InputError,
    ListCosts,
    Mixture,
    Task,
    Walk,
)
from prum.simulator.model.kinds import kind_of

FIRST, SECOND = Walk({("x", "a"): 0.75}), Walk({("x", "a"): 0.25, ("x", "b"): 0.5})


def test_what_it_holds() -> None:
    mixture = Mixture(iter([0.25, 0.75]), iter([FIRST, SECOND]))
    assert eval(repr(mixture)) == mixture
    assert hash(mixture) == hash(Mixture([0.25, 0.75], [FIRST, SECOND]))
    keys = {Mixture(shares, [FIRST, SECOND]).key for shares in ([0.25, 0.75], [0.75, 0.25])}
    assert len(keys | {Mixture([0.75, 0.25], [SECOND, FIRST]).key, mixture.key}) == 3
    assert {(x, y): p for x, y, p in mixture.links} == {("x", "a"): 0.375, ("x", "b"): 0.375}
    assert kind_of(Mixture([1], [Browsing(FIRST, fading=0.5)])) == "mixture of walk + fading 0.5"
    assert len(Mixture([1], [Independent({})]).links) == 0


def test_dials_are_those_of_each_type() -> None:
    mixture = Mixture([0.5, 0.5], [FIRST, SECOND])
    with pytest.raises(InputError, match="and each type of a Mixture its own"):
        Browsing(mixture, fading=0.5)  # type: ignore[arg-type]
    task = Task(["x", "a"], ["a"], 3)
    needs = Mixture([0.5, 0.5], [Browsing(FIRST, need=[0.5, 1]), SECOND])
    two = Task(["x", "a"], ["a", "b"], 3)
    with pytest.raises(InputError, match="must be left out where users browse by their need"):
        simulate(two, needs, num_users=9, seed=1, costs=ListCosts([1, 2], 1))
    with pytest.raises(InputError, match=r"mixture is Mixture.*must be of types without dials"):
        walk_of(task, needs)
    with pytest.raises(InputError, match="must be Independent, Coupled, Walk, Browsing, Mixture"):
        simulate(task, "walk", num_users=9, seed=1)  # type: ignore[arg-type]
    assert not isinstance(mixture, Covering)


def test_the_walk_of_a_mixture_has_its_reach() -> None:
    task, mixture = Task(["x", "a"], ["a", "b"], 3), Mixture([0.5, 0.5], [FIRST, SECOND])
    walk = walk_of(task, mixture)
    assert reach_matrix(task, walk).toarray() == pytest.approx(
        reach_matrix(task, mixture).toarray()
    )
    whirl = Walk({("x", "a"): 1, ("a", "b"): 1}), Walk({("x", "b"): 1, ("b", "a"): 1})
    with pytest.raises(NoWalkError):
        walk_of(task, Mixture([0.5, 0.5], whirl))


def test_no_closed_form_where_a_type_has_none() -> None:
    task = Task([f"x{k}" for k in range(20)], [f"a{k}" for k in range(20)], 50)
    walk = Walk({(f"x{k}", f"a{k}"): 0.5 for k in range(20)})
    assert closed_form(task, walk) is None
    assert closed_form(task, Mixture([0.5, 0.5], [Independent({}), walk])) is None
