"""Commands go without what macOS lacks: the processors that a process may use."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiers import slow

ABSENT = """
import os, sys
del os.sched_getaffinity
from prum.experiments.commands.main import main
sys.argv = ["prum", *{words!r}]
main()
"""
CASES = [
    ("crosscheck --example web --users 500 --seed 1 --json out.json", "out.json"),
    pytest.param("sweep web.toml --store s.sqlite --csv out.csv", "out.csv", marks=slow),
    pytest.param("generate --preset small -o made", "made/dataset.json", marks=slow),
]


def run(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "web.toml").write_text('[[campaigns]]\nexample = "fig5"\n', "utf-8")
    code = ABSENT.format(words=words.split())
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


@slow
@pytest.mark.parametrize(("words", "written"), CASES)
def test_commands_go_without(words: str, written: str, tmp_path: Path) -> None:
    done = run(words, tmp_path)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    assert (tmp_path / written).stat().st_size > 100
    assert list(tmp_path.glob(".*.part")) == []
