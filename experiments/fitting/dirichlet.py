"""Dirichlet-multinomial and beta-binomial laws: evidence with its slopes, moments, draws.

Counts n_1, ..., n_d of sum N, whose probabilities are Dirichlet with shapes a_1, ..., a_d of sum A,
have the evidence

    integral of prod theta_i^n_i = Gamma(A) / Gamma(A + N) prod Gamma(a_i + n_i) / Gamma(a_i):

the probability of the choices in the order in which they were made. Given the counts, the
probabilities are Dirichlet with shapes a_i + n_i.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import betaln, digamma, expit, gammaln, zeta

from prum.simulator.model.arrays import Floats, Ints

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


def log_rising(shapes: Floats, numbers: Floats) -> Floats:
    """Return log Gamma(a + n) / Gamma(a) for a > 0, n >= 0, exact for a much larger than n too.

    >>> log_rising(np.array([0.5, 2.0]), np.array([0.0, 3.0])).round(12).tolist()
    [0.0, 3.178053830348]
    """
    rising = np.zeros(len(shapes))
    some = numbers > 0
    rising[some] = gammaln(numbers[some]) - betaln(shapes[some], numbers[some])
    return rising


def log_rising_slope(shapes: Floats, numbers: Floats) -> Floats:
    """Return the derivative of `log_rising` by the shapes."""
    slope = np.zeros(len(shapes))
    some = numbers > 0
    slope[some] = digamma(shapes[some] + numbers[some]) - digamma(shapes[some])
    return slope


def log_rising_bend(shapes: Floats, numbers: Floats) -> Floats:
    """Return the second derivative of `log_rising` by the shapes."""
    bend = np.zeros(len(shapes))
    some = numbers > 0
    # Hurwitz' zeta of 2 is the trigamma function.
    bend[some] = zeta(2, shapes[some] + numbers[some]) - zeta(2, shapes[some])
    return bend


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


def fitted_beta(successes: Ints, trials: Ints) -> tuple[float, float]:
    """Return shapes (a, b) of a Beta law of what many groups' probabilities are.

    Those for which the beta-binomial evidence is largest, times what is believed beforehand: the
    mean has Jeffreys' law Beta(1/2, 1/2), log(a + b) is normal with mean and deviation
    `LOG_CONCENTRATION`. So there is an answer for no trials, and for no successes.

    >>> shapes = fitted_beta(np.array([0, 9, 1, 10]), np.array([10, 10, 10, 10]))
    >>> shapes[0] < 1, shapes[1] < 1
    (True, True)
    """
    pairs, weights = np.unique(np.stack([successes, trials]), axis=1, return_counts=True)
    n = pairs[:, pairs[1] > 0].astype(np.float64)
    weights = weights[pairs[1] > 0]
    won, lost, whole = n[0], n[1] - n[0], n[1]
    centre, width = LOG_CONCENTRATION

    def negative(place: Floats) -> tuple[float, Floats]:
        mean, k = float(expit(place[0])), float(np.exp(place[1]))
        a, b = k * mean, k * (1 - mean)
        full = np.ones(len(won))
        value = log_rising(a * full, won) + log_rising(b * full, lost) - log_rising(k * full, whole)
        by_a = weights @ log_rising_slope(a * full, won)
        by_b = weights @ log_rising_slope(b * full, lost)
        by_k = weights @ log_rising_slope(k * full, whole)
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
    best = minimize(negative, start, jac=True, method="L-BFGS-B", bounds=bounds)
    mean, k = float(expit(best.x[0])), float(np.exp(best.x[1]))
    return k * mean, k * (1 - mean)


def spread_out(logs: Floats, num: int, rng: np.random.Generator) -> Ints:
    """Return so many places, each about as often as the exponential of its logarithm has it."""
    chances = np.cumsum(np.exp(logs - logs.max()))
    steps = (np.arange(num) + rng.random()) / num
    places: Ints = np.searchsorted(chances, steps * chances[-1], side="right")
    return places


def beta_draws(
    successes: Ints, trials: Ints, mode: tuple[float, float], num: int, rng: np.random.Generator
) -> Floats:
    """Return shapes (a, b), as probable as the groups leave them; shape (num, 2).

    They are drawn from a grid of the log odds of the mean and of log(a + b), around the mode that
    `fitted_beta` found for the groups.
    """
    pairs, weights = np.unique(np.stack([successes, trials]), axis=1, return_counts=True)
    won, whole = pairs[:, pairs[1] > 0].astype(np.float64)
    weights = weights[pairs[1] > 0]
    centre, width = LOG_CONCENTRATION

    def log_belief(odds: Floats, log_k: Floats) -> Floats:
        k, mean, rest = np.exp(log_k), expit(odds), expit(-odds)
        total: Floats = np.log(mean * rest) / 2 - ((log_k - centre) / width) ** 2 / 2
        parts = ((k * mean, won, 1), (k * rest, whole - won, 1), (k, whole, -1))
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
    return np.stack([k * expit(odds[cells]), k * expit(-odds[cells])], axis=1)


def drawn(shapes: Floats, groups: Whole, num_groups: int, rng: np.random.Generator) -> Floats:
    """Return a draw of each group's Dirichlet law; choices of shape 0 have probability 0.

    A Gamma(a) variable is a Gamma(a + 1) variable times u^(1/a); logarithms keep those of small
    shapes from vanishing all at once.
    """
    choices = shapes > 0
    a = shapes[choices]
    logs = np.log(rng.standard_gamma(a + 1)) - rng.standard_exponential(len(a)) / a
    largest = np.full(num_groups, -np.inf)
    np.maximum.at(largest, groups[choices], logs)
    parts = np.zeros(len(shapes))
    parts[choices] = np.exp(logs - largest[groups[choices]])
    return group_shares(parts, groups, num_groups)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Mean and variance of quantities that are linear in a Beta or Dirichlet law.

    Parameters
    ----------
    mean, variance
        Of each quantity.
    whole
        The sum of the law's shapes: so many choices the law is worth.
    """

    mean: Floats
    variance: Floats
    whole: Floats

    @classmethod
    def of_beta(cls, a: Floats, b: Floats) -> Self:
        """Return the moments of Beta(a, b); a shape of 0 makes one side certain."""
        mean = a / (a + b)
        return cls(mean, mean * (1 - mean) / (a + b + 1), a + b)

    @classmethod
    def of_each(cls, shapes: Floats, groups: Whole, num_groups: int) -> Self:
        """Return the moments of each probability of each group's Dirichlet law."""
        whole = group_sums(shapes, groups, num_groups)[groups]
        mean = group_shares(shapes, groups, num_groups)
        return cls(mean, mean * (1 - mean) / (whole + 1), whole)

    @classmethod
    def of_sums(cls, shapes: Floats, slopes: Floats, groups: Whole, num_groups: int) -> Self:
        """Return the moments of each group's sum of slope times probability."""
        whole = group_sums(shapes, groups, num_groups)
        shares = group_shares(shapes, groups, num_groups)
        mean = group_sums(slopes * shares, groups, num_groups)
        spread = group_sums((slopes - mean[groups]) ** 2 * shares, groups, num_groups)
        return cls(mean, spread / (whole + 1), whole)

    @classmethod
    def mixed(cls, parts: Iterable[Self]) -> Self:
        """Return the moments of a law that is each of some with the same probability.

        `whole` is the law's variance in what a choice varies by, given the probabilities: so many
        choices more halve the variance, if what is learned is taken to be linear in the choices.
        """
        laws = list(parts)
        if len(laws) == 1:
            return laws[0]
        means = np.array([part.mean for part in laws])
        variance = np.mean([part.variance for part in laws], axis=0) + means.var(axis=0)
        single = np.mean([part.variance * part.whole for part in laws], axis=0)
        whole = np.divide(single, variance, out=laws[0].whole.copy(), where=variance > 0)
        return cls(means.mean(axis=0), variance, whole)

    def take(self, places: Ints) -> Self:
        """Return the moments at some places."""
        return type(self)(self.mean[places], self.variance[places], self.whole[places])

    def put(self, places: Ints, size: int) -> Self:
        """Return moments of `size` quantities: these at some places, elsewhere those of 0."""
        parts = np.zeros((3, size))
        parts[:, places] = self.mean, self.variance, self.whole
        return type(self)(*parts)

    @property
    def square(self) -> Floats:
        """The mean of the square."""
        return self.mean**2 + self.variance

    def square_after(self, more: NDArray[np.number[Any]]) -> Floats:
        """Return the mean of the square of what the mean will be after so many more choices.

        The mean after m choices more has the variance v m / (k + m), where k is `whole`.
        """
        share = np.where(more > 0, more / np.maximum(self.whole + more, 1e-300), 0.0)
        square: Floats = self.mean**2 + self.variance * share
        return square
