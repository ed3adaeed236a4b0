"""What is shown of a comparison by options: --top, --html, --latex, --figure."""

import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from prum.experiments.commands.main import main, prum
from tests.commands import typed

RUNS = {
    "good": "q1 Q0 a 1 4 s\nq1 Q0 x 2 3 s\nq2 Q0 a 1 1 s\nq3 Q0 c 1 1 s\n",
    "fair": "q1 Q0 x 1 4 s\nq1 Q0 a 2 3 s\nq2 Q0 a 2 1 s\nq3 Q0 x 1 2 s\nq3 Q0 c 1 1 s\n",
    "poor": "q1 Q0 x 1 4 s\nq2 Q0 x 1 2 s\nq3 Q0 x 1 2 s\n",
}
QRELS = "q1 0 a 1\nq2 0 a 1\nq3 0 c 1\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in {**RUNS, "qrels": QRELS}.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    command = ["evaluate", *RUNS, "--qrels", "qrels", "--measures", "AP,P@1", *arguments]
    return CliRunner().invoke(prum, command, catch_exceptions=False)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the line by which a command is refused, the last of all, with nothing written."""
    before = sorted(os.listdir())
    command = ["evaluate", *RUNS, "--qrels", "qrels", "--measures", "AP,P@1", *arguments]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["prum", *command])
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 2
    assert sorted(os.listdir()) == before
    return capsys.readouterr().err.splitlines()[-1]


def test_top_rows() -> None:
    out = run("--top", "1", "--latex", "out.tex").output
    assert "the first of 3 systems: 2 more follow" in out
    tex = Path("out.tex").read_text()
    assert "good" in tex
    assert "fair" not in tex


def test_files_are_written() -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    result = run(
        *typed("--html out.html --latex out.tex --figure out.svg"),
        *typed("--json out.json --csv out.csv"),
    )
    assert result.exit_code == 0
    page = Path("out.html").read_text()
    assert "good" in page
    # How to get it again says nothing of where it was written.
    command = "--qrels qrels --measures AP,P@1"
    assert command in page
    assert "--figure" not in page
    assert r"\toprule" in Path("out.tex").read_text()
    assert "Mean AP with 95 % intervals" in Path("out.svg").read_text()
    again = Path("out.svg").read_bytes()
    run("--figure", "out.svg")
    assert Path("out.svg").read_bytes() == again
    assert not [name for name in os.listdir() if name.endswith(".part")]


def test_mistakes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "must end in .pdf, .svg or .png" in refused(capsys, "--figure", "out.gif")
    assert "lie in a folder that exists" in refused(capsys, "--latex", "none/out.tex")
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert 'pip install "prum[report]"' in refused(capsys, "--html", "out.html")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert 'pip install "prum[report]"' in refused(capsys, "--figure", "out.pdf")
