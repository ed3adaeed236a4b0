"""Maximum likelihood for stopping distributions, from counts of stops by rank."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import minimize

from prum.experiments.studies.stops.families import Family
from prum.simulator.model.arrays import Floats

# Steps of central differences: of values, and of slopes.
_STEP, _WIDER_STEP = 1e-5, 1e-3
_STARTS = (-4.0, -1.5, 0.0, 1.5, 4.0)
# A likelihood that is flatter than this, per stop, says nothing of the parameter.
_FLAT = 1e-7
_NEAR_END = 1e-2


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
