"""Tally: integer sums over simulated users that add up exactly, in any order.

Units are independent of each other: a unit is a user, or in a stratified run a group of
`streams.STRATA` users. Sums are whole numbers, so chunks, threads and resumed runs merge by + to
the same result.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model.arrays import Ints

# Bits behind the point of C: expected draws from the unranked part are not whole numbers.
CONSULTED_BITS = 40
# Bits behind the point of the ratio CL / C.
RATIO_BITS = 40
# Names of the rows of `Tally.sums`.
CONSULTED, LEADING, CONSULTED_SQUARE, LEADING_SQUARE, PRODUCT, RATIO, RATIO_SQUARE = range(7)


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Counts over users; tallies of disjoint users add with +.

    Parameters
    ----------
    num_users, num_units
        Number of users, and of independent units of them.
    sums
        Python integers, shape (7, t): sums over units of C, CL, C^2, CL^2, C CL, the ratio CL / C
        and its square. A unit's C, CL and ratio are sums over its users; C and the ratio count in
        2^-40.
    histogram
        Users by C(r), shape (t, bins + 1); the last column takes users whose C(r) was not drawn.
    """

    num_users: int
    num_units: int
    sums: NDArray[np.object_]
    histogram: Ints

    def __post_init__(self) -> None:
        self.sums.setflags(write=False)
        self.histogram.setflags(write=False)

    def __add__(self, other: "Tally") -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        return Tally(
            self.num_users + other.num_users,
            self.num_units + other.num_units,
            self.sums + other.sums,
            self.histogram + other.histogram,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return (
            (self.num_users, self.num_units) == (other.num_users, other.num_units)
            and np.array_equal(self.sums, other.sums)
            and np.array_equal(self.histogram, other.histogram)
        )

    __hash__ = None  # type: ignore[assignment] # compares arrays


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins for C(r): exact below 2^(precision + 1), then 2^precision to the octave.

    The bin of c is the upper bits of c as a floating-point number.
    """

    precision: int
    largest: int

    @classmethod
    def fitting(cls, num_ideals: int, largest: int) -> "Bins":
        """Return the finest bins, at most 2^17 of them in all, for C(r) up to `largest`."""
        octaves = max(1, largest).bit_length()
        precision = 12
        while precision > 2 and num_ideals * (octaves << precision) > 1 << 17:
            precision -= 1
        return cls(precision, largest)

    @property
    def shift(self) -> int:
        """Bits of a float's pattern below the bin number."""
        return 52 - self.precision

    @property
    def count(self) -> int:
        """Number of bins."""
        return self.largest.bit_length() << self.precision if self.largest else 1

    def upper(self) -> Ints:
        """Return the largest c of each bin, shape (count,); bins without an integer repeat one."""
        numbers = np.arange(1, self.count + 1, dtype=np.int64) + (1023 << self.precision)
        edges = (numbers << self.shift).view(np.float64)
        return np.minimum(np.ceil(edges).astype(np.int64) - 1, self.largest)
