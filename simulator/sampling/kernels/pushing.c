/* Plain and pushed independent users, and how much commoner a push makes them. */

#include "counting.h"
#include "kernels.h"
#include "searching.h"

/* Shares are counted in parts of this. */
#define WHOLE (INT64_C(1) << 53)

/* Return a number whose share of 2^53 is in low .. high - 1 with probability `inside`. */
static uint64_t moved(uint64_t number, int64_t low, int64_t high, double inside) {
    const double whole = (double)WHOLE;
    double share = unit(number);
    double chance = (double)(high - low) / whole;
    double rest = (1.0 - inside) / (1.0 - chance);
    double below = (double)low / whole * rest;
    int64_t place;
    if (share < below) {
        place = least((int64_t)(share / rest * whole), low - 1);
    } else if (share < below + inside) {
        place = low + (int64_t)((share - below) / inside * (double)(high - low));
        place = least(place, high - 1);
    } else {
        place = high + (int64_t)((share - below - inside) / rest * whole);
        place = least(place, WHOLE - 1);
    }
    return (uint64_t)place << 11;
}

/* Move the shares of a user to what a group of events is. */
static inline void push_shares(const Groups *groups, int64_t group, uint64_t *numbers) {
    for (int64_t entry = groups->starts[group]; entry < groups->starts[group + 1]; entry++) {
        uint64_t *number = &numbers[groups->ideals[entry]];
        *number = moved(
            *number, groups->lows[entry], groups->highs[entry], groups->inside[entry]);
    }
}

void pushed_visits(
    Memory *memory, int64_t t, int64_t num_users, int64_t num_candidates, int64_t num_guides,
    uint64_t source[4], uint64_t pushes[4], int64_t done, int64_t every, int64_t unit_size,
    const Groups *groups, const int64_t starts[t + 1], const uint64_t cumulative[num_candidates],
    const int32_t ranks[num_candidates], const int64_t guide_starts[t + 1],
    const int32_t guides[num_guides], const uint64_t guide_shifts[t], uint64_t state[4],
    uint64_t again[4], int64_t num_ranked, int64_t num_unranked, int32_t consulted[t][num_users],
    int32_t leading[t][num_users]) {
    Unranked unranked = {state, again, num_ranked, num_unranked, true};
    Room room = room_for(memory, t);
    uint64_t (*numbers)[t] = take(memory, TILE * t, sizeof(uint64_t));
    int32_t (*keys)[TILE] = take_zeros(memory, t, sizeof *keys);
    double width = (double)every / (double)unit_size;
    for (int64_t begin = 0; begin < num_users; begin += TILE) {
        int64_t end = least(begin + TILE, num_users);
        fill_uniform((end - begin) * t, source, numbers[0]);
        for (int64_t user = every - 1 - (done + begin) % every; user < end - begin; user += every) {
            int64_t stratum = (done + begin + user) % unit_size / every;
            double pick = ((double)stratum + unit(next(pushes))) * width;
            int64_t group = first_above(groups->picks, 0, groups->num_groups, pick);
            assert(group < groups->num_groups);
            push_shares(groups, group, numbers[user]);
        }
        for (int64_t x = 0; x < t; x++) {
            see_first(
                end - begin, t, (const uint64_t (*)[t])numbers, x, &cumulative[starts[x]],
                &ranks[starts[x]], &guides[guide_starts[x]], guide_shifts[x], keys[x]);
        }
        count_tile(t, keys, &unranked, room, begin, end, num_users, consulted, leading);
    }
}

/* Count, user by user, an ideal consulted up to a depth. */
static inline void add_seen(
    int64_t num_users, const int32_t *restrict consulted, int32_t depth, int32_t *restrict seen) {
    for (int64_t user = 0; user < num_users; user++) {
        seen[user] += consulted[user] <= depth;
    }
}

/* Add to ratios what the r-th ideal adds, `before` the one before it, or NULL; `power` is the
weight of users' rank times theta for every ideal there. */
static inline void add_meeting(
    int64_t num_users, const int32_t *row, const int32_t *before, int64_t num_ranks,
    const double *weight, const double *theta, double *restrict power, double *restrict ratios) {
    for (int64_t user = 0; user < num_users; user++) {
        int64_t rank = row[user] < num_ranks ? row[user] : 0;
        if (!before || row[user] != before[user]) {
            power[user] = weight[rank];
        }
        ratios[user] += power[user] * (theta[rank] - 1.0);
        power[user] *= theta[rank];
    }
}

void weigh_visits(
    int64_t t, int64_t num_users, int64_t num_depths, int64_t num_ranks,
    const int32_t consulted[t][num_users], const int32_t depths[num_depths],
    const double by_count[num_depths][t + 1], const double weight[num_ranks],
    const double theta[num_ranks], double rest, double ratios[num_users]) {
    int32_t seen[TILE];
    double power[TILE];
    for (int64_t begin = 0; begin < num_users; begin += TILE) {
        int64_t count = least(TILE, num_users - begin);
        double *mine = &ratios[begin];
        for (int64_t user = 0; user < count; user++) {
            mine[user] = rest;
        }
        for (int64_t at = 0; at < num_depths; at++) {
            memset(seen, 0, sizeof seen);
            for (int64_t r = 0; r < t; r++) {
                add_seen(count, &consulted[r][begin], depths[at], seen);
            }
            for (int64_t user = 0; user < count; user++) {
                mine[user] += by_count[at][seen[user]];
            }
        }
        for (int64_t r = 0; rest > 0.0 && r < t; r++) {
            const int32_t *before = r ? &consulted[r - 1][begin] : NULL;
            add_meeting(
                count, &consulted[r][begin], before, num_ranks, weight, theta, power, mine);
        }
    }
}
