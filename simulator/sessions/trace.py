"""Traces: what one user did, step by step in time."""

from dataclasses import dataclass, field
from typing import Literal

Action = Literal["consult", "see", "stop"]
Reason = Literal["found", "persistence", "rank", "fruitless", "budget", "patience", "end"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something a user did.

    Parameters
    ----------
    time
        Seconds since his session began, when it was done.
    action
        "consult": he looked at an element of the list, or of what comes after it. "see": he was
        shown an element, the consulted one itself or one that he navigated to. "stop": the end.
    rank
        Of the consulted element, from 1; after the list they count on.
    element
        Consulted or seen; of "stop" that at which he was.
    origin
        Of "see": the element that he came from, empty for the consulted element itself.
    ideal
        Whether the element seen is ideal.
    new
        Whether it is an ideal that he had not seen before.
    """

    time: float
    action: Action
    rank: int
    element: str
    origin: str = ""
    ideal: bool = False
    new: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """One user's way through one list, from its top to where he stopped.

    Parameters
    ----------
    user, seed
        Who of which users, so that he can be replayed.
    events
        In the order of time; the last is "stop".
    reason
        Why he stopped: the rule that applied first, or "end": there was nothing left.
    """

    user: int
    seed: int
    events: tuple[Event, ...] = field(repr=False)
    reason: Reason

    @property
    def consulted(self) -> int:
        """C, how many elements he consulted."""
        return sum(event.action == "consult" for event in self.events)

    @property
    def leading(self) -> int:
        """CL, how many of them led him to an ideal that he had not seen."""
        return len({event.rank for event in self.events if event.new})

    @property
    def found(self) -> tuple[int, ...]:
        """F_k, how many ideals he had seen after k consulted elements, k = 1 .. C."""
        counts: list[int] = []
        for event in self.events:
            if event.action == "consult":
                counts.append(counts[-1] if counts else 0)
            elif event.new:
                counts[-1] += 1
        return tuple(counts)

    @property
    def seconds(self) -> float:
        """How long it took him."""
        return self.events[-1].time

    @property
    def finds(self) -> tuple[float, ...]:
        """When he saw the r-th ideal, in seconds since he began; r = 1, 2, ..."""
        return tuple(event.time for event in self.events if event.new)

    def time_biased_gain(self, *, half_life: float = 224.0, gain: float = 1.0) -> float:
        """Return what the ideals that he saw are worth: each `gain`, halved every `half_life` s.

        The measure of Smucker and Clarke (SIGIR 2012) of one user's own times; its mean over users
        is what their formula stands for, which decays by the expected time.
        """
        return gain * sum(2 ** (-seconds / half_life) for seconds in self.finds)
