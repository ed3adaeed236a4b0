"""The steps of `make reproduce`: each has its page, goes on where it was, and fails aloud."""

import os
import re
from pathlib import Path

import pytest

from tests import reproduce
from tests.end_to_end.test_links_of_documents import anchors
from tests.reproduce import ROOT, Step, do, is_done, kept, main, steps

SOME = """
[first]
page = "docs/findings.md"
what = "a file"
run = "echo some; echo 1 >> made.csv"
files = ["made.csv"]
minutes = 1

[second]
page = "docs/findings.md"
what = "nothing"
run = "false"
minutes = 2

[third]
page = "docs/findings.md"
what = "what others measured"
run = "cat {data}/none"
minutes = 1
data = "none"
"""


@pytest.mark.parametrize("step", steps(), ids=lambda step: step.name)
def test_a_step_has_its_page_and_its_program(step: Step) -> None:
    path, _, anchor = step.page.partition("#")
    text = (ROOT / path).read_text("utf-8")
    assert not anchor or anchor in anchors(text)
    modules = re.findall(r"-m (tests[\w.]+)", step.run)
    scripts = re.findall(r"(?:\{root\}/|python )([\w/]+\.py)", step.run)
    files = [f"{name.replace('.', '/')}.py" for name in modules] + scripts
    assert all((ROOT / name).is_file() for name in files)
    assert files or "prum " in step.run
    assert step.minutes > 0
    assert all(name in step.run or "${law" in step.run for name in step.files)


def test_files_that_are_kept_are_those_of_steps() -> None:
    known = {(step.name, name) for step in steps() for name in step.outputs if not step.varies}
    assert kept()
    assert kept().keys() <= known


def test_steps_go_on_where_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "steps.toml").write_text(SOME)
    monkeypatch.setattr(reproduce, "STEPS", tmp_path / "steps.toml")
    out = tmp_path / "out"
    words = ["--out", str(out), "--data", str(tmp_path)]
    assert main([*words, "--minutes", "1"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"first: done, [\d.]+ s, no bytes to compare", told[0])
    assert told[1:] == [f"third: left out, {tmp_path / 'none'} is missing"]
    table = (out / "reproduced.csv").read_text().splitlines()
    assert [line.split(",")[:3] for line in table] == [
        ["step", "page", "file"],
        ["first", "docs/findings.md", "first.txt"],
        ["first", "docs/findings.md", "made.csv"],
    ]
    # Only steps that are named are done; nothing is computed again, and what fails is said.
    assert main([*words, "second"]) == 1
    assert capsys.readouterr().out == f"second: failed, see {out / 'second.log'}\n"
    assert main(words) == 1
    assert capsys.readouterr().out.startswith("first: was done, ")
    assert (out / "made.csv").read_text() == "1\n"
    # A file that was changed since, or another command, is computed anew.
    (first, *_) = steps(SOME)
    assert is_done(first, out)
    (out / "made.csv").write_text("2\n")
    assert not is_done(first, out)
    assert do(first, out, tmp_path)
    assert (out / "made.csv").read_text() == "2\n1\n"
    assert not is_done(steps(SOME.replace("echo some", "echo other"))[0], out)


def test_bytes_are_compared_with_those_that_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first, *_) = steps(SOME)
    monkeypatch.setattr(reproduce, "KEPT", tmp_path / "kept.csv")
    row = {"step": "first", "page": "", "file": "made.csv", "seconds": "1", "sha256": "a"}
    reproduce.write([row], tmp_path / "kept.csv")
    assert reproduce.compared(first, [row]) == "the same bytes"
    assert reproduce.compared(first, [{**row, "sha256": "b"}]) == "other bytes: made.csv"


def test_what_cannot_be_done_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    step = Step("empty", "docs/findings.md", "", "true", 1, ("made.csv",))
    assert not do(step, tmp_path, tmp_path)
    assert not is_done(step, tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["empty.log", "empty.txt"]
    with pytest.raises(SystemExit, match="2"):
        main(["nonsense"])
    assert "no step nonsense" in capsys.readouterr().err
