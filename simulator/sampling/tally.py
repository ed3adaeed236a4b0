"""Tally: integer sums over simulated users that add up exactly, in any order.

Users are independent of each other. Sums are whole numbers, so chunks, threads and resumed runs
merge by + to the same result.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model.arrays import Floats

# What a tally has means of: C, CL, and the ratio CL / C.
TallyQuantity = Literal["consulted", "leading", "ratio"]

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
    num_users
        Number of users.
    sums
        Python integers, shape (7, t): sums over users of C, CL, C^2, CL^2, C CL, the ratio CL / C
        and its square. C and the ratio count in 2^-40.
    """

    num_users: int
    sums: NDArray[np.object_]

    def __post_init__(self) -> None:
        self.sums.setflags(write=False)

    def __add__(self, other: "Tally") -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        return Tally(self.num_users + other.num_users, self.sums + other.sums)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return self.num_users == other.num_users and np.array_equal(self.sums, other.sums)

    __hash__ = None  # type: ignore[assignment] # compares arrays

    def mean(self, quantity: TallyQuantity) -> Floats:
        """Return the mean over users, shape (t,)."""
        row, _, bits = _ROWS[quantity]
        scale = self.num_users << bits
        return floats(total / scale for total in self.sums[row])

    def error(self, quantity: TallyQuantity) -> Floats:
        """Return the standard error of `mean`, shape (t,); infinite for a single user."""
        row, square_row, bits = _ROWS[quantity]
        n = self.num_users
        if n < 2:
            return np.full(self.sums.shape[1], np.inf)
        variances = floats(
            max(n * square - total * total, 0) / ((n * n * (n - 1)) << (2 * bits))
            for total, square in zip(self.sums[row], self.sums[square_row], strict=True)
        )
        return np.sqrt(variances)

    @property
    def precision(self) -> Floats:
        """Mean CL / mean C, shape (t,)."""
        return floats(
            (lead << CONSULTED_BITS) / consulted if consulted else np.nan
            for lead, consulted in zip(self.sums[LEADING], self.sums[CONSULTED], strict=True)
        )

    @property
    def precision_error(self) -> Floats:
        """Standard error of `precision`: the delta method over independent users.

        sqrt(n / (n - 1) sum (CL_u C. - C_u CL.)^2) / C.^2, where dots are sums over all users;
        the sum of squares is computed in whole numbers, so an error of 0 is exact.
        """
        n, sums = self.num_users, self.sums
        if n < 2:
            return np.full(sums.shape[1], np.inf)
        squares = (
            sums[LEADING_SQUARE] * sums[CONSULTED] ** 2
            - 2 * sums[PRODUCT] * sums[CONSULTED] * sums[LEADING]
            + sums[CONSULTED_SQUARE] * sums[LEADING] ** 2
        )
        variances = floats(
            (max(square, 0) * n << (2 * CONSULTED_BITS)) / ((n - 1) * consulted**4)
            if consulted
            else np.nan
            for square, consulted in zip(squares, sums[CONSULTED], strict=True)
        )
        return np.sqrt(variances)


# Row of the sum, row of the sum of squares, and bits behind the point.
_ROWS: dict[TallyQuantity, tuple[int, int, int]] = {
    "consulted": (CONSULTED, CONSULTED_SQUARE, CONSULTED_BITS),
    "leading": (LEADING, LEADING_SQUARE, 0),
    "ratio": (RATIO, RATIO_SQUARE, RATIO_BITS),
}


def floats(values: Iterable[Any]) -> Floats:
    """Return Python numbers as an array."""
    return np.fromiter((float(value) for value in values), dtype=np.float64)
