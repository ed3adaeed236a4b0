/* Steps of many walkers at once, along alias tables. */

#ifndef WALKING_H
#define WALKING_H

#include "random.h"

/* Walkers side by side: user and what they carry (a rank, an entry), place, stream; `picked` and
`rests` are room for a step. */
typedef struct {
    int64_t *users, *carried;
    uint64_t *at, *first, *second, *third, *picked, *rests;
} Walkers;

static inline Walkers walkers_for(Memory *memory, int64_t abreast) {
    return (Walkers){
        take(memory, abreast, sizeof(int64_t)), take(memory, abreast, sizeof(int64_t)),
        take(memory, abreast, sizeof(uint64_t)), take(memory, abreast, sizeof(uint64_t)),
        take(memory, abreast, sizeof(uint64_t)), take(memory, abreast, sizeof(uint64_t)),
        take(memory, abreast, sizeof(uint64_t)), take(memory, abreast, sizeof(uint64_t)),
    };
}

/* Let walker k set out from a place, on the stream of a seed. */
static inline void set_out(
    const Walkers *walkers, int64_t k, int64_t user, int64_t carried, uint64_t at, uint64_t seed) {
    walkers->users[k] = user;
    walkers->carried[k] = carried;
    walkers->at[k] = at;
    walkers->first[k] = mixed(seed + GOLDEN);
    walkers->second[k] = mixed(seed + 2 * GOLDEN);
    walkers->third[k] = mixed(seed + 3 * GOLDEN);
}

/* Return the place to which a column of an alias table leads, 0 to stop. */
static inline uint64_t outcome(const uint64_t column[2], uint64_t rest) {
    return (column[1] >> (rest >= column[0] ? 32 : 0)) & UINT32_MAX;
}

/* Let every walker take the next step: write the places to which they come, 0 to stop.

First all draw, then all look up their columns, so that memory is read without waiting. */
static inline void step(
    int64_t walking, const Walkers *walkers, uint64_t counter, const uint64_t (*columns)[2]) {
    uint64_t *restrict at = walkers->at;
    uint64_t *restrict first = walkers->first, *restrict second = walkers->second;
    uint64_t *restrict third = walkers->third;
    uint64_t *restrict picked = walkers->picked, *restrict rests = walkers->rests;
    for (int64_t k = 0; k < walking; k++) {
        uint64_t b = second[k], c = third[k], number = first[k] + b + counter;
        first[k] = b ^ (b >> 11);
        second[k] = c + (c << 3);
        third[k] = ((c << 24) | (c >> 40)) + number;
        uint64_t size = at[k] & (0 - at[k]);
        picked[k] = ((at[k] - size) >> 1) + (((number >> 32) * size) >> 32);
        rests[k] = number * size;
    }
    for (int64_t k = 0; k < walking; k++) {
        at[k] = outcome(columns[picked[k]], rests[k]);
    }
}

/* Move walkers who have not stopped to the front, and return how many they are. */
static inline int64_t stay(int64_t walking, const Walkers *walkers) {
    Walkers w = *walkers;
    int64_t on = 0;
    for (int64_t k = 0; k < walking; k++) {
        uint64_t at = w.at[k];
        w.at[on] = at;
        w.first[on] = w.first[k];
        w.second[on] = w.second[k];
        w.third[on] = w.third[k];
        w.users[on] = w.users[k];
        w.carried[on] = w.carried[k];
        on += at != 0;
    }
    return on;
}

/* Return the ideal at a place, -1 for none; places are hashed, and few slots are in use. */
static inline int32_t ideal_at(
    uint64_t at, int64_t num_slots, const uint64_t *slots, const int32_t *slot_ideals) {
    uint64_t mask = (uint64_t)num_slots - 1;
    for (uint64_t slot = (at * GOLDEN >> 32) & mask; slots[slot]; slot = (slot + 1) & mask) {
        if (slots[slot] == at) {
            return slot_ideals[slot];
        }
    }
    return -1;
}

#endif
