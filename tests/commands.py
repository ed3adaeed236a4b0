"""`prum` called in this process: quick, where the process itself is not what is tested."""

import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest

from prum.experiments.commands.main import main


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
