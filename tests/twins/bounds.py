"""What the compiled bounds do, in plain numpy: all pairs of counts instead of a hull."""

import numpy as np

from prum.simulator.model import ListCosts
from prum.simulator.model.arrays import Floats

_CONVERGED = 1e-13
_MOST_STEPS = 100
# Worth of what cannot happen.
_NEVER = -1e200


def bounds(p: Floats, u: int, costs: ListCosts) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the least and most E[C(r)], and the least and most E[CL(r)] / E[C(r)], by r."""
    t = p.shape[1]
    unseen = np.cumprod(np.vstack([np.ones(t), 1 - p]), axis=0)
    steps = [_Step(row, unseen[i], costs.ranked[i]) for i, row in enumerate(p)]
    task = steps, t, u, costs.unranked
    ones, zeros = np.ones(t), np.zeros(t)
    most, least = _best(task, zeros, ones)[0], -_best(task, zeros, -ones)[0]
    return least, most, _ratio(task, -1), _ratio(task, 1)


class _Step:
    """What the margins of a rank say of K by s = 0 .. t, the number of ideals seen before."""

    def __init__(self, p: Floats, unseen: Floats, cost: float) -> None:
        t, self.cost = len(p), cost
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


# Steps, t, u, and the cost of an element behind the list.
_Task = tuple[list[_Step], int, int, float]


def _best(task: _Task, leading: Floats, consulted: Floats) -> tuple[Floats, Floats]:
    """Return, by r, the most that leading[r-1] E[CL(r)] + consulted[r-1] E[C(r)] may be.

    And E[C(r)] where it is that.
    """
    steps, t, u, cost = task
    s = np.arange(t + 1)
    wanted = cost * np.maximum(np.arange(1, t + 1)[:, None] - s, 0).astype(np.float64)
    wanting = wanted > 0
    alpha, beta = leading[:, None], consulted[:, None]
    # Unseen ideals are among the u: other s never are.
    depth = wanted * np.maximum((u + 1) / (t - s + 1), 1)
    value, count = alpha * wanted + beta * depth, depth
    for step in reversed(steps):
        k = np.arange(step.most + 1)
        after = np.minimum(s[:, None] + k, t)
        worth = step.cost * (alpha[:, :, None] * (k > 0) + beta[:, :, None]) + value[:, after]
        value, count = step.best(worth, count[:, after] + step.cost)
        value, count = np.where(wanting, value, 0), np.where(wanting, count, 0)
    return value[:, 0], count[:, 0]


def _ratio(task: _Task, sign: int) -> Floats:
    """Return the largest (sign 1) or smallest (sign -1) E[CL(r)] / E[C(r)].

    It is v where the most that sign (E[CL(r)] - v E[C(r)]) may be is 0: Newton's method, kept
    within the v that are known to be on either side.
    """
    # The answer may be 1: it should not be the end of a bracket.
    t = task[1]
    low, high = np.zeros(t), np.full(t, 2.0)
    v, answer = np.full(t, 0.5), np.where(sign > 0, np.ones(t), np.zeros(t))
    open_ = np.ones(t, dtype=np.bool_)
    for _ in range(_MOST_STEPS):
        most, count = _best(task, np.full(t, float(sign)), -sign * v)
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
