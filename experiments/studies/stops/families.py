"""Static stopping distributions, cut at the end of the page or not, and their fit to stops."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from prum.analytic.utility.laws import StoppingLaw, beta_stopping, stopping
from prum.simulator.model.arrays import Floats

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

    Parameters
    ----------
    family, fitted
        The fit.
    counts
        Stops by rank, shape (n,).
    groups
        Stops of each group by rank, shape (groups, n), or any C with the same C' C.

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
