"""Where the jobs of a sweep run: in this process or on processes beside it. More in `cluster`.

A job is a function of a module that can be imported where it runs, with arguments that can be
pickled. It travels as bytes, and so does what comes of it. A job that can't be read, or whose
result or error can't be, therefore fails alone.

Exception
├── JobError        a job raised an error
└── WorkerLost      a worker or the way to it went away before a job was done
"""

import functools
import multiprocessing.resource_tracker
import os
import pickle
import shutil
import signal
import sys
import threading
import time
import traceback as tracebacks
import warnings
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, wait
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkstemp
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from prum.simulator.model.errors import InputError, whole_number
from prum.simulator.model.process import own_processors, own_version

if TYPE_CHECKING:
    from loky import ProcessPoolExecutor

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# Jobs handed out per worker: one at work, one to go on with.
AHEAD = 2
# How often a job is handed out whose worker went away.
MOST_LOST = 3
_ONE_THREAD = ("MKL", "OMP", "OPENBLAS")
# Bytes of a reply that travels by a pipe, in one piece with what loky adds (PIPE_BUF is 4,096). The
# death of a worker could cut a longer one, and the coordinator would wait for the rest for ever.
_AT_ONCE = 3_000
_WATCH = 0.5  # seconds from a coordinator's death to its workers', at most


class JobError(Exception):
    """What a job raised, told in text: the class may be unknown here, or not come back whole."""

    def __init__(self, kind: str, message: str, traceback: str) -> None:
        super().__init__(kind, message, traceback)
        self.kind, self.message, self.traceback = kind, message, traceback

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind

    @classmethod
    def of(cls, error: BaseException) -> Self:
        """Return `error` told in text."""
        report = tracebacks.TracebackException.from_exception(error)  # bears a __str__ that raises
        return cls(type(error).__name__, str(report), "".join(report.format()))


class WorkerLost(Exception):
    """A worker, or the way to it, went away before a job was done; its cause says how.

    The job may have caused it or not, and may have run or not.
    """


class Workers(Protocol):
    """Runs jobs. One thread submits them."""

    @property
    @abstractmethod
    def num_workers(self) -> int:
        """How many jobs run at once now, at least 1; a cluster's number may change."""

    @abstractmethod
    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Return the future of function(*arguments).

        After workers were lost the next call finds new ones.

        Raises
        ------
        JobError
            by the future: the job raised an error, or what it returned can't be read.
        WorkerLost
            by the future: see there.
        InputError
            by the future: a worker has another version of prum, or none.
        ConnectionError
            by the call: a lost scheduler can't be reached again.
        pickle.PicklingError, AttributeError, TypeError
            by the call: the function or its arguments can't be pickled.
        """

    @abstractmethod
    def close(self, *, kill: bool = False) -> None:
        """Wait for the jobs, or end them if `kill`, and part from the workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(kill=kind is not None)


class Here(Workers):
    """Runs each job when it is submitted, in this process; Ctrl-C passes through."""

    num_workers = 1

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Return the future of the job, which is done."""
        future = _begun()
        try:
            future.set_result(function(*arguments))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a job may call exit()
            future.set_exception(JobError.of(error))
        return future

    def close(self, *, kill: bool = False) -> None:
        """Do nothing: no job is under way."""


class Processes(Workers):
    """Runs jobs on processes beside this one, which end with it, however it ends.

    A process that dies takes the others with it: all jobs under way are lost. Ctrl-C doesn't
    reach them. Each computes with a single thread.

    Raises
    ------
    InputError
        if `num_workers` isn't a whole number of at least 1.
    """

    def __init__(self, num_workers: int) -> None:
        self._num_workers = whole_number(
            "number of workers", num_workers, least=1, remedy="give the number of processes"
        )
        # Of long replies.
        self._folder = TemporaryDirectory(prefix="prum-")
        self._executor = self._new_executor()
        self._under_way = set[Future[bytes | str]]()

    @property
    def num_workers(self) -> int:
        """How many processes there are."""
        return self._num_workers

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Return the future of the job, which begins as soon as a process is free."""
        request = pickle.dumps((function, arguments))
        job = (_answered, self._folder.name, own_version(), request)
        with _interrupts_blocked():  # here processes start, which can't ignore SIGINT at once
            try:
                reply = self._executor.submit(*job)
            except BrokenExecutor:
                self._executor = self._new_executor()
                reply = self._executor.submit(*job)
        future = _begun()
        self._under_way.add(reply)
        reply.add_done_callback(functools.partial(_pass_on, future))
        reply.add_done_callback(self._under_way.discard)
        return future

    def close(self, *, kill: bool = False) -> None:
        """Wait for the jobs, or end them if `kill`, and end the processes."""
        if not kill:
            wait(self._under_way.copy())
        # Idle ones, too: one that dies while others are asked to go would leave them waiting.
        self._executor.shutdown(wait=True, kill_workers=True)
        self._folder.cleanup()

    def _new_executor(self) -> "ProcessPoolExecutor":
        from loky import ProcessPoolExecutor
        from loky.backend import resource_tracker

        # Trackers are processes that free what a killed coordinator leaves. Nobody need know. The
        # first, when first started, would let interrupts in again.
        multiprocessing.resource_tracker.ensure_running()
        sys.warnoptions.append("ignore:resource_tracker:UserWarning")
        try:
            resource_tracker.ensure_running()
        finally:
            sys.warnoptions.pop()
        # Workers keep what the next job is about, which is no leak; loky begins new ones anyway.
        warnings.filterwarnings("ignore", "A worker was restarted", UserWarning)
        return ProcessPoolExecutor(
            self._num_workers,
            initializer=_prepare,
            initargs=(os.getpid(), self._folder.name),
            env={f"{library}_NUM_THREADS": "1" for library in _ONE_THREAD},
        )


def answer(version: str, request: bytes) -> bytes:
    """Run a job where it is to run; return what can be read anywhere."""
    if version != own_version():
        return pickle.dumps((None, unfit(own_version(), version)))
    try:
        function, arguments = pickle.loads(request)
        return pickle.dumps((function(*arguments), None))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a job may call exit()
        return pickle.dumps((None, JobError.of(error)))


def _answered(folder: str, version: str, request: bytes) -> bytes | str:
    """Return the answer, or the path of a file in `folder` that holds it if it is long."""
    reply = answer(version, request)
    if len(reply) <= _AT_ONCE:
        return reply
    try:
        descriptor, path = mkstemp(dir=folder)
        with open(descriptor, "wb") as file:
            file.write(reply)
    except OSError as error:
        return pickle.dumps((None, JobError.of(error)))
    return path


def _received(reply: bytes | str) -> bytes:
    """Return an answer, whose file is gone then."""
    if isinstance(reply, bytes):
        return reply
    path = Path(reply)
    content = path.read_bytes()
    path.unlink()
    return content


def unfit(version_there: str, version: str) -> InputError:
    """Return the error that a worker has another prum than this process."""
    remedy = "install the same version for every worker"
    return InputError("prum at a worker", version_there, f"be {version}, as here", remedy=remedy)


def outcome(reply: bytes) -> Any:
    """Return what the job returned, or raise its error."""
    try:
        value, error = pickle.loads(reply)
    except Exception as unreadable:
        raise JobError.of(unreadable) from None
    if error is not None:
        raise error
    return value


def on_processors(number: int | None = None) -> Workers:
    """Return so many processes, by default one for each processor; this one where one is enough.

    Raises
    ------
    InputError
        as `Processes`.
    """
    if number is None:
        number = own_processors()
    return Here() if number == 1 else Processes(number)


def in_order(
    workers: Workers, function: Callable[[_Item], _Result], items: Iterable[_Item]
) -> Iterator[_Result]:
    """Yield function(item) of each item, in their order; a few are computed ahead.

    Raises
    ------
    InputError
        as the function.
    JobError, WorkerLost
        as `Workers.submit`; a lost job is handed out again twice.
    """
    rest = iter(items)
    waiting: deque[tuple[_Item, Future[Any]]] = deque()
    while True:
        while len(waiting) < AHEAD * workers.num_workers:
            try:
                item = next(rest)
            except StopIteration:
                break
            waiting.append((item, workers.submit(_tried, function, item)))
        if not waiting:
            return
        item, future = waiting.popleft()
        result, error = _result_of(workers, function, item, future)
        if error is not None:
            raise error
        yield result


def _result_of(
    workers: Workers, function: Callable[[_Item], _Result], item: _Item, future: Future[Any]
) -> Any:
    """Return what a job came to, handed out again if its worker went away."""
    lost = 0
    while True:
        try:
            return future.result()
        except WorkerLost:
            lost += 1
            if lost == MOST_LOST:
                raise
        future = workers.submit(_tried, function, item)


def _tried(
    function: Callable[[_Item], _Result], item: _Item
) -> tuple[_Result | None, InputError | None]:
    """Return a result or an error of the input, which is to come back whole."""
    try:
        return function(item), None
    except InputError as error:
        return None, error


def _begun() -> Future[Any]:
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()  # so that it can't be cancelled while its job goes on
    return future


def _settle(future: Future[Any], reply: bytes) -> None:
    try:
        future.set_result(outcome(reply))
    except Exception as error:
        future.set_exception(error)


def _pass_on(future: Future[Any], reply: Future[bytes | str]) -> None:
    if (error := reply.exception()) is None:
        try:
            _settle(future, _received(reply.result()))
        except OSError as unread:
            future.set_exception(JobError.of(unread))
        return
    lost = WorkerLost("a process died, and the others with it")
    lost.__cause__ = error
    future.set_exception(lost)


def _prepare(coordinator: int, folder: str) -> None:
    """Leave interrupts to `coordinator`, which started this process; end when it has, and clear."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        # Linux can send a signal instead, but when the thread that started us ends.
        while os.getppid() == coordinator:
            time.sleep(_WATCH)
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Keep SIGINT from this thread, and from what is started in it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows, where each process ignores it by itself
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
