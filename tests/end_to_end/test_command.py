"""The `prum` command as a person types it: results, files, and one line for every mistake."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import called
from tests.tiers import slow

RUN = "q1 Q0 c 1 4 s\nq1 Q0 d 2 3 s\nq1 Q0 a 3 2 s\nq1 Q0 b 4 1 s\n"
QRELS = "q1 0 a 1\nq1 0 b 1\nq1 0 c 0\n"
LINKS = "source,target,probability\nc,a,.4\nc,b,.4\nd,a,.6\nd,b,.4\n"


def prum(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "prum.experiments.commands.main", *words],
        cwd=folder,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "links.csv").write_text(LINKS)
    return tmp_path


GOOD = ("crosscheck", "--run", "run", "--qrels", "qrels", "--links", "links.csv")
SIZED = (*GOOD, "--collection-size", "4", "--users", "20000")


def test_table_iii_from_files(files: Path) -> None:
    done = prum(*SIZED, "--seed", "1", "--json", "out.json", "--csv", "out.csv", folder=files)
    assert done.returncode == 0, done.stderr
    assert ".69137" in done.stdout
    assert ".64623" in done.stdout
    assert ".63561" in done.stdout
    result = json.loads((files / "out.json").read_text())
    assert result["verdict"] == "agrees"
    assert (result["seed"], result["num_users"]) == (1, 20_000)
    assert [round(row["exact"], 5) for row in result["comparisons"]] == [0.69137, 0.64623]
    assert [round(row["prum"], 5) for row in result["comparisons"]] == [0.69137, 0.63561]
    for row in result["comparisons"]:
        assert abs(row["simulated"] - row["exact"]) < 5 * row["error"]
    assert not list(files.glob("*.part"))
    assert not list(files.glob(".*.part"))


def test_topics_not_retrieved_count_and_topics_without_ideals_are_named(files: Path) -> None:
    (files / "qrels").write_text(QRELS + "q2 0 a 1\nq3 0 a 0\n")
    done = called(*SIZED, "--json", "out.json", folder=files)
    assert done.returncode == 0, done.stderr
    assert "q3" in done.stderr
    result = json.loads((files / "out.json").read_text())
    assert {row["topic"] for row in result["comparisons"]} == {"q1", "q2"}
    assert result["systems"][0]["num_topics"] == 2
    assert result["campaigns"][0]["without_ideals"] == ["q3"]
    # An empty list over 4 elements with one ideal: (4 + 1) / 2 draws.
    (row,) = [row for row in result["comparisons"] if row["topic"] == "q2"]
    assert row["exact"] == pytest.approx(1 / 2.5)


@slow
def test_a_disagreement_ends_with_status_1_and_is_shown(files: Path) -> None:
    wrong = (
        "import sys\n"
        "from prum.experiments.commands import main as cli\n"
        "from prum.experiments.sweeps import jobs\n"
        "from prum.simulator import Task\n"
        "right = jobs.simulate\n"
        "def reversed_list(task, navigation, **options):\n"
        "    other = Task(task.ranking[::-1], task.ideals, task.collection_size)\n"
        "    return right(other, navigation, **options)\n"
        "jobs.simulate = reversed_list\n"
        f"sys.argv = {['prum', *SIZED, '--json', 'out.json']!r}\n"
        "cli.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", wrong], cwd=files, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "(2 disagree;" in done.stdout
    assert json.loads((files / "out.json").read_text())["verdict"] == "disagrees"
