"""What an agent or a person did in one session, as the JSON of another program has it."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

from prum.experiments.logs.sessions import Sessions
from prum.simulator.model import InputError
from prum.simulator.tables.layout import number_of
from prum.simulator.tables.names import TRIAL, column_of


class Fields:
    """An object of JSON at a place of a file.

    Raise InputError for anything else, and for a field of another type.
    """

    def __init__(self, content: Any, name: str, place: str) -> None:
        self.content: Mapping[str, Any] = content
        self.name, self.place = name, place
        if not isinstance(content, dict):
            self._refuse(name, content, "be an object")

    def __contains__(self, name: str) -> bool:
        return self.content.get(name) is not None

    def _refuse(self, name: str, value: Any, rule: str) -> NoReturn:
        if isinstance(value, dict | list):
            value = "an object" if isinstance(value, dict) else "a list"
        remedy = "see what wrote the file"
        raise InputError(name, value, rule, remedy=remedy, place=self.place) from None

    def text(self, name: str, default: str | None = None) -> str:
        """Return a field that is a text, not empty, or a whole number, as text."""
        value = self.content.get(name)
        if value is None and default is not None:
            return default
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**30:
            return str(value)
        if not isinstance(value, str) or not value:
            self._refuse(name, value, "be a text that is not empty, or a whole number")
        return value

    def number(self, name: str, default: float) -> float:
        """Return a field that is a finite number, 0 is one, or the text of one."""
        value = self.content.get(name)
        if value is None:
            return default
        try:
            text = value if isinstance(value, str) else "nan"
            number = number_of(text) if isinstance(value, bool | str) else float(value)
        except (TypeError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            self._refuse(name, value, "be a finite number")
        return number

    def moment(self, name: str) -> float:
        """Return a field that is a time of ISO 8601, in seconds since 1970; NaN for none."""
        text = self.text(name, "") if name in self else ""
        if not text:
            return math.nan
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            self._refuse(name, text, "be a time like 2024-05-31T13:45:00Z")
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()

    def part(self, name: str) -> "Fields":
        """Return a field that is an object, an empty one where there is none."""
        value = self.content.get(name)
        return Fields({} if value is None else value, name, self.place)

    def listed(self, name: str) -> list[Any]:
        """Return a field that is a list, an empty one where there is none."""
        value = self.content.get(name)
        if value is not None and not isinstance(value, list):
            self._refuse(name, value, "be a list")
        return value or []

    def parts(self, name: str) -> list["Fields"]:
        """Return a field that is a list of objects."""
        return [
            Fields(value, f"{name}[{number}]", f"{self.place}, {name}[{number}]")
            for number, value in enumerate(self.listed(name))
        ]


def trial_of(content: Mapping[str, Any]) -> str:
    """Return which trial an object of JSON says it is, itself or in what it says beside.

    >>> trial_of({"extra": {"seed": 7}}), trial_of({"events": []})
    ('7', '')
    """
    for fields in (content, *(content.get(name) for name in ("meta", "extra", "metadata"))):
        if isinstance(fields, Mapping) and (name := column_of(list(fields), (*TRIAL, "run"))):
            value = fields[name]
            return str(value) if isinstance(value, str | int | float) else ""
    return ""


Kind = Literal["list", "open", "follow", "back"]
_FROM_ELSEWHERE = "links from elements that were not visited before"


class Action(NamedTuple):
    """One action of a session.

    Attributes
    ----------
    kind
        "list": a ranked list came back. "open": an element was opened, from a list or by its
        address. "follow": a link was followed to an element. "back": a click on back.
    elements
        Of a list, best first, perhaps none; else the one that was led to, none for "back".
    time
        Seconds from the beginning of the session, NaN if unknown.
    costs
        What the action cost, by unit: tokens, say.
    origin
        Of "follow": from where; "" for the element where the user was.
    label
        What the file calls it.
    """

    kind: Kind
    elements: tuple[str, ...] = ()
    time: float = float("nan")
    costs: Mapping[str, float] = {}
    origin: str = ""
    label: str = ""


def paid(
    steps: Iterable[tuple[Action | None, Mapping[str, float]]], lost: Counter[str]
) -> tuple[Action, ...]:
    """Return actions with what was paid for each and, since the one before, for what is none.

    What is paid after the last is counted as lost.
    """
    actions, owed = list[Action](), dict[str, float]()
    for action, costs in steps:
        for unit, cost in costs.items():
            owed[unit] = owed.get(unit, 0.0) + cost
        if action is not None:
            actions.append(action._replace(costs=owed))
            owed = {}
    lost.update(f"costs in {unit} after the last action" for unit, cost in owed.items() if cost)
    return tuple(actions)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A session as another program recorded it: actions in their order.

    Parameters
    ----------
    session, topic, person, system, trial
        Ids; "" for what the file doesn't say. The trial is which run of the system it is of.
    actions
        What was done.
    is_cut
        Whether the file ends before the session did.
    lost
        How many things of the file are not in it, by their names.
    place
        Where it stands, for messages.
    """

    session: str
    topic: str
    actions: tuple[Action, ...]
    person: str = ""
    system: str = ""
    is_cut: bool = False
    lost: Mapping[str, int] = field(default_factory=dict)
    place: str = ""
    trial: str = ""


def sessions_of_trajectories(trajectories: Iterable[Trajectory]) -> Sessions:
    """Return what was visited as sessions; lists and costs are not among it.

    What is opened begins a path, what is followed goes on. Who follows a link of an element before
    the one where they are, has gone back to it; of one they have not visited, opens anew. Sessions
    without a visit are left out. `lost` counts all that.

    >>> one = Trajectory("s", "t", (Action("open", ("a",)), Action("follow", ("b",))))
    >>> list(sessions_of_trajectories([one]))
    [('a', 'b')]
    """
    lost, kept = Counter[str](), list[Trajectory]()
    visits, starts = list[tuple[str, bool, bool]](), [0]
    for trajectory in trajectories:
        lost.update(trajectory.lost)
        visits += _visits(trajectory, lost)
        if len(visits) == starts[-1]:
            lost["sessions without a visit"] += 1
            continue
        kept.append(trajectory)
        starts.append(len(visits))
    names, is_entry, is_back = zip(*visits, strict=True) if visits else ((), (), ())
    return Sessions.of_visits(
        names,
        starts,
        np.array(is_entry, dtype=np.bool_),
        np.array(is_back, dtype=np.bool_),
        [trajectory.person for trajectory in kept],
        [trajectory.is_cut for trajectory in kept],
        dict(sorted(lost.items())),
    )


def _visits(trajectory: Trajectory, lost: Counter[str]) -> list[tuple[str, bool, bool]]:
    """Return (element, whether a path begins, whether it was gone back to) of each visit."""
    visits, trail = list[tuple[str, bool, bool]](), list[str]()

    def back() -> None:
        trail.pop()
        visits.append((trail[-1], False, True))

    for number, action in enumerate(trajectory.actions, start=1):
        if action.kind == "back":
            if len(trail) < 2:
                rule, remedy = "lead to an element before it", "leave it out"
                place = f"{trajectory.place}, action {number}"
                raise InputError("click on back", action.label, rule, remedy=remedy, place=place)
            back()
        elif action.kind != "list":
            origin, opens = action.origin, action.kind == "open" or not trail
            if not opens and origin and origin not in trail:
                lost[_FROM_ELSEWHERE] += 1
                opens = True
            while not opens and origin and trail[-1] != origin:
                back()
            trail[:] = [*trail * (not opens), action.elements[0]]
            visits.append((trail[-1], opens, False))
        else:
            lost["lists"] += 1
        lost.update(f"costs in {unit}" for unit in action.costs)
    return visits
