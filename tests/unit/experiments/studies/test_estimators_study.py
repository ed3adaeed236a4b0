"""The study of estimators: pools graded a second time, parts left out, mistakes told."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from prum.analytic.precision.of_task import prum_of
from prum.experiments import generate
from prum.experiments.commands.main import prum
from prum.experiments.generate.dataset import read_dataset
from prum.experiments.studies.estimators import ESTIMATORS, built_in, resampling
from prum.experiments.studies.estimators.scoring import (
    REFERENCE,
    EstimatorRows,
    complete_scores,
    scores_by,
)
from prum.experiments.studies.estimators.truth import IN, OUT, by_pool, pooled
from prum.simulator.model import Independent, InputError, Task
from tests.made_folders import SIZE, stand_in, value, whole_in
from tests.tiers import slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole_in(tmp_path_factory.mktemp("whole") / "made")


# --- pooling -------------------------------------------------------------------------------------


@slow
def test_a_pool_is_that_of_the_file_and_scores_those_of_loops(whole: Path) -> None:
    data = read_dataset(whole)
    assert pooled(data, 3) == data.other_grades("pooled")
    scores, here, _ = complete_scores(data, ["PRUM", "AP"])
    assert here == (REFERENCE, "PRUM", "AP")
    rows = EstimatorRows()
    notes = by_pool(rows, data, scores, here, np.random.default_rng(1), lambda: None)
    assert notes == []
    grades = pooled(data, 1)
    for subject, systems in ((IN, ("s0", "s2")), (OUT, ("s1", "s3"))):
        biases = []
        for topic in data.topics:
            ideals = [element for element, grade in grades[topic].items() if grade]
            if not ideals:
                continue
            for system in systems:
                task = Task(data.runs[system][topic], ideals, SIZE)
                prum = prum_of(task, Independent(data.navigation[topic])).average
                place = data.systems.index(system), data.topics.index(topic)
                biases.append(prum - data.scores["PRUM"][place])
        found = value(rows, "pooling", subject=subject, method="PRUM", at=1, quantity="bias")
        assert found == pytest.approx(np.mean(biases), abs=1e-7)
        kept = value(rows, "pooling", method="", at=1, quantity="topics")
        assert kept * len(systems) == len(biases)


def test_a_pool_of_everything_changes_nothing(tmp_path: Path) -> None:
    data = read_dataset(stand_in(tmp_path / "made"))
    scores, here, _ = complete_scores(data, ["PRUM"])
    everything = {
        topic: {f"e{k:02d}": grades.get(f"e{k:02d}", 0) for k in range(SIZE)}
        for topic, grades in data.grades.items()
    }
    _, found = scores_by(data, here, everything)
    assert found["PRUM"] == pytest.approx(scores["PRUM"], abs=1e-8)
    rows = EstimatorRows()
    notes = by_pool(rows, data, scores, here, np.random.default_rng(1), lambda: None)
    assert notes == ["All systems make the pool: none is left out of it."]
    assert "pooling" in {row.group for row in rows}
    assert OUT not in {row.subject for row in rows}


# --- the study -----------------------------------------------------------------------------------


@slow
def test_equal_seeds_give_equal_studies(whole: Path) -> None:
    one, two, other = (ESTIMATORS(folder=whole, draws=5, seed=seed) for seed in (3, 3, 4))
    assert one.to_json() == two.to_json()
    assert one.to_csv() == two.to_csv()
    assert one.to_csv() != other.to_csv()
    # What isn't drawn hangs on no seed.
    for group in ("truth", "links", "plug-in"):
        frames = (some.to_frame() for some in (one, other))
        mine, others = (frame[frame.group == group] for frame in frames)
        assert mine.equals(others)
        assert len(mine)
    assert one.command == f"prum study estimators {whole} --draws 5 --seed 3"
    groups = "truth, topics, coverage, power, false alarms, pooling, links, plug-in"
    assert {row.group for row in one.rows} == set(groups.split(", "))
    text = one.to_html()
    assert "Kendall’s tau-b with the true ranking" in text
    assert "Coverage of 95 % intervals" in text


@pytest.mark.parametrize(
    ("options", "left_out", "told"),
    [
        ({"num_topics": 1}, {"topics", "coverage", "power", "false alarms"}, "There is one topic"),
        ({"num_systems": 1}, {"topics", "power", "false alarms"}, "There is one system"),
        ({"kind": "flat"}, {"links", "plug-in"}, "There is no log"),
        ({"kind": "flat", "users": 5}, {"links", "plug-in"}, "Nobody browses"),
        ({}, {"links", "plug-in"}, "All systems make the pool"),
    ],
)
def test_what_data_lack_is_left_out_and_said(
    tmp_path: Path, options: dict[str, Any], left_out: set[str], told: str
) -> None:
    found = ESTIMATORS(folder=stand_in(tmp_path / "made", **options), draws=5, measures=["AP"])
    groups = {row.group for row in found.rows}
    assert not groups & left_out
    assert {"truth", "pooling"} <= groups
    assert any(note.startswith(told) for note in found.view().notes)


@slow
def test_without_a_folder_the_study_makes_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def made(specification: Mapping[str, Any], folder: Path) -> None:
        assert specification["seed"] == 5
        assert specification["topics"]["number"] == 400
        stand_in(folder, users=10)

    monkeypatch.setattr(generate, "generate_dataset", made)
    words = ["study", "estimators", "--draws", "5", "--seed", "5", "--measure", "AP", "--csv"]
    result = CliRunner().invoke(prum, [*words, str(tmp_path / "rows.csv")])
    assert result.exit_code == 0, result.output
    assert "stand-in: 12 topics, 4 systems" in result.output
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    assert {row["method"] for row in rows if row["group"] == "truth"} == {"AP"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "be a folder with dataset.json"),
        (["--measure", "XYZ"], "measure is 'XYZ'"),
        (["--draws", "1"], "draws is 1, must be a whole number from 2 to"),
    ],
)
def test_mistakes_are_told_in_a_line(arguments: list[str], told: str) -> None:
    result = CliRunner().invoke(prum, ["study", "estimators", *arguments])
    assert isinstance(result.exception, InputError)
    assert told in str(result.exception)
    assert "\n" not in str(result.exception)


def test_the_built_in_specification_is_one() -> None:
    from prum.experiments.generate.specification import DatasetSpecification

    specification = DatasetSpecification.read(built_in(7))
    assert specification.topics.number == 400
    assert specification.seed == 7
    assert resampling.RESAMPLES == 999
