"""What is believed of choices among an element's links, learned from all elements' choices.

People at x choose among its links with probabilities theta_x, which are Dirichlet with shapes
k_x q_xy. The shares q are those of a conditional logit, the concentration depends on how many links
there are:

    q_xy = exp(o_xy + f_xy . beta + u_y) / (sum over x's links),
    log k_x = k_0 + g (log outdegree(x) - mean).

o is an offset that is given, f are features of links, u_y is what the target itself is worth,
normal with mean 0 and a variance that is learned.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from prum.experiments.fitting.dirichlet import (
    LOG_CONCENTRATION,
    group_shares,
    group_sums,
    log_rising,
    log_rising_bend,
    log_rising_slope,
)
from prum.simulator.model import Links
from prum.simulator.model.arrays import Floats, Ints

# Of the weights of features in units of their deviation, and of g: normal with this deviation.
_WIDTH = 10.0
# Of k_0 and g: beyond these numbers overflow, and nothing changes any more.
_BOUNDS = ((-10.0, 20.0), (-5.0, 5.0))
# Rounds in which the variance of what targets are worth settles, and when it has.
_ROUNDS, _SETTLED = 20, 0.02


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceLaw:
    """What is believed of choices before anybody chooses.

    Parameters
    ----------
    shares
        q, of each row of links; 0 for what is no choice. Shape (m,).
    concentrations
        k, of each element that occurs in links; shape (n,).
    weights
        By feature, how much log q rises with it; `k_0` and `g` besides.
    deviation
        Of what targets are worth; 0 where that is left out.
    log_evidence
        The logarithm of the probability of all choices in their order, integrated over theta and,
        by Laplace's method with the diagonal of the Hessian, over u.
    """

    shares: Floats
    concentrations: Floats
    weights: dict[str, float]
    deviation: float
    log_evidence: float


def shares_of(logits: Floats, links: Links) -> Floats:
    """Return by row e to the power of its logit over the sum of its source's rows."""
    filled = np.flatnonzero(np.diff(links.starts))
    if not len(filled):
        return np.zeros(0)
    largest = np.zeros(len(links.elements))
    largest[filled] = np.maximum.reduceat(logits, links.starts[:-1][filled])
    largest[~np.isfinite(largest)] = 0
    parts = np.exp(logits - largest[links.sources])
    return group_shares(parts, links.sources, len(links.elements))


class _Choices:
    """The rows that bear on what people chose: those of elements where they did."""

    def __init__(self, links: Links, moves: Ints, offset: Floats, features: Floats) -> None:
        size = len(links.elements)
        moved = group_sums(moves, links.sources, size)
        rows = np.flatnonzero((moved[links.sources] > 0) & np.isfinite(offset))
        degree = np.bincount(links.sources[np.isfinite(offset)], minlength=size)
        self.log_degree = np.log(np.maximum(degree, 1))
        self.log_degree -= self.log_degree[degree > 0].mean() if (degree > 0).any() else 0
        visited, self.group = np.unique(links.sources[rows], return_inverse=True)
        self.first = np.searchsorted(self.group, np.arange(len(visited)))
        self.targets, self.target = np.unique(links.targets[rows], return_inverse=True)
        self.moves, self.offset = moves[rows].astype(np.float64), offset[rows]
        self.columns, self.degrees = features[rows], self.log_degree[visited]
        self.moved = moved[visited]
        self.chosen = np.flatnonzero(self.moves)

    def summed(self, values: Floats) -> Floats:
        return group_sums(values, self.group, len(self.first))

    def shares(self, logits: Floats) -> Floats:
        if not len(logits):
            return logits
        parts = np.exp(logits - np.maximum.reduceat(logits, self.first)[self.group])
        return group_shares(parts, self.group, len(self.first))

    def parts(self, place: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return beta, u, by element k, and by row q, of the coordinates of a place."""
        d = self.columns.shape[1]
        beta, worth = place[:d], place[d:-2]
        logits = self.offset + self.columns @ beta
        if len(worth):
            logits = logits + worth[self.target]
        concentrations = np.exp(place[-2] + place[-1] * self.degrees)
        return beta, worth, concentrations, self.shares(logits)

    def negative(self, place: Floats, precision: float) -> tuple[float, Floats]:
        """Return minus the log evidence and beliefs of all but theta, and its slopes."""
        beta, worth, k, q = self.parts(place)
        shapes = k[self.group] * q
        a, n, z = shapes[self.chosen], self.moves[self.chosen], self.chosen
        value = log_rising(a, n).sum() - log_rising(k, self.moved).sum()
        risen = np.zeros(len(shapes))
        risen[z] = a * log_rising_slope(a, n)
        by_group = self.summed(risen)
        by_logit = risen - shapes * (by_group / k)[self.group]
        by_k = by_group - k * log_rising_slope(k, self.moved)
        pull = (place[-2] - LOG_CONCENTRATION[0]) / LOG_CONCENTRATION[1]
        value -= (beta @ beta + place[-1] ** 2) / (2 * _WIDTH**2)
        value -= precision * (worth @ worth) / 2 + pull**2 / 2
        slopes = np.empty(len(place))
        d = len(beta)
        slopes[:d] = self.columns.T @ by_logit - beta / _WIDTH**2
        if len(worth):
            slopes[d:-2] = group_sums(by_logit, self.target, len(worth)) - precision * worth
        slopes[-2] = by_k.sum() - pull / LOG_CONCENTRATION[1]
        slopes[-1] = by_k @ self.degrees - place[-1] / _WIDTH**2
        return -float(value), -slopes

    def best(self, place: Floats, precision: float) -> tuple[Floats, float]:
        """Return where `negative` is least, and its value there, from a place nearby.

        Each coordinate is measured in the width that its own second derivative gives it.
        """
        step, d = 1e-3, self.columns.shape[1]
        bent = np.ones(len(place))
        bent[d:-2] = (np.maximum(self.curvature(place), 0) + precision)[: len(place) - d - 2]
        here = self.negative(place, precision)[1]
        for axis in (*range(d), -2, -1):
            there = place.copy()
            there[axis] += step
            bent[axis] = (self.negative(there, precision)[1] - here)[axis] / step
        width = 1 / np.sqrt(np.maximum(bent, 1 / _WIDTH**2))

        def scaled(z: Floats) -> tuple[float, Floats]:
            value, slopes = self.negative(z * width, precision)
            return value, slopes * width

        free = [(None, None)] * (len(place) - 2)
        ends = [(low / w, high / w) for (low, high), w in zip(_BOUNDS, width[-2:], strict=True)]
        bounds = [*free, *ends]
        best = minimize(scaled, place / width, jac=True, method="L-BFGS-B", bounds=bounds)
        return best.x * width, float(best.fun)

    def curvature(self, place: Floats) -> Floats:
        """Return by target minus the second derivative of the log evidence by its worth."""
        _, _, k, q = self.parts(place)
        a = k[self.group] * q
        first, second = np.zeros((2, len(q)))
        z = self.chosen
        first[z] = log_rising_slope(a[z], self.moves[z])
        second[z] = log_rising_bend(a[z], self.moves[z])
        mean_first = self.summed(q * first)[self.group]
        mean_second = self.summed(q * second * a)[self.group]
        bent = a * ((1 - 2 * q) * (first - mean_first) + a * second * (1 - 2 * q) + q * mean_second)
        return -group_sums(bent, self.target, len(self.targets))


def choice_law(
    links: Links,
    moves: Ints,
    *,
    offset: Floats,
    names: tuple[str, ...] = (),
    features: Floats | None = None,
    by_target: bool = False,
) -> ChoiceLaw:
    """Return the law of choices under which those that were made are most probable.

    Parameters
    ----------
    moves
        Along each row of links; shape (m,).
    offset
        Of each row: o, minus infinity for what is no choice.
    names, features
        Of links: names of columns, and the columns; shape (m, d).
    by_target
        Whether each target has a worth of its own.
    """
    columns = np.zeros((len(links), 0)) if features is None else features
    scale = columns.std(axis=0) if len(columns) else np.ones(columns.shape[1])
    scale[scale == 0] = 1
    scaled = columns / scale
    choices = _Choices(links, moves, offset, scaled)
    d = len(names)
    place = np.zeros(d + (len(choices.targets) if by_target else 0) + 2)
    place[-2] = LOG_CONCENTRATION[0]
    precision = 3.0
    step = 0.0
    for _ in range(_ROUNDS):
        place, value = choices.best(place, precision)
        worth = place[d:-2]
        if not len(worth):
            break
        curvature = np.maximum(choices.curvature(place), 0)
        known = (curvature / (precision + curvature)).sum()
        wanted = float(np.clip(known / max(worth @ worth, 1e-12), 1e-3, 1e6))
        before, step = step, float(np.log(wanted / precision))
        if abs(step) < _SETTLED:
            break
        # Steps shrink by a constant factor: go at once where they lead.
        shrunk = min(max(step / before, 0.0), 0.8) if before else 0.5
        precision *= float(np.exp(step / (1 - shrunk)))
    beta, worth = place[:d], place[d:-2]
    full = np.zeros(len(links.elements))
    evidence = -value
    if len(worth):
        full[choices.targets] = worth
        curvature = np.maximum(choices.curvature(place), 0)
        evidence -= float(np.log1p(curvature / precision).sum()) / 2
    logits = offset + scaled @ beta + full[links.targets]
    weights = dict(zip(names, (beta / scale).tolist(), strict=True))
    return ChoiceLaw(
        shares_of(logits, links),
        np.exp(place[-2] + place[-1] * choices.log_degree),
        {**weights, "k_0": float(place[-2]), "g": float(place[-1])},
        precision**-0.5 if len(worth) else 0.0,
        evidence,
    )
