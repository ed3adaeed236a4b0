"""Sessions: a user's path through a list as a SimPy process, timed, interrupted and kept."""

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
import simpy
from simpy.events import EventPriority

from prum.simulator.model import InputError, Navigation, Task
from prum.simulator.model.arrays import Floats
from prum.simulator.model.costs import Costs
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
from prum.simulator.model.times import Constant, Duration, Exponential
from prum.simulator.sampling.numbers import Sfc64
from prum.simulator.sampling.sampler import checked_seed, checked_users
from prum.simulator.sampling.streams import MOST_USERS
from prum.simulator.sessions.person import Consultation, Person, Script, people_of
from prum.simulator.sessions.trace import Detail, Event, Reason, Session

# Consulted elements of a session; users who go on longer are taken to never stop.
MOST_CONSULTED = 1_000_000
# Fewer numbers than this are drawn faster one by one.
_FEW = 32
# After all else that happens at the same time.
_LAST = EventPriority(2)
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

    Raises
    ------
    InputError
        as `simulate`, and if the user consults a million elements and does not stop.

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

    Raises
    ------
    InputError
        as `play`.
    """
    first = whole_number("user", first_user, least=0, most=MOST_USERS, remedy="give a number")
    count, seed = checked_users(num_users), checked_seed(seed)
    rules = Stopping(Found(task.num_ideals)) if stopping is None else stopping
    costs = Costs.unit() if costs is None else costs
    people = people_of(task, navigation, seed)
    for user in range(first, first + count):
        person = people.person(user, rules.wanted and min(rules.wanted, task.num_ideals))
        yield _alone(person, task, rules, costs, user, seed, detail)


def scripted(
    task: Task,
    visits: Mapping[str, Sequence[str]],
    *,
    stopping: Stopping | None = None,
    costs: Costs | None = None,
) -> Session:
    """Return the session of a user who sees from each element the visits of a script, in order.

    >>> task = Task(["x", "a"], ["a"], 2)
    >>> scripted(task, {"x": ["y", "a"]}).found
    (1,)
    """
    rules = Stopping(Found(task.num_ideals)) if stopping is None else stopping
    costs = Costs.unit() if costs is None else costs
    return _alone(Script(task, visits), task, rules, costs, 0, 0, "every")


def _alone(
    person: Person | Script,
    task: Task,
    rules: Stopping,
    costs: Costs,
    user: int,
    seed: int,
    detail: Detail,
) -> Session:
    env = simpy.Environment()
    events: list[Event] = []
    life = Life(env, person, task, rules, costs, user, events.append, detail)
    reason: Any = env.run(life.process)
    return Session(user, seed, tuple(events), reason)


class Life:
    """The process of one user: consults, sees, and stops by the first rule that applies.

    `tell` is called with each event when it happens. The value of `process` is the reason. What is
    not told one by one takes one step of the clock, up to the next event that is.
    """

    def __init__(
        self,
        env: simpy.Environment,
        person: Person | Script,
        task: Task,
        rules: Stopping,
        costs: Costs,
        user: int,
        tell: Callable[[Event], object],
        detail: Detail,
    ) -> None:
        self._env, self._costs, self._user, self._tell = env, costs, user, tell
        self._detail = detail
        self._ideals, self._seen = set(task.ideals), set[str]()
        self._began = env.now
        self._decisions, self._times = person.stopping(), person.times()
        self._rank, self._element, self._fruitless = 0, "", 0
        # How many elements were consulted, by the user's clock, that are still to be told.
        self._untold, self._clock, self._deadline = 0, env.now, math.inf
        self._rules = rules.rules
        self._between = [
            rule for rule in self._rules if isinstance(rule, Persistence | Ranks | Fruitless)
        ]
        self._last_rank = {
            rule: _drawn(rule.probabilities, self._decisions.unit())
            for rule in self._rules
            if isinstance(rule, Ranks)
        }
        self.process = env.process(self._live(person.consultations()))
        for rule in self._rules:
            if isinstance(rule, Budget):
                self._alarm(rule.seconds, "budget")
            elif isinstance(rule, Patience):
                self._alarm(duration(rule.law, self._decisions), "patience")

    def _alarm(self, seconds: float, reason: Reason) -> None:
        """Interrupt the user when seconds are over, after all other events of that time."""
        alarm = self._env.event()
        alarm._ok, alarm._value = True, None
        alarm.callbacks.append(
            lambda _: self.process.interrupt(reason) if self.process.is_alive else None
        )
        self._env.schedule(alarm, _LAST, seconds)
        self._deadline = min(self._deadline, self._env.now + seconds)

    def _live(self, consultations: Iterator[Consultation]) -> Generator[Any, Any, Reason]:
        reason: Reason = "end"
        try:
            for consultation in self._parted(consultations):
                if self._goes_by(consultation):
                    stopped = yield from self._pass(consultation)
                else:
                    yield from self._catch_up()
                    stopped = yield from self._consult(consultation)
                if stopped is not None:
                    reason = stopped
                    break
            yield from self._catch_up()
        except simpy.Interrupt as interrupt:
            reason = cast("Reason", interrupt.cause)
        self._event("stop", self._rank, self._element)
        return reason

    def _parted(self, consultations: Iterator[Consultation]) -> Iterator[Consultation]:
        """Yield elements without a name one by one, if they are to be told so."""
        if self._detail != "every":
            yield from consultations
            return
        for consultation in consultations:
            for rank in range(consultation.rank, consultation.rank + consultation.elements):
                yield consultation._replace(rank=rank, elements=1)

    def _goes_by(self, consultation: Consultation) -> bool:
        """Return whether an element is consulted without being told by itself."""
        if self._detail == "every":
            return False
        if self._detail == "named":
            return not consultation.shown
        return not any(
            element in self._ideals and element not in self._seen
            for _, element in consultation.shown
        )

    def _pass(self, consultation: Consultation) -> Generator[Any, Any, Reason | None]:
        """Consult what goes by, to be told later; return the reason if the user stops."""
        before = consultation.rank - 1
        most = self._checked(before + 1)
        wanted, reason = self._until_enough(before, min(consultation.elements, most))
        number, is_over = self._in_time(consultation, wanted)
        self._untold += number
        self._rank, self._element = (
            before + number,
            consultation.element if number else self._element,
        )
        if is_over:
            yield from self._catch_up()
            yield self._env.event()  # until the alarm
        if reason is None and number < consultation.elements:
            self._checked(before + number + 1)
        return reason

    def _until_enough(self, before: int, number: int) -> tuple[int, Reason | None]:
        """Return how many of so many elements the user wants to consult, and why no more."""
        if not self._between:
            return number, None
        fruitless = self._fruitless
        for rule in self._between:
            if isinstance(rule, Fruitless):
                number = min(number, max(rule.elements - fruitless, 1))
            elif isinstance(rule, Ranks):
                number = int(min(number, max(self._last_rank[rule] - before, 1)))
        # Persistence is drawn after each element; the other rules apply at the last of these.
        draws = any(isinstance(rule, Persistence) for rule in self._between)
        for step in range(1, number + 1) if draws else (number,):
            self._rank, self._fruitless = before + step, fruitless + step
            if (reason := self._enough()) is not None:
                return step, reason
        return number, None

    def _in_time(self, consultation: Consultation, number: int) -> tuple[int, bool]:
        """Let the user's clock go on; return how many elements it reaches, and if time is over."""
        if not consultation.shown:
            ends = self._clock + np.cumsum(durations(self._costs.judge, self._times, number))
            reached = int(np.searchsorted(ends, self._latest, side="right"))
            if reached:
                self._clock = min(float(ends[reached - 1]), self._deadline)
            return reached, reached < number
        end = self._clock + duration(self._costs.judge, self._times)
        if end > self._latest:
            return 0, True
        self._clock = min(end, self._deadline)
        for origin, element in consultation.shown:
            if origin:
                end += duration(self._costs.move, self._times)
            end += duration(self._costs.read, self._times)
            end += self._costs.per_unit * self._costs.length_of(element)
        if end > self._latest:
            return 1, True
        self._clock = min(end, self._deadline)
        return 1, False

    def _catch_up(self) -> Generator[Any, Any, None]:
        """Let the time pass that the untold elements took, and tell of them."""
        wait, number = self._clock - self._env.now, self._untold
        self._untold = 0
        try:
            if wait > 0:
                yield self._env.timeout(wait)
        finally:
            if number:
                first = self._rank - number + 1
                self._event("consult", first, self._element, elements=number)

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

    def _consult(self, consultation: Consultation) -> Generator[Any, Any, Reason | None]:
        """Spend time on an element; return the reason if the user stops."""
        self._checked(consultation.rank)
        yield from self._spend(self._costs.judge)
        self._rank, self._element = consultation.rank, consultation.element
        self._event("consult", self._rank, consultation.element)
        led = False
        for origin, element in consultation.shown:
            if origin:
                yield from self._spend(self._costs.move)
            yield from self._spend(
                self._costs.read, self._costs.per_unit * self._costs.length_of(element)
            )
            new = element in self._ideals and element not in self._seen
            ideal = element in self._ideals
            self._event("see", self._rank, element, origin=origin, ideal=ideal, new=new)
            if new:
                led = True
                self._seen.add(element)
                for rule in self._rules:
                    if isinstance(rule, Found) and len(self._seen) >= rule.ideals:
                        return "found"
        self._clock = self._env.now
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

    def _spend(self, law: Duration, more: float = 0.0) -> Generator[Any, Any, None]:
        seconds = duration(law, self._times) + more
        if seconds > 0:
            now = self._env.now
            if self._deadline < now + seconds <= self._latest:
                seconds = self._deadline - now
                while now + seconds > self._deadline:
                    seconds = math.nextafter(seconds, 0)
            yield self._env.timeout(seconds)

    @property
    def _latest(self) -> float:
        """When an action ends at the latest that ends by the deadline, but for rounding."""
        return self._deadline * (1 + _ROUNDING)

    def _event(self, action: Any, rank: int, element: str, **what: Any) -> None:
        self._tell(Event(self._env.now - self._began, action, rank, element, **what))


def durations(law: Duration, numbers: Sfc64, number: int) -> Floats:
    """Return so many seconds drawn from a law, as `duration` does one by one."""
    if isinstance(law, Constant):
        return np.full(number, law.value)
    if number < _FEW:
        return np.array([duration(law, numbers) for _ in range(number)])
    if isinstance(law, Exponential):
        return np.asarray(-law.mean * np.log(1 - numbers.units(number)))
    first, second = numbers.units(2 * number).reshape(number, 2).T
    normal = np.sqrt(-2 * np.log(1 - first)) * np.cos(2 * np.pi * second)
    return np.asarray(np.exp(law.location + law.scale * normal))


def duration(law: Duration, numbers: Sfc64) -> float:
    """Return seconds drawn from a law."""
    if isinstance(law, Constant):
        return law.value
    if isinstance(law, Exponential):
        return -law.mean * math.log(1 - numbers.unit())
    radius = math.sqrt(-2 * math.log(1 - numbers.unit()))
    normal = radius * math.cos(2 * math.pi * numbers.unit())
    return math.exp(law.location + law.scale * normal)


def _drawn(probabilities: Sequence[float], number: float) -> float:
    """Return the rank for a random number in [0, 1), infinite with the probability missing to 1."""
    total = 0.0
    for rank, probability in enumerate(probabilities, start=1):
        total += probability
        if number < total:
            return rank
    return math.inf if total < 1 - 1e-9 else len(probabilities)
