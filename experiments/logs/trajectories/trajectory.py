"""What an agent or a person did in one session, as another program recorded it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np

from prum.experiments.logs.codes import codes_of
from prum.experiments.logs.sessions import Sessions, led_to
from prum.simulator.model import InputError

Kind = Literal["list", "open", "follow", "back"]
SESSIONS_AT_ONCE = 5_000
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


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A session as another program recorded it: actions in their order.

    Parameters
    ----------
    session, topic, person, system
        Ids; "" for what the file doesn't say.
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


def sessions_of_trajectories(trajectories: Iterable[Trajectory]) -> Iterator[Sessions]:
    """Yield what was visited as sessions; lists and costs are not among it.

    What is opened begins a path, what is followed goes on. Who follows a link of an element before
    the one where they are, has gone back to it; of one they have not visited, opens anew. Sessions
    without a visit are left out. `lost` counts all that.

    Raises
    ------
    InputError
        for a click on back with nothing to go back to, and a session that comes twice.

    >>> one = Trajectory("s", "t", (Action("open", ("a",)), Action("follow", ("b",))))
    >>> [list(batch) for batch in sessions_of_trajectories([one])]
    [[('a', 'b')]]
    """
    seen, rest = set[str](), iter(trajectories)
    while batch := list(islice(rest, SESSIONS_AT_ONCE)):
        for one in batch:
            if one.session in seen:
                rule, remedy = "be in the file once", "give each session an id of its own"
                raise InputError("session", one.session, rule, remedy=remedy, place=one.place)
            seen.add(one.session)
        yield _together(batch)


def _together(batch: list[Trajectory]) -> Sessions:
    lost = Counter[str]()
    kept, visits = list[Trajectory](), list[tuple[str, bool, bool]]()
    starts = [0]
    for one in batch:
        lost.update(one.lost)
        visits += _visits(one, lost)
        if len(visits) == starts[-1]:
            lost["sessions without a visit"] += 1
            continue
        kept.append(one)
        starts.append(len(visits))
    code = {name: place for place, name in enumerate(dict.fromkeys(name for name, _, _ in visits))}
    known = dict.fromkeys(one.person for one in kept if one.person)
    persons = {name: place for place, name in enumerate(known)}
    is_entry = np.array([entry for _, entry, _ in visits], dtype=np.bool_)
    is_back = np.array([back for _, _, back in visits], dtype=np.bool_)
    element = codes_of((name for name, _, _ in visits), code)
    return Sessions(
        tuple(code),
        led_to(element, is_entry, is_back),
        np.array(starts, dtype=np.int64),
        is_entry,
        is_back,
        tuple(persons),
        codes_of((one.person for one in kept), persons),
        np.array([one.is_cut for one in kept], dtype=np.bool_),
        tuple(sorted(lost.items())),
    )


def _visits(one: Trajectory, lost: Counter[str]) -> list[tuple[str, bool, bool]]:
    """Return (element, whether a path begins, whether it was gone back to) of each visit."""
    visits, trail = list[tuple[str, bool, bool]](), list[str]()

    def back() -> None:
        trail.pop()
        visits.append((trail[-1], False, True))

    for number, action in enumerate(one.actions, start=1):
        if action.kind == "back":
            if len(trail) < 2:
                rule, remedy = "lead to an element before it", "leave it out"
                place = f"{one.place}, action {number}"
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
