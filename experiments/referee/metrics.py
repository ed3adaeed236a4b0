"""What two sets of sessions are compared by: what each session adds to the sums of its side."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from prum.experiments.logs.trajectories.trajectory import Trajectory
from prum.experiments.referee.compared import Distance
from prum.simulator.model.arrays import Floats, Ints


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
