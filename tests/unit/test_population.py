"""Populations: what they are equal to, what is refused, and what degenerate ones come to."""

import pickle
from collections.abc import Callable

import pytest

from prum.simulator import (
    Beta,
    Independent,
    InputError,
    Links,
    Population,
    Task,
    Types,
    Walk,
    simulate,
)
from prum.simulator.model.kinds import kind_of, navigation_of

TABLE = {("x", "a"): 0.5, ("x", "b"): 0.25}
TASK = Task(["x", "a"], ["a", "b"], 5)


@pytest.mark.parametrize(
    "value", [Types([0.5, 0.5], [0, 1]), Beta(2, 0.5), Population(Independent(TABLE), Beta(1, 1))]
)
def test_plain_data(value: object) -> None:
    assert eval(repr(value)) == value
    assert pickle.loads(pickle.dumps(value)) == value


def test_the_key_is_of_the_content() -> None:
    laws = [Beta(1, 1), Beta(1, 2), Types([1], [0.5]), Types([0.5, 0.5], [0.5, 0.5])]
    populations = [Population(Independent(TABLE), law) for law in laws]
    other = Population(Independent({("x", "a"): 0.5}), Beta(1, 1))
    assert len({one.key for one in (*populations, other, Independent(TABLE))}) == 6


def test_margins_are_means_over_users() -> None:
    population = Population(Independent({**TABLE, ("x", "a"): 1.0}), Types([0.5, 0.5], [0, 0.5]))
    ranks, ideals, probabilities = population.reach(TASK)
    entries = zip(ranks.tolist(), ideals.tolist(), probabilities.tolist(), strict=True)
    # The ideal's own rank is no browsing.
    assert sorted(entries) == [(0, 0, 0.25), (0, 1, 0.0625), (1, 0, 1.0)]
    assert (Beta(3, 1).mean, Types([0.25, 0.75], [0, 1]).mean) == (0.75, 0.75)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Types([0.5, 0.6], [0, 1]), "sum of weights is 1.1, must be 1"),
        (lambda: Types([0.5, 0.5], [0]), "factors is .*, must be as many as the 2 weights"),
        (lambda: Types([1], [1.5]), r"factors\[0\] is 1.5, must lie in"),
        (lambda: Types([], []), "weights is .*, must hold a number"),
        (lambda: Types(1, 1), "weights is 1, must be several numbers"),  # type: ignore[arg-type]
        (lambda: Beta(0, 1), "a is 0, must be positive and finite"),
        (lambda: Beta(1, float("inf")), "b is inf, must be positive and finite"),
        (lambda: Population(Walk(TABLE), Beta(1, 1)), "navigation of a population is Walk"),  # type: ignore[arg-type]
        (lambda: Population(Independent(TABLE), 0.5), "propensity is 0.5, must be Types or Beta"),  # type: ignore[arg-type]
        (lambda: navigation_of("beta 1", Links(TABLE)), "navigation is 'beta 1', must be one of"),
        (lambda: navigation_of("beta 0 1", Links(TABLE)), "a is 0.0, must be positive"),
        (
            lambda: simulate(
                TASK,
                Population(Independent(TABLE), Beta(1, 1)),
                num_users=10,
                seed=1,
                stratified=True,
            ),
            "stratified is True, must be False for a population",
        ),
    ],
)
def test_what_is_refused(make: Callable[[], object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        make()


def test_names_of_kinds_read_back() -> None:
    for name in ("beta 2.0 0.5", "beta 1.0 1.0"):
        assert kind_of(navigation_of(name, Links(TABLE))) == name
    assert kind_of(navigation_of("beta 2 .5", Links(TABLE))) == "beta 2.0 0.5"


def test_degenerate_populations() -> None:
    links = Independent({("x", "a"): 1.0, ("x", "b"): 1.0})
    task = Task(["x", "b"], ["a", "b"], 2 + 1)
    nobody = simulate(task, Population(links, Types([1], [0])), num_users=100, seed=1)
    assert nobody.consulted.tolist() == [2.0, 3.0]
    everybody = simulate(task, Population(links, Types([1], [1])), num_users=100, seed=1)
    assert everybody.consulted.tolist() == [1.0, 1.0]
    half = simulate(task, Population(links, Types([0.5, 0.5], [0, 1])), num_users=40_000, seed=1)
    assert half.consulted == pytest.approx([1.5, 2.0], abs=0.02)
    empty = simulate(Task([], ["a"], 3), Population(links, Beta(1, 1)), num_users=20_000, seed=1)
    assert empty.consulted == pytest.approx([2.0], abs=0.05)


def test_any_cut_and_threads_give_the_same_users() -> None:
    population = Population(Independent(TABLE), Beta(0.5, 2))
    whole = simulate(TASK, population, num_users=40_000, seed=3, threads=2)
    parts = [
        simulate(TASK, population, num_users=20_000, first_user=first, seed=3, threads=1)
        for first in (0, 20_000)
    ]
    assert parts[0] + parts[1] == whole
