/* Users who browse less than their table says, by their own factor. */

#include <math.h>

#include "counting.h"
#include "kernels.h"
#include "searching.h"

/* Write what is passed before the visits to an ideal at which users stop. */
static inline void draw_passed(
    int64_t num_users, int64_t t, const uint64_t numbers[num_users][t], int64_t x,
    const double *factors, double passed[TILE]) {
    for (int64_t user = 0; user < num_users; user++) {
        passed[user] = -log(1.0 - unit(numbers[user][x])) / factors[user];
    }
}

/* Write visits to begin with, which are seldom too early. */
static inline void guess_visits(
    int64_t num_users, const double *hazards, const int32_t *guide, double last, double scale,
    const double passed[TILE], int64_t visits[TILE]) {
    for (int64_t user = 0; user < num_users; user++) {
        double stretch = passed[user] * scale;
        int64_t visit = guide[(int64_t)(last < stretch ? last : stretch)];
        visits[user] = visit + (hazards[visit] <= passed[user]);
    }
}

/* Return the visit that is made: this one, by the number, or a later one. */
static int64_t retried(
    uint64_t number, int64_t visit, double factor, const Thinning *tables, int64_t never) {
    while (visit < never) {
        double p = tables->margins[visit];
        double proposed = p < 1.0 ? -expm1(factor * log1p(-p)) : 1.0;
        if (unit(mixed(number)) * proposed < factor * p) {
            break;
        }
        number += GOLDEN;
        double passed = tables->hazards[visit] - log(1.0 - unit(mixed(number))) / factor;
        visit = first_above(tables->hazards, visit + 1, tables->next_certain[visit + 1], passed);
        number += GOLDEN;
    }
    return visit;
}

/* Write the rank at which users first see ideal x. */
static inline void make_visits(
    int64_t num_users, int64_t t, const uint64_t numbers[num_users][t], int64_t x,
    const double *factors, const Thinning *tables, const double passed[TILE],
    const int64_t visits[TILE], int32_t keys[TILE]) {
    const double *hazards = tables->hazards, *margins = tables->margins;
    const int32_t *ranks = tables->ranks;
    int64_t certain = tables->next_certain[tables->starts[x]], own = tables->own_ranks[x];
    for (int64_t user = 0; user < num_users; user++) {
        int64_t visit = visits[user];
        while (hazards[visit] <= passed[user]) {
            visit++;
        }
        visit = least(visit, certain);
        uint64_t number = numbers[user][x] + GOLDEN;
        if (unit(mixed(number)) >= 1.0 - margins[visit]) {
            visit = retried(number, visit, factors[user], tables, tables->starts[x + 1] - 1);
        }
        keys[user] = (int32_t)least(ranks[visit], own);
    }
}

void thinned(
    Memory *memory, int64_t num_users, const double factors[num_users], const Thinning *tables,
    const Block *block) {
    int64_t visits[TILE], t = block->t;
    double passed[TILE];
    assert(tables->t == t && num_users == block->num_users);
    for (Tiles tiles = tiles_of(memory, block); next_tile(&tiles);) {
        const uint64_t (*numbers)[t] = (const uint64_t (*)[t])drawn_for(&tiles);
        const double *of_users = &factors[tiles.begin];
        for (int64_t x = 0; x < t; x++) {
            const int32_t *guide = &tables->guide[tables->guide_starts[x]];
            int64_t last = tables->guide_starts[x + 1] - tables->guide_starts[x] - 1;
            draw_passed(tiles.count, t, numbers, x, of_users, passed);
            guess_visits(
                tiles.count, tables->hazards, guide, (double)last, tables->scales[x], passed,
                visits);
            make_visits(
                tiles.count, t, numbers, x, of_users, tables, passed, visits, tiles.keys[x]);
        }
    }
}
