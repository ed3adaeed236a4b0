/* Random numbers: SFC64, one stream after another; SplitMix64, a number for each key. */

#ifndef RANDOM_H
#define RANDOM_H

#include "door.h"

/* The step between states of SplitMix64. */
#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

/* Return SFC64's next number. */
static inline uint64_t next(uint64_t state[4]) {
    uint64_t a = state[0], b = state[1], c = state[2];
    uint64_t number = a + b + state[3];
    state[0] = b ^ (b >> 11);
    state[1] = c + (c << 3);
    state[2] = ((c << 24) | (c >> 40)) + number;
    state[3]++;
    return number;
}

/* Return the upper 53 of 64 random bits as a number in [0, 1). */
static inline double unit(uint64_t number) {
    return (double)(int64_t)(number >> 11) * (1.0 / 9007199254740992.0);
}

/* Return SplitMix64's output for this state. */
static inline uint64_t mixed(uint64_t number) {
    number = (number ^ (number >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    number = (number ^ (number >> 27)) * UINT64_C(0x94D049BB133111EB);
    return number ^ (number >> 31);
}

/* Return SplitMix64's next number in [0, 1). */
static inline double next_unit(uint64_t *state) {
    *state += GOLDEN;
    return unit(mixed(*state));
}

/* Return the number that names a user, counted from 0, among all of a key. */
static inline uint64_t identity_of(uint64_t key, int64_t user) {
    return mixed(key + (uint64_t)(user + 1) * GOLDEN);
}

#endif
