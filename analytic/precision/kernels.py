"""Compiled loops of the closed forms, imported where they are needed: numba is slow to load."""

import numpy as np
from numba import njit

# Coefficients below this are set to nothing, before they become denormal numbers.
TINY = 1e-290


@njit(nogil=True, cache=True)
def multiply(poly, low, high, unseen, seen):
    """Multiply poly (coefficients low .. high) by unseen + seen z in place; return its new ends."""
    previous = 0.0
    for s in range(low, high + 1):
        current = poly[s]
        poly[s] = unseen * current + seen * previous
        previous = current
    poly[high + 1] = seen * previous
    high += 1
    while high > low and poly[high] < TINY:
        poly[high] = 0.0
        high -= 1
    while low < high and poly[low] < TINY:
        poly[low] = 0.0
        low += 1
    return low, high


@njit(nogil=True, cache=True)
def product(probabilities, out):
    """Write the coefficients of prod (1 - p + p z) to out, of shape (m + 1,)."""
    out[:] = 0.0
    out[0] = 1.0
    low, high, certain = 0, 0, 0
    for p in probabilities:
        if p == 1.0:
            certain += 1
        elif p > 0.0:
            low, high = multiply(out, low, high, 1.0 - p, p)
    if certain:
        for s in range(high, low - 1, -1):
            out[s + certain] = out[s]
        out[: certain + low] = 0.0


@njit(nogil=True, cache=True)
def follow(ideals, probabilities, kept, columns, seen, unseen):
    """Follow equation (6) down the list; see `prum.analytic.precision.seen.changes`."""
    for entry in range(len(ideals)):
        x, p = ideals[entry], probabilities[entry]
        if p == 0.0 or unseen[x] == 0.0:
            continue
        kept[entry] = True
        first = unseen[x] * p
        columns[0, entry] = seen[x]
        columns[1, entry] = unseen[x]
        seen[x] = 1.0 if p == 1.0 else min(1.0, seen[x] + first)
        unseen[x] = unseen[x] * (1.0 - p)
        columns[2, entry] = seen[x]
        columns[3, entry] = unseen[x]
        columns[4, entry] = first


@njit(nogil=True, cache=True)
def _copy(source, target, low, high, old_low, old_high):
    """Copy source's window to target, clearing what target held outside it."""
    for s in range(old_low, min(old_high + 1, low)):
        target[s] = 0.0
    for s in range(max(old_low, high + 1), old_high + 1):
        target[s] = 0.0
    for s in range(low, high + 1):
        target[s] = source[s]


@njit(nogil=True, cache=True)
def _hang(num_ideals, starts, ideals, seen_after, unseen_after, num_leaves, size):
    """Split every stretch of constant factor over the tree's nodes: their ends, seen, unseen."""
    num_events = len(starts) - 1
    counts = np.zeros(2 * size + 1, np.int64)
    node_seen = np.empty(0)
    node_unseen = np.empty(0)
    for filling in range(2):
        if filling:
            total = 0
            for node in range(2 * size + 1):
                count = counts[node]
                counts[node] = total
                total += count
            node_seen = np.empty(total)
            node_unseen = np.empty(total)
        begin = np.full(num_ideals, -1, np.int64)
        seen = np.zeros(num_ideals)
        unseen = np.ones(num_ideals)
        for event in range(num_events + 1):
            last = event == num_events
            for k in range(0 if last else starts[event], num_ideals if last else starts[event + 1]):
                x = k if last else ideals[k]
                if begin[x] >= 0:
                    left = begin[x] + size
                    right = (num_leaves if last else event) + size
                    while left < right:
                        if left & 1:
                            if filling:
                                node_seen[counts[left]] = seen[x]
                                node_unseen[counts[left]] = unseen[x]
                            counts[left] += 1
                            left += 1
                        if right & 1:
                            right -= 1
                            if filling:
                                node_seen[counts[right]] = seen[x]
                                node_unseen[counts[right]] = unseen[x]
                            counts[right] += 1
                        left >>= 1
                        right >>= 1
                if not last:
                    begin[x] = event + 1
                    seen[x] = seen_after[k]
                    unseen[x] = unseen_after[k]
    # Filling moved each node's counter to the start of the next node.
    return counts, node_seen, node_unseen


@njit(nogil=True, cache=True)
def add_depths(law, low, high, shift, begin, end, pivots, moments):
    """Add to E[(D(r) - a)^k], k = 1, 2, 3, what ranks from cost `begin` to cost `end` give.

    D(r) is what the first min(C(r), o) ranks cost, their number if each costs 1. There law[j],
    low <= j <= high, is P(F = j + shift). With a = pivots[r - 1], one of the ends, the moment is
    the sum over ranks beyond a of ((end - a)^k - (begin - a)^k) P(F < r), less that over ranks
    before a of the same differences times P(F >= r): far from a both are nearly nothing, so
    nothing large cancels.
    """
    t = len(pivots)
    total = 0.0
    for r in range(1, t + 1):
        j = r - 1 - shift
        if low <= j <= high:
            total += law[j]
        a = pivots[r - 1]
        if total > 0.0 and end > a:
            since = max(begin, a) - a
            until = end - a
            moments[0, r - 1] += total * (until - since)
            moments[1, r - 1] += total * (until**2 - since**2)
            moments[2, r - 1] += total * (until**3 - since**3)
    total = 0.0
    for r in range(t, 0, -1):
        j = r - shift
        if j < low:
            total = 1.0
        elif j <= high:
            total += law[j]
        a = pivots[r - 1]
        if total > 0.0 and begin < a:
            since = begin - a
            until = min(end, a) - a
            moments[0, r - 1] -= total * (until - since)
            moments[1, r - 1] -= total * (until**2 - since**2)
            moments[2, r - 1] -= total * (until**3 - since**3)


@njit(nogil=True, cache=True)
def along_list(
    num_ideals,
    starts,
    ideals,
    seen_before,
    unseen_before,
    seen_after,
    unseen_after,
    first,
    edges,
    costs,
    noisy_or,
    consulted,
    leading,
    last,
    recall,
    below,
    pivots,
    moments,
):
    """Sum the law of F_i over the list; see `prum.analytic.precision.seen`.

    Leaf e is the law in force where ranks have cost edges[e] until they have cost edges[e + 1]; the
    rank of event e costs costs[e]. What is asked for by arrays that are not empty: `leading` with
    `consulted`, `below` for the rising r of `recall`, `moments` about `pivots`.
    """
    exactly = len(leading) > 0 and not noisy_or
    num_events = len(starts) - 1
    num_leaves = num_events + 1
    depth = 0
    while (1 << depth) < num_leaves:
        depth += 1
    size = 1 << depth
    node_ends, node_seen, node_unseen = _hang(
        num_ideals, starts, ideals, seen_after, unseen_after, num_leaves, size
    )
    width = num_ideals + 2
    polys = np.zeros((depth + 1, width))
    lows = np.zeros(depth + 1, np.int64)
    highs = np.zeros(depth + 1, np.int64)
    shifts = np.zeros(depth + 1, np.int64)
    before = np.zeros(width)
    stay = np.zeros(width)
    nothing_new = np.empty(width)
    most = 0
    for event in range(num_events):
        most = max(most, starts[event + 1] - starts[event])
    other_depth = 0
    while (1 << other_depth) < most:
        other_depth += 1
    others = np.zeros((other_depth + 1 if noisy_or else 1, width))
    other_lows = np.zeros(other_depth + 1, np.int64)
    other_highs = np.zeros(other_depth + 1, np.int64)
    blow, bhigh, slow, shigh = 0, 0, 0, 0

    for leaf in range(num_leaves):
        level = 0
        if leaf:
            level = depth
            while not (leaf >> (depth - level)) & 1:
                level -= 1
        while level <= depth:
            node = (size + leaf) >> (depth - level)
            if level == 0:
                polys[0, 0] = 1.0
                low, high, shift = 0, 0, 0
            else:
                low, high, shift = lows[level - 1], highs[level - 1], shifts[level - 1]
                _copy(polys[level - 1], polys[level], low, high, lows[level], highs[level])
            for k in range(node_ends[node - 1], node_ends[node]):
                if node_unseen[k] == 0.0:
                    shift += 1
                else:
                    low, high = multiply(polys[level], low, high, node_unseen[k], node_seen[k])
            lows[level], highs[level], shifts[level] = low, high, shift
            level += 1
        low, high, shift = lows[depth], highs[depth], shifts[depth]
        base = polys[depth]

        if leaf == num_events:
            for s in range(low, high + 1):
                last[s + shift] = base[s]
            _copy(base, before, low, high, blow, bhigh)
            blow, bhigh = low, high
        else:
            begin, end = starts[leaf], starts[leaf + 1]
            _copy(base, before, low, high, blow, bhigh)
            _copy(base, stay, low, high, slow, shigh)
            blow, bhigh, slow, shigh = low, high, low, high
            for k in range(begin, end):
                if seen_before[k] > 0.0:
                    blow, bhigh = multiply(before, blow, bhigh, unseen_before[k], seen_before[k])
                if exactly:
                    slow, shigh = multiply(stay, slow, shigh, unseen_after[k], seen_before[k])
            if noisy_or:
                _nothing_new(
                    base,
                    low,
                    high,
                    before,
                    blow,
                    bhigh,
                    begin,
                    end,
                    seen_before,
                    unseen_before,
                    first,
                    others,
                    other_lows,
                    other_highs,
                    nothing_new,
                )
                for s in range(blow, bhigh + 1):
                    leading[s + shift] += costs[leaf] * (before[s] * (1.0 - nothing_new[s]))
            if exactly:
                for s in range(blow, bhigh + 1):
                    leading[s + shift] += costs[leaf] * max(0.0, before[s] - stay[s])
        if len(leading):
            for s in range(blow, bhigh + 1):
                consulted[s + shift] += (edges[leaf + 1] - edges[leaf]) * before[s]
        if len(pivots):
            add_depths(before, blow, bhigh, shift, edges[leaf], edges[leaf + 1], pivots, moments)
        if len(below):
            total, s = 0.0, blow
            for k in range(len(recall)):
                while s <= min(bhigh, recall[k] - 1 - shift):
                    total += before[s]
                    s += 1
                below[leaf, k] = min(1.0, total)


@njit(nogil=True, cache=True)
def _nothing_new(
    base,
    low,
    high,
    before,
    blow,
    bhigh,
    begin,
    end,
    seen,
    unseen,
    first,
    others,
    other_lows,
    other_highs,
    nothing_new,
):
    """Write prod_x (1 - P(x first seen here given F = s)), equation (8), for s = blow .. bhigh.

    P(F = s given x not seen) is the product over all ideals but x: a second tree, over the
    ideals that change here; each step down multiplies the sibling's factors in.
    """
    count = end - begin
    depth = 0
    while (1 << depth) < count:
        depth += 1
    for s in range(blow, bhigh + 1):
        nothing_new[s] = 1.0
    _copy(base, others[0], low, high, other_lows[0], other_highs[0])
    other_lows[0], other_highs[0] = low, high
    for item in range(count):
        level = 1
        if item:
            level = depth
            while not (item >> (depth - level)) & 1:
                level -= 1
        while level <= depth:
            olow, ohigh = other_lows[level - 1], other_highs[level - 1]
            _copy(
                others[level - 1], others[level], olow, ohigh, other_lows[level], other_highs[level]
            )
            sibling = (item >> (depth - level)) ^ 1
            left = sibling << (depth - level)
            right = min(count, (sibling + 1) << (depth - level))
            for other in range(left, right):
                k = begin + other
                if seen[k] > 0.0:
                    olow, ohigh = multiply(others[level], olow, ohigh, unseen[k], seen[k])
            other_lows[level], other_highs[level] = olow, ohigh
            level += 1
        olow, ohigh = other_lows[depth], other_highs[depth]
        for s in range(max(olow, blow), min(ohigh, bhigh) + 1):
            if before[s] > 0.0:
                nothing_new[s] *= max(0.0, 1.0 - first[begin + item] * others[depth, s] / before[s])


@njit(nogil=True, cache=True)
def sweep(starts, columns, moves, right, solution, upward):
    """Set each row of `solution` in turn to what (I - B) H = R says of it given the others.

    `right` and `solution` have shape (n, columns). Return the largest change of the columns but
    the last.
    """
    n, width = right.shape
    row = np.empty(width)
    largest = 0.0
    for step in range(n):
        i = n - 1 - step if upward else step
        stays = 0.0
        row[:] = right[i]
        for k in range(starts[i], starts[i + 1]):
            j = columns[k]
            if j == i:
                stays += moves[k]
            else:
                for x in range(width):
                    row[x] += moves[k] * solution[j, x]
        for x in range(width):
            value = row[x] / (1.0 - stays)
            if x < width - 1:
                largest = max(largest, abs(value - solution[i, x]))
            solution[i, x] = value
    return largest


@njit(nogil=True, cache=True)
def draws_needed(unranked, wanted, among, weights, level):
    """Return the fewest draws from u elements by which a share of the users has what they want.

    A share weights[i] wants wanted[i] of among[i] elements, which stand in random places; `among`
    rises. `level` is the share of all users, at most the sum of the weights.
    """
    law = np.empty(among[-1] + 1)
    low, high = 0, unranked
    while high - low > 1:
        draws = (low + high) // 2
        # law[x]: of `size` elements, x are among the draws.
        law[:] = 0.0
        law[0] = 1.0
        size, share = 0, 0.0
        for i in range(len(among)):
            while size < among[i]:
                left = unranked - size
                size += 1
                for x in range(size, 0, -1):
                    stays = 1.0 - min(max(draws - x, 0) / left, 1.0)
                    law[x] = law[x] * stays + law[x - 1] * (max(draws - x + 1, 0) / left)
                law[0] *= 1.0 - min(draws / left, 1.0)
            share += weights[i] * law[wanted[i] : size + 1].sum()
        if share >= level:
            high = draws
        else:
            low = draws
    return high
