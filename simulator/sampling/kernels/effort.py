"""Compiled loops that draw users one by one, and measure the effort that a list takes.

An element shows a user a set of ideals: a row of 64-bit words, bit x % 64 of word x // 64 for
ideal x. Values are whole numbers, so that sums are exact. Every kernel has a plain-Python twin in
`tests.twins.effort`.
"""

import numpy as np
from numba import njit, uint64

from prum.simulator.sampling.kernels.independent import _next, _unit

# Bits behind the point of the ratio of fewest elements to those consulted.
EFFORT_BITS = 40
_HALF_BITS = 20


@njit(nogil=True, cache=True)
def draw_efforts(
    state, certain, visits, chances, ranking, ties, worths, heaviest, weights, levels,
    num_unranked, most_steps, consulted, leading, seen, effort,
):  # fmt: skip
    """Draw the next users; return how many were drawn before a search took too many steps.

    Writes C(r) and CL(r), the value seen after each rank, and for each of `levels` (values to
    reach) the ratio of the fewest elements that reach it to the ranks consulted, in 2^-40; 0 where
    the list did not reach it.
    """
    num_users, t = consulted.shape
    masks, order = np.empty_like(certain), np.empty_like(ranking)
    covered = np.empty(certain.shape[1], np.uint64)
    ranks, leads = np.empty(t, np.int64), np.empty(t, np.int64)
    fewest = np.empty(t, np.int64)
    room = _room(len(certain), certain.shape[1], t)
    for user in range(num_users):
        _toss(state, certain, visits, chances, masks)
        order[:] = ranking
        _shuffle(state, ties, order)
        covered[:] = 0
        found = _walk(masks, order, covered, worths, ranks, leads, seen[user])
        _go_on(state, found, t, len(ranking), num_unranked, ranks, leads)
        consulted[user], leading[user] = ranks, leads
        reached = _level(levels, 0, seen[user, -1]) if len(ranking) else 0
        if not _fewest(masks, worths, heaviest, weights, levels, reached, most_steps, room, fewest):
            return user
        effort[user] = 0
        rank = 0
        for level in range(reached):
            while seen[user, rank] < levels[level]:
                rank += 1
            effort[user, level] = ((fewest[level] << EFFORT_BITS) + (rank + 1) // 2) // (rank + 1)
    return num_users


@njit(nogil=True, cache=True)
def draw_graded(
    state, certain, visits, chances, ranking, shares, worths, num_unranked, consulted, leading
):  # fmt: skip
    """Draw the next users, who look for ideals of at least a share of the largest value.

    A user with k such ideals wants ceil(r k / t) of them for C(r) and CL(r).
    """
    num_users, t = consulted.shape
    masks = np.empty_like(certain)
    covered = np.empty(certain.shape[1], np.uint64)
    ranks, leads = np.empty(t, np.int64), np.empty(t, np.int64)
    seen = np.empty(len(ranking), np.int64)
    for user in range(num_users):
        least = 1.0 - _unit(_next(state))
        covered[:] = ~uint64(0)
        own = 0
        for x in range(t):
            if shares[x] >= least:
                own += 1
                covered[x >> 6] ^= uint64(1) << uint64(x & 63)
        _toss(state, certain, visits, chances, masks)
        found = _walk(masks, ranking, covered, worths, ranks, leads, seen)
        _go_on(state, found, own, len(ranking), num_unranked, ranks, leads)
        for r in range(1, t + 1):
            wanted = (r * own + t - 1) // t
            consulted[user, r - 1], leading[user, r - 1] = ranks[wanted - 1], leads[wanted - 1]


@njit(nogil=True, cache=True)
def add_fixed(values, sums):
    """Add users' numbers of up to 41 bits: rows total, square of the upper bits, product, lower."""
    num_users, size = values.shape
    for user in range(num_users):
        for k in range(size):
            value = values[user, k]
            upper, lower = value >> _HALF_BITS, value & ((1 << _HALF_BITS) - 1)
            sums[0, k] += value
            sums[1, k] += upper * upper
            sums[2, k] += upper * lower
            sums[3, k] += lower * lower


@njit(nogil=True, cache=True)
def _toss(state, certain, visits, chances, masks):
    """Write what each element shows one user: certain ideals, and those of tossed visits."""
    masks[:] = certain
    for k in range(len(chances)):
        if _unit(_next(state)) < chances[k]:
            x = visits[k, 1]
            masks[visits[k, 0], x >> 6] |= uint64(1) << uint64(x & 63)


@njit(nogil=True, cache=True)
def _shuffle(state, ties, order):
    """Put the elements of each group of ranks into random order (Fisher and Yates)."""
    begin = 0
    for size in ties:
        for last in range(size - 1, 0, -1):
            other = begin + int(_unit(_next(state)) * (last + 1))
            order[begin + last], order[other] = order[other], order[begin + last]
        begin += size


@njit(nogil=True, cache=True)
def _walk(masks, order, covered, worths, ranks, leads, seen):
    """Consult the list; return how many ideals it shows that were not covered.

    Writes the rank of the n-th of them, how many elements led to ideals by then, and the value seen
    after each rank.
    """
    found, led, value = 0, 0, 0
    for position in range(len(order)):
        shown = masks[order[position]]
        before = found
        worth = _worth(shown, covered, worths)
        for word in range(len(covered)):
            rest = shown[word] & ~covered[word]
            covered[word] |= rest
            while rest:
                rest &= rest - uint64(1)
                ranks[found], leads[found] = position + 1, led + 1
                found += 1
        if found > before:
            led += 1
            value += worth
        seen[position] = value
    return found


@njit(nogil=True, cache=True)
def _go_on(state, found, wanted, num_ranked, num_unranked, ranks, leads):
    """Put the other ideals at distinct random places behind the list (Floyd's sample)."""
    led = leads[found - 1] if found else 0
    for k in range(found, wanted):
        top = num_unranked - wanted + k + 1
        place = num_ranked + 1 + int(_unit(_next(state)) * top)
        for other in range(found, k):
            if ranks[other] == place:
                place = num_ranked + top
                break
        slot = k
        while slot > found and ranks[slot - 1] > place:
            ranks[slot] = ranks[slot - 1]
            slot -= 1
        ranks[slot] = place
        leads[k] = led + k - found + 1


@njit(nogil=True, cache=True)
def _worth(shown, covered, worths):
    """Return the value shown and not covered; worths[b, s] is that of set s in byte b."""
    worth = 0
    for byte in range(len(worths)):
        rest = shown[byte >> 3] & ~covered[byte >> 3]
        worth += worths[byte, (rest >> uint64(8 * (byte & 7))) & uint64(255)]
    return worth


@njit(nogil=True, cache=True)
def _is_several(shown, covered):
    """Return whether more than one ideal is shown and not covered."""
    one = False
    for word in range(len(covered)):
        rest = shown[word] & ~covered[word]
        if rest:
            if one or rest & (rest - uint64(1)):
                return True
            one = True
    return False


@njit(nogil=True, cache=True)
def _level(levels, level, value):
    """Return how many of the levels a value reaches, at least `level`."""
    while level < len(levels) and levels[level] <= value:
        level += 1
    return level


@njit(nogil=True, cache=True)
def _room(num_elements, num_words, t):
    """Return room for `_fewest`: sets, and by depth what is covered, candidates, gains, singles.

    Each set chosen covers two ideals or more, so a search is at most t / 2 deep.
    """
    depth = t // 2 + 1
    return (
        np.empty((num_elements, num_words), np.uint64), np.empty((depth, num_words), np.uint64),
        np.empty((depth, num_elements), np.int64), np.empty((depth, num_elements), np.int64),
        np.empty((depth, t), np.int64), np.empty((4, depth), np.int64),
    )  # fmt: skip


@njit(nogil=True, cache=True)
def _fewest(masks, worths, heaviest, weights, levels, wanted, most_steps, room, fewest):
    """Write the fewest elements that reach each of the first `wanted` levels.

    Any ideal can be had by itself, so the search by branch and bound chooses sets of more than one;
    the others are the heaviest ideals left. Return False if it takes too many steps.
    """
    sets, covered, chosen, gains, singles, counters = room
    values, sizes, num_singles, nexts = counters
    num_sets = _undominated(masks, sets, covered[0])
    covered[0] = 0
    values[0] = 0
    level, number, steps = 0, 0, 0
    while level < wanted:
        number += 1
        before, depth = level, 0
        for k in range(num_sets):
            chosen[0, k] = k
        sizes[0] = num_sets
        _look(0, number, room, worths, heaviest, weights)
        level = _level(levels, level, values[0] + singles[0, : num_singles[0]].sum())
        while depth >= 0 and level < wanted:
            left, k = number - depth, nexts[depth]
            if (
                left == 0
                or k == sizes[depth]
                or values[depth] + _most(depth, k, left, room) < levels[level]
            ):
                depth -= 1
                continue
            steps += 1
            if steps > most_steps:
                return False
            nexts[depth] += 1
            depth += 1
            values[depth] = values[depth - 1] + gains[depth - 1, k]
            for word in range(sets.shape[1]):
                covered[depth, word] = covered[depth - 1, word] | sets[chosen[depth - 1, k], word]
            sizes[depth] = sizes[depth - 1] - k - 1
            chosen[depth, : sizes[depth]] = chosen[depth - 1, k + 1 : sizes[depth - 1]]
            _look(depth, left - 1, room, worths, heaviest, weights)
            level = _level(
                levels, level, values[depth] + singles[depth, : num_singles[depth]].sum()
            )
        for reached in range(before, min(level, wanted)):
            fewest[reached] = number
    return True


@njit(nogil=True, cache=True)
def _undominated(masks, sets, nothing):
    """Write the distinct sets of several ideals that no other set holds; return their number."""
    nothing[:] = 0
    count = 0
    for element in range(len(masks)):
        shown = masks[element]
        if not _is_several(shown, nothing):
            continue
        kept, held = 0, False
        for k in range(count):
            held = _holds(sets[k], shown)
            if held:
                break
            if not _holds(shown, sets[k]):
                sets[kept] = sets[k]
                kept += 1
        if not held:
            sets[kept] = shown
            count = kept + 1
    return count


@njit(nogil=True, cache=True)
def _holds(one, other):
    """Return whether one set holds all of the other."""
    missing = uint64(0)
    for word in range(len(one)):
        missing |= other[word] & ~one[word]
    return missing == 0


@njit(nogil=True, cache=True)
def _look(depth, left, room, worths, heaviest, weights):
    """Find what can be added at a depth: sets that show more than one new ideal, best first.

    Also the values of the heaviest ideals left, as many as there are elements to add.
    """
    sets, all_covered, chosen, gains, singles, counters = room
    covered = all_covered[depth]
    count = 0
    for k in range(counters[1, depth] if left else 0):
        number = chosen[depth, k]
        if _is_several(sets[number], covered):
            gain = _worth(sets[number], covered, worths)
            slot = count
            while slot > 0 and gains[depth, slot - 1] < gain:
                gains[depth, slot] = gains[depth, slot - 1]
                chosen[depth, slot] = chosen[depth, slot - 1]
                slot -= 1
            gains[depth, slot], chosen[depth, slot] = gain, number
            count += 1
    counters[1, depth], counters[3, depth] = count, 0
    count = 0
    for x in heaviest:
        if count == left:
            break
        if not covered[x >> 6] >> uint64(x & 63) & uint64(1):
            singles[depth, count] = weights[x]
            count += 1
    counters[2, depth] = count


@njit(nogil=True, cache=True)
def _most(depth, k, left, room):
    """Return a bound on what `left` elements add if candidate k is the first of them.

    No set adds more together with others than it does alone.
    """
    _, _, _, gains, singles, counters = room
    most, one, other = gains[depth, k], k + 1, 0
    for _ in range(left - 1):
        gain = gains[depth, one] if one < counters[1, depth] else 0
        single = singles[depth, other] if other < counters[2, depth] else 0
        if gain >= single:
            most += gain
            one += 1
        else:
            most += single
            other += 1
    return most
