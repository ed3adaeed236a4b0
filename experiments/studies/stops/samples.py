"""Stops by rank, static stopping distributions, and how likely these make those held out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from prum.analytic.utility.laws import StoppingLaw, beta_stopping, stopping
from prum.experiments.statistics.intervals import Interval, normal_factor
from prum.simulator.collections.clicks import ClickLog, ClickTotals
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import whole_number
from prum.simulator.tables.files import FilePath, place

# Takes counts of stops by rank to log P(k).
FittedLaw = Callable[[Floats], Floats]
# Called after each part of the work.
PartDone = Callable[[], object]

EVERY, LAST, TOTALS, BEYOND = "every click", "last click", "totals", "totals and beyond"
TWO_RANKS = "laws cannot be told apart by a single rank"
_MORE = "part is held out while the rest is fitted: give more clicks"


@dataclass(frozen=True, slots=True, eq=False)
class StopSample:
    """Stops by rank under one reading.

    Parameters
    ----------
    reading
        EVERY, LAST, TOTALS, or BEYOND, which has a cell for all stops behind the last rank.
    counts
        Stops by cell, shape (n,) or (n + 1,).
    groups
        Stops of each session that has one, shape (sessions, n); None if only totals are known.
    """

    reading: str
    counts: Floats
    groups: Floats | None

    @property
    def is_cut(self) -> bool:
        """Whether stops behind the last rank are unknown, or left out."""
        return self.reading != BEYOND


def samples_of_log(log: ClickLog, ranks: int | None, path: FilePath) -> list[StopSample]:
    """Return both readings of a log, on the first `ranks` ranks.

    Raises InputError if fewer than two sessions have a stop there, or there are not two ranks.
    """
    samples: list[StopSample] = []
    for reading, clicks in ((EVERY, log.every), (LAST, log.last)):
        cut = _cut(clicks, ranks, path)
        groups = cut[cut.any(axis=1)]
        if len(groups) < 2:
            thing, rule = f"sessions with a stop on the list ({reading})", "be at least 2"
            raise InputError(thing, len(groups), rule, remedy=_MORE, place=place(path))
        samples.append(StopSample(reading, groups.sum(axis=0), groups))
    return samples


def samples_of_totals(totals: ClickTotals, ranks: int | None, path: FilePath) -> list[StopSample]:
    """Return the stops of a table, on the first `ranks` ranks; then with those behind, if known.

    Raises InputError if there are fewer than two clicks, or not two ranks.
    """
    counts = _cut(totals.counts[None, :], ranks, path)[0]
    if counts.sum() < 2:
        rule = "be at least 2"
        raise InputError("clicks", int(counts.sum()), rule, remedy=_MORE, place=place(path))
    samples = [StopSample(TOTALS, counts, None)]
    if totals.beyond is not None:
        beyond = totals.beyond + int(totals.counts[len(counts) :].sum())
        samples.append(StopSample(BEYOND, np.append(counts, float(beyond)), None))
    return samples


def _cut(clicks: Ints, ranks: int | None, path: FilePath) -> Floats:
    """Return the first columns, as floats."""
    where, num_ranks = place(path), clicks.shape[1]
    whole_number("number of ranks", num_ranks, least=2, remedy=TWO_RANKS, place=where)
    if ranks is not None:
        remedy = "the data have no more"
        whole_number("ranks", ranks, least=2, most=num_ranks, remedy=remedy, place=where)
    return clicks[:, :ranks].astype(np.float64)


# --- held out -----------------------------------------------------------------------------------


class HeldOut:
    """Held-out log-likelihoods of laws, and their differences with intervals.

    Parameters
    ----------
    means
        Mean log-likelihood per stop, by law.
    influence
        What each independent piece adds to a mean, about that mean, by law, shape (pieces,); the
        squares of differences of these add up to their variance.
    """

    def __init__(self, means: Mapping[str, float], influence: Mapping[str, Floats]) -> None:
        self.means = dict(means)
        self._influence = influence

    def difference(self, law: str, other: str) -> Interval:
        """Return the mean of one law less that of another, and the ends of its 95 % interval."""
        value = self.means[law] - self.means[other]
        apart = self._influence[law] - self._influence[other]
        half = normal_factor() * float(np.sqrt(apart @ apart))
        return value, value - half, value + half


def over_folds(
    groups: Floats,
    laws: Mapping[str, FittedLaw],
    folds: int,
    rng: np.random.Generator,
    step: PartDone,
) -> HeldOut:
    """Hold out each of `folds` parts of the groups of stops once.

    Groups are drawn into parts whole, since the stops of a group are not independent. The means are
    over stops, so ratios of sums over groups; their intervals, by linearisation, are over groups,
    the fits taken as they are.

    `groups`: stops of each group by rank, shape (groups, n), each with one at least.
    """
    part = rng.permutation(np.arange(len(groups)) % folds)
    sums = {law: np.zeros(len(groups)) for law in laws}
    for fold in range(folds):
        out = part == fold
        for law, fitted in laws.items():
            sums[law][out] = groups[out] @ fitted(groups[~out].sum(axis=0))
        step()
    sizes = groups.sum(axis=1)
    means = {law: float(own.sum() / sizes.sum()) for law, own in sums.items()}
    # The factor is that of a variance with one mean taken out.
    scale = np.sqrt(len(groups) / (len(groups) - 1)) / sizes.sum()
    influence = {law: scale * (own - means[law] * sizes) for law, own in sums.items()}
    return HeldOut(means, influence)


def over_halves(
    counts: Floats,
    laws: Mapping[str, FittedLaw],
    draws: int,
    rng: np.random.Generator,
    step: PartDone,
) -> HeldOut:
    """Hold out a random half of the stops, many times, where groups are not known.

    Each stop goes into either half by a coin. The mean of a half varies about that of all by as
    much as that of all about its expectation, if stops are independent; so do intervals over
    halves.
    """
    of_draws: dict[str, list[float]] = {law: [] for law in laws}
    for _ in range(draws):
        half = _half(counts, rng)
        rest = counts - half
        for law, fitted in laws.items():
            of_draws[law].append(float(rest @ fitted(half)) / float(rest.sum()))
        step()
    means = {law: float(np.mean(values)) for law, values in of_draws.items()}
    scale = 1 / np.sqrt(draws - 1)
    influence = {law: scale * (np.array(values) - means[law]) for law, values in of_draws.items()}
    return HeldOut(means, influence)


def _half(counts: Floats, rng: np.random.Generator) -> Floats:
    """Return about half of at least two stops, neither none nor all of them."""
    whole = counts.astype(np.int64)
    while True:
        half = rng.binomial(whole, 0.5)
        if 0 < half.sum() < whole.sum():
            return half.astype(np.float64)


# Parameters are searched on scales on which all numbers are allowed, within these ends.
_ENDS = (-12.0, 12.0)
# Steps of central differences: of values, and of slopes.
_STEP, _WIDER_STEP = 1e-5, 1e-3
_STARTS = (-4.0, -1.5, 0.0, 1.5, 4.0)
# A likelihood that is flatter than this, per stop, says nothing of the parameter.
_FLAT = 1e-7
_NEAR_END = 1e-2
# The law that knows nothing behind the page.
PAGE = "uniform"


@dataclass(frozen=True, slots=True)
class Family:
    """Stopping distributions that differ in their parameters.

    Parameters
    ----------
    name
        As in a study's rows.
    law
        Takes the number of ranks and the parameters to P(k).
    parameters
        Names of the free ones.
    to_values
        Takes a point of the scales to the parameters.
    cut
        Whether stops are those at ranks 1 .. n, so that P(k given k <= n) is their law. Otherwise
        one cell more counts all stops behind rank n.
    """

    name: str
    law: Callable[..., StoppingLaw]
    parameters: tuple[str, ...] = ()
    to_values: Callable[[Floats], tuple[float, ...]] = lambda _: ()
    cut: bool = True

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """The ends of the scales."""
        return [_ENDS] * len(self.parameters)

    def uncut(self) -> "Family":
        """Return the family with a cell for stops behind the last rank."""
        return replace(self, cut=False)

    def log_mass(self, point: Floats, num_cells: int) -> Floats:
        """Return the logarithm of each cell's probability."""
        law = self._law(point, num_cells)
        mass = law.mass / law.mass.sum() if self.cut else np.append(law.mass, law.remainder)
        # At the ends of the scales a P(k) may underflow, which is no proof that it is 0.
        return np.asarray(np.log(np.maximum(mass, np.finfo(np.float64).tiny)), dtype=np.float64)

    def remainder(self, point: Floats, num_cells: int) -> float | None:
        """Return P(k > n), before any cut; None for a law of the page alone."""
        return None if self.name == PAGE else self._law(point, num_cells).remainder

    def _law(self, point: Floats, num_cells: int) -> StoppingLaw:
        return self.law(num_cells - (not self.cut), *self.to_values(point))


def _rbp(n: int, theta: float = 0.5) -> StoppingLaw:
    return stopping("RBP", n=n, theta=theta)


def _dcg(n: int, base: float = 2.0) -> StoppingLaw:
    return stopping("DCG", n=n, base=base)


def _beta(point: Floats) -> tuple[float, ...]:
    """Return a and b: their share a / (a + b) and their sum are easier to find."""
    total = float(np.exp(point[1]))
    return float(expit(point[0])) * total, float(expit(-point[0])) * total


FAMILIES = (
    Family("RBP .5", _rbp),
    Family("RBP", _rbp, ("theta",), lambda point: (float(expit(point[0])),)),
    Family("DCG 2", _dcg),
    Family("DCG", _dcg, ("base",), lambda point: (1 + float(np.exp(point[0])),)),
    Family("RR", lambda n: stopping("RR", n=n)),
    Family("Beta", lambda n, a, b: beta_stopping("RBP", n=n, a=a, b=b), ("a", "b"), _beta),
    Family(PAGE, lambda n: StoppingLaw.of(np.full(n, 1 / n))),
)


# --- maximum likelihood, from counts of stops by rank -------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class FamilyFit:
    """The member of a family that makes the stops most probable.

    Parameters
    ----------
    point
        On the family's scales.
    values
        The parameters.
    log_mass
        log P(k given k <= n), shape (n,).
    at_end
        Whether the search stopped at the end of a scale: no member is best, some limit is.
    """

    point: Floats
    values: tuple[float, ...]
    log_mass: Floats
    at_end: bool


def fit(family: Family, counts: Floats, start: Floats | None = None) -> FamilyFit:
    """Return the fit to counts of stops by rank, searched from `start` or from a grid."""
    share = counts / counts.sum()
    num_ranks = len(counts)

    def loss(point: Floats) -> float:
        return -float(share @ family.log_mass(point, num_ranks))

    if not family.parameters:
        return _fit(family, np.empty(0), num_ranks)
    if start is None:
        grid = [np.array(point) for point in product(_STARTS, repeat=len(family.parameters))]
        start = min(grid, key=loss)
    best = minimize(
        loss,
        start,
        method="L-BFGS-B",
        jac="3-point",
        bounds=family.bounds,
        options={"ftol": 1e-14, "gtol": 1e-9},
    )
    return _fit(family, np.asarray(best.x, dtype=np.float64), num_ranks)


def _fit(family: Family, point: Floats, num_ranks: int) -> FamilyFit:
    ends = np.array(family.bounds).reshape(-1, 2)
    near = bool((np.abs(point[:, None] - ends) < _NEAR_END).any())
    return FamilyFit(point, family.to_values(point), family.log_mass(point, num_ranks), near)


def standard_errors(
    family: Family, fitted: FamilyFit, counts: Floats, groups: Floats
) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Return standard errors of the parameters for stops in groups, and for independent stops.

    With H the observed information and G the sum over groups of the outer product of their score,
    from H^-1 G H^-1, which also forgives a wrong law, and from H^-1, by the delta method.

    `family`, `fitted`: the fit; `counts`: stops by rank, shape (n,); `groups`: stops of each group
    by rank, shape (groups, n), or any C with the same C' C.

    Returns
    -------
    None if there is no parameter, or the likelihood has no peak.
    """
    if not family.parameters or fitted.at_end:
        return None
    num_ranks = len(counts)
    axes = np.eye(len(fitted.point))

    def slopes(point: Floats, step: float) -> Floats:
        """Return the score of a stop by rank, shape (n, parameters)."""
        ends = [
            [family.log_mass(point + side * step * axis, num_ranks) for side in (1, -1)]
            for axis in axes
        ]
        return np.array([(above - below) / (2 * step) for above, below in ends]).T

    def curvature(axis: Floats) -> Floats:
        points = [fitted.point + side * _WIDER_STEP * axis for side in (1, -1)]
        ends = [counts @ slopes(point, _STEP) for point in points]
        return np.asarray(ends[0] - ends[1], dtype=np.float64) / (2 * _WIDER_STEP)

    information = -np.array([curvature(axis) for axis in axes])
    information = (information + information.T) / 2
    if np.linalg.eigvalsh(information)[0] < _FLAT * counts.sum():
        return None
    inverse = np.linalg.inv(information)
    scores = groups @ slopes(fitted.point, _STEP)
    ends = [
        [family.to_values(fitted.point + side * _STEP * axis) for side in (1, -1)] for axis in axes
    ]
    moved = np.array([np.subtract(above, below) for above, below in ends]) / (2 * _STEP)
    errors = [
        np.sqrt(np.diag(moved.T @ variance @ moved))
        for variance in (inverse @ scores.T @ scores @ inverse, inverse)
    ]
    return tuple(errors[0].tolist()), tuple(errors[1].tolist())
