"""What is believed of choices among an element's links, learned from all elements' choices.

People at x choose among its links with probabilities theta_x, which are Dirichlet with shapes
k_x q_xy. The shares q are those of a conditional logit, the concentration depends on how many links
there are:

    q_xy = exp(o_xy + f_xy . beta + u_y) / (sum over x's links),
    log k_x = k_0 + g (log outdegree(x) - mean).

o is an offset that is given, f are features of links in units of their deviation, u_y is what the
target itself is worth. The weights beta and u are normal with mean 0 and deviations tau and sigma,
the logarithms of which are uniform: a lattice of (tau, sigma) is summed over. Its lowest deviations
leave features and targets out, so both have to earn their place. For each point of it, and for some
k_0, the other coordinates are integrated out by Laplace's method, normal around their mode. In the
Hessian, targets depend on each other by the other coordinates alone.
"""

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from prum.experiments.fitting.laws import (
    group_softmax,
    group_sums,
    log_rising,
    spread_out,
)
from prum.simulator.model import Links
from prum.simulator.model.arrays import Floats, Ints

# How many draws stand for what is not known of the law.
DRAWS = 32
# Of g: normal with this mean, with which links' shapes do not depend on how many there are; and
# the deviations of k_0, whose mean makes these shapes 1, and of g.
_GROWTH, _DEVIATIONS = 1.0, (1.5, 1.0)
# Of k_0 and g: beyond these numbers overflow, and nothing changes any more.
_BOUNDS = np.array(((-10.0, 20.0), (-5.0, 5.0)))
# Deviations of weights, and how many nats below the best those are that count for nothing.
_LEVELS, _NEGLIGIBLE = np.geomspace(0.05, 2.0, 8), 4.0
# Of minus the log evidence: a step that gains less is the last.
_SETTLED = 1e-6
# Of a draw's log shapes: units, and what stands for no choice.
_UNIT, _NO_CHOICE = 1e-3, -(2**15)


@dataclass(frozen=True, eq=False)
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
        The logarithm of the probability of all choices in their order, with theta and all that it
        depends on integrated out.
    draws
        log k q, in thousandths, of laws that the choices leave possible, each as likely; the least
        16-bit number for what is no choice. Shape (draws, m). None where the law counts as known.
    """

    shares: Floats
    concentrations: Floats
    weights: dict[str, float]
    deviation: float
    log_evidence: float
    draws: NDArray[np.int16] | None = None

    def shapes(self, links: Links) -> Floats:
        """Return k q of the draws; shape (draws, m)."""
        if self.draws is None:
            return (self.concentrations[links.sources] * self.shares)[np.newaxis]
        return np.where(self.draws == _NO_CHOICE, 0.0, np.exp(self.draws * _UNIT))


class _Choices:
    """The rows that bear on what people chose: those of elements where they did."""

    def __init__(self, links: Links, moves: Ints, offset: Floats, features: Floats) -> None:
        size = len(links.elements)
        moved = group_sums(moves, links.sources, size)
        rows = np.flatnonzero((moved[links.sources] > 0) & np.isfinite(offset))
        degree = np.bincount(links.sources[np.isfinite(offset)], minlength=size)
        self.log_degree = np.log(np.maximum(degree, 1))
        middle = self.log_degree[degree > 0].mean() if (degree > 0).any() else 0.0
        self.log_degree -= middle
        # What k_0 and g are in the mean.
        self.believed = np.array([middle, _GROWTH])
        visited, self.group = np.unique(links.sources[rows], return_inverse=True)
        self.targets, self.target = np.unique(links.targets[rows], return_inverse=True)
        self.moves, self.offset = moves[rows].astype(np.float64), offset[rows]
        self.columns, self.degrees = features[rows], self.log_degree[visited]
        self.moved = moved[visited]
        self.chosen = np.flatnonzero(self.moves)

    def summed(self, values: Floats) -> Floats:
        return group_sums(values, self.group, len(self.moved))

    def parts(self, place: Floats) -> tuple[Floats, Floats, Floats]:
        """Return u, by element k, and by row q, of the coordinates of a place."""
        d = self.columns.shape[1]
        worth, logits = place[d:-2], self.offset + self.columns @ place[:d]
        if len(worth):
            logits = logits + worth[self.target]
        concentrations = np.exp(place[-2] + place[-1] * self.degrees)
        return worth, concentrations, group_softmax(logits, self.group, len(self.moved))

    def negative(self, place: Floats, precision: Floats) -> tuple[float, Floats]:
        """Return minus the log evidence and beliefs of all but theta, and its slopes.

        `precision` is what is believed of each coordinate.
        """
        worth, k, q = self.parts(place)
        shapes = k[self.group] * q
        a, n, z = shapes[self.chosen], self.moves[self.chosen], self.chosen
        value = log_rising(a, n).sum() - log_rising(k, self.moved).sum()
        risen = np.zeros(len(shapes))
        risen[z] = a * log_rising(a, n, derivative=1)
        by_group = self.summed(risen)
        by_logit = risen - shapes * (by_group / k)[self.group]
        by_k = by_group - k * log_rising(k, self.moved, derivative=1)
        aside, d = place.copy(), self.columns.shape[1]
        aside[-2:] -= self.believed
        value -= precision @ aside**2 / 2
        slopes = -precision * aside
        slopes[:d] += self.columns.T @ by_logit
        if len(worth):
            slopes[d:-2] += group_sums(by_logit, self.target, len(worth))
        slopes[-2] += by_k.sum()
        slopes[-1] += by_k @ self.degrees
        return -float(value), -slopes

    def curvature(self, place: Floats) -> Floats:
        """Return by target minus the second derivative of the log evidence by its worth."""
        worth, k, q = self.parts(place)
        if not len(worth):
            return worth
        a = k[self.group] * q
        first, second = np.zeros((2, len(q)))
        z = self.chosen
        first[z] = log_rising(a[z], self.moves[z], derivative=1)
        second[z] = log_rising(a[z], self.moves[z], derivative=2)
        mean_first = self.summed(q * first)[self.group]
        mean_second = self.summed(q * second * a)[self.group]
        bent = a * ((1 - 2 * q) * (first - mean_first) + a * second * (1 - 2 * q) + q * mean_second)
        return -group_sums(bent, self.target, len(self.targets))


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """A point of the lattice: all coordinates' deviations and mode, and Laplace's method there.

    Coordinates are those of `_Choices.parts`: features, targets, k_0, g. Those that are no targets
    have the second derivatives `hessian`, shape (d + 2, d + 2), and `crossed` with targets, shape
    (d + 2, t); targets among each other `bends`, shape (t,).
    """

    choices: _Choices
    deviations: Floats
    place: Floats
    value: float
    hessian: Floats
    crossed: Floats
    bends: Floats

    @classmethod
    def near(cls, choices: _Choices, deviations: Floats, place: Floats, width: Floats) -> "_Point":
        """Return the point, from a place near its mode, each coordinate measured in its width."""
        d, precision, step = choices.columns.shape[1], deviations**-2.0, 1e-3

        def scaled(z: Floats) -> tuple[float, Floats]:
            value, slopes = choices.negative(z * width, precision)
            return value, slopes * width

        bounds = np.full((len(place), 2), (-np.inf, np.inf))
        bounds[-2:] = _BOUNDS / width[-2:, np.newaxis]
        how: Any = {"method": "L-BFGS-B", "bounds": bounds, "options": {"ftol": _SETTLED}}
        best = minimize(scaled, place / width, jac=True, **how)
        place, value = best.x * width, float(best.fun)
        here = choices.negative(place, precision)[1]
        axes = [*range(d), len(place) - 2, len(place) - 1]
        rows = np.empty((d + 2, len(place)))
        for row, axis in zip(rows, axes, strict=True):
            there = place.copy()
            there[axis] += step
            row[:] = (choices.negative(there, precision)[1] - here) / step
        hessian = (rows[:, axes] + rows[:, axes].T) / 2
        bends = np.maximum(choices.curvature(place), 0) + precision[d:-2]
        return cls(choices, deviations, place, value, hessian, rows[:, d:-2], bends)

    @property
    def widths(self) -> Floats:
        """How far each coordinate may be from the mode."""
        d = self.choices.columns.shape[1]
        bends = np.concatenate([np.diag(self.hessian)[:d], self.bends, np.diag(self.hessian)[d:]])
        widths: Floats = 1 / np.sqrt(np.maximum(bends, self.deviations**-2.0))
        return widths

    def likely_levels(self, limits: list[int]) -> tuple[int, int]:
        """Return the numbers of the levels that fit the size of this mode's weights (MacKay)."""
        d, levels = len(self.hessian) - 2, []
        determined = 1 - (self.widths / self.deviations) ** 2
        for of_kind, limit in zip((slice(d), slice(d, -2)), limits, strict=True):
            size = np.square(self.place[of_kind]).sum() / max(determined[of_kind].sum(), 1e-9)
            nearest = np.abs(np.log(_LEVELS / max(size, 1e-12) ** 0.5)).argmin()
            levels.append(int(nearest) if limit > 1 else 0)
        return levels[0], levels[1]

    def _root(self, bends: Floats, axes: Ints) -> Floats:
        """Return R with R R' the covariance of some coordinates, targets integrated out.

        They are known no worse than beforehand, each by itself.
        """
        crossed = self.crossed[axes]
        scale = np.delete(self.deviations, slice(len(self.hessian) - 2, -2))[axes]
        schur = self.hessian[np.ix_(axes, axes)] - (crossed / bends) @ crossed.T
        values, turn = np.linalg.eigh(schur * scale * scale[:, np.newaxis])
        root: Floats = scale[:, np.newaxis] * turn / np.sqrt(np.maximum(values, 1.0))
        return root

    @property
    def log_evidence(self) -> float:
        """The log of the probability of all choices, by Laplace's method for all coordinates."""
        root = self._root(self.bends, np.arange(len(self.hessian)))
        spread = np.linalg.slogdet(root)[1] - np.log(self.bends).sum() / 2
        return float(spread - np.log(self.deviations).sum() - self.value)

    def sections(self) -> "list[_Section]":
        """Return sections across k_0, a deviation apart, each with its own evidence."""
        hessian, k = self.hessian, len(self.hessian) - 2
        others = np.delete(np.arange(k + 2), k)
        root = self._root(self.bends, others)
        # How the other coordinates' mode follows k_0.
        at_k = hessian[others, k] - self.crossed[others] @ (self.crossed[k] / self.bends)
        others_follow = -root @ (root.T @ at_k)
        follow = -(self.crossed[k] + others_follow @ self.crossed[others]) / self.bends
        bend = hessian[k, k] + hessian[k, others] @ others_follow + self.crossed[k] @ follow
        step = 1 / np.sqrt(max(bend, _DEVIATIONS[0] ** -2.0))
        way = np.concatenate([others_follow[:-1], follow, [1.0], others_follow[-1:]])
        sections, most = list[_Section](), -np.inf
        for side in (range(5), range(-1, -5, -1)):
            for number in side:
                place = self.place + number * step * way
                if not _BOUNDS[0, 0] <= place[-2] <= _BOUNDS[0, 1]:
                    break
                place[-1] = np.clip(place[-1], *_BOUNDS[1])
                value = self.choices.negative(place, self.deviations**-2.0)[0]
                bends = np.maximum(self.choices.curvature(place), 0)
                bends += self.deviations[k : len(place) - 2] ** -2.0
                root = self._root(bends, others)
                spread = np.linalg.slogdet(root)[1] - np.log(bends).sum() / 2
                spread += np.log(step) - np.log(2 * np.pi) / 2
                evidence = float(spread - np.log(self.deviations).sum() - value)
                sections.append(_Section(self, place, root, bends, evidence))
                most = max(most, evidence)
                if evidence < most - _NEGLIGIBLE:
                    break
        return sections


@dataclass(frozen=True, slots=True, eq=False)
class _Section:
    """A point of the lattice for one k_0: the mode of the others, R R' their covariance, bends."""

    point: _Point
    place: Floats
    root: Floats
    bends: Floats
    log_evidence: float

    def drawn(self, rng: np.random.Generator) -> Floats:
        """Return a draw of all coordinates."""
        point, k = self.point, len(self.point.hessian) - 2
        place = self.place.copy()
        others = self.root @ rng.standard_normal(len(self.root))
        follow = np.delete(point.crossed, k, axis=0).T @ others / self.bends
        place[:k] += others[:-1]
        place[k:-2] += rng.standard_normal(len(self.bends)) / np.sqrt(self.bends) - follow
        place[-1] = np.clip(place[-1] + others[-1], *_BOUNDS[1])
        return place


def _lattice(choices: _Choices, d: int, t: int) -> list[_Point]:
    """Return the points of the lattice that matter, found from its middle on."""
    limits = [len(_LEVELS) if there else 1 for there in (d, t)]
    points, front = dict[tuple[int, int], _Point](), list[tuple[float, tuple[int, int]]]()

    def meet(levels: tuple[int, int], place: Floats, width: Floats) -> None:
        of_each = [_LEVELS[levels[0]], _LEVELS[levels[1]], *_DEVIATIONS]
        points[levels] = _Point.near(choices, np.repeat(of_each, [d, t, 1, 1]), place, width)
        heappush(front, (-points[levels].log_evidence, levels))

    start = np.append(np.zeros(d + t), choices.believed)
    levels = (limits[0] // 2, limits[1] // 2)
    meet(levels, start, np.full(len(start), 0.1))
    # Go at once where weights of this size lead.
    while (to := points[levels].likely_levels(limits)) not in points:
        meet(to, points[levels].place, points[levels].widths)
        levels = to
    least = min(front)[0]
    while front and front[0][0] < least + _NEGLIGIBLE:
        evidence, levels = heappop(front)
        least = min(least, evidence)
        for tau, sigma in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            to = levels[0] + tau, levels[1] + sigma
            if to not in points and 0 <= to[0] < limits[0] and 0 <= to[1] < limits[1]:
                meet(to, points[levels].place, points[levels].widths)
    return [point for point in points.values() if -point.log_evidence < least + _NEGLIGIBLE]


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
    d, t = len(names), len(choices.targets) if by_target else 0
    points = _lattice(choices, d, t)
    sections = [section for point in points for section in point.sections()]
    logs = np.array([section.log_evidence for section in sections])
    best, rng = max(points, key=lambda point: point.log_evidence), np.random.default_rng(0)

    def shares_of(place: Floats, worth: Floats) -> Floats:
        worth[choices.targets[:t]] = place[d:-2]
        logits = offset + scaled @ place[:d] + worth[links.targets]
        return group_softmax(logits, links.sources, len(links.elements))

    def log_concentrations(place: Floats) -> Any:
        return place[-2] + place[-1] * choices.log_degree

    draws = np.empty((DRAWS, len(links)), dtype=np.int16)
    for row, number in zip(draws, spread_out(logs, DRAWS, rng), strict=True):
        section = sections[number]
        place = section.drawn(rng)
        # Of targets that nobody could choose nothing is learned.
        unknown = section.point.deviations[d] if t else 0.0
        shares = shares_of(place, rng.normal(0, unknown, len(links.elements)))
        with np.errstate(divide="ignore"):
            logs_of = np.log(shares) + log_concentrations(place)[links.sources]
        row[:] = np.where(
            shares > 0, np.clip(logs_of / _UNIT, _NO_CHOICE + 1, -_NO_CHOICE - 1), _NO_CHOICE
        )
    place, num_levels = best.place, len(_LEVELS) ** ((d > 0) + (t > 0))
    weights = np.concatenate([place[:d] / scale, place[-2:]]).tolist()
    return ChoiceLaw(
        shares_of(place, np.zeros(len(links.elements))),
        np.exp(log_concentrations(place)),
        dict(zip((*names, "k_0", "g"), weights, strict=True)),
        float(best.deviations[d]) if t else 0.0,
        float(np.log(np.exp(logs - logs.max()).sum() / num_levels) + logs.max()),
        draws,
    )
