"""Study: which differences of simulated users a referee sees, and whether they matter.

Question. Simulators of users are judged by distances of their sessions from real ones. How often
does each metric see a deviation of known kind and size, how often does it give a false alarm, and
are systems ordered as real users would order them where it sees nothing?

Design. Real users look down a list, open what they like, and go on with a probability; the law is
known. Simulated ones deviate in one of four ways (dependence, stop rule, spread, memory) by a size
from 0, the same law, to 1. An experiment draws as many sessions of both, and tests each metric of
prum referee by permuting sessions at level .05. Power is the share of experiments in which it
differs; at size 0 it is the rate of false alarms. In each experiment simulated users also order
four systems by relevant per opened element; the share of pairs ordered as in expectation of real
users is beside it. Intervals are Wilson's, of 95 %, over experiments; pairs of one experiment are
not independent, and have a mean with its own interval.

Expectation. False alarms come at .05, less what ties take. What changes how many elements are
opened shows in lengths. Dependence leaves the share of users who open each rank as it is, and so
the expected scores of systems, however unlike the sessions are.

Cost. One to three minutes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.special import ndtri

from prum.experiments.frame.design import Design, Option, Seed
from prum.experiments.frame.study import Advance
from prum.experiments.sessions.sides import Distance, distance_test, divergence, largest_gap
from prum.experiments.statistics.intervals import mean_interval, wilson
from prum.experiments.statistics.rankings import tau_b
from prum.simulator.model.arrays import Flags, Floats

DEVIATIONS = ("dependence", "stop rule", "spread", "memory")
GOES_ON = 0.85
OPENS: Floats = np.asarray(0.6 * 0.85 ** np.arange(10), dtype=np.float64)
# Ranks of what is relevant in the lists of four systems, from the best to the worst.
SYSTEMS: Floats = np.array(
    [
        [1, 1, 0, 1, 0, 0, 1, 0, 0, 0],
        [1, 0, 1, 0, 1, 0, 0, 1, 0, 0],
        [0, 1, 0, 1, 0, 1, 0, 0, 1, 0],
        [0, 0, 1, 0, 1, 0, 0, 1, 0, 1],
    ],
    dtype=np.float64,
)


@dataclass(frozen=True, slots=True)
class ListUsers:
    """What users opened, shape (n, 10), and how many ranks each looked at, shape (n,)."""

    opened: Flags
    looked: Floats


def users(number: int, deviation: str, size: float, rng: np.random.Generator) -> ListUsers:
    """Return so many users who deviate by a size d in one way.

    A user looks at ranks 1, 2, ... Having looked at a rank they go on to the next with probability
    c. They open the element at rank k, if they look at it, with probability a_k. Nothing depends on
    anything else: the share of users who open rank k is a_k c^(k-1). A deviation is one of

    dependence
        of what a user opens: a normal factor of each user with correlation d, the same a_k.
    stop rule
        c becomes c (1 - d / 2).
    spread
        half of the users go on with c + d (1 - c), the others with c - d (1 - c): the same mean.
    memory
        who opened the rank before opens the next with probability a_k (1 - d).

    >>> users(3, "memory", 0.5, np.random.default_rng(1)).opened.shape
    (3, 10)
    """
    depth = len(OPENS)
    shape = (number, depth)
    on = np.full((number, 1), GOES_ON)
    if deviation == "stop rule":
        on = on * (1 - size / 2)
    elif deviation == "spread":
        on = on + size * (1 - GOES_ON) * np.where(rng.random((number, 1)) < 0.5, 1, -1)
    going = np.cumprod(rng.random((number, depth - 1)) < on, axis=1)
    looks = np.hstack([np.ones((number, 1)), going]) > 0
    if deviation == "dependence":
        factor = rng.standard_normal((number, 1))
        noise = np.sqrt(size) * factor + np.sqrt(1 - size) * rng.standard_normal(shape)
        opens = noise < ndtri(OPENS)
    else:
        toss = rng.random(shape)
        opens = toss < OPENS
        if deviation == "memory":
            for k in range(1, depth):
                opens[:, k] = toss[:, k] < OPENS[k] * (1 - size * opens[:, k - 1])
    return ListUsers(looks & opens, looks.sum(axis=1).astype(np.float64))


def exact_scores(go_on: float = GOES_ON) -> Floats:
    """Return the scores of the systems, relevant per opened element, of users without deviation.

    sum_k rel_k a_k c^(k-1) / sum_k a_k c^(k-1), a ratio of expectations.

    >>> exact_scores().round(3).tolist()
    [0.647, 0.548, 0.396, 0.275]
    """
    shares = OPENS * go_on ** np.arange(len(OPENS))
    return np.asarray(SYSTEMS @ shares / shares.sum())


LEVEL = 0.05
_PERMUTATIONS = 199
_SIZE = "Size of a deviation: 0 is none."


class RefereeStudyDesign(Design):
    """Options of the study of referees."""

    sizes: Annotated[
        tuple[float, ...], Option(_SIZE, singular="size", metavar="D", least=0, most=1)
    ] = (0.0, 0.25, 0.5, 0.75, 1.0)
    sessions: Annotated[
        int, Option("Sessions of either side.", least=8, most=10_000, always=True)
    ] = 100
    experiments: Annotated[
        int, Option("Experiments of each size.", least=2, most=100_000, always=True)
    ] = 200
    seed: Seed = 1


@dataclass(frozen=True, slots=True)
class RefereeRow:
    """How often a metric differs, with its interval, and the mean distance."""

    deviation: str
    size: float
    metric: str
    experiments: int
    power: float
    low: float
    high: float
    distance: float


@dataclass(frozen=True, slots=True)
class OrderRow:
    """The share of pairs of systems that simulated users order as real ones, with its interval."""

    deviation: str
    size: float
    distance: float
    right: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RefereeFindings:
    """False alarms over all metrics, orders, and how distances and right orders go together.

    `tau` is Kendall's tau_b of the mean distance and the share of right pairs; NaN where all are
    alike.
    """

    alarms: int
    tests: int
    low: float
    high: float
    orders: list[OrderRow]
    tau: float


def compute(
    design: RefereeStudyDesign, progress: Advance
) -> tuple[Sequence[RefereeRow], RefereeFindings]:
    """Return power by deviation, size and metric, false alarms, and orders of systems."""
    rows, orders = list[RefereeRow](), list[OrderRow]()
    alarms = tests = 0
    points = [(deviation, size) for deviation in DEVIATIONS for size in design.sizes]
    for done, (deviation, size) in enumerate(points):
        place = [design.seed, DEVIATIONS.index(deviation), round(size * 1e6)]
        found = [
            _experiment(design.sessions, deviation, size, np.random.default_rng([*place, number]))
            for number in range(design.experiments)
        ]
        for name in METRICS:
            hits = sum(one.differs[name] for one in found)
            low, high = _interval(hits, design.experiments)
            distance = float(np.mean([one.distances[name] for one in found]))
            power = hits / design.experiments
            row = RefereeRow(deviation, size, name, design.experiments, power, low, high, distance)
            rows.append(row)
            if size == 0:
                alarms, tests = alarms + hits, tests + design.experiments
        right = np.array([one.right for one in found])
        mean = float(np.mean([list(one.distances.values()) for one in found]))
        value, low, high = mean_interval(right)
        orders.append(OrderRow(deviation, size, mean, value, max(low, 0.0), min(high, 1.0)))
        progress((done + 1) / len(points))
    low, high = _interval(alarms, tests) if tests else (np.nan, np.nan)
    return rows, RefereeFindings(alarms, tests, low, high, orders, _tau(orders))


def _interval(happened: int, trials: int) -> tuple[float, float]:
    low, high = wilson(np.array([happened]), np.array([trials]))
    return float(low[0]), float(high[0])


def _tau(orders: Sequence[OrderRow]) -> float:
    distances, right = ([getattr(row, name) for row in orders] for name in ("distance", "right"))
    if len(set(distances)) < 2 or len(set(right)) < 2:
        return float("nan")
    return float(tau_b(np.array(distances), np.array(right)))


@dataclass(frozen=True, slots=True)
class _Experiment:
    differs: dict[str, bool]
    distances: dict[str, float]
    right: float


def _experiment(number: int, deviation: str, size: float, rng: np.random.Generator) -> _Experiment:
    real, simulated = users(number, deviation, 0.0, rng), users(number, deviation, size, rng)
    differs, distances = dict[str, bool](), dict[str, float]()
    for name, (of_users, distance) in METRICS.items():
        test = distance_test(
            of_users(real),
            of_users(simulated),
            distance,
            level=LEVEL,
            permutations=_PERMUTATIONS,
            rng=rng,
        )
        differs[name] = test.p is not None and test.p <= LEVEL
        distances[name] = test.distance if np.isfinite(test.distance) else 0.0
    return _Experiment(differs, distances, _right(simulated))


def _right(simulated: ListUsers) -> float:
    """Return the share of pairs of systems in the right order, each seen by a part of the users."""
    truth = exact_scores()
    opened = simulated.opened.astype(np.float64)
    parts = [opened[k :: len(SYSTEMS)] for k in range(len(SYSTEMS))]
    scores = np.array(
        [
            (part @ system).sum() / max(part.sum(), 1)
            for part, system in zip(parts, SYSTEMS, strict=True)
        ]
    )
    one, other = np.triu_indices(len(SYSTEMS), 1)
    agree = np.sign(scores[one] - scores[other]) * np.sign(truth[one] - truth[other])
    return float((agree + 1).mean() / 2)


def _types(some: ListUsers) -> Floats:
    opened = some.opened.sum(axis=1)
    return np.column_stack([np.ones(len(opened)), opened])


def _lengths(some: ListUsers) -> Floats:
    return np.asarray(np.eye(some.opened.shape[1] + 1)[some.opened.sum(axis=1)])


def _first(some: ListUsers) -> Floats:
    """Return the rank opened first; nothing of users who open none."""
    first = np.eye(some.opened.shape[1])[some.opened.argmax(axis=1)]
    return np.asarray(first * some.opened.any(axis=1, keepdims=True))


def _deepest(some: ListUsers) -> Floats:
    depth = some.opened.shape[1]
    last = np.eye(depth)[depth - 1 - some.opened[:, ::-1].argmax(axis=1)]
    return np.asarray(last * some.opened.any(axis=1, keepdims=True))


# Metric -> what each user adds to the sums of a side, and its distance, as prum referee has them.
METRICS: Mapping[str, tuple[Callable[[ListUsers], Floats], Distance]] = {
    "action types": (_types, divergence),
    "lengths": (_lengths, largest_gap),
    "first clicks": (_first, largest_gap),
    "deepest ranks": (_deepest, largest_gap),
}
