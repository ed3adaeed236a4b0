/* From the ranks at which users first see ideals to C(r) and CL(r), a tile of users at once. */

#ifndef COUNTING_H
#define COUNTING_H

#include "kernels.h"
#include "random.h"

/* Users at once: a loop over a tile is long enough to vectorise, and fits the first cache. */
#define TILE 128
/* The rank of an ideal that the list does not show; sorts behind every rank and place. */
#define NEVER INT32_MAX

/* The users of a block, a tile of `count` from `begin` on at once. keys[x] take the ranks, from 1,
at which they first see ideal x, or NEVER; `numbers` have room for 2 t random numbers each. */
typedef struct {
    const Block *block;
    int64_t begin, count;
    int32_t (*keys)[TILE];
    uint64_t *numbers;
    /* Places behind the list; how many ideals users miss; whether their places coincide. */
    int32_t *places, *unseen, *same;
} Tiles;

static Tiles tiles_of(Memory *memory, const Block *block);

/* Go on to the next users, once those before are counted; return whether there are any. */
static bool next_tile(Tiles *tiles);

/* Return the number that names a user of a tile. */
static inline uint64_t identity_in(const Tiles *tiles, int64_t user) {
    return identity_of(tiles->block->source[0], tiles->block->done + tiles->begin + user);
}

/* Return t numbers from the block's source for each user of a tile. */
static inline uint64_t *drawn_for(const Tiles *tiles) {
    fill_uniform(tiles->count * tiles->block->t, tiles->block->source, tiles->numbers);
    return tiles->numbers;
}

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
static inline void forget(const Tiles *tiles) {
    int32_t *key = tiles->keys[0], *end = key + tiles->block->t * TILE;
    while (key < end) {
        *key++ = NEVER;
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

#endif
