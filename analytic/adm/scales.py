"""Scores of any scale made estimates in [0, 1]: by their range, their ranks, or fitted to URE."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from prum.analytic.adm.measures import checked_estimates
from prum.simulator.model import InputError
from prum.simulator.model.arrays import Floats
from prum.simulator.model.errors import check_each, real_array

METHODS = ("min-max", "rank", "isotonic", "logistic")
# Keeps coefficients finite where no fit is best, as with scores that separate UREs of 0 and 1.
PENALTY = 1e-6


@dataclass(frozen=True, slots=True)
class MinMax:
    """(x - low) / (high - low), cut to [0, 1]; 1/2 for all scores if low = high."""

    low: float
    high: float

    def of(self, scores: ArrayLike) -> Floats:
        """Return the estimates, shape (n,)."""
        x = checked_scores(scores)
        if self.low == self.high:
            return np.full(len(x), 0.5)
        # Halved, so that no difference of finite scores is infinite.
        return np.clip((x / 2 - self.low / 2) / (self.high / 2 - self.low / 2), 0, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Rank:
    """1 - (rank - 1) / n, with the mean rank of equal scores.

    A score that is not among the n known has the rank between its neighbours', 1/2 above the best
    and n + 1/2 below the worst; estimates are cut to [0, 1].
    """

    known: Floats

    def of(self, scores: ArrayLike) -> Floats:
        """Return the estimates, shape (n,)."""
        x = checked_scores(scores)
        n = len(self.known)
        above = n - np.searchsorted(self.known, x, side="right")
        above_or_equal = n - np.searchsorted(self.known, x, side="left")
        rank = (above + above_or_equal + 1) / 2
        return np.clip(1 - (rank - 1) / n, 0, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Isotonic:
    """The rising function closest to URE in squares, linear between the scores it was fitted to.

    It is constant beyond them. Equal scores count once, with the mean of their UREs.
    """

    scores: Floats
    levels: Floats

    def of(self, scores: ArrayLike) -> Floats:
        """Return the estimates, shape (n,)."""
        return np.interp(checked_scores(scores), self.scores, self.levels)


@dataclass(frozen=True, slots=True)
class Logistic:
    """1 / (1 + exp(-(a + b (x - centre) / scale)))."""

    a: float
    b: float
    centre: float
    scale: float

    def of(self, scores: ArrayLike) -> Floats:
        """Return the estimates, shape (n,)."""
        from scipy.special import expit  # slow to load

        values: Floats = expit(
            self.a + self.b * (checked_scores(scores) - self.centre) / self.scale
        )
        return values


Calibration: TypeAlias = MinMax | Rank | Isotonic | Logistic


def calibration(method: str, scores: ArrayLike, ure: ArrayLike | None = None) -> Calibration:
    """Return what makes scores estimates in [0, 1], for ADM to compare with URE.

    ========== ===================================================== ============ ===============
    method     estimate of a score x                                 uses URE     all scores equal
    ========== ===================================================== ============ ===============
    min-max    (x - least) / (greatest - least)                      no           1/2
    rank       1 - (rank - 1) / n, mean rank of equal scores         no           (n + 1) / (2 n)
    isotonic   rising, least squares to URE                          yes          mean URE
    logistic   1 / (1 + exp(-a - b z)), greatest likelihood          yes          mean URE
    ========== ===================================================== ============ ===============

    So one document has 1/2, 1, and twice its URE. "logistic" minimises the mean of
    -u log p - (1 - u) log(1 - p), u = URE, which needs no binary u, plus 1e-6 (a^2 + b^2) / 2; z is
    x less its mean, over its standard deviation. Scores fitted to the URE they are judged by have
    seen the answer: fit on other queries.

    Parameters
    ----------
    method
        One of `METHODS`.
    scores
        Finite numbers, greater for more relevant, shape (n,).
    ure
        URE in [0, 1] of the same documents, for "isotonic" and "logistic".

    Raises
    ------
    InputError
        for another method, scores that are not finite, no score, UREs that are missing, outside
        [0, 1] or not as many.

    >>> calibration("min-max", [2, 4, 6]).of([2, 3, 6, 7]).tolist()
    [0.0, 0.25, 1.0, 1.0]
    >>> calibration("rank", [7, 3, 3, 1]).of([7, 3, 3, 1]).tolist()
    [1.0, 0.625, 0.625, 0.25]
    >>> calibration("isotonic", [1, 2, 3], [0.5, 0.25, 1]).of([1, 2, 2.5, 3]).tolist()
    [0.375, 0.375, 0.6875, 1.0]
    """
    x = checked_scores(scores)
    if method not in METHODS:
        raise InputError("method", method, f"be one of {', '.join(METHODS)}", remedy="name one")
    if not x.size:
        raise InputError("scores", [], "be at least one", remedy="give the scores of documents")
    if method == "min-max":
        return MinMax(float(x.min()), float(x.max()))
    if method == "rank":
        known = np.sort(x)
        known.setflags(write=False)
        return Rank(known)
    if ure is None:
        raise InputError("ure", None, f"be given for {method}", remedy="give what to fit to")
    user = checked_estimates("URE", ure)
    if user.shape != x.shape:
        raise InputError(
            "URE", user.shape, f"have shape {x.shape}, as scores", remedy="give one for each score"
        )
    return _isotonic(x, user) if method == "isotonic" else _logistic(x, user)


def _isotonic(x: Floats, user: Floats) -> Isotonic:
    from scipy.optimize import isotonic_regression  # slow to load

    distinct, which, number = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(which, weights=user) / number
    fitted = isotonic_regression(means, weights=number.astype(np.float64)).x
    levels = np.clip(np.asarray(fitted, dtype=np.float64), 0, 1)
    for array in (distinct, levels):
        array.setflags(write=False)
    return Isotonic(distinct, levels)


def _logistic(x: Floats, user: Floats) -> Logistic:
    from scipy.optimize import minimize
    from scipy.special import expit

    # Over their greatest, so that no square of finite scores is infinite or 0.
    peak = float(np.abs(x).max()) or 1.0
    centre, scale = peak * float((x / peak).mean()), peak * float((x / peak).std())
    if not scale > 0 or (x == x[0]).all():
        centre, scale = float(x[0]), 1.0
    design = np.stack([np.ones(len(x)), (x - centre) / scale], axis=1)

    def cost(weights: Floats) -> float:
        t = design @ weights
        entropy = float(np.mean(np.logaddexp(0, t) - user * t))
        return entropy + PENALTY / 2 * float(weights @ weights)

    def slope(weights: Floats) -> Floats:
        miss = expit(design @ weights) - user
        gradient: Floats = design.T @ miss / len(x) + PENALTY * weights
        return gradient

    def curvature(weights: Floats) -> Floats:
        p = expit(design @ weights)
        hessian: Floats = (design.T * (p * (1 - p))) @ design / len(x) + PENALTY * np.eye(2)
        return hessian

    best = minimize(cost, np.zeros(2), jac=slope, hess=curvature, method="trust-exact").x
    return Logistic(float(best[0]), float(best[1]), centre, scale)


def checked_scores(scores: ArrayLike) -> Floats:
    """Return scores as finite floats, shape (n,).

    Raise InputError for scores that are no list of finite numbers.

    >>> checked_scores([3, -1]).tolist()
    [3.0, -1.0]
    """
    remedy = "give a score for each document"
    x = real_array("scores", scores, remedy=remedy, shape=("n",))
    check_each("score", x, np.isfinite(x), "be finite", remedy=remedy, place="document {}")
    return x
