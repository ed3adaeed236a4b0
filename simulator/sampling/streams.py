"""Random streams: a function of the seed, what the users look for, and the block of users.

A block's stream does not depend on the list or on how users browse. So the same seed gives the
same users to every system, and results do not depend on the order in which blocks are computed.
Plain Python takes its numbers one at a time.
"""

from typing import cast

import numpy as np

from prum.simulator.model import Task
from prum.simulator.model.arrays import Floats, Words
from prum.simulator.model.task import content_key

# Users per stream, a power of two.
BLOCK = 16_384
MOST_USERS = 10**12
LARGEST_SEED = 2**64 - 1

# The purposes of streams; AGAIN redraws places of the unranked part that coincided.
FIRST_SEEN, UNRANKED, WALKS, AGAIN, CONTEXTS, FACTORS, VISITS, CONSULTATIONS = range(8)
EFFORTS = 8
POINTS, OPENINGS, TYPES = range(14, 17)

# The rank of what the list does not show, as in the kernels.
NEVER = 2**31 - 1


def users_key(task: Task) -> tuple[int, ...]:
    """Return 256 bits, as words of 32, that name the users who look for the task's ideals."""
    digest = bytes.fromhex(content_key(["users", task.ideals]))
    return tuple(int(word) for word in np.frombuffer(digest, dtype=">u4"))


def stream(seed: int, key: tuple[int, ...], block: int, purpose: int) -> Words:
    """Return the state of NumPy's SFC64 seeded for one block and purpose, shape (4,)."""
    sequence = np.random.SeedSequence(seed, spawn_key=(*key, block, purpose))
    state = cast("dict[str, dict[str, Words]]", np.random.SFC64(sequence).state)
    return state["state"]["state"].copy()


def uniform(state: Words, size: int) -> Floats:
    """Return the next numbers in [0, 1) of a stream, and advance its state."""
    from prum.simulator.sampling.kernels import fill_uniform

    numbers = np.empty(size, dtype=np.uint64)
    fill_uniform(state, numbers)
    return (numbers >> np.uint64(11)) / 2.0**53


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
