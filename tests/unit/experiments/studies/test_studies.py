"""The study of approximations: the paper's .01, rates of theory, PRUM below the exact value."""

from itertools import product
from math import isclose, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm, poisson_binom, t

from prum.analytic import exact, prum
from prum.experiments.frame.study import StudyResult
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.studies.approximations import (
    APPROXIMATIONS,
    LAWS,
    expansions,
    law_errors,
    noisy_or,
    random_reach,
    read_behind,
    slopes_of,
)
from prum.simulator.model.arrays import Floats
from tests.tiers import slow

# False alarms of a test against chance.
LEVEL = 1e-3


@pytest.fixture(scope="module")
def small() -> StudyResult:
    return APPROXIMATIONS(tasks=3, draws=2)


def test_what_is_said_of_errors_is_in_the_rows(small: StudyResult) -> None:
    view, worst = small.view(), small.found.worst
    shortcut = [row for row in small.rows if row.of == "precision"]
    assert max(row.last for row in shortcut) < 1e-12
    assert len(shortcut) == 45
    assert worst.error == min(row.worst for row in shortcut) == worst.prum - worst.exact
    assert f"and at most {-worst.error:.4f} below it, in 135 random tasks" in view.headline
    assert f"PRUM {worst.prum:.5f}, exact {worst.exact:.5f}" in " ".join(view.notes)
    options = {"density": worst.density, "strength": worst.strength, "draw": worst.draw}
    reach = random_reach(ranks=50, ideals=worst.t, listed=0.5, seed=1, **options)
    assert prum(reach, 100).precision[worst.r - 1] == worst.prum
    assert exact(reach, 100).precision[worst.r - 1] == worst.exact
    assert "the paper reports 0.01" in view.headline
    cubes = APPROXIMATIONS(tasks=2, draws=2, power=3).view()
    assert "the paper" not in cubes.headline
    assert "to the power 3, so that most are small" in " ".join(cubes.story)


def test_intervals_hold_the_mean_at_their_rate() -> None:
    """Of 2,000 intervals from 10 normal draws; those with 1.96 for Student's 2.26 do not."""
    draws = np.random.default_rng(5).normal(size=(2000, 10))
    held, too_narrow = 0, 0
    for mean, low, high in map(mean_interval, draws):
        held += low <= 0 <= high
        too_narrow += abs(mean) <= (high - mean) * norm.ppf(0.975) / t.ppf(0.975, 9)
    least, most = binom.interval(1 - LEVEL, 2000, 0.95)
    assert least <= held <= most
    assert too_narrow < least


# --- the normal law ---------------------------------------------------------------------------


@slow
def test_appendix_a_1() -> None:
    """The largest absolute difference between the laws is .01 on average, at m = 10."""
    row = law_errors(10, draws=10_000, seed=1)[0]
    assert (round(row["largest_low"], 2), round(row["largest_high"], 2)) == (0.01, 0.01)


def test_errors_are_those_of_scipy_laws() -> None:
    """One size, draw by draw from the same stream, with SciPy's laws."""
    row = law_errors(7, draws=40, seed=9)[0]
    s, errors = np.arange(8), []
    for p in np.random.default_rng([9, 7]).random((40, 7)):
        law = norm(p.sum(), sqrt((p * (1 - p)).sum()))
        off = law.cdf(s + 0.5) - law.cdf(s - 0.5) - poisson_binom(p).pmf(s)
        errors.append(np.abs(off).max())
    assert isclose(row["largest"], np.mean(errors), rel_tol=1e-9)
    assert isclose(row["worst"], np.max(errors), rel_tol=1e-9)


@pytest.mark.parametrize(
    ("power", "expected"),
    [
        # Skewnesses of uniform probabilities cancel on average; the Poisson law's deviation is
        # off by a factor, so its error falls as the pmf does.
        (1.0, {"normal": -1.5, "refined normal": -1.5, "poisson": -0.5}),
        (3.0, {"normal": -1, "refined normal": -1.5, "poisson": -0.5}),
    ],
)
def test_slopes_are_those_of_theory(power: float, expected: dict[str, float]) -> None:
    sizes = (5, 100, 200, 400, 800)
    rows = [row for m in sizes for row in law_errors(m, draws=300, seed=1, power=power)]
    slopes = slopes_of(rows)
    assert tuple(slope.law for slope in slopes) == LAWS
    for slope in slopes:
        assert abs(slope.slope - expected[slope.law]) < 0.12, slope
        assert slope.slope_low < slope.slope < slope.slope_high


def test_a_slope_varies_as_its_two_means_do() -> None:
    rows = [row for m in (3, 10, 50) for row in law_errors(m, draws=30, seed=1)]
    first, second = (row for row in rows[3:] if row["approximation"] == "normal")
    slope = slopes_of(rows)[0]
    assert isclose(slope.slope, np.log(second["largest"] / first["largest"]) / np.log(5))
    halves = [row["largest_high"] / row["largest"] - 1 for row in (first, second)]
    assert isclose(slope.slope_high - slope.slope, np.hypot(*halves) / np.log(5))


# --- PRUM below the exact value ---------------------------------------------------------------


def test_worst_known_tasks() -> None:
    """Two ideals, each reached with 2 - √2, then for certain: PRUM is (2 - √2) / 8 too low.

    P(F_1 = 1) = 2 p (1 - p), and then equation (8) has 1 - (1 - 1/2)^2 for a certainty; over
    E[C(2)] = 2 - p^2 that is p (1 - p) / (2 (2 - p^2)), largest at 2 - √2. More ideals and a third
    rank make it worse: .11 for many.
    """
    p = 2 - sqrt(2)
    two = [[p, p], [1, 1]]
    off = exact(two, 2).precision - prum(two, 2).precision
    assert off.tolist() == pytest.approx([0, p / 8], abs=1e-14)
    many = np.repeat([[0.9915], [0.7306], [1.0]], 200, axis=1)
    off = exact(many, 200).precision - prum(many, 200).precision
    assert off.argmax() == 199
    assert round(off[199], 4) == 0.1102


def test_errors_are_what_they_are_called() -> None:
    row, worst = noisy_or((6, 0.3, 1.0), 20, 1, lambda: None)
    of: dict[str, Any] = {"ranks": 50, "ideals": 6, "density": 0.3, "strength": 1.0, "listed": 0.5}
    reaches = [random_reach(**of, seed=1, draw=draw) for draw in range(20)]
    truths = np.array([exact(reach, 100).precision for reach in reaches])
    off = np.array([prum(reach, 100).precision for reach in reaches]) - truths
    expected = {"largest": np.abs(off).max(axis=1).mean(), "mean": np.abs(off).mean()}
    expected |= {"last": off[:, -1].mean(), "exact": truths.mean()}
    assert {name: row[name] for name in expected} == pytest.approx(expected)
    assert row["worst"] == off.min() == off[row["worst_draw"], row["worst_r"] - 1] == worst.error


def test_random_matrices_are_as_described() -> None:
    reach = random_reach(
        ranks=400, ideals=100, density=0.25, strength=0.4, listed=0.5, seed=1, draw=0
    )
    certain = reach == 1
    assert certain.sum(axis=0).tolist() == [1] * 50 + [0] * 50
    assert certain.sum(axis=1).max() == 1
    links = reach[(reach > 0) & ~certain]
    assert links.max() <= 0.4
    # Uniform on (0, .4], three in four left out; not on (0, .41], not with .26.
    z = norm.isf(LEVEL / 2)
    error = 0.4 / sqrt(12 * len(links))
    assert abs(links.mean() - 0.2) < z * error < abs(links.mean() - 0.205)
    entries = reach.size - 50
    least, most = binom.interval(1 - LEVEL, entries, 0.25)
    assert least <= len(links) <= most < 0.26 * entries
    crowded = random_reach(ranks=3, ideals=9, density=0, strength=1, listed=1, seed=1, draw=0)
    assert crowded.sum() == 3


# --- expansions -------------------------------------------------------------------------------


def enumerated(p: Floats, hops: int) -> Floats:
    """Return P(each other page is read behind page 0), over all states of all links."""
    pairs, chances, read = np.argwhere(p), p[p > 0], np.zeros(len(p))
    for state in product((False, True), repeat=len(pairs)):
        behind = {0}
        for _ in range(hops):
            behind |= {y for x, y in pairs[np.array(state, dtype=bool)].tolist() if x in behind}
        read[list(behind)] += np.where(state, chances, 1 - chances).prod()
    return read[1:]


SHARED = 1 - (7 / 8) ** 2 - 7 / 32


@pytest.mark.parametrize(
    ("text", "page", "too_high"),
    [
        # Two ways to page 4 share their first link, or their last.
        ("01 12 13 24 34", 4, (SHARED, SHARED)),
        ("01 02 13 23 34", 4, (SHARED, 0)),
        # Ways of two links share none; three in a row are one way.
        ("01 02 03 14 24 34", 4, (0, 0)),
        ("01 12 24", 4, (0, 0)),
        # Back to page 1 by way of 2 is no way to it; the recursion takes it for one.
        ("01 12 21", 1, (0, 1 / 16)),
    ],
)
def test_ways_that_share_links_are_read_less_often(
    text: str, page: int, too_high: tuple[float, float]
) -> None:
    p = np.zeros((5, 5))
    for x, y in text.split():
        p[int(x), int(y)] = 0.5
    true, *others = read_behind(p)
    for hops in (1, 2, 3):
        assert true[hops - 1] == pytest.approx(enumerated(p, hops), abs=1e-12)
    for other, excess in zip(others, too_high, strict=True):
        assert other[:2] == pytest.approx(true[:2], abs=1e-12)
        assert other[2, page - 1] - true[2, page - 1] == pytest.approx(excess)


def test_approximations_are_exact_to_two_hops_and_then_too_high() -> None:
    rng = np.random.default_rng(7)
    for _ in range(6):
        p = rng.random((5, 5)) * (rng.random((5, 5)) < 0.6) * (1 - np.eye(5)) * (np.arange(5) > 0)
        true, *others = read_behind(p)
        expected = [enumerated(p, hops) for hops in (1, 2, 3)]
        assert true == pytest.approx(np.array(expected), abs=1e-12)
        for other in others:
            assert other[:2] == pytest.approx(true[:2], abs=1e-12)
            assert (other[2] >= true[2] - 1e-12).all()
    rows = expansions(4, 1, lambda: None)
    assert [(row["hops"], row["mean"] > 1e-3) for row in rows] == 2 * [
        (1, False),
        (2, False),
        (3, True),
    ]
