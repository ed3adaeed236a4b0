"""Compiled loops of `precision_bounds`: what margins say, and the program over ranks and ideals."""

import numpy as np
from numba import njit

_CONVERGED = 1e-13
_MOST_STEPS = 100
# By so much, relatively, rounding lifts a point above its chord.
_ROUNDING = 4e-16


@njit(nogil=True, cache=True)
def margins(starts, ideals, p, num_ideals, whole, mean, some):
    """Write what the margins of each step say of K by s = 0 .. t, the number of ideals seen before.

    Step i has the entries p[starts[i] : starts[i + 1]]. whole[0, i] <= s <= whole[1, i] and
    mean[0, i, s] <= K <= whole[2, i]; mean[1, i, s] <= E[K] <= mean[2, i, s];
    P(K > 0) >= some[i, s].
    """
    unseen = np.ones(num_ideals)
    certain, possible = 0, 0
    again = np.empty(num_ideals)
    for i in range(len(starts) - 1):
        spare = 0
        for x in range(num_ideals):
            spare += 0.0 < unseen[x] < 1.0
        fresh, fresh_sure, fresh_most, fresh_count = 0.0, 0, 0.0, 0
        sure, count = 0, 0
        for k in range(starts[i], starts[i + 1]):
            before = unseen[ideals[k]]
            if before == 1.0:
                fresh_count += 1
                fresh += p[k]
                fresh_sure += p[k] == 1.0
                fresh_most = max(fresh_most, p[k])
            elif before > 0.0:
                again[count] = p[k]
                count += 1
                sure += p[k] == 1.0
        rising = np.sort(again[:count])
        sums = np.zeros(count + 1)
        sums[1:] = np.cumsum(rising)
        # Of the ideals that may have been seen, so many are not reached from here.
        spare -= count
        most = fresh_count + count
        whole[0, i], whole[1, i], whole[2, i] = certain, min(possible, num_ideals), most
        for s in range(num_ideals + 1):
            taken = min(max(s - certain, 0), spare + count)
            least = fresh_sure + max(sure - taken, 0)
            smallest = fresh + sums[max(count - taken, 0)]
            largest = fresh + sums[count] - sums[max(taken - spare, 0)]
            mean[0, i, s] = least
            mean[1, i, s] = min(max(smallest, least), most)
            mean[2, i, s] = min(max(largest, mean[1, i, s]), most)
            some[i, s] = max(fresh_most, rising[count - 1 - taken] if taken < count else 0.0)
        for k in range(starts[i], starts[i + 1]):
            x = ideals[k]
            certain += unseen[x] > 0.0 and unseen[x] * (1.0 - p[k]) == 0.0
            unseen[x] *= 1.0 - p[k]
        possible += most


@njit(nogil=True, cache=True)
def _highest(worth, s, begin, end, slope, line):
    """Return the first k of begin .. end - 1 where worth[s + k] - slope k is most above `line`.

    -1 if nowhere.
    """
    best = -1
    for k in range(begin, end):
        height = worth[np.uint64(s + k)] - slope * k
        if height > line:
            best, line = k, height
    return best


@njit(nogil=True, cache=True)
def _bridge(worth, s, none, least, most, mean, k1, k2):
    """Return k1 <= mean < k2 between which the concave hull of the worth of K is a chord.

    K = 0 is worth `none`, K = k > 0 worth[s + k]. k1 and k2 are a guess at first. The points of
    either side that lie highest above a chord make the next one, until there are none.
    """
    split = int(mean)
    k1, k2 = min(max(k1, least), split), max(k2, split + 1)
    first = worth[s + k1] if k1 else none
    while True:
        second = worth[s + k2]
        slope = (second - first) / (k2 - k1)
        line = first - slope * k1
        line += _ROUNDING * (abs(first) + abs(second) + abs(slope) * k2)
        right = _highest(worth, s, split + 1, most + 1, slope, line)
        left = -1
        if split > least:
            left = _highest(worth, s, max(least, 1), split + 1, slope, line)
            if least == 0 and none > line and (left < 0 or none > worth[s + left] - slope * left):
                left = 0
        if left < 0 and right < 0:
            return k1, k2, slope
        if left >= 0:
            k1 = left
            first = worth[s + k1] if k1 else none
        if right >= 0:
            k2 = right


@njit(nogil=True, cache=True)
def _program(limits, costs, t, u, r, rewards, beside, value, lifted, other):
    """Return the most that a E[CL(r)] + b E[C(r)] may be, (a, b) = rewards, by choice of laws.

    And what `beside` makes of E[CL(r)] and E[C(r)] under these laws. Ranks count by their `costs`,
    those of the steps and of an element behind the list. From the last rank up: over
    laws of K with a mean in [low, high] the best is the concave hull of its worth at either end,
    or the largest worth between; over laws with P(K > 0) >= some it is 0 with what that leaves,
    or never.
    """
    gaps, whole, mean, some = limits
    each, unranked = costs
    value[r:], other[r:] = 0.0, 0.0
    for s in range(r):
        # Unseen ideals are among the u: other s never are.
        depth = (r - s) * max((u + 1) / (t - s + 1), 1.0)
        value[s] = unranked * (rewards[0] * (r - s) + rewards[1] * depth)
        other[s] = unranked * (beside[0] * (r - s) + beside[1] * depth)
    value[:r] += gaps[-1] * rewards[1]
    other[:r] += gaps[-1] * beside[1]
    for i in range(len(gaps) - 2, -1, -1):
        most = whole[2, i]
        lead, step = each[i] * rewards[0], each[i] * rewards[1]
        lead_beside, step_beside = each[i] * beside[0], each[i] * beside[1]
        lifted[: r + most] = value[: r + most] + lead
        k1, k2 = 0, 1
        for s in range(whole[0, i], min(whole[1, i], r - 1) + 1):
            least, low, high = int(mean[0, i, s]), mean[1, i, s], mean[2, i, s]
            none = value[s]
            k1, k2 = max(k1 - 1, 0), min(max(k2 - 1, 1), most)
            at = low
            if low >= most:
                k1, k2 = most, most
            else:
                k1, k2, slope = _bridge(lifted, s, none, least, most, low, k1, k2)
                if slope > 0.0 and high > low:
                    at = high
                    if high >= most:
                        k1, k2 = most, most
                    elif high > k2:
                        k1, k2, slope = _bridge(lifted, s, none, least, most, high, k1, k2)
                    if slope < 0.0:
                        begin = max(int(np.ceil(low)), 1)
                        k1 = _highest(lifted, s, begin, int(high) + 1, 0.0, -np.inf)
                        k2, at = k1, float(k1)
            share = (at - k1) / (k2 - k1) if k2 > k1 else 0.0
            first = lifted[s + k1] if k1 else none
            second = lifted[s + k2] if k2 else none
            best = (1.0 - share) * first + share * second
            along = (1.0 - share) * (other[s + k1] + (lead_beside if k1 else 0.0))
            along += share * (other[s + k2] + (lead_beside if k2 else 0.0))
            # Some new ideal is not worth less than none if it is not for k2.
            if least == 0 and most and none > second and (k1 or some[i, s] > share):
                new = _highest(lifted, s, 1, most + 1, 0.0, -np.inf)
                gain = lifted[s + new]
                limit = (1.0 - some[i, s]) * none + some[i, s] * gain
                if none > gain and limit < best:
                    best = limit
                    along = (1.0 - some[i, s]) * other[s]
                    along += some[i, s] * (other[s + new] + lead_beside)
            value[s] = best + step
            other[s] = along + step_beside
        value[:r] += gaps[i] * rewards[1]
        other[:r] += gaps[i] * beside[1]
    return value[0], other[0]


@njit(nogil=True, cache=True)
def bounds(limits, costs, t, u, wanted, out):
    """Write the least and most E[C(r)], and the least and most E[CL(r)] / E[C(r)], for each r.

    The ratio is v where the most that sign (E[CL(r)] - v E[C(r)]) may be is 0: Newton's method
    (Dinkelbach 1967) from the ratio at the most or least E[C(r)], kept within the v that are known
    to be on either side.
    """
    size = 2 * t + 2
    buffers = np.zeros(size), np.zeros(size), np.zeros(size)
    for number in range(len(wanted)):
        r = wanted[number]
        for side in range(2):
            sign = -1.0 if side == 0 else 1.0
            most, leading = _program(limits, costs, t, u, r, (0.0, -sign), (1.0, 0.0), *buffers)
            out[1 - side, number] = abs(most)
            v = leading / abs(most)
            # The answer may be 1: it should not be the end of a bracket.
            low, high = 0.0, 2.0
            answer = 1.0 if sign > 0 else 0.0
            for _ in range(_MOST_STEPS):
                most, depth = _program(
                    limits, costs, t, u, r, (sign, -sign * v), (0.0, 1.0), *buffers
                )
                onward = v + sign * most / depth
                if abs(most) <= _CONVERGED * v * depth:
                    answer = onward
                    break
                if (most > 0) == (sign > 0):
                    low = v
                else:
                    high = v
                if most <= 0:
                    answer = v
                if high - low <= _CONVERGED * high:
                    break
                v = onward if low < onward < high else (low + high) / 2
            out[2 + side, number] = answer
