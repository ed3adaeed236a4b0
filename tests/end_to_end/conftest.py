"""Workers of every kind, and processes that are ended after a test."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.sweeps.workers import Cluster, Here, Processes, Workers
from tests.end_to_end.sweep_processes import ROOT, Dask, Sessions
from tests.end_to_end.worker_jobs import needs_dask


@pytest.fixture
def jobs_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.setenv("PYTHONPATH", ROOT, prepend=os.pathsep)


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return a function that starts Python; what it started and what that started is killed."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str, **options: Any) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, *words], text=True, start_new_session=True, **options
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Dask]:
    with Sessions() as sessions:
        yield Dask(sessions, tmp_path)


@pytest.fixture(params=["here", "processes", pytest.param("cluster", marks=needs_dask)])
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    if request.param == "here":
        made: Workers = Here()
    elif request.param == "processes":
        made = Processes(2)
    else:
        made = Cluster(request.getfixturevalue("dask").words[1])
    yield made
    made.close()
