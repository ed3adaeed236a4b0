"""Bounds over any dependence between all visits: linear programs, and users of many kinds."""

from itertools import product

import numpy as np
import pytest
from scipy import optimize

from prum.analytic import exact
from prum.analytic.precision import any_dependence_bounds
from prum.analytic.precision.bounds import _at_least
from prum.simulator.model import InputError, ListCosts
from prum.simulator.model.arrays import Floats

SLACK = 1e-9
# Ranks, ideals, elements outside the list.
SHAPES = [(1, 1, 1), (1, 3, 4), (2, 2, 2), (2, 3, 5), (3, 2, 3), (3, 2, 2), (1, 4, 6), (2, 2, 9)]


def _reach(ranks: int, ideals: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    return rng.random((ranks, ideals)) ** 2 * (rng.random((ranks, ideals)) < 0.8)


def _extremes(reach: Floats, unranked: int, costs: ListCosts) -> Floats:
    """Return the least and most E[C(r)] and precision, (t, 4), over all laws with these margins."""
    o, t = reach.shape
    histories = list(product(range(1 << t), repeat=o))
    consulted, leading = np.zeros((2, len(histories), t))
    for number, history in enumerate(histories):
        for r in range(1, t + 1):
            seen = 0
            for shown, cost in zip(history, costs.ranked, strict=True):
                if seen.bit_count() >= r:
                    break
                consulted[number, r - 1] += cost
                leading[number, r - 1] += cost if shown & ~seen else 0
                seen |= shown
            left = max(r - seen.bit_count(), 0)
            draws = left * (unranked + 1) / (t - seen.bit_count() + 1)
            consulted[number, r - 1] += costs.unranked * draws
            leading[number, r - 1] += costs.unranked * left
    margins = [[history[i] >> x & 1 for history in histories] for i in range(o) for x in range(t)]
    equal = np.array([np.ones(len(histories)), *margins], dtype=float)
    rules = np.append(1.0, reach.ravel())
    scaled = np.column_stack([equal, -rules])
    rows = []
    for r in range(t):
        # Of a ratio, by Charnes and Cooper: laws are scaled so that E[C] is 1.
        ratio = np.vstack([scaled, np.append(consulted[:, r], 0)])
        to_one = np.append(np.zeros(len(rules)), 1.0)
        lead = np.append(leading[:, r], 0)
        ends = [
            sign * optimize.linprog(sign * worth, A_eq=matrix, b_eq=values).fun
            for worth, matrix, values in ((consulted[:, r], equal, rules), (lead, ratio, to_one))
            for sign in (1, -1)
        ]
        rows.append(ends)
    return np.array(rows)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("are_charged", [False, True])
def test_no_law_lies_outside(shape: tuple[int, int, int], are_charged: bool) -> None:
    o, t, u = shape
    reach = _reach(o, t, sum(shape))
    costs = ListCosts(np.arange(1.0, o + 1), 2.5) if are_charged else ListCosts.units(o)
    bounds = any_dependence_bounds(reach, u, costs=costs if are_charged else None)
    ends = _extremes(reach, u, costs)
    assert (bounds.consulted_low <= ends[:, 0] + SLACK).all()
    assert (bounds.consulted_high >= ends[:, 1] - SLACK).all()
    assert (bounds.precision_low <= ends[:, 2] + SLACK).all()
    assert (bounds.precision_high >= ends[:, 3] - SLACK).all()
    # Of the first ideal they are those of the programs: sharp.
    assert bounds.consulted_low[0] == pytest.approx(ends[0, 0])
    assert bounds.consulted_high[0] == pytest.approx(ends[0, 1])


@pytest.mark.parametrize("seed", range(8))
def test_no_law_lies_outside_where_ideals_are_listed(seed: int) -> None:
    """What is certain at one rank shows nothing new at later ones, and ends some users' search."""
    rng = np.random.default_rng(seed)
    o, t = [(3, 2), (2, 3), (4, 2)][seed % 3]
    reach = _reach(o, t, seed)
    reach[rng.integers(o), rng.integers(t)] = 1.0
    ends = _extremes(reach, 4, ListCosts.units(o))
    bounds = any_dependence_bounds(reach, 4)
    assert (bounds.precision_low <= ends[:, 2] + SLACK).all()
    assert (bounds.precision_high >= ends[:, 3] - SLACK).all()


def test_other_margins_are_noticed() -> None:
    reach = np.full((4, 1), 0.3)
    bounds = any_dependence_bounds(reach, 30)
    assert exact(np.full((4, 1), 0.05), 30).consulted[0] > bounds.consulted_high[0]
    assert exact(np.full((4, 1), 0.9), 30).consulted[0] < bounds.consulted_low[0]


@pytest.mark.parametrize("seed", range(6))
def test_at_least_is_the_most_that_a_law_gives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    t = int(rng.integers(1, 6))
    p = rng.random(t)
    counts = np.array([number.bit_count() for number in range(1 << t)])
    margins = [[number >> x & 1 for number in range(1 << t)] for x in range(t)]
    equal = np.array([np.ones(1 << t), *margins], dtype=float)
    for k in range(1, t + 1):
        found = optimize.linprog(-(counts >= k).astype(float), A_eq=equal, b_eq=np.append(1, p))
        assert _at_least(p, np.array([k]))[0] == pytest.approx(-found.fun)


def test_some_recall_values_and_mistakes() -> None:
    reach = _reach(5, 4, 1)
    every, some = any_dependence_bounds(reach, 9), any_dependence_bounds(reach, 9, recall=[4, 2])
    assert some.recall.tolist() == [4, 2]
    assert some.precision_low.tolist() == every.precision_low[[3, 1]].tolist()
    with pytest.raises(InputError, match="r is 5"):
        any_dependence_bounds(reach, 9, recall=[5])
    with pytest.raises(InputError, match="unranked is 1"):
        any_dependence_bounds(reach, 1)
