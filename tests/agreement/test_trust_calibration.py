"""What `trust` says is held against users that it is not told of, whose truth is enumerated.

`python -m tests.reliability.trust` measures many worlds; here are the enumeration, controls, and a
few worlds.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

from prum.analytic import exact
from tests.reliability.dependent_users import Floats, Users, tossed
from tests.reliability.made_worlds import MADE, Topic, World, made_world
from tests.reliability.trust import (
    ANY,
    CLEAR,
    KEPT_BY_BOUNDS,
    MEAN,
    NEVER_FALSE,
    ORDERS,
    TRUSTED,
    claims_of,
    is_false,
)
from tests.tiers import slow

LEVEL, USERS = 1e-3, 400
NUM_WORLDS = 20


def list_of(kind: str) -> tuple[Topic, list[str], int]:
    """Return a topic of users who browse readily, a list, and how many elements are behind it."""
    rng = np.random.default_rng(3)
    topic = MADE[kind](rng, "strong", [f"e{number}" for number in range(12)], 1.0)
    ranking = rng.permutation([*topic.pool, "n"]).tolist()[:6]
    return topic, ranking, 12


def z_of(topic: Topic, ranking: list[str], unranked: int, expected: Users) -> Floats:
    """Return z of users who are followed one by one, beside what is enumerated of `expected`."""
    drawn = topic.users.drawn(ranking, unranked, num_users=USERS, seed=1)
    scores = []
    for each, mean in zip(drawn, expected.counts(ranking, unranked), strict=True):
        error = each.std(axis=0, ddof=1) / USERS**0.5
        off = each.mean(axis=0) - mean
        assert np.abs(off[error == 0]).max(initial=0) < 1e-9
        scores.append(off[error > 0] / error[error > 0])
    return np.concatenate(scores)


@pytest.mark.parametrize("kind", MADE)
def test_users_are_enumerated_as_they_browse(kind: str) -> None:
    topic, ranking, unranked = list_of(kind)
    scores = z_of(topic, ranking, unranked, topic.users)
    assert np.abs(scores).max() < norm.isf(LEVEL / 2 / len(MADE) / len(scores))


def test_users_who_depend_on_something_are_not_independent() -> None:
    """Negative control: the same users beside independent ones of the same P(x -> y)."""
    topic, ranking, unranked = list_of("one latent")
    scores = z_of(topic, ranking, unranked, topic.users.independent())
    assert np.abs(scores).max() > norm.isf(LEVEL / 2 / len(MADE) / len(scores))


@pytest.mark.parametrize("kind", MADE)
def test_independent_users_are_enumerated_as_exact_has_them(kind: str) -> None:
    topic, ranking, unranked = list_of(kind)
    none = np.zeros(len(topic.ideals))
    users = topic.users
    reach = np.array([users.reach(one) if one in users.sees else none for one in ranking])
    expected = exact(np.clip(reach, 0, 1), unranked)
    found = users.independent().precision(ranking, unranked)
    np.testing.assert_allclose(found, expected.precision, rtol=1e-12)


def gates(p: float, num_ideals: int, *, dependent: bool) -> World:
    """Return a system that ranks a gate to all ideals first, and one with a likelier way to one.

    If visits are independent, nearly everybody sees some ideal from the gate; if they depend on
    one demand, only a share p does.
    """
    names = [f"i{number}" for number in range(num_ideals)]
    states = 100
    demand = (np.arange(states) + 0.5) / states
    follows = np.repeat((demand < p)[:, np.newaxis], num_ideals, axis=1).astype(np.float64)
    aside = np.zeros((states, num_ideals))
    aside[:, 0] = 1 - (1 - p) ** 2
    sees = {"gate": tossed(follows), "aside": tossed(aside)}
    for number, name in enumerate(names):
        itself = np.zeros((states, num_ideals))
        itself[:, number] = 1
        sees[name] = tossed(itself)
    users = Users(np.full(states, 1 / states), 1.0, sees)
    topic = Topic(tuple(names), tuple(sees), users if dependent else users.independent())
    runs = {
        "hub": {"q": ["gate", "n", "m", "k"]},
        "direct": {"q": ["aside", "n", "m", "k"]},
    }
    kind = "turning" if dependent else "independent"
    return World(kind, "strong", {"q": topic}, runs, 40)


TURNING = [(p, t) for p in (0.3, 0.4, 0.5, 0.6) for t in (3, 4)]


def test_orders_that_truly_turn_are_never_called_kept() -> None:
    """Negative control: a `trust` that called each order kept would be false every time."""
    for p, num_ideals in TURNING:
        world = gates(p, num_ideals, dependent=True)
        rows = {row.claim: row for row in claims_of(world, 0)}
        assert "kept" not in rows
        (row,) = (rows[name] for name in ("turns", "undecided") if name in rows)
        assert row.said > CLEAR
        assert row.true < -CLEAR
        assert is_false("kept", row.true)
        assert not row.is_false


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    worlds = enumerate(made_world(number, 7, MADE) for number in range(NUM_WORLDS))
    return pd.DataFrame([row for number, world in worlds for row in claims_of(world, number)])


@slow
def test_bounds_are_never_left(rows: pd.DataFrame) -> None:
    own = rows[rows.claim.isin(NEVER_FALSE)]
    assert {*own.claim} >= {ANY, KEPT_BY_BOUNDS}
    assert not own.is_false.any()


@slow
def test_what_is_said_is_seldom_false_and_often_said(rows: pd.DataFrame) -> None:
    """The shares that the documentation prints, with what so few worlds may be off."""
    for claim, most in {"kept": 0.02, MEAN: 0.07}.items():
        own = rows[rows.claim == claim]
        assert own.is_false.sum() <= binom.ppf(1 - LEVEL, len(own), most)
    orders = rows[rows.claim.isin(ORDERS)]
    assert (orders.claim == "kept").mean() > 0.5
    assert (rows.claim == TRUSTED).any()
