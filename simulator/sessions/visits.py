"""The parts of traffic: queries, arrivals, numbers of queries, and entries of the log."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.errors import amount
from prum.simulator.model.stopping import Stopping
from prum.simulator.sessions.trace import Event, Reason


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its name, the task that users face then, and when they stop.

    By default users stop when they have seen all ideals.
    """

    name: str
    task: Task
    navigation: Navigation
    stopping: Stopping | None = None


@dataclass(frozen=True, slots=True)
class Poisson:
    """Users come at random, so many an hour.

    Raises
    ------
    InputError
        for a rate that is not positive and finite.
    """

    per_hour: float

    def __post_init__(self) -> None:
        rate = amount("arrivals per hour", self.per_hour, positive=True, remedy="give 60, say")
        object.__setattr__(self, "per_hour", rate)


@dataclass(frozen=True, slots=True)
class Geometric:
    """A number of queries: after each there is another with the same probability.

    Raises
    ------
    InputError
        for a mean that is not finite and at least 1.
    """

    mean: float

    def __post_init__(self) -> None:
        mean = amount("mean number of queries", self.mean, remedy="give 2.5, say")
        if mean < 1:
            raise InputError(
                "mean number of queries", mean, "be at least 1", remedy="every user asks something"
            )
        object.__setattr__(self, "mean", mean)

    def drawn(self, number: float, most: int) -> int:
        """Return the number of queries for a random number in [0, 1), at most `most`."""
        if self.mean == 1:
            return 1
        return int(min(most, 1 + math.log1p(-number) / math.log1p(-1 / self.mean)))


class Entry(NamedTuple):
    """An event of a user's session.

    Attributes
    ----------
    user, session, query
        Whose event it is, in which of their sessions (from 1), on which query.
    time
        Seconds since the beginning of the traffic; `event.time` counts from that of the session.
    event
        What the user did.
    reason
        Of "stop": why; else None.
    last
        Whether the user leaves with this event.
    """

    user: int
    session: int
    query: str
    time: float
    event: Event
    reason: Reason | None
    last: bool
