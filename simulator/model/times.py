"""Times: how long the actions of a user take, in seconds, as constants or laws."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from prum.simulator.model.errors import InputError, amount


@dataclass(frozen=True, slots=True)
class Constant:
    """The same number of seconds each time.

    Raises
    ------
    InputError
        for a value that is negative or not finite.
    """

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", seconds("time", self.value))

    @property
    def mean(self) -> float:
        """Mean, in seconds."""
        return self.value


@dataclass(frozen=True, slots=True)
class Exponential:
    """Exponentially distributed seconds.

    Raises
    ------
    InputError
        for a mean that is not positive and finite.
    """

    mean: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", seconds("mean time", self.mean, positive=True))


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Log-normally distributed seconds, of this mean and standard deviation.

    Raises
    ------
    InputError
        for a mean or deviation that is not positive and finite.
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", seconds("mean time", self.mean, positive=True))
        spread = seconds("deviation of time", self.deviation, positive=True)
        object.__setattr__(self, "deviation", spread)

    @property
    def location(self) -> float:
        """Mean of the logarithm."""
        return math.log(self.mean) - self.scale**2 / 2

    @property
    def scale(self) -> float:
        """Standard deviation of the logarithm."""
        return math.sqrt(math.log1p((self.deviation / self.mean) ** 2))


Duration = Constant | Exponential | LogNormal


@dataclass(frozen=True, slots=True)
class Costs:
    """What a user spends time on.

    Consulting an element takes `judge`, a look at its summary in the list. The user then reads the
    element and each element they navigate to: `read` plus `per_unit` times its length. Getting to
    an element takes `move`, but nothing for the consulted element itself.

    Parameters
    ----------
    judge, read, move
        Times, in seconds.
    per_unit
        Seconds per unit of length.
    lengths
        Element -> length, in words, say; others have `length`.

    Raises
    ------
    InputError
        for a law that is not a time, and a number that is negative or infinite.

    >>> Costs.unit()
    Costs(judge=Constant(value=1.0), read=Constant(value=0.0), move=Constant(value=0.0))
    """

    judge: Duration
    read: Duration
    move: Duration
    per_unit: float = 0.0
    length: float = 0.0
    lengths: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("judge", "read", "move"):
            checked_duration(name, getattr(self, name))
        for name in ("per_unit", "length"):
            object.__setattr__(self, name, seconds(name, getattr(self, name)))
        lengths = {
            element: seconds(f"length of {element!r}", length)
            for element, length in self.lengths.items()
        }
        object.__setattr__(self, "lengths", lengths)

    @classmethod
    def unit(cls) -> "Costs":
        """Return costs of 1 per consulted element, and of nothing else."""
        return cls(Constant(1), Constant(0), Constant(0))

    @classmethod
    def smucker_clarke(cls, lengths: Mapping[str, float] | None = None) -> "Costs":
        """Return the times of Smucker and Clarke (SIGIR 2012), lengths in words.

        4.4 s for a summary, 7.8 s and .018 s per word for a document, as fitted to 48 people.
        Elements of unknown length have none. Moving takes no time of its own.
        """
        return cls(Constant(4.4), Constant(7.8), Constant(0), 0.018, 0.0, lengths or {})

    def length_of(self, element: str) -> float:
        """Return the length of an element."""
        return self.lengths.get(element, self.length)

    def __repr__(self) -> str:
        more = [
            f"{name}={getattr(self, name)!r}"
            for name, default in (("per_unit", 0.0), ("length", 0.0), ("lengths", {}))
            if getattr(self, name) != default
        ]
        shown = [f"{name}={getattr(self, name)!r}" for name in ("judge", "read", "move")]
        return f"Costs({', '.join([*shown, *more])})"


def seconds(thing: str, value: object, *, positive: bool = False) -> float:
    """Return a number of seconds, or of units, as `amount` does."""
    return amount(thing, value, positive=positive, remedy="give a number of seconds")


def checked_duration(thing: str, law: object) -> None:
    """Raise InputError unless `law` is a time."""
    if not isinstance(law, Duration):
        rule = "be Constant, Exponential or LogNormal"
        raise InputError(thing, law, rule, remedy="write Constant(4.4), say")
