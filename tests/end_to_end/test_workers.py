"""Workers here, on processes beside this one and on a Dask cluster: killed, interrupted, closed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.sweeps.workers import Cluster, Here, Processes, Workers
from prum.simulator.model import InputError
from tests.deadline import SOON
from tests.end_to_end.sweep_processes import until
from tests.end_to_end.worker_jobs import (
    LONG,
    alive,
    error_of,
    fail,
    interrupted,
    needs_dask,
    pids,
    slow,
)

pytestmark = pytest.mark.usefixtures("jobs_can_be_imported")

# All workers.


@pytest.mark.slow
def test_jobs_and_their_errors(workers: Workers) -> None:
    assert workers.num_workers >= 1
    futures = {workers.submit(pow, x, 2): x * x for x in range(20)}
    done, _ = wait(futures, timeout=SOON, return_when=FIRST_COMPLETED)
    assert done
    assert all(future.result(SOON) == square for future, square in futures.items())
    error = error_of(workers.submit(fail))
    assert isinstance(error, ValueError)
    assert str(error) == "no such list"
    assert workers.submit(pow, 2, 3).result(SOON) == 8


@pytest.mark.slow
def test_closed_workers(workers: Workers) -> None:
    assert workers.submit(pow, 2, 3).result(SOON) == 8
    workers.close()
    workers.close()
    if not isinstance(workers, Here):
        with pytest.raises(Exception, match=r"closed|shutdown"):
            workers.submit(pow, 2, 3)


def test_interrupt_of_a_job_here_passes_through() -> None:
    # Where the tests are a shell's background job, it is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            Here().submit(interrupted)
    finally:
        signal.signal(signal.SIGINT, before)


def test_importing_workers_is_cheap(start: Callable[..., subprocess.Popen[str]]) -> None:
    code = (
        "import sys, prum.experiments.sweeps.workers\n"
        "print(sorted({'loky', 'distributed', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    assert start("-c", code, stdout=subprocess.PIPE).communicate(timeout=SOON)[0] == "[]\n"


# Processes.


@pytest.mark.slow
def test_jobs_of_a_killed_process_are_lost_and_the_next_run(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    with Processes(2) as workers, Processes(1) as others:
        before = others.submit(os.getpid).result(SOON)
        for _ in range(2):
            marks.unlink(missing_ok=True)
            futures = [workers.submit(slow, str(marks), LONG) for _ in range(2)]
            until(lambda: len(pids(marks)) == 2)
            os.kill(pids(marks)[0], signal.SIGKILL)
            assert all(isinstance(error_of(future), BrokenExecutor) for future in futures)
            assert workers.submit(pow, 2, 3).result(SOON) == 8
            until(lambda: not any(map(alive, pids(marks))))
        assert isinstance(error_of(workers.submit(os._exit, 0)), BrokenExecutor)
        assert workers.submit(pow, 2, 3).result(SOON) == 8
        assert others.submit(os.getpid).result(SOON) == before


@pytest.mark.slow
def test_processes_compute_with_one_thread_and_bear_ctrl_c() -> None:
    with Processes(1) as workers:
        for name in ("OMP", "OPENBLAS", "MKL"):
            assert workers.submit(os.getenv, f"{name}_NUM_THREADS").result(SOON) == "1"
        assert workers.submit(interrupted).result(SOON) == "alive"


@pytest.mark.parametrize("number", [0, -1, 1.5, True])
def test_number_of_processes(number: Any) -> None:
    with pytest.raises(InputError, match="number of workers is"):
        Processes(number)


COORDINATOR = """
import signal, sys, threading
from concurrent.futures import wait
from prum.experiments.sweeps.workers import Processes
from tests.end_to_end.worker_jobs import slow

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
with Processes(2) as workers:
    futures = []
    def submit():
        futures.extend(workers.submit(slow, sys.argv[1], float(sys.argv[2])) for _ in range(2))
    thread = threading.Thread(target=submit)  # that it ends must mean nothing to the processes
    thread.start()
    thread.join()
    print("begun", flush=True)
    wait(futures)
print("ended")
"""


@pytest.mark.slow
def test_processes_end_with_a_killed_coordinator(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    process = start("-c", COORDINATOR, str(marks), str(LONG), **pipes)
    until(lambda: len(pids(marks)) == 2)
    assert all(map(alive, pids(marks)))
    process.kill()
    until(lambda: not any(map(alive, pids(marks))))
    # Standard error ends with the last of all that were started.
    assert "Traceback" not in process.communicate(timeout=SOON)[1]


@pytest.mark.slow
@pytest.mark.parametrize("when", ["at once", "in a job"])
def test_ctrl_c_in_a_terminal_reaches_the_coordinator_alone(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path, when: str
) -> None:
    marks = tmp_path / "marks"
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    process = start("-c", COORDINATOR, str(marks), str(LONG), **pipes)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    if when == "in a job":
        until(lambda: len(pids(marks)) == 2)
    os.killpg(process.pid, signal.SIGINT)
    told = process.communicate(timeout=SOON)[1]
    assert not any(map(alive, pids(marks)))
    assert told.count("Traceback") == 1
    assert told.endswith("\nKeyboardInterrupt\n")


# A Dask cluster.


@pytest.mark.slow
@needs_dask
@pytest.mark.usefixtures("dask")
def test_scheduler_file(tmp_path: Path) -> None:
    with Cluster(tmp_path / "scheduler.json") as workers:
        until(lambda: workers.num_workers == 2)
        assert workers.submit(pow, 2, 3).result(SOON) == 8


@needs_dask
@pytest.mark.parametrize("address", ["", "nonsense", "tcp://127.0.0.1:1", "tls://127.0.0.1:1"])
def test_scheduler_that_cannot_be_reached(address: str) -> None:
    import dask

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(ConnectionError, match=f"scheduler {address} can't be reached .*; start it"),
    ):
        Cluster(address)


def test_cluster_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"install prum\[cluster\]"):
        Cluster("tcp://127.0.0.1:1")
