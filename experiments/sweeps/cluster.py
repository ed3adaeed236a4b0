"""A Dask cluster as the place where the jobs of a sweep run."""

import asyncio
import logging
import pickle
import ssl
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future, wait
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from prum.experiments.sweeps.workers import (
    WorkerLost,
    Workers,
    answer,
    outcome,
    unfit,
)
from prum.simulator.model import InputError
from prum.simulator.model.process import own_version

if TYPE_CHECKING:
    from distributed import Client
    from distributed.security import Security

_log = logging.getLogger(__name__)

_FIRST = 10.0  # seconds to reach a scheduler for the first time
_ATTEMPT = 10.0  # seconds for one attempt to reach a scheduler
_LONGEST_PAUSE = 5.0  # seconds between two of them


class Cluster(Workers):
    """Runs jobs on the workers of the Dask scheduler at `address`, which have prum installed.

    A job whose worker dies is run by another, and waits for one if there is none. A scheduler
    that can't be reached any more is tried again for `patience` seconds. `ca`, `certificate` and
    `key` are PEM files; with them both sides prove who they are, and what they say is encrypted.

    Raises
    ------
    InputError
        if the address or the files can't be used, or dask isn't installed.
    ConnectionError
        if the scheduler can't be reached, or refuses the certificate.
    """

    def __init__(
        self,
        address: str,
        *,
        ca: str | Path | None = None,
        certificate: str | Path | None = None,
        key: str | Path | None = None,
        patience: float = 60.0,
    ) -> None:
        _silence_dask()
        self._security = _security(ca, certificate, key)
        self._address = _checked(address, "tls" if self._security else "tcp")
        self._patience = patience
        self._client: Client | None = None
        self._jobs: set[Future[Any]] = set()
        self._retiring: dict[asyncio.Task[None], Client] = {}
        self._loop = asyncio.new_event_loop()
        # What dask leaves behind when a connection breaks is of no use to anyone.
        self._loop.set_exception_handler(lambda _, event: _log.debug("%s", event["message"]))
        self._thread = threading.Thread(target=self._loop.run_forever, name="cluster", daemon=True)
        self._thread.start()
        try:
            self._in_loop(self._connect, min(_FIRST, patience)).result()
        except BaseException:
            self.close(kill=True)
            raise

    @property
    def num_workers(self) -> int:
        """How many threads the scheduler's workers had a moment ago, at least 1."""
        num_threads: int = self._in_loop(self._num_threads).result()
        return max(1, num_threads)

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Return the future of the job; connect again if the connection was lost."""
        request = pickle.dumps((function, arguments))
        if self._client is None or self._client.status != "running":
            self._in_loop(self._connect, self._patience).result()
        future = self._in_loop(self._run, request)
        self._jobs.add(future)
        future.add_done_callback(self._jobs.discard)
        return future

    def close(self, *, kill: bool = False) -> None:
        """Wait for the jobs, or forget them if `kill`, and leave the scheduler."""
        if self._loop.is_closed():
            return
        if not kill:
            wait(self._jobs.copy())
        self._in_loop(self._leave).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _in_loop(
        self, function: Callable[..., Coroutine[Any, Any, Any]], *arguments: Any
    ) -> Future[Any]:
        if self._loop.is_closed():
            raise RuntimeError("these workers are closed")
        return asyncio.run_coroutine_threadsafe(function(*arguments), self._loop)

    async def _connect(self, patience: float) -> None:
        import distributed

        self._drop(self._client)
        deadline, pause = time.monotonic() + patience, 0.1
        attempt = min(_ATTEMPT, patience)
        while True:
            client: Client | None = None
            try:
                async with asyncio.timeout(attempt):
                    if self._security:
                        await _greeted(self._address, self._security)
                    # A client of its own for every attempt: to a scheduler that has not noticed
                    # that a connection is dead, the same on a new one would die with the old.
                    client = distributed.Client(
                        self._address,
                        security=self._security,
                        timeout=attempt,
                        set_as_default=False,
                        asynchronous=True,
                    )
                    self._client = await client
                return
            except BaseException as error:
                if client is not None:
                    await _closed(client)
                # An end in the middle of a handshake is one of the network, or of the scheduler.
                if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
                    raise ConnectionError(
                        f"scheduler {self._address} and this client refuse each other "
                        f"({error}); give the ca, certificate and key it expects"
                    ) from error
                if not isinstance(error, OSError):
                    raise
                if time.monotonic() + pause > deadline:
                    raise ConnectionError(
                        f"scheduler {self._address} didn't answer for {patience:g} seconds; "
                        "start it, or check its address, the network and whether it uses TLS"
                    ) from error
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _run(self, request: bytes) -> Any:
        from distributed.scheduler import KilledWorker

        client = self._client
        try:
            if client is None or client.status != "running":
                raise ConnectionError("the connection was lost before the job was sent")
            # Dask would have the scheduler import prum, and a worker without it die of the message.
            call = pickle.dumps(_Call(own_version(), request))
            reply = await client.submit(pickle.loads, call, pure=False)
        except KilledWorker as error:
            raise WorkerLost(f"every worker that had the job died: {error}") from error
        except (CancelledError, OSError) as error:
            self._drop(client)
            raise WorkerLost(f"the connection to {self._address} was lost") from error
        except asyncio.CancelledError as error:
            raise WorkerLost("the workers were closed") from error
        except Exception as error:  # ours has answered nothing
            raise unfit(f"{type(error).__name__}: {error}", own_version()) from error
        return outcome(reply)

    async def _num_threads(self) -> int:
        # Dask asks the scheduler every two seconds.
        if self._client is None:
            return 0
        return int(self._client.scheduler_info().get("total_threads", 0))

    def _drop(self, client: "Client | None") -> None:
        """Part from a client whose connection was lost."""
        if client is not None and client is self._client:
            _log.warning("lost the scheduler at %s; connecting again", self._address)
            self._client = None
            task = self._loop.create_task(_retired(client))
            self._retiring[task] = client  # the loop alone would let it be collected
            task.add_done_callback(self._retiring.pop)

    async def _leave(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await _closed(client)
        retiring = list(self._retiring.values())
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for client in retiring:
            await _closed(client)


async def _greeted(address: str, security: "Security") -> None:
    """Wait until the scheduler speaks to us, as it does first on every connection.

    With TLS 1.3 our handshake ends before the scheduler has seen our certificate. Dask's client
    speaks at once, and what it says to an end that refuses and closes can wipe the refusal out
    before it was read. Who only listens hears it.

    Raises
    ------
    ssl.SSLError
        if one of both refuses the other's certificate, or the scheduler doesn't use TLS.
    OSError
        if it can't be reached, or closes the connection.
    """
    parts = urlsplit(address)
    context = security.get_connection_args("client")["ssl_context"]
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port, ssl=context)
    try:
        if not await reader.read(1):
            raise ConnectionResetError("it closed the connection")
    finally:
        writer.transport.abort()


async def _retired(client: "Client") -> None:
    # Dask connects it again by itself; closed meanwhile, it would stay connected.
    while client.status == "connecting":
        await asyncio.sleep(0.1)
    await _closed(client)


async def _closed(client: "Client") -> None:
    with suppress(Exception):  # it may be in any state
        await client.close(timeout=_ATTEMPT)


class _Call:
    """A call of answer, made when it is unpickled."""

    def __init__(self, version: str, request: bytes) -> None:
        self._arguments = (version, request)

    def __reduce__(self) -> tuple[Callable[[str, bytes], bytes], tuple[str, bytes]]:
        return answer, self._arguments


def _silence_dask() -> None:
    """Let dask say nothing on standard error: what matters is raised.

    Raises
    ------
    InputError
        if it isn't installed.
    """
    try:
        import distributed  # noqa: F401  sets its loggers up
    except ImportError:
        raise InputError(
            "workers", "a Dask cluster", "have dask here too", remedy="install prum[cluster]"
        ) from None
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _checked(address: str, scheme: str) -> str:
    """Return `address` with its scheme if it names a host and a port."""
    whole = address if "://" in address else f"{scheme}://{address}"
    with suppress(ValueError):  # the port is no number
        parts = urlsplit(whole)
        if parts.scheme == scheme and parts.hostname and parts.port:
            return whole
    remedy = "give ca, certificate and key for tls:// and none of them for tcp://"
    raise InputError("scheduler", address, f"look like {scheme}://host:port", remedy=remedy)


def _security(
    ca: str | Path | None, certificate: str | Path | None, key: str | Path | None
) -> "Security | None":
    """Return what dask needs of the files, or None if there are none."""
    from distributed.security import Security

    files = {"ca": ca, "certificate": certificate, "key": key}
    if not any(files.values()):
        return None
    if missing := [name for name, file in files.items() if not file]:
        raise InputError(
            "TLS", missing, "have ca, certificate and key", remedy="name these files too"
        )
    security = Security(
        tls_ca_file=str(ca),
        tls_client_cert=str(certificate),
        tls_client_key=str(key),
        require_encryption=True,
    )
    try:
        security.get_connection_args("client")
    except OSError as error:  # SSLError is one
        raise InputError(
            "TLS", str(error), "find a certificate, its key and a CA", remedy="check the PEM files"
        ) from None
    return security
