"""What two sets of sessions are compared by, and whether they differ: p-values, what would show.

Each session adds something to the sums of its side, of which distances are made.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb, inf, nan, prod

import numpy as np
from scipy.special import betaincinv, ndtri

from prum.experiments.logs.trajectories.trajectory import Trajectory
from prum.experiments.statistics.tests import POWER
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

    >>> from prum.experiments.sessions.sides import largest_gap
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


def divergence(first: Floats, second: Floats) -> Floats:
    """Return the Jensen-Shannon divergence of two lists of counts, in bits, from 0 to 1.

    >>> divergence(np.array([1.0, 1.0]), np.array([2.0, 0.0])).round(4).item()
    0.3113
    """
    p, q = _shares(first), _shares(second)
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(one > 0, one * np.log2(one / middle), 0).sum(-1) for one in (p, q)]
    return np.asarray(np.maximum((parts[0] + parts[1]) / 2, 0))


def largest_gap(first: Floats, second: Floats) -> Floats:
    """Return the largest difference of two distributions, given by counts in ascending order.

    The statistic of Kolmogorov and Smirnov, from 0 to 1.

    >>> largest_gap(np.array([1.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0])).item()
    0.5
    """
    return np.asarray(np.abs(np.cumsum(_shares(first) - _shares(second), axis=-1)).max(-1))


def score_gap(first: Floats, second: Floats) -> Floats:
    """Return the mean over systems of |score - other score|; NaN for one without sessions.

    A score is a ratio of sums: shape (..., 2 m), m numerators before m denominators.
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(_ratios(first) - _ratios(second)).mean(-1))


def order_gap(first: Floats, second: Floats) -> Floats:
    """Return the share of pairs of systems that both sides order differently; ties count half.

    >>> order_gap(np.array([1.0, 2.0, 4.0, 4.0]), np.array([3.0, 2.0, 4.0, 4.0])).item()
    1.0
    """
    one, other = _ratios(first), _ratios(second)
    k, j = np.triu_indices(one.shape[-1], 1)
    signs = np.sign(one[..., k] - one[..., j]), np.sign(other[..., k] - other[..., j])
    return np.asarray((np.abs(signs[0] - signs[1]) / 2).sum(-1) / len(k) if len(k) else np.nan)


def _shares(counts: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(counts / counts.sum(-1, keepdims=True))


def _ratios(sums: Floats) -> Floats:
    half = sums.shape[-1] // 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., :half] / sums[..., half:])


# Samples with more values are compared at so many of their pooled quantiles.
_MOST_POINTS = 512
_TYPES = ("list", "empty list", "open", "follow", "back")


@dataclass(frozen=True, slots=True)
class Metric:
    """One way to compare sessions: a distance of sums, and what each session adds to them.

    Parameters
    ----------
    name, about
        What it is called, and what is measured.
    first, second
        Of either side, a row for each session.
    distance
        Takes sums to a distance.
    strata
        Of each session of either side; None where all are alike.
    """

    name: str
    about: str
    first: Floats
    second: Floats
    distance: Distance
    strata: tuple[Ints, Ints] | None = None


def _length(one: Trajectory) -> list[float]:
    return [float(len(one.actions))]


def _depth(one: Trajectory) -> list[float]:
    """Return how many links lay between an entry and the deepest visit; none without a visit."""
    depth, deepest = 0, -1
    for action in one.actions:
        if action.kind != "list":
            step = 1 if action.kind == "follow" else -1
            depth = 0 if action.kind == "open" else max(depth + step, 0)
            deepest = max(deepest, depth)
    return [float(deepest)] * (deepest >= 0)


def _ranks(one: Trajectory) -> list[float]:
    """Return at which ranks of the last list before it elements were opened."""
    shown: tuple[str, ...] = ()
    ranks = list[float]()
    for action in one.actions:
        if action.kind == "list":
            shown = action.elements
        elif action.kind == "open" and action.elements[0] in shown:
            ranks.append(float(shown.index(action.elements[0]) + 1))
    return ranks


def _times(one: Trajectory) -> list[float]:
    times = [action.time for action in one.actions]
    gaps = [later - time for time, later in pairwise(times)]
    return [gap for gap in gaps if gap == gap]


# Metric -> what it measures, and its numbers of a session.
NUMBERS: Mapping[str, tuple[str, Callable[[Trajectory], list[float]]]] = {
    "lengths": ("actions of a session", _length),
    "depths": ("links from an entry to the deepest visit", _depth),
    "deepest ranks": ("the deepest rank opened", lambda one: sorted(_ranks(one))[-1:]),
    "first clicks": ("the rank opened first", lambda one: _ranks(one)[:1]),
    "times": ("seconds between actions", _times),
}
METRICS = ("action types", *NUMBERS, "scores", "orders")


def metrics_of(
    real: Sequence[Trajectory],
    simulated: Sequence[Trajectory],
    ideals: Mapping[str, Iterable[str]] | None = None,
) -> list[Metric]:
    """Return all metrics of real and simulated sessions; those of systems where there are ideals.

    >>> one = Trajectory("s", "t", ())
    >>> [metric.name for metric in metrics_of([one], [one])][:2]
    ['action types', 'lengths']
    """
    sides = (real, simulated)
    first, second = (np.array([_types(one) for one in side]) for side in sides)
    about = "shares of lists, visits, back clicks"
    found = [Metric("action types", about, first, second, divergence)]
    for name, (about, numbers) in NUMBERS.items():
        values = [[numbers(one) for one in side] for side in sides]
        first, second = _counted(values[0], values[1])
        found.append(Metric(name, about, first, second, largest_gap))
    if ideals is not None:
        found += _of_systems(real, simulated, {topic: set(own) for topic, own in ideals.items()})
    return found


def _types(one: Trajectory) -> list[float]:
    kinds = [
        "empty list" if action.kind == "list" and not action.elements else action.kind
        for action in one.actions
    ]
    return [float(kinds.count(kind)) for kind in _TYPES]


def _counted(first: list[list[float]], second: list[list[float]]) -> tuple[Floats, Floats]:
    """Return how often each session has each of the pooled values, in ascending order."""
    pooled = np.array([value for one in (*first, *second) for value in one], dtype=np.float64)
    points = np.unique(pooled)
    if len(points) > _MOST_POINTS:
        shares = np.linspace(0, 1, _MOST_POINTS)
        points = np.unique(np.quantile(pooled, shares, method="inverted_cdf"))
    counts = list[Floats]()
    for side in (first, second):
        own = np.zeros((len(side), max(len(points), 1)))
        rows = np.repeat(np.arange(len(side)), [len(one) for one in side])
        values = np.array([value for one in side for value in one], dtype=np.float64)
        np.add.at(own, (rows, np.searchsorted(points, values)), 1.0)
        counts.append(own)
    return counts[0], counts[1]


def _of_systems(
    real: Sequence[Trajectory],
    simulated: Sequence[Trajectory],
    ideals: Mapping[str, set[str]],
) -> list[Metric]:
    """Return how scores and orders of systems differ, of the systems that both sides have."""
    sides = [[one for one in side if one.topic in ideals] for side in (real, simulated)]
    both = {one.system for one in sides[0]} & {one.system for one in sides[1]}
    place = {system: number for number, system in enumerate(sorted(both))}
    sides = [[one for one in side if one.system in both] for side in sides]
    sums, strata = list[Floats](), list[Ints]()
    for side in sides:
        own = np.zeros((len(side), 2 * max(len(place), 1)))
        for row, one in enumerate(side):
            at = place[one.system]
            own[row, at], own[row, len(place) + at] = _new_of(one, ideals[one.topic])
        sums.append(own)
        strata.append(np.array([place[one.system] for one in side], dtype=np.int64))
    about = "new ideals per consulted element, of each system"
    told = Metric("scores", about, sums[0], sums[1], score_gap, (strata[0], strata[1]))
    if len(place) < 2:
        sums = [np.zeros_like(one) for one in sums]
    about = "pairs of systems in another order, by these scores"
    return [told, Metric("orders", about, sums[0], sums[1], order_gap, (strata[0], strata[1]))]


def _new_of(one: Trajectory, ideals: set[str]) -> tuple[int, int]:
    """Return how many ideals a session saw, and how many elements it consulted.

    Of who opens nothing, these are the elements of lists.
    """
    visits = [action.elements[0] for action in one.actions if action.kind in ("open", "follow")]
    shown = [name for action in one.actions if action.kind == "list" for name in action.elements]
    consulted = visits or shown
    return len(ideals.intersection(consulted)), len(consulted)
