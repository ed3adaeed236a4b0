/* Users who need points of spans, or whole ones, and open chunks. */

#include "counting.h"
#include "kernels.h"

/* Write the piece in which each user's point of span x lies. */
static inline void find_pieces(
    int64_t num_users, int64_t t, const uint64_t numbers[num_users][t], int64_t x,
    const Pieces *pieces, int64_t found[TILE]) {
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
        found[user] = piece;
    }
}

/* Return the rank, from 1, at which a user is first shown a piece, or NEVER. */
static inline int32_t opened(const Showings *showings, int64_t piece, uint64_t identity) {
    int64_t end = showings->starts[piece + 1];
    for (int64_t opening = showings->starts[piece]; opening < end; opening++) {
        if (unit(mixed(identity ^ showings->salts[opening])) < showings->chances[opening]) {
            return showings->ranks[opening];
        }
    }
    return showings->certain[piece];
}

/* Write the rank at which users are first shown the piece of their point. */
static inline void show_points(
    int64_t num_users, const Showings *showings, const int64_t pieces[TILE],
    const uint64_t identities[TILE], int32_t keys[TILE]) {
    const int32_t *certain = showings->certain;
    for (int64_t user = 0; user < num_users; user++) {
        keys[user] = certain[pieces[user]];
    }
    for (int64_t user = 0; showings->num_openings && user < num_users; user++) {
        keys[user] = opened(showings, pieces[user], identities[user]);
    }
}

/* Raise `last`, user by user, to the rank at which they are first shown a piece. */
static inline void show_piece(
    int64_t num_users, const Showings *showings, int64_t piece, const uint64_t identities[TILE],
    int32_t last[TILE]) {
    int32_t certain = showings->certain[piece];
    if (showings->starts[piece] == showings->starts[piece + 1]) {
        for (int user = 0; user < TILE; user++) {
            last[user] = last[user] < certain ? certain : last[user];
        }
        return;
    }
    for (int64_t user = 0; user < num_users; user++) {
        int32_t rank = opened(showings, piece, identities[user]);
        last[user] = last[user] < rank ? rank : last[user];
    }
}

void covering(
    Memory *memory, int64_t t, int64_t num_users, uint64_t points[4], uint64_t key,
    int64_t first_user, bool whole, const Pieces *pieces, const Showings *showings,
    uint64_t state[4], uint64_t again[4], int64_t num_ranked, int64_t num_unranked, bool sampled,
    int32_t consulted[t][num_users], int32_t leading[t][num_users]) {
    assert(pieces->t == t && pieces->num_pieces == showings->num_pieces);
    Unranked unranked = {state, again, num_ranked, num_unranked, sampled};
    Room room = room_for(memory, t);
    uint64_t (*numbers)[t] = take(memory, TILE * t, sizeof(uint64_t));
    int32_t (*keys)[TILE] = take_zeros(memory, t, sizeof *keys);
    uint64_t identities[TILE];
    int64_t found[TILE];
    for (int64_t begin = 0; begin < num_users; begin += TILE) {
        int64_t end = least(begin + TILE, num_users), count = end - begin;
        for (int64_t user = 0; user < count; user++) {
            identities[user] = identity_of(key, first_user + begin + user);
        }
        if (!whole) {
            fill_uniform(count * t, points, numbers[0]);
        }
        for (int64_t x = 0; x < t; x++) {
            if (whole) {
                memset(keys[x], 0, sizeof keys[x]);
                for (int64_t k = pieces->starts[x]; k < pieces->starts[x + 1]; k++) {
                    show_piece(count, showings, k, identities, keys[x]);
                }
            } else {
                find_pieces(count, t, (const uint64_t (*)[t])numbers, x, pieces, found);
                show_points(count, showings, found, identities, keys[x]);
            }
        }
        count_tile(t, keys, &unranked, room, begin, end, num_users, consulted, leading);
    }
}
