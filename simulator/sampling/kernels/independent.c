/* Independent users: the rank at which each first sees each ideal. */

#include "counting.h"
#include "kernels.h"

void fill_uniform(int64_t size, uint64_t state[4], uint64_t out[size]) {
    uint64_t own[4] = {state[0], state[1], state[2], state[3]};
    for (int64_t k = 0; k < size; k++) {
        out[k] = next(own);
    }
    memcpy(state, own, sizeof own);
}

void first_seen(Memory *memory, const Candidates *tables, const Block *block) {
    int64_t t = block->t;
    assert(tables->t == t);
    for (Tiles tiles = tiles_of(memory, block); next_tile(&tiles);) {
        const uint64_t (*numbers)[t] = (const uint64_t (*)[t])drawn_for(&tiles);
        for (int64_t x = 0; x < t; x++) {
            int64_t start = tables->starts[x];
            see_first(
                tiles.count, t, numbers, x, &tables->cumulative[start], &tables->ranks[start],
                &tables->guides[tables->guide_starts[x]], tables->shifts[x], tiles.keys[x]);
        }
    }
}
