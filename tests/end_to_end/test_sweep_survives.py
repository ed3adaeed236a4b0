"""Sweeps that are killed, interrupted, starved and repeated: nothing is lost and nothing twice."""

import importlib.util
import os
import random
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deadline import SOON
from tests.end_to_end.sweep_processes import (
    Dask,
    Local,
    Sessions,
    check_users,
    num_parts,
    until,
)
from tests.tiers import slow

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="no Dask: distributed is not installed"
)
EVERYWHERE = ["local", pytest.param("dask", marks=[needs_dask, slow])]
EXPORT = ("--csv", "sweep.csv")

# 8 lists, of each 5 formulas, and of each seed 4 simulations. Most of the work are walks.
SPECIFICATION = """
campaigns = [{{ example = "campaign" }}]
[grid]
topics = ["topic01", "topic02", "topic03", "topic04"]
systems = ["gateway-noisy", "poor"]
navigation = ["independent", "walk"]
unranked = ["sampled", "expected"]
seeds = {seeds}
[users]
num_users = {users}
"""
LARGE = SPECIFICATION.format(seeds=[1, 2, 3], users=40_000)  # 136 cells, 184 parts
SMALL = SPECIFICATION.format(seeds=[1], users=40_000)  # 72 cells, 88 parts


def exported(folder: Path) -> bytes:
    return (folder / "sweep.csv").read_bytes()


def undisturbed(specification: str, folder: Path) -> bytes:
    """Return the bytes of a sweep that nothing happens to, in a single process."""
    (folder / "sweep.toml").write_text(specification)
    with Sessions() as sessions:
        sessions.sweep("--workers", "1", *EXPORT, folder=folder).ended()
    return exported(folder)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return undisturbed(LARGE, tmp_path_factory.mktemp("large"))


@pytest.fixture(scope="module")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    undisturbed(SMALL, folder)
    return folder


@pytest.fixture(scope="module")
def small(small_folder: Path) -> bytes:
    return exported(small_folder)


@pytest.fixture
def sessions() -> Iterator[Sessions]:
    with Sessions() as begun:
        yield begun


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sweep.toml").write_text(SMALL)
    return tmp_path


@pytest.fixture
def hands(request: pytest.FixtureRequest, sessions: Sessions, tmp_path: Path) -> Local | Dask:
    return Local() if request.param == "local" else Dask(sessions, tmp_path)


def finished(sessions: Sessions, folder: Path, *words: str) -> tuple[bytes, int]:
    """Run a folder's sweep to its end; return the rows and how many cells it computed."""
    out, told = sessions.sweep(*words, *EXPORT, folder=folder).ended()
    assert told == ""
    return exported(folder), num_computed(out)


def num_computed(out: str) -> int:
    (found,) = re.findall(r"([\d,]+) computed now", out)
    return int(found.replace(",", ""))


# Killed.


@slow
@pytest.mark.parametrize("hands", EVERYWHERE, indirect=True)
def test_three_times_a_worker_and_the_coordinator_are_killed(
    hands: Local | Dask, sessions: Sessions, large: bytes, tmp_path: Path
) -> None:
    (tmp_path / "sweep.toml").write_text(LARGE)
    store = tmp_path / "sweep.sqlite"
    draw = random.Random(2007)
    for moment in sorted(draw.sample(range(1, 120), 3)):  # of 184 parts
        sweep = sessions.sweep(*hands.words, folder=tmp_path)
        sweep.until_parts(moment)
        pauses = draw.uniform(0, 0.1), draw.uniform(0, 0.3)
        print(f"at {moment} parts, really {num_parts(store)}, pauses {pauses}")
        time.sleep(pauses[0])
        hands.kill_worker(sweep, draw)
        time.sleep(pauses[1])
        sweep.kill()
    # What the last one left ends by itself; what the others left computed beside the next.
    until(lambda: not sweep.members())
    before = num_parts(store)
    assert before < 184
    result, computed = finished(sessions, tmp_path, *hands.words)
    assert 0 < computed <= 184 - before
    check_users(store, 40_000)
    assert num_parts(store) == 184
    assert result == large


@slow
def test_all_processes_killed_at_once(sessions: Sessions, small: bytes, folder: Path) -> None:
    """Cells that were under way alone fail, others are computed, the next run does the rest."""
    local = Local()
    sweep = sessions.sweep(*local.words, folder=folder)
    for moment in (5, 30):
        sweep.until_parts(moment)
        local.kill_workers(sweep)
    sweep.process.wait(SOON)
    out, told = sweep.ended(min(sweep.process.returncode, 1))
    lines = told.splitlines()
    assert bool(lines) == (sweep.process.returncode == 1)
    assert len(lines) <= 16
    assert all("a process died, and the others with it; run again" in line for line in lines)
    assert f"{len(lines)} failed" in out
    assert finished(sessions, folder, *local.words)[0] == small
    check_users(folder / "sweep.sqlite", 40_000)


@slow
@needs_dask
def test_scheduler_that_is_killed(sessions: Sessions, small: bytes, folder: Path) -> None:
    dask = Dask(sessions, folder)
    environment = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"}
    sweep = sessions.sweep(*dask.words, folder=folder, env=environment)
    sweep.until_parts(5)
    dask.scheduler.kill()
    out, told = sweep.ended(2)
    assert out == ""
    assert told == "prum: the scheduler was lost; run again to go on\n"
    assert 5 <= num_parts(folder / "sweep.sqlite") < 88
    assert finished(sessions, folder, "--workers", "1")[0] == small
    check_users(folder / "sweep.sqlite", 40_000)


# Interrupted.


@slow
@pytest.mark.parametrize(
    ("name", "hands"),
    [
        ("SIGINT", "local"),
        pytest.param("SIGTERM", "local", marks=slow),
        pytest.param("SIGINT", "dask", marks=[needs_dask, slow]),
    ],
    indirect=["hands"],
)
def test_asked_to_end(
    name: str, hands: Local | Dask, sessions: Sessions, small: bytes, folder: Path
) -> None:
    sweep = sessions.sweep(*hands.words, *EXPORT, folder=folder)
    sweep.until_parts(10)
    if name == "SIGINT":  # a terminal sends it to all
        os.killpg(sweep.process.pid, signal.SIGINT)
    else:
        sweep.process.terminate()
    out, told = sweep.ended(130)
    assert out == ""
    assert told.splitlines() == [
        "prum: interrupted; what was computed is in sweep.sqlite, run again to go on"
    ]
    assert not (folder / "sweep.csv").exists()
    before = num_parts(folder / "sweep.sqlite")
    result, computed = finished(sessions, folder, "--workers", "1")
    assert 0 < computed <= 88 - before
    check_users(folder / "sweep.sqlite", 40_000)
    assert result == small
