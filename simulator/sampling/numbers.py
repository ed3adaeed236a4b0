"""Random numbers one at a time, for plain Python."""

import numpy as np

from prum.simulator.model.arrays import Floats, Words


def split_mix(number: int) -> int:
    """Return SplitMix64's output for a state (Steele, Lea and Flood 2014)."""
    number = ((number ^ number >> 30) * 0xBF58476D1CE4E5B9) & 2**64 - 1
    number = ((number ^ number >> 27) * 0x94D049BB133111EB) & 2**64 - 1
    return number ^ number >> 31


class RandomNumbers:
    """NumPy's SFC64, set to a given state."""

    def __init__(self, state: Words) -> None:
        self._bits = np.random.SFC64(0)
        content = self._bits.state
        content["state"] = {"state": state}
        self._bits.state = content

    def raw(self) -> int:
        """Return the next 64 bits."""
        return int(self._bits.random_raw())

    def unit(self) -> float:
        """Return the next number in [0, 1)."""
        return (self.raw() >> 11) / 2**53

    def units(self, number: int) -> Floats:
        """Return the next numbers in [0, 1)."""
        drawn: Floats = np.random.Generator(self._bits).random(number)
        return drawn

    @property
    def state(self) -> list[int]:
        """The four words from which the next numbers come."""
        words: list[int] = self._bits.state["state"]["state"].tolist()
        return words


class Sfc64:
    """SFC64 from four words (Doty-Humphrey): the same numbers as NumPy's, quick to begin."""

    __slots__ = ("_a", "_b", "_c", "_counter")

    def __init__(self, a: int, b: int, c: int, counter: int) -> None:
        self._a, self._b, self._c, self._counter = a, b, c, counter

    def raw(self) -> int:
        """Return the next 64 bits."""
        every = 2**64 - 1
        number = (self._a + self._b + self._counter) & every
        self._counter = (self._counter + 1) & every
        self._a = self._b ^ self._b >> 11
        self._b = (self._c + (self._c << 3)) & every
        self._c = (((self._c << 24) | (self._c >> 40)) + number) & every
        return number

    def unit(self) -> float:
        """Return the next number in [0, 1)."""
        return (self.raw() >> 11) / 2**53

    def units(self, number: int) -> Floats:
        """Return the next numbers in [0, 1), as `unit` does one by one.

        >>> one, all_ = Sfc64(1, 2, 3, 1), Sfc64(1, 2, 3, 1)
        >>> [one.unit() for _ in range(3)] == all_.units(3).tolist(), one.raw() == all_.raw()
        (True, True)
        """
        numbers = RandomNumbers(
            np.array([self._a, self._b, self._c, self._counter], dtype=np.uint64)
        )
        drawn = numbers.units(number)
        self._a, self._b, self._c, self._counter = numbers.state
        return drawn
