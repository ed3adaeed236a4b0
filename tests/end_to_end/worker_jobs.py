"""Jobs that end in every way; workers import this file."""

import importlib.util
import os
import signal
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from tests.deadline import SOON

LONG = 2 * SOON  # of a job that ends only when it is ended

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="no Dask: distributed is not installed"
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
