/* Users added up to integer sums, for a tally. */

#include "kernels.h"
#include "sums.h"

/* A user's ratio CL / C is squared in two halves. */
#define RATIO_HALF_BITS (RATIO_BITS / 2)

/* Add up the users with a C(r); return how many have none. */
static uint64_t sum_counts(
    int64_t num_users, const int32_t *restrict consulted, const int32_t *restrict leading,
    uint64_t sums[10]) {
    const double one = (double)(UINT64_C(1) << RATIO_BITS);
    uint64_t total = 0, leads = 0, squares = 0, high = 0, lead_square = 0, product = 0;
    uint64_t ratios = 0, upper_square = 0, halves = 0, lower_square = 0, without = 0;
    for (int64_t user = 0; user < num_users; user++) {
        int32_t c = consulted[user], lead = leading[user] & -(c != 0);
        assert(0 <= lead && lead <= c);
        uint64_t square = (uint64_t)(uint32_t)c * (uint32_t)c;
        uint64_t ratio = cut_off((double)lead / (double)(c + (c == 0)) * one);
        uint32_t upper = (uint32_t)(ratio >> RATIO_HALF_BITS);
        uint32_t lower = (uint32_t)ratio & ((1 << RATIO_HALF_BITS) - 1);
        without += c == 0;
        total += (uint32_t)c;
        leads += (uint32_t)lead;
        squares += square;
        high += square >> 32;
        lead_square += (uint64_t)(uint32_t)lead * (uint32_t)lead;
        product += (uint64_t)(uint32_t)lead * (uint32_t)c;
        ratios += ratio;
        upper_square += (uint64_t)upper * upper;
        halves += (uint64_t)upper * lower;
        lower_square += (uint64_t)lower * lower;
    }
    /* The lower halves' sum is below 2^46, so it is what is left of 64 bits. */
    uint64_t low = squares - (high << 32);
    uint64_t all[10] = {
        total, leads, low, high, lead_square, product, ratios, upper_square, halves, lower_square,
    };
    memcpy(sums, all, sizeof all);
    return without;
}

/* Add up users, CL, CL^2 of those without C(r). */
static void sum_ended(
    int64_t num_users, const int32_t *restrict consulted, const int32_t *restrict leading,
    uint64_t ended[3]) {
    uint64_t users = 0, leads = 0, squares = 0;
    for (int64_t user = 0; user < num_users; user++) {
        uint32_t lead = consulted[user] ? 0 : (uint32_t)leading[user];
        users += !consulted[user];
        leads += lead;
        squares += (uint64_t)lead * lead;
    }
    ended[0] = users;
    ended[1] = leads;
    ended[2] = squares;
}

void add_counts(
    int64_t t, int64_t num_users, const int32_t consulted[t][num_users],
    const int32_t leading[t][num_users], int64_t sums[10][t], int64_t ends[3][t]) {
    assert(num_users <= MOST_ADDED);
    uint64_t more[10], ended[3], fewer[3] = {0};
    for (int64_t r = 0; r < t; r++) {
        if (sum_counts(num_users, consulted[r], leading[r], more)) {
            sum_ended(num_users, consulted[r], leading[r], ended);
            add_ended(3, t, r, ends, ended, fewer);
        }
        add_column(10, t, r, sums, more);
    }
}
