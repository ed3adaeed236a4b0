/* How many random draws it takes to get some of the elements of a kind. */

#include "kernels.h"

/* Return a share of `left` elements, 0 for fewer than none, at most 1. */
static inline double share_of(int64_t draws, int64_t left) {
    double share = (double)most(draws, 0) / (double)left;
    return share < 1.0 ? share : 1.0;
}

/* Take one more element into the law of how many of `size` are among the draws. */
static void grow_law(double *law, int64_t size, int64_t draws, int64_t left) {
    for (int64_t x = size; x > 0; x--) {
        double joins = (double)most(draws - x + 1, 0) / (double)left;
        law[x] = law[x] * (1.0 - share_of(draws - x, left)) + law[x - 1] * joins;
    }
    law[0] *= 1.0 - share_of(draws, left);
}

int64_t draws_needed(
    Memory *memory, int64_t num_kinds, int64_t unranked, const int64_t wanted[num_kinds],
    const int64_t among[num_kinds], const double weights[num_kinds], double level) {
    int64_t largest = num_kinds ? among[num_kinds - 1] : 0;
    assert(largest <= unranked);
    double *law = take(memory, largest + 1, sizeof *law);
    int64_t low = 0, high = unranked;
    while (high - low > 1) {
        int64_t draws = low + (high - low) / 2, size = 0;
        memset(law, 0, (size_t)(largest + 1) * sizeof *law);
        law[0] = 1.0;
        double share = 0.0;
        for (int64_t kind = 0; kind < num_kinds; kind++) {
            for (; size < among[kind]; size++) {
                grow_law(law, size + 1, draws, unranked - size);
            }
            double enough = 0.0;
            for (int64_t x = wanted[kind]; x <= size; x++) {
                enough += law[x];
            }
            share += weights[kind] * enough;
        }
        if (share >= level) {
            high = draws;
        } else {
            low = draws;
        }
    }
    return high;
}
