"""Measures of the grid against all judgements of what is unjudged, and all rankings.

Section, equation and figure numbers are those of Carterette (2011).
"""

import math
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from prum.analytic.utility.laws import DYNAMIC, STATIC
from prum.analytic.utility.measures import MODELS, utility, utility_bounds
from prum.simulator.model import InputError
from tests.tiers import spread

CELLS = [(name, model) for name in STATIC + DYNAMIC for model in MODELS]


def enumerated(
    cell: tuple[str, str],
    ranking: list[float],
    pool: int | list[int],
    grades: list[int],
    **how: object,
) -> tuple[float, float]:
    """Return the lowest and the highest score over all judgements, one by one."""
    unjudged = [k for k, grade in enumerate(ranking) if math.isnan(grade)]
    scores = []
    for way in product(grades, repeat=len(unjudged)):
        judged = list(ranking)
        for k, grade in zip(unjudged, way, strict=True):
            judged[k] = grade
        num = pool + sum(way) if isinstance(pool, int) else [*pool, *way]
        scores.append(utility(cell, judged, num, **how))  # type: ignore[arg-type]
    return min(scores), max(scores)


@pytest.mark.parametrize("cell", spread(7, CELLS))
@pytest.mark.parametrize("normalised", [False, True])
def test_bounds_over_all_binary_judgements(cell: tuple[str, str], normalised: bool) -> None:
    rng = np.random.default_rng(11)
    for trial in range(25):
        ranking = rng.choice([0.0, 1.0, np.nan], size=8, p=[0.3, 0.2, 0.5]).tolist()
        R = int(np.nansum(ranking)) + int(rng.integers(0, 3))
        how = {"cutoff": [None, 3, 6][trial % 3], "normalised": normalised, "theta": 0.3}
        bounds = utility_bounds(cell, ranking, R, **how)  # type: ignore[arg-type]
        assert bounds == pytest.approx(enumerated(cell, ranking, R, [0, 1], **how), abs=1e-12)


@pytest.mark.parametrize("cell", spread(7, CELLS))
@pytest.mark.parametrize("normalised", [False, True])
def test_bounds_over_all_graded_judgements(cell: tuple[str, str], normalised: bool) -> None:
    rng = np.random.default_rng(13)
    cases = []
    for trial in range(6):
        ranking = rng.choice([0.0, 1.0, 2.0, np.nan], size=6).tolist()
        pool = [int(grade) for grade in ranking if not math.isnan(grade)] + [0, 1, 2]
        how = {"cutoff": [None, 4][trial % 2], "normalised": normalised, "gain": "linear"}
        cases.append((ranking, pool, how))
    for ranking, pool, how in cases:
        truth = enumerated(cell, ranking, pool, [0, 1, 2], **how)
        assert utility_bounds(cell, ranking, pool, **how) == pytest.approx(truth, abs=1e-12)  # type: ignore[arg-type]


@pytest.mark.parametrize("cell", CELLS)
def test_no_ranking_beats_the_best_one_but_for_one_cell(cell: tuple[str, str]) -> None:
    """By ERR and M2, who is satisfied misses what comes after: the best document may come later."""
    how: dict[str, Any] = {"gain": "linear", "highest": 2, "normalised": True}
    if cell[0] == "ERR":
        how["theta"] = "exponential"
    grades = (2, 2, 1, 1, 0)
    best = max(utility(cell, ranking, grades, **how) for ranking in set(permutations(grades)))
    is_odd = cell == ("ERR", "M2")
    assert best > 1.05 if is_odd else best == pytest.approx(1)


def test_bounds_where_what_is_worth_less_satisfies_more() -> None:
    ranking, theta = [math.nan, 1.0, math.nan], {0: 0.0, 1: 0.6, 2: 0.2}
    how: dict[str, Any] = {"gain": "linear", "theta": theta}
    truth = enumerated(("ERR", "M3"), ranking, [1, 2], [0, 1, 2], **how)
    assert utility_bounds(("ERR", "M3"), ranking, [1, 2], **how) == pytest.approx(truth)


def test_too_many_ways_of_judging_are_refused() -> None:
    ranking = [None] * 8
    assert utility_bounds("EPR", ranking, 0)[0] == 0
    with pytest.raises(InputError, match="ways of judging what is unjudged is 6561, must be"):
        utility_bounds("EPR", ranking, [2], gain="linear")
