"""Traces: what a user did, step by step in time, and how long many took to find things."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from prum.simulator.model.errors import whole_number

if TYPE_CHECKING:
    import pandas as pd

Action = Literal["consult", "see", "stop"]
# Which events are told one by one: of every element, or of those with a name. The others are
# consulted in one event, at the end.
Detail = Literal["every", "named"]
Reason = Literal["found", "persistence", "rank", "fruitless", "budget", "patience", "end"]


class Event(NamedTuple):
    """An action of a user.

    Attributes
    ----------
    time
        Seconds since the session began.
    action
        "consult": the user looked at an element of the list, or of the unranked part. "see": they
        saw an element, the consulted element itself or another that they navigated to. "stop": the
        end.
    rank
        Of the consulted element, from 1; elements after the list count on. Of several, that of
        the first.
    element
        The element consulted or seen; of "stop" the last one.
    origin
        Of "see": the element from which the user came, empty for the consulted element itself.
    ideal
        Whether the element seen is ideal.
    new
        Whether it is an ideal that the user had not seen before.
    elements
        Of "consult": how many elements, one after the other, were consulted by that time; more than
        one only where events are put together (`Detail`).
    """

    time: float
    action: Action
    rank: int
    element: str
    origin: str = ""
    ideal: bool = False
    new: bool = False
    elements: int = 1


@dataclass(frozen=True, slots=True)
class Session:
    """A user's path through a list, from its top to where they stopped.

    Parameters
    ----------
    user, seed
        The number of the user, and the seed, so that the session can be replayed.
    events
        In the order of time; the last is "stop".
    reason
        Why the user stopped: the rule that applied first, or "end": there was nothing left.
    """

    user: int
    seed: int
    events: tuple[Event, ...] = field(repr=False)
    reason: Reason

    @property
    def consulted(self) -> int:
        """C, how many elements the user consulted."""
        return sum(event.elements for event in self.events if event.action == "consult")

    @property
    def leading(self) -> int:
        """CL, how many of them led to an ideal not seen before."""
        return len({event.rank for event in self.events if event.new})

    @property
    def found(self) -> tuple[int, ...]:
        """F_k, how many ideals the user had seen after k consulted elements, k = 1 .. C."""
        counts: list[int] = []
        for event in self.events:
            if event.action == "consult":
                counts += [counts[-1] if counts else 0] * event.elements
            elif event.new:
                counts[-1] += 1
        return tuple(counts)

    @property
    def seconds(self) -> float:
        """How long the session took."""
        return self.events[-1].time

    @property
    def finds(self) -> tuple[float, ...]:
        """When the user saw the r-th ideal, in seconds since the session began; r = 1, 2, ..."""
        return tuple(event.time for event in self.events if event.new)


def time_curve(sessions: Iterable[Session], num_ideals: int) -> "pd.DataFrame":
    """Return a row for each r = 1 .. t: how long people took to see r ideals, and how many did.

    Columns: r; `share`, of users who saw r ideals before they stopped, with `share_error`;
    `seconds`, the mean time of these users, with `seconds_error`; `per_minute`, 60 r / seconds.
    Errors are standard errors; NaN where at most one user came so far. If all users go on until
    they have t, this is the expected time curve of Dunlop (1997), simulated.

    >>> from prum.simulator.model import Independent, Task
    >>> from prum.simulator.sessions import play
    >>> session = play(Task(["x", "a", "b"], ["a", "b"], 3), Independent({}), user=0, seed=1)
    >>> time_curve([session], 2)[["r", "share", "seconds", "per_minute"]].to_dict("list")
    {'r': [1, 2], 'share': [1.0, 1.0], 'seconds': [2.0, 3.0], 'per_minute': [30.0, 40.0]}
    """
    import pandas as pd

    t = whole_number("num_ideals", num_ideals, least=1, remedy="count the ideals")
    users, counts = 0, np.zeros(t)
    sums, squares = np.zeros(t), np.zeros(t)
    for session in sessions:
        seconds = np.array(session.finds[:t])
        users += 1
        counts[: len(seconds)] += 1
        sums[: len(seconds)] += seconds
        squares[: len(seconds)] += seconds**2
    r = np.arange(1, t + 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        share, mean = counts / users, sums / counts
        variance = np.maximum(squares / counts - mean**2, 0) / (counts - 1)
        return pd.DataFrame(
            {
                "r": r,
                "share": share,
                "share_error": np.sqrt(share * (1 - share) / users),
                "seconds": mean,
                "seconds_error": np.sqrt(np.where(counts > 1, variance, np.nan)),
                "per_minute": 60 * r / mean,
            }
        )
