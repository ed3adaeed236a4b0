"""The study of thresholds: its batches beside the definitions, its tests beside theory."""

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import binom, kendalltau, nct, t

from prum.analytic.adm import adm, sector_measures, threshold_measures
from prum.experiments.frame.frames import rows_of, turned
from prum.experiments.statistics.intervals import deviation_interval
from prum.experiments.studies import thresholds as study
from prum.experiments.studies.thresholds import MEASURES, THRESHOLDS, draw_queries, scores
from prum.simulator.model import InputError
from tests.tiers import slow

# False alarms of a test against chance.
LEVEL = 1e-4
SMALL: dict[str, Any] = {"queries": 10, "draws": 2}


def _estimates(seed: int = 3, queries: int = 30, documents: int = 80) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    drawn = draw_queries(queries, documents, rng)
    return drawn.system(0.9, rng), drawn.ure


# --- the model --------------------------------------------------------------------------------


def test_the_error_has_the_stated_size() -> None:
    rng = np.random.default_rng(2)
    queries = draw_queries(2_000, 200, rng)
    known = np.abs(queries.ure - 0.5) < 0.4  # nothing cut there
    odds = logit(queries.system(0.7, rng)) - logit(np.where(known, queries.ure, 0.5))
    logs = np.log([own[inside].std() for own, inside in zip(odds, known, strict=True)])
    # E log of the standard deviation: log s + E log h + E log i = log s, but for few documents.
    assert logs.mean() == pytest.approx(np.log(0.7), abs=0.05)
    assert logs.std() == pytest.approx(sqrt(0.4**2 + 0.2**2), abs=0.08)


# --- batches beside definitions ---------------------------------------------------------------


def test_scores_are_those_of_the_definitions() -> None:
    sre, ure = _estimates()
    found = scores(sre, ure)
    for query in range(len(sre)):
        one = threshold_measures(sre[query], ure[query])
        band = sector_measures(sre[query], ure[query])
        wanted = [one.precision, one.recall, one.e, adm(sre[query], ure[query])]
        wanted += [band.precision, band.recall]
        assert found[query] == pytest.approx(wanted, rel=1e-12, nan_ok=True)


def test_pushed_estimates_stay_in_their_sector_and_go_away() -> None:
    sre, ure = _estimates(documents=2_000)
    sre[0, :4], ure[0, :4] = [0.5, np.nextafter(0.5, 0), 0, 1], [0.6, 0.4, 0, 1]
    before = 0
    for share in (0.25, 0.5, 1.0):
        moved = study.pushed_estimates(sre, ure, share)
        assert ((moved >= 0.5) == (sre >= 0.5)).all()
        assert ((moved >= 0) & (moved <= 1)).all()
        distance = np.abs(moved - ure)
        assert (distance >= np.abs(sre - ure) - 1e-15).all()
        assert distance.mean() > before
        before = distance.mean()


def test_large_errors_within_sectors_change_adm_alone() -> None:
    for one in rows_of(turned([*study.pushed(*_estimates())])):
        if one.measure in ("ADM", "P'", "R'"):
            assert one.value < -0.03
        else:
            assert (one.value, one.low, one.high) == (0, 0, 0)


# --- how many queries -------------------------------------------------------------------------


@pytest.mark.parametrize(("mean", "count"), [(-0.1, 20), (0.0, 10), (0.5, 10), (0.5, 34), (1.0, 5)])
def test_simulated_power_is_that_of_the_noncentral_t(mean: float, count: int) -> None:
    """With no difference it is half the level: the other half finds the worse system better."""
    apart = mean + np.random.default_rng(4).standard_normal(200_000)
    share, low, high = study.power_of(apart, count, np.random.default_rng(5))
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
    rows = rows_of(turned([*study.powers(better, worse, rng)]))
    found = {(row.measure, row.quantity): row for row in rows}
    formula, simulated = found["E", "queries, formula"], found["E", "queries, simulated"]
    assert formula.low < 196 < formula.high
    assert simulated.value == pytest.approx(formula.value, rel=0.25)
    ratio = found["P", "queries, formula"].value / formula.value
    assert ratio == pytest.approx(4 / 3, rel=0.1)


# --- rows -------------------------------------------------------------------------------------


def test_spread_is_of_what_all_systems_have() -> None:
    systems = np.random.default_rng(1).random((3, 40, len(MEASURES)))
    systems[0, :4, 0] = np.nan
    systems[:, :, 1] = np.nan
    rows = study.variances(systems)
    found = {(row["measure"], row["quantity"]): row["value"] for row in rows}
    assert found["P", "no value"] == 0.1
    assert found["P", "mean"] == pytest.approx(systems[1, 4:, 0].mean())
    assert found["P", "sd over queries"] == pytest.approx(systems[1, 4:, 0].std(ddof=1))
    over = systems[:, 4:, 0].mean(axis=1).std(ddof=1)
    assert found["P", "sd over systems"] == pytest.approx(over)
    assert (found["R", "no value"], found["R", "mean"]) == (1, None)


def test_interval_of_a_deviation_holds_it_at_its_rate() -> None:
    draws = np.random.default_rng(8).normal(0, 2, (1_000, 12))
    held = sum(low <= 2 <= high for _, low, high in map(deviation_interval, draws))
    least, most = binom.interval(1 - LEVEL, 1_000, 0.95)
    assert least <= held <= most


# --- runs -------------------------------------------------------------------------------------

SIZE = 30
Lists = list[dict[str, dict[str, float]]]
Grades = dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def made() -> tuple[Lists, Grades]:
    rng = np.random.default_rng(8)
    topics = [f"t{number}" for number in range(5)]
    judged = {
        topic: {f"d{k}": int(grade) for k, grade in enumerate(rng.choice([-1, 0, 1, 2], 12))}
        for topic in topics
    }
    runs = [
        {
            topic: {
                f"d{k}": -float(rank)
                for rank, k in enumerate(rng.permutation(20)[: rng.integers(1, 9)])
            }
            for topic in topics[: 5 - (system == 0)]
        }
        for system in range(6)
    ]
    return runs, judged


def by_loop(made: tuple[Lists, Grades], rule: str) -> list[float]:
    """Return the mean ADM of each system, document by document of the collection."""
    runs, judged = made
    longest = max(len(ranking) for run in runs for ranking in run.values())
    means = []
    for run in runs:
        distance = 0.0
        for topic, grades in judged.items():
            ranking = list(run.get(topic, {}))
            for document in (f"d{k}" for k in range(SIZE)):
                rank = ranking.index(document) + 1 if document in ranking else None
                estimate = 1 - (rank - 1) / longest if rank else 0.0
                if rule == "reciprocal":
                    estimate = 1 / rank if rank else 0.0
                distance += abs(estimate - max(grades.get(document, 0), 0) / 2)
        means.append(1 - distance / SIZE / len(judged))
    return means


def test_orders_are_those_of_loops_over_documents(made: tuple[Lists, Grades]) -> None:
    rows = rows_of(turned([*study.of_runs(*made, SIZE, np.random.default_rng(1))]))
    judged = made[1].values()
    nothing = 1 - np.mean([sum(g for g in of.values() if g > 0) / 2 / SIZE for of in judged])
    precision = []
    for run in made[0]:
        values = []
        for topic, grades in made[1].items():
            hits = [grades.get(document, 0) > 0 for document in run.get(topic, {})]
            found = [sum(hits[: k + 1]) / (k + 1) for k, hit in enumerate(hits) if hit]
            values.append(sum(found) / sum(grade > 0 for grade in grades.values()))
        precision.append(np.mean(values))
    found = {(row.level, row.measure): row for row in rows}
    assert len(rows) == len(found) == 6
    for rule in ("linear", "reciprocal"):
        means = by_loop(made, rule)
        row = found[rule, "AP"]
        assert row.value == pytest.approx(kendalltau(means, precision).statistic)
        assert row.low <= row.value <= row.high
        assert found[rule, "ADM"].value == np.mean(np.array(means) < nothing)


# --- the study --------------------------------------------------------------------------------


@slow
def test_the_study_reads_files_and_has_a_table(made: tuple[Lists, Grades], tmp_path: Path) -> None:
    runs, judged = made
    (tmp_path / "runs").mkdir()
    for system, run in enumerate(runs):
        lines = [
            f"{topic} Q0 {document} {rank} {-rank} r{system}\n"
            for topic, ranking in run.items()
            for rank, document in enumerate(ranking)
        ]
        (tmp_path / "runs" / f"{system}.run").write_text("".join(lines))
    lines = [f"{topic} 0 {x} {grade}\n" for topic, by in judged.items() for x, grade in by.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    (tmp_path / "none").write_text("t0 0 d1 0\n")
    given = {"runs": [str(tmp_path / "runs")], "qrels": str(tmp_path / "qrels")}
    found = THRESHOLDS(**SMALL, **given, collection_size=SIZE)
    expected = rows_of(turned([*study.of_runs(*made, SIZE, np.random.default_rng(1))]))
    # Those with an interval have been resampled from other random numbers.
    assert [row.value for row in found.rows if row.part == "runs"] == [x.value for x in expected]
    assert found.view().tables[0].label.startswith("Your runs")
    given["qrels"] = str(tmp_path / "none")
    with pytest.raises(InputError, match="topics with a relevant document is 0"):
        THRESHOLDS(**SMALL, **given, collection_size=SIZE)


def test_what_is_said_is_in_the_rows() -> None:
    found = THRESHOLDS(**SMALL)
    of = {(row.part, row.level, row.measure, row.quantity): row.value for row in found.rows}
    view, moved = found.view(), of["jitter", "0.05", "P", "sd of a query"]
    assert f"change P, R and E of a query by {moved:.3f}" in view.headline
    gap = moved / of["power", "", "P", "difference"]
    assert f"change P, R and E of a query by {gap:.2f}".replace("-", "−") in " ".join(view.notes)
    (spread,) = (table for table in view.tables if table.label.startswith("Spread"))
    (adm,) = (row for row in spread.rows if row[0] == "ADM")
    assert str(adm[1]).startswith(f"{of['variance', '', 'ADM', 'mean']:.3f}")
