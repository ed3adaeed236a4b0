"""Compiled loops that turn users' C(r) into costs, and add those up to integer sums, for a tally.

Costs are whole numbers of steps below 2^48; see `prum.simulator.model.ListCosts.in_steps`.
"""

import numpy as np
from numba import njit

from prum.simulator.sampling.kernels.accumulation import _count_bins

# Bits behind the point of a user's ratio of leading to all cost.
_RATIO = float(1 << 40)
# Numbers below 2^48 are multiplied in halves.
HALF_BITS = 24
_HALF = (1 << HALF_BITS) - 1


@njit(nogil=True, cache=True)
def charge(consulted, leading, before, unranked, costs, led):
    """Write what users' C(r) elements cost, and those of them that led to an unseen ideal.

    The first i ranks cost before[i], each element behind the list `unranked`. Element C(r) led to
    something new if CL(r) is more than CL(r - 1). Where C(r) is 0 (the list did not suffice, and
    the unranked part is not sampled) the cost is 0, and the leading cost is that of the list.
    """
    nobody = np.zeros(len(consulted), np.int32)
    nothing = np.zeros(len(consulted), np.int64)
    for r in range(consulted.shape[1]):
        _charge(
            consulted.T[r], leading.T[r - 1] if r else nobody, leading.T[r], before, unranked,
            costs.T[r], led.T[r - 1] if r else nothing, led.T[r],
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _charge(consulted, fewer, leading, before, unranked, costs, led_before, led):
    num_ranked = len(before) - 1
    for user in range(len(consulted)):
        c = np.int64(consulted[user])
        listed = min(c, num_ranked)
        costs[user] = before[listed] + unranked * (c - listed)
        own = before[listed] - before[max(listed - 1, 0)] if c == listed else unranked
        led[user] = led_before[user] + (own if leading[user] > fewer[user] else 0)


@njit(nogil=True, cache=True)
def accumulate(costs, leading, consulted, bin_shift, sums, histogram, ends):
    """Add users to integer sums, fifteen rows.

    Cost, leading cost, the ratio; then in three rows each, as of `_add_product`, the squares of
    these, and the product of the first two. The histogram is that of C(r). As
    `accumulation.accumulate` it counts a user without C(r) at the end of the list instead:
    ends[:, s] takes the number, leading cost, and its square in three rows, of users with s ideals
    there.
    """
    t = costs.shape[1]
    fewer = np.zeros(5, np.int64)
    for r in range(t):
        without = histogram[r, -1]
        _add(costs.T[r], leading.T[r], sums[:, r])
        _count_bins(consulted.T[r], bin_shift, histogram[r])
        if histogram[r, -1] > without:
            ends[:, r] -= fewer
            _at_end(costs.T[r], leading.T[r], fewer)
            ends[:, r] += fewer


@njit(nogil=True, cache=True, error_model="numpy")
def _add(costs, leading, sums):
    """Add the users with a cost."""
    total, leads, ratios = 0, 0, 0
    square = lead_square = ratio_square = product = (0, 0, 0)
    for user in range(len(costs)):
        cost = costs[user]
        lead = leading[user] if cost else 0
        ratio = np.int64(lead / max(cost, 1) * _RATIO)
        total += cost
        leads += lead
        ratios += ratio
        square = _add_product(square, cost, cost)
        lead_square = _add_product(lead_square, lead, lead)
        ratio_square = _add_product(ratio_square, ratio, ratio)
        product = _add_product(product, cost, lead)
    sums[0] += total
    sums[1] += leads
    sums[2] += ratios
    for row in range(3):
        sums[3 + row] += square[row]
        sums[6 + row] += lead_square[row]
        sums[9 + row] += ratio_square[row]
        sums[12 + row] += product[row]


@njit(nogil=True, cache=True, inline="always")
def _add_product(words, first, second):
    """Add products of upper halves, of an upper and a lower, and of lower halves."""
    high, low = first >> HALF_BITS, first & _HALF
    other_high, other_low = second >> HALF_BITS, second & _HALF
    middle = high * other_low + low * other_high
    return words[0] + high * other_high, words[1] + middle, words[2] + low * other_low


@njit(nogil=True, cache=True)
def _at_end(costs, leading, ended):
    """Write the number, leading cost and its square of users without cost."""
    users, leads = 0, 0
    square = (0, 0, 0)
    for user in range(len(costs)):
        lead = leading[user] if costs[user] == 0 else 0
        users += costs[user] == 0
        leads += lead
        square = _add_product(square, lead, lead)
    ended[0], ended[1] = users, leads
    ended[2], ended[3], ended[4] = square
