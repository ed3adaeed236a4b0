"""Studies: the paper's .01, rates that theory gives, PRUM's place below the exact value."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict
from math import isclose, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm, poisson_binom, t

from prum.analytic import exact, prum
from prum.experiments.frame.study import Study, StudyResult
from prum.experiments.statistics.intervals import mean_interval
from prum.experiments.studies.approximations import APPROXIMATIONS, LAWS, random_reach
from prum.experiments.studies.stops import STOPS
from prum.experiments.studies.thresholds import THRESHOLDS
from prum.simulator.model import InputError
from tests.tiers import slow

# False alarms of a test against chance.
LEVEL = 1e-3
Result = StudyResult[Any, Any, Any]
SMALL: dict[str, Any] = {
    "tasks": 20,
    "ideals": [1, 2, 6],
    "densities": [0.3, 1],
    "strengths": [0.2, 1],
    "ranks": 8,
    "unranked": 10,
}
# Of the part that a test does not look at.
FEW: dict[str, Any] = {"tasks": 2, "ideals": [1], "ranks": 3}


def _row(result: Result, **wanted: object) -> Any:
    (row,) = (row for row in result.rows if wanted.items() <= asdict(row).items())
    return row


def of_laws(**options: Any) -> Result:
    """Return the study with next to nothing of noisy-or."""
    return APPROXIMATIONS(**FEW, **options)


def of_noisy_or(**options: Any) -> Result:
    """Return the study with next to nothing of the laws."""
    return APPROXIMATIONS(draws=2, sizes=[2], **options)


def test_one_page_and_no_error_are_said_so() -> None:
    assert "With 1 page the bell curve" in of_laws(draws=2, sizes=[1]).view().headline
    options: dict[str, Any] = {"densities": [1], "strengths": [1], "tasks": 2, "ranks": 3}
    for ideals, told in (
        ([1], "and equals it to four decimals, in 2 random tasks"),
        ([4], "and at most 0.0"),
    ):
        headline = of_noisy_or(ideals=ideals, **options).view().headline
        assert told in headline
        assert "by 0.0000" not in headline


# --- what studies share -----------------------------------------------------------------------


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


def test_a_command_repeats_what_is_not_so_by_default() -> None:
    assert APPROXIMATIONS.design(**SMALL, power=1).command("study approximations") == (
        "prum study approximations --ideals 1 --ideals 2 --ideals 6 --density 0.3 --density 1.0 "
        "--strength 0.2 --strength 1.0 --ranks 8 --unranked 10 --tasks 20 --draws 10000 --seed 1"
    )


def _totals(folder: Path) -> dict[str, Any]:
    path = folder / "totals.tsv"
    path.write_text("1\t50\n2\t20\n3\t9\n4\t6\npage1\t85\nlater\t15\n")
    return {"totals": str(path), "draws": 2}


STUDIES: dict[str, tuple[Study[Any, Any, Any], Callable[[Path], dict[str, Any]]]] = {
    "approximations": (APPROXIMATIONS, lambda _: SMALL | {"draws": 30, "sizes": [3, 10]}),
    "stops": (STOPS, _totals),
    "thresholds": (THRESHOLDS, lambda _: {"queries": 20, "documents": 60, "draws": 5}),
}


SLOW = {"thresholds"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=slow) if name in SLOW else name for name in STUDIES]
)
def test_numbers_depend_on_the_seed_alone_and_files_hold_every_digit(
    name: str, tmp_path: Path
) -> None:
    compute, options = STUDIES[name][0], STUDIES[name][1](tmp_path)
    study = compute(**options, seed=3)
    told: list[float] = []
    assert compute.run(study.design, told.append).to_json() == study.to_json()
    assert told == sorted(told)
    assert 0.9 < told[-1] <= 1
    assert compute(**options, seed=4).rows != study.rows
    rows = [asdict(row) for row in study.rows]
    content = json.loads(study.to_json())
    assert (content["rows"], content["command"]) == (rows, study.command)
    read = list(csv.DictReader(io.StringIO(study.to_csv())))
    assert [list(row) for row in read] == [list(row) for row in rows]
    told_values = [value for row in read for value in row.values()]
    for value, text in zip((own for row in rows for own in row.values()), told_values, strict=True):
        assert text == "" if value is None else type(value)(text) == value or str(value) == text


# --- the normal law ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def paper() -> Result:
    """10,000 draws, as appendix A.1 has them."""
    return of_laws(sizes=[10], seed=1)


@slow
def test_appendix_a_1(paper: Result) -> None:
    """The largest absolute difference between the laws is .01 on average, at m = 10."""
    row = _row(paper, approximation="normal", of="pmf")
    assert row.draws == 10_000
    assert (round(row.largest_low, 2), round(row.largest_high, 2)) == (0.01, 0.01)


def test_readings_of_appendix_a_1(paper: Result) -> None:
    """Three readings round to .01; averages for sums, and no half step, do not come near."""
    means = {one.convention: one for one in paper.found.conventions}
    rounded = [round(one.mean, 2) for one in means.values()]
    assert rounded == [0.01, 0.01, 0.56, 0.01, 0.15]
    # The first is the law that `poisson_binomial` has, in another program.
    row = _row(paper, approximation="normal", of="pmf")
    assert isclose(next(iter(means.values())).mean, row.largest, rel_tol=1e-12)


def test_errors_are_those_of_scipy_laws() -> None:
    """One size, draw by draw from the same stream, with SciPy's laws."""
    study = of_laws(draws=40, sizes=[7], seed=9)
    p = np.random.default_rng([9, 7]).random((40, 7))
    s = np.arange(8)
    pmf, cdf = [], []
    for row in p:
        law = norm(row.sum(), sqrt((row * (1 - row)).sum()))
        off = law.cdf(s + 0.5) - law.cdf(s - 0.5) - poisson_binom(row).pmf(s)
        pmf.append(np.abs(off).max())
        cdf.append(np.abs(np.cumsum(off)).max())
    for error, values in (("pmf", pmf), ("cdf", cdf)):
        row = _row(study, approximation="normal", of=error)
        assert isclose(row.largest, np.mean(values), rel_tol=1e-9)
        assert isclose(row.worst, np.max(values), rel_tol=1e-9)


def test_a_size_does_not_depend_on_the_others() -> None:
    alone = of_laws(draws=20, sizes=[5])
    assert set(map(str, alone.rows)) <= set(map(str, of_laws(draws=20, sizes=[9, 5]).rows))


@pytest.mark.parametrize(
    ("power", "wanted"),
    [
        # Skewnesses of uniform probabilities cancel on average; the Poisson law's deviation is
        # off by a factor, so its error falls as the pmf does.
        (1.0, {"normal": (-1.5, -1), "refined normal": (-1.5, -1), "poisson": (-0.5, 0)}),
        (3.0, {"normal": (-1, -0.5), "refined normal": (-1.5, -1), "poisson": (-0.5, 0)}),
    ],
)
def test_slopes_are_those_of_theory(power: float, wanted: dict[str, tuple[float, float]]) -> None:
    study = of_laws(draws=300, sizes=[100, 200, 400, 800], power=power)
    for slope in study.found.slopes:
        expected = wanted[slope.law][("pmf", "cdf").index(slope.error)]
        assert abs(slope.slope - expected) < 0.12, slope
        assert slope.slope_low < slope.slope < slope.slope_high
    assert {slope.law for slope in study.found.slopes} == set(LAWS)


def test_a_slope_varies_as_its_two_means_do_and_one_size_has_none(paper: Result) -> None:
    assert paper.found.slopes == []
    study = of_laws(draws=30, sizes=[10, 50])
    first, second = (_row(study, approximation="normal", of="pmf", ideals=m) for m in (10, 50))
    (slope,) = (s for s in study.found.slopes if (s.law, s.error) == ("normal", "pmf"))
    assert isclose(slope.slope, np.log(second.largest / first.largest) / np.log(5))
    halves = [row.largest_high / row.largest - 1 for row in (first, second)]
    assert isclose(slope.slope_high - slope.slope, np.hypot(*halves) / np.log(5))


# --- PRUM below the exact value ---------------------------------------------------------------


def test_prum_is_never_above_the_exact_value_and_equal_to_it_at_1() -> None:
    rng = np.random.default_rng(11)
    for draw in range(300):
        options = {"density": rng.random(), "strength": rng.random(), "listed": rng.random()}
        ideals = int(rng.integers(1, 12))
        reach = random_reach(ranks=12, ideals=ideals, seed=1, draw=draw, **options)
        approximate, truth = prum(reach, 20).precision, exact(reach, 20).precision
        assert (approximate <= truth * (1 + 1e-12)).all()
        assert isclose(approximate[0], truth[0], rel_tol=1e-12)


def test_prum_is_exact_if_no_rank_reaches_two_ideals() -> None:
    """Equation (8) has one factor then, and that one is exact; with a second it is not."""
    rng = np.random.default_rng(12)
    for _ in range(50):
        reach = np.zeros((15, 5))
        reach[np.arange(15), rng.integers(0, 5, 15)] = rng.random(15)
        truth = exact(reach, 10).precision
        assert prum(reach, 10).precision == pytest.approx(truth, rel=1e-12)
        reach[1:, 1] = reach[1:, 0] = 0.5
        assert (prum(reach, 10).precision < exact(reach, 10).precision * (1 - 1e-6)).any()


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


@pytest.fixture(scope="module")
def small() -> Result:
    return of_noisy_or(**SMALL)


def test_errors_are_what_they_are_called(small: Result) -> None:
    row = _row(small, ideals=6, density=0.3, strength=1.0)
    errors, truths = [], []
    for draw in range(20):
        reach = random_reach(
            ranks=8, ideals=6, density=0.3, strength=1.0, listed=0.5, seed=1, draw=draw
        )
        truths.append(exact(reach, 10).precision)
        errors.append(prum(reach, 10).precision - truths[-1])
    off = np.array(errors)
    assert isclose(row.largest, np.abs(off).max(axis=1).mean())
    assert isclose(row.mean, np.abs(off).mean())
    assert isclose(row.last, off[:, -1].mean())
    assert isclose(row.exact, np.mean(truths))
    assert row.worst == off.min() == off[row.worst_draw, row.worst_r - 1]
    assert small.found.highest < 1e-12


def test_one_ideal_leaves_nothing_to_approximate(small: Result) -> None:
    errors = [row for row in small.rows if row.of == "precision"]
    assert all(row.largest < 1e-15 for row in errors if row.ideals == 1)
    assert any(row.largest > 1e-3 for row in errors)


def test_the_worst_task_is_there_whole(small: Result) -> None:
    worst = small.found.worst
    again = prum(worst.reach, worst.unranked).precision
    assert again.tolist() == worst.prum
    assert exact(worst.reach, worst.unranked).precision.tolist() == worst.exact
    at = worst.r - 1
    assert worst.prum[at] - worst.exact[at] == worst.error
    assert worst.error == min(row.worst for row in small.rows if row.of == "precision")


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


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("approximations", {"draws": 1}, "draws is 1, must be a whole number from 2 to 1000000"),
        ("approximations", {"seed": -1}, "seed is -1, must be a whole number from 0 to "),
        ("approximations", {"sizes": []}, "sizes is (), must hold at least one value"),
        ("approximations", {"sizes": [0]}, "size is 0, must be a whole number from 1 to 10000"),
        ("approximations", {"power": 0}, "power is 0, must be positive"),
        ("approximations", {"power": float("nan")}, "power is nan, must be positive"),
        ("approximations", {"densities": [2]}, "density is 2, must lie in [0, 1]"),
        ("approximations", {"strengths": [-1]}, "strength is -1, must lie in [0, 1]"),
        ("approximations", {"listed": 3}, "listed is 3, must lie in [0, 1]"),
        ("approximations", {"tasks": 1}, "tasks is 1, must be a whole number from 2"),
        ("approximations", {"ranks": 0}, "ranks is 0, must be a whole number from 1"),
        ("approximations", {"unranked": 9}, "unranked is 9, must be at least 50"),
        ("thresholds", {"queries": 9}, "queries is 9, must be"),
        ("thresholds", {"documents": 9}, "documents is 9, must be"),
        ("thresholds", {"draws": 1}, "draws is 1, must be"),
        ("thresholds", {"seed": -1}, "seed is -1, must be"),
        ("thresholds", {"error": 0.0}, "error is 0.0, must be positive"),
        ("thresholds", {"error": 1, "worse": 1}, "worse is 1.0, must be more than error, 1"),
        ("thresholds", {"worse": float("inf")}, "worse is inf, must be positive"),
        ("thresholds", {"worse": float("nan")}, "worse is nan, must be positive"),
    ],
)
def test_bad_input(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        STUDIES[name][0](**options)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value).splitlines()) == 1
