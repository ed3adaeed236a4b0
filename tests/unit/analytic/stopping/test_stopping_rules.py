"""Stopping rules against plain enumeration of what all users do, and C/W/L against its own laws."""

import itertools
import math

import numpy as np
import pytest

from prum.analytic.stopping.rules import stopped
from prum.analytic.utility.cwl import DepthLaw
from prum.simulator.model import InputError
from prum.simulator.model.costs import Constant, Exponential
from prum.simulator.model.stopping import (
    Budget,
    Found,
    Fruitless,
    Patience,
    Persistence,
    Ranks,
    Stopping,
)


def histories(reach, u):
    """Yield (probability, [ideals seen from each element in turn]) of all users, one by one."""
    o, t = len(reach), len(reach[0]) if reach else 0
    for visits in itertools.product((0, 1), repeat=o * t):
        probability = 1.0
        shown = [set() for _ in range(o)]
        for k, visit in enumerate(visits):
            p = reach[k // t][k % t]
            probability *= p if visit else 1 - p
            if visit:
                shown[k // t].add(k % t)
        if probability == 0:
            continue
        unseen = set(range(t)).difference(*shown)
        orders = set(itertools.permutations([*unseen, *[None] * (u - len(unseen))]))
        for order in orders:
            yield (
                probability / len(orders),
                shown + [set() if element is None else {element} for element in order],
            )


def enumerated(reach, u, stops):
    """Return E[C], E[CL], E[F_C]; stops(depth, numbers new so far) is P(stop there)."""
    consulted = leading = found = 0.0
    for probability, shown in histories(reach, u):
        seen, new = set(), []
        for depth, ideals in enumerate(shown, start=1):
            consulted += probability
            new.append(len(ideals - seen))
            seen |= ideals
            leading += probability * (new[-1] > 0)
            found += probability * new[-1]
            probability *= 1 - stops(depth, new)
            if probability == 0:
                break
    return consulted, leading, found


CASES = [
    ([[0.4, 0.4], [0.6, 0.4], [1.0, 0.0], [0.0, 1.0]], 0),
    ([[0.4, 0.4], [0.6, 0.4], [1.0, 0.0], [0.0, 1.0]], 2),
    ([[0.3, 0.0, 0.6], [0.0, 0.5, 0.2], [0.0, 0.0, 0.0]], 5),
    ([[0.3, 0.0, 0.0], [0.1, 0.0, 0.2]], 4),
    ([[1.0, 1.0]], 3),
]

RULES = [
    (Found(1), lambda _, new: sum(new) >= 1),
    (Found(2), lambda _, new: sum(new) >= 2),
    (Found(9), lambda _, new: sum(new) >= 9),
    (Persistence(0.7), lambda *_: 0.3),
    (Persistence(0.0), lambda *_: 1.0),
    (
        Ranks([0.2, 0.0, 0.3, 0.1]),
        lambda depth, _: {1: 0.2, 3: 0.3 / 0.8, 4: 0.1 / 0.5}.get(depth, 0.0),
    ),
    (Ranks([0.5, 0.5]), lambda depth, _: {1: 0.5}.get(depth, 1.0)),
    (Fruitless(1), lambda _, new: not any(new[-1:])),
    (Fruitless(2), lambda _, new: len(new) >= 2 and not any(new[-2:])),
    (Fruitless(3), lambda _, new: len(new) >= 3 and not any(new[-3:])),
    (Fruitless(50), lambda *_: 0.0),
    (Budget(3.5), lambda depth, _: depth >= 3),
    (Budget(1e6), lambda *_: 0.0),
    (Stopping(), lambda *_: 0.0),
]


@pytest.mark.parametrize(("reach", "u"), CASES)
@pytest.mark.parametrize(("rule", "stops"), RULES)
def test_every_rule_is_what_all_users_together_do(reach, u, rule, stops) -> None:
    answer = stopped(reach, u, rule)
    expected = enumerated(reach, u, stops)
    assert (answer.consulted, answer.leading, answer.found) == pytest.approx(expected, abs=1e-12)
    assert answer.reaching.sum() == pytest.approx(answer.consulted)


def test_patience_of_an_exponential_time_is_persistence_after_a_first_wait() -> None:
    reach, u = CASES[2]
    patience = stopped(reach, u, Patience(Exponential(5.0)), judge=2.0)
    p = math.exp(-2 / 5)
    persistence = stopped(reach, u, Persistence(p))
    for name in ("consulted", "leading", "found"):
        assert getattr(patience, name) == pytest.approx(p * getattr(persistence, name))


def test_patience_of_constant_time_is_a_budget() -> None:
    reach, u = CASES[2]
    budget = stopped(reach, u, Budget(0.3), judge=0.1)  # .1 + .1 + .1 is not .3 for a computer
    assert budget.consulted == 3
    assert stopped(reach, u, Patience(Constant(0.3)), judge=0.1).reaching.tolist() == [
        *[1] * 3,
        *[0] * 5,
    ]


def gaps_within(count, unseen, places, n):
    """Return P(each of the first gaps between random places of ideals is at most n)."""
    return sum(
        (-1) ** m
        * math.comb(count, m)
        * math.comb(max(places - m * n, 0), unseen)
        / math.comb(places, unseen)
        for m in range(count + 1)
    )


@pytest.mark.parametrize("n", [1, 3, 10, 100])
def test_unlucky_draws_after_the_list_are_gaps_by_inclusion_and_exclusion(n: int) -> None:
    t, u = 7, 120
    expected = sum(gaps_within(k, t, u, n) for k in range(1, t + 1))
    assert stopped(np.empty((0, t)), u, Fruitless(n)).found == pytest.approx(expected, rel=1e-9)


def test_ideals_the_list_never_leads_to_cost_no_sets() -> None:
    reach = np.zeros((3, 40))
    reach[0, 3] = 0.5
    answer = stopped(reach, 60, Fruitless(2))  # no place after the list is ever come to
    assert (answer.consulted, answer.leading, answer.found) == (2.5, 0.5, 0.5)
    assert stopped(reach, 60, Fruitless(60)).found == pytest.approx(40)
    with pytest.raises(InputError, match="ideals the list leads to is 13"):
        stopped(np.full((2, 13), 0.1), 60, Fruitless(2))


def test_rules_that_compete_are_refused_and_words_as_well() -> None:
    with pytest.raises(InputError, match="stopping rules is 2, must be one at most"):
        stopped([[1.0]], 0, Stopping(Found(1), Persistence(0.5)))
    with pytest.raises(InputError, match="stopping rule is 'found'"):
        stopped([[1.0]], 0, "found")
    with pytest.raises(InputError, match="judge is 0"):
        stopped([[1.0]], 0, Budget(3), judge=0)


def test_persistence_of_nine_tenths_goes_ten_deep_though_a_prefix_shows_less() -> None:
    law = DepthLaw.from_persistence(0.9)
    assert law.expected_depth == pytest.approx(10, rel=1e-15)
    # sum of i L_i over seven ranks, and its rest: (n + 1 / (1 - p)) p^n.
    within = float(np.arange(1, 8) @ -np.diff(law.survivors(8)))
    assert within + (7 + 10) * 0.9**7 == pytest.approx(10)


LAWS = {
    "persistence": DepthLaw.from_persistence(0.8),
    "nobody beyond": DepthLaw.from_persistence(0.0),
    "last": DepthLaw.from_last([0.2, 0.3, 0.0, 0.5]),
    "continuation": DepthLaw.from_continuation([0.9, 1.0, 0.4], tail=0.0),
    "continuation and tail": DepthLaw.from_continuation([0.9, 1.0, 0.4], tail=0.5),
}


@pytest.mark.parametrize("name", LAWS)
def test_total_utility_is_utility_times_depth(name: str) -> None:
    law = LAWS[name]
    gains = np.random.default_rng(3).random(300)
    last = -np.diff(law.survivors(301))
    by_last = float(last @ np.cumsum(gains))
    assert law.expected_total(gains) == pytest.approx(by_last)
    depth = float(np.arange(1, 301) @ last)
    assert law.expected_depth == pytest.approx(depth)
    assert law.expected_utility(gains) == pytest.approx(by_last / depth)


def test_what_is_not_known_is_not_made_up() -> None:
    law = DepthLaw.from_last([0.5, 0.25])  # a quarter goes on, nobody knows how far
    assert repr(law) == "DepthLaw(expected depth unknown)"
    assert law.survivors(3).tolist() == [1, 0.5, 0.25]
    assert law.expected_total([1, 0, 1]) == 1.25
    with pytest.raises(InputError, match="must be known for an expected depth"):
        law.expected_utility([1])
    with pytest.raises(InputError, match="n is 4, must be at most 3"):
        law.survivors(4)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DepthLaw.from_persistence(1.0), "persistence is 1.0, must be below 1"),
        (lambda: DepthLaw.from_last([0.9, 0.2]), "sum of last is 1.1"),
        (lambda: DepthLaw.from_last([-0.1]), "last is"),
        (lambda: DepthLaw.from_last([[0.5]]), "last is"),
        (lambda: DepthLaw.from_continuation([0.5], tail=1.0), "persistence is 1.0"),
        (lambda: DepthLaw.from_continuation([1.5]), "continuation is"),
        (lambda: DepthLaw.from_persistence(0.5).expected_total([math.inf]), "be finite"),
    ],
)
def test_laws_that_are_none_are_refused(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
