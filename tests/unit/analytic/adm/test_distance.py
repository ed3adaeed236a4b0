"""ADM and its kin: the paper's tables, cases worked by hand, baselines, scales, bad input."""

from collections.abc import Callable
from itertools import product
from math import nan, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad

from prum.analytic.adm.measures import (
    BAND,
    adm,
    adm_categories,
    adm_deviation,
    best_constant,
    categorised,
    constant_adm,
    random_adm,
    sector_measures,
    threshold_measures,
)
from prum.analytic.adm.samples import (
    METHODS,
    calibrated,
    pooled_ure,
    sampled_adm,
)
from prum.simulator.model import InputError

Floats = NDArray[np.float64]

URE = [0.8, 0.6, 0.4, 0.2, 0.1]
TABLE_1 = {
    "IRS1": ([0.9, 0.5, 0.5, 0.1, 0.2], 2 / 3, 1, 5 / 6, 0.9),
    "IRS2": ([1.0, 0.4, 0.6, 0.0, 0.3], 0.5, 0.5, 0.5, 0.8),
    # Printed .8; the distances' sum is .9.
    "IRS3": ([0.8, 0.6, 0.4, 0.2, 1.0], 2 / 3, 1, 5 / 6, 0.82),
}
# The paper gives no coordinates for figure 5. These points give its numbers.
URE_2A = [1.0, 0.51, 0.49]
TABLE_2A = {
    "IRS1": ([0.53, 0.52, 0.52], 2 / 3, 1, 5 / 6, 0.83),
    "IRS2": ([0.51, 0.495, 0.495], 1, 0.5, 0.75, 0.83),
    "IRS3": ([0.51, 0.49, 0.502], 0.5, 0.5, 0.5, 0.826),
}
URE_2B = [0.5, 1.0]
TABLE_2B = {"IRS1": ([0.5, 1.0], 1, 1, 1, 1), "IRS2": ([1.0, 0.5], 1, 1, 1, 0.5)}


def estimates(seed: int, n: int = 12) -> tuple[Floats, Floats]:
    rng = np.random.default_rng([91, seed])
    sre, ure = rng.random(n), rng.random(n)
    if seed % 2:  # ties, with each other and the ends
        sre, ure = np.round(4 * sre) / 4, np.round(4 * ure) / 4
    return sre, ure


# --- measures -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ure", "row"),
    [
        *((URE, row) for row in TABLE_1.values()),
        *((URE_2A, row) for row in TABLE_2A.values()),
        *((URE_2B, row) for row in TABLE_2B.values()),
    ],
)
def test_the_papers_tables(ure: list[float], row: tuple[list[float], float, ...]) -> None:
    sre, *expected = row
    cut = threshold_measures(sre, ure)
    assert [cut.precision, cut.recall, cut.e, adm(sre, ure)] == pytest.approx(expected)


def test_what_is_not_listed_has_distance_0() -> None:
    sre, ure = TABLE_1["IRS2"][0], URE
    padded = [*sre, *[0] * 15], [*ure, *[0] * 15]
    for measure in (adm, adm_deviation, lambda s, u, **k: adm_categories(s, u, 3, 5, **k)):
        assert measure(sre, ure, size=20) == pytest.approx(measure(*padded))
    about = adm_deviation(sre, ure, size=20, about="mean")
    assert about == pytest.approx(adm_deviation(*padded, about="mean"))
    assert sector_measures(sre, ure, size=20) == sector_measures(*padded)
    for retrieved, relevant in product((0, 0.5), repeat=2):
        thresholds = {"retrieved": retrieved, "relevant": relevant}
        assert threshold_measures(sre, ure, size=20, **thresholds) == threshold_measures(
            *padded, **thresholds
        )


@pytest.mark.parametrize("seed", range(6))
def test_two_categories_are_right_decisions(seed: int) -> None:
    sre, ure = estimates(seed)
    cut = threshold_measures(sre, ure)
    assert adm_categories(sre, ure, 2, 2) == pytest.approx(1 - (cut.a + cut.d) / len(sre))


@pytest.mark.parametrize(("relevance", "retrieval"), [(2, 3), (3, 3), (11, 2), (1001, 501)])
def test_categories_come_close(relevance: int, retrieval: int) -> None:
    sre, ure = estimates(1)
    found = adm_categories(sre, ure, relevance, retrieval)
    most = 1 / (2 * (relevance - 1)) + 1 / (2 * (retrieval - 1))
    assert abs(found - adm(sre, ure)) <= most + 1e-12


def test_edges_of_categories() -> None:
    assert categorised([0, 0.49, 0.5, 1], 2).tolist() == [0, 0, 1, 1]
    assert categorised([0.12, 0.125, 0.374, 0.375, 0.875], 5).tolist() == [0, 0.25, 0.25, 0.5, 1]


def test_the_deviations() -> None:
    sre, ure = estimates(2)
    errors = sre - ure
    assert adm_deviation(sre, ure) == pytest.approx(1 - sqrt(np.mean(errors**2)))
    assert adm_deviation(sre, ure, about="mean") == pytest.approx(1 - errors.std())
    assert adm_deviation(sre, ure) <= adm(sre, ure)


def test_fallout_and_generality() -> None:
    cut = threshold_measures(TABLE_1["IRS1"][0], URE, size=10)
    assert (cut.a, cut.b, cut.c, cut.d) == (1, 2, 7, 0)
    assert (cut.fallout, cut.generality) == (1 / 8, 0.2)
    assert threshold_measures([0.9, 0.1], [0.9, 0.9], size=4).generality == 1 / 2


def test_measures_without_a_denominator() -> None:
    nothing = threshold_measures([0, 0.1], [0.1, 0.2])
    assert np.isnan([nothing.precision, nothing.recall, nothing.e]).all()
    assert np.isnan(threshold_measures([0], [1]).fallout)
    sectors = sector_measures([0, 0.1], [0.1, 0.2])
    assert np.isnan([sectors.precision, sectors.recall]).all()


def test_the_band_covers_half_the_square() -> None:
    grid = (np.arange(1000) + 0.5) / 1000
    sre, ure = (axis.ravel() for axis in np.meshgrid(grid, grid))
    sectors = sector_measures(sre, ure)
    share = np.array(sectors.counts) / 1e6
    assert pytest.approx(0.5) == (1 - BAND) ** 2
    assert share[[2, 3, 6, 7]].sum() == pytest.approx(0.5, abs=1e-3)
    corner = (0.5 - BAND) ** 2 / 2
    expected = [BAND**2 / 2, corner, 0.25 - 2 * corner]
    assert share[[3, 1, 2]] == pytest.approx(expected, abs=1e-3)
    assert share == pytest.approx(
        [*share[:5], share[1], share[2], share[3], share[0], share[4]], abs=2e-3
    )
    assert sectors.precision == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_sectors_by_their_meaning(seed: int) -> None:
    sre, ure = estimates(seed)
    near, shown, wanted = np.abs(sre - ure) < BAND, sre >= 0.5, ure >= 0.5
    sectors = sector_measures(sre, ure)
    assert sectors.precision == pytest.approx(near[shown].mean())
    assert sectors.recall == pytest.approx(near[wanted].mean())
    assert sum(sectors.counts) == len(sre)
    assert sum(sectors.counts[5:7]) + sectors.counts[9] == (~shown & ~wanted).sum()


# --- baselines, pools ---------------------------------------------------------------------------


@pytest.mark.parametrize("u", [0, 0.2, 0.5, 1])
def test_random_estimates_by_quadrature(u: float) -> None:
    mean = quad(lambda s: abs(s - u), 0, 1, points=[u])[0]
    square = quad(lambda s: (s - u) ** 2, 0, 1)[0]
    chance = random_adm([u])
    assert chance.mean == pytest.approx(1 - mean)
    assert chance.variance == pytest.approx(square - mean**2)


@pytest.mark.parametrize("size", [None, 12, 13, 20, 30])
@pytest.mark.parametrize("seed", range(4))
def test_no_constant_is_better(seed: int, size: int | None) -> None:
    ure = estimates(seed, 12)[1]
    best = best_constant(ure, size=size)
    padded = np.append(ure, np.zeros((size or 12) - 12))
    assert best.sre == np.median(padded)
    assert best.adm == pytest.approx(adm(np.full(len(padded), best.sre), padded))
    others = [constant_adm(ure, c, size=size) for c in np.linspace(0, 1, 101)]
    assert max(others) <= best.adm + 1e-12


def test_pools() -> None:
    rows = np.array([estimates(seed)[0] for seed in range(4)])
    pool = pooled_ure(rows)
    assert pool.ure == pytest.approx(rows.mean(axis=0))
    assert pool.error == pytest.approx(rows.std(axis=0, ddof=1) / 2)
    assert np.isnan(pooled_ure(rows[:1]).error).all()
    same = pooled_ure(np.full((3, 1), 0.1))
    assert same.error[0] < 1e-15


def test_assessors_with_their_own_scales() -> None:
    rows = [[1, 0, None], [0, 4, 3], [0.5, 0.1, None]]
    pool = pooled_ure(rows, [2, 5, None])
    assert pool.ure == pytest.approx([0.5, 1.1 / 3, 0.75])
    assert pool.number.tolist() == [3, 3, 1]
    assert pool.error[0] == pytest.approx(0.5 / sqrt(3))
    assert np.isnan(pool.error[2])


# --- calibration --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_calibrations_keep_the_order(method: str, seed: int) -> None:
    scores = np.sort(np.round(np.random.default_rng([93, seed]).normal(size=40), 1))
    found = calibrated(method, 100 * scores)
    assert ((found >= 0) & (found <= 1)).all()
    assert ((np.diff(found) > 0) == (np.diff(scores) > 0)).all()


@pytest.mark.parametrize(("method", "alone", "equal"), [("min-max", 0.5, 0.5), ("rank", 1, 0.625)])
def test_degenerate_scores(method: str, alone: float, equal: float) -> None:
    assert calibrated(method, [7]).tolist() == [alone]
    assert calibrated(method, [0.1] * 4).tolist() == [equal] * 4


@pytest.mark.parametrize("unit", [1e-200, 1, 1e200])
@pytest.mark.parametrize("method", METHODS)
def test_the_unit_of_scores_does_not_matter(method: str, unit: float) -> None:
    scores = np.array([1, 2, 5, -3.0])
    assert calibrated(method, scores * unit) == pytest.approx(calibrated(method, scores))


# --- bad input ----------------------------------------------------------------------------------

TWO = [0.1, 0.9]


@pytest.mark.parametrize(
    "measure",
    [
        adm,
        adm_deviation,
        threshold_measures,
        sector_measures,
        lambda s, u: adm_categories(s, u, 2, 2),
    ],
)
@pytest.mark.parametrize(
    ("sre", "ure", "said"),
    [
        ([0.1, 1.1], TWO, "SRE is 1.1, must lie in"),
        (TWO, [-0.1, 1], "document 1: URE is -0.1, must lie in"),
        ([nan, 0.5], TWO, "SRE is nan"),
        (TWO, [0.5], "must have shape"),
        ([], [], "must be "),
    ],
)
def test_bad_estimates(
    measure: Callable[[Any, Any], object], sre: list[float], ure: list[float], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        measure(sre, ure)


@pytest.mark.parametrize(
    ("attempt", "said"),
    [
        (lambda: adm(TWO, TWO, size=1), "size is 1, must be a whole number of at least 2"),
        (lambda: adm(TWO, TWO, size=2.5), "size is 2.5"),  # type: ignore[arg-type]
        (lambda: adm([TWO], [TWO]), "shape"),
        (lambda: adm(["a"], [1]), "real numbers"),
        (lambda: adm_categories(TWO, TWO, 1, 2), "categories is 1"),
        (lambda: adm_deviation(TWO, TWO, about="median"), "about"),  # type: ignore[arg-type]
        (lambda: threshold_measures(TWO, TWO, retrieved=1.5), "retrieved is 1.5"),
        (lambda: threshold_measures(TWO, TWO, relevant=nan), "relevant is nan"),
        (lambda: sector_measures(TWO, TWO, width=0), "width is 0"),
        (lambda: sampled_adm(TWO, [0.5]), "shape"),
        (lambda: sampled_adm(TWO, [0.5, 1.5]), "document 2: URE is 1.5"),
        (lambda: sampled_adm(TWO, TWO, size=1), "size is 1"),
        (lambda: sampled_adm(TWO, TWO, [0.6, 0.5]), "rise strictly"),
        (lambda: sampled_adm(TWO, TWO, [0]), "rise strictly"),
        (lambda: sampled_adm(TWO, TWO, [nan]), "rise strictly"),
        (lambda: sampled_adm(TWO, [0.5, nan], [0.5]), "stratum 2: judged is 0"),
        (lambda: random_adm([]), "number of documents is 0"),
        (lambda: random_adm([2]), "URE is 2"),
        (lambda: best_constant([], size=3), "number of documents is 0"),
        (lambda: constant_adm(TWO, 1.5), "SRE is 1.5"),
        (lambda: pooled_ure([0.5, 0.5]), r"shape \(k, n\)"),
        (lambda: pooled_ure(np.zeros((0, 3))), r"shape \(k, n\)"),
        (lambda: pooled_ure([[0.5, nan]]), "document 2: number of judgements is 0"),
        (lambda: pooled_ure([[0.5, 1.5]]), "row 1, document 2: estimate is 1.5"),
        (lambda: pooled_ure([[0, 2]], [2]), "row 1, document 2: estimate is 2"),
        (lambda: pooled_ure([[0.5]], [3]), "judgement is 0.5, must be a whole number"),
        (lambda: pooled_ure([[0]], [1]), "categories is 1"),
        (lambda: pooled_ure([[0]], []), "numbers of categories is 0"),
        (lambda: calibrated("z", [1]), "method"),
        (lambda: calibrated("rank", []), "scores"),
        (lambda: calibrated("rank", [nan]), "document 1: score is nan"),
        (lambda: calibrated("rank", [[1]]), "shape"),
    ],
)
def test_bad_input(attempt: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        attempt()
