"""Bounds on precision when only P(x -> y) is known, and nothing of how visits depend on each other.

Ranks stay independent of each other. A user's history enters through the number s of ideals
seen; what the margins say of the next context, whatever the s ideals are, becomes constraints on
the law of the number K of new ones, and a dynamic program over ranks and s takes the best law each
time.
"""

from dataclasses import dataclass

import numpy as np

from prum.analytic.precision.reach import MatrixLike, checked_reach, checked_unranked, unseen_after
from prum.simulator.model.arrays import Floats

_CONVERGED = 1e-13
_MOST_STEPS = 100
# Worth of what cannot happen.
_NEVER = -1e200


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionBounds:
    """What E[C(r)] and precision may be, for r = 1 .. t; arrays of shape (t,), index 0 is r = 1."""

    consulted_low: Floats
    consulted_high: Floats
    precision_low: Floats
    precision_high: Floats


def precision_bounds(reach: MatrixLike, unranked: int) -> PrecisionBounds:
    """Return bounds that hold for any dependence between the visits of one rank.

    Each N_i, the set seen from rank i, has the margins P(x in N_i) = reach[i, x]; N_1, N_2, ..
    are independent of each other; users do not browse by r (2.1). Nothing else is assumed.

    r = 1 is sharp: P(C(1) > i) = prod_{j<=i} P(N_j empty) and E[CL(1)] = 1, and P(N_j empty) lies
    between max(0, 1 - sum_x p_jx), attained by exclusive visits, and 1 - max_x p_jx, attained by
    comonotone ones (Fréchet), for all ranks at once.

    For r > 1 the bounds are valid but in general not attained. With s ideals seen before rank i,
    among them those certain by then, the mean of K, the number of new ones, is the sum of p_ix over
    ideals not seen: it lies between those without the s largest and without the s smallest
    possible p_ix; and P(K > 0) is at least the largest p_ix left. From the last rank up, the
    best value over laws of K under either constraint bounds E[C(r)] and, for E[CL(r)] - v E[C(r)],
    the largest and smallest ratio v (Dinkelbach 1967). Besides, E[F_i] is known: what it
    implies for P(F_i < r) bounds E[C(r)] = sum_i P(F_i < r) + ..; the better one is taken, and
    1 <= E[CL(r)] <= r.

    Parameters
    ----------
    reach
        P(l_i -> x), shape (o, t), dense or sparse.
    unranked
        u, the number of unranked elements.

    Returns
    -------
    PrecisionBounds
        Time O(o t^2 m^2) a step with m ideals reached per rank, of about ten steps.

    Raises
    ------
    InputError
        as `exact`.

    >>> bounds = precision_bounds([[0.5, 0.5], [1, 0], [0, 1]], 0)       # the list (x, a, b)
    >>> bounds.precision_low.round(4).tolist(), bounds.precision_high.round(4).tolist()
    ([0.6667, 0.6667], [1.0, 1.0])
    """
    entries = checked_reach(reach)
    o, t = entries.num_ranked, entries.num_ideals
    p = entries.dense()
    unseen = unseen_after(p)
    u = checked_unranked(unranked, int(np.count_nonzero(unseen[-1])))
    steps = [_Step(p[i], unseen[i]) for i in range(o)]
    ones, zeros = np.ones(t), np.zeros(t)
    most, _ = _best(steps, t, u, zeros, ones)
    least, _ = _best(steps, t, u, zeros, -ones)
    by_count_low, by_count_high = _by_count(unseen, u)
    low, high = np.maximum(-least, by_count_low), np.minimum(most, by_count_high)
    r = np.arange(1, t + 1)
    return PrecisionBounds(
        low,
        high,
        np.maximum(_ratio(steps, t, u, -1), 1 / high),
        np.minimum(_ratio(steps, t, u, 1), np.minimum(1, r / low)),
    )


class _Step:
    """What the margins of a rank say of K by s = 0 .. t, the number of ideals seen before."""

    def __init__(self, p: Floats, unseen: Floats) -> None:
        t = len(p)
        fresh = p[unseen == 1]
        perhaps = np.sort(p[(unseen > 0) & (unseen < 1)])
        certain = int(np.count_nonzero(unseen == 0))
        # Of the ideals that may have been seen, so many have.
        taken = np.clip(np.arange(t + 1) - certain, 0, len(perhaps))
        left = len(perhaps) - taken
        rising = np.append(0.0, np.cumsum(perhaps))
        falling = np.append(0.0, np.cumsum(perhaps[::-1]))
        self.most = int(np.count_nonzero(fresh) + np.count_nonzero(perhaps))
        sure = int(np.count_nonzero(perhaps == 1))
        self.least = np.count_nonzero(fresh == 1) + np.maximum(sure - taken, 0)
        self.low = np.clip(fresh.sum() + rising[left], self.least, self.most)
        self.high = np.clip(fresh.sum() + falling[left], self.low, self.most)
        largest = np.append(perhaps[::-1], 0.0)[taken]
        self.some = np.maximum(largest, fresh.max(initial=0.0))

    def best(self, worth: Floats, other: Floats) -> tuple[Floats, Floats]:
        """Return the largest E[worth[.., s, K]] over laws of K by s, and E[other] under that law.

        Over laws of a mean in [low, high] it is the concave hull at either end, or the largest
        worth between; over laws with P(K > 0) >= some it is 0 with what that leaves, or never.
        """
        k = np.arange(self.most + 1)
        worth = np.where(k < self.least[:, None], _NEVER, worth)
        first, second = np.full(worth.shape[:-1], -np.inf), np.zeros(worth.shape[:-1])

        def offer(value: Floats, beside: Floats) -> None:
            better = value > first
            first[better], second[better] = value[better], beside[better]

        for k1 in range(self.most + 1):
            inside = (self.low <= k1) & (k1 <= self.high)
            offer(np.where(inside, worth[..., k1], -np.inf), other[..., k1])
            for k2 in range(k1 + 1, self.most + 1):
                for mean in (self.low, self.high):
                    between = (k1 < mean) & (mean < k2)
                    if not between.any():
                        continue
                    share = np.where(between, (mean - k1) / (k2 - k1), 0.0)
                    mixed = (1 - share) * worth[..., k1] + share * worth[..., k2]
                    beside = (1 - share) * other[..., k1] + share * other[..., k2]
                    offer(np.where(between, mixed, -np.inf), beside)
        if self.most:
            new = 1 + np.argmax(worth[..., 1:], axis=-1, keepdims=True)
            gain = np.take_along_axis(worth, new, axis=-1)[..., 0]
            beside = np.take_along_axis(other, new, axis=-1)[..., 0]
            stays = np.where(gain >= worth[..., 0], 0.0, 1 - self.some)
            value = stays * worth[..., 0] + (1 - stays) * gain
            tighter = value < first
            first = np.where(tighter, value, first)
            second = np.where(tighter, stays * other[..., 0] + (1 - stays) * beside, second)
        return first, second


def _best(
    steps: list[_Step], t: int, u: int, leading: Floats, consulted: Floats
) -> tuple[Floats, Floats]:
    """Return, by r, the most that leading[r-1] E[CL(r)] + consulted[r-1] E[C(r)] may be.

    And E[C(r)] where it is that.
    """
    s = np.arange(t + 1)
    wanted = np.maximum(np.arange(1, t + 1)[:, None] - s, 0).astype(np.float64)
    wanting = wanted > 0
    alpha, beta = leading[:, None], consulted[:, None]
    # Unseen ideals are among the u: other s never are.
    depth = wanted * np.maximum((u + 1) / (t - s + 1), 1)
    value, count = alpha * wanted + beta * depth, depth
    for step in reversed(steps):
        k = np.arange(step.most + 1)
        after = np.minimum(s[:, None] + k, t)
        worth = alpha[:, :, None] * (k > 0) + beta[:, :, None] + value[:, after]
        value, count = step.best(worth, count[:, after] + 1)
        value, count = np.where(wanting, value, 0), np.where(wanting, count, 0)
    return value[:, 0], count[:, 0]


def _ratio(steps: list[_Step], t: int, u: int, sign: int) -> Floats:
    """Return the largest (sign 1) or smallest (sign -1) E[CL(r)] / E[C(r)].

    It is v where the most that sign (E[CL(r)] - v E[C(r)]) may be is 0: Newton's method, kept
    within the v that are known to be on either side.
    """
    # The answer may be 1: it should not be the end of a bracket.
    low, high = np.zeros(t), np.full(t, 2.0)
    v, answer = np.full(t, 0.5), np.where(sign > 0, np.ones(t), np.zeros(t))
    open_ = np.ones(t, dtype=np.bool_)
    for _ in range(_MOST_STEPS):
        most, count = _best(steps, t, u, np.full(t, float(sign)), -sign * v)
        rises = (most > 0) == (sign > 0)
        low, high = np.where(rises, v, low), np.where(rises, high, v)
        done = np.abs(most) <= _CONVERGED * v * count
        answer = np.where(open_, np.where(done, v + sign * most / count, answer), answer)
        valid = open_ & ~done & (most <= 0)
        answer = np.where(valid, v, answer)
        open_ &= ~done & (high - low > _CONVERGED * high)
        if not open_.any():
            break
        onward = v + sign * most / count
        v = np.where((onward > low) & (onward < high), onward, (low + high) / 2)
    return answer


def _by_count(unseen: Floats, u: int) -> tuple[Floats, Floats]:
    """Return the least and most E[C(r)], if all that is known is E[F_i] and which F_i may be."""
    t = unseen.shape[1]
    means = (1 - unseen).sum(axis=1)
    least, most = (unseen == 0).sum(axis=1), (unseen < 1).sum(axis=1)
    low, high = np.zeros(t), np.zeros(t)
    s = np.arange(t + 1)
    for r in range(1, t + 1):
        mean, few, many = means[:-1], least[:-1], most[:-1]
        reaches = np.clip((mean - few) / np.maximum(r - few, 1), 0, 1)
        misses = np.clip((many - mean) / np.maximum(many - r + 1, 1), 0, 1)
        low[r - 1] = np.where(few >= r, 0, np.where(many < r, 1, 1 - reaches)).sum()
        high[r - 1] = np.where(few >= r, 0, np.where(many < r, 1, misses)).sum()
        draws = np.maximum(r - s, 0) * (u + 1) / (t - s + 1)
        span = s[least[-1] : most[-1] + 1]
        mean_last = np.clip(means[-1], span[0], span[-1])
        left, right = span[span <= mean_last][:, None], span[span >= mean_last]
        share = np.zeros((len(left), len(right)))
        np.divide(mean_last - left, right - left, out=share, where=right > left)
        chords = (1 - share) * draws[left] + share * draws[right]
        low[r - 1] += chords.min()
        high[r - 1] += chords.max()
    return low, high
