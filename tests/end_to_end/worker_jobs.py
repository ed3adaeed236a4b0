"""Jobs that end in every way, servers that can be killed and ways to them that can be cut.

Workers import this file.
"""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from tests.deadline import SOON
from tests.end_to_end.sweep_processes import until

LONG = 2 * SOON  # of a job that ends only when it is ended
ROOT = str(Path(__file__).resolve().parents[2])

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="no Dask: distributed is not installed"
)
needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="no certificates: openssl is not installed"
)


# Jobs.


def fail() -> None:
    raise ValueError("no such list")


def interrupted() -> str:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)
    return "alive"


def slow(marks: str, seconds: float) -> int:
    with open(marks, "a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(seconds)
    return os.getpid()


def pids(marks: Path) -> list[int]:
    return [int(line) for line in marks.read_text().splitlines()] if marks.exists() else []


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def error_of(future: Future[Any]) -> BaseException:
    error = future.exception(timeout=SOON)
    assert error is not None
    return error


class Dask:
    """A scheduler and its workers."""

    def __init__(
        self, folder: Path, start: Callable[..., subprocess.Popen[str]], *tls: str
    ) -> None:
        self.folder, self.start, self.tls, self.port = folder, start, tls, 0
        self.log = folder / "dask.log"
        self.begin()

    def run(self, command: str, *words: str, **environment: str) -> subprocess.Popen[str]:
        with self.log.open("a") as log:
            return self.start(
                *("-m", f"distributed.cli.dask_{command}", *words, "--no-dashboard", *self.tls),
                cwd=self.folder,  # the project's own tells its version
                env={**os.environ, "DASK_TEMPORARY_DIRECTORY": str(self.folder), **environment},
                stdout=log,
                stderr=log,
            )

    def begin(self, **environment: str) -> None:
        """Start the scheduler, each time at the same address."""
        place = self.folder / "scheduler.json"
        place.unlink(missing_ok=True)
        protocol = "tls" if self.tls else "tcp"
        self.scheduler = self.run(
            *("scheduler", "--host", "127.0.0.1", "--port", str(self.port)),
            *("--protocol", protocol, "--scheduler-file", str(place)),
            **environment,
        )

        def address() -> str | None:
            try:
                return str(json.loads(place.read_text())["address"])
            except (FileNotFoundError, ValueError):
                return None

        self.address = until(address)
        self.port = int(self.address.rpartition(":")[2])

    def worker(self, **environment: str) -> subprocess.Popen[str]:
        return self.run(*("worker", self.address, "--no-nanny", "--nthreads", "1"), **environment)


def killed(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait(SOON)
