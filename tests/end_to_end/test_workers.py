"""Workers that are killed, cut off and started again: real processes, real connections."""

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import Any

import pytest

from prum.experiments.sweeps.cluster import Cluster
from prum.experiments.sweeps.workers import Here, JobError, Processes, WorkerLost, Workers
from prum.simulator.model import InputError
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


# Jobs. Workers import this file.


class Odd(Exception):
    """Can be pickled, but not unpickled."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(one + two)


class Closed:
    """Can be pickled, but not unpickled."""

    def __reduce__(self) -> Any:
        return (int, ("no number",))


def fail() -> None:
    raise ValueError("no such list")


def odd() -> None:
    raise Odd(1, 2)


def given(thing: Any) -> Any:
    return thing


def unsent() -> Callable[[], int]:
    return lambda: 0


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def interrupted() -> str:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)
    return "alive"


def slow(marks: str, seconds: float) -> int:
    with open(marks, "a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(seconds)
    return os.getpid()


def slow_at_first(marks: str) -> int:
    return slow(marks, 0 if pids(Path(marks)) else LONG)


# What the tests share.


@pytest.fixture(autouse=True)
def this_file_can_be_imported_by_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.setenv("PYTHONPATH", ROOT)


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


@pytest.fixture
def dask(tmp_path: Path, start: Callable[..., subprocess.Popen[str]]) -> Dask:
    return Dask(tmp_path, start)


@pytest.fixture(params=["here", "processes", pytest.param("cluster", marks=needs_dask)])
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    if request.param == "here":
        made: Workers = Here()
    elif request.param == "processes":
        made = Processes(2)
    else:
        dask = request.getfixturevalue("dask")
        dask.worker()
        made = Cluster(dask.address, patience=SOON)
    yield made
    made.close(kill=True)


class Proxy:
    """A way to a server that can be cut."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                ends = self._listener.accept()[0], socket.create_connection(self._target)
            except OSError:
                return
            self._sockets += ends
            for here, there in (ends, ends[::-1]):
                threading.Thread(target=self._pump, args=(here, there), daemon=True).start()

    @staticmethod
    def _pump(here: socket.socket, there: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := here.recv(1 << 16):
                there.sendall(data)

    def cut(self) -> None:
        while self._sockets:
            end = self._sockets.pop()
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()


# All workers.


@pytest.mark.slow
def test_jobs_and_their_errors(workers: Workers) -> None:
    assert workers.num_workers >= 1
    futures = {workers.submit(pow, x, 2): x * x for x in range(20)}
    done, _ = wait(futures, timeout=SOON, return_when=FIRST_COMPLETED)
    assert done
    assert all(future.result(SOON) == square for future, square in futures.items())
    raised = [
        (fail, (), "ValueError", "no such list"),
        (odd, (), "Odd", "3"),
        (sys.exit, (3,), "SystemExit", "3"),
    ]
    if not isinstance(workers, Here):  # where nothing travels nothing gets lost on the way
        raised += [
            (given, (Closed(),), "ValueError", "no number"),  # in the arguments
            (Closed, (), "ValueError", "no number"),  # in the result
            (unsent, (), "AttributeError", "lambda"),
        ]
    for function, arguments, kind, message in raised:
        error = error_of(workers.submit(function, *arguments))
        assert isinstance(error, JobError)
        assert not isinstance(error, WorkerLost)
        assert error.kind == kind
        assert message in error.message
        assert f"{kind}: " in error.traceback
        assert str(error) == f"{kind}: {error.message}"
    assert 'raise ValueError("no such list")' in error_of(workers.submit(fail)).traceback
    assert workers.submit(pow, 2, 3).result(SOON) == 8


@pytest.mark.slow
def test_what_cannot_be_sent_is_refused_at_once(workers: Workers) -> None:
    if isinstance(workers, Here):
        return
    with pytest.raises((AttributeError, TypeError)):
        workers.submit(given, threading.Lock())
    assert workers.submit(pow, 2, 3).result(SOON) == 8


@pytest.mark.slow
def test_closed_workers(workers: Workers) -> None:
    future = workers.submit(pow, 2, 3)
    workers.close()
    assert future.result(0) == 8
    workers.close()
    if not isinstance(workers, Here):
        with pytest.raises(RuntimeError):
            workers.submit(pow, 2, 3)


@pytest.mark.slow
def test_jobs_are_waited_for_or_ended(workers: Workers, tmp_path: Path) -> None:
    if isinstance(workers, Here):
        return
    marks = tmp_path / "marks"
    future = workers.submit(slow, str(marks), LONG)
    until(lambda: pids(marks))
    with pytest.raises(ZeroDivisionError), workers:
        print(1 / 0)
    assert isinstance(error_of(future), WorkerLost)


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
            assert all(isinstance(error_of(future), WorkerLost) for future in futures)
            assert workers.submit(pow, 2, 3).result(SOON) == 8
            until(lambda: not any(map(alive, pids(marks))))
        assert isinstance(error_of(workers.submit(os._exit, 0)), WorkerLost)
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
from tests.end_to_end.test_workers import slow

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
    assert process.communicate(timeout=SOON)[1] == ""


@pytest.mark.slow
def test_processes_end_in_silence(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    process = start("-c", COORDINATOR, str(tmp_path / "marks"), "0.1", **pipes)
    assert process.communicate(timeout=SOON) == ("begun\nended\n", "")


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


@pytest.mark.slow
def test_interrupts_are_blocked_from_the_first_moment(
    start: Callable[..., subprocess.Popen[str]],
) -> None:
    # In a new interpreter, where the trackers of resources are started too.
    code = (
        "import signal\n"
        "from prum.experiments.sweeps.workers import Processes\n"
        "with Processes(1) as workers:\n"
        "    blocked = workers.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result()\n"
        "print(signal.SIGINT in blocked, signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    )
    process = start("-c", code, stdout=subprocess.PIPE)
    assert process.communicate(timeout=SOON)[0] == "True set()\n"


# A cluster.


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
from tests.end_to_end.test_workers import slow

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
