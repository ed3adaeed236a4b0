"""Folders of made data: read whole, and bad ones refused in a line."""

from pathlib import Path
from typing import Any

import pytest

from prum.analytic.precision.of_task import closed_form, prum_of
from prum.experiments.generate.dataset import read_dataset, read_scores
from prum.experiments.studies.estimators import REFERENCE
from prum.simulator.model import Independent, InputError, Task
from tests.made_folders import SIZE, stand_in, whole_in
from tests.tiers import slow

ONCE = "must be given once for each run and each topic with an ideal"
DIALS = '{"specification": {"collection": %s}, "files": {"log.jsonl": {}}}'


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole_in(tmp_path_factory.mktemp("whole") / "made")


def test_true_scores_and_their_errors(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(
        "system,topic,measure,score,error,method\na,t,AP,0.5,0.25,x\na,u,AP,0.75,,x\n"
    )
    systems, scores, errors = read_scores(tmp_path / "scores.csv", ["a"], ["u", "t"])
    assert (systems, scores["AP"].tolist()) == (("a",), [[0.75, 0.5]])
    assert errors["AP"].tolist() == [[0.0, 0.25]]


@slow
def test_a_folder_is_read_as_it_was_made(whole: Path) -> None:
    data = read_dataset(whole)
    assert (data.systems, data.size, data.kind) == (("s0", "s1", "s2", "s3"), SIZE, "independent")
    assert data.pooling == ("s0", "s2")
    assert data.scores["AP"].shape == (4, 12)
    for judged in data.judged():
        task = Task(data.runs["s1"][judged.topic], judged.ideals, SIZE)
        navigation = Independent(data.navigation[judged.topic])
        found = closed_form(task, navigation)
        place = data.topics.index(judged.topic)
        assert found is not None
        assert data.scores[REFERENCE][1, place] == pytest.approx(found.average, abs=1e-8)
        prum = prum_of(task, navigation).average
        assert data.scores["PRUM"][1, place] == pytest.approx(prum, abs=1e-8)


def _without(name: str) -> Any:
    return lambda folder: (folder / name).unlink()


def _in_scores(old: str, new: str) -> Any:
    def change(folder: Path) -> None:
        path = folder / "scores.csv"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return change


def _add_score(folder: Path) -> None:
    with (folder / "scores.csv").open("a") as file:
        file.write("s0,t0,AP,0.5,0,computed\n")


def _drop_last_score(folder: Path) -> None:
    path = folder / "scores.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


def _another_run(folder: Path) -> None:
    (folder / "runs" / "new").write_text("t0 Q0 e01 1 1 new\n")


def _mark(text: str) -> Any:
    return lambda folder: (folder / "dataset.json").write_text(text)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_without("dataset.json"), "be a folder with dataset.json"),
        (_mark("{}"), "specification must be given"),
        (_mark(DIALS % '{"kind": "flat"}'), "elements must be given"),
        (_mark(DIALS % '{"elements": 100, "kind": "flat"}'), "'log.jsonl', must be in the folder"),
        (_without("qrels.txt"), "file is 'qrels.txt', must be in the folder"),
        (_without("scores.csv"), "file is 'scores.csv'"),
        (_in_scores("s0,t0", "s9,t0"), ONCE),
        (_in_scores("s0,t0", "s0,t99"), ONCE),
        (_in_scores("system,", "run,"), "wrong column names: the row of names is 'run, topic"),
        (_in_scores(",0,computed", ",x,computed"), "line 2: error is 'x', must be a finite"),
        (_in_scores(",0,computed", ",0"), "is 5, must be 6, as in the first line"),
        (_add_score, f"scores {ONCE}"),
        (_drop_last_score, f"score of s1 on topic t1 by AP {ONCE}"),
        (_another_run, ONCE),
    ],
)
def test_a_bad_folder_is_refused_in_one_line(tmp_path: Path, change: Any, told: str) -> None:
    folder = stand_in(tmp_path / "made", num_topics=2, num_systems=2)
    change(folder)
    with pytest.raises(InputError) as error:
        read_dataset(folder)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
