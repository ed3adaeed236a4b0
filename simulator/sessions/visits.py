"""What traffic is made of: what users may ask, when they come, how often they ask, what is told."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.errors import real_array
from prum.simulator.model.stopping import Stopping
from prum.simulator.sessions.trace import Event, Reason


@dataclass(frozen=True, slots=True)
class Query:
    """What a user may ask: a name, what he faces then, and when he stops.

    By default he stops when he has seen all ideals.
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
        rate = _finite("arrivals per hour", self.per_hour)
        if rate <= 0:
            raise InputError("arrivals per hour", rate, "be positive", remedy="give 60, say")
        object.__setattr__(self, "per_hour", rate)


@dataclass(frozen=True, slots=True)
class Geometric:
    """A number of queries: after each another one with the same probability.

    Raises
    ------
    InputError
        for a mean that is not finite and at least 1.
    """

    mean: float

    def __post_init__(self) -> None:
        mean = _finite("mean number of queries", self.mean)
        if mean < 1:
            raise InputError(
                "mean number of queries", mean, "be at least 1", remedy="who comes asks something"
            )
        object.__setattr__(self, "mean", mean)

    def drawn(self, number: float, most: int) -> int:
        """Return what a number in [0, 1) means, `most` at most."""
        if self.mean == 1:
            return 1
        return int(min(most, 1 + math.log1p(-number) / math.log1p(-1 / self.mean)))


class Entry(NamedTuple):
    """Something that happened.

    Attributes
    ----------
    user, session, query
        Who did it, in which of his sessions (from 1), asking what.
    time
        Seconds since the beginning of all; `event.time` counts from that of his session.
    event
        What he did.
    reason
        Of "stop": why; else None.
    last
        Whether he goes, with this event.
    """

    user: int
    session: int
    query: str
    time: float
    event: Event
    reason: Reason | None
    last: bool


def _finite(thing: str, value: object) -> float:
    number = real_array(thing, value, remedy="give a number")
    if number.ndim or not math.isfinite(number):
        raise InputError(thing, value, "be a finite number", remedy="give 2.5, say")
    return float(number)
