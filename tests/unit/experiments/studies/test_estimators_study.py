"""The study of estimators: pools graded a second time, parts left out, mistakes told."""

import csv
import json
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
from prum.experiments.studies.estimators import (
    ESTIMATORS,
    IN,
    OUT,
    REFERENCE,
    by_pool,
    complete_scores,
    estimates_of,
    pooled,
)
from prum.simulator.collections.qrels import read_qrels
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
    assert pooled(data, 3) == read_qrels(whole / "qrels-pooled.txt")
    scores, here = complete_scores(data, ["PRUM", "AP"])
    assert here == (REFERENCE, "PRUM", "AP")
    rows = [*by_pool(data, scores, here)]
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
        found = value(rows, "pooling", subject=subject, method="PRUM", at=1)
        assert found == pytest.approx(np.mean(biases), abs=1e-7)
        kept = value(rows, "pooling", method="", at=1)
        assert kept * len(systems) == len(biases)


# --- the study -----------------------------------------------------------------------------------


@pytest.mark.parametrize("thing", ["topics", "systems"])
def test_one_topic_or_system_is_too_few(tmp_path: Path, thing: str) -> None:
    folder = stand_in(tmp_path / "made", **{f"num_{thing}": 1})
    with pytest.raises(InputError, match=f"number of {thing} is 1, must be at least 2"):
        ESTIMATORS(folder=folder, draws=5)


def test_what_users_who_differ_have_is_not_computed_again(tmp_path: Path) -> None:
    folder = stand_in(tmp_path / "made")
    content = json.loads((folder / "dataset.json").read_text())
    content["specification"]["browsing"] = {"kind": "beta 1 3 + fading .9", "way": None}
    (folder / "dataset.json").write_text(json.dumps(content))
    found = ESTIMATORS(folder=folder, draws=5, measures=["PRUM", "AP"])
    assert {row.method for row in found.rows if row.group == "pooling"} == {"", "AP"}
    assert found.found.notes[1] == "No pools of PRUM, known on complete judgements alone."


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


# --- estimates that are given --------------------------------------------------------------------


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stand_in(tmp_path_factory.mktemp("given") / "made")


def table_of(folder: Path, changed: Mapping[int, str] = {}) -> list[str]:
    """Return PRUM's scores of the folder as a table of estimates, some lines changed."""
    data = read_dataset(folder)
    lines = ["system,topic,estimate"] + [
        f"{system},{topic},{data.scores['PRUM'][s, t]}"
        for s, system in enumerate(data.systems)
        for t, topic in enumerate(data.topics)
    ]
    for at, line in changed.items():
        lines[at:] = [line, *lines[at + 1 :]]
    return lines


def test_scores_of_prum_are_graded_as_prum_is(given: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("\n".join(table_of(given)))
    alone = ESTIMATORS(folder=given, draws=5)
    found = ESTIMATORS(folder=given, draws=5, scores=[str(mine)])

    def of(name: str) -> list[Any]:
        rows = (row for row in found.rows if row.method == name)
        return [(r.group, r.at, r.value, r.low) for r in rows if r.group in ("truth", "topics")]

    assert of("mine") == of("PRUM") != []
    assert [row for row in found.rows if row.method != "mine"] == list(alone.rows)
    assert found.view().headline.startswith("mine is off by 0.0")
    assert found.found.notes == ["No pools of mine, known on complete judgements alone."]
    assert found.command == f"prum study estimators {given} --scores {mine} --draws 5 --seed 1"
    assert str(mine) in found.design.files("input")
    words = ["study", "estimators", str(given), "--scores", f"one={mine}", "--csv", str(mine)]
    before = mine.read_bytes()
    assert CliRunner().invoke(prum, words).exit_code != 0
    assert mine.read_bytes() == before


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({2: "s0,t0,.5"}, "line 3: score of s0 on topic t0 by estimate is 0.5, must be given once"),
        ({2: "bm25,t0,.5"}, "system of mine is 'bm25', must be in the folder and in the table"),
        ({2: "s0,t99,.5"}, "topic of mine is 't99', must be in the folder and in the table"),
        ({4: "s0,t3,nan"}, "line 5: score in estimate is 'nan', must be a number"),
        ({4: "s0,t3,1.5"}, "estimate of mine is 1.5, must be a number in [0, 1]"),
        ({4: "s0,t3,-.1"}, "estimate of mine is -0.1, must be a number in [0, 1]"),
        ({2: "", 3: ""}, "estimate of mine is nan, must be a number in [0, 1]"),
    ],
)
def test_mistakes_in_scores_are_told_in_a_line(
    given: Path, tmp_path: Path, changed: Mapping[int, str], told: str
) -> None:
    lines = [line for line in table_of(given, changed) if line]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    with pytest.raises(InputError) as caught:
        estimates_of(tmp_path / "mine.csv", "mine", read_dataset(given))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
