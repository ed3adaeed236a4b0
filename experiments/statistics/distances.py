"""How far two samples lie apart, and whether chance would do: groups are permuted, not values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prum.simulator.model.arrays import Flags, Floats, Ints

# Of a side with more groups so many take part in the permutations, drawn at random.
MOST_GROUPS = 10_000
# Samples with more distinct values are compared at so many of their pooled quantiles.
MOST_POINTS = 512
# Numbers of a block of permutations that are held at once.
_HELD = 4_000_000
# Sums of the same numbers in another order differ by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class GroupedSample:
    """Numbers, each with the group that it belongs to.

    Parameters
    ----------
    values
        The numbers, shape (n,).
    groups
        Of each number the group, any whole numbers, shape (n,). Groups are exchangeable, the
        numbers of a group need not be.
    one_draw
        Whether all numbers are one group.
    unit
        What a group is; samples whose groups are different things aren't exchangeable.

    >>> GroupedSample.of([0.5, 2.0, 1.0], [7, 7, 8]).num_groups
    2
    """

    values: Floats
    groups: Ints
    one_draw: bool = False
    unit: str = ""

    @property
    def num_groups(self) -> int:
        """The number of groups."""
        return len(np.unique(self.groups))

    @classmethod
    def of(
        cls,
        values: "Sequence[float] | NDArray[np.generic]",
        groups: object = None,
        *,
        unit: str = "",
    ) -> "GroupedSample":
        """Return a sample; without `groups` each number is a group of its own."""
        numbers = np.asarray(values, dtype=np.float64)
        labels = np.arange(len(numbers)) if groups is None else np.asarray(groups)
        return cls(numbers, labels.astype(np.int64), unit=unit)

    @classmethod
    def whole(cls, values: "Sequence[float] | NDArray[np.generic]") -> "GroupedSample":
        """Return a sample whose numbers are all of one group."""
        numbers = np.asarray(values, dtype=np.float64)
        return cls(numbers, np.zeros(len(numbers), dtype=np.int64), one_draw=True)


class SampleComparison(NamedTuple):
    """The distance of two samples, and the probability that permuted groups lie as far apart.

    `least_p` is the smallest p-value that so many groups and permutations can give. There are none
    without permutations, where a side is one draw, and where groups differ in what they are.
    """

    wasserstein: float
    p: float | None = None
    least_p: float | None = None


def wasserstein(first: Floats, second: Floats) -> float:
    """Return the integral of |F(x) - G(x)| over x: how far values have to be moved, on average.

    >>> wasserstein(np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    2.0
    """
    from scipy.stats import wasserstein_distance

    return float(wasserstein_distance(first, second))


def compare_samples(
    first: GroupedSample, second: GroupedSample, *, permutations: int, rng: np.random.Generator
) -> SampleComparison:
    """Return the distance of two samples and its permutation p-value.

    Under the hypothesis that the groups of both are drawn alike, which of them came first is
    chance. A p-value is (1 + h) / (1 + permutations), h of which lie at least as far apart; or,
    where there are no more different orders, the share of all that do, the samples' own among them.

    Where samples have many values or groups the permutations compare the shares at `MOST_POINTS`
    values, of `MOST_GROUPS` groups of each side; so do they for the samples' own order, whose
    p-value stays valid.

    >>> low, high = GroupedSample.of([1.0, 2.0]), GroupedSample.of([5.0, 6.0])
    >>> compared = compare_samples(low, high, permutations=99, rng=np.random.default_rng(1))
    >>> compared.wasserstein, compared.p
    (4.0, 0.3333333333333333)
    """
    moved = wasserstein(first.values, second.values)
    if not permutations or first.one_draw or second.one_draw or first.unit != second.unit:
        return SampleComparison(moved)
    pair = [_fewer_groups(sample, rng) for sample in (first, second)]
    table = _Table(*pair)
    actual = table.distances(table.actual[None, :])
    num_orders = comb(len(table.actual), int(table.actual.sum()))
    enumerated = num_orders <= permutations
    hits = number = 0
    orders = table.all_orders() if enumerated else table.random_orders(permutations, rng)
    for block in orders:
        hits += int((table.distances(block) >= actual * (1 - _ROUNDING)).sum())
        number += len(block)
    p = hits / number if enumerated else (1 + hits) / (1 + number)
    # Of equally many groups an order and its reverse lie equally far apart.
    ties = 2 if pair[0].num_groups == pair[1].num_groups else 1
    least = ties / num_orders if enumerated else 1 / (1 + permutations)
    return SampleComparison(moved, p, least)


def _fewer_groups(sample: GroupedSample, rng: np.random.Generator) -> GroupedSample:
    """Return the sample, or that of `MOST_GROUPS` of its groups."""
    names = np.unique(sample.groups)
    if len(names) <= MOST_GROUPS:
        return sample
    chosen = rng.choice(names, MOST_GROUPS, replace=False)
    inside = np.isin(sample.groups, chosen)
    return GroupedSample(sample.values[inside], sample.groups[inside], unit=sample.unit)


class _Table:
    """Counts of values by group and point, those of the first sample's groups on top."""

    def __init__(self, first: GroupedSample, second: GroupedSample) -> None:
        from scipy.sparse import csr_array

        pooled = np.concatenate((first.values, second.values))
        points = np.unique(pooled)
        if len(points) > MOST_POINTS:
            shares = np.linspace(0, 1, MOST_POINTS)
            points = np.unique(np.quantile(pooled, shares, method="inverted_cdf"))
        # Groups by number, those of the second sample after those of the first.
        names, numbers = np.unique(first.groups, return_inverse=True)
        others, other_numbers = np.unique(second.groups, return_inverse=True)
        rows = np.concatenate((numbers, other_numbers + len(names)))
        size = len(names) + len(others)
        # A value counts at the first point that it does not exceed.
        columns = np.searchsorted(points, pooled, side="left")
        self._counts = csr_array((np.ones(len(pooled)), (columns, rows)), shape=(len(points), size))
        self._counts.sum_duplicates()
        self._widths = np.diff(points)
        self.actual = np.arange(size) < len(names)

    def distances(self, orders: Flags) -> Floats:
        """Return the distance for orders of groups, shape (orders,)."""
        sums = np.cumsum((self._counts @ orders.T.astype(np.float64)).T, axis=1)
        whole: Floats = np.cumsum(self._counts.sum(axis=1))
        sizes = sums[:, -1:]
        apart = np.abs(sums / sizes - (whole - sums) / (whole[-1] - sizes))
        return np.asarray(apart[:, :-1] @ self._widths, dtype=np.float64)

    def random_orders(self, number: int, rng: np.random.Generator) -> Iterator[Flags]:
        """Yield random orders in blocks."""
        at_once = max(1, _HELD // max(self._counts.shape))
        for begin in range(0, number, at_once):
            rows = min(at_once, number - begin)
            yield rng.permuted(np.tile(self.actual, (rows, 1)), axis=1)

    def all_orders(self) -> Iterator[Flags]:
        """Yield all orders, each once, in one block."""
        chosen = list(combinations(range(len(self.actual)), int(self.actual.sum())))
        orders = np.zeros((len(chosen), len(self.actual)), dtype=np.bool_)
        np.put_along_axis(orders, np.array(chosen, dtype=np.int64), True, axis=1)
        yield orders
