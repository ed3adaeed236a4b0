"""Populations: what they are equal to, what is refused, and what degenerate ones come to."""

import pickle
from collections.abc import Callable

import pytest

from prum.simulator import (
    Beta,
    Browsing,
    Independent,
    InputError,
    OneFactor,
    Task,
    Types,
    simulate,
)
from prum.simulator.model.population import Population

TABLE = {("x", "a"): 0.5, ("x", "b"): 0.25}
LAWS: list[Population] = [
    Types([0.5, 0.5], [0, 1]),
    Types([0.25, 0.25, 0.5], [0.1, 0.1, 0.1]),
    Beta(2, 0.5),
    OneFactor(0.3),
    OneFactor(0),
]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_plain_data(law: Population) -> None:
    assert eval(repr(law)) == law
    assert pickle.loads(pickle.dumps(law)) == law
    assert hash(eval(repr(law))) == hash(law)


def test_the_key_is_of_the_content() -> None:
    laws = [*LAWS, Beta(1, 1), Beta(0.5, 2), Types([1], [0.1]), OneFactor(0.4), None]
    keys = {Browsing(Independent(TABLE), law).key for law in laws}
    other = Browsing(Independent({("x", "a"): 0.5}), Beta(1, 1))
    assert len({*keys, other.key, Independent(TABLE).key}) == len(laws) + 2


def test_means() -> None:
    assert (Beta(3, 1).mean, Types([0.25, 0.75], [0, 1]).mean) == (0.75, 0.75)
    assert OneFactor(0.9).mean == 1


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (
            lambda: Types([0.5, 0.6], [0, 1]),
            "sum of weights is 1.1, must be 1; divide them by their sum",
        ),
        (
            lambda: Types([0.5, 0.5], [0]),
            r"factors is \(0.0,\), must be as many as the 2 weights; give each kind of user",
        ),
        (lambda: Types([1], [1.5]), r"factors\[0\] is 1.5, must lie in \[0, 1\]; give a share"),
        (lambda: Types([1.5, -0.5], [1, 1]), r"weights\[0\] is 1.5, must lie in \[0, 1\]"),
        (lambda: Types([0.5, float("nan")], [1, 1]), r"weights\[1\] is nan, must lie in"),
        (lambda: Types([], []), r"weights is \[\], must be several numbers"),
        (lambda: Types("1", "1"), "weights is '1', must be several numbers"),  # type: ignore[arg-type]
        (lambda: Types(1, 1), "weights is 1, must be several numbers"),  # type: ignore[arg-type]
        (lambda: Beta(0, 1), "a of beta is 0, must be positive and finite; try 1"),
        (lambda: Beta(1, float("inf")), "b of beta is inf, must be positive and finite; try 1"),
        (lambda: Beta(1, "two"), "b of beta is 'two', must be positive and finite"),  # type: ignore[arg-type]
        (lambda: OneFactor(1), "rho is 1.0, must be below 1; take .999, say"),
        (lambda: OneFactor(-0.1), r"rho is -0.1, must lie in \[0, 1\]; give a correlation from 0"),
        (lambda: OneFactor(True), r"rho is True, must lie in \[0, 1\]"),
    ],
)
def test_what_is_refused(make: Callable[[], object], told: str) -> None:
    with pytest.raises(InputError, match=f"^{told}"):
        make()


def test_degenerate_populations() -> None:
    links = Independent({("x", "a"): 1.0, ("x", "b"): 1.0})
    task = Task(["x", "b"], ["a", "b"], 2 + 1)
    nobody = simulate(task, Browsing(links, Types([1], [0])), num_users=100, seed=1)
    assert nobody.consulted.tolist() == [2.0, 3.0]
    everybody = simulate(task, Browsing(links, Types([1], [1])), num_users=100, seed=1)
    assert everybody.consulted.tolist() == [1.0, 1.0]
    half = simulate(task, Browsing(links, Types([0.5, 0.5], [0, 1])), num_users=40_000, seed=1)
    assert half.consulted == pytest.approx([1.5, 2.0], abs=0.02)
    empty = simulate(Task([], ["a"], 3), Browsing(links, Beta(1, 1)), num_users=20_000, seed=1)
    assert empty.consulted == pytest.approx([2.0], abs=0.05)
    certain = simulate(task, Browsing(links, OneFactor(0.9)), num_users=100, seed=1)
    assert certain.consulted.tolist() == [1.0, 1.0]
