"""Commands go without what macOS lacks: the processors that a process may use."""

import subprocess
import sys
from pathlib import Path

from tests.tiers import slow

ABSENT = """
import os, sys
del os.sched_getaffinity
from prum.experiments.commands.main import main
sys.argv = ["prum", *{words!r}]
main()
"""


@slow
def test_a_command_goes_without(tmp_path: Path) -> None:
    words = "crosscheck --example web --users 500 --seed 1 --json out.json"
    command = [sys.executable, "-c", ABSENT.format(words=words.split())]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    assert (tmp_path / "out.json").stat().st_size > 100
