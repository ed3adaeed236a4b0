"""Compiled loops of the samplers, all in one file: numba's cache does not notice changes elsewhere.

Every random number comes from the SFC64 states handed in; each kernel has a plain-Python twin in
`prum.simulator.sampling.reference` that gives the same users on the same stream.
"""

import numpy as np
from numba import njit, uint64

STOP = -1
# Bits behind the point of a user's ratio CL / C, and of its square.
RATIO_BITS = 40
SQUARE_BITS = 20


@njit(nogil=True, cache=True)
def fill_uniform(state, out):
    """Write SFC64's next numbers to out (any shape, row by row): 64 random bits each."""
    a, b, c, counter = state[0], state[1], state[2], state[3]
    flat = out.reshape(-1)
    for i in range(len(flat)):
        number = a + b + counter
        counter += uint64(1)
        a = b ^ (b >> uint64(11))
        b = c + (c << uint64(3))
        c = ((c << uint64(24)) | (c >> uint64(40))) + number
        flat[i] = number
    state[0], state[1], state[2], state[3] = a, b, c, counter


@njit(nogil=True, cache=True)
def fill_stratified(state, out):
    """Write a Latin hypercube: column x holds one number from each of len(out) equal strata.

    The strata come in random order (Fisher and Yates), the number is uniform in its stratum.
    len(out) must be a power of two.
    """
    num_users, t = out.shape
    bits = 0
    while (1 << bits) < num_users:
        bits += 1
    number = np.empty(1, np.uint64)
    for x in range(t):
        for user in range(num_users):
            out[user, x] = user
        for user in range(num_users - 1, 0, -1):
            fill_uniform(state, number)
            other = int(_unit(number[0]) * (user + 1))
            out[user, x], out[other, x] = out[other, x], out[user, x]
        for user in range(num_users):
            fill_uniform(state, number)
            if bits:
                out[user, x] = (out[user, x] << uint64(64 - bits)) | (number[0] >> uint64(bits))
            else:
                out[user, x] = number[0]


@njit(nogil=True, cache=True, inline="always")
def _unit(number):
    """Return the upper 53 of 64 random bits as a float in [0, 1)."""
    return (number >> uint64(11)) * (1.0 / 9007199254740992.0)


@njit(nogil=True, cache=True)
def draw_unranked(state, wanted, unranked, slots, positions):
    """Write the places, in order and from 1, of `wanted` ideals among u elements in random order.

    Numbers are drawn until `wanted` distinct ones are there (or, past half of u, until the rest
    is). They are kept in order in a table with room for twice as many: a number's slot is its
    share of u, a taken slot pushes the larger number on. `slots` must be all -1; it is left so.
    """
    drawn = min(wanted, unranked - wanted)
    room = 2 * drawn
    scale = room / unranked
    number = np.empty(1, np.uint64)
    count = 0
    while count < drawn:
        fill_uniform(state, number)
        place = int(_unit(number[0]) * unranked)
        slot = int(place * scale)
        while slots[slot] >= 0 and slots[slot] < place:
            slot += 1
        if slots[slot] == place:
            continue
        count += 1
        while slots[slot] >= 0:
            place, slots[slot] = slots[slot], place
            slot += 1
        slots[slot] = place
    filled = 0
    if drawn == wanted:
        slot = 0
        while filled < drawn:
            if slots[slot] >= 0:
                positions[filled] = slots[slot] + 1
                slots[slot] = -1
                filled += 1
            slot += 1
        return
    slot = 0
    place = 0
    passed = 0
    while passed < drawn:
        if slots[slot] >= 0:
            while place < slots[slot]:
                place += 1
                positions[filled] = place
                filled += 1
            place += 1
            slots[slot] = -1
            passed += 1
        slot += 1
    while place < unranked:
        place += 1
        positions[filled] = place
        filled += 1


@njit(nogil=True, cache=True, inline="always")
def _finish(state, found, led, num_ranked, unranked, sampled, slots, positions, consulted, leading):
    """Fill a user's C(r), CL(r) for the r that the list did not give him.

    If the unranked part is not sampled C(r) stays 0 and CL(r) is what the list led to.
    """
    t = len(consulted)
    if not sampled:
        for r in range(found, t):
            consulted[r] = 0
            leading[r] = led
    elif found < t:
        draw_unranked(state, t - found, unranked, slots, positions)
        for r in range(found, t):
            consulted[r] = num_ranked + positions[r - found]
            leading[r] = led + r - found + 1


@njit(nogil=True, cache=True)
def first_seen(
    numbers,
    starts,
    cumulative,
    ranks,
    guide_starts,
    guides,
    guide_shifts,
    state,
    num_ranked,
    unranked,
    sampled,
    slots,
    positions,
    words,
    counts,
    lowest,
    consulted,
    leading,
):
    """Turn random numbers, shape (users, t), into C(r) and CL(r) of independent navigation.

    Ideal x is first seen at the rank whose cumulative probability first exceeds the user's number
    for x, if any does. Column x's candidates are starts[x] .. starts[x + 1]; the number's top bits
    point to the candidate to begin with. Then the seen ranks, a set of bits, are visited in order.
    """
    num_users, t = numbers.shape
    for user in range(num_users):
        for x in range(t):
            # 53 bits, as the cumulative shares have: below the end's 2^64 - 1 for certain.
            number = numbers[user, x] & uint64(0xFFFFFFFFFFFFF800)
            k = guides[guide_starts[x] + np.int64(number >> guide_shifts[x])]
            while number >= cumulative[k]:
                k += 1
            rank = ranks[k]
            if rank >= 0:
                counts[rank] += 1
                words[rank >> 6] |= uint64(1) << uint64(rank & 63)
        found = 0
        led = 0
        for word in range(len(words)):
            left = words[word]
            if left:
                words[word] = 0
                while left:
                    low = left & (~left + uint64(1))
                    left ^= low
                    rank = (word << 6) + lowest[(low * uint64(0x03F79D71B4CB0A89)) >> uint64(58)]
                    led += 1
                    for r in range(found, found + counts[rank]):
                        consulted[user, r] = rank + 1
                        leading[user, r] = led
                    found += counts[rank]
                    counts[rank] = 0
        _finish(
            state,
            found,
            led,
            num_ranked,
            unranked,
            sampled,
            slots,
            positions,
            consulted[user],
            leading[user],
        )


@njit(nogil=True, cache=True, inline="always")
def _mixed(number):
    """Return SplitMix64's output for this state."""
    number = (number ^ (number >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> uint64(27))) * uint64(0x94D049BB133111EB)
    return number ^ (number >> uint64(31))


@njit(nogil=True, cache=True)
def walks(
    key,
    first_user,
    rows,
    thresholds,
    stays,
    goes,
    ideal_of,
    ranks,
    entries,
    entry_ideals,
    state,
    num_ranked,
    unranked,
    sampled,
    slots,
    positions,
    stamps,
    consulted,
    leading,
):
    """Walk from the entries of the list, user by user, and write his C(r) and CL(r).

    `ranks` are the ranks from where something can be seen, `entries` their elements (-1: without
    links), `entry_ideals` the ideals that stand there (-1: none). The path from element e of user
    v is drawn from SFC64 seeded with three SplitMix64 numbers of (key, v, e): the same user takes
    the same path from e in every list. A step draws a column of the element's alias table from
    the top bits and keeps it if the other bits are below its threshold. rows[e] holds the table's
    start, and below its lowest six bits the number of column bits.
    """
    num_users, t = consulted.shape
    golden = uint64(0x9E3779B97F4A7C15)
    for user in range(num_users):
        identity = _mixed(key + uint64(first_user + user + 1) * golden)
        found = 0
        led = 0
        for entry in range(len(ranks)):
            before = found
            x = entry_ideals[entry]
            if x >= 0 and stamps[x] != user:
                stamps[x] = user
                found += 1
            element = entries[entry]
            if element >= 0 and found < t:
                seed = identity ^ _mixed(uint64(element + 1) * golden)
                a = _mixed(seed + golden)
                b = _mixed(seed + golden + golden)
                c = _mixed(seed + golden + golden + golden)
                counter = uint64(1)
                while True:
                    row = rows[element]
                    number = a + b + counter
                    counter += uint64(1)
                    a = b ^ (b >> uint64(11))
                    b = c + (c << uint64(3))
                    c = ((c << uint64(24)) | (c >> uint64(40))) + number
                    bits = row & uint64(63)
                    column = row >> uint64(6)
                    if bits:
                        column += number >> (uint64(64) - bits)
                    if (number << bits) < thresholds[column]:
                        element = stays[column]
                    else:
                        element = goes[column]
                    if element < 0:
                        break
                    x = ideal_of[element]
                    if x >= 0 and stamps[x] != user:
                        stamps[x] = user
                        found += 1
                        if found == t:
                            break
            if found > before:
                led += 1
                for r in range(before, found):
                    consulted[user, r] = ranks[entry] + 1
                    leading[user, r] = led
                if found == t:
                    break
        _finish(
            state,
            found,
            led,
            num_ranked,
            unranked,
            sampled,
            slots,
            positions,
            consulted[user],
            leading[user],
        )
    stamps[:] = -1


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
        mass = np.zeros(size)
        total = 0.0
        for k in range(begin, end):
            total += probabilities[k]
        scale = size / max(total, 1.0)
        for k in range(begin, end):
            mass[k - begin] = probabilities[k] * scale
            stays[base + k - begin] = targets[k]
        rest = 1.0 - total
        for column in range(end - begin, size):
            stays[base + column] = STOP
        if rest > 0.0 and end - begin < size:
            mass[end - begin] = rest * scale
        small = np.empty(size, np.int64)
        large = np.empty(size, np.int64)
        num_small, num_large = 0, 0
        for column in range(size):
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
            thresholds[base + low] = _threshold(mass[low])
            goes[base + low] = stays[base + high]
            mass[high] -= 1.0 - mass[low]
            if mass[high] < 1.0:
                num_large -= 1
                small[num_small] = high
                num_small += 1
        while num_large:
            num_large -= 1
            thresholds[base + large[num_large]] = uint64(0xFFFFFFFFFFFFFFFF)
            goes[base + large[num_large]] = stays[base + large[num_large]]
        while num_small:
            num_small -= 1
            # What rounding left over: these columns hold a share of 1 but for rounding.
            thresholds[base + small[num_small]] = uint64(0xFFFFFFFFFFFFFFFF)
            goes[base + small[num_small]] = stays[base + small[num_small]]


@njit(nogil=True, cache=True)
def _threshold(share):
    """Return share of 2^64 as an unsigned integer."""
    if share >= 1.0:
        return uint64(0xFFFFFFFFFFFFFFFF)
    if share <= 0.0:
        return uint64(0)
    return uint64(share * 9007199254740992.0) << uint64(11)


@njit(nogil=True, cache=True)
def accumulate(consulted, leading, bin_shift, sums, histogram, ends):
    """Add users to integer sums: rows C, CL, C^2 in two halves, CL^2, CL C, ratio, its square.

    A user without C(r) (the unranked part not sampled) is counted at the end of the list instead:
    ends[:, s] takes users, CL, CL^2 of those who had s ideals there.
    """
    num_users, t = consulted.shape
    one = float(1 << RATIO_BITS)
    first_bin = 1023 << (52 - bin_shift)
    beyond = histogram.shape[1] - 1
    for user in range(num_users):
        for r in range(t):
            c = np.int64(consulted[user, r])
            lead = np.int64(leading[user, r])
            if c == 0:
                ends[0, r] += 1
                ends[1, r] += lead
                ends[2, r] += lead * lead
                for later in range(r, t):
                    histogram[later, beyond] += 1
                break
            square = c * c
            ratio = np.int64(lead / c * one)
            short = ratio >> (RATIO_BITS - SQUARE_BITS)
            sums[0, r] += c
            sums[1, r] += lead
            sums[2, r] += square & 0xFFFFFFFF
            sums[3, r] += square >> 32
            sums[4, r] += lead * lead
            sums[5, r] += lead * c
            sums[6, r] += ratio
            sums[7, r] += short * short
            histogram[r, (np.float64(c).view(np.int64) >> bin_shift) - first_bin] += 1
