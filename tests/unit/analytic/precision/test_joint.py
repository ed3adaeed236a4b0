"""Exact values over subsets: success that changes browsing, and browsing after the list."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from prum.analytic import coupled_within, exact, exact_joint
from prum.simulator import InputError


def rows(reach, factors=(1.0,)):
    """Return P(N_i subset of A) for each factor of success, shape (o, t, 2^t)."""
    t = np.shape(reach)[1]
    parts = [factors[min(s, len(factors) - 1)] for s in range(t)]
    within = [coupled_within(np.multiply(reach, part), "independent") for part in parts]
    return np.stack(within, axis=1)


@pytest.mark.parametrize("seed", range(10))
def test_without_satiation_success_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    reach = rng.random((rng.integers(0, 6), rng.integers(1, 5))) * 0.9
    joint = exact_joint(rows(reach), 9)
    plain = exact(reach, 9)
    assert joint.leading == pytest.approx(plain.leading, abs=1e-12)
    assert joint.consulted == pytest.approx(plain.consulted, abs=1e-12)
    assert joint.consulted_deviation == pytest.approx(plain.consulted_deviation, abs=1e-9)
    assert joint.consulted_skewness == pytest.approx(plain.consulted_skewness, abs=1e-6)


def by_hand(later, u, t):
    """Return E[CL], E[C] of users who consult u elements in random order, by every order.

    `later` holds, for each element that may show something, {set of ideals: probability}.
    """
    leading, consulted = [Fraction(0)] * t, [Fraction(0)] * t
    names = [*range(len(later)), *[None] * (u - len(later))]
    orders = set(itertools.permutations(names))
    for order in orders:
        for shown in itertools.product(*(law.items() for law in later)):
            weight = Fraction(1, len(orders))
            for _, p in shown:
                weight *= p
            for r in range(1, t + 1):
                seen, found = set(), 0
                for place, name in enumerate(order, start=1):
                    new = set() if name is None else set(shown[name][0]) - seen
                    seen |= new
                    found += bool(new)
                    if len(seen) >= r:
                        leading[r - 1] += weight * found
                        consulted[r - 1] += weight * place
                        break
    return [float(x) for x in leading], [float(x) for x in consulted]


def test_browsing_after_an_empty_list_is_every_order() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    laws = [
        {(0,): half, (0, 1): half},  # an ideal with a link to the other
        {(1,): 2 * third, (0, 1): third},
        {(): half, (0, 1): third, (1,): half - third},
    ]
    subsets = [{0, 1} - {x for x in (0, 1) if not mask >> x & 1} for mask in range(4)]
    within = [
        [float(sum(p for seen, p in law.items() if set(seen) <= subset)) for subset in subsets]
        for law in laws
    ]
    for u in (3, 4, 5):
        leading, consulted = by_hand(laws, u, 2)
        joint = exact_joint(np.empty((0, 4)), u, later=within)
        assert joint.leading == pytest.approx(leading, abs=1e-12)
        assert joint.consulted == pytest.approx(consulted, abs=1e-12)


@pytest.mark.parametrize("u", [2, 3, 7])
def test_who_browses_nowhere_after_the_list_has_the_classical_part(u: int) -> None:
    reach = np.array([[0.5, 0.2], [0.1, 0.9]])
    within = coupled_within(reach, "independent")
    ideals_alone = coupled_within(np.eye(2), "independent")
    joint, plain = exact_joint(within, u, later=ideals_alone), exact(reach, u)
    assert joint.leading == pytest.approx(plain.leading, abs=1e-12)
    assert joint.consulted == pytest.approx(plain.consulted, abs=1e-12)
    assert joint.consulted_deviation == pytest.approx(plain.consulted_deviation, abs=1e-9)
    assert joint.consulted_skewness == pytest.approx(plain.consulted_skewness, abs=1e-6)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: exact_joint([[0.5, 1]], 3, later=[[0.5, 1]]), "ideal 0 may never be seen"),
        (lambda: exact_joint([[0.5, 1]], 0, later=[[0, 1]]), "unranked is 0, must be at least 1"),
        (lambda: exact_joint([[0.5, 1]], 3, later=[[0, 0, 0, 1]]), r"shape of later is \(1, 4\)"),
        (lambda: exact_joint([[0.5, 1]], 3, later=[[0, 0.5]]), r"later\[0, 1\] is 0.5, must be 1"),
        (lambda: exact_joint(np.ones((1, 2, 2)), 3), r"shape of within is \(1, 2, 2\)"),
    ],
)
def test_what_is_refused(make, told: str) -> None:
    with pytest.raises(InputError, match=told):
        make()


def test_memory_is_told_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prum.analytic.precision.reach._LARGEST", 300)
    alone = coupled_within(np.eye(2), "independent")
    assert exact_joint(np.empty((0, 4)), 2, later=alone).precision.tolist() == [1, 1]
    with pytest.raises(
        InputError, match=r"memory of exact_joint is 384, must be at most 300 bytes"
    ):
        exact_joint(np.empty((0, 4)), 3, later=np.vstack([alone, np.ones((1, 4))]))
