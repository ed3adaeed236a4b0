"""WeightedTally: whole-number sums over users who count with a weight, as rare users do.

Units of `streams.UNIT` users are independent of each other and alike. A user of weight w counts as
W = w 2^bits users, a whole number, each with their whole C(r) and CL(r): so sums are whole numbers,
and parts cut at whole units, on any threads, merge by + to the same result.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.sampling.streams import PUSHED_EVERY, UNIT
from prum.simulator.sampling.tally import TallyQuantity, floats

# Bits behind the point of W CL / C, and of W (C / number of elements)^2.
RATIO_BITS, SQUARE_BITS = 40, 56
# What is summed over units: W, W C, W CL, W CL / C, W C^2, and products of two of the first four.
WEIGHT, CONSULTED, LEADING, RATIO, SQUARE = range(5)
PAIRS = (
    (WEIGHT, WEIGHT),
    (CONSULTED, CONSULTED),
    (LEADING, LEADING),
    (RATIO, RATIO),
    (WEIGHT, CONSULTED),
    (WEIGHT, LEADING),
    (WEIGHT, RATIO),
    (CONSULTED, LEADING),
)
_ROW = {pair: SQUARE + 1 + number for number, pair in enumerate(PAIRS)}
_QUANTITY: dict[TallyQuantity, int] = {"consulted": CONSULTED, "leading": LEADING, "ratio": RATIO}


def weight_bits(num_elements: int) -> int:
    """Return bits behind the point of weights, so that a unit's sum of W C(r) fits 63 bits.

    Weights are at most 4/3, C(r) is at most `num_elements`.

    >>> weight_bits(1000), weight_bits(10**6), weight_bits(2**31 - 1)
    (40, 36, 25)
    """
    return min(40, 62 - UNIT.bit_length() - max(num_elements, 1).bit_length())


def cost_bits_cut(bits: int, largest: int) -> int:
    """Return lower bits that a user's W C must lose, so that a unit's sum of them fits 63 bits.

    C is at most `largest`; none if it is a number of elements that `bits` are of.

    >>> cost_bits_cut(weight_bits(1000), 1000), cost_bits_cut(weight_bits(1000), 2**47)
    (0, 32)
    """
    return max(0, bits + UNIT.bit_length() + max(largest, 1).bit_length() - 62)


# Of what fewer users showed nobody knows the error from users.
ENOUGH = 10
# What no one of n plain users showed has with confidence .95 a probability of at most 3 / n, which
# is two standard errors.
_UNSHOWN = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class RareShown:
    """How many users showed what may be rare, and by how much it moves means.

    Rows are that C(r) lies behind the list, and that CL(r) is less than r: `users` who showed it,
    `bounds` on its probability (0 where it cannot be), and `ranges`, what C(r), or CL(r), are then
    off by at most. Shape (2, t).
    """

    users: Ints
    bounds: Floats
    ranges: Floats

    def __add__(self, other: "RareShown") -> "RareShown":
        return RareShown(self.users + other.users, self.bounds, self.ranges)

    @property
    def too_few(self) -> Flags:
        """Whether it is possible, and hardly anybody showed it, shape (2, t)."""
        few: Flags = (self.users < ENOUGH) & (self.bounds > 0)
        return few

    def chances(self, num_users: int) -> Floats:
        """Return what probability may have been missed, 0 where enough users showed it."""
        num_plain = num_users - num_users // PUSHED_EVERY
        most = np.minimum(self.bounds, _UNSHOWN / num_plain)
        chances: Floats = np.where(self.too_few, most, 0.0)
        return chances


@dataclass(frozen=True, slots=True, eq=False)
class WeightedTally:
    """Sums over units of weighted users; tallies of disjoint users add with +.

    Weights have mean 1, which is known: means are regressed on them. With X, Y a unit's sums of W
    and W C, the mean of C is that of Y - b (X - E[X]), b = cov(X, Y) / var(X). Where C is the same
    for all users this is exactly C, and its error is 0.

    Parameters
    ----------
    num_users, num_units
        Number of users, and of units of them.
    bits, num_elements
        Bits behind the point of weights, and the most that C(r) can be.
    sums
        Python integers, shape (13, t): sums over units of W, W C, W CL, W CL / C and
        W (C / num_elements)^2, each a unit's sum over its users, and of the products `PAIRS`. The
        ratio counts in 2^-40, the square in 2^-56, W in 2^-bits, W C and W CL in 2^-(bits - cut).
    cut
        Bits that W C and W CL lose, user by user, where C is a cost of many steps.
    shown
        How many users showed what may be rare. Where too few did, errors are no less than what it
        may add; None leaves that open.
    """

    num_users: int
    num_units: int
    bits: int
    num_elements: int
    sums: NDArray[np.object_]
    cut: int = 0
    shown: RareShown | None = None

    def __post_init__(self) -> None:
        self.sums.setflags(write=False)

    @property
    def histogram(self) -> Ints:
        """No distribution of C(r) is kept: shape (t, 0)."""
        return np.empty((self.sums.shape[1], 0), dtype=np.int64)

    def __add__(self, other: "WeightedTally") -> "WeightedTally":
        if not isinstance(other, WeightedTally):
            return NotImplemented
        return WeightedTally(
            self.num_users + other.num_users,
            self.num_units + other.num_units,
            self.bits,
            self.num_elements,
            self.sums + other.sums,
            self.cut,
            None if self.shown is None or other.shown is None else self.shown + other.shown,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedTally):
            return NotImplemented
        counts = (self.num_users, self.num_units, self.bits, self.cut)
        same = counts == (other.num_users, other.num_units, other.bits, other.cut)
        return same and np.array_equal(self.sums, other.sums) and _same(self.shown, other.shown)

    __hash__ = None  # type: ignore[assignment] # compares arrays

    @property
    def degrees(self) -> int:
        """Degrees of freedom of errors: a unit is lost to the mean, and one to the regression."""
        return self.num_units - 2

    def mean(self, quantity: TallyQuantity) -> Floats:
        """Return the mean over users, shape (t,)."""
        row = _QUANTITY[quantity]
        bits = self._bits(row)
        means = self._each(lambda units: units.total(row) / (units.scale << bits))
        return means * self._step(row)

    def error(self, quantity: TallyQuantity) -> Floats:
        """Return the standard error of `mean`, shape (t,); infinite for fewer than three units."""
        row, bits = _QUANTITY[quantity], self._bits(_QUANTITY[quantity])
        if self.degrees < 1:
            return np.full(self.sums.shape[1], np.inf)

        def variance(units: "_Units") -> float:
            return units.residual(row, row) / (units.spread * (self._divisor << (2 * bits)))

        error = np.sqrt(self._each(variance)) * self._step(row)
        floors = self._floors()
        least: Floats = floors[row - CONSULTED] if row != RATIO else self._unshown().sum(axis=0)
        total: Floats = np.hypot(error, least)
        return total

    def _unshown(self) -> Floats:
        """Return what probability of C(r) behind the list, of CL(r) < r, may have been missed."""
        if self.shown is None:
            return np.zeros((2, self.sums.shape[1]))
        return self.shown.chances(self.num_users)

    def _floors(self) -> Floats:
        """Return what errors of C(r) and CL(r) are at least."""
        return self._unshown() * (1 if self.shown is None else self.shown.ranges)

    @property
    def precision(self) -> Floats:
        """Mean CL / mean C, shape (t,)."""
        return self._each(
            lambda units: (
                units.total(LEADING) / units.total(CONSULTED) if units.total(CONSULTED) else np.nan
            )
        )

    @property
    def precision_error(self) -> Floats:
        """Standard error of `precision`, by the delta method over units; in whole numbers."""
        if self.degrees < 1:
            return np.full(self.sums.shape[1], np.inf)

        def variance(units: "_Units") -> float:
            lead, all_ = units.total(LEADING), units.total(CONSULTED)
            if not all_:
                return np.nan
            square = (
                units.residual(LEADING, LEADING) * all_**2
                - 2 * units.residual(LEADING, CONSULTED) * lead * all_
                + units.residual(CONSULTED, CONSULTED) * lead**2
            )
            return square * units.scale**2 / (units.spread * self._divisor * all_**4)

        of_consulted, of_leading = self._floors() / self.mean("consulted")
        own = np.sqrt(self._each(variance))
        error: Floats = np.hypot(own, np.hypot(self.precision * of_consulted, of_leading))
        return error

    @property
    def consulted_deviation(self) -> Floats:
        """Standard deviation of a plain user's C(r), from the weighted squares, shape (t,)."""
        scale = self.num_elements**2 << self.bits
        squares = floats(
            entry * scale / (weight << SQUARE_BITS)
            for entry, weight in zip(self.sums[SQUARE], self.sums[WEIGHT], strict=True)
        )
        means = floats(self.sums[CONSULTED] / self.sums[WEIGHT]) * self._step(CONSULTED)
        return np.sqrt(np.maximum(squares - means**2, 0))

    @property
    def weight(self) -> tuple[float, float]:
        """Mean weight, which is known to be 1, and its standard error."""
        column = [int(entry) for entry in self.sums[:, 0]]
        total, square = column[WEIGHT], column[_ROW[WEIGHT, WEIGHT]]
        mean = total / (self.num_users << self.bits)
        if self.num_units < 2:
            return mean, np.inf
        variance = (self.num_units * square - total**2) / (
            (self.num_units - 1) * (self.num_users << self.bits) ** 2
        )
        return mean, float(np.sqrt(variance))

    @property
    def _divisor(self) -> int:
        """What `residual` / `spread` is divided by to be the variance of a mean."""
        return self.degrees * self.num_users**2

    def _bits(self, row: int) -> int:
        return RATIO_BITS if row == RATIO else self.bits

    def _step(self, row: int) -> float:
        """Return what the sums of a row count in, beside its bits."""
        return float(1 << self.cut) if row in (CONSULTED, LEADING) else 1.0

    def _each(self, value: Callable[["_Units"], float]) -> Floats:
        """Return `value` at each r."""
        return floats(
            value(_Units(self, [int(entry) for entry in column])) for column in self.sums.T
        )

    def without_distribution(self) -> "WeightedTally":
        """Return this tally: it has no distribution of C(r)."""
        return self

    def content(self) -> dict[str, Any]:
        """Return counts and sums as plain data."""
        return {
            "num_users": self.num_users,
            "num_units": self.num_units,
            "bits": self.bits,
            "num_elements": self.num_elements,
            "sums": self.sums.tolist(),
            **({"cut": self.cut} if self.cut else {}),
            **({} if self.shown is None else {"shown": _plain(self.shown)}),
        }

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> "WeightedTally":
        """Return the tally whose `content` this is."""
        return cls(
            content["num_users"],
            content["num_units"],
            content["bits"],
            content["num_elements"],
            np.array(content["sums"], dtype=object),
            content.get("cut", 0),
            _shown(content["shown"]) if "shown" in content else None,
        )


def _same(one: RareShown | None, other: RareShown | None) -> bool:
    if one is None or other is None:
        return one is other
    return _plain(one) == _plain(other)


def _plain(shown: RareShown) -> list[list[list[float]]]:
    return [table.tolist() for table in (shown.users, shown.bounds, shown.ranges)]


def _shown(tables: list[list[list[float]]]) -> RareShown:
    users, bounds, ranges = tables
    return RareShown(np.array(users, dtype=np.int64), np.array(bounds), np.array(ranges))


class UnitSums:
    """Room for sums over units, and for those of products, in two words each; see `add_units`."""

    def __init__(self, t: int) -> None:
        self.pairs = np.array(PAIRS)
        self.sums = np.zeros((t, SQUARE + 1, 2), dtype=np.uint64)
        self.products = np.zeros((t, len(PAIRS), 3, 2), dtype=np.uint64)

    def whole(self) -> NDArray[np.object_]:
        """Return the rows of a tally."""
        from prum.simulator.sampling.kernels import UNIT_HALF_BITS

        halves = 1 << UNIT_HALF_BITS
        high, middle, low = np.moveaxis(_joined(self.products), 1, 0)
        return np.concatenate((_joined(self.sums), (high * halves + middle) * halves + low))


def _joined(words: NDArray[np.uint64]) -> NDArray[np.object_]:
    """Return whole numbers from upper and lower words, on the last axis; the first comes last."""
    upper, lower = np.moveaxis(words.astype(object), (-1, 0), (0, -1))
    joined: NDArray[np.object_] = upper * 2**32 + lower
    return joined


class _Units:
    """The regression of units' sums at one r on their weight, in whole numbers.

    The mean of quantity `row` over users is total(row) / scale, in its units; the sum of squared
    residuals of units is residual(row, row) / (num_units spread).
    """

    def __init__(self, tally: WeightedTally, column: list[int]) -> None:
        self.column, self.num_units = column, tally.num_units
        weight = column[WEIGHT]
        self.excess = weight - (tally.num_users << tally.bits)
        self.spread = self._centred(WEIGHT, WEIGHT)
        # Where all weights are the same, or units too few, the mean is the weighted one.
        self.alike = self.spread == 0 or tally.degrees < 1
        if self.alike:
            self.spread = weight
        self.scale = self.spread * tally.num_users

    def total(self, row: int) -> int:
        """Return a mean times `scale`."""
        own = self.column[row]
        slope = own if self.alike else self._centred(WEIGHT, row)
        return own * self.spread - slope * self.excess

    def residual(self, row: int, other: int) -> int:
        """Return the sum of products of residuals, times num_units spread."""
        product = self._centred(row, other) * self.spread
        if not self.alike:
            product -= self._centred(WEIGHT, row) * self._centred(WEIGHT, other)
        return max(product, 0) if row == other else product

    def _centred(self, row: int, other: int) -> int:
        first, second = sorted((row, other))
        product = self.column[_ROW[first, second]]
        return self.num_units * product - self.column[first] * self.column[second]
