"""The study of approximations: the paper's .01, rates of theory, PRUM below the exact value."""

from math import isclose, sqrt

import numpy as np
import pytest
from scipy.stats import binom, norm, poisson_binom, t

from prum.analytic import exact, prum
from prum.experiments.frame.study import StudyResult
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.studies.approximations import (
    APPROXIMATIONS,
    LAWS,
    law_errors,
    noisy_or,
    random_reach,
    slopes_of,
)
from tests.tiers import slow

# False alarms of a test against chance.
LEVEL = 1e-3


@pytest.fixture(scope="module")
def small() -> StudyResult:
    return APPROXIMATIONS(tasks=3, draws=2)


def test_what_is_said_of_errors_is_in_the_rows(small: StudyResult) -> None:
    view, worst = small.view(), small.found.worst
    shortcut = [row for row in small.rows if row.of == "precision"]
    assert len(shortcut) == 45
    assert worst.error == min(row.worst for row in shortcut) == worst.prum - worst.exact
    assert f"at most {-worst.error:.4f} below it, in 135 random tasks" in view.headline
    assert f"PRUM {worst.prum:.5f}, exact {worst.exact:.5f}" in " ".join(view.notes)
    options = {"density": worst.density, "strength": worst.strength, "draw": worst.draw}
    reach = random_reach(ranks=50, ideals=worst.t, listed=0.5, seed=1, **options)
    assert prum(reach, 100).precision[worst.r - 1] == worst.prum
    assert exact(reach, 100).precision[worst.r - 1] == worst.exact
    assert small.found.highest < 1e-12
    assert "the paper reports 0.01" in view.headline
    cubes = APPROXIMATIONS(tasks=2, draws=2, power=3).view()
    assert "the paper" not in cubes.headline
    assert "to the power 3, so that most are small" in " ".join(cubes.story)


def test_interval_is_students() -> None:
    values = np.array([1.0, 4.0, 2.5, 0.5])
    mean, low, high = mean_interval(values)
    wanted = t.interval(0.95, 3, values.mean(), values.std(ddof=1) / sqrt(4))
    assert (low, high) == pytest.approx(wanted, rel=1e-12)
    assert isclose(mean, 2)


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
    row, worst, highest = noisy_or((6, 0.3, 1.0), 20, 1, lambda: None)
    errors, truths = [], []
    for draw in range(20):
        reach = random_reach(
            ranks=50, ideals=6, density=0.3, strength=1.0, listed=0.5, seed=1, draw=draw
        )
        truths.append(exact(reach, 100).precision)
        errors.append(prum(reach, 100).precision - truths[-1])
    off = np.array(errors)
    assert isclose(row["largest"], np.abs(off).max(axis=1).mean())
    assert isclose(row["mean"], np.abs(off).mean())
    assert isclose(row["last"], off[:, -1].mean())
    assert isclose(row["exact"], np.mean(truths))
    assert row["worst"] == off.min() == off[row["worst_draw"], row["worst_r"] - 1] == worst.error
    assert highest == off.max()


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
