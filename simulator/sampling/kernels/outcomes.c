/* Users whose visits from one entry point depend on each other. */

#include <math.h>

#include "counting.h"
#include "kernels.h"

/* Users on their way from context to context, side by side: user, context that they come to, state
of their SplitMix64; what they draw; and how many ideals a user has found. */
typedef struct {
    int64_t users[TILE], at[TILE];
    uint64_t states[TILE], numbers[TILE];
    int64_t levels[TILE], outcomes[TILE], found[TILE];
} Passers;

/* Return the bits of a floating-point number: those of positive ones are in their order. */
static inline int64_t bits_of(double number) {
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Let all draw their next numbers. */
static inline void draw_numbers(int64_t passing, Passers *passers) {
    for (int64_t k = 0; k < passing; k++) {
        passers->states[k] += GOLDEN;
        passers->numbers[k] = mixed(passers->states[k]);
    }
}

/* Write outcomes to begin with, which are seldom too early. */
static inline void guess_outcomes(int64_t passing, const Contexts *contexts, Passers *passers) {
    const int64_t one = bits_of(1.0), shift = contexts->shift;
    const int64_t *outcomes = contexts->outcomes, *buckets = contexts->buckets;
    const int32_t *guide = contexts->guide;
    const double *levels = contexts->levels;
    for (int64_t k = 0; k < passing; k++) {
        int64_t at = passers->at[k];
        int64_t level = bits_of((1.0 - unit(passers->numbers[k])) * levels[at]);
        /* The lesser of two, without a branch. */
        int64_t last = buckets[2 * at + 1], over = ((one - level) >> shift) - last;
        int64_t bucket = buckets[2 * at] + last + (over & (over >> 63));
        int64_t outcome = guide[bucket];
        passers->outcomes[k] = outcome + (outcomes[2 * outcome] >= level);
        passers->levels[k] = level;
    }
}

/* Return how many do not exceed `passed`, by comparing all, which vectorises. */
static inline int64_t num_passed(int64_t count, const double *hazards, double passed) {
    int64_t num = 0;
    for (int64_t k = 0; k < count; k++) {
        num += hazards[k] <= passed;
    }
    return num;
}

/* Return a standard normal number between two bounds, by rejection. */
static double normal_within(uint64_t *state, double low, double high) {
    double nearest = low > 0.0 ? low : 0.0;
    nearest = high < nearest ? high : nearest;
    while (true) {
        double z = low + next_unit(state) * (high - low);
        if (next_unit(state) < exp(0.5 * (nearest * nearest - z * z))) {
            return z;
        }
    }
}

/* Note what a user sees in a context whose common factor z is in a cell; return how many are new.

Visits are the most probable at the cell's lower edge. With those probabilities at least one is
proposed; each is made with its probability at z divided by that. z is drawn only when a visit
depends on it: when it would not also be made at the upper edge. */
static __attribute__((noinline)) int64_t look(
    uint64_t state, int64_t cell, int64_t context, const Contexts *contexts, int64_t t,
    int32_t keys[t][TILE], int64_t user) {
    int64_t base = contexts->starts[context], count = contexts->starts[context + 1] - base;
    int64_t row = base * contexts->num_edges + cell * count;
    const double *hazards = &contexts->hazards[row];
    const double *most_seen = &contexts->highs[row], *least_seen = &contexts->highs[row + count];
    const double *edges = &contexts->edges[cell];
    double rho = contexts->rho, z = NAN;
    int64_t new = 0;
    double passed = -log(1.0 + next_unit(&state) * expm1(-hazards[count - 1]));
    int64_t k = least(num_passed(count, hazards, passed), count - 1);
    while (k < count) {
        double chance = next_unit(&state) * most_seen[k];
        bool sees = chance < least_seen[k];
        if (!sees) {
            z = isnan(z) ? normal_within(&state, edges[0], edges[1]) : z;
            double depth = sqrt(rho) * z - contexts->normals[base + k];
            sees = chance < 0.5 * erfc(depth / sqrt(2.0 - 2.0 * rho));
        }
        if (sees) {
            new += note(t, keys, contexts->ideals[base + k], user, contexts->ranks[context]);
        }
        passed = hazards[k] - log(1.0 - next_unit(&state));
        k = num_passed(count, hazards, passed);
    }
    return new;
}

/* Note what a user sees in a context by a list of places; return how many are new. */
static inline int64_t see_list(
    int64_t list, int64_t context, const Contexts *contexts, int64_t t, int32_t keys[t][TILE],
    int64_t user) {
    const int32_t *ends = &contexts->lists[2 * list];
    const int32_t *ideals = &contexts->ideals[contexts->starts[context]];
    int32_t rank = contexts->ranks[context];
    int64_t new = 0;
    for (int64_t place = ends[0]; place < ends[1]; place++) {
        see(&keys[ideals[contexts->places[place]]][user], &new, rank);
    }
    return new;
}

/* Let all come to their outcomes; return how many go on, who stand in front then. */
static inline int64_t come(
    int64_t passing, const Contexts *contexts, Passers *passers, int64_t t,
    int32_t keys[t][TILE]) {
    const int64_t *outcomes = contexts->outcomes;
    int64_t on = 0;
    for (int64_t k = 0; k < passing; k++) {
        int64_t user = passers->users[k], outcome = passers->outcomes[k];
        while (outcomes[2 * outcome] >= passers->levels[k]) {
            outcome++;
        }
        int32_t what = (int32_t)outcomes[2 * outcome + 1];
        int64_t context = outcomes[2 * outcome + 1] >> 32;
        if (context < 0) {
            continue;
        }
        assert(context < contexts->num_contexts && what < contexts->num_lists);
        passers->found[user] += what < 0
            ? look(passers->numbers[k], ~what, context, contexts, t, keys, user)
            : see_list(what, context, contexts, t, keys, user);
        passers->users[on] = user;
        passers->at[on] = context + 1;
        passers->states[on] = passers->states[k];
        on += passers->found[user] < t;
    }
    return on;
}

void contexts(Memory *memory, const Contexts *tables, const Block *block) {
    Passers *passers = take(memory, 1, sizeof *passers);
    for (Tiles tiles = tiles_of(memory, block); next_tile(&tiles);) {
        forget(&tiles);
        for (int64_t user = 0; user < tiles.count; user++) {
            passers->users[user] = user;
            passers->at[user] = passers->found[user] = 0;
            passers->states[user] = identity_in(&tiles, user);
        }
        int64_t passing = tiles.count;
        while (passing) {
            draw_numbers(passing, passers);
            guess_outcomes(passing, tables, passers);
            passing = come(passing, tables, passers, block->t, tiles.keys);
        }
    }
}
