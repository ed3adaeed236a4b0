"""Inequalities for means of n independent users: p-values that hold for any law and at any n.

Nothing is taken to be normal, and nothing that is rare has to have been seen. C(r) has the mean mu,
the variance s2 and the range [least, most] of the law under test; of n users x is the mean and V
the variance (over n - 1).

- The mean of C(r), by Bennett (*Journal of the American Statistical Association* 57, 1962). With
  b = most - mu above mu and mu - least below it, h(v) = (1 + v) ln(1 + v) - v:
  P(x - mu >= d) <= exp(-n s2 / b^2 h(b d / s2)).
- The spread of C(r), by Hoeffding (*Journal of the American Statistical Association* 58, 1963,
  theorem 1). S = sum (C - mu)^2 / n = V (n - 1) / n + (x - mu)^2 has the mean s2 and lies in
  [0, D^2], D = max(most - mu, mu - least): P(S beyond s) <= exp(-n kl(s / D^2, s2 / D^2)), with
  kl(q, p) = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p)).
- The mean of CL(r), whose variance the law does not say, by Maurer and Pontil (*COLT* 2009,
  theorem 4), for a range of length R: with probability 1 - 2 e at least, x is within
  sqrt(2 V L / n) + 7 R L / (3 (n - 1)) of its mean, L = ln(2 / e).

Each is taken on both sides, which doubles it. What differs by no more than rounding is equal: p is
1. Where the law has no variance any other difference has p 0. An error that the law has forgotten
may be rare, so that no user shows it: `detectable` says how large it can be.
"""

from typing import NamedTuple

import numpy as np

from prum.simulator.model.arrays import Floats

# Means are equal within this share; deviations below the other share of the mean are 0 in a law.
EQUAL, NO_DEVIATION = 1e-9, 1e-7
# The probability of finding an error, its normal quantile, and -ln(1 - POWER).
POWER, _QUANTILE, _UNSEEN = 0.8, 0.8416, 1.61
# Newton's steps from above, on a convex function: to the last bits.
_STEPS = 12


class Law(NamedTuple):
    """What a law says of a user's C(r): mean, variance, and range; of any shape, the same."""

    mean: Floats
    variance: Floats
    least: Floats
    most: Floats

    @property
    def rooms(self) -> tuple[Floats, Floats]:
        """How far C(r) can be above its mean, and below it."""
        return np.maximum(self.most - self.mean, 0), np.maximum(self.mean - self.least, 0)


def p_of_mean(law: Law, simulated: Floats, n: int) -> Floats:
    """Return Bennett's bound on how often n users have a mean as far away.

    >>> law = Law(np.array(1.5), np.array(0.25), np.array(1.0), np.array(2.0))
    >>> round(float(p_of_mean(law, np.array(1.6), 100)), 3)     # a fair coin: .057 by its law
    0.306
    """
    distance = np.abs(simulated - law.mean)
    above, below = law.rooms
    room = np.where(simulated > law.mean, above, below)
    p = np.where(distance <= EQUAL * np.abs(law.mean), 1.0, 0.0)
    tested = (p == 0) & (law.variance > 0) & (room > 0)
    d, b, s2 = distance[tested], room[tested], law.variance[tested]
    p[tested] = 2 * np.exp(-(n * s2 / b**2 * _h(b * d / s2)))
    return np.minimum(p, 1)


def p_of_spread(law: Law, simulated: Floats, variance: Floats, n: int) -> Floats:
    """Return Hoeffding's bound on how often n users stray so much, or so little, from the mean.

    >>> law = Law(np.array(1.5), np.array(0.25), np.array(0.0), np.array(3.0))
    >>> p_of_spread(law, np.array(1.5), np.array(0.5), 1000).round(6).tolist()
    0.0
    """
    spread = variance * (n - 1) / n if n > 1 else np.zeros_like(simulated)
    square = spread + (simulated - law.mean) ** 2
    largest = np.maximum(*law.rooms) ** 2
    rounding = EQUAL * law.variance + (NO_DEVIATION * law.mean) ** 2
    p = np.where(np.abs(square - law.variance) <= rounding, 1.0, 0.0)
    # No law has a square above the largest, and none a variance that is larger.
    tested = (p == 0) & (law.variance > 0) & (square <= largest) & (law.variance < largest)
    q, of_law = square[tested] / largest[tested], law.variance[tested] / largest[tested]
    p[tested] = 2 * np.exp(-n * _kl(q, of_law))
    p[law.variance >= largest * (1 - EQUAL)] = 1.0
    return np.minimum(p, 1)


def p_of_sample(
    mean: Floats, length: Floats, simulated: Floats, variance: Floats, n: int
) -> Floats:
    """Return Maurer and Pontil's bound on how often a sample's mean is as far from its law's.

    `length` is that of the range, `variance` the sample's own.

    >>> p_of_sample(np.array(1.5), np.array(1.0), np.array(1.6), np.array(0.24), 1000).round(6)
    np.float64(5e-05)
    """
    distance = np.abs(simulated - mean)
    p = np.where(distance <= EQUAL * np.abs(mean), 1.0, 0.0)
    if n < 2:
        return np.ones_like(p)
    a, b = 7 * length / (3 * (n - 1)), np.sqrt(2 * variance / n)
    both = np.sqrt(b**2 + 4 * a * distance) + b
    tested = (p == 0) & (both > 0)
    # d = b z + a z^2, solved for z without cancelling.
    z = 2 * distance[tested] / both[tested]
    p[tested] = 4 * np.exp(-(z**2))
    return np.minimum(p, 1)


def half_width(length: Floats, variance: Floats, n: int, level: float) -> Floats:
    """Return how far means may be apart for `p_of_sample` not to be below a level."""
    if n < 2:
        return np.broadcast_to(length, np.shape(variance)).astype(np.float64)
    logarithm = np.log(4 / level)
    width: Floats = np.sqrt(2 * variance * logarithm / n) + 7 * length * logarithm / (3 * (n - 1))
    return np.minimum(width, length)


def thresholds(law: Law, n: Floats | float, level: float) -> tuple[Floats, Floats]:
    """Return how far above and below its mean n users' has to be for p to be at most a level.

    >>> law = Law(np.array(1.5), np.array(0.25), np.array(1.0), np.array(2.0))
    >>> [round(float(p_of_mean(law, 1.5 + t, 100)), 12) for t in thresholds(law, 100, 0.01)][:1]
    [0.01]
    """
    above, below = (_threshold(law.variance, room, n, level) for room in law.rooms)
    return above, below


def detectable(law: Law, n: Floats | float, level: float) -> Floats:
    """Return the error of the mean that n users show with probability .8, in either direction.

    With T the threshold and b the room on that side: a mean that is d away, for what is rare, comes
    with more variance, s2 + d b at most, so that d = T + .8416 sqrt((s2 + d b) / n). An event that
    moves C by b and whose probability is 1.61 / n is not met in one of five runs.

    >>> law = Law(np.array(1.0), np.array(0.0), np.array(1.0), np.array(1001.0))
    >>> float(detectable(law, 16_100, 0.01))
    0.1
    """
    largest = np.zeros(np.broadcast(law.mean, n).shape)
    for threshold, b in zip(thresholds(law, n, level), law.rooms, strict=True):
        more = _QUANTILE**2 * b / n
        twice = 2 * threshold + more
        square = twice**2 - 4 * (threshold**2 - _QUANTILE**2 * law.variance / n)
        error = (twice + np.sqrt(np.maximum(square, 0))) / 2
        largest = np.maximum(largest, np.maximum(error, _UNSEEN * b / n))
    return largest


def users_for(law: Law, share: float, level: float, *, most: float) -> Floats:
    """Return the fewest users to whom an error of that share of the mean is detectable.

    Infinite beyond `most`; whole numbers, of the law's shape, which has one dimension.

    >>> law = Law(np.array([1.0]), np.array([0.0]), np.array([1.0]), np.array([1001.0]))
    >>> users_for(law, 0.1, 0.01, most=1e6).tolist()
    [16100.0]
    """
    error = share * law.mean * (1 + EQUAL)
    enough = np.where(detectable(law, most, level) <= error, float(most), np.inf)
    few = np.zeros(enough.shape)
    while (rows := np.flatnonzero(enough - few > 1)).size and np.isfinite(enough[rows]).any():
        rows = rows[np.isfinite(enough[rows])]
        # By powers of two at first, which are few.
        low, high = few[rows], enough[rows]
        middle = np.floor(np.where(high > 4 * low + 4, np.sqrt((low + 1) * high), (low + high) / 2))
        is_enough = detectable(Law(*(of[rows] for of in law)), middle, level) <= error[rows]
        enough[rows], few[rows] = (
            np.where(is_enough, middle, high),
            np.where(is_enough, low, middle),
        )
    return enough


def _threshold(variance: Floats, room: Floats, n: Floats | float, level: float) -> Floats:
    """Return the d at which Bennett's p is the level."""
    distance = np.zeros(np.broadcast(variance, room, n).shape)
    s2, b, users = np.broadcast_arrays(variance, room, n)
    tested = (s2 > 0) & (b > 0)
    s2, b = s2[tested], b[tested]
    distance[tested] = s2 / b * _inverse(np.log(2 / level) * b**2 / (users[tested] * s2))
    return distance


def _h(v: Floats) -> Floats:
    """Return (1 + v) ln(1 + v) - v; its series where that cancels."""
    series = v**2 / 2 * (1 - v / 3 + v**2 / 6 - v**3 / 10)
    exact: Floats = np.where(v < 1e-3, series, (1 + v) * np.log1p(v) - v)
    return exact


def _inverse(y: Floats) -> Floats:
    """Return the v with h(v) = y, from y / 3 + sqrt(y^2 / 9 + 2 y), which is never below it."""
    v = y / 3 + np.sqrt(y**2 / 9 + 2 * y)
    for _ in range(_STEPS):
        v = v - (_h(v) - y) / np.log1p(v)
    return v


def _kl(q: Floats, p: Floats) -> Floats:
    """Return q ln(q / p) + (1 - q) ln((1 - q) / (1 - p))."""
    from scipy.special import rel_entr

    divergence: Floats = rel_entr(q, p) + rel_entr(1 - q, 1 - p)
    return divergence
