"""Beta laws of P(x -> y): before anybody was at x, learned from all links, and given trials."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from prum.simulator.model.arrays import Flags, Floats, Ints
from prum.simulator.model.errors import proportion


@dataclass(frozen=True, slots=True, eq=False)
class BetaLaws:
    """Beta(s m, s (1 - m)) of each of some probabilities.

    Parameters
    ----------
    means
        m, in [0, 1]; shape (n,).
    strengths
        s, how many trials are known of, those that the base is worth included; infinite where the
        probability is known, 0 where nothing is known of it at all; shape (n,).
    """

    means: Floats
    strengths: Floats

    @classmethod
    def of_trials(
        cls, seen: Ints, tried: Ints, means: Floats | float = 0.0, concentration: float = 0.0
    ) -> "BetaLaws":
        """Return the posterior laws of Beta(c m, c (1 - m)), given what was seen of those tried.

        Without a base, the means are the shares.

        >>> BetaLaws.of_trials(np.array([3]), np.array([4]), 0.5, 4).means.tolist()
        [0.625]
        """
        strengths = concentration + np.asarray(tried, dtype=np.float64)
        weights = np.asarray(concentration * means + seen, dtype=np.float64)
        return cls(shares_of(weights, strengths), strengths)

    @classmethod
    def of_moments(cls, means: Floats, variances: Floats) -> "BetaLaws":
        """Return the laws of these means and variances, the latter below m (1 - m).

        >>> BetaLaws.of_moments(np.array([0.5]), np.array([1 / 12])).strengths.round(6).tolist()
        [2.0]
        """
        certain = np.full(len(means), np.inf)
        strengths = np.divide(means * (1 - means), variances, out=certain, where=variances > 0) - 1
        return cls(means, strengths)

    @property
    def variances(self) -> Floats:
        """Of each probability; 0 where it is known, or nothing is."""
        return self.means * (1 - self.means) / (self.strengths + 1)

    def drawn(self, rng: "np.random.Generator") -> Floats:
        """Return one number of each law."""
        values, is_open = self.means.copy(), self._is_open
        values[is_open] = rng.beta(*self._shapes(is_open))
        return values

    def ends(self, level: float) -> tuple[Floats, Floats]:
        """Return the ends of the middle of each law: what is left is as likely below as above.

        Where nothing is uncertain, both ends are the mean.

        >>> low, high = BetaLaws(np.array([0.5]), np.array([2.0])).ends(0.9)         # uniform
        >>> low.round(3).tolist(), high.round(3).tolist()
        ([0.05], [0.95])
        """
        from scipy.special import betaincinv

        level = proportion("level", level, open_interval=True, remedy="give 0.95, say")
        tail, is_open = (1 - level) / 2, self._is_open
        low, high = self.means.copy(), self.means.copy()
        low[is_open] = betaincinv(*self._shapes(is_open), tail)
        high[is_open] = betaincinv(*self._shapes(is_open), 1 - tail)
        return low, high

    @property
    def _is_open(self) -> Flags:
        m, s = self.means, self.strengths
        is_open: Flags = (m > 0) & (m < 1) & (s > 0) & np.isfinite(s)
        return is_open

    def _shapes(self, chosen: Flags) -> tuple[Floats, Floats]:
        m, s = self.means[chosen], self.strengths[chosen]
        return s * m, s * (1 - m)


def mixed_ends(means: Floats, variances: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the ends of the middle of mixtures of Beta laws, as `BetaLaws.ends` of one law.

    `means` and `variances`: of the laws, each of which is as likely; shape (laws, n).

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
    low[is_open] = _mixed_quantile(a, b, (1 - level) / 2)
    high[is_open] = 1 - _mixed_quantile(b, a, (1 - level) / 2)
    return low, high


def _mixed_quantile(a: Floats, b: Floats, p: float) -> Floats:
    """Return where the mean of Beta distribution functions is p: Newton, by logs of both sides."""
    from scipy.special import betainc, betaln, expit, log_expit

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
    intercept, weights
        The log odds of m are the intercept, and the features' sum by weight; None where the means
        were not learned.
    pooling
        How many trials these log odds are worth beside what is known of the same target from
        elsewhere; None where nothing is.
    """

    means: Floats
    concentration: float
    intercept: float | None = None
    weights: Floats | None = None
    pooling: float | None = None

    def learned(self) -> dict[str, Any]:
        """Return all but the means as plain data, as far as it was learned."""
        whole = {
            "concentration": self.concentration,
            "intercept": self.intercept,
            "weights": None if self.weights is None else self.weights.tolist(),
            "pooling": self.pooling,
        }
        return {name: value for name, value in whole.items() if value is not None}


def beta_base(
    seen: Ints,
    tried: Ints,
    columns: Floats | None = None,
    others: tuple[Ints, Ints] | None = None,
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
    from scipy.optimize import minimize
    from scipy.special import expit

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
        value, by_m, by_c = _beta_binomial(k, n, m, c)
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
    return BetaBase(
        means(best, features, away)[1],
        math.exp(best[last]),
        float(best[0]),
        best[1:last],
        None if others is None else math.exp(best[last + 1]),
    )


def _beta_binomial(k: Floats, n: Floats, m: Floats, c: float) -> tuple[float, Floats, float]:
    """Return the log likelihood of k of n, and its slopes by each m and by c."""
    from scipy.special import betaln, psi

    a, b = c * m, c * (1 - m)
    by_a, by_b = psi(a + k) - psi(a), psi(b + n - k) - psi(b)
    by_c = m @ by_a + (1 - m) @ by_b + (psi(c) - psi(c + n)).sum()
    value = float((betaln(a + k, b + n - k) - betaln(a, b)).sum())
    return value, c * (by_a - by_b), float(by_c)


def shares_of(counts: Floats, visits: Floats) -> Floats:
    """Return counts / visits, 0 where nobody was.

    >>> shares_of(np.array([50.0, 0.0]), np.array([100.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    return np.divide(counts, visits, out=np.zeros(counts.shape), where=visits > 0)
