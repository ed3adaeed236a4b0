"""Compiled loops over the pieces of spans; see `prum.analytic.precision.covering`."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def gain(ranks, spans, lows, highs, probabilities, begins, stops, lengths, apart, at, columns):
    """Follow the pieces of spans down the list; write the rows of `Gains`, return their number.

    Each piece keeps the probability that it has been seen, and that it has not: sums of positive
    terms only. With `apart` each rank begins anew. `at` is the entry that a row begins with.
    """
    num_pieces = len(lengths)
    seen, unseen = np.zeros(num_pieces), np.ones(num_pieces)
    hit, miss = np.zeros(num_pieces), np.ones(num_pieces)
    seen_of, unseen_of = np.zeros(len(begins)), np.empty(len(begins))
    for x in range(len(begins)):
        unseen_of[x] = lengths[begins[x] : stops[x]].sum()
    size, entry = 0, 0
    while entry < len(ranks):
        begin, x = entry, spans[entry]
        low, high = lows[entry], highs[entry]
        while entry < len(ranks) and ranks[entry] == ranks[begin] and spans[entry] == x:
            p = probabilities[entry]
            low, high = min(low, lows[entry]), max(high, highs[entry])
            for k in range(lows[entry], highs[entry]):
                hit[k] = 1.0 if p == 1.0 else hit[k] + miss[k] * p
                miss[k] *= 1.0 - p
            entry += 1
        first = 0.0
        for k in range(low, high):
            new = unseen[k] * hit[k]
            first += lengths[k] * new
            seen[k] = 1.0 if hit[k] == 1.0 else min(1.0, seen[k] + new)
            unseen[k] *= miss[k]
            hit[k], miss[k] = 0.0, 1.0
        if first > 0.0:
            at[size] = begin
            columns[0, size], columns[1, size] = seen_of[x], unseen_of[x]
            seen_of[x], unseen_of[x] = 0.0, 0.0
            for k in range(begins[x], stops[x]):
                seen_of[x] += lengths[k] * seen[k]
                unseen_of[x] += lengths[k] * unseen[k]
            columns[2, size], columns[3, size] = seen_of[x], unseen_of[x]
            columns[4, size] = first
            size += 1
        if apart:
            seen[low:high], unseen[low:high] = 0.0, 1.0
    return size


@njit(nogil=True, cache=True)
def covered_whole(lows, highs, probabilities, begin, stop):
    """Return the probability that pieces begin .. stop - 1 are all shown, and that they are not.

    By the first piece that is not yet shown, over what is shown in the order of `lows`: what
    comes later begins no earlier, so that a piece left before it stays unshown.
    """
    law = np.zeros(stop - begin + 1)
    law[0] = 1.0
    for entry in range(len(lows)):
        high = highs[entry] - begin
        for k in range(lows[entry] - begin, high):
            law[high] += probabilities[entry] * law[k]
            law[k] *= 1.0 - probabilities[entry]
    return law[-1], law[:-1].sum()
