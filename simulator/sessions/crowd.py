"""Traffic: many users who come, ask one query after the other, and leave, on one SimPy clock.

Each session has a clock of its own that begins at 0, and the common clock says whose turn it is: so
a user does the same at any time and among any other users.
"""

import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import simpy
from simpy.core import EmptySchedule

from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.costs import Constant, Costs, Duration, checked_duration, seconds
from prum.simulator.model.errors import amount
from prum.simulator.model.stopping import Found, Stopping
from prum.simulator.sampling.sampler import checked_seed
from prum.simulator.sampling.steps import identity
from prum.simulator.sampling.streams import (
    BLOCK,
    CONSULTATIONS,
    Sfc64,
    split_mix,
    stream,
)
from prum.simulator.sessions.person import People, PeopleOfTypes, people_of
from prum.simulator.sessions.session import Life, duration
from prum.simulator.sessions.trace import Detail, Event, Reason, Session


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
    """Users come at random, so many an hour."""

    per_hour: float

    def __post_init__(self) -> None:
        rate = amount("arrivals per hour", self.per_hour, positive=True, remedy="give 60, say")
        object.__setattr__(self, "per_hour", rate)


@dataclass(frozen=True, slots=True)
class Geometric:
    """A number of queries: after each there is another with the same probability."""

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


# In place of the key of what users look for: it names the users of traffic.
_KEY = (0x74726166, 0x66696363)
_ALL, _GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15


@dataclass
class Traffic:
    """Users who come once, to a common clock; each of their sessions is as `play` would have it.

    Only users who are present take memory.

    Parameters
    ----------
    queries
        The queries there are, with distinct names.
    seed
        A whole number in [0, 2^64).
    arrivals
        When users come: at random, or at given times in seconds, in order, one for each user. By
        default each comes when the user before them leaves.
    queries_each
        How many queries a user asks, in a random order; no more than there are, and none twice. By
        default users ask all, in the given order.
    pause
        How long users wait between two queries.
    costs
        How long actions take; by default 1 for each consulted element and nothing else.
    detail
        Which events are told one by one; as `play`.

    >>> from prum.simulator.model import Independent, Task
    >>> web = Task(["c", "d", "a", "b"], ["a", "b"], 4)
    >>> query = Query("web", web, Independent({("c", "a"): 0.4, ("c", "b"): 0.4}))
    >>> entries = Traffic([query], seed=1, arrivals=[10, 11.5]).entries(range(2))
    >>> [(entry.user, entry.time) for entry in entries if entry.event.action == "consult"][:4]
    [(0, 11.0), (0, 12.0), (1, 12.5), (0, 13.0)]
    """

    queries: Sequence[Query]
    seed: int
    arrivals: Poisson | Iterable[float] | None = None
    queries_each: Geometric | None = None
    pause: Duration = field(default_factory=lambda: Constant(0))
    costs: Costs = field(default_factory=Costs.unit)
    detail: Detail = "every"
    env: simpy.Environment = field(default_factory=simpy.Environment)
    log: list[Entry] = field(default_factory=list)
    people: dict[str, People | PeopleOfTypes] = field(default_factory=dict)
    keys: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [query.name for query in self.queries]
        if not names or len(set(names)) < len(names):
            rule, remedy = "be some, each by a name of its own", "give one Query for each topic"
            raise InputError("queries", names, rule, remedy=remedy)
        checked_duration("pause", self.pause)
        self.seed = checked_seed(self.seed)

    def sessions(self, user: int) -> list[Session]:
        """Return what a user does, each session by its own clock: nobody else matters to them."""
        numbers = self._numbers(user)
        numbers.unit()  # for the arrival
        played = [self._life(user, query).lived(self.seed) for query in self._chosen(numbers)]
        _check_time(sum(session.seconds for session in played))
        return played

    def entries(
        self, users: range, played: Iterator[list[Session]] | None = None
    ) -> Iterator[Entry]:
        """Yield what happens, until all users have left.

        If `played` is given, it has what `sessions` returns for each of the users, in order.
        """
        self._begin(self._arrive(users, played))
        while True:
            try:
                self.env.step()
            except EmptySchedule:
                return
            _check_time(self.env.now)
            yield from self.log
            self.log.clear()

    def _begin(self, what: Generator[Any, Any, None]) -> simpy.Process:
        """Return a process whose errors are raised by the step in which they happen."""
        process = self.env.process(what)
        process.callbacks.append(_raise)
        return process

    def _arrive(
        self, users: range, played: Iterator[list[Session]] | None
    ) -> Generator[Any, Any, None]:
        given = iter(() if isinstance(self.arrivals, Poisson | None) else self.arrivals)
        for user in users:
            numbers = self._numbers(user)
            # Drawn in any case, so that later actions do not depend on the arrivals.
            drawn = -math.log1p(-numbers.unit())
            if isinstance(self.arrivals, Poisson):
                yield self.env.timeout(drawn * 3600 / self.arrivals.per_hour)
            elif self.arrivals is not None:
                yield self.env.timeout(seconds("arrival", next(given)) - self.env.now)
            recorded = None if played is None else next(played)
            process = self._begin(self._live(user, numbers, recorded))
            if self.arrivals is None:
                yield process

    def _numbers(self, user: int) -> Sfc64:
        """Return the random numbers for a user's arrival, choice of queries and pauses."""
        block, within = divmod(user, BLOCK)
        if block not in self.keys:
            self.keys = {block: int(stream(self.seed, _KEY, block, CONSULTATIONS)[0])}
        who = identity(self.keys[block], within)
        a, b, c = (split_mix(who + step * _GOLDEN & _ALL) for step in (1, 2, 3))
        return Sfc64(a, b, c, 1)

    def _chosen(self, numbers: Sfc64) -> Sequence[Query]:
        """Return the queries that a user asks."""
        if self.queries_each is None:
            return self.queries
        left = list(self.queries)
        count = self.queries_each.drawn(numbers.unit(), len(left))
        return [left.pop(int(numbers.unit() * len(left))) for _ in range(count)]

    def _live(
        self, user: int, numbers: Sfc64, played: list[Session] | None
    ) -> Generator[Any, Any, None]:
        chosen = self._chosen(numbers)
        for place, query in enumerate(chosen):
            if place:
                yield self.env.timeout(duration(self.pause, numbers))
            life = played[place] if played else self._life(user, query)
            began, leaves = self.env.now, place == len(chosen) - 1
            for event in life.events:
                if (wait := began + event.time - self.env.now) > 0:
                    yield self.env.timeout(wait)
                stops = event.action == "stop"
                whose = (user, place + 1, query.name, self.env.now)
                self.log.append(
                    Entry(*whose, event, life.reason if stops else None, stops and leaves)
                )

    def _life(self, user: int, query: Query) -> Life:
        """Return the session of a user on a query, which is still to be lived."""
        if query.name not in self.people:
            self.people[query.name] = people_of(query.task, query.navigation, self.seed)
        rules = query.stopping or Stopping(Found(query.task.num_ideals))
        person = self.people[query.name].person(user, rules.wanted)
        return Life(person, query.task, rules, self.costs, user, self.detail)


def _check_time(now: float) -> None:
    if now == math.inf:
        raise InputError("time", now, "be finite", remedy="use shorter times")


def _raise(process: simpy.Event) -> None:
    """Raise the error of a process, if it ended with one."""
    if isinstance(process.value, BaseException):
        raise process.value
