"""Static stopping distributions fitted to stops, and how likely they make those held out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from prum.analytic.utility import StoppingLaw, beta_stopping, stopping
from prum.experiments.statistics.intervals import Estimate, normal_factor
from prum.simulator.model.arrays import Floats

# Takes counts of stops by rank to log P(k).
FittedLaw = Callable[[Floats], Floats]
# The law that knows nothing behind the page.
PAGE = "uniform"
# Parameters are searched on scales on which all numbers are allowed, between -_END and _END.
_END = 12.0
# Steps of central differences: of values, and of slopes.
_STEP, _WIDER_STEP = 1e-5, 1e-3
_STARTS = (-4.0, -1.5, 0.0, 1.5, 4.0)
# A likelihood that is flatter than this, per stop, says nothing of the parameter.
_FLAT = 1e-7
_NEAR_END = 1e-2


def frequencies(counts: Floats) -> Floats:
    """Return the logarithms of (count + 1/2) / (stops + n/2): no rank is impossible.

    >>> np.exp(frequencies(np.array([3.0, 0.0]))).round(4).tolist()
    [0.875, 0.125]
    """
    return np.asarray(np.log(counts + 0.5) - np.log((counts + 0.5).sum()), dtype=np.float64)


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

    def uncut(self) -> "Family":
        """Return the family with a cell for stops behind the last rank."""
        return replace(self, cut=False)

    def log_mass(self, point: Floats, num_cells: int) -> Floats:
        """Return the logarithm of each cell's probability."""
        law = self.law(num_cells - (not self.cut), *self.to_values(point))
        mass = law.mass / law.mass.sum() if self.cut else np.append(law.mass, law.remainder)
        # At the ends of the scales a P(k) may underflow, which is no proof that it is 0.
        return np.asarray(np.log(np.maximum(mass, np.finfo(np.float64).tiny)), dtype=np.float64)


def _beta(point: Floats) -> tuple[float, ...]:
    """Return a and b: their share a / (a + b) and their sum are easier to find."""
    total = float(np.exp(point[1]))
    return float(expit(point[0])) * total, float(expit(-point[0])) * total


FAMILIES = (
    Family("RBP .5", lambda n: stopping("RBP", n=n, theta=0.5)),
    Family(
        "RBP",
        lambda n, theta: stopping("RBP", n=n, theta=theta),
        ("theta",),
        lambda point: (float(expit(point[0])),),
    ),
    Family("DCG 2", lambda n: stopping("DCG", n=n, base=2.0)),
    Family(
        "DCG",
        lambda n, base: stopping("DCG", n=n, base=base),
        ("base",),
        lambda point: (1 + float(np.exp(point[0])),),
    ),
    Family("RR", lambda n: stopping("RR", n=n)),
    Family("Beta", lambda n, a, b: beta_stopping("RBP", n=n, a=a, b=b), ("a", "b"), _beta),
    Family(PAGE, lambda n: StoppingLaw.of(np.full(n, 1 / n))),
)


# --- maximum likelihood, from counts of stops by rank -------------------------------------------


def fit(family: Family, counts: Floats, start: Floats | None = None) -> SimpleNamespace:
    """Return the fit to counts of stops by rank, searched from `start` or from a grid.

    Returns
    -------
    point
        On the family's scales.
    values
        The parameters.
    log_mass
        log P(k given k <= n), shape (n,).
    at_end
        Whether the search stopped at the end of a scale: no member is best, some limit is.
    """
    share = counts / counts.sum()
    num_ranks = len(counts)

    def loss(point: Floats) -> float:
        return -float(share @ family.log_mass(point, num_ranks))

    point = np.empty(0)
    if family.parameters:
        if start is None:
            grid = [np.array(point) for point in product(_STARTS, repeat=len(family.parameters))]
            start = min(grid, key=loss)
        options: Any = {"ftol": 1e-14, "gtol": 1e-9}
        bounds = [(-_END, _END)] * len(family.parameters)
        best = minimize(
            loss, start, method="L-BFGS-B", jac="3-point", bounds=bounds, options=options
        )
        point = np.asarray(best.x, dtype=np.float64)
    return SimpleNamespace(
        point=point,
        values=family.to_values(point),
        log_mass=family.log_mass(point, num_ranks),
        at_end=bool((np.abs(np.abs(point) - _END) < _NEAR_END).any()),
    )


def standard_errors(
    family: Family, fitted: Any, counts: Floats, groups: Floats
) -> tuple[float, ...] | None:
    """Return standard errors of the parameters, for stops in groups and laws that are wrong.

    With H the observed information and G the sum over groups of the outer product of their score,
    from H^-1 G H^-1 by the delta method.

    `family`, `fitted`: the fit; `counts`: stops by rank, shape (n,); `groups`: stops of each group
    by rank, shape (groups, n), or any C with the same C' C.

    Returns
    -------
    None if there is no parameter, or the likelihood has no peak.
    """
    if not family.parameters or fitted.at_end:
        return None

    def differences(of: Callable[[Floats], Any], point: Floats, step: float) -> Floats:
        """Return central differences of a function, a row for each scale."""
        ends = [[of(point + side * step * axis) for side in (1, -1)] for axis in np.eye(len(point))]
        return np.array([np.subtract(above, below) for above, below in ends]) / (2 * step)

    def scores(point: Floats) -> Floats:
        """Return the score of a stop by rank, shape (parameters, n)."""
        return differences(lambda moved: family.log_mass(moved, len(counts)), point, _STEP)

    information = -differences(lambda point: scores(point) @ counts, fitted.point, _WIDER_STEP)
    information = (information + information.T) / 2
    if np.linalg.eigvalsh(information)[0] < _FLAT * counts.sum():
        return None
    inverse = np.linalg.inv(information)
    of_groups = groups @ scores(fitted.point).T
    variance = inverse @ of_groups.T @ of_groups @ inverse
    moved = differences(family.to_values, fitted.point, _STEP)
    return tuple(np.sqrt(np.diag(moved.T @ variance @ moved)).tolist())


# --- held out -----------------------------------------------------------------------------------


class HeldOut:
    """Held-out log-likelihoods of laws, their means per stop, and differences with intervals.

    Parameters
    ----------
    values
        The sum over the stops of each independent piece, by law, shape (pieces,).
    sizes
        The stops of each piece.
    scale
        Takes what a piece adds to a sum, about its mean, to what it adds to the mean: the squares
        of differences of these add up to their variance.
    """

    def __init__(self, values: Mapping[str, Floats], sizes: Floats, scale: float) -> None:
        self.means = {law: float(sums.sum() / sizes.sum()) for law, sums in values.items()}
        self._influence = {
            law: scale * (sums - self.means[law] * sizes) for law, sums in values.items()
        }

    def difference(self, law: str, other: str) -> Estimate:
        """Return the mean of one law less that of another, and the ends of its 95 % interval."""
        value = self.means[law] - self.means[other]
        apart = self._influence[law] - self._influence[other]
        return Estimate.around(value, normal_factor() * float(np.sqrt(apart @ apart)))


def over_folds(
    groups: Floats,
    laws: Mapping[str, FittedLaw],
    folds: int,
    rng: np.random.Generator,
    step: Callable[[], object],
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
    # The factor is that of a variance with one mean taken out.
    return HeldOut(sums, sizes, np.sqrt(len(groups) / (len(groups) - 1)) / sizes.sum())


def over_halves(
    counts: Floats,
    laws: Mapping[str, FittedLaw],
    draws: int,
    rng: np.random.Generator,
    step: Callable[[], object],
) -> HeldOut:
    """Hold out a random half of the stops, many times, where groups are not known.

    Each stop goes into either half by a coin. The mean of a half varies about that of all by as
    much as that of all about its expectation, if stops are independent; so do intervals over
    halves.
    """
    means = {law: np.empty(draws) for law in laws}
    for draw in range(draws):
        half = np.zeros(1)
        while not 0 < half.sum() < counts.sum():
            half = rng.binomial(counts.astype(np.int64), 0.5).astype(np.float64)
        rest = counts - half
        for law, fitted in laws.items():
            means[law][draw] = rest @ fitted(half) / rest.sum()
        step()
    return HeldOut(means, np.ones(draws), 1 / np.sqrt(draws - 1))
