"""How far two samples lie apart, and whether chance would do: groups are permuted, not values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from prum.experiments.studies.study import Floats

Labels = NDArray[np.int64]

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
        numbers of one need not be.
    one_draw
        Whether there are no such groups: all numbers hang together.
    """

    values: Floats
    groups: Labels
    one_draw: bool = False

    @property
    def num_groups(self) -> int:
        """The number of groups."""
        return len(np.unique(self.groups))

    @classmethod
    def of(
        cls, values: "Sequence[float] | NDArray[np.generic]", groups: object = None
    ) -> "GroupedSample":
        """Return a sample; without `groups` each number is a group of its own."""
        numbers = np.asarray(values, dtype=np.float64)
        labels = np.arange(len(numbers)) if groups is None else np.asarray(groups)
        return cls(numbers, labels.astype(np.int64))

    @classmethod
    def whole(cls, values: "Sequence[float] | NDArray[np.generic]") -> "GroupedSample":
        """Return a sample whose numbers all hang together."""
        numbers = np.asarray(values, dtype=np.float64)
        return cls(numbers, np.zeros(len(numbers), dtype=np.int64), one_draw=True)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Distances of two samples, with the probability that permuted groups lie as far apart.

    Parameters
    ----------
    ks, wasserstein
        Of all values.
    ks_p, wasserstein_p
        None without permutations, and where a side is one draw.
    drawn
        How many groups of each side took part in the permutations, if not all.
    enumerated
        Whether all permutations were made: few groups have few.
    """

    ks: float
    wasserstein: float
    ks_p: float | None
    wasserstein_p: float | None
    drawn: tuple[int, int] | None
    enumerated: bool


def distances(first: Floats, second: Floats) -> tuple[float, float]:
    """Return the distances of Kolmogorov and Smirnov, and of Wasserstein, of two samples.

    With F and G the shares of values up to x: the largest |F(x) - G(x)|, and its integral over x.

    >>> distances(np.array([0.0, 1.0]), np.array([1.0, 4.0]))
    (0.5, 2.0)
    """
    points = np.unique(np.concatenate((first, second)))
    shares = [
        np.searchsorted(np.sort(values), points, side="right") / len(values)
        for values in (first, second)
    ]
    apart = np.abs(shares[0] - shares[1])
    return float(apart.max()), float(apart[:-1] @ np.diff(points))


def spread(values: Floats) -> float:
    """Return the standard deviation; 0 for values that are all equal."""
    return float(values.std()) if values.min() < values.max() else 0.0


def compare(
    first: GroupedSample, second: GroupedSample, *, permutations: int, rng: np.random.Generator
) -> Comparison:
    """Return the distances of two samples and their permutation p-values.

    Under the hypothesis that the groups of both are drawn alike, which of them came first is
    chance. A p-value is (1 + h) / (1 + permutations), h of which lie at least as far apart; or,
    where there are no more different ones, the share of all, the given one among them.

    Where samples have many values or groups the permutations compare the shares at `MOST_POINTS`
    values, of `MOST_GROUPS` groups of each side; so do they for the given order, whose p-value
    stays valid.
    """
    ks, wasserstein = distances(first.values, second.values)
    if not permutations or first.one_draw or second.one_draw:
        return Comparison(ks, wasserstein, None, None, None, False)
    some = [_drawn(sample, rng) for sample in (first, second)]
    table = _Table(*some)
    given = table.distances(table.given[None, :])
    exact = comb(len(table.given), int(table.given.sum())) <= permutations
    hits, number = np.zeros(2), 0
    blocks = table.all_orders() if exact else table.random_orders(permutations, rng)
    for block in blocks:
        hits += (table.distances(block) >= given * (1 - _ROUNDING)).sum(axis=0)
        number += len(block)
    p = hits / number if exact else (1 + hits) / (1 + number)
    sizes = (some[0].num_groups, some[1].num_groups)
    cut = sizes != (first.num_groups, second.num_groups)
    return Comparison(ks, wasserstein, float(p[0]), float(p[1]), sizes if cut else None, exact)


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted by Holm's method; None, no test, stays None.

    >>> holm([0.01, None, 0.03, 0.02])
    [0.03, None, 0.04, 0.04]
    """
    order = sorted((value, at) for at, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    largest = 0.0
    for rank, (value, at) in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * value))
        adjusted[at] = largest
    return adjusted


def _drawn(sample: GroupedSample, rng: np.random.Generator) -> GroupedSample:
    """Return the sample, or that of `MOST_GROUPS` of its groups."""
    names = np.unique(sample.groups)
    if len(names) <= MOST_GROUPS:
        return sample
    chosen = rng.choice(names, MOST_GROUPS, replace=False)
    inside = np.isin(sample.groups, chosen)
    return GroupedSample(sample.values[inside], sample.groups[inside])


class _Table:
    """Counts of values by group and point, those of the first sample's groups on top."""

    def __init__(self, first: GroupedSample, second: GroupedSample) -> None:
        from scipy.sparse import csr_array

        pooled = np.concatenate((first.values, second.values))
        points = np.unique(pooled)
        if len(points) > MOST_POINTS:
            shares = np.linspace(0, 1, MOST_POINTS)
            points = np.unique(np.quantile(pooled, shares, method="inverted_cdf"))
        names, numbers = [], []
        for sample in (first, second):
            own, number = np.unique(sample.groups, return_inverse=True)
            names.append(len(own))
            numbers.append(number)
        rows = np.concatenate((numbers[0], numbers[1] + names[0]))
        # A value counts at the first point that it does not exceed.
        columns = np.searchsorted(points, pooled, side="left")
        self._counts = csr_array(
            (np.ones(len(pooled)), (columns, rows)), shape=(len(points), sum(names))
        )
        self._counts.sum_duplicates()
        self._widths = np.diff(points)
        self.given = np.arange(sum(names)) < names[0]

    def distances(self, orders: NDArray[np.bool_]) -> Floats:
        """Return both distances for orders of groups, shape (orders, 2)."""
        sums = np.cumsum((self._counts @ orders.T.astype(np.float64)).T, axis=1)
        whole: Floats = np.cumsum(self._counts.sum(axis=1))
        own = sums[:, -1:]
        apart = np.abs(sums / own - (whole - sums) / (whole[-1] - own))
        return np.stack((apart.max(axis=1), apart[:, :-1] @ self._widths), axis=1)

    def random_orders(self, number: int, rng: np.random.Generator) -> Iterator[NDArray[np.bool_]]:
        """Yield random orders in blocks."""
        at_once = max(1, _HELD // max(self._counts.shape))
        for begin in range(0, number, at_once):
            rows = min(at_once, number - begin)
            yield rng.permuted(np.tile(self.given, (rows, 1)), axis=1)

    def all_orders(self) -> Iterator[NDArray[np.bool_]]:
        """Yield all orders, each once, in one block."""
        chosen = list(combinations(range(len(self.given)), int(self.given.sum())))
        orders = np.zeros((len(chosen), len(self.given)), dtype=np.bool_)
        np.put_along_axis(orders, np.array(chosen, dtype=np.int64), True, axis=1)
        yield orders
