"""What a report says of a store and of a folder, and what it says is missing."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import prum
from prum import InputError
from prum.experiments.report import Report, report
from prum.experiments.report.ranked import (
    SystemRanking,
    agreements,
    dials_of,
    errors_of,
    heat_maps,
    influences,
    ranking,
    rankings,
)
from prum.experiments.report.results import CellOutcome, ScoredSystems, num_lists
from prum.experiments.report.tables import (
    ReportSummary,
    headline,
    heat_table,
    measure_table,
    sentences,
)
from prum.experiments.report.view import curves_of

GRID = {
    "campaigns": [{"example": "web"}],
    "grid": {
        "navigation": ["independent", "exclusive", "independent + fading 0.5"],
        "seeds": [1, 2],
    },
    "users": {"num_users": 500},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store, its sweep's table and a cross-check."""
    folder = tmp_path_factory.mktemp("results")
    swept = prum.sweep(GRID, store=folder / "web.sqlite")
    swept.to_frame().to_csv(folder / "web.csv", index=False)
    comparison = {
        "campaign": "fig",
        "system": "run",
        "topic": "1",
        "reference_name": "exact",
        "r": 1,
        "prum": 0.5,
        "exact": 0.75,
        "simulated": 0.7,
        "error": 0.05,
        "verdict": "agrees",
    }
    check = {
        "kind": "crosscheck",
        "headline": "They agree.",
        "tables": [],
        "arguments": {},
        "verdict": "agrees",
        "level": 0.01,
        "num_tested": 2,
        "num_users": 100,
        "seed": 7,
        "version": "0.1.0",
        "command": "prum crosscheck --example fig",
        "campaigns": [{"name": "fig", "kind": "independent", "navigation": "Independent"}],
        "comparisons": [comparison, {**comparison, "r": 2, "exact": None, "simulated": None}],
    }
    (folder / "check.json").write_text(json.dumps(check))
    return folder


def of(
    system: str, topic: str, setting: str, published: list[float], true: list[float]
) -> CellOutcome:
    missing = np.full(len(true), np.nan)
    values = np.array(published), np.array(true), missing, missing, missing
    return CellOutcome("f.json", "c", setting, system, topic, *values)


def test_a_store_gives_its_own_numbers(folder: Path) -> None:
    made = report(folder / "web.sqlite")
    rows = prum.sweep(GRID, store=folder / "web.sqlite").to_frame()
    for outcome in made.found.outcomes:
        own = rows[rows["navigation"] == outcome.setting]
        for name in ("prum", "exact"):
            precision = own.loc[own["estimator"] == name, "precision"].to_numpy(float)
            assert getattr(outcome, name).tolist() == precision.tolist()
        simulated = own[own["estimator"] == "simulated"].groupby("r")
        pooled = simulated["leading"].sum() / simulated["consulted"].sum()
        assert outcome.simulated == pytest.approx(pooled.to_numpy(float))
        # Seeds are independent: squares of errors add up, by shares of what was consulted.
        drawn = own[own["estimator"] == "simulated"].sort_values(["seed", "r"])
        consulted, error = (
            drawn[name].to_numpy(float).reshape(2, -1) for name in ("consulted", "precision_error")
        )
        parts = consulted / consulted.sum(axis=0) * error
        assert (parts > 0).all()
        assert outcome.error == pytest.approx(np.hypot(*parts))
        assert (outcome.num_users, outcome.seeds) == (1_000, (1, 2))
    assert sum(made.summary.verdicts.values()) == made.summary.num_values == 6
    assert not made.notes


def test_a_folder_says_what_it_leaves_out(folder: Path, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed"
    shutil.copytree(folder, mixed)
    (mixed / "again.json").write_bytes((mixed / "check.json").read_bytes())
    (mixed / "notes.txt").write_text("to do")
    (mixed / "cut.json").write_text('{"verdict": "agr')
    (mixed / "other.json").write_text('{"a": 1}')
    (mixed / "wrong.json").write_text('{"kind": "x", "headline": 1, "tables": [{}]}')
    (mixed / "cut.sqlite").write_bytes((mixed / "web.sqlite").read_bytes()[:5_000])
    (mixed / "page.html").write_text("<html>")
    made = report(mixed, without=[mixed / "page.html"])
    assert [one.file for one in made.found.results] == ["again.json", "web.sqlite"]
    told = "\n".join(made.notes)
    for words in (
        "check.json is the same as again.json",
        "cut.json could not be read",
        "wrong.json could not be read",
        "cut.sqlite could not be read",
        "left out: notes.txt, other.json, web.csv.",
    ):
        assert words in told
    assert "page.html" not in told


def test_a_page_has_the_same_bytes_each_time_and_all_that_is_missing(folder: Path) -> None:
    made = report(folder, title="A <b>title</b>")
    page = made.to_html()
    assert page == report(folder, title="A <b>title</b>").to_html()
    assert "A &lt;b&gt;title" in page
    for words in ("10.1145/1198296.1198297", "rate of false alarms", "seeds 1, 2, 7", "nan"):
        assert (words in page) == (words != "nan")
    # It is the cross-check that has the largest error, at r = 1; nothing is known at r = 2.
    assert made.summary.largest is not None
    assert (made.summary.largest.error, made.summary.largest.r) == (-0.25, 1)
    assert "off by .25 of precision at most (run, topic 1, r = 1, independent)" in made.headline
    assert r"\begin{tabular}" in made.to_latex()


def test_an_unfinished_sweep_says_how_much_is_missing(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "part.sqlite"
    shutil.copy(folder / "web.sqlite", store)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(
            "DELETE FROM part WHERE cell IN (SELECT key FROM cell WHERE content LIKE '%exact%')"
        )
    made = report(store)
    assert "unfinished, 3 of 13 cells are missing" in made.notes[0]
    assert made.summary.largest is not None
    assert made.summary.largest.reference == "simulated"
    assert made.to_html()
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM part")
    with pytest.raises(InputError, match=r"part.sqlite', must hold results"):
        report(store)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("gone", None, "must exist"),
        ("empty.json", b"", "must be JSON"),
        ("list.json", b"[]", "must be an object"),
        ("other.json", b'{"a": 1}', "must be what a command of prum writes"),
        ("cut.sqlite", b"SQLite format 3\0", "store"),
        ("sweep.csv", b"campaign,topic\nweb,1\n", "must be JSON"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(
    tmp_path: Path, name: str, content: bytes | None, told: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=told) as error:
        report(tmp_path / name)
    assert "\n" not in str(error.value)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("to do")
    with pytest.raises(InputError, match=r"must hold results of prum \(No results .*notes.txt"):
        report(tmp_path)


def test_errors_are_mapped_over_the_dials_they_depend_on() -> None:
    outcomes = [
        of(
            system,
            "1",
            f"{base} + fading {fading}",
            [0.5, 0.5],
            [0.5 + 0.1 * fading, 0.5 - (0.2 if base == "walk" else 0.0)],
        )
        for system in ("a", "b")
        for base in ("walk", "independent")
        for fading in (0.9, 0.5)
    ]
    errors, dials = errors_of(outcomes), dials_of(outcomes)
    assert [one.name for one in influences(errors, dials)] == [
        "browsing",
        "recall",
        "fading",
        "system",
    ]
    first, second = heat_maps(errors, dials)
    assert (first.row, first.column, first.others) == ("browsing", "recall", ("fading", "system"))
    assert (first.rows, first.columns) == (("independent", "walk"), ("to .6", "to 1"))
    assert first.largest == pytest.approx(np.array([[-0.09, 0], [-0.09, 0.2]]))
    table = heat_table(first)
    assert table.rows == (("independent", "−.09", ".00"), ("walk", "−.09", "+.20"))
    assert [marks.shades for marks in table.marks] == [(), (4, 4), (0, 8)]
    assert table.data["to .6"] == pytest.approx((-0.09, -0.09))
    assert (second.row, second.column) == ("browsing", "fading")
    assert second.columns == ("0.5", "0.9")
    assert second.largest == pytest.approx(np.array([[-0.05, -0.09], [0.2, 0.2]]))


def test_dials_alone_are_those_of_independent_browsing() -> None:
    outcomes = [
        of("a", "1", setting, [0.5], [0.4]) for setting in ("independent", "fading 0.5", "walk")
    ]
    levels = {dial.name: [dial.levels[code] for code in dial.codes] for dial in dials_of(outcomes)}
    assert levels == {
        "browsing": ["independent", "independent", "walk"],
        "fading": ["none", "0.5", "none"],
    }


def test_a_ranking_counts_topics_that_all_systems_have() -> None:
    outcomes = [
        of("a", "1", "walk", [0.9], [0.5]),
        of("b", "1", "walk", [0.4], [0.6]),
        of("c", "1", "walk", [0.3], [0.1]),
        of("a", "2", "walk", [0.0], [1.0]),
        of("b", "2", "walk", [np.nan], [1.0]),
    ]
    found = ranking(outcomes[0].group, outcomes)
    assert found is not None
    assert (found.num_topics, found.systems, found.best) == (1, ("b", "a", "c"), (("b",), ("a",)))
    assert found.moved == [("b", 1, 2), ("a", 2, 1)]
    assert found.tau == pytest.approx(1 / 3)
    assert ranking(outcomes[0].group, outcomes[:1]) is None


def test_a_topic_that_is_not_known_at_every_r_is_not_ranked() -> None:
    outcomes = [
        of("a", "1", "walk", [0.5, 0.4], [0.5, 0.4]),
        of("b", "1", "walk", [0.4, 0.3], [0.4, 0.3]),
        of("a", "2", "walk", [0.1, np.nan], [0.1, 0.1]),
        of("b", "2", "walk", [0.9] * 2, [0.9] * 2),
    ]
    found = ranking(outcomes[0].group, outcomes)
    assert found is not None
    assert (found.num_topics, found.best) == (1, (("a",), ("a",)))
    assert found.prum.tolist() == pytest.approx([0.45, 0.35])


def test_scores_that_differ_by_rounding_share_a_place() -> None:
    outcomes = [
        of("a", "1", "walk", [0.3], [0.8]),
        of("b", "1", "walk", [0.1 + 0.2], [0.1 + 0.7]),
        of("c", "1", "walk", [0.2], [0.9]),
    ]
    assert 0.1 + 0.2 != 0.3
    assert 0.1 + 0.7 != 0.8
    found = ranking(outcomes[0].group, outcomes)
    assert found is not None
    assert found.places == [("c", 1, 3), ("a", 2, 1), ("b", 2, 1)]
    assert found.best == (("c",), ("a", "b"))


def best_of(published: list[float], true: list[float]) -> list[str]:
    """Return what is said of the best of some systems."""
    outcomes = [
        of(f"s{at}", "1", "walk", [prum], [truth])
        for at, (prum, truth) in enumerate(zip(published, true, strict=True))
    ]
    found = ranking(outcomes[0].group, outcomes)
    assert found is not None
    return [one for one in sentences(ReportSummary.of(outcomes), [found]) if "highest mean" in one]


@pytest.mark.parametrize(
    ("published", "true", "told"),
    [
        (
            [0.5, 0.4],
            [0.6, 0.5],
            "PRUM and the true values have the highest mean for the same system.",
        ),
        (
            [0.5, 0.5],
            [0.6, 0.6],
            "PRUM and the true values have the highest mean for the same system.",
        ),
        (
            [0.4, 0.5],
            [0.6, 0.5],
            "PRUM has the highest mean for another system than the true values have.",
        ),
        # The first of tied systems is not the only best one.
        (
            [0.4, 0.5],
            [0.6, 0.6],
            "PRUM and the true values differ in who ties for the highest mean.",
        ),
        (
            [0.5, 0.5],
            [0.5, 0.6],
            "PRUM and the true values differ in who ties for the highest mean.",
        ),
        (
            [0.3, 0.5, 0.4],
            [0.6, 0.5, 0.6],
            "PRUM has the highest mean for another system than the true values have.",
        ),
    ],
)
def test_ties_for_the_best_are_no_other_system(
    published: list[float], true: list[float], told: str
) -> None:
    (sentence,) = best_of(published, true)
    assert sentence.endswith(told)


def test_tied_systems_are_named_in_tables() -> None:
    means = {"AP": {"a": 0.4, "b": 0.5}, "C": {"a": 9.0, "b": 3.0}, "CL": {"a": 2.0, "b": 3.0}}
    [lesser] = agreements([ScoredSystems("f.json", means)])
    assert (lesser.measure, lesser.tau, lesser.best) == ("C", 1.0, ("b",))
    scored = ScoredSystems("f.json", {"AP": {"a": 0.5, "b": 0.5}, "RR": {"a": 0.4, "b": 0.5}})
    (row,) = measure_table(list(agreements([scored]))).rows
    assert row[-2:] == ("b", "a, b")


def drawn(name: str, published: list[float], simulated: list[float], error: float) -> CellOutcome:
    """Return what users say of a list without an exact value."""
    missing = np.full(len(published), np.nan)
    return CellOutcome(
        "f.json",
        "c",
        "walk",
        name,
        "1",
        np.array(published),
        missing,
        np.array(simulated),
        np.full(len(published), error),
        missing,
    )


def ranked(setting: str, published: list[float], true: list[float]) -> SystemRanking:
    outcomes = [
        of(f"s{at}", "1", setting, [prum], [truth])
        for at, (prum, truth) in enumerate(zip(published, true, strict=True))
    ]
    found = ranking(outcomes[0].group, outcomes)
    assert found is not None
    return found


KEPT = ranked("kept", [0.3, 0.2, 0.1], [0.6, 0.5, 0.4])
MOVED = ranked("moved", [0.2, 0.3, 0.1], [0.6, 0.5, 0.4])
TURNED = ranked("turned", [0.1, 0.2, 0.3], [0.6, 0.5, 0.4])
TIED = ranked("tied", [0.1, 0.1, 0.1], [0.6, 0.5, 0.4])


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ([], " of 2 values."),
        ([KEPT], "; it keeps every place in the ranking of systems."),
        ([KEPT, KEPT], "; it keeps every place in 2 of 2 rankings of systems."),
        ([MOVED], "; it changes places in the ranking of systems (Kendall’s τ-b at least 0.33)."),
        ([TIED], "; it changes places in the ranking of systems."),
        (
            [KEPT, TURNED, MOVED, TIED],
            "; it keeps every place in 1 of 4 rankings of systems (Kendall’s τ-b at least −1.00).",
        ),
    ],
)
def test_rankings_in_words(found: list[SystemRanking], told: str) -> None:
    summary = ReportSummary.of([of("a", "1", "walk", [0.5, 0.5], [0.4, 0.5])])
    assert headline(summary, found, 1).endswith(told)


def test_rankings_that_change_most_come_first() -> None:
    outcomes = {
        setting: [
            of(f"s{at}", "1", setting, [prum], [0.6 - at / 10]) for at, prum in enumerate(published)
        ]
        for setting, published in {
            "kept": [0.3, 0.2, 0.1],
            "tied": [0.1] * 3,
            "turned": [0.1, 0.2, 0.3],
            "moved": [0.2, 0.3, 0.1],
        }.items()
    }
    found = rankings({own[0].group: own for own in outcomes.values()})
    assert [one.group[2] for one in found] == ["turned", "moved", "kept", "tied"]


@pytest.mark.parametrize(("sign", "direction"), [(1, "above"), (-1, "below")])
def test_a_largest_error_has_its_side_and_its_interval(sign: int, direction: str) -> None:
    outcomes = [
        of("a", "1", "walk", [0.5, 0.01, 0.5], [0.5, 0, 0.48]),
        drawn("b", [0.5, 0.5], [0.5 - 0.2 * sign, 0.5], 0.05),
    ]
    summary = ReportSummary.of(outcomes)
    # Errors 0, 0, .01, .02 and .2: what is .01 off is small.
    assert (summary.num_values, summary.share_small) == (5, 0.6)
    assert summary.median == pytest.approx(0.01)
    (told,) = sentences(summary, [])
    assert told == (
        "The largest error is at b, topic 1, r = 1, walk, c: PRUM says 0.5000, .2 "
        f"{direction} the simulated value (whose 95 % interval reaches .098 to either side). "
        "At half of all values PRUM is off by .01 or less."
    )
    # An exact value has no interval, and is what users are held against where both are known.
    both = replace(outcomes[1], exact=np.array([0.5 - 0.3 * sign, 0.5]))
    assert both.deviation == pytest.approx([0.3 * sign, 0])
    (told,) = sentences(ReportSummary.of([both]), [])
    assert f".3 {direction} the exact value. At" in told


def test_a_list_of_several_files_or_settings_counts_once() -> None:
    first = of("a", "1", "walk", [0.5], [0.4])
    assert num_lists([first, replace(first, setting="beta"), replace(first, file="g.json")]) == 1
    assert num_lists([first, replace(first, system="b"), replace(first, topic="2")]) == 3
    # Without a campaign it is not known whether lists of two files are the same.
    nameless = replace(first, campaign="")
    assert num_lists([nameless, replace(nameless, file="g.json")]) == 2


def test_the_mean_of_lists_is_off_by_less_than_one_of_them() -> None:
    curves = curves_of([drawn(f"s{at}", [0.5], [0.4], 0.05) for at in range(4)])
    assert curves is not None
    assert curves.half == pytest.approx([1.959964 * 0.05 / 2] * 11)


def test_nothing_to_compare_is_said() -> None:
    nothing = of("a", "1", "walk", [np.nan], [0.5])
    assert "Nothing here says" in headline(ReportSummary.of([nothing]), [], 1)
    assert curves_of([nothing]) is None
    equal = of("a", "1", "walk", [0.5], [0.5])
    assert "equals the exact value" in headline(ReportSummary.of([equal]), [], 1)
    assert heat_maps(errors_of([equal]), dials_of([equal])) == []


def test_what_python_gives_is_what_the_command_shows(folder: Path) -> None:
    made = prum.report(folder)
    assert isinstance(made, Report)
    assert repr(made).startswith(made.headline)
    assert made.view().headline == made.headline
    assert made.command == f"prum report {folder} -o report.html"
    rows = made.to_frame()
    assert len(rows) == made.summary.num_values + 1
    assert json.loads(made.to_json())["num_values"] == made.summary.num_values
