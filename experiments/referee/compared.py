"""Whether two sets of sessions differ in a distance: p-values, and what would have been seen."""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, inf, nan, prod

import numpy as np
from scipy.special import betaincinv, ndtri

from prum.experiments.statistics.planning import POWER
from prum.simulator.model.arrays import Flags, Floats, Ints

Distance = Callable[[Floats, Floats], Floats]
CANNOT_TELL = "cannot tell"
# Numbers that are held at once.
_HELD = 1 << 23
# Sums of the same numbers in another order differ by rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class DistanceTest:
    """A distance of two sets of sessions, and what chance does.

    Parameters
    ----------
    distance
        Between the two; NaN without data.
    p
        Of sessions of both drawn alike, None where it cannot be told.
    detectable
        The distance that is found with probability .8 at these numbers; infinite where none is.
    numbers
        Of sessions with data, of either side.
    """

    distance: float
    p: float | None
    detectable: float
    numbers: tuple[int, int]


def distance_test(
    first: Floats,
    second: Floats,
    distance: Distance,
    *,
    strata: tuple[Ints, Ints] | None = None,
    level: float,
    permutations: int,
    rng: np.random.Generator,
) -> DistanceTest:
    """Return the distance of two sets of sessions, tested by permuting sessions.

    If sessions of both are drawn alike, which of them are whose is chance, within each stratum. p
    is (1 + h) / (1 + permutations), h of which lie at least as far apart. Where there are fewer
    than 1 / level different orders, no distance could be called a difference, and p is None.

    A true distance d is found if what is seen of it exceeds c, the distance that chance exceeds at
    the level; so with probability .8 if d = c + z s, z that quantile of the normal law, s the
    standard deviation of the distance when sessions are drawn again, or permuted if that is more.

    Parameters
    ----------
    first, second
        What each session adds to the sums of its side, shapes (n, k) and (m, k). Sessions that add
        nothing have no data, and are left out.
    distance
        Takes sums of both sides, shape (..., k), to distances.
    strata
        Of each session, whole numbers; sessions of different strata aren't exchanged.
    level
        Rate of false alarms.

    >>> from prum.experiments.referee.metrics import largest_gap
    >>> rng = np.random.default_rng(1)
    >>> one, other = np.eye(2)[[0] * 9], np.eye(2)[[1] * 9]
    >>> test = distance_test(one, other, largest_gap, level=0.05, permutations=99, rng=rng)
    >>> test.distance, test.p
    (1.0, 0.01)
    """
    sides = [first, second]
    own = [np.zeros(len(one), dtype=np.int64) for one in sides] if strata is None else [*strata]
    has_data = [np.abs(one).sum(axis=1) > 0 for one in sides]
    sides = [one[kept] for one, kept in zip(sides, has_data, strict=True)]
    own = [one[kept] for one, kept in zip(own, has_data, strict=True)]
    numbers = (len(sides[0]), len(sides[1]))
    if not min(numbers):
        return DistanceTest(nan, None, inf, numbers)
    actual = float(distance(sides[0].sum(axis=0), sides[1].sum(axis=0)))
    stratum = np.concatenate(own)
    is_first = np.arange(sum(numbers)) < numbers[0]
    num_orders = prod(
        comb(int((stratum == one).sum()), int(is_first[stratum == one].sum()))
        for one in np.unique(stratum).tolist()
    )
    if not np.isfinite(actual) or num_orders < 1 / level:
        return DistanceTest(actual, None, inf, numbers)
    values = np.concatenate(sides)
    permuted = _permuted(values, is_first, stratum, distance, permutations, rng)
    permuted = permuted[np.isfinite(permuted)]
    hits = int((permuted >= actual * (1 - _ROUNDING)).sum())
    again = _drawn_again(sides, own, distance, permutations, rng)
    critical = float(np.quantile(permuted, 1 - level, method="higher"))
    spread = max(float(np.nanstd(again)), float(permuted.std()))
    detectable = critical + float(ndtri(POWER)) * spread
    if detectable <= _ROUNDING:
        detectable = _of_others(distance, numbers, level)
    return DistanceTest(actual, (1 + hits) / (1 + len(permuted)), detectable, numbers)


def _of_others(distance: Distance, numbers: tuple[int, int], level: float) -> float:
    """Return the distance that is found where all sessions are alike, if some did otherwise.

    If k of the m sessions of one side and none of the n others do, p is C(m, k) / C(n + m, k); let
    k be the least number at which that is the level or less. With probability .8 there are so many
    if a share d does otherwise, P(Bin(m, d) >= k) = .8. Infinite where a distance tells no shares.
    """
    fewer = min(numbers)
    share, needed = 1.0, 0
    while share > level and needed < fewer:
        share *= (fewer - needed) / (sum(numbers) - needed)
        needed += 1
    if share > level:
        return inf
    d = float(betaincinv(needed, fewer - needed + 1, POWER))
    found = float(distance(np.array([1.0, 0.0]), np.array([1 - d, d])))
    return found if np.isfinite(found) else inf


def _permuted(
    values: Floats,
    is_first: Flags,
    stratum: Ints,
    distance: Distance,
    number: int,
    rng: np.random.Generator,
) -> Floats:
    """Return distances after sessions were dealt anew to both sides, within each stratum."""
    whole = values.sum(axis=0)
    by_stratum = np.lexsort((~is_first, stratum))
    dealt = is_first[by_stratum].astype(np.float64)
    found = list[Floats]()
    step = max(_HELD // max(values.size, len(values)), 1)
    for start in range(0, number, step):
        size = min(step, number - start)
        order = np.argsort(rng.random((size, len(values))) + stratum, axis=1)
        labels = np.empty((size, len(values)))
        np.put_along_axis(labels, order, np.broadcast_to(dealt, labels.shape), axis=1)
        sums = labels @ values
        found.append(distance(sums, whole - sums))
    return np.concatenate(found)


def _drawn_again(
    sides: list[Floats],
    strata: list[Ints],
    distance: Distance,
    number: int,
    rng: np.random.Generator,
) -> Floats:
    """Return distances of sessions drawn again from either side, as many of each stratum."""
    sums = list[Floats]()
    for values, stratum in zip(sides, strata, strict=True):
        counts = np.zeros((number, len(values)))
        for one in np.unique(stratum).tolist():
            inside = np.flatnonzero(stratum == one)
            size = len(inside)
            counts[:, inside] = rng.multinomial(size, np.full(size, 1 / size), size=number)
        sums.append(counts @ values)
    return distance(*sums)
