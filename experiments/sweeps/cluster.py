"""A Dask cluster as the place where jobs run, by Dask's own client."""

import logging
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from pathlib import Path
from threading import Thread
from typing import Any

from prum.experiments.sweeps.workers import Workers
from prum.simulator.model import InputError

# Seconds in which a client that leaves is to have left.
_PATIENCE = 10.0


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
        from distributed.comm import CommClosedError

        future: Future[Any] = Future()

        # Dask's executor does so too, but lets a result wait for ever that is lost on its way here.
        def hand_on(remote: Any) -> None:
            try:
                future.set_result(remote.result())
            except (CancelledError, CommClosedError):
                future.cancel()
                future.set_running_or_notify_cancel()  # who waits for it wakes up
            except Exception as error:
                future.set_exception(error)

        self._client.submit(function, *arguments, pure=False).add_done_callback(hand_on)
        return future

    def close(self) -> None:
        """Give up the jobs that are left, and leave the scheduler."""
        # Dask waits for ever where an interrupt came between it and the scheduler.
        leaving = Thread(target=self._client.close, daemon=True)
        leaving.start()
        leaving.join(_PATIENCE)
