"""Coupled navigation and the names of navigations: what they are equal to, and what is refused."""

import pickle

import pytest

from prum.simulator import Copula, Coupled, Independent, InputError, Links, Task, Walk, simulate

TABLE = {("x", "a"): 0.5, ("x", "b"): 0.25}
COUPLED = Coupled(Independent(TABLE), "exclusive")
TASK = Task(["x", "a"], ["a", "b"], 5)


@pytest.mark.parametrize("value", [COUPLED, Coupled(Independent(TABLE), Copula(0.5)), Copula(1)])
def test_plain_data(value: Coupled | Copula) -> None:
    assert eval(repr(value)) == value
    assert pickle.loads(pickle.dumps(value)) == value


def test_the_key_is_of_the_content() -> None:
    others = [
        Independent(TABLE),
        COUPLED,
        Coupled(Independent(TABLE), "comonotone"),
        Coupled(Independent(TABLE), Copula(0.5)),
        Coupled(Independent(TABLE), Copula(0.25)),
        Coupled(Independent({**TABLE, ("x", "b"): 0.26}), "exclusive"),
    ]
    assert len({other.key for other in others}) == len(others)
    assert Coupled(Independent(Links(TABLE)), "exclusive").key == COUPLED.key


def test_margins_are_those_of_the_table() -> None:
    for mine, theirs in zip(COUPLED.reach(TASK), Independent(TABLE).reach(TASK), strict=True):
        assert mine.tolist() == theirs.tolist()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Coupled(Independent(TABLE), "together"), "coupling is 'together', must be one of"),
        (lambda: Coupled(Independent(TABLE), 0.5), "coupling is 0.5, must be one of"),
        (
            lambda: Coupled(Walk(TABLE), "exclusive"),
            "navigation to couple is Walk.*, must be In",
        ),
        (lambda: Copula(1.5), "rho is 1.5, must lie in"),
    ],
)
def test_what_is_refused(make: object, told: str) -> None:
    assert callable(make)
    with pytest.raises(InputError, match=told):
        make()


def test_no_dependence_is_independence() -> None:
    free = simulate(TASK, Independent(TABLE), num_users=1_000, seed=1)
    for coupling in ("independent", Copula(0)):
        same = simulate(TASK, Coupled(Independent(TABLE), coupling), num_users=1_000, seed=1)  # type: ignore[arg-type]
        assert same.tally == free.tally


@pytest.mark.parametrize("coupling", ["exclusive", "comonotone", Copula(0.5)])
def test_degenerate_tasks(coupling: object) -> None:
    nothing = Coupled(Independent({}), coupling)  # type: ignore[arg-type]
    empty = simulate(Task([], ["a"], 3), nothing, num_users=20_000, seed=1)
    assert empty.consulted == pytest.approx([2.0], abs=0.05)
    ranked = simulate(Task(["a"], ["a"], 1), nothing, num_users=10, seed=1)
    assert ranked.consulted.tolist() == [1.0]
    sure = Coupled(Independent({("x", "a"): 1.0, ("x", "b"): 1.0}), coupling)  # type: ignore[arg-type]
    both = simulate(Task(["x"], ["a", "b"], 9), sure, num_users=10, seed=1)
    assert both.consulted.tolist() == [1.0, 1.0]
    impossible = Coupled(Independent({("x", "a"): 0.0}), coupling)  # type: ignore[arg-type]
    none = simulate(Task(["x"], ["a"], 2), impossible, num_users=10, seed=1)
    assert none.consulted.tolist() == [2.0]
