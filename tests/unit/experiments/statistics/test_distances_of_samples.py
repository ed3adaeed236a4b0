"""Distances of two samples, and p-values by permutation of groups, which keep their promise."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, chisquare, wasserstein_distance

from prum.experiments.statistics import distances as module
from prum.experiments.statistics.distances import (
    Floats,
    GroupedSample,
    compare_samples,
    wasserstein,
)
from prum.experiments.studies.realism import curve
from tests.tiers import slow

# Of a false alarm in any one statistical test below; seeds are fixed, so it comes at once or never.
ALPHA = 1e-4


@pytest.mark.parametrize("kind", ["numbers", "ties", "equal", "tails"])
@pytest.mark.parametrize("sizes", [(1, 1), (7, 30), (500, 250)])
def test_permuted_distances_are_those_of_scipy(
    kind: str, sizes: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_POINTS", 1000)
    rng = np.random.default_rng(5)
    draw: Mapping[str, Any] = {
        "numbers": rng.normal,
        "ties": lambda size: rng.integers(0, 4, size).astype(float),
        "equal": lambda size: np.full(size, 2.5),
        "tails": lambda size: rng.pareto(0.8, size),
    }
    first, second = (draw[kind](size=size) for size in sizes)
    table = module._Table(GroupedSample.of(first), GroupedSample.of(second))
    (moved,) = table.distances(table.actual[None, :])
    assert moved == pytest.approx(wasserstein(first, second), rel=1e-12, abs=1e-12)


def test_p_of_few_groups_is_that_of_all_orders() -> None:
    rng = np.random.default_rng(2)
    groups = [rng.integers(0, 6, size).astype(float) for size in (3, 1, 4, 2, 2)]
    for given in combinations(range(5), 2):
        others = [g for g in range(5) if g not in given]
        found = compare_samples(
            sample([groups[g] for g in given]),
            sample([groups[g] for g in others]),
            permutations=10,
            rng=rng,
        )
        own = apart(groups, given)
        all_orders = np.array([apart(groups, order) for order in combinations(range(5), 2)])
        assert found.p == pytest.approx((all_orders >= own - 1e-12).mean())
        assert found.least_p == 1 / 10
    # Of equally many groups an order and its reverse lie equally far apart.
    alike = [sample([np.array([x]), np.array([x + 1])]) for x in (1.0, 5.0)]
    found = compare_samples(*alike, permutations=10, rng=rng)
    assert found.p == found.least_p == 1 / 3


def test_p_of_many_orders_is_drawn_and_never_zero() -> None:
    rng = np.random.default_rng(3)
    low, high = GroupedSample.of(rng.normal(size=40)), GroupedSample.of(rng.normal(5, size=40))
    found = compare_samples(low, high, permutations=99, rng=rng)
    assert found.p == found.least_p == 0.01
    none = compare_samples(low, high, permutations=0, rng=rng)
    assert none.p is None
    assert none.wasserstein == found.wasserstein


def null_p_values(*, grouped: bool, num_draws: int = 400) -> Floats:
    """Return p-values of two sides that are drawn alike, their values in groups of six."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(num_draws):
        sides = []
        for _ in range(2):
            groups = np.repeat(np.arange(9), 6)
            values = rng.normal(size=9)[groups] + 0.5 * rng.normal(size=len(groups))
            sides.append(GroupedSample.of(values, groups if grouped else None))
        found.append(compare_samples(sides[0], sides[1], permutations=99, rng=rng).p)
    return np.array(found, dtype=np.float64)


def test_p_is_uniform_where_groups_are_drawn_alike() -> None:
    p = null_p_values(grouped=True)
    counts = np.histogram(p, bins=np.linspace(0.005, 1.005, 11))[0]
    assert chisquare(counts).pvalue > ALPHA


@slow
def test_values_that_are_permuted_alone_raise_false_alarms() -> None:
    p = null_p_values(grouped=False)
    assert (p <= 0.1).sum() > 3 * binom.ppf(1 - ALPHA, len(p), 0.1)


def test_many_values_and_groups_are_thinned_for_permutations_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(4)
    one = GroupedSample.of(rng.normal(size=900), np.arange(900) // 9)
    two = GroupedSample.of(rng.normal(0.1, size=600), np.arange(600) // 6)

    def again() -> Any:
        return compare_samples(one, two, permutations=199, rng=np.random.default_rng(1))

    whole = again()
    monkeypatch.setattr(module, "_HELD", 700)
    assert again() == whole
    monkeypatch.setattr(module, "MOST_POINTS", 10**6)
    exact = again()
    assert exact.wasserstein == whole.wasserstein
    assert exact.p == pytest.approx(whole.p, abs=0.02)
    monkeypatch.setattr(module, "MOST_GROUPS", 80)
    thinned = again()
    assert thinned.p != exact.p
    assert thinned.wasserstein == whole.wasserstein


def test_curves_are_shares() -> None:
    assert curve(np.array([3.0, 1, 1, 2])) == [[1, 2, 3], [0.5, 0.75, 1]]
    points, shares = curve(np.random.default_rng(1).normal(size=5000))
    assert len(points) == len(shares) <= 200
    assert shares[-1] == 1
    assert sorted(shares) == shares


def sample(groups: list[Floats]) -> GroupedSample:
    labels = np.repeat(np.arange(len(groups)), [len(one) for one in groups])
    return GroupedSample.of(np.concatenate(groups), labels)


def apart(groups: list[Floats], chosen: tuple[int, ...]) -> float:
    """Return scipy's distance of the chosen groups from the others."""
    first = np.concatenate([groups[g] for g in chosen])
    second = np.concatenate([one for g, one in enumerate(groups) if g not in chosen])
    return float(wasserstein_distance(first, second))
