"""Compiled loops of the samplers, all in one file: numba's cache does not notice changes elsewhere.

Every random number comes from the SFC64 states handed in; each kernel has a plain-Python twin in
`prum.simulator.sampling.reference` that gives the same users on the same stream.
"""

import numpy as np
from numba import njit, uint64

STOP = -1
# Users handled at once: a loop over a tile is long enough to vectorise and fits the first cache.
TILE = 128
# Stands for the rank of an ideal that the list does not give; sorts behind every rank and place.
NEVER = 2**31 - 1
# Bits behind the point of a user's ratio CL / C, squared in two halves.
RATIO_BITS = 40
HALF_BITS = RATIO_BITS // 2


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
def _next(state):
    """Return SFC64's next number, where one at a time is needed."""
    a, b, c, counter = state[0], state[1], state[2], state[3]
    number = a + b + counter
    state[0] = b ^ (b >> uint64(11))
    state[1] = c + (c << uint64(3))
    state[2] = ((c << uint64(24)) | (c >> uint64(40))) + number
    state[3] = counter + uint64(1)
    return number


@njit(nogil=True, cache=True)
def fill_stratified(state, out):
    """Write a Latin hypercube: column x holds one number from each of len(out) equal strata.

    The strata come in random order (Fisher and Yates), the number is uniform in its stratum.
    len(out) must be a power of two, and more than one.
    """
    num_users, t = out.shape
    bits = uint64(np.log2(num_users))
    strata = np.empty(num_users, np.uint64)
    numbers = np.empty(2 * num_users - 1, np.uint64)
    for x in range(t):
        fill_uniform(state, numbers)
        strata[:] = np.arange(num_users)
        for user in range(num_users - 1, 0, -1):
            other = int(_unit(numbers[num_users - 1 - user]) * (user + 1))
            strata[user], strata[other] = strata[other], strata[user]
        for user in range(num_users):
            within = numbers[num_users - 1 + user] >> bits
            out[user, x] = (strata[user] << (uint64(64) - bits)) | within


@njit(nogil=True, cache=True, inline="always")
def _unit(number):
    """Return the upper 53 of 64 random bits as a float in [0, 1)."""
    return (number >> uint64(11)) * (1.0 / 9007199254740992.0)


@njit(nogil=True, cache=True)
def first_seen(
    source, stratified, starts, cumulative, ranks, guide_starts, guides, guide_shifts,
    state, again, num_ranked, unranked, sampled, consulted, leading,
):  # fmt: skip
    """Draw the next users under independent navigation, and write their C(r) and CL(r).

    Each user has t numbers from `source`; stratified, all users are one Latin hypercube. Ideal x
    is first seen at the rank whose cumulative probability first exceeds the user's number for x.
    Column x's candidates are starts[x] .. starts[x + 1]; the number's top bits point to the
    candidate to begin with, which is seldom more than one too early.
    """
    num_users, t = consulted.shape
    numbers = np.empty((num_users if stratified else TILE, t), np.uint64)
    if stratified:
        fill_stratified(source, numbers)
    keys = np.zeros((t, TILE), np.int32)
    room = _room(t)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        mine = numbers[begin:end] if stratified else numbers[: end - begin]
        if not stratified:
            fill_uniform(source, mine)
        for x in range(t):
            edges = cumulative[starts[x] : starts[x + 1]]
            candidates = ranks[starts[x] : starts[x + 1]]
            guide = guides[guide_starts[x] : guide_starts[x + 1]]
            shift = guide_shifts[x]
            for user in range(end - begin):
                # 53 bits, as the cumulative shares have: below the end's 2^64 - 1 for certain.
                number = mine[user, x] & uint64(0xFFFFFFFFFFFFF800)
                k = uint64(guide[number >> shift])
                k += uint64(number >= edges[k])
                while number >= edges[k]:
                    k += uint64(1)
                keys[x, user] = candidates[k]
        _count(
            keys, state, again, num_ranked, unranked, sampled, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _room(t):
    """Return room for `_count`: random numbers, places, unseen ideals by user, one more array."""
    return (
        np.empty(t * TILE, np.uint64), np.empty(t * TILE + 1, np.int32),
        np.empty(TILE, np.int32), np.empty(max(t, TILE), np.int32),
    )  # fmt: skip


@njit(nogil=True, cache=True)
def _count(
    keys, state, again, num_ranked, unranked, sampled, room, begin, end, consulted, leading
):  # fmt: skip
    """Write C(r) and CL(r) of the users begin .. end - 1 to columns of consulted and leading.

    keys[x, user - begin] is the rank, from 1, at which the user first sees ideal x, or NEVER. An
    ideal never seen gets a random place behind the list; sorted, the keys are C(r), and CL(r)
    counts those that differ from the one before. If the unranked part is not sampled, C(r) is 0
    where the list did not suffice and CL(r) what it led to.
    """
    t = len(keys)
    most = _place(keys, end - begin, state, num_ranked, unranked, room) if sampled else 0
    _sort(keys)
    if most > 1:
        _part(keys, end - begin, again, num_ranked, unranked, room)
    missing = 0 if sampled else NEVER
    before = led = np.zeros(TILE, np.int32)
    for r in range(t):
        _count_row(keys[r], before, missing, led, consulted[r, begin:end], leading[r, begin:end])
        before, led = keys[r], leading[r, begin:end]


@njit(nogil=True, cache=True)
def _count_row(keys, before, missing, led, consulted, leading):
    """Write a row of `_count`: a loop of its own, that it vectorise."""
    for user in range(len(consulted)):
        key = keys[user]
        leading[user] = led[user] + ((key != before[user]) & (key != missing))
        consulted[user] = key if key != missing else 0


@njit(nogil=True, cache=True, inline="always")
def _behind(number, num_ranked, unranked):
    """Return a random one of the places behind the list."""
    return np.int32(num_ranked + 1 + np.int64(_unit(number) * unranked))


@njit(nogil=True, cache=True)
def _place(keys, num_users, state, num_ranked, unranked, room):
    """Give each ideal that a user never sees in the list a place behind it, independently.

    The numbers are drawn user by user, for his ideals in turn. Return the most that a user needs.
    """
    t = len(keys)
    numbers, places, unseen, ideals = room
    unseen[:] = 0
    for x in range(t):
        for user in range(TILE):
            unseen[user] += keys[x, user] == NEVER
    unseen[num_users:] = 0
    total = unseen.sum()
    fill_uniform(state, numbers[:total])
    for drawn in range(total):
        places[drawn] = _behind(numbers[drawn], num_ranked, unranked)
    drawn = 0
    for user in range(num_users):
        if unseen[user]:
            # Unsigned, for an index that may be negative is checked.
            count = uint64(0)
            for x in range(t):
                ideals[count] = x
                count += uint64(keys[x, user] == NEVER)
            for k in range(unseen[user]):
                keys[uint64(ideals[k]), user] = places[drawn + k]
            drawn += unseen[user]
    return unseen.max()


@njit(nogil=True, cache=True)
def _sort(keys):
    """Sort each column by Batcher's merge exchange (Knuth 5.2.2, algorithm M): no branches."""
    t = len(keys)
    top = 1
    while 2 * top < t:
        top *= 2
    step = top
    while step:
        distance, merged, rest = step, top, 0
        while True:
            for low in range(t - distance):
                if low & step == rest:
                    _exchange(keys, low, low + distance)
            if merged == step:
                break
            distance, merged, rest = merged - step, merged >> 1, step
        step >>= 1


@njit(nogil=True, cache=True)
def _exchange(keys, low, high):
    """Put two rows in order, user by user."""
    for user in range(TILE):
        a, b = keys[low, user], keys[high, user]
        keys[low, user] = min(a, b)
        keys[high, user] = max(a, b)


@njit(nogil=True, cache=True)
def _part(keys, num_users, again, num_ranked, unranked, room):
    """Draw again, user by user, where a user's places coincide."""
    t = len(keys)
    numbers, places, unseen, same = room
    same[:] = 0
    for r in range(1, t):
        for user in range(TILE):
            key = keys[r, user]
            same[user] += (key == keys[r - 1, user]) & (key > num_ranked)
    for user in range(num_users):
        if same[user]:
            wanted = unseen[user]
            for r in range(wanted):
                places[r] = keys[t - wanted + r, user]
            if 2 * wanted > unranked:
                _select(again, num_ranked, unranked, wanted, numbers[:unranked], places)
            else:
                _complete(again, num_ranked, unranked, wanted, places)
            for r in range(wanted):
                keys[t - wanted + r, user] = places[r]


@njit(nogil=True, cache=True)
def _select(state, num_ranked, unranked, wanted, numbers, places):
    """Write a random set of places in order: selection sampling (Knuth 3.4.2, algorithm S)."""
    fill_uniform(state, numbers)
    count = 0
    for passed in range(unranked):
        places[count] = num_ranked + 1 + passed
        count += _unit(numbers[passed]) * (unranked - passed) < wanted - count


@njit(nogil=True, cache=True)
def _complete(state, num_ranked, unranked, wanted, places):
    """Draw places, kept in order, until `wanted` are distinct: a uniformly random set as well."""
    count = 0
    for k in range(wanted):
        places[count] = places[k]
        count += places[k] != places[min(k + 1, wanted - 1)]
    count += 1
    while count < wanted:
        place = _behind(_next(state), num_ranked, unranked)
        slot = _num_below(places[:count], place)
        if slot == count or places[slot] != place:
            for k in range(count, slot, -1):
                places[k] = places[k - 1]
            places[slot] = place
            count += 1


@njit(nogil=True, cache=True)
def _num_below(places, place):
    """Return how many of the places are less than `place`."""
    below = 0
    for k in range(len(places)):
        below += places[k] < place
    return below


@njit(nogil=True, cache=True, inline="always")
def _mixed(number):
    """Return SplitMix64's output for this state."""
    number = (number ^ (number >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> uint64(27))) * uint64(0x94D049BB133111EB)
    return number ^ (number >> uint64(31))


@njit(nogil=True, cache=True)
def walks(
    key, first_user, rows, columns, ideal_of, ranks, entries, entry_ideals,
    state, again, num_ranked, unranked, sampled, consulted, leading,
):  # fmt: skip
    """Walk from the entries of the list, user by user, and write his C(r) and CL(r).

    `ranks` are the ranks, from 1, from where something can be seen, `entries` their elements (-1:
    without links), `entry_ideals` the ideals that stand there (-1: none). The path from element e
    of user v is drawn from SFC64 seeded with three SplitMix64 numbers of (key, v, e): the same
    user takes the same path from e in every list. A step draws a column of the element's alias
    table from the number's top bits and takes its first outcome if the other bits are below its
    threshold, else its second. rows[e] holds the table's first column, and below its lowest six
    bits the number of column bits. The users of a tile walk from an entry in step.
    """
    num_users, t = consulted.shape
    golden = uint64(0x9E3779B97F4A7C15)
    keys = np.empty((t, TILE), np.int32)
    room = _room(t)
    identities, found = np.empty(TILE, np.uint64), np.empty(TILE, np.int64)
    walkers, places = np.empty(TILE, np.int64), np.empty(TILE, np.int64)
    states = np.empty((3, TILE), np.uint64)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        keys[:] = NEVER
        found[:] = 0
        for user in range(end - begin):
            identities[user] = _mixed(key + uint64(first_user + begin + user + 1) * golden)
        for entry in range(len(ranks)):
            rank, x, element = ranks[entry], entry_ideals[entry], entries[entry]
            if x >= 0:
                for user in range(end - begin):
                    if keys[x, user] == NEVER:
                        keys[x, user] = rank
                        found[user] += 1
            if element < 0:
                continue
            walking = 0
            salt = _mixed(uint64(element + 1) * golden)
            for user in range(end - begin):
                if found[user] < t:
                    seed = identities[user] ^ salt
                    walkers[walking], places[walking] = user, element
                    states[0, walking] = _mixed(seed + golden)
                    states[1, walking] = _mixed(seed + golden + golden)
                    states[2, walking] = _mixed(seed + golden + golden + golden)
                    walking += 1
            counter = uint64(1)
            while walking:
                walking = _step_all(
                    walking, walkers, places, states, counter, rows, columns, ideal_of,
                    keys, found, rank,
                )  # fmt: skip
                counter += uint64(1)
        _count(
            keys, state, again, num_ranked, unranked, sampled, room,
            begin, end, consulted.T, leading.T,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _step_all(
    walking, walkers, places, states, counter, rows, columns, ideal_of, keys, found, rank
):  # fmt: skip
    """Let every walker take his next step; return how many walk on, moved to the front.

    The walkers do not wait for each other's memory: that is why they step together.
    """
    t = len(keys)
    on = 0
    for k in range(walking):
        user = walkers[k]
        row = rows[places[k]]
        a, b, c = states[0, k], states[1, k], states[2, k]
        number = a + b + counter
        states[0, on] = b ^ (b >> uint64(11))
        states[1, on] = c + (c << uint64(3))
        states[2, on] = ((c << uint64(24)) | (c >> uint64(40))) + number
        bits = row & uint64(63)
        # Two shifts, for a shift by 64 is none.
        column = (row >> uint64(6)) + (number >> uint64(1) >> (uint64(63) - bits))
        second = (number << bits) >= columns[column, 0]
        element = np.int32(columns[column, 1] >> (uint64(32) * uint64(second)))
        walkers[on], places[on] = user, element
        if element >= 0:
            x = ideal_of[element]
            if x >= 0 and keys[x, user] == NEVER:
                keys[x, user] = rank
                found[user] += 1
            on += found[user] < t
    return on


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
            # Alone unless paired below: but for rounding such a column's share is 1.
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


@njit(nogil=True, cache=True)
def accumulate(consulted, leading, bin_shift, sums, histogram, ends):
    """Add users to integer sums: rows C, CL, C^2 in two halves, CL^2, CL C, the ratio, and
    of its upper and lower half the square, the product, the square.

    A user without C(r) (the unranked part not sampled) is counted at the end of the list instead:
    ends[:, s] takes users, CL, CL^2 of those who had s ideals there.
    """
    t = consulted.shape[1]
    fewer = np.zeros(3, np.int64)
    for r in range(t):
        without = histogram[r, -1]
        _add(consulted.T[r], leading.T[r], sums[:, r])
        _count_bins(consulted.T[r], bin_shift, histogram[r])
        if histogram[r, -1] > without:
            # Who has at most r ideals at the end of the list, less who has fewer.
            ends[:, r] -= fewer
            _at_end(consulted.T[r], leading.T[r], fewer)
            ends[:, r] += fewer


@njit(nogil=True, cache=True, error_model="numpy")
def _add(consulted, leading, sums):
    """Add the users who have C(r)."""
    one = float(1 << RATIO_BITS)
    total, leads, low, high, lead_square, product, ratios = 0, 0, 0, 0, 0, 0, 0
    upper_square, halves, lower_square = 0, 0, 0
    for user in range(len(consulted)):
        c = np.int64(consulted[user])
        lead = np.int64(leading[user]) if c else 0
        square = c * c
        ratio = np.int64(lead / max(c, 1) * one)
        upper = ratio >> HALF_BITS
        lower = ratio & ((1 << HALF_BITS) - 1)
        total += c
        leads += lead
        low += square & 0xFFFFFFFF
        high += square >> 32
        lead_square += lead * lead
        product += lead * c
        ratios += ratio
        upper_square += upper * upper
        halves += upper * lower
        lower_square += lower * lower
    for row, value in enumerate(
        (total, leads, low, high, lead_square, product, ratios, upper_square, halves, lower_square)
    ):
        sums[row] += value


@njit(nogil=True, cache=True)
def _at_end(consulted, leading, ended):
    """Write users, CL, CL^2 of those without C(r)."""
    users, leads, squares = 0, 0, 0
    for user in range(len(consulted)):
        lead = np.int64(leading[user]) if consulted[user] == 0 else 0
        users += consulted[user] == 0
        leads += lead
        squares += lead * lead
    ended[0], ended[1], ended[2] = users, leads, squares


@njit(nogil=True, cache=True)
def _count_bins(consulted, bin_shift, histogram):
    """Count C(r) by the upper bits of its floating-point form; the last bin takes those without."""
    first_bin = 1023 << (52 - bin_shift)
    without = len(histogram) - 1
    for user in range(len(consulted)):
        c = consulted[user]
        place = (np.float64(c).view(np.int64) >> bin_shift) - first_bin
        histogram[uint64(place if c else without)] += 1
