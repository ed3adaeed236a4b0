"""The study of properties: known numbers, planted measures, counter-examples, reproducibility."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from prum.experiments.frame.study import StudyResult
from prum.experiments.studies.properties import PROPERTIES as STUDY
from prum.experiments.studies.properties import cases, measures
from prum.experiments.studies.properties.checks import CheckTrials, Searched, Simulated
from prum.experiments.studies.properties.measures import MEASURES
from prum.experiments.studies.properties.study import (
    PAPER,
    PROPERTIES,
    PropertiesDesign,
    PropertiesFindings,
    PropertiesRow,
    PropertyCell,
    compute,
)
from prum.experiments.studies.properties.view import counterexamples
from prum.simulator.model.assessments import check_propagation
from tests.tiers import slow

Result = StudyResult[PropertiesDesign, PropertiesRow, PropertiesFindings]

DRAWS = 10
CLOSE = 1e-9


@pytest.fixture(scope="module")
def study() -> Result:
    return STUDY(draws=DRAWS, seed=3)


def study_of(measure: measures.ExaminedMeasure, draws: int) -> Result:
    """Return the study of one measure."""
    design = PropertiesDesign(draws=draws)
    rows, found = compute(design, lambda _: None, measures={measure.name: measure})
    return STUDY.result(design, rows, found)


def verdict(study: Result, measure: str, name: str) -> str:
    (cell,) = (
        cell for cell in study.found.verdicts if (cell.measure, cell.property) == (measure, name)
    )
    return cell.verdict


def rows(study: Result, **wanted: object) -> list[Any]:
    return [
        row
        for row in study.rows
        if all(getattr(row, name) == value for name, value in wanted.items())
    ]


def scores(measure: str, case: cases.ExampleTask, ranking: str) -> measures.ListScores:
    return MEASURES[measure].scores(case, tuple(ranking))


# --- numbers that the paper prints ----------------------------------------------------------------


def test_numbers_of_the_paper() -> None:
    assert f"{scores('GRP', cases.OVERPOPULATED, 'f').recall:.3f}" == "0.286"
    assert f"{scores('GRPng', cases.OVERPOPULATED, 'ba').found:.2f}" == "1.27"
    assert f"{scores('GRPng', cases.OVERPOPULATED, 'ab').found:.2f}" == "0.67"
    assert [f"{scores('GRPng', cases.DRAMA, one).recall:.2f}" for one in ("cba", "abc")] == [
        "0.69",
        "0.33",
    ]
    assert scores("xCG", cases.DRAMA, "abc").found == pytest.approx(0.75, abs=CLOSE)
    assert [f"{scores('PRUM', cases.DRAMA, one).score:.2f}" for one in ("cba", "abc")] == [
        "1.00",
        "0.41",
    ]
    assert scores("xCG", cases.ENTRY, "a").at[1] == 0.5
    assert f"{scores('GRP', cases.ENTRY, 'a').at[-1]:.3f}" == "0.044"
    assert scores("PRUM", cases.ENTRY, "a").at.tolist() == [1, 1]
    assert scores("PRUM", cases.TWO_AT_ONCE, "deoi").at.round(4).tolist() == [0.6914, 0.6356]
    assert scores("T2I", cases.TWO_AT_ONCE, "o").at.tolist() == [1, 2]


def test_parts_gain_more_than_the_ideal_they_make_up() -> None:
    """xCG gains .75 for b, then (0 + .75 x 10) / 20 for a, whose c is new."""
    assert scores("xCG", cases.PARTS, "ba").at == pytest.approx(np.array([0.75, 1.125]), abs=CLOSE)


# --- the table --------------------------------------------------------------------------------


def test_every_cell_is_decided(study: Result) -> None:
    wanted = {(measure, name) for measure in MEASURES for name in PROPERTIES}
    found = [(one.measure, one.property) for one in study.found.verdicts]
    assert len(found) == len(wanted)
    assert set(found) == wanted
    assert {one.verdict for one in study.found.verdicts} == {"yes", "partial", "no"}
    num_checks = sum(map(len, PROPERTIES.values()))
    assert len(study.rows) == num_checks * len(MEASURES)
    for one in study.found.verdicts:
        held = [row.holds for row in rows(study, measure=one.measure, property=one.property)]
        assert (one.verdict == "yes") == all(held)
        if one.verdict == "partial":
            assert any(held)


def test_the_paper_is_contradicted_once(study: Result) -> None:
    assert len(PAPER) == 35
    differing = [cell for cell in study.found.verdicts if cell.differs]
    assert differing == [PropertyCell("xCG", "near misses", "partial", "yes (b)", differs=True)]
    assert study.view().headline.endswith("computation gives the same for 34.")
    assert study.command == f"prum study properties --draws {DRAWS} --seed 3"


def test_whose_mean_a_measure_is(study: Result) -> None:
    for name, measure in MEASURES.items():
        wanted = "no" if measure.users is None else "yes"
        assert verdict(study, name, "explicit user model") == wanted
    (published,) = rows(study, measure="PRUM", property="exact for its users")
    assert published.z > 10
    assert published.score_a == pytest.approx(0.63561, abs=1e-5)
    (known,) = rows(study, measure="EPRUM", property="exact for its users")
    assert known.holds
    assert abs(known.z) < 5


@pytest.mark.parametrize("name", list(PROPERTIES))
def test_every_property_tells_measures_apart(study: Result, name: str) -> None:
    assert len({verdict(study, measure, name) for measure in MEASURES}) > 1


# --- planted measures -------------------------------------------------------------------------


def counting(case: cases.ExampleTask, ranking: measures.RankedList) -> measures.ListScores:
    """Ideals in the list, duplicates and all, over the length of the list."""
    found = sum(x in case.ideals for x in ranking)
    return measures.ListScores(float(found), np.array([float(found)]), found, len(case.ideals))


def upside_down(case: cases.ExampleTask, ranking: measures.RankedList) -> measures.ListScores:
    """PRUM of the list read from below."""
    return MEASURES["PRUM"].scores(case, ranking[::-1])


def test_a_measure_that_rewards_duplicates_is_caught() -> None:
    study = study_of(measures.ExaminedMeasure("counting", counting), draws=5)
    assert verdict(study, "counting", "no reward for duplicates") == "no"
    (example,) = (
        example
        for example in counterexamples(study)
        if example.check == "the ideal once more, last"
    )
    assert example.expected == "score of h k h at most that of h k, topic flat"
    assert example.evidence == "counting 3.0000 and 2.0000"
    assert verdict(study, "counting", "bounded") == "partial"
    assert verdict(study, "counting", "explicit user model") == "no"


def test_a_measure_that_reads_from_below_is_caught() -> None:
    measure = measures.ExaminedMeasure("upside down", upside_down, MEASURES["PRUM"].users)
    study = study_of(measure, draws=30)
    assert verdict(study, "upside down", "monotone") == "no"
    assert verdict(study, "upside down", "explicit user model") == "no"
    (row,) = rows(study, check="ideal up past what is useless")
    assert row.score_a < row.score_b
    a, b = row.list_a.split(), row.list_b.split()
    assert sorted(a) == sorted(b)
    assert len(a) == 2


def test_users_who_are_others_are_noticed() -> None:
    """Negative control: the users follow links half as often as the measure has it."""

    def weaker(
        case: cases.ExampleTask, ranking: measures.RankedList, num_users: int, seed: int
    ) -> measures.UserMeans:
        links = {pair: p / 2 for pair, p in case.links.items()}
        known = MEASURES["PRUM"].users
        assert known is not None
        return known(replace(case, links=links), ranking, num_users, seed)

    check = Simulated("", cases.ONE_EACH, "xynab")
    trials = CheckTrials(1, 1)
    assert check.of(MEASURES["PRUM"], trials).holds
    found = check.of(measures.ExaminedMeasure("", MEASURES["PRUM"].scores, weaker), trials)
    assert not found.holds
    assert found.z is not None
    assert found.z < -10


# --- random tasks -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(50))
def test_random_tasks_are_what_they_should_be(seed: int) -> None:
    case, ranking = cases.random_case(np.random.default_rng(seed))
    check_propagation(case.assessments, case.elements)
    assert case.relevant
    assert case.ideals
    assert len(set(ranking)) == len(ranking) >= 2
    assert "n" not in case.relevance
    assert not any("n" in pair for pair in case.links)
    for less, shorter in cases.smaller(case, ranking):
        sizes = [
            (len(some), len(one.links), len(one.elements))
            for one, some in ((less, shorter), (case, ranking))
        ]
        assert sizes[0] != sizes[1]
        assert all(a <= b for a, b in zip(*sizes, strict=True))
        assert less.relevant
        assert less.ideals


@slow
def test_counterexamples_cannot_be_made_smaller() -> None:
    searched = [
        check for own in PROPERTIES.values() for check in own if isinstance(check, Searched)
    ]
    trials, seen = CheckTrials(DRAWS, 3), 0
    for check in searched:
        for measure in MEASURES.values():
            found = check.of(measure, trials)
            if found.holds:
                assert found.case is None
                continue
            seen += 1
            assert found.case is not None
            assert found.list_a is not None
            assert found.a != found.b
            whole = found.list_a if found.list_b is None else found.list_b
            for less, shorter in cases.smaller(found.case, whole):
                for _, _, a, b in check.pairs(measure, less, shorter):
                    if check.relation == "equal":
                        assert a == pytest.approx(b, abs=CLOSE)
                    else:
                        assert a >= b - CLOSE
    assert seen > 5


# --- what people see ----------------------------------------------------------------------------


def test_topics_are_named_and_what_differs_is_told(study: Result) -> None:
    assert {row.topic for row in study.rows} <= {None, cases.RANDOM, *study.found.topics}
    view = study.view()
    assert [row[0] for row in view.tables[0].rows] == list(PROPERTIES)
    assert "xCG, near misses: partial here, yes (b) in the paper." in view.notes
    assert any("GRP 0.2857 and 1.0000" in cell for t in view.tables for r in t.rows for cell in r)
    assert view.figures == ()
