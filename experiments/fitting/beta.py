"""Laws of P(x -> y) before anybody was at x: Beta, its mean and concentration learned from all."""

import math
from dataclasses import dataclass

import numpy as np

from prum.simulator.model.arrays import Floats, Ints

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
        The log odds of m are the intercept, and the features' sum by weight.
    pooling
        How many trials these log odds are worth beside what is known of the same target from
        elsewhere; infinite where nothing is.
    """

    means: Floats
    concentration: float
    intercept: float
    weights: Floats
    pooling: float


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
    known = tried > 0
    k, n, x = (part[known].astype(np.float64) for part in (seen, tried, features))
    away = np.zeros((2, len(seen))) if others is None else np.array(others, dtype=np.float64)
    last, size = features.shape[1] + 1, max(len(k), 1)

    def means(point: Floats, rows: Floats, other: Floats) -> tuple[Floats, Floats]:
        first: Floats = expit(point[0] + rows @ point[1:last])
        pooling = math.exp(point[last + 1])
        mean = (other[0] + pooling * first) / (other[1] + pooling)
        return first, np.clip(mean, _NEVER, 1 - _NEVER)

    def loss(point: Floats) -> tuple[float, Floats]:
        c, pooling = np.exp(point[last:])
        first, m = means(point, x, away[:, known])
        value, by_m, by_c = _beta_binomial(k, n, m, c)
        by_first = by_m * pooling / (away[1, known] + pooling) * first * (1 - first)
        by_pooling = by_m @ ((first - m) / (away[1, known] + pooling)) * pooling
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
        means(best, features, away)[1], math.exp(best[last]), float(best[0]), best[1:last],
        math.inf if others is None else math.exp(best[last + 1]),
    )  # fmt: skip


def believed_base(seen: Ints, tried: Ints, means: Floats) -> BetaBase:
    """Return the base of these means, with the concentration of highest posterior density.

    >>> base = believed_base(np.array([4, 0]), np.array([20, 20]), np.array([0.25, 0.01]))
    >>> base.means.tolist(), base.concentration > 2
    ([0.25, 0.01], True)
    """
    from scipy.optimize import minimize_scalar

    known = tried > 0
    k, n = (part[known].astype(np.float64) for part in (seen, tried))
    m = np.clip(means, _NEVER, 1 - _NEVER)

    def loss(log_c: float) -> float:
        value = _beta_binomial(k, n, m[known], math.exp(log_c))[0]
        return -value - log_c + 2 * math.log1p(math.exp(log_c))

    ends = (math.log(_LEAST), math.log(_MOST))
    best = minimize_scalar(loss, bounds=ends, method="bounded").x
    return BetaBase(m, math.exp(best), 0.0, np.zeros(0), math.inf)


def _beta_binomial(k: Floats, n: Floats, m: Floats, c: float) -> tuple[float, Floats, float]:
    """Return the log likelihood of k of n, and its slopes by each m and by c."""
    from scipy.special import betaln, psi

    a, b = c * m, c * (1 - m)
    by_a, by_b = psi(a + k) - psi(a), psi(b + n - k) - psi(b)
    by_c = m @ by_a + (1 - m) @ by_b + (psi(c) - psi(c + n)).sum()
    value = float((betaln(a + k, b + n - k) - betaln(a, b)).sum())
    return value, c * (by_a - by_b), float(by_c)
