"""Times: how long the actions of a user take, in seconds, as constants or laws."""

import math
from dataclasses import dataclass

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


def seconds(thing: str, value: object, *, positive: bool = False) -> float:
    """Return a number of seconds, or of units, as `amount` does."""
    return amount(thing, value, positive=positive, remedy="give a number of seconds")


def checked_duration(thing: str, law: object) -> None:
    """Raise InputError unless `law` is a time."""
    if not isinstance(law, Duration):
        rule = "be Constant, Exponential or LogNormal"
        raise InputError(thing, law, rule, remedy="write Constant(4.4), say")
