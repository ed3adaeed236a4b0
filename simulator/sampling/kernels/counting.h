/* From the ranks at which users first see ideals to C(r) and CL(r), a tile of users at once. */

#ifndef COUNTING_H
#define COUNTING_H

#include "door.h"
#include "random.h"

/* Users at once: a loop over a tile is long enough to vectorise, and fits the first cache. */
#define TILE 128
/* The rank of an ideal that the list does not show; sorts behind every rank and place. */
#define NEVER INT32_MAX

/* The part of the collection that no list ranks, and its streams: for places behind the list, and
for those that coincide. If it is not sampled, C(r) is 0 where the list did not suffice. */
typedef struct {
    uint64_t *state, *again;
    int64_t num_ranked, size;
    bool is_sampled;
} Unranked;

/* Room for `count_tile`: random numbers, places, unseen ideals by user, one more array. */
typedef struct {
    uint64_t *numbers;
    int32_t *places, *unseen, *more;
} Room;

static Room room_for(Memory *memory, int64_t t);
static void count_tile(
    int64_t t, int32_t keys[t][TILE], const Unranked *unranked, Room room, int64_t begin,
    int64_t end, int64_t num_users, int32_t consulted[t][num_users],
    int32_t leading[t][num_users]);

/* Write the rank at which users first see ideal x, by column x of their numbers. */
static inline void see_first(
    int64_t num_users, int64_t t, const uint64_t numbers[num_users][t], int64_t x,
    const uint64_t *edges, const int32_t *candidates, const int32_t *guide, uint64_t shift,
    int32_t keys[TILE]) {
    for (int64_t user = 0; user < num_users; user++) {
        /* 53 bits, as the cumulative shares have: certainly below the 2^64 - 1 of the end. */
        uint64_t number = numbers[user][x] & UINT64_C(0xFFFFFFFFFFFFF800);
        int64_t k = guide[number >> shift];
        k += number >= edges[k];
        while (number >= edges[k]) {
            k++;
        }
        keys[user] = candidates[k];
    }
}

/* Write NEVER to all keys. */
static inline void forget(int64_t t, int32_t keys[t][TILE]) {
    for (int64_t x = 0; x < t; x++) {
        for (int user = 0; user < TILE; user++) {
            keys[x][user] = NEVER;
        }
    }
}

/* Note that a user sees an ideal (-1: none) at a rank; return 1 if it is new, else 0. */
static inline int64_t note(
    int64_t t, int32_t keys[t][TILE], int64_t ideal, int64_t user, int32_t rank) {
    if (ideal >= 0 && keys[ideal][user] == NEVER) {
        keys[ideal][user] = rank;
        return 1;
    }
    return 0;
}

/* Note that a user sees an ideal from a rank, which may be lower than before. */
static inline void see(int32_t *key, int64_t *found, int32_t rank) {
    *found += *key == NEVER;
    *key = rank < *key ? rank : *key;
}

/* Copy ranks of first seeing the ideals out, where they are asked for (not NULL). */
static inline void show_seen(
    int64_t t, int32_t keys[t][TILE], int64_t begin, int64_t end, int64_t num_users,
    int32_t seen[t][num_users]) {
    for (int64_t x = 0; seen && x < t; x++) {
        memcpy(&seen[x][begin], keys[x], (size_t)(end - begin) * sizeof(int32_t));
    }
}

#endif
