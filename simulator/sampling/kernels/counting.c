/* Sorting, counting, and places behind the list; see counting.h. */

#include "counting.h"
#include "kernels.h"

static Room room_for(Memory *memory, int64_t t) {
    /* Selection sampling takes fewer than 2 t numbers. */
    return (Room){
        take(memory, 2 * t * TILE, sizeof(uint64_t)),
        take(memory, t * TILE + 1, sizeof(int32_t)),
        take(memory, TILE, sizeof(int32_t)),
        take(memory, most(t, TILE), sizeof(int32_t)),
    };
}

/* Return a random place behind the list. */
static inline int32_t behind(uint64_t number, const Unranked *unranked) {
    int64_t passed = (int64_t)(unit(number) * (double)unranked->size);
    return (int32_t)(unranked->num_ranked + 1 + passed);
}

/* Give each ideal that a user never sees in the list a place behind it, independently.

The numbers are drawn user by user, ideal by ideal. Return the most that a user needs. */
static int32_t place(
    int64_t t, int32_t keys[t][TILE], int64_t num_users, const Unranked *unranked, Room room) {
    memset(room.unseen, 0, TILE * sizeof(int32_t));
    for (int64_t x = 0; x < t; x++) {
        for (int user = 0; user < TILE; user++) {
            room.unseen[user] += keys[x][user] == NEVER;
        }
    }
    int64_t total = 0;
    int32_t largest = 0;
    for (int64_t user = 0; user < TILE; user++) {
        room.unseen[user] = user < num_users ? room.unseen[user] : 0;
        total += room.unseen[user];
        largest = room.unseen[user] > largest ? room.unseen[user] : largest;
    }
    fill_uniform(total, unranked->state, room.numbers);
    for (int64_t drawn = 0; drawn < total; drawn++) {
        room.places[drawn] = behind(room.numbers[drawn], unranked);
    }
    int64_t drawn = 0;
    for (int64_t user = 0; user < num_users; user++) {
        if (room.unseen[user]) {
            for (int64_t x = 0; x < t; x++) {
                if (keys[x][user] == NEVER) {
                    keys[x][user] = room.places[drawn++];
                }
            }
        }
    }
    return largest;
}

/* Put two rows in order, user by user. */
static inline void exchange(int32_t *restrict low, int32_t *restrict high) {
    for (int user = 0; user < TILE; user++) {
        int32_t a = low[user], b = high[user];
        low[user] = a < b ? a : b;
        high[user] = a < b ? b : a;
    }
}

/* Sort each column by Batcher's merge exchange (Knuth 5.2.2, algorithm M): no branches. */
static void sort_columns(int64_t t, int32_t keys[t][TILE]) {
    int64_t top = 1;
    while (2 * top < t) {
        top *= 2;
    }
    for (int64_t step = top; step; step >>= 1) {
        int64_t distance = step, merged = top, rest = 0;
        while (true) {
            for (int64_t low = 0; low < t - distance; low++) {
                if ((low & step) == rest) {
                    exchange(keys[low], keys[low + distance]);
                }
            }
            if (merged == step) {
                break;
            }
            distance = merged - step;
            merged >>= 1;
            rest = step;
        }
    }
}

/* Write a random set of places in order: selection sampling (Knuth 3.4.2, algorithm S). */
static void select_places(const Unranked *unranked, int64_t wanted, Room room) {
    fill_uniform(unranked->size, unranked->again, room.numbers);
    int64_t count = 0;
    for (int64_t passed = 0; passed < unranked->size; passed++) {
        room.places[count] = (int32_t)(unranked->num_ranked + 1 + passed);
        double left = (double)(unranked->size - passed);
        count += unit(room.numbers[passed]) * left < (double)(wanted - count);
    }
}

/* Draw places, kept in order, until `wanted` are distinct: also a uniformly random set. */
static void complete_places(const Unranked *unranked, int64_t wanted, int32_t *places) {
    int64_t count = 0;
    for (int64_t k = 0; k < wanted; k++) {
        places[count] = places[k];
        count += places[k] != places[least(k + 1, wanted - 1)];
    }
    count++;
    while (count < wanted) {
        int32_t place = behind(next(unranked->again), unranked);
        int64_t slot = 0;
        for (int64_t k = 0; k < count; k++) {
            slot += places[k] < place;
        }
        if (slot == count || places[slot] != place) {
            memmove(&places[slot + 1], &places[slot], (size_t)(count - slot) * sizeof *places);
            places[slot] = place;
            count++;
        }
    }
}

/* Draw again, user by user, where a user's places coincide. */
static void part(
    int64_t t, int32_t keys[t][TILE], int64_t num_users, const Unranked *unranked, Room room) {
    int32_t *same = room.more;
    memset(same, 0, TILE * sizeof(int32_t));
    for (int64_t r = 1; r < t; r++) {
        for (int user = 0; user < TILE; user++) {
            int32_t key = keys[r][user];
            same[user] += (key == keys[r - 1][user]) & (key > unranked->num_ranked);
        }
    }
    for (int64_t user = 0; user < num_users; user++) {
        if (same[user]) {
            int64_t wanted = room.unseen[user];
            for (int64_t r = 0; r < wanted; r++) {
                room.places[r] = keys[t - wanted + r][user];
            }
            if (2 * wanted > unranked->size) {
                select_places(unranked, wanted, room);
            } else {
                complete_places(unranked, wanted, room.places);
            }
            for (int64_t r = 0; r < wanted; r++) {
                keys[t - wanted + r][user] = room.places[r];
            }
        }
    }
}

/* Write a row of `count_tile`: a loop of its own, so that it vectorises. */
static inline void count_row(
    int64_t num_users, const int32_t *restrict keys, const int32_t *restrict before,
    int32_t missing, const int32_t *restrict led, int32_t *restrict consulted,
    int32_t *restrict leading) {
    for (int64_t user = 0; user < num_users; user++) {
        int32_t key = keys[user];
        leading[user] = led[user] + ((key != before[user]) & (key != missing));
        consulted[user] = key != missing ? key : 0;
    }
}

/* Write C(r) and CL(r) of the users begin .. end - 1 to columns of consulted and leading.

keys[x][user - begin] is the rank, from 1, at which the user first sees ideal x, or NEVER. An ideal
never seen gets a random place behind the list; sorted, the keys are C(r), and CL(r) counts keys
that differ from the one before. If the unranked part is not sampled, C(r) is 0 where the list did
not suffice, and CL(r) is that of the list. */
static void count_tile(
    int64_t t, int32_t keys[t][TILE], const Unranked *unranked, Room room, int64_t begin,
    int64_t end, int64_t num_users, int32_t consulted[t][num_users],
    int32_t leading[t][num_users]) {
    assert(0 <= begin && begin < end && end <= begin + TILE && end <= num_users);
    static const int32_t nothing[TILE] = {0};
    int32_t needed = unranked->is_sampled ? place(t, keys, end - begin, unranked, room) : 0;
    sort_columns(t, keys);
    if (needed > 1) {
        part(t, keys, end - begin, unranked, room);
    }
    int32_t missing = unranked->is_sampled ? 0 : NEVER;
    const int32_t *before = nothing, *led = nothing;
    for (int64_t r = 0; r < t; r++) {
        count_row(
            end - begin, keys[r], before, missing, led, &consulted[r][begin], &leading[r][begin]);
        before = keys[r];
        led = &leading[r][begin];
    }
}

void count_seen(
    Memory *memory, int64_t t, int64_t num_users, const int32_t seen[t][num_users],
    uint64_t state[4], uint64_t again[4], int64_t num_ranked, int64_t num_unranked, bool sampled,
    int32_t consulted[t][num_users], int32_t leading[t][num_users]) {
    Unranked unranked = {state, again, num_ranked, num_unranked, sampled};
    Room room = room_for(memory, t);
    int32_t (*keys)[TILE] = take_zeros(memory, t, sizeof *keys);
    for (int64_t begin = 0; begin < num_users; begin += TILE) {
        int64_t end = least(begin + TILE, num_users);
        for (int64_t x = 0; x < t; x++) {
            memcpy(keys[x], &seen[x][begin], (size_t)(end - begin) * sizeof **keys);
        }
        count_tile(t, keys, &unranked, room, begin, end, num_users, consulted, leading);
    }
}
