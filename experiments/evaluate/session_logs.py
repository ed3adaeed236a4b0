"""Sessions of several lists as they are given, and what their users consult and pay."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import Any

from prum.experiments.logs.trajectories.agents import Tools
from prum.experiments.logs.trajectories.read import checked, is_log, read_trajectories
from prum.experiments.logs.trajectories.trajectory import Trajectory
from prum.simulator.collections.trec import read_run
from prum.simulator.model import InputError
from prum.simulator.model.costs import ELEMENTS, SECONDS
from prum.simulator.model.searching import SearchStep
from prum.simulator.tables.files import place
from prum.simulator.tables.read import is_one_table

STEPS = "steps"
VISITS = ("open", "follow")
_DIGITS = 4
# Question -> lists of each call, of one session or several.
Lists = Mapping[str, Sequence[Sequence[Sequence[str]]]]


def given_sessions(runs: Any, tools: Tools, *, strict: bool) -> dict[str, list[Trajectory]] | None:
    """Return the sessions of each system, None if what is given are runs.

    Logs are known by what they hold.

    `runs`: as `evaluate` takes them; `strict`: whether nothing but sessions will do.
    """
    is_many = isinstance(runs, list | tuple) and not is_one_table(runs)
    sources = list(runs) if is_many else [runs]
    if sources and all(isinstance(source, Trajectory) for source in sources):
        sessions = checked(sources)
    else:
        are_logs = [
            (strict and isinstance(source, str | os.PathLike)) or is_log(source)
            for source in sources
        ]
        if not strict and not any(are_logs):
            return None
        if not all(are_logs):
            other = sources[are_logs.index(False)]
            rule, remedy = "be a log of sessions, as the others", "evaluate runs by themselves"
            named = (
                os.fspath(other) if isinstance(other, str | os.PathLike) else type(other).__name__
            )
            raise InputError("runs", named, rule, remedy=remedy)
        sessions = read_trajectories(sources if is_many else runs, tools=tools)
    systems = dict[str, list[Trajectory]]()
    for session in sessions:
        systems.setdefault(session.system or "sessions", []).append(session)
    return systems


@dataclass(frozen=True, slots=True)
class Paying:
    """What users consult and in which unit they pay.

    Parameters
    ----------
    unit
        "elements", "steps" or a unit of the log.
    reads
        Whether they see whatever lists show; else they see what they open or follow.
    """

    unit: str
    reads: bool

    def prices(self, session: Trajectory) -> list[float]:
        """Return what each action of a session cost; lists of elements that are read, nothing."""
        if self.unit == ELEMENTS:
            return [float(action.kind in VISITS) for action in session.actions]
        if self.unit == STEPS:
            return [1.0] * len(session.actions)
        prices = [action.costs.get(self.unit) for action in session.actions]
        if any(cost is not None for cost in prices):
            return [0.0 if cost is None else cost for cost in prices]
        if self.unit == SECONDS and not any(isnan(action.time) for action in session.actions):
            times = [0.0, *(action.time for action in session.actions)]
            return [time - before for before, time in pairwise(times)]
        if session.actions:
            rule, remedy = (
                "be given for each session",
                f"leave {session.session} out, or --cost elements",
            )
            raise InputError(f"cost in {self.unit}", None, rule, remedy=remedy, place=session.place)
        return []

    def consultations(self, session: Trajectory) -> Iterator[SearchStep]:
        """Yield what was consulted in a session, and what was paid for it."""
        for action, cost in zip(session.actions, self.prices(session), strict=True):
            if action.kind != "list":
                yield SearchStep(cost, action.elements)
            elif self.reads and self.unit == ELEMENTS:
                yield from (SearchStep(1.0, (element,)) for element in action.elements)
            else:
                yield SearchStep(cost, action.elements if self.reads else ())


def units_of(sessions: Iterable[Trajectory]) -> list[str]:
    """Return the units in which sessions tell costs, elements and steps first."""
    actions = [action for session in sessions for action in session.actions]
    units = {unit for action in actions for unit in action.costs}
    if any(not isnan(action.time) for action in actions):
        units.add(SECONDS)
    return [ELEMENTS, STEPS, *sorted(units - {ELEMENTS, STEPS})]


def opens(sessions: Iterable[Trajectory]) -> bool:
    """Return whether any of these opens or follows anything."""
    return any(action.kind in VISITS for session in sessions for action in session.actions)


def shown_in(session: Trajectory) -> set[str]:
    """Return what lists of a session showed, and what it opened besides."""
    return {
        x for action in session.actions if action.kind in ("list", "open") for x in action.elements
    }


def lists_of(session: Trajectory) -> list[tuple[str, ...]]:
    """Return the lists of a session."""
    return [action.elements for action in session.actions if action.kind == "list"]


def given_lists(lists: Any, tools: Tools) -> Lists:
    """Return what a retriever shows at each call: question -> sessions -> calls -> elements.

    A log of sessions; a TREC run whose topics are questions with the number of the call, q7#1 and
    q7#2; or question -> lists, one for each call.

    >>> given_lists({"q": [["a", "b"], []]}, Tools())
    {'q': [[('a', 'b'), ()]]}
    """
    if isinstance(lists, Mapping):
        return {topic: [[tuple(shown) for shown in calls]] for topic, calls in lists.items()}
    if isinstance(lists, str | os.PathLike):
        if not is_log(lists):
            return _of_run(os.fspath(lists))
        sessions = list(read_trajectories(lists, tools=tools))
    elif isinstance(lists, Sequence) and all(isinstance(session, Trajectory) for session in lists):
        sessions = list(lists)
    else:
        rule = "be a log of sessions, a run with a topic for each call, or a mapping"
        remedy = "give {question: [[element, ...], ...]}, say"
        raise InputError("lists", type(lists).__name__, rule, remedy=remedy)
    by_topic: dict[str, list[list[tuple[str, ...]]]] = {}
    for session in sessions:
        by_topic.setdefault(session.topic, []).append(lists_of(session))
    return by_topic


def _of_run(path: str) -> Lists:
    calls: dict[str, dict[int, tuple[str, ...]]] = {}
    for topic, shown in read_run(path).items():
        question, _, number = topic.rpartition("#")
        is_number = number.isascii() and number.isdecimal() and len(number) <= _DIGITS
        if not question or not is_number or int(number) < 1:
            rule = f"be a question and the number of the call, of {_DIGITS} digits at most, as q7#1"
            remedy = "name the topics so, or give a log of sessions"
            raise InputError("topic", topic, rule, remedy=remedy, place=place(path))
        calls.setdefault(question, {})[int(number)] = shown
    return {
        question: [[numbered.get(number, ()) for number in range(1, max(numbered) + 1)]]
        for question, numbered in calls.items()
    }
