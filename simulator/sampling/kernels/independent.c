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

void first_seen(
    Memory *memory, int64_t t, int64_t num_users, int64_t num_candidates, int64_t num_guides,
    uint64_t source[4], const int64_t starts[t + 1], const uint64_t cumulative[num_candidates],
    const int32_t ranks[num_candidates], const int64_t guide_starts[t + 1],
    const int32_t guides[num_guides], const uint64_t guide_shifts[t], uint64_t state[4],
    uint64_t again[4], int64_t num_ranked, int64_t num_unranked, bool sampled,
    int32_t consulted[t][num_users], int32_t leading[t][num_users]) {
    Unranked unranked = {state, again, num_ranked, num_unranked, sampled};
    Room room = room_for(memory, t);
    uint64_t (*numbers)[t] = take(memory, TILE * t, sizeof(uint64_t));
    int32_t (*keys)[TILE] = take_zeros(memory, t, sizeof *keys);
    for (int64_t begin = 0; begin < num_users; begin += TILE) {
        int64_t end = least(begin + TILE, num_users);
        fill_uniform((end - begin) * t, source, numbers[0]);
        for (int64_t x = 0; x < t; x++) {
            see_first(
                end - begin, t, (const uint64_t (*)[t])numbers, x, &cumulative[starts[x]],
                &ranks[starts[x]], &guides[guide_starts[x]], guide_shifts[x], keys[x]);
        }
        count_tile(t, keys, &unranked, room, begin, end, num_users, consulted, leading);
    }
}
