"""Random numbers of the plain-Python twins: NumPy's own generators, one number at a time."""

import numpy as np
from numpy.typing import NDArray


def split_mix(number: int) -> int:
    """Return SplitMix64's output for a state (Steele, Lea and Flood 2014)."""
    number = ((number ^ number >> 30) * 0xBF58476D1CE4E5B9) & 2**64 - 1
    number = ((number ^ number >> 27) * 0x94D049BB133111EB) & 2**64 - 1
    return number ^ number >> 31


class Numbers:
    """NumPy's SFC64, set to a given state."""

    def __init__(self, state: NDArray[np.uint64]) -> None:
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
