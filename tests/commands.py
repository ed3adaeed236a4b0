"""`prum` called in this process: quick, where the process itself is not what is tested."""

import shlex
import subprocess
import sys
from collections.abc import Iterable
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest

from prum.experiments.commands.main import main

# Longer lines nobody reads.
_LINE = 500


def typed(line: str) -> list[str]:
    """Return the words of a line, as a shell parts them."""
    return shlex.split(line)


def called(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Return what a process would have returned for these words, typed in a folder."""
    out, told = StringIO(), StringIO()
    with (
        chdir(folder),
        patch.object(sys, "argv", ["prum", *words]),
        redirect_stdout(out),
        redirect_stderr(told),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return subprocess.CompletedProcess(
        words, int(ended.value.code or 0), out.getvalue(), told.getvalue()
    )


def refused(*words: str, folder: Path, told: str | Iterable[str]) -> None:
    """Check that words typed in a folder are refused in a line that says some things.

    The status is 2, nothing is printed, and no file is made, changed or left in parts.
    """
    before = contents(folder)
    check_refused(called(*words, folder=folder), told)
    assert contents(folder) == before


def check_refused(done: subprocess.CompletedProcess[str], told: str | Iterable[str]) -> None:
    """Check that a command was refused in a line that says some things."""
    assert (done.returncode, done.stdout) == (2, ""), (done.stdout, done.stderr)
    (line,) = done.stderr.splitlines()
    assert line.startswith("prum: ")
    assert len(line) < _LINE
    for part in (told,) if isinstance(told, str) else told:
        assert part in line


def contents(folder: Path) -> dict[str, bytes]:
    """Return what the files of a folder hold, and of those below it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
