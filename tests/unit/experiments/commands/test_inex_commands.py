"""INEX's submissions and assessments, taken by every command that takes runs and judgements."""

import json
from pathlib import Path

import pytest

from prum.simulator import InputError, read_campaign
from prum.simulator.model.task import Task
from tests.commands import called

pytest.importorskip("lxml")

# Fig. 6 of Piwowarski, Gallinari and Dupret (2007).
_LEAF = "x" * 10
_PATHS = {"/a[1]": "E3S2", "/a[1]/b[1]": "E3S2", "/a[1]/b[1]/c[1]": "E3S3"}
BAD = ("drama", "drama/b[1]", "drama/b[1]/c[1]")


def _submission(paths: list[str]) -> str:
    results = "".join(f"<result><file>drama</file><path>{path}</path></result>" for path in paths)
    return f'<inex-submission><topic topic-id="1">{results}</topic></inex-submission>'


def _assessments(marks: dict[str, str]) -> str:
    paths = "".join(
        f'<path path="{path}" exhaustiveness="{text[1]}" specificity="{text[3]}"/>'
        for path, text in marks.items()
    )
    return f'<assessments topic="1"><file file="drama">{paths}</file></assessments>'


@pytest.fixture
def inex(tmp_path: Path) -> Path:
    inner = "".join(f"<{name}>{_LEAF}</{name}>" for name in "cde")
    (tmp_path / "drama.xml").write_text(f"<a>{_LEAF}<b>{_LEAF}{inner}</b><f>{_LEAF}</f></a>")
    (tmp_path / "assessed.xml").write_text(_assessments(_PATHS))
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bad.xml").write_text(_submission(list(_PATHS)))
    (tmp_path / "runs" / "good.xml").write_text(_submission(list(_PATHS)[::-1]))
    return tmp_path


INPUT = ("--qrels", "assessed.xml", "--elements", "drama.xml")


def test_a_campaign_of_inex_is_that_of_the_same_in_tables(inex: Path) -> None:
    files = {"elements": [inex / "drama.xml"]}
    campaign = read_campaign([inex / "runs"], inex / "assessed.xml", **files)
    assert campaign.task("bad.xml", "1") == Task(BAD, ["drama/b[1]/c[1]"], 6)
    (inex / "qrels").write_text("1 0 drama/b[1]/c[1] E3S3\n1 0 drama/b[1] E3S2\n1 0 drama E3S2\n")
    run = "".join(f"1 Q0 {element} 1 {-rank} s\n" for rank, element in enumerate(BAD))
    (inex / "bad").write_text(run)
    same = read_campaign([inex / "bad"], inex / "qrels", **files)
    assert same.task("bad", "1") == campaign.task("bad.xml", "1")
    assert same.navigation_key == campaign.navigation_key


def test_ideals_are_those_that_evaluate_takes(inex: Path) -> None:
    (inex / "assessed.xml").write_text(_assessments({**_PATHS, "/a[1]/b[1]/c[1]": "E3S2"}))
    told = called("crosscheck", "--run", "runs", *INPUT, folder=inex)
    assert told.returncode == 2
    assert "take --ideals best, or assess some element E3S3" in told.stderr
    best = called(
        "crosscheck",
        "--run",
        "runs",
        *INPUT,
        *["--ideals", "best", "--users", "1000", "--json", "crosscheck.json"],
        folder=inex,
    )
    assert best.returncode == 0, best.stderr
    called("evaluate", "runs", *INPUT, "--ideals", "best", "--json", "evaluate.json", folder=inex)
    evaluated = json.loads((inex / "evaluate.json").read_text())
    wanted = {x["system"]: x["mean"] for x in evaluated["means"] if x["measure"] == "PRUM"}
    checked = json.loads((inex / "crosscheck.json").read_text())
    assert checked["arguments"]["ideals"] == "best"
    found = {x["system"]: x["prum"] for x in checked["systems"]}
    assert found == pytest.approx(wanted)
    with pytest.raises(InputError, match=r"^ideals is 'worst', must be one of strict, best"):
        read_campaign(
            [inex / "runs"], inex / "assessed.xml", elements=[inex / "drama.xml"], ideals="worst"
        )


def test_assessments_contradict_no_tree(inex: Path) -> None:
    (inex / "assessed.xml").write_text(_assessments({"/a[1]/b[1]/c[1]": "E3S3"}))
    told = called("crosscheck", "--run", "runs", *INPUT, folder=inex)
    assert "assessed.xml, topic 1: assessment of 'drama/b[1]' is 'missing', must be" in told.stderr
