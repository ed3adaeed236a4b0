"""Workers of a cluster: killed, cut off and started again, by real processes and connections."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from prum.experiments.sweeps.cluster import Cluster
from prum.experiments.sweeps.workers import WorkerLost
from prum.simulator.model import InputError
from tests.deadline import SOON
from tests.end_to_end.sweep_processes import until
from tests.end_to_end.worker_jobs import (
    LONG,
    ROOT,
    Dask,
    Proxy,
    die,
    error_of,
    killed,
    needs_dask,
    needs_openssl,
    pids,
    slow,
    slow_at_first,
)

pytestmark = pytest.mark.usefixtures("jobs_can_be_imported")


@pytest.mark.slow
@needs_dask
def test_job_of_a_killed_worker_waits_for_another(dask: Dask, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    worker = dask.worker()
    with Cluster(dask.address, patience=SOON) as workers:
        future = workers.submit(slow_at_first, str(marks))
        until(lambda: pids(marks))
        killed(worker)
        assert workers.num_workers >= 1
        time.sleep(0.3)
        assert not future.done()
        dask.worker()
        assert future.result(SOON) == pids(marks)[1]
        dask.worker()
        until(lambda: workers.num_workers == 2)


@pytest.mark.slow
@needs_dask
def test_job_that_kills_its_workers_is_lost(dask: Dask) -> None:
    with Cluster(dask.address, patience=SOON) as workers:
        future = workers.submit(die)
        worker = dask.worker()
        while not future.done():
            until(lambda: worker.poll() is not None or future.done())  # noqa: B023
            worker = dask.worker()
        assert isinstance(error_of(future), WorkerLost)
        assert workers.submit(pow, 2, 3).result(SOON) == 8


@pytest.mark.slow
@needs_dask
def test_scheduler_that_is_killed_and_started_again(dask: Dask, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    dask.worker()
    with Cluster(dask.address, patience=SOON) as workers:
        futures = [workers.submit(slow, str(marks), LONG) for _ in range(2)]
        until(lambda: pids(marks))
        killed(dask.scheduler)
        assert all(isinstance(error_of(future), WorkerLost) for future in futures)
        again = threading.Timer(0.5, dask.begin)
        again.start()
        future = workers.submit(pow, 2, 3)  # waits
        again.join()
        dask.worker()
        assert future.result(SOON) == 8


@pytest.mark.slow
@needs_dask
def test_scheduler_that_stays_away(dask: Dask) -> None:
    address = dask.address
    with Cluster(address, patience=SOON) as workers:
        workers._patience = 1
        future = workers.submit(pow, 2, 3)
        killed(dask.scheduler)
        assert isinstance(error_of(future), WorkerLost)
        for _ in range(2):
            with pytest.raises(ConnectionError, match=f"{address} didn't answer for 1 seconds;"):
                workers.submit(pow, 2, 3)
    with pytest.raises(ConnectionError, match=f"{address} didn't answer for 1 seconds;"):
        Cluster(address, patience=1)


@pytest.mark.slow
@needs_dask
def test_closing_does_not_wait_for_a_scheduler_that_is_away(
    dask: Dask, caplog: pytest.LogCaptureFixture
) -> None:
    with Cluster(dask.address) as workers:
        workers.submit(pow, 2, 3)
        workers.close(kill=True)
    assert not caplog.records
    workers = Cluster(dask.address, patience=2 * SOON)
    future = workers.submit(pow, 2, 3)
    killed(dask.scheduler)
    assert isinstance(error_of(future), WorkerLost)
    closing = threading.Thread(target=workers.close)
    closing.start()
    closing.join(SOON)
    assert not closing.is_alive()


@needs_dask
def test_server_that_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConnectionError, match="didn't answer"):
            Cluster(address, patience=1)


CUT_OFF = """
import sys
from prum.experiments.sweeps.cluster import Cluster
from prum.experiments.sweeps.workers import WorkerLost
from tests.end_to_end.worker_jobs import slow

with Cluster(sys.argv[1]) as workers:
    for _ in range(2):
        futures = [workers.submit(slow, sys.argv[2], 600) for _ in range(3)]
        errors = [future.exception() for future in futures]
        print("lost", *(isinstance(error, WorkerLost) for error in errors), flush=True)
    print(workers.submit(pow, 2, 3).result(), flush=True)
    sys.stdin.readline()
    print(workers.submit(pow, 2, 4).result(), flush=True)
"""


@pytest.mark.slow
@needs_dask
def test_connections_that_are_cut(
    dask: Dask, start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    workers = [dask.worker()]
    proxy = Proxy(dask.port)
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = start("-c", CUT_OFF, proxy.address, str(marks), **pipes)
    assert process.stdout is not None
    for count in (1, 2):
        until(lambda: len(pids(marks)) == count)  # noqa: B023
        proxy.cut()
        assert process.stdout.readline() == "lost True True True\n"
        # A job whose coordinator went away can't be stopped, only forgotten.
        killed(workers[-1])
        workers.append(dask.worker())
    assert process.stdout.readline() == "8\n"
    proxy.cut()  # while no job is under way
    time.sleep(0.2)
    out, told = process.communicate("on\n", timeout=SOON)
    proxy.close()
    assert out == "16\n"
    assert told == f"lost the scheduler at {proxy.address}; connecting again\n" * 2


@pytest.mark.slow
@needs_dask
def test_worker_with_another_prum(dask: Dask, tmp_path: Path) -> None:
    other = tmp_path / "other" / "prum-99.0.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: prum\nVersion: 99.0\n")
    dask.worker(PYTHONPATH=f"{other.parent}{os.pathsep}{ROOT}")
    with Cluster(dask.address, patience=SOON) as workers:
        error = error_of(workers.submit(pow, 2, 3))
    assert isinstance(error, InputError)
    assert not isinstance(error, WorkerLost)
    assert "prum at a worker is '99.0', must be " in str(error)


@pytest.mark.slow
@needs_dask
def test_workers_need_prum_and_the_scheduler_does_not(dask: Dask, tmp_path: Path) -> None:
    empty = tmp_path / "other" / "prum"
    empty.mkdir(parents=True)
    (empty / "__init__.py").write_text("")
    without = f"{empty.parent}{os.pathsep}{ROOT}"
    killed(dask.scheduler)
    dask.begin(PYTHONPATH=without)
    worker = dask.worker()
    with Cluster(dask.address, patience=SOON) as workers:
        assert workers.submit(pow, 2, 3).result(SOON) == 8
        killed(worker)
        dask.worker(PYTHONPATH=without)
        error = error_of(workers.submit(pow, 2, 3))
    assert isinstance(error, InputError)
    assert not isinstance(error, WorkerLost)
    assert "prum at a worker is \"ModuleNotFoundError: No module named 'prum" in str(error)


@needs_dask
@pytest.mark.parametrize(
    "address", ["", "127.0.0.1", "tcp://127.0.0.1", "tcp://:1", "tls://a:1", "tcp://a:b", "a:99999"]
)
def test_addresses(address: str) -> None:
    with pytest.raises(InputError, match=r"scheduler is .*must look like tcp://host:port"):
        Cluster(address)


def test_cluster_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"install prum\[cluster\]"):
        Cluster("tcp://127.0.0.1:1")


def certificates(folder: Path, name: str) -> dict[str, str]:
    """Return the files of a new CA, and of a certificate it signed."""
    ca, ca_key, request, key, certificate = (
        str(folder / f"{name}-{part}.pem") for part in ("ca", "ca-key", "request", "key", "cert")
    )
    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    sign = ("x509", "-req", "-CAcreateserial")
    for words in (
        (*new, "-x509", "-subj", f"/CN={name} CA", "-keyout", ca_key, "-out", ca),
        (*new, "-subj", f"/CN={name}", "-keyout", key, "-out", request),
        (*sign, "-CA", ca, "-CAkey", ca_key, "-in", request, "-out", certificate),
    ):
        subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=SOON)
    return {"ca": ca, "certificate": certificate, "key": key}


@pytest.mark.slow
@needs_dask
@needs_openssl
def test_tls(tmp_path: Path, start: Callable[..., subprocess.Popen[str]]) -> None:
    ours, theirs = certificates(tmp_path, "ours"), certificates(tmp_path, "theirs")
    options = ("--tls-ca-file", ours["ca"], "--tls-cert", ours["certificate"])
    dask = Dask(tmp_path, start, *options, "--tls-key", ours["key"])
    dask.worker()
    with Cluster(dask.address, **ours, patience=SOON) as workers:
        assert workers.submit(pow, 2, 3).result(SOON) == 8
    with pytest.raises(ConnectionError, match="refuse each other"):
        Cluster(dask.address, **(theirs | {"ca": ours["ca"]}), patience=SOON)
    with pytest.raises(ConnectionError, match="refuse each other"):
        Cluster(dask.address, **theirs, patience=SOON)
    with pytest.raises(ConnectionError, match=r"didn't answer .* whether it uses TLS"):
        Cluster(dask.address.replace("tls", "tcp"), patience=1)
    with pytest.raises(InputError, match="give ca, certificate and key for tls://"):
        Cluster(dask.address)
    with pytest.raises(InputError, match="give ca, certificate and key for tls://"):
        Cluster(dask.address.replace("tls", "tcp"), **ours)
    with pytest.raises(InputError, match=r"TLS is \['key'\]"):
        Cluster(dask.address, ca=ours["ca"], certificate=ours["certificate"])
    with pytest.raises(InputError, match="check the PEM files"):
        Cluster(dask.address, **(ours | {"key": theirs["key"]}))
    with pytest.raises(InputError, match="check the PEM files"):
        Cluster(dask.address, **(ours | {"ca": str(tmp_path / "missing")}))
