"""Sessions: a user's path through a list, by a clock of its own."""

import math
from collections.abc import Generator, Iterator, Sequence
from functools import cached_property

import numpy as np

from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import Constant, Costs, Duration
from prum.simulator.model.errors import whole_number
from prum.simulator.model.stopping import (
    Budget,
    Found,
    Fruitless,
    Patience,
    Persistence,
    Ranks,
    Stopping,
)
from prum.simulator.sampling.sampler import checked_seed, checked_users
from prum.simulator.sampling.streams import MOST_USERS, Sfc64
from prum.simulator.sessions.person import Consultation, Person, people_of
from prum.simulator.sessions.trace import Detail, Event, Reason, Session

# Consulted elements of a session; users who go on longer are taken to never stop.
MOST_CONSULTED = 1_000_000
# Fewer numbers than this are drawn faster one by one.
_FEW = 32
# Whole numbers of seconds up to here add up to the same in any order.
_MOST_EXACT = 2.0**53
# Seconds that add up to a budget may miss it by rounding: .1 + .2 against .3.
_ROUNDING = 1e-12


def play(
    task: Task,
    navigation: Navigation,
    *,
    user: int,
    seed: int,
    stopping: Stopping | None = None,
    costs: Costs | None = None,
    detail: Detail = "every",
) -> Session:
    """Return the session of one user of a seed, from the top of the list to where they stop.

    From each element they see the same as the user of that number in `simulate` of a `Browsing`
    with any dial turned, and the same in every other list and under every other rule.

    Parameters
    ----------
    user, seed
        Whole numbers: the number of the user, among those of the seed.
    stopping
        When the user stops; by default when they have seen all ideals.
    costs
        How long actions take; by default 1 for each consulted element and nothing else.
    detail
        Which events are told one by one (`Detail`). What users do, and when, does not depend on it.

    >>> from prum.simulator.model import Independent
    >>> task = Task(["c", "d", "a", "b"], ["a", "b"], 4)
    >>> browsing = Independent({("c", "a"): 0.4, ("c", "b"): 0.4})
    >>> session = play(task, browsing, user=5, seed=1)
    >>> session.consulted, session.leading, session.found, session.seconds, session.reason
    (3, 2, (1, 1, 2), 3.0, 'found')
    """
    return next(
        sessions(
            task,
            navigation,
            num_users=1,
            first_user=user,
            seed=seed,
            stopping=stopping,
            costs=costs,
            detail=detail,
        )
    )


def sessions(
    task: Task,
    navigation: Navigation,
    *,
    num_users: int,
    seed: int,
    first_user: int = 0,
    stopping: Stopping | None = None,
    costs: Costs | None = None,
    detail: Detail = "every",
) -> Iterator[Session]:
    """Yield the sessions of users one after the other, each as `play` returns it.

    Raises InputError as `play`.
    """
    first = whole_number("user", first_user, least=0, most=MOST_USERS, remedy="give a number")
    count, seed = checked_users(num_users), checked_seed(seed)
    rules = Stopping(Found(task.num_ideals)) if stopping is None else stopping
    costs = Costs.unit() if costs is None else costs
    people = people_of(task, navigation, seed)
    for user in range(first, first + count):
        yield Life(people.person(user, rules.wanted), task, rules, costs, user, detail).lived(seed)


class Life:
    """The session of one user: they consult, see, and stop by the first rule that applies.

    `events` are those that are told (`Detail`); when the last is there, so is the reason.
    """

    reason: Reason = "end"

    def __init__(
        self,
        person: Person,
        task: Task,
        rules: Stopping,
        costs: Costs,
        user: int,
        detail: Detail,
    ) -> None:
        self._person, self._costs, self._user, self._detail = person, costs, user, detail
        self._ideals, self._seen = frozenset(task.ideals), set[str]()
        self._rank, self._element, self._fruitless = 0, "", 0
        self._clock, self._deadline, self._is_over = 0.0, math.inf, False
        self._reason_then: Reason = "budget"
        self._wanted = rules.wanted or math.inf
        self._between = [
            rule for rule in rules.rules if isinstance(rule, Persistence | Ranks | Fruitless)
        ]
        self._last_rank = {
            rule: _drawn(rule.probabilities, self._decisions.unit())
            for rule in self._between
            if isinstance(rule, Ranks)
        }
        for rule in rules.rules:
            if isinstance(rule, Budget):
                self._alarm(rule.seconds, "budget")
            elif isinstance(rule, Patience):
                self._alarm(duration(rule.law, self._decisions), "patience")
        # An action that ends by then ends by the deadline, but for rounding.
        self._latest = self._deadline * (1 + _ROUNDING)

    def lived(self, seed: int) -> Session:
        """Return the whole session, of a user of a seed."""
        return Session(self._user, seed, tuple(self.events), self.reason)

    @cached_property
    def _decisions(self) -> Sfc64:
        return self._person.stopping()

    @cached_property
    def _times(self) -> Sfc64:
        return self._person.times()

    def _alarm(self, seconds: float, reason: Reason) -> None:
        """Stop the user when seconds are over, after all else that happens then."""
        if seconds < self._deadline:
            self._deadline, self._reason_then = seconds, reason

    @property
    def events(self) -> Iterator[Event]:
        """What is told, in the order of time, once; the last is "stop"."""
        stopped: Reason | None = None
        for consultation in self._consultations():
            if consultation.shown:
                stopped = yield from self._consult(consultation)
            else:
                stopped = yield from self._pass(consultation)
            if stopped is not None or self._is_over:
                break
        if self._is_over:
            self._clock, stopped = self._deadline, self._reason_then
        self.reason = stopped or "end"
        yield Event(self._clock, "stop", self._rank, self._element)

    def _consultations(self) -> Iterator[Consultation]:
        """Yield what the user would consult, one by one if every element is to be told."""
        for consultation in self._person.consultations():
            if self._detail == "every":
                for place in range(consultation.elements):
                    yield consultation._replace(rank=consultation.rank + place, elements=1)
            else:
                yield consultation

    def _pass(self, stretch: Consultation) -> Generator[Event, None, Reason | None]:
        """Yield the event of elements without a name; return the reason if the user stops."""
        before = stretch.rank - 1
        most = self._checked(stretch.rank)
        number, reason = self._until_enough(before, min(stretch.elements, most))
        number = self._in_time(number)
        self._rank = before + number
        if number:
            self._element = ""
            yield Event(self._clock, "consult", stretch.rank, "", elements=number)
        if not self._is_over and reason is None and number < stretch.elements:
            self._checked(before + number + 1)
        return reason

    def _until_enough(self, before: int, number: int) -> tuple[int, Reason | None]:
        """Return how many of so many elements the user wants to consult, and why no more."""
        fruitless = self._fruitless
        for step in range(1, number + 1 if self._between else 1):
            self._rank, self._fruitless = before + step, fruitless + step
            if (reason := self._enough()) is not None:
                return step, reason
        return number, None

    def _in_time(self, number: int) -> int:
        """Let time pass; return how many of so many elements are consulted before it is over."""
        judge = self._costs.judge
        if isinstance(judge, Constant):
            end = self._clock + number * judge.value
            are_whole = self._clock.is_integer() and judge.value.is_integer()
            if are_whole and end <= min(self._deadline, _MOST_EXACT):
                self._clock = end
                return number
        ends = np.cumsum(np.append(self._clock, durations(judge, self._times, number)))[1:]
        done = int(np.searchsorted(ends, self._latest, side="right"))
        self._is_over = done < number
        if done:
            self._clock = min(float(ends[done - 1]), self._deadline)
        return done

    def _checked(self, rank: int) -> int:
        """Return how many elements the user may consult from this rank on, one at least."""
        if rank > MOST_CONSULTED:
            raise InputError(
                f"number of elements that user {self._user} consulted",
                rank - 1,
                "come to an end",
                remedy="give a rule by which users stop, such as a budget",
            )
        return MOST_CONSULTED - rank + 1

    def _consult(self, consultation: Consultation) -> Generator[Event, None, Reason | None]:
        """Yield the events of an element; return the reason if the user stops."""
        self._checked(consultation.rank)
        if not self._spends(self._costs.judge):
            return None
        rank = self._rank = consultation.rank
        self._element = consultation.element
        yield Event(self._clock, "consult", rank, self._element)
        led = False
        for origin, element in consultation.shown:
            if not self._sees(origin, element):
                return None
            ideal = element in self._ideals
            new = ideal and element not in self._seen
            yield Event(self._clock, "see", rank, element, origin, ideal, new)
            if new:
                led = True
                self._seen.add(element)
                if len(self._seen) >= self._wanted:
                    return "found"
        self._fruitless = 0 if led else self._fruitless + 1
        return self._enough()

    def _enough(self) -> Reason | None:
        """Return the reason if the user stops between two elements."""
        for rule in self._between:
            if isinstance(rule, Persistence) and self._decisions.unit() >= rule.p:
                return "persistence"
            if isinstance(rule, Ranks) and self._rank >= self._last_rank[rule]:
                return "rank"
            if isinstance(rule, Fruitless) and self._fruitless >= rule.elements:
                return "fruitless"
        return None

    def _sees(self, origin: str, element: str) -> bool:
        """Get to an element and read it; return whether there is time."""
        costs = self._costs
        if origin and not self._spends(costs.move):
            return False
        return self._spends(
            costs.read, costs.per_unit and costs.per_unit * costs.length_of(element)
        )

    def _spends(self, law: Duration, more: float = 0.0) -> bool:
        """Let time pass; return whether it is not over before the end of what takes so long."""
        end = self._clock + (duration(law, self._times) + more)
        self._is_over = end > self._latest
        if not self._is_over:
            self._clock = min(end, self._deadline)
        return not self._is_over


def durations(law: Duration, numbers: Sfc64, number: int) -> Floats:
    """Return so many seconds drawn from a law, as `duration` does one by one."""
    if isinstance(law, Constant):
        return np.full(number, law.value)
    if number < _FEW:
        return np.array([duration(law, numbers) for _ in range(number)])
    return np.asarray(-law.mean * np.log(1 - numbers.units(number)))


def duration(law: Duration, numbers: Sfc64) -> float:
    """Return seconds drawn from a law."""
    if isinstance(law, Constant):
        return law.value
    return -law.mean * math.log(1 - numbers.unit())


def _drawn(probabilities: Sequence[float], number: float) -> float:
    """Return the rank for a random number in [0, 1), infinite with the probability missing to 1."""
    total = 0.0
    for rank, probability in enumerate(probabilities, start=1):
        total += probability
        if number < total:
            return rank
    return math.inf if total < 1 - 1e-9 else len(probabilities)
