"""Compiled loops that draw independent users, and what other loops share with them.

Other loops are in `outcomes`, `paths` and `thinning`. Numba's cache of those does not notice
changes here: it needs a separate directory for every state of the files, as the Makefile sets it.

Every random number comes from the SFC64 states handed in; each kernel has a plain-Python twin in
`tests.twins.independent` that gives the same users on the same stream.
"""

import numpy as np
from numba import njit, uint64

# Users handled at once: a loop over a tile is long enough to vectorise and fits the first cache.
TILE = 128
# The rank of an ideal that the list does not show; sorts behind every rank and place.
NEVER = 2**31 - 1
# The step between states of SplitMix64.
GOLDEN = uint64(0x9E3779B97F4A7C15)


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


@njit(nogil=True, cache=True, inline="always")
def _unit(number):
    """Return the upper 53 of 64 random bits as a float in [0, 1)."""
    return (number >> uint64(11)) * (1.0 / 9007199254740992.0)


@njit(nogil=True, cache=True)
def first_seen(
    source, starts, cumulative, ranks, guide_starts, guides, guide_shifts,
    state, again, num_ranked, unranked, sampled, consulted, leading,
):  # fmt: skip
    """Draw the next users under independent navigation, and write their C(r) and CL(r).

    Each user has t numbers from `source`. Ideal x is first seen at the rank whose cumulative
    probability first exceeds the user's number for x. Column x's candidates are starts[x] ..
    starts[x + 1]; the number's top bits point to the candidate to begin with, which is seldom more
    than one too early.
    """
    num_users, t = consulted.shape
    numbers = np.empty((TILE, t), np.uint64)
    keys = np.zeros((t, TILE), np.int32)
    room = _room(t)
    for begin in range(0, num_users, TILE):
        end = min(begin + TILE, num_users)
        mine = numbers[: end - begin]
        fill_uniform(source, mine)
        for x in range(t):
            edges = cumulative[starts[x] : starts[x + 1]]
            candidates = ranks[starts[x] : starts[x + 1]]
            guide = guides[guide_starts[x] : guide_starts[x + 1]]
            shift = guide_shifts[x]
            for user in range(end - begin):
                # 53 bits, as the cumulative shares have: certainly below the 2^64 - 1 of the end.
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
    counts keys that differ from the one before. If the unranked part is not sampled, C(r) is 0
    where the list did not suffice, and CL(r) is that of the list.
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
    """Write a row of `_count`: a separate loop, so that it vectorises."""
    for user in range(len(consulted)):
        key = keys[user]
        leading[user] = led[user] + ((key != before[user]) & (key != missing))
        consulted[user] = key if key != missing else 0


@njit(nogil=True, cache=True, inline="always")
def _behind(number, num_ranked, unranked):
    """Return a random place behind the list."""
    return np.int32(num_ranked + 1 + np.int64(_unit(number) * unranked))


@njit(nogil=True, cache=True)
def _place(keys, num_users, state, num_ranked, unranked, room):
    """Give each ideal that a user never sees in the list a place behind it, independently.

    The numbers are drawn user by user, ideal by ideal. Return the most that a user needs.
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
            # Unsigned, since an index that may be negative is checked.
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
    """Draw places, kept in order, until `wanted` are distinct: also a uniformly random set."""
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


@njit(nogil=True, cache=True)
def _first_above(hazards, low, high, passed):
    """Return the first k of low .. high - 1 whose hazard exceeds `passed`, else high."""
    while low < high:
        middle = (low + high) >> 1
        if hazards[middle] > passed:
            high = middle
        else:
            low = middle + 1
    return low


@njit(nogil=True, cache=True, inline="always")
def _mixed(number):
    """Return SplitMix64's output for this state."""
    number = (number ^ (number >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> uint64(27))) * uint64(0x94D049BB133111EB)
    return number ^ (number >> uint64(31))
