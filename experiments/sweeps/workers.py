"""Where jobs run: in this process, on processes beside it, or on a Dask cluster.

A job is a function of a module that can be imported where it runs, with arguments that can be
pickled; what it raises comes back by its future.
"""

import logging
import multiprocessing.resource_tracker
import os
import signal
import threading
import time
import warnings
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from prum.simulator.model.errors import InputError, whole_number
from prum.simulator.model.process import own_processors

if TYPE_CHECKING:
    from loky import ProcessPoolExecutor

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# Jobs handed out per worker: one at work, one to go on with.
AHEAD = 2
_ONE_THREAD = ("MKL", "OMP", "OPENBLAS")
# Seconds in which a client that leaves is to have left.
_PATIENCE = 10.0
_WATCH = 0.5  # seconds from a coordinator's death to its workers', at most


class Workers(Protocol):
    """Runs jobs. One thread submits them."""

    @property
    @abstractmethod
    def num_workers(self) -> int:
        """How many jobs run at once now, at least 1; a cluster's number may change."""

    @abstractmethod
    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Return the future of function(*arguments); of lost workers it is a BrokenExecutor."""

    @abstractmethod
    def close(self) -> None:
        """End the jobs that are left, and part from the workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Here(Workers):
    """Runs each job when it is submitted, in this process; Ctrl-C passes through."""

    num_workers = 1

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Return the future of the job, which is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self) -> None:
        """Do nothing: no job is under way."""


class Processes(Workers):
    """Runs jobs on processes beside this one, which end with it, however it ends.

    A process that dies takes the others with it: all jobs under way are lost, and the next gets new
    processes. Ctrl-C doesn't reach them. Each computes with a single thread.
    """

    def __init__(self, num_workers: int) -> None:
        remedy = "give the number of processes"
        self._num_workers = whole_number("number of workers", num_workers, least=1, remedy=remedy)
        self._executor = self._new_executor()

    @property
    def num_workers(self) -> int:
        """How many processes there are."""
        return self._num_workers

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Return the future of the job, which begins as soon as a process is free."""
        with _interrupts_blocked():  # here processes start, which can't ignore SIGINT at once
            try:
                future: Future[Any] = self._executor.submit(function, *arguments)
            except BrokenExecutor:
                self._executor = self._new_executor()
                future = self._executor.submit(function, *arguments)
        return future

    def close(self) -> None:
        """End the processes."""
        # Idle ones, too: one that dies while others are asked to go would leave them waiting.
        self._executor.shutdown(wait=True, kill_workers=True)

    def _new_executor(self) -> "ProcessPoolExecutor":
        from loky import ProcessPoolExecutor
        from loky.backend import resource_tracker

        # The trackers of resources, when first started, would let interrupts in again.
        multiprocessing.resource_tracker.ensure_running()
        resource_tracker.ensure_running()
        # Workers keep what the next job is about, which is no leak; loky begins new ones anyway.
        warnings.filterwarnings("ignore", "A worker was restarted", UserWarning)
        return ProcessPoolExecutor(
            self._num_workers,
            initializer=_prepare,
            initargs=(os.getpid(),),
            env={f"{library}_NUM_THREADS": "1" for library in _ONE_THREAD},
        )


class Cluster(Workers):
    """Runs jobs on the workers of a Dask scheduler, which have prum installed.

    `scheduler` is its address, such as tcp://host:8786, or the scheduler file that it wrote.
    Certificates, timeouts and how often a job is tried again are those of Dask's configuration.
    """

    def __init__(self, scheduler: str | Path) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise InputError(
                "workers", "a Dask cluster", "have dask here too", remedy="install prum[cluster]"
            ) from None
        for name in ("distributed", "distributed.client"):  # what matters is raised
            logging.getLogger(name).setLevel(logging.CRITICAL)
        file = Path(scheduler).is_file()
        where = {"scheduler_file" if file else "address": str(scheduler)}
        try:
            self._client = Client(**where, set_as_default=False)
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ConnectionError(
                f"scheduler {scheduler} can't be reached ({reason}); start it, or check its "
                "address and, for tls://, Dask's configuration"
            ) from error

    @property
    def num_workers(self) -> int:
        """How many threads the scheduler's workers have now, at least 1."""
        info: dict[str, Any] = self._client.scheduler_info()
        return max(1, int(info.get("total_threads", 0)))

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Return the future of the job; it is cancelled if the scheduler is lost."""
        import asyncio

        from distributed.comm import CommClosedError

        remote = self._client.submit(function, *arguments, pure=False)

        # Dask's executor and its callbacks wait in threads, which may wait for ever for a result
        # that is lost on its way here, also after the client has left. The client's loop does not.
        async def result() -> Any:
            try:
                return await remote
            except (CancelledError, CommClosedError):
                raise asyncio.CancelledError from None

        return asyncio.run_coroutine_threadsafe(result(), self._client.loop.asyncio_loop)

    def close(self) -> None:
        """Give up the jobs that are left, and leave the scheduler."""
        # Dask waits for ever where an interrupt came between it and the scheduler.
        leaving = threading.Thread(target=self._client.close, daemon=True)
        leaving.start()
        leaving.join(_PATIENCE)


def on_processors(number: int | None = None) -> Workers:
    """Return so many processes, by default one for each processor; this one where one is enough."""
    if number is None:
        number = own_processors()
    return Here() if number == 1 else Processes(number)


def in_order(
    workers: Workers, function: Callable[[_Item], _Result], items: Iterable[_Item]
) -> Iterator[_Result]:
    """Yield function(item) of each item, in their order; a few are computed ahead.

    Raises as the function, and BrokenExecutor where workers were lost.
    """
    rest = iter(items)
    waiting: deque[Future[_Result]] = deque()
    while True:
        for item in islice(rest, AHEAD * workers.num_workers - len(waiting)):
            waiting.append(workers.submit(function, item))
        if not waiting:
            return
        yield waiting.popleft().result()


def _prepare(coordinator: int) -> None:
    """Leave interrupts to `coordinator`, which started this process; end when it has."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        # Linux can send a signal instead, but when the thread that started us ends.
        while os.getppid() == coordinator:
            time.sleep(_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Keep SIGINT from this thread, and from what is started in it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
