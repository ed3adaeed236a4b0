"""Commands go without what other systems lack: locks of folders, signals, affinity."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiers import slow

# What Windows has not; macOS lacks the first only. Its own locks are stood in for.
ABSENT = """
import os, signal, subprocess, sys, types
del os.sched_getaffinity
if {windows}:
    del os.O_NOFOLLOW, os.O_NONBLOCK, os.O_CLOEXEC, signal.SIGPIPE, signal.pthread_sigmask
    sys.modules["fcntl"] = None
    def locking(handle, how, length):
        if how == "try" and taken:
            raise PermissionError(13, "taken")
        taken.append(handle)
    taken = []
    sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_LOCK="wait", LK_NBLCK="try")
    opened = os.open
    def open_file(path, *arguments, **named):
        if os.path.isdir(path):
            raise PermissionError(13, "a folder", path)
        return opened(path, *arguments, **named)
    os.open = open_file
from prum.experiments.commands.main import main
sys.argv = ["prum", *{words!r}]
main()
"""
CASES = [
    ("crosscheck --example web --users 500 --seed 1 --json out.json", "out.json"),
    pytest.param("sweep web.toml --store s.sqlite --csv out.csv", "out.csv", marks=slow),
    pytest.param("generate --preset small -o made", "made/dataset.json", marks=slow),
]


def run(words: str, folder: Path, *, windows: bool) -> subprocess.CompletedProcess[str]:
    (folder / "web.toml").write_text('[[campaigns]]\nexample = "fig5"\n', "utf-8")
    code = ABSENT.format(windows=windows, words=words.split())
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


@slow
@pytest.mark.parametrize("windows", [False, True], ids=["macOS", "Windows"])
@pytest.mark.parametrize(("words", "written"), CASES)
def test_commands_go_without(words: str, written: str, windows: bool, tmp_path: Path) -> None:
    done = run(words, tmp_path, windows=windows)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    assert (tmp_path / written).stat().st_size > 100
    assert list(tmp_path.glob(".*.part")) == []
