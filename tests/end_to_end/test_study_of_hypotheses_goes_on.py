"""The study of hypotheses keeps what it computes: it goes on where it was cut off."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from prum.experiments.commands.generator import study
from prum.experiments.sweeps.store import Store
from prum.simulator.model import InputError


@pytest.mark.slow
def test_a_study_of_hypotheses_that_is_cut_off_goes_on(tmp_path: Path) -> None:
    words = [*["study", "hypotheses", "--example", "web", "--users", "40"], "--workers", "1"]
    command = [sys.executable, "-m", "prum.experiments.commands.main", *words]
    place = tmp_path / "hypotheses-40.sqlite"
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        while not (place.exists() and kept(place)):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        told = process.stderr.read()
    assert process.returncode == 130
    assert "what was computed is in hypotheses-40.sqlite, run again to go on" in told
    before = kept(place)
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Values are kept in hypotheses-40.sqlite" in again.stdout
    assert before.items() < kept(place).items()


def kept(place: Path) -> dict[str, Any]:
    """Return the parts of a store, none before it is one."""
    try:
        with Store(place, read_only=True) as store:
            return store.ranges()
    except InputError:
        return {}


def test_a_mistake_leaves_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in ("--users 1", "--seed -1", "--within walk", "--across x", f"--users {10**40}"):
        done = CliRunner().invoke(study, ["hypotheses", "--example", "web", *words.split()])
        assert isinstance(done.exception, InputError), done.output
    assert list(tmp_path.iterdir()) == []
