"""The study of thresholds on runs: by hand, by enumeration from the files, and bad input."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binom

from prum.analytic.adm.measures import adm
from prum.analytic.adm.scales import calibration
from prum.analytic.adm.thresholds import threshold_measures
from prum.experiments.commands.main import prum
from prum.experiments.studies.kit.study import StudyResult
from prum.experiments.studies.thresholds import THRESHOLDS
from prum.experiments.studies.thresholds.of_runs import (
    MEASURES_OF_RUNS,
    MOST_PAIRED,
    _ahead,
    _changed,
    _differences,
    _orders,
)
from prum.experiments.studies.thresholds.rows import RunRow
from prum.simulator.model import InputError
from tests.tiers import slow

Result = StudyResult[Any, Any, Any]
Scores = Mapping[str, Mapping[str, float]]
Grades = Mapping[str, Mapping[str, int]]


def written(
    folder: Path, runs: Mapping[str, Scores], grades: Grades, **options: Any
) -> dict[str, Any]:
    """Return options of a small study of these runs, written as files."""
    for name, by_topic in runs.items():
        lines = [
            f"{topic} Q0 {x} 1 {score!r} s\n"
            for topic, scores in by_topic.items()
            for x, score in scores.items()
        ]
        (folder / name).write_text("".join(lines))
    lines = [f"{topic} 0 {x} {grade}\n" for topic, by in grades.items() for x, grade in by.items()]
    (folder / "qrels").write_text("".join(lines))
    paths = [str(folder / name) for name in runs]
    return {"run": paths, "qrels": str(folder / "qrels"), "draws": 4, **options}


def values(result: Result, part: str, quantity: str) -> dict[tuple[str, str, str], Any]:
    """Return (run, measure, level) -> value."""
    return {
        (row.run, row.measure, row.level): row.value
        for row in result.rows
        if (row.part, row.quantity) == (part, quantity)
    }


# --- by hand ----------------------------------------------------------------------------------

# d is not judged, and e was pooled and not judged.
GRADES = {"q": {"a": 2, "b": 1, "c": 0, "e": -1}, "r": {"a": 1, "b": 0}}
RUN = {"q": {"a": 3.0, "c": 2.0, "d": 1.0}, "other": {"a": 1.0}}


@pytest.fixture
def by_hand(tmp_path: Path) -> dict[str, Any]:
    return written(tmp_path, {"one": RUN}, GRADES)


def test_a_topic_by_hand(by_hand: dict[str, Any]) -> None:
    """SRE of a, b, c by range: 1, 0 (not listed), .5; URE 1, .5, 0. Of r nothing is listed."""
    q, r = THRESHOLDS(**by_hand).found.scores
    assert (q.run, q.topic, q.documents, q.relevant) == ("one", "q", 3, 2)
    assert q.scores == pytest.approx({"P": 0.5, "R": 0.5, "E": 0.5, "ADM": 2 / 3, "F1": 0.5})
    assert (r.topic, r.documents, r.relevant) == ("r", 2, 1)
    assert r.scores == {"P": None, "R": 0.0, "E": None, "ADM": 0.75, "F1": None}


def test_means_regions_and_numbers_by_hand(by_hand: dict[str, Any]) -> None:
    result = THRESHOLDS(**by_hand)
    means = values(result, "variance", "mean")
    assert means["one", "ADM", ""] == pytest.approx((2 / 3 + 0.75) / 2)
    assert means["one", "P", ""] == 0.5
    assert values(result, "variance", "no value")["one", "P", ""] == 0.5
    topics = {row.measure: row.topics for row in result.rows if row.quantity == "mean"}
    assert topics == {"P": 1, "R": 2, "E": 1, "ADM": 2, "F1": 1}
    shares = values(result, "sector", "share of documents")
    # c; a; nothing and b; b and a.
    wanted = {"A": 1 / 3, "B": 1 / 3, "C": 1 / 2, "D": 1 / 3 + 1 / 2}
    assert {sector: shares["one", "", sector] * 2 for sector in "ABCD"} == pytest.approx(wanted)
    counts = {row.quantity: row.value for row in result.rows if row.part == "documents"}
    assert counts == {"listed": 3, "unjudged": 1, "unlisted": 3, "topics without a list": 1}
    [documents] = result.found.documents
    assert documents.lacks == ("r",)


def test_thresholds_move_by_hand(by_hand: dict[str, Any]) -> None:
    """Above .5 c is not retrieved, and neither b nor the a of r is relevant."""
    result = THRESHOLDS(**by_hand)
    below, above = (values(result, "threshold", f"mean at {cut}") for cut in (0.45, 0.55))
    assert [of["one", "P", "retrieved"] for of in (below, above)] == [0.5, 1]
    assert [of["one", "R", "relevant"] for of in (below, above)] == [0.25, 1]
    assert [of["one", "E", "both"] for of in (below, above)] == [0.5, 1]
    ranges = values(result, "threshold", "range of a query")
    assert ranges["one", "ADM", "both"] == 0
    assert ranges["one", "P", "retrieved"] == 0.5


@pytest.mark.parametrize(
    ("method", "estimates"),
    [
        ("min-max", {"a": 1.0, "c": 0.5}),
        ("rank", {"a": 1.0, "c": 2 / 3}),
    ],
)
def test_ways_to_make_scores_estimates(
    method: str, estimates: dict[str, float], by_hand: dict[str, Any]
) -> None:
    q = THRESHOLDS(**by_hand, calibration=method).found.scores[0]
    sre = [estimates.get(x, 0.0) for x in "abc"]
    assert q.scores["ADM"] == pytest.approx(adm(sre, [1, 0.5, 0]))


def test_unjudged_documents_may_count_as_not_relevant(tmp_path: Path) -> None:
    """d of one run and e of the other are documents of both."""
    other = {"q": {"e": 2.0, "a": 1.0}, "r": {"b": 1.0}}
    given = written(tmp_path, {"one": RUN, "two": other}, GRADES, unjudged="irrelevant")
    scores = {(s.run, s.topic): s for s in THRESHOLDS(**given).found.scores}
    assert scores["one", "q"].documents == 5
    assert scores["one", "q"].scores["ADM"] == pytest.approx(1 - (0 + 0.5 + 0.5 + 0 + 0) / 5)
    assert scores["two", "q"].scores["ADM"] == pytest.approx(1 - (1 + 0.5 + 0 + 0 + 1) / 5)
    assert scores["two", "q"].scores["P"] == 0


# --- by enumeration ---------------------------------------------------------------------------


def random_campaign(seed: int, runs: int = 3, topics: int = 6) -> tuple[dict[str, Scores], Grades]:
    rng = np.random.default_rng(seed)
    pool = [f"d{number}" for number in range(30)]
    grades = {
        f"t{topic}": {x: int(rng.integers(-1, 4)) for x in rng.choice(pool, 18, replace=False)}
        for topic in range(topics)
    }
    for by in grades.values():
        by["top"] = 3
    lists = {
        f"run{run}": {
            topic: {
                x: float(np.float32(rng.normal())) for x in rng.choice([*pool, "top"], 12, False)
            }
            for topic in [*grades, "unknown"]
        }
        for run in range(runs)
    }
    return lists, grades


@pytest.mark.parametrize("method", ["min-max", "rank", "isotonic", "logistic"])
def test_scores_are_those_of_the_definitions(method: str, tmp_path: Path) -> None:
    lists, grades = random_campaign(5)
    result = THRESHOLDS(**written(tmp_path, lists, grades, calibration=method))
    judged = {t: {x: g / 3 for x, g in by.items() if g >= 0} for t, by in grades.items()}
    assert len(result.found.scores) == 18
    for scored in result.found.scores:
        scores, ure = lists[scored.run][scored.topic], judged[scored.topic]
        fitted = calibration(method, list(scores.values()))if method in ("min-max", "rank") else (
            calibration(method, *zip(*[
                (score, judged[topic][x])
                for topic in judged
                if topic != scored.topic
                for x, score in lists[scored.run][topic].items()
                if x in judged[topic]
            ], strict=True))
        )  # fmt: skip
        estimates = dict(zip(scores, fitted.of(list(scores.values())), strict=True))
        sre = [estimates.get(x, 0.0) for x in ure]
        cut = threshold_measures(sre, list(ure.values()))
        wanted = [cut.precision, cut.recall, cut.e, adm(sre, list(ure.values()))]
        found = [np.nan if x is None else x for x in scored.scores.values()]
        assert found[:4] == pytest.approx(wanted, rel=1e-12, nan_ok=True)
        if cut.b:
            harmonic = 2 / (1 / cut.precision + 1 / cut.recall)
            assert found[4] == pytest.approx(harmonic, rel=1e-12)


def test_who_estimates_as_the_user_is_perfect_at_all_thresholds(tmp_path: Path) -> None:
    grades = {"q": {"a": 4, "b": 2, "c": 1, "d": 0}, "r": {"a": 3, "c": 4, "b": 0}}
    run = {topic: {x: grade / 4 for x, grade in by.items()} for topic, by in grades.items()}
    result = THRESHOLDS(**written(tmp_path, {"ideal": run}, grades, calibration="none"))
    means = values(result, "variance", "mean")
    assert means == {("ideal", measure, ""): 1.0 for measure in MEASURES_OF_RUNS}
    for cut in (0.3, 0.4, 0.5, 0.6, 0.7):
        moved = values(result, "threshold", f"mean at {cut:g}")
        assert all(moved["ideal", measure, "both"] == 1 for measure in MEASURES_OF_RUNS)
    for cell in result.found.cells:
        assert abs(cell.sre - cell.ure) < 0.05


def test_cells_hold_all_judged_documents(tmp_path: Path) -> None:
    lists, grades = random_campaign(6)
    result = THRESHOLDS(**written(tmp_path, lists, grades))
    judged = [g / 3 for by in grades.values() for g in by.values() if g >= 0]
    for run in lists:
        cells = [cell for cell in result.found.cells if cell.run == run]
        assert sum(cell.documents for cell in cells) == len(judged)
        for level in (0, 1 / 3, 2 / 3, 1):
            number = sum(cell.documents for cell in cells if cell.ure == level)
            assert number == sum(ure == level for ure in judged)
        assert all(0 < cell.sre < 1 for cell in cells)


# --- jitters, pushes, pairs -------------------------------------------------------------------


def test_what_a_run_does_not_list_does_not_move(tmp_path: Path) -> None:
    """Of one listed document of 5, ADM moves by a fifth of what it moves."""
    grades = {topic: {x: int(x == "a") for x in "abcde"} for topic in ("q", "r", "s")}
    run = {topic: {"a": 0.6} for topic in grades}
    result = THRESHOLDS(**written(tmp_path, {"one": run}, grades, calibration="none", draws=400))
    spreads = values(result, "jitter", "sd of a query")
    for size in (0.01, 0.05, 0.1):
        theory = size / np.sqrt(3) / 5
        assert spreads["one", "ADM", f"{size:g}"] == pytest.approx(theory, rel=0.1)
        assert spreads["one", "P", "0.05"] == 0  # far from the threshold
    pushed = values(result, "push", "change")
    # From .6 to .5, the end of its sector, with a distance of .4 before.
    assert pushed["one", "ADM", "1"] == pytest.approx(-0.1 / 5)
    assert pushed["one", "ADM", "0.5"] == pytest.approx(-0.05 / 5)
    assert pushed["one", "R", "1"] == 0


def test_differences_of_pairs_and_their_orders(tmp_path: Path) -> None:
    lists, grades = random_campaign(7, runs=4)
    result = THRESHOLDS(**written(tmp_path, lists, grades))
    by_run = {run: [s.scores for s in result.found.scores if s.run == run] for run in lists}
    means = {}
    for row in result.rows:
        if (row.part, row.quantity) == ("power", "difference"):
            apart = [
                one[row.measure] - two[row.measure]
                for one, two in zip(by_run[row.run], by_run[row.other], strict=True)
                if None not in (one[row.measure], two[row.measure])
            ]
            assert row.topics == len(apart)
            assert row.value == pytest.approx(np.mean(apart), abs=1e-12)
            assert row.low <= row.value <= row.high
            means[row.run, row.other, row.measure] = np.mean(apart)
    assert len(means) == 6 * 5
    # Some pairs have other signs by another measure, none of them for sure.
    assert {pair for pair, mean in means.items() if mean * means[(*pair[:2], "ADM")] < 0}
    assert (result.found.changed, result.found.ahead) == ([], None)
    assert result.view().headline == (
        "ADM tells 0 of 6 pairs of runs apart on 6 topics (Holm, 5%). "
        "P, R and E tell 0, 0 and 0 of these apart in the other order."
    )


def made_scores(rng: np.random.Generator, gaps: list[list[float]], topics: int = 25) -> Any:
    """Return scores of runs whose means are so far apart, skewed, with what topics share."""
    shape = (len(gaps), topics, len(MEASURES_OF_RUNS))
    shared = rng.uniform(0, 1, (1, topics, 1))
    return shared + np.array(gaps)[:, None, :] + 0.3 * rng.exponential(1, shape)


@pytest.mark.parametrize("num_worlds", [60, pytest.param(1000, marks=slow)])
def test_runs_of_one_law_have_no_winner_and_better_ones_do(num_worlds: int) -> None:
    rng = np.random.default_rng(31)
    alarms = winners = found = turned = 0
    # The second run is worse by ADM alone, and better by all others.
    turn = [[0.0] * 5, [0.6 if name != "ADM" else -0.6 for name in MEASURES_OF_RUNS]]
    for _ in range(num_worlds):
        means, decided = _differences(made_scores(rng, [[0.0] * 5] * 3))
        alarms += decided.any()
        # The control: whoever has the highest mean.
        winners += (means[..., -2].sum(axis=1) > 0).any()
        names = ("a", "b")
        means, decided = _differences(made_scores(rng, turn))
        found += _ahead(names, means, decided) == "a"
        turned += len(list(_changed(names, means, decided))) == 4
    assert alarms <= binom.ppf(1 - 1e-4, num_worlds, 0.05)
    assert winners == num_worlds
    assert min(found, turned) >= 0.9 * num_worlds


def test_orders_count_what_both_measures_tell_apart() -> None:
    differences = np.zeros((3, 3, 5))
    differences[0, 1], differences[0, 2], differences[1, 2] = (
        [1, 1, 0, 1, 1], [1, -1, 1, 1, 0], [0, 0, 0, 1, 1],
    )  # fmt: skip
    told = {(row.measure, row.level, row.quantity): row.value for row in _orders(differences)}
    assert [told[name, "", "pairs told apart"] for name in MEASURES_OF_RUNS] == [2, 2, 1, 3, 2]
    assert told["R", "ADM", "pairs both tell apart"] == 2
    assert told["R", "ADM", "pairs in another order"] == 1
    assert told["P", "R", "pairs in another order"] == 1
    assert told["P", "ADM", "pairs in another order"] == 0


def test_who_is_better_does_not_depend_on_who_comes_first(tmp_path: Path) -> None:
    lists, grades = random_campaign(8, runs=2)
    one, two = lists.values()
    (tmp_path / "x").mkdir()
    first = THRESHOLDS(**written(tmp_path, {"a": one, "b": two}, grades))
    second = THRESHOLDS(**written(tmp_path / "x", {"b": two, "a": one}, grades))
    for quantity, sign in (("difference", -1), ("queries, formula", 1), ("sd of differences", 1)):
        here, there = (
            {
                row.measure: row.value
                for row in result.rows
                if (row.part, row.quantity) == ("power", quantity)
            }
            for result in (first, second)
        )
        assert here == pytest.approx({name: sign * value for name, value in there.items()})


def test_the_same_run_twice_is_never_told_apart(tmp_path: Path) -> None:
    lists, grades = random_campaign(9, runs=1)
    result = THRESHOLDS(**written(tmp_path, {"a": lists["run0"], "b": lists["run0"]}, grades))
    power = [row for row in result.rows if row.part == "power"]
    assert {row.quantity for row in power} == {"difference", "sd of differences"}
    assert {row.value for row in power} == {0.0}
    assert result.found.changed == []
    assert "–" in {cell for table in result.view().tables for line in table.rows for cell in line}


def test_of_many_runs_the_first_is_compared_with_each(tmp_path: Path) -> None:
    lists, grades = random_campaign(10, runs=MOST_PAIRED + 1, topics=3)
    result = THRESHOLDS(**written(tmp_path, lists, grades, draws=2))
    pairs = {(row.run, row.other) for row in result.rows if row.other}
    assert pairs == {("run0", f"run{number}") for number in range(1, MOST_PAIRED + 1)}
    assert values(result, "order", "pairs")["", "P", "ADM"] == 13 * 12 / 2
    [notice] = result.design.notices()
    assert "listed by 13 runs are not judged" in notice


# --- files, page, command ---------------------------------------------------------------------


def test_rows_name_runs_and_numbers_of_topics(tmp_path: Path) -> None:
    lists, grades = random_campaign(11)
    result = THRESHOLDS(**written(tmp_path, lists, grades))
    content = json.loads(result.to_json())
    assert set(content["options"]) == {"run", "qrels", "calibration", "unjudged", "draws", "seed"}
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert len(rows) == len(result.rows)
    keys = ("run", "other", "part", "level", "measure", "quantity")
    assert len({tuple(row[key] for key in keys) for row in rows}) == len(rows)
    assert list(result.to_frame()["topics"].dropna().unique()) != []
    for row in result.rows:
        assert isinstance(row, RunRow)
        if row.low is not None:
            assert row.topics, row
    assert result.command.startswith("prum study thresholds --run ")
    assert "--queries" not in result.command
    assert THRESHOLDS(**result.design.options()).to_json() == result.to_json()


def test_view_and_page(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    lists, grades = random_campaign(12)
    lists = {f"<{name}>": lists[name] for name in lists}
    result = THRESHOLDS(**written(tmp_path, lists, grades))
    view = result.view()
    for table in view.tables:
        assert table.rows
        assert {len(cells) for cells in table.rows} == {len(table.columns)}
    page = result.to_html()
    for told in ("&lt;run0&gt;", "URE", "SRE", "</svg>", "not judged", "region"):
        assert told in page
    assert "<run0>" not in page
    best = max(lists, key=lambda run: values(result, "variance", "mean")[run, "ADM", ""])
    assert view.tables[0].rows[0][0] == best
    alone = THRESHOLDS(**written(tmp_path, {"<run0>": lists["<run0>"]}, grades)).view()
    assert "move P, R and E of a topic" in alone.headline
    assert "nan" not in " ".join((*alone.notes, alone.headline))


@pytest.mark.usefixtures("by_hand")
def test_command_counts_what_is_not_judged_aloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["study", "thresholds", "--run", "one", "--qrels", "qrels", "--draws", "3"]
    done = CliRunner().invoke(prum, [*words, "--json", "out.json"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "prum: one: 1 of 3 listed documents are not judged" in done.stderr
    assert "prum: one: no list, and so SRE 0, for r" in done.stderr
    assert "left out" in done.stdout
    content = json.loads((tmp_path / "out.json").read_text())
    assert content["found"]["scores"][0]["scores"]["ADM"] == pytest.approx(2 / 3)
    assert content["command"] == f"prum {' '.join(words[:-2])} --draws 3 --seed 1"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"qrels": None}, "qrels must be given; --run and --qrels go together"),
        ({"run": []}, "run must be given; --run and --qrels go together"),
        ({"queries": 50}, "queries is 50, must be left out with runs"),
        ({"worse": 2.0}, "worse is 2.0, must be left out with runs"),
        ({"run": [], "qrels": None, "calibration": "rank"}, "'rank', must be left out without"),
        ({"calibration": "best"}, "calibration is 'best', must be one of min-max, rank"),
        ({"calibration": "none"}, "topic q: score of 'a' is 3.0, must lie in [0, 1]"),
        ({"unjudged": "maybe"}, "unjudged is 'maybe', must be one of left-out, irrelevant"),
        ({"draws": 1}, "draws is 1, must be a whole number from 2 to"),
    ],
)
def test_options_that_make_no_study(
    options: dict[str, Any], told: str, by_hand: dict[str, Any]
) -> None:
    with pytest.raises(InputError) as caught:
        THRESHOLDS(**{**by_hand, **options})
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("run", "grades", "told"),
    [
        (RUN, {"q": {"a": 0}, "r": {"a": 0}}, "highest grade is 0, must be at least 1"),
        (RUN, {"q": {"a": 1}, "r": {"a": -1}}, "number of judged topics is 1, must be at least 2"),
        ({"z": {"a": 1.0}}, GRADES, "topics of a run is ['z'], must be among those judged, like"),
    ],
)
def test_files_that_make_no_study(run: Scores, grades: Grades, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        THRESHOLDS(**written(tmp_path, {"one": run}, grades))
    assert told in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_a_calibration_needs_other_topics_to_be_fitted_to(tmp_path: Path) -> None:
    given = written(tmp_path, {"one": RUN}, GRADES, calibration="isotonic")
    with pytest.raises(InputError, match="documents that run one lists on other topics is 0"):
        THRESHOLDS(**given)
