/* Sorting, counting, and places behind the list; see counting.h. */

#include "counting.h"
#include "kernels.h"

static Tiles tiles_of(Memory *memory, const Block *block) {
    int64_t t = block->t;
    /* Selection sampling takes fewer than 2 t numbers. */
    return (Tiles){
        block, 0, 0, take_zeros(memory, t, TILE * sizeof(int32_t)),
        take(memory, 2 * t * TILE, sizeof(uint64_t)), take(memory, t * TILE + 1, sizeof(int32_t)),
        take(memory, TILE, sizeof(int32_t)), take(memory, TILE, sizeof(int32_t)),
    };
}

/* Return a random place behind the list. */
static inline int32_t behind(uint64_t number, const Block *block) {
    int64_t passed = (int64_t)(unit(number) * (double)block->num_unranked);
    return (int32_t)(block->num_ranked + 1 + passed);
}

/* Give each ideal that a user never sees in the list a place behind it, independently.

The numbers are drawn user by user, ideal by ideal. Return the most that a user needs. */
static int32_t place(const Tiles *tiles) {
    int64_t t = tiles->block->t;
    int32_t (*keys)[TILE] = tiles->keys, *unseen = tiles->unseen;
    memset(unseen, 0, TILE * sizeof *unseen);
    for (int64_t x = 0; x < t; x++) {
        for (int user = 0; user < TILE; user++) {
            unseen[user] += keys[x][user] == NEVER;
        }
    }
    int64_t total = 0;
    int32_t largest = 0;
    for (int64_t user = 0; user < TILE; user++) {
        unseen[user] = user < tiles->count ? unseen[user] : 0;
        total += unseen[user];
        largest = unseen[user] > largest ? unseen[user] : largest;
    }
    fill_uniform(total, tiles->block->state, tiles->numbers);
    for (int64_t drawn = 0; drawn < total; drawn++) {
        tiles->places[drawn] = behind(tiles->numbers[drawn], tiles->block);
    }
    int64_t drawn = 0;
    for (int64_t user = 0; user < tiles->count; user++) {
        if (unseen[user]) {
            for (int64_t x = 0; x < t; x++) {
                if (keys[x][user] == NEVER) {
                    keys[x][user] = tiles->places[drawn++];
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
static void select_places(const Tiles *tiles, int64_t wanted) {
    const Block *block = tiles->block;
    fill_uniform(block->num_unranked, block->again, tiles->numbers);
    int64_t count = 0;
    for (int64_t passed = 0; passed < block->num_unranked; passed++) {
        tiles->places[count] = (int32_t)(block->num_ranked + 1 + passed);
        double left = (double)(block->num_unranked - passed);
        count += unit(tiles->numbers[passed]) * left < (double)(wanted - count);
    }
}

/* Draw places, kept in order, until `wanted` are distinct: also a uniformly random set. */
static void complete_places(const Block *block, int64_t wanted, int32_t *places) {
    int64_t count = 0;
    for (int64_t k = 0; k < wanted; k++) {
        places[count] = places[k];
        count += places[k] != places[least(k + 1, wanted - 1)];
    }
    count++;
    while (count < wanted) {
        int32_t place = behind(next(block->again), block);
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
static void part(const Tiles *tiles) {
    const Block *block = tiles->block;
    int64_t t = block->t;
    int32_t (*keys)[TILE] = tiles->keys, *same = tiles->same, *places = tiles->places;
    memset(same, 0, TILE * sizeof *same);
    for (int64_t r = 1; r < t; r++) {
        for (int user = 0; user < TILE; user++) {
            int32_t key = keys[r][user];
            same[user] += (key == keys[r - 1][user]) & (key > block->num_ranked);
        }
    }
    for (int64_t user = 0; user < tiles->count; user++) {
        if (same[user]) {
            int64_t wanted = tiles->unseen[user];
            for (int64_t r = 0; r < wanted; r++) {
                places[r] = keys[t - wanted + r][user];
            }
            if (2 * wanted > block->num_unranked) {
                select_places(tiles, wanted);
            } else {
                complete_places(block, wanted, places);
            }
            for (int64_t r = 0; r < wanted; r++) {
                keys[t - wanted + r][user] = places[r];
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

/* Write C(r) and CL(r) of the users of a tile, and the keys if they are asked for.

An ideal never seen gets a random place behind the list; sorted, the keys are C(r), and CL(r) counts
keys that differ from the one before. */
static void count_tile(const Tiles *tiles) {
    static const int32_t nothing[TILE] = {0};
    const Block *block = tiles->block;
    int64_t t = block->t;
    for (int64_t x = 0; block->seen && x < t; x++) {
        int32_t *seen = &block->seen[x * block->num_users + tiles->begin];
        memcpy(seen, tiles->keys[x], (size_t)tiles->count * sizeof *seen);
    }
    int32_t needed = block->sampled ? place(tiles) : 0;
    sort_columns(t, tiles->keys);
    if (needed > 1) {
        part(tiles);
    }
    int32_t missing = block->sampled ? 0 : NEVER;
    const int32_t *before = nothing, *led = nothing;
    for (int64_t r = 0; r < t; r++) {
        int64_t row = r * block->num_users + tiles->begin;
        int32_t *consulted = &block->consulted[row], *leading = &block->leading[row];
        count_row(tiles->count, tiles->keys[r], before, missing, led, consulted, leading);
        before = tiles->keys[r];
        led = leading;
    }
}

static bool next_tile(Tiles *tiles) {
    if (tiles->count) {
        count_tile(tiles);
    }
    tiles->begin += tiles->count;
    tiles->count = least(TILE, tiles->block->num_users - tiles->begin);
    return tiles->count > 0;
}

void count_seen(
    Memory *memory, int64_t t, int64_t num_users, const int32_t ranks[t][num_users],
    const Block *block) {
    assert(t == block->t && num_users == block->num_users);
    for (Tiles tiles = tiles_of(memory, block); next_tile(&tiles);) {
        for (int64_t x = 0; x < t; x++) {
            const int32_t *first = &ranks[x][tiles.begin];
            memcpy(tiles.keys[x], first, (size_t)tiles.count * sizeof *first);
        }
    }
}
