"""The study of thresholds: its batches beside the definitions, its tests beside theory."""

import json
from collections.abc import Iterator
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, nct, norm, t

from prum.analytic.adm.measures import adm
from prum.analytic.adm.thresholds import sector_measures, threshold_measures
from prum.experiments.frame.study import StudyResult
from prum.experiments.studies.thresholds import PRINTED, THRESHOLDS, parts, recomputed
from prum.experiments.studies.thresholds.parts import (
    MEASURES,
    PAPERS,
    draw_queries,
    estimates,
    scores,
)
from tests.tiers import slow

# False alarms of a test against chance.
LEVEL = 1e-4
Result = StudyResult[Any, Any, Any]
SMALL: dict[str, Any] = {"queries": 20, "documents": 60, "draws": 5}


@pytest.fixture(scope="module")
def study() -> Result:
    return THRESHOLDS(**SMALL)


def _estimates(seed: int = 3, queries: int = 30, documents: int = 80) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    drawn = draw_queries(queries, documents, rng)
    return drawn.system(0.9, rng), drawn.ure


def _nothing() -> None:
    """Stand for progress."""


# --- the model --------------------------------------------------------------------------------


def test_relevance_is_skewed_and_estimates_are_wrong_by_the_dial() -> None:
    rng = np.random.default_rng(1)
    queries = draw_queries(400, 500, rng)
    assert queries.ure.mean() == pytest.approx(0.1, abs=0.005)  # the mean of m_q
    assert (queries.ure < 0.1).mean() > 0.6
    assert 0.02 < (queries.ure >= 0.5).mean() < 0.06
    distances = []
    for error in (0.1, 0.5, 1.0):
        sre = queries.system(error, rng)
        assert ((sre > 0) & (sre < 1)).all()
        distances.append(np.abs(sre - queries.ure).mean())
    assert distances == sorted(distances)
    assert distances[0] < 0.01


def test_the_error_has_the_stated_size() -> None:
    rng = np.random.default_rng(2)
    queries = draw_queries(2_000, 200, rng)
    known = np.abs(queries.ure - 0.5) < 0.4  # nothing cut there
    odds = [
        np.log(x / (1 - x)) for x in (queries.system(0.7, rng), np.where(known, queries.ure, 0.5))
    ]
    of_query = np.array(
        [one[inside].std() for one, inside in zip(odds[0] - odds[1], known, strict=True)]
    )
    # E log of the standard deviation: log s + E log h + E log i = log s, but for few documents.
    assert np.log(of_query).mean() == pytest.approx(np.log(0.7), abs=0.05)
    assert np.log(of_query).std() == pytest.approx(sqrt(0.4**2 + 0.2**2), abs=0.08)


# --- batches beside definitions ---------------------------------------------------------------


@pytest.mark.parametrize("cuts", [(0.5, 0.5), (0.3, 0.7), (0.99, 0.01)])
def test_scores_are_those_of_the_definitions(cuts: tuple[float, float]) -> None:
    sre, ure = _estimates()
    found = scores(sre, ure, *cuts)
    for query in range(len(sre)):
        one = threshold_measures(sre[query], ure[query], retrieved=cuts[0], relevant=cuts[1])
        wanted = [one.precision, one.recall, one.e, adm(sre[query], ure[query])]
        if cuts == (0.5, 0.5):
            band = sector_measures(sre[query], ure[query])
            assert found[query, 4:] == pytest.approx([band.precision, band.recall], nan_ok=True)
        assert found[query, :4] == pytest.approx(wanted, rel=1e-12, nan_ok=True)


def test_pushed_estimates_stay_in_their_sector_and_go_away() -> None:
    sre, ure = _estimates(documents=2_000)
    sre[0, :4], ure[0, :4] = [0.5, np.nextafter(0.5, 0), 0, 1], [0.6, 0.4, 0, 1]
    before = 0
    for share in (0.25, 0.5, 1.0):
        moved = parts.pushed_estimates(sre, ure, share)
        assert ((moved >= 0.5) == (sre >= 0.5)).all()
        assert ((moved >= 0) & (moved <= 1)).all()
        distance = np.abs(moved - ure)
        assert (distance >= np.abs(sre - ure) - 1e-15).all()
        assert distance.mean() > before
        before = distance.mean()


def test_large_errors_within_sectors_change_adm_alone() -> None:
    for one in parts.pushed(*_estimates()):
        if one.measure in ("ADM", "P'", "R'"):
            assert one.value < -0.03
        else:
            assert (one.value, one.low, one.high) == (0, 0, 0)


def test_thresholds_move_all_but_adm() -> None:
    assert parts.CUTS[0] == 0.3
    assert parts.CUTS[-1] == 0.7
    # P' asks what is retrieved alone, R' what is relevant.
    stands = {("retrieved", "R'"), ("relevant", "P'")}
    for one in parts.moved_thresholds(*_estimates()):
        still = one.measure == "ADM" or (one.level, one.measure) in stands
        assert (one.value == 0) == still


def test_adm_moves_at_most_as_far_as_estimates_do() -> None:
    sre, ure = _estimates()
    for one in parts.jittered(sre, ure, 20, np.random.default_rng(1), _nothing):
        size = float(one.level)
        if one.measure == "ADM":
            assert 0 < one.value <= 2 * size
        elif one.quantity == "sd of a query":
            assert one.value > 4 * size / sqrt(12 * sre.shape[1])  # that of ADM at most


def test_spread_over_jitters_is_that_of_a_sum_of_uniform_numbers() -> None:
    """Far from the line, 0 and 1, |SRE - URE| moves as SRE does: sd e / sqrt(3 n)."""
    sre, ure = np.full((40, 100), 0.6), np.full((40, 100), 0.2)
    for one in parts.jittered(sre, ure, 300, np.random.default_rng(1), _nothing):
        if (one.measure, one.quantity) == ("ADM", "sd of a query"):
            theory = float(one.level) / sqrt(3 * 100)
            assert one.value == pytest.approx(theory, rel=0.03)


# --- how many queries -------------------------------------------------------------------------


def test_needed_queries_are_those_of_the_normal_test() -> None:
    count = parts.needed_queries(0.1, 0.5)
    assert count == pytest.approx(196.2, abs=0.1)
    power = norm.sf(norm.ppf(0.975) - 0.1 * sqrt(count) / 0.5)
    assert power == pytest.approx(0.8, abs=1e-12)
    assert parts.needed_queries(0.0, 1.0) == np.inf


@pytest.mark.parametrize(("mean", "count"), [(-0.1, 20), (0.0, 10), (0.5, 10), (0.5, 34), (1.0, 5)])
def test_simulated_power_is_that_of_the_noncentral_t(mean: float, count: int) -> None:
    """With no difference it is half the level: the other half finds the worse system better."""
    apart = mean + np.random.default_rng(4).standard_normal(200_000)
    share, low, high = parts.power_of(apart, count, np.random.default_rng(5))
    theory = float(nct.sf(t.ppf(0.975, count - 1), count - 1, mean * sqrt(count)))
    least, most = binom.interval(1 - LEVEL, 500, theory)
    assert least <= share * 500 <= most
    assert low <= share <= high


@slow
def test_formula_and_simulation_agree_where_many_queries_are_needed() -> None:
    rng = np.random.default_rng(6)
    better = np.repeat(rng.normal(0.5, 0.1, (20_000, 1)), len(MEASURES), axis=1)
    better[::4, 0] = np.nan  # a quarter of the queries without P
    worse = better - rng.normal(0.02, 0.1, (20_000, 1))
    found = {(one.measure, one.quantity): one for one in parts.powers(better, worse, rng)}
    formula, simulated = found["E", "queries, formula"], found["E", "queries, simulated"]
    assert formula.low < 196 < formula.high
    assert simulated.value == pytest.approx(formula.value, rel=0.25)
    ratio = found["P", "queries, formula"].value / formula.value
    assert ratio == pytest.approx(4 / 3, rel=0.1)


# --- samples of documents ---------------------------------------------------------------------


@slow
def test_simulated_errors_of_samples_are_those_of_theory() -> None:
    sre, ure = _estimates(queries=8, documents=200)
    found = {
        (one.level, one.measure, one.quantity): one
        for one in estimates(sre, ure, 200, np.random.default_rng(7), _nothing)
    }
    designs = {key[:2] for key in found}
    assert len(designs) == 18
    for level, design in designs:
        bias, theory = (found[level, design, f"bias, {way}"] for way in ("simulated", "theory"))
        # 95 % intervals, stretched to 99.99 %.
        half = 2.1 * (bias.high - bias.low) / 2
        assert abs(bias.value - theory.value) <= half + 1e-12
        error, theory = (found[level, design, f"error, {way}"] for way in ("simulated", "theory"))
        assert error.value == pytest.approx(theory.value, rel=0.25)
        worst = found[level, "retrieved only", "error, theory"].value
        assert design == "retrieved only" or theory.value < worst / 3


def test_more_judged_than_there_are_is_no_design() -> None:
    rows = list(estimates(*_estimates(documents=60), 2, np.random.default_rng(1), _nothing))
    assert {one.level for one in rows} == {"10", "50"}


# --- the paper's tables -----------------------------------------------------------------------


def test_printed_figures_are_those_of_the_definitions_but_for_one_rounded() -> None:
    rows = recomputed()
    assert [one.system for one in rows] == ["IRS1", "IRS2", "IRS3"] * 2 + ["IRS1", "IRS2"]
    for one in rows:
        for measure, printed, computed in zip(PAPERS, one.printed, one.computed, strict=True):
            if (one.table, one.system, measure) == ("1", "IRS3", "ADM"):
                assert (printed, round(computed, 10)) == (0.8, 0.82)
            elif measure == "E":
                p, r = one.printed[:2]
                assert printed == pytest.approx((p + r) / 2, abs=0.0051)  # rounded from P
            else:
                assert printed == pytest.approx(computed, abs=0.0051)


def test_points_of_table_2_are_as_it_says() -> None:
    """In (a) the systems hardly differ, in (b) they do."""
    small = [np.array(sre) for table, _, _, sre, _ in PRINTED if table == "2 (a)"]
    assert max(np.abs(one - other).max() for one in small for other in small) < 0.03
    first, second = (np.array(sre) for table, _, _, sre, _ in PRINTED if table == "2 (b)")
    assert np.abs(first - second).min() == 0.5


# --- rows -------------------------------------------------------------------------------------


def test_rows_hold_no_nan_and_no_infinity() -> None:
    found = parts.row("p", "l", "m", "q", (np.nan, np.inf, 1.0))
    assert (found.value, found.low, found.high) == (None, None, 1.0)
    assert np.isnan(parts.mean_of(np.array([np.nan]))).all()
    assert np.isnan(parts.with_values(np.full((2, 3), np.nan))).all()


def test_interval_of_a_deviation_holds_it_at_its_rate() -> None:
    draws = np.random.default_rng(8).normal(0, 2, (1_000, 12))
    held = sum(low <= 2 <= high for _, low, high in map(parts.deviation_of, draws))
    least, most = binom.interval(1 - LEVEL, 1_000, 0.95)
    assert least <= held <= most


# --- the study --------------------------------------------------------------------------------


def test_rows_tables_and_page(study: Result) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    rows, view = study.rows, study.view()
    assert study.command == "prum study thresholds --queries 20 --documents 60 --draws 5 --seed 1"
    assert len(study.found.printed) == 8
    assert len({(r.part, r.level, r.measure, r.quantity) for r in rows}) == len(rows)
    for table in view.tables:
        assert table.rows
        assert {len(cells) for cells in table.rows} == {len(table.columns)}
    headings = {name for table in view.tables for name in table.columns}
    assert {row.quantity for row in rows} - {"change", "power"} <= headings
    assert {"0.8 / 0.82", "stratified, Neyman"} <= set(_cells(study))
    written = study.to_html()
    for told in (view.headline, "prum study thresholds", "in gaps of two systems", "</svg>"):
        assert told in written


def _claims(result: Result) -> tuple[str, ...]:
    return result.view().notes[-6:]


@slow
def test_what_is_said_of_the_claims() -> None:
    result = THRESHOLDS(documents=200, draws=10)
    gaps, queries, large, spread, sampled, banded = _claims(result)
    assert result.view().headline.startswith("Estimates moved by up to ")
    assert "Relative to the gap" in gaps
    assert "does not hold here" in queries
    assert "P, R and E do not change at all" in large
    assert "A system that estimates 0 for all documents has an ADM of 0." in spread
    assert "100 judged documents" in sampled
    assert "P' moves by 0.0" in banded
    assert " P; R' moves by " in banded


def test_far_worse_systems_are_told_apart_by_few_queries() -> None:
    _, queries, *_ = _claims(THRESHOLDS(**SMALL, error=0.2, worse=2.0))
    assert "many queries are no longer needed holds here" in queries


@slow
def test_smallest_study_has_an_answer_or_none() -> None:
    result = THRESHOLDS(queries=10, documents=10, draws=2)
    json.loads(result.to_json())
    view = result.view()
    words = " ".join((view.headline, *view.notes, *_cells(result), result.to_html()))
    assert "nan" not in words.replace("finan", "")
    assert "–" in words
    assert "A dash means that" in words


def _cells(result: Result) -> Iterator[str]:
    return (cell for table in result.view().tables for cells in table.rows for cell in cells)


@slow
def test_systems_that_differ_by_nothing_have_no_ratio_to_their_gap() -> None:
    result = THRESHOLDS(**SMALL, error=1e-12, worse=2e-12)
    assert any("–" in cell for cell in _cells(result))
    assert len(_claims(result)) == 6
