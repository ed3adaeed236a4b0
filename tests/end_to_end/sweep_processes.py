"""Sweeps as processes that can be watched and killed, alone or on a Dask cluster of their own."""

import contextlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from tests.deadline import SOON

# Progress, which slow work tells of now and then where there is no terminal.
PROGRESS = re.compile(r"^prum: [\d,]+ of [\d,]+ cells.*\n", re.MULTILINE)
ROOT = str(Path(__file__).resolve().parents[2])


def until(true: Callable[[], Any]) -> Any:
    """Return the first true value of a function."""
    deadline = time.monotonic() + SOON
    while not (value := true()):
        assert time.monotonic() < deadline, f"not within {SOON:g} seconds"
        time.sleep(0.01)
    return value


def members(session: int) -> dict[int, str]:
    """Return pid -> command line of a session's processes."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, _, its_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state not in "ZX":
                found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
    return found


class Running:
    """A Python process, `prum sweep` unless said otherwise, in a session of its own."""

    def __init__(self, *words: str, folder: Path, **options: Any) -> None:
        self.folder = folder
        # No line of a worker is lost, so that a traceback of one would be seen.
        pipes: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(
            [sys.executable, *words],
            cwd=folder,
            text=True,
            start_new_session=True,
            **(pipes | options),
        )

    def members(self) -> dict[int, str]:
        """Return its processes and those they started."""
        return members(self.process.pid)

    def workers(self) -> list[int]:
        """Return its loky processes."""
        return sorted(pid for pid, words in self.members().items() if "popen_loky" in words)

    def until_parts(self, count: int) -> None:
        """Wait until so many parts are stored; fail if it ends before."""
        store = self.folder / "sweep.sqlite"
        while num_parts(store) < count:
            if self.process.poll() is not None:
                raise AssertionError(f"ended too early: {self.process.communicate()}")
            time.sleep(0.01)

    def kill(self) -> None:
        """Kill it alone, not those it started."""
        self.process.kill()
        self.process.wait(SOON)

    def ended(self, status: int = 0) -> tuple[str, str]:
        """Wait until it and all that it started are gone; return what it wrote but progress."""
        out, told = self.process.communicate(timeout=SOON)
        assert self.process.returncode == status, (self.process.returncode, out, told)
        assert "Traceback" not in told, told
        until(lambda: not self.members())
        return out, PROGRESS.sub("", told)


class Sessions:
    """Starts processes; those that are left in the end are killed."""

    def __init__(self) -> None:
        self._running: list[Running] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for running in self._running:
            while left := running.members():
                for pid in left:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                time.sleep(0.01)
            if running.process.stdout is None or not running.process.stdout.closed:
                running.process.communicate()

    def python(self, *words: str, folder: Path, **options: Any) -> Running:
        """Start Python."""
        running = Running(*words, folder=folder, **options)
        self._running.append(running)
        return running

    def sweep(
        self, *words: str, folder: Path, specification: str = "sweep.toml", **options: Any
    ) -> Running:
        """Start `prum sweep sweep.toml` in a folder."""
        command = ("-m", "prum.experiments.commands.main", "sweep", specification)
        return self.python(*command, *words, folder=folder, **options)


class Local:
    """Two processes beside the coordinator."""

    words = ("--workers", "2")

    def kill_worker(self, sweep: Running, draw: random.Random) -> None:
        """Kill one of a sweep's workers."""
        os.kill(draw.choice(until(sweep.workers)), signal.SIGKILL)

    def kill_workers(self, sweep: Running) -> None:
        """Kill all workers of a sweep at once."""
        for pid in until(sweep.workers):
            with contextlib.suppress(ProcessLookupError):  # the others end with the first
                os.kill(pid, signal.SIGKILL)


class Dask:
    """A Dask scheduler and two workers; those that are killed are started again."""

    def __init__(self, sessions: Sessions, folder: Path, **environment: str) -> None:
        self._sessions, self._folder, self._port = sessions, folder, 0
        self._environment = {
            **os.environ,
            "DASK_TEMPORARY_DIRECTORY": str(folder),
            "PYTHONPATH": ROOT,
            **environment,
        }
        self.begin()
        self._workers = [self._worker(), self._worker()]

    @property
    def words(self) -> tuple[str, ...]:
        """Return how a sweep is told to compute here."""
        return "--scheduler", self._address

    def begin(self) -> None:
        """Start the scheduler, each time at the same address."""
        place = self._folder / "scheduler.json"
        place.unlink(missing_ok=True)
        words = ("--host", "127.0.0.1", "--port", str(self._port), "--scheduler-file", str(place))
        self.scheduler = self._run("scheduler", *words)

        def address() -> str | None:
            try:
                return str(json.loads(place.read_text())["address"])
            except (FileNotFoundError, ValueError):
                return None

        self._address: str = until(address)
        self._port = int(self._address.rpartition(":")[2])

    def kill_worker(self, _: Running, draw: random.Random) -> None:
        """Kill one of the workers, and start another."""
        self._replace(draw.randrange(2))

    def kill_workers(self, _: Running) -> None:
        """Kill all workers at once, and start others."""
        for worker in self._workers:
            worker.process.kill()
        self._replace(0, 1)

    def _replace(self, *numbers: int) -> None:
        for number in numbers:
            self._workers[number].kill()
            self._workers[number] = self._worker()

    def _worker(self) -> Running:
        return self._run("worker", self._address, "--no-nanny", "--nthreads", "1")

    def _run(self, command: str, *words: str) -> Running:
        with (self._folder / "dask.log").open("a") as log:
            return self._sessions.python(
                *("-m", f"distributed.cli.dask_{command}", *words, "--no-dashboard"),
                folder=self._folder,
                env=self._environment,
                stdout=log,
                stderr=log,
            )


# What is in a store.


def rows(store: Path, query: str) -> list[tuple[Any, ...]]:
    """Return what a query finds; nothing as long as there is no table."""
    if not store.exists():
        return []
    address = f"{store.as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True, timeout=SOON)) as connection:
        try:
            return connection.execute(query).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            return []


def num_parts(store: Path) -> int:
    """Return how many parts are stored."""
    return sum(count for (count,) in rows(store, "SELECT count(*) FROM part"))


def check_users(store: Path, num_users: int) -> None:
    """Assert that each cell's users are stored, all and once."""
    assert rows(store, "PRAGMA integrity_check") == [("ok",)]
    ranges = defaultdict(list)
    for key, first, count in rows(store, "SELECT cell, first, count FROM part ORDER BY 1, 2"):
        ranges[key].append((first, count))
    for parts in ranges.values():
        ends = [0, *(first + count for first, count in parts)]
        assert [first for first, _ in parts] == ends[:-1]
        assert ends[-1] in (0, num_users)  # 0: a formula
