"""Jobs whose results come in the order of the jobs, whatever is done first."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, TypeVar

from prum.experiments.sweeps.workers import WorkerLost, Workers
from prum.simulator.model import InputError

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# Jobs handed out per worker: one at work, one to go on with.
_AHEAD = 2
# How often a job is handed out whose worker went away.
_MOST_LOST = 3


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
        while len(waiting) < _AHEAD * workers.num_workers:
            try:
                item = next(rest)
            except StopIteration:
                break
            waiting.append((item, workers.submit(_tried, function, item)))
        if not waiting:
            return
        item, future = waiting.popleft()
        result, error = _settled(workers, function, item, future)
        if error is not None:
            raise error
        yield result


def _settled(
    workers: Workers, function: Callable[[_Item], _Result], item: _Item, future: Future[Any]
) -> Any:
    """Return what a job came to, handed out again if its worker went away."""
    lost = 0
    while True:
        try:
            return future.result()
        except WorkerLost:
            lost += 1
            if lost == _MOST_LOST:
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
