"""Beta and Dirichlet laws of probabilities: evidence and its slopes, beliefs, moments, draws.

Counts n_1, ..., n_d of sum N, whose probabilities are Dirichlet with shapes a_1, ..., a_d of sum A,
have the evidence

    integral of prod theta_i^n_i = Gamma(A) / Gamma(A + N) prod Gamma(a_i + n_i) / Gamma(a_i):

the probability of the choices in the order in which they were made. Given the counts, the
probabilities are Dirichlet with shapes a_i + n_i; of two choices, Beta.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import (
    betainc,
    betaincinv,
    betaln,
    digamma,
    expit,
    gammaln,
    log_expit,
    zeta,
)

from prum.simulator.model.arrays import Floats, Ints
from prum.simulator.model.errors import proportion

Whole = NDArray[np.integer[Any]]
Numeric = Floats | Whole

# What is believed of an unknown concentration before looking: its logarithm is normal. So weak a
# belief counts for nothing where data speak, and decides where they are silent.
LOG_CONCENTRATION = (3.0, 3.0)


def group_sums(values: Numeric, groups: Whole, num_groups: int) -> Floats:
    """Return the sum of each group's values; shape (num_groups,)."""
    sums: Floats = np.bincount(groups, values, num_groups).astype(np.float64)
    return sums


def group_shares(values: Floats, groups: Whole, num_groups: int) -> Floats:
    """Return what share each value has of its group's sum; 0 in groups of sum 0."""
    whole = group_sums(values, groups, num_groups)
    shares: Floats = values / np.where(whole > 0, whole, 1)[groups]
    return shares


def group_softmax(logs: Floats, groups: Whole, num_groups: int) -> Floats:
    """Return e to the power of each value as a share of its group's sum."""
    largest = np.full(num_groups, -np.inf)
    np.maximum.at(largest, groups, logs)
    largest[~np.isfinite(largest)] = 0
    return group_shares(np.exp(logs - largest[groups]), groups, num_groups)


def log_rising(shapes: Floats, numbers: Floats, *, derivative: int = 0) -> Floats:
    """Return log Gamma(a + n) / Gamma(a) for a > 0, n >= 0, exact for a much larger than n too.

    Or its first or second derivative by a.

    >>> log_rising(np.array([0.5, 2.0]), np.array([0.0, 3.0])).round(12).tolist()
    [0.0, 3.178053830348]
    """
    rising, some = np.zeros(len(shapes)), numbers > 0
    a, n = shapes[some], numbers[some]
    if derivative == 0:
        rising[some] = gammaln(n) - betaln(a, n)
    elif derivative == 1:
        rising[some] = digamma(a + n) - digamma(a)
    else:
        # Hurwitz' zeta of 2 is the trigamma function.
        rising[some] = zeta(2, a + n) - zeta(2, a)
    return rising


def log_evidence(counts: Numeric, shapes: Floats, groups: Whole, num_groups: int) -> Floats:
    """Return by group the logarithm of the evidence; shape (num_groups,).

    `counts`, `shapes` and `groups`: of each choice: how often it was made, its shape, the number
    of its group. A choice of shape 0 is none; made nevertheless, it gives minus infinity.

    >>> log_evidence(np.array([2, 1]), np.array([1.0, 1.0]), np.array([0, 0]), 1).round(6).tolist()
    [-2.484907]
    """
    choices = shapes > 0
    a, n = shapes[choices], counts[choices].astype(np.float64)
    rising = group_sums(log_rising(a, n), groups[choices], num_groups)
    whole = group_sums(shapes, groups, num_groups)
    numbers = group_sums(counts, groups, num_groups)
    evidence: Floats = rising - log_rising(
        np.where(numbers > 0, np.maximum(whole, 1e-300), 1), numbers
    )
    evidence[groups[~choices & (counts > 0)]] = -np.inf
    return evidence


def beta_belief(
    successes: Ints, trials: Ints, num: int, rng: np.random.Generator
) -> tuple[tuple[float, float], Floats]:
    """Return shapes (a, b) of a Beta law of what many groups' probabilities are, and draws of them.

    Those for which the beta-binomial evidence is largest, times what is believed beforehand: the
    mean has Jeffreys' law Beta(1/2, 1/2), log(a + b) is normal with mean and deviation
    `LOG_CONCENTRATION`. So there is an answer for no trials, and for no successes. The draws, as
    probable as the groups leave them, are from a grid of the log odds of the mean and of log(a + b)
    around these; shape (num, 2).

    >>> rng = np.random.default_rng(1)
    >>> shapes, _ = beta_belief(np.array([0, 9, 1, 10]), np.array([10, 10, 10, 10]), 4, rng)
    >>> shapes[0] < 1, shapes[1] < 1
    (True, True)
    """
    pairs, weights = np.unique(np.stack([successes, trials]), axis=1, return_counts=True)
    won, whole = pairs[:, pairs[1] > 0].astype(np.float64)
    weights = weights[pairs[1] > 0]
    lost, (centre, width) = whole - won, LOG_CONCENTRATION

    def negative(place: Floats) -> tuple[float, Floats]:
        mean, k = float(expit(place[0])), float(np.exp(place[1]))
        a, b = k * mean, k * (1 - mean)
        full = np.ones(len(won))
        value = log_rising(a * full, won) + log_rising(b * full, lost) - log_rising(k * full, whole)
        by_a = weights @ log_rising(a * full, won, derivative=1)
        by_b = weights @ log_rising(b * full, lost, derivative=1)
        by_k = weights @ log_rising(k * full, whole, derivative=1)
        pull = (place[1] - centre) / width
        total = weights @ value + (np.log(mean) + np.log1p(-mean)) / 2 - pull**2 / 2
        slopes = [
            a * (1 - mean) * (by_a - by_b) + 0.5 - mean,
            a * by_a + b * by_b - k * by_k - pull / width,
        ]
        return -float(total), -np.array(slopes)

    share = (won @ weights + 0.5) / (whole @ weights + 1)
    start = np.array([np.log(share / (1 - share)), centre])
    bounds = [(-30.0, 30.0), (-10.0, 20.0)]
    best = minimize(negative, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    mean, k = float(expit(best[0])), float(np.exp(best[1]))
    mode = k * mean, k * (1 - mean)

    def log_belief(odds: Floats, log_k: Floats) -> Floats:
        k, mean, rest = np.exp(log_k), expit(odds), expit(-odds)
        total: Floats = np.log(mean * rest) / 2 - ((log_k - centre) / width) ** 2 / 2
        parts = ((k * mean, won, 1), (k * rest, lost, 1), (k, whole, -1))
        for shapes, numbers, sign in parts:
            rising = log_rising(np.repeat(shapes, len(won)), np.tile(numbers, len(k)))
            total += sign * (rising.reshape(len(k), len(won)) @ weights)
        return total

    middle, step = np.log([mode[0] / mode[1], mode[0] + mode[1]]), 0.2
    aside = step * np.array([-1.0, 0.0, 1.0])
    falls = [log_belief(*(middle + axis * aside[:, np.newaxis]).T) for axis in np.eye(2)]
    bends = [max(-float(np.diff(fall, 2)[0]) / step**2, 1 / width**2) for fall in falls]
    sides = []
    for axis, place, bend in zip(np.eye(2), middle, bends, strict=True):
        # To each side so many deviations, and more where there is a long tail.
        reach = np.array([3.5, 5.0, 7.0, 10.0, 14.0, 20.0]) / bend**0.5
        ends = [np.clip(place + way * reach, -30.0, 30.0) for way in (-1, 1)]
        falls = [log_belief(*(middle * (1 - axis) + axis * end[:, np.newaxis]).T) for end in ends]
        least = log_belief(*middle[:, np.newaxis])[0] - 6
        low, high = (
            end[int((fall < least).argmax()) if (fall < least).any() else -1]
            for end, fall in zip(ends, falls, strict=True)
        )
        sides.append(np.linspace(low, high, 21))
    odds, log_k = (side.ravel() for side in np.meshgrid(*sides))
    cells = rng.permutation(spread_out(log_belief(odds, log_k), num, rng))
    k = np.exp(log_k[cells])
    return mode, np.stack([k * expit(odds[cells]), k * expit(-odds[cells])], axis=1)


def spread_out(logs: Floats, num: int, rng: np.random.Generator) -> Ints:
    """Return so many places, each about as often as the exponential of its logarithm has it."""
    chances = np.cumsum(np.exp(logs - logs.max()))
    steps = (np.arange(num) + rng.random()) / num
    places: Ints = np.searchsorted(chances, steps * chances[-1], side="right")
    return places


# Concentrations are sought between these.
_LEAST, _MOST = 1e-3, 1e6
# No mean is nearer to 0 or 1.
_NEVER = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class BetaBase:
    """Beta(c m, c (1 - m)): what the probability of each link may be, before its own trials.

    Parameters
    ----------
    means
        m of each link.
    concentration
        c, of all links: how many trials m is worth.
    learned
        As far as the means were learned: the log odds of m are the `intercept`, and the features'
        sum by `weights`; `pooling` is how many trials these are worth beside what is known of the
        same target from elsewhere.
    """

    means: Floats
    concentration: float
    learned: Mapping[str, Any] = field(default_factory=dict)


def beta_base(
    seen: Ints,
    tried: Ints,
    columns: Floats | None = None,
    others: Sequence[Ints] | None = None,
) -> BetaBase:
    """Return the base under which what was seen is most likely, the probabilities integrated out.

    The number seen of those tried is beta-binomial. The logistic mean m0 and the concentrations are
    those of the highest posterior density: weights normal with deviation 1, m0 without features
    Beta(1/2, 1/2), 1 / (1 + c) uniform, all on the scale of log odds and logarithms. With `others`,
    m = (k + d m0) / (n + d), d being `pooling`, for k seen of n trials of the same target from
    elsewhere: so a link's own trials are never in its base.

    Parameters
    ----------
    seen, tried
        Of each link; shape (m,).
    columns
        Features of each link, of mean 0 and deviation 1; shape (m, d).
    others
        The same two numbers of the link's target, from all other sources.

    >>> base = beta_base(np.array([2, 3, 1, 2]) * 100, np.array([10, 10, 10, 10]) * 100)
    >>> round(float(base.means[0]), 2), 10 < base.concentration < 100
    (0.21, True)
    """
    features = np.zeros((len(seen), 0)) if columns is None else columns
    is_tried = tried > 0
    k, n, x = (part[is_tried].astype(np.float64) for part in (seen, tried, features))
    away = np.zeros((2, len(seen))) if others is None else np.array(others, dtype=np.float64)
    last, size = features.shape[1] + 1, max(len(k), 1)

    def means(point: Floats, rows: Floats, other: Floats) -> tuple[Floats, Floats]:
        first: Floats = expit(point[0] + rows @ point[1:last])
        pooling = math.exp(point[last + 1])
        mean = (other[0] + pooling * first) / (other[1] + pooling)
        return first, np.clip(mean, _NEVER, 1 - _NEVER)

    def loss(point: Floats) -> tuple[float, Floats]:
        c, pooling = np.exp(point[last:])
        first, m = means(point, x, away[:, is_tried])
        a, b = c * m, c * (1 - m)
        by_a, by_b = digamma(a + k) - digamma(a), digamma(b + n - k) - digamma(b)
        by_m = c * (by_a - by_b)
        by_c = float(m @ by_a + (1 - m) @ by_b + (digamma(c) - digamma(c + n)).sum())
        # The log likelihood of k of n, beta-binomial, and then beliefs.
        value = float((betaln(a + k, b + n - k) - betaln(a, b)).sum())
        by_first = by_m * pooling / (away[1, is_tried] + pooling) * first * (1 - first)
        by_pooling = by_m @ ((first - m) / (away[1, is_tried] + pooling)) * pooling
        middle = expit(point[0])
        value += 0.5 * math.log(middle * (1 - middle)) - 0.5 * float(point[1:last] @ point[1:last])
        value += float((point[last:] - 2 * np.log1p(np.exp(point[last:]))).sum())
        slope = np.concatenate(
            [[by_first.sum() + 0.5 - middle], by_first @ x - point[1:last], [by_c * c, by_pooling]]
        )
        slope[last:] += 1 - 2 * expit(point[last:])
        return -value / size, -slope / size

    middle = (k.sum() + 0.5) / (n.sum() + 1)
    start = np.zeros(last + 2)
    start[0], start[last:] = math.log(middle / (1 - middle)), math.log(10)
    ends = (math.log(_LEAST), math.log(_MOST))
    bounds = [(-20.0, 20.0)] * last + [ends] * 2
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    learned = {"intercept": float(best[0]), "weights": best[1:last].tolist()}
    if others is not None:
        learned["pooling"] = math.exp(best[last + 1])
    return BetaBase(means(best, features, away)[1], math.exp(best[last]), learned)


def drawn(shapes: Floats, groups: Whole, num_groups: int, rng: np.random.Generator) -> Floats:
    """Return a draw of each group's Dirichlet law; choices of shape 0 have probability 0.

    A Gamma(a) variable is a Gamma(a + 1) variable times u^(1/a); logarithms keep those of small
    shapes from vanishing all at once.
    """
    choices, logs = shapes > 0, np.full(len(shapes), -np.inf)
    a = shapes[choices]
    logs[choices] = np.log(rng.standard_gamma(a + 1)) - rng.standard_exponential(len(a)) / a
    return group_softmax(logs, groups, num_groups)


def beta_drawn(a: Floats, b: Floats, rng: np.random.Generator) -> Floats:
    """Return draws of Beta laws; a shape of 0 makes one side certain."""
    draws = rng.beta(np.where(a > 0, a, 1), np.where(b > 0, b, 1))
    return np.where(a == 0, 0.0, np.where(b == 0, 1.0, draws))


def mixed_ends(means: Floats, variances: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the ends of the middle of mixtures of Beta laws: as much is left below as above.

    Where nothing is uncertain, both ends are the mean. `means` and `variances`: of the laws, each
    of which is as likely; shape (laws, n).

    Raise InputError for a level outside (0, 1).

    >>> low, high = mixed_ends(np.array([[0.5], [0.5]]), np.full((2, 1), 1 / 12), 0.9)
    >>> low.round(6).tolist(), high.round(6).tolist()
    ([0.05], [0.95])
    """
    level = proportion("level", level, open_interval=True, remedy="give 0.95, say")
    low, high = means.mean(axis=0), means.mean(axis=0)
    is_open = ((means > 0) & (means < 1) & (variances > 0)).all(axis=0)
    m = means[:, is_open]
    strengths = np.maximum(m * (1 - m) / variances[:, is_open] - 1, 1e-12)
    a, b = strengths * m, strengths * (1 - m)
    tail = (1 - level) / 2
    if len(m) == 1:
        low[is_open], high[is_open] = betaincinv(a[0], b[0], tail), betaincinv(a[0], b[0], 1 - tail)
    else:
        low[is_open], high[is_open] = _mixed_quantile(a, b, tail), 1 - _mixed_quantile(b, a, tail)
    return low, high


def _mixed_quantile(a: Floats, b: Floats, p: float) -> Floats:
    """Return where the mean of Beta distribution functions is p: Newton, by logs of both sides."""
    odds, constant, left = np.log((a / (a + b)).mean(axis=0)), betaln(a, b), np.arange(a.shape[1])
    below, above = np.full(len(odds), -700.0), np.full(len(odds), 40.0)
    for _ in range(60):
        x, first, second = odds[left], a[:, left], b[:, left]
        reached = betainc(first, second, expit(x)).mean(axis=0)
        logs = first * log_expit(x) + second * log_expit(-x) - constant[:, left]
        below[left] = np.where(reached < p, x, below[left])
        above[left] = np.where(reached < p, above[left], x)
        with np.errstate(all="ignore"):
            there = x + np.log(p / reached) * reached / np.exp(logs).mean(axis=0)
        is_inside = (there > below[left]) & (there < above[left])
        odds[left] = np.where(is_inside, there, (below[left] + above[left]) / 2)
        left = left[np.abs(odds[left] - x) > 1e-6]
        if not len(left):
            break
    quantile: Floats = expit(odds)
    return quantile


class Moments(NamedTuple):
    """Mean and variance of quantities that are linear in Beta or Dirichlet laws, shape (..., n)."""

    mean: Floats
    variance: Floats

    @classmethod
    def of_beta(cls, a: Floats, b: Floats) -> Self:
        """Return the moments of Beta(a, b); a shape of 0 makes one side certain."""
        mean = a / (a + b)
        return cls(mean, mean * (1 - mean) / (a + b + 1))

    @classmethod
    def of_each(cls, shapes: Floats, groups: Whole, num_groups: int) -> Self:
        """Return the moments of each probability of each group's Dirichlet law."""
        whole = group_sums(shapes, groups, num_groups)[groups]
        mean = group_shares(shapes, groups, num_groups)
        return cls(mean, mean * (1 - mean) / (whole + 1))

    @classmethod
    def of_sums(cls, shapes: Floats, slopes: Floats, groups: Whole, num_groups: int) -> Self:
        """Return the moments of each group's sum of slope times probability."""
        whole = group_sums(shapes, groups, num_groups)
        shares = group_shares(shapes, groups, num_groups)
        mean = group_sums(slopes * shares, groups, num_groups)
        spread = group_sums((slopes - mean[groups]) ** 2 * shares, groups, num_groups)
        return cls(mean, spread / (whole + 1))

    @classmethod
    def stacked(cls, laws: Iterable[Self]) -> Self:
        """Return the moments of several laws of the same quantities; shape (laws, n)."""
        means, variances = zip(*laws, strict=True)
        return cls(np.array(means), np.array(variances))

    def mixed(self) -> Self:
        """Return the moments of a law that is each of the first axis with the same probability."""
        variance = self.variance.mean(axis=0) + self.mean.var(axis=0)
        return type(self)(self.mean.mean(axis=0), variance)

    def take(self, places: Ints) -> Self:
        """Return the moments at some places."""
        return type(self)(self.mean[..., places], self.variance[..., places])

    def put(self, places: Ints, size: int) -> Self:
        """Return moments of `size` quantities: these at some places, elsewhere those of 0."""
        parts = np.zeros((2, *self.mean.shape[:-1], size))
        parts[..., places] = self
        return type(self)(*parts)
