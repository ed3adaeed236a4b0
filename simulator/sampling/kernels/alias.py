"""Compiled loop that makes alias tables, from which a walk's steps are drawn."""

import numpy as np
from numba import njit, uint64

STOP = -1


@njit(nogil=True, cache=True)
def alias_tables(starts, targets, probabilities, row_starts, row_bits, thresholds, stays, goes):
    """Write each element's alias table (Vose 1991) over its links and stopping.

    Tables have 2^row_bits columns; columns beyond the outcomes are empty and always go to their
    alias.
    """
    for element in range(len(starts) - 1):
        begin, end = starts[element], starts[element + 1]
        size = 1 << row_bits[element]
        base = row_starts[element]
        links = end - begin
        total = probabilities[begin:end].sum()
        scale = size / max(total, 1.0)
        mass = np.zeros(size)
        mass[:links] = probabilities[begin:end] * scale
        stays[base : base + links] = targets[begin:end]
        stays[base + links : base + size] = STOP
        if total < 1.0 and links < size:
            mass[links] = (1.0 - total) * scale
        small, large = np.empty(size, np.int64), np.empty(size, np.int64)
        num_small, num_large = 0, 0
        for column in range(size):
            # Alone unless paired below: such a column's share is 1 up to rounding.
            thresholds[base + column] = uint64(0xFFFFFFFFFFFFFFFF)
            goes[base + column] = stays[base + column]
            if mass[column] < 1.0:
                small[num_small] = column
                num_small += 1
            else:
                large[num_large] = column
                num_large += 1
        while num_small and num_large:
            num_small -= 1
            low = small[num_small]
            high = large[num_large - 1]
            thresholds[base + low] = uint64(max(mass[low], 0.0) * 9007199254740992.0) << uint64(11)
            goes[base + low] = stays[base + high]
            mass[high] -= 1.0 - mass[low]
            if mass[high] < 1.0:
                num_large -= 1
                small[num_small] = high
                num_small += 1
