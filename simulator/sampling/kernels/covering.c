/* Users who need points of spans, or whole ones, and open chunks. */

#include "counting.h"
#include "kernels.h"

/* Write the piece in which each user's point of span x lies. */
static inline void find_pieces(
    int64_t num_users, int64_t t, const uint64_t numbers[num_users][t], int64_t x,
    const Pieces *pieces, int64_t places[TILE]) {
    const int32_t *guide = &pieces->guide[pieces->guide_starts[x]];
    const int64_t *ends = pieces->ends;
    double length = (double)pieces->lengths[x];
    int64_t shift = pieces->shifts[x];
    for (int64_t user = 0; user < num_users; user++) {
        int64_t character = (int64_t)(unit(numbers[user][x]) * length);
        int64_t piece = guide[character >> shift];
        while (character >= ends[piece]) {
            piece++;
        }
        places[user] = piece;
    }
}

/* Return the rank, from 1, at which a user is first shown a piece, or NEVER. */
static inline int32_t opened(const Pieces *pieces, int64_t piece, uint64_t identity) {
    int64_t end = pieces->opening_starts[piece + 1];
    for (int64_t opening = pieces->opening_starts[piece]; opening < end; opening++) {
        if (unit(mixed(identity ^ pieces->salts[opening])) < pieces->chances[opening]) {
            return pieces->ranks[opening];
        }
    }
    return pieces->certain[piece];
}

/* Write the rank at which users are first shown the piece of their point. */
static inline void show_points(
    int64_t num_users, const Pieces *pieces, const int64_t places[TILE],
    const uint64_t identities[TILE], int32_t keys[TILE]) {
    const int32_t *certain = pieces->certain;
    for (int64_t user = 0; user < num_users; user++) {
        keys[user] = certain[places[user]];
    }
    for (int64_t user = 0; pieces->num_openings && user < num_users; user++) {
        keys[user] = opened(pieces, places[user], identities[user]);
    }
}

/* Raise `last`, user by user, to the rank at which they are first shown a piece. */
static inline void show_piece(
    int64_t num_users, const Pieces *pieces, int64_t piece, const uint64_t identities[TILE],
    int32_t last[TILE]) {
    int32_t certain = pieces->certain[piece];
    if (pieces->opening_starts[piece] == pieces->opening_starts[piece + 1]) {
        for (int user = 0; user < TILE; user++) {
            last[user] = last[user] < certain ? certain : last[user];
        }
        return;
    }
    for (int64_t user = 0; user < num_users; user++) {
        int32_t rank = opened(pieces, piece, identities[user]);
        last[user] = last[user] < rank ? rank : last[user];
    }
}

void covering(
    Memory *memory, uint64_t points[4], bool whole, const Pieces *pieces, const Block *block) {
    int64_t places[TILE], t = block->t;
    uint64_t identities[TILE];
    assert(pieces->t == t);
    for (Tiles tiles = tiles_of(memory, block); next_tile(&tiles);) {
        int64_t count = tiles.count;
        for (int64_t user = 0; user < count; user++) {
            identities[user] = identity_in(&tiles, user);
        }
        if (!whole) {
            fill_uniform(count * t, points, tiles.numbers);
        }
        for (int64_t x = 0; x < t; x++) {
            int32_t *keys = tiles.keys[x];
            if (whole) {
                memset(keys, 0, sizeof *tiles.keys);
                for (int64_t k = pieces->starts[x]; k < pieces->starts[x + 1]; k++) {
                    show_piece(count, pieces, k, identities, keys);
                }
            } else {
                find_pieces(count, t, (const uint64_t (*)[t])tiles.numbers, x, pieces, places);
                show_points(count, pieces, places, identities, keys);
            }
        }
    }
}
