/* Users' C(r) turned into costs, and those added up to integer sums, for a tally. */

#include "kernels.h"
#include "sums.h"

/* Sums of products: of upper halves, of an upper and a lower, of lower halves. */
typedef struct {
    uint64_t high, middle, low;
} Product;

static inline void add_product(Product *sum, uint64_t first, uint64_t second) {
    uint32_t high = (uint32_t)(first >> COST_HALF_BITS);
    uint32_t low = (uint32_t)first & ((1 << COST_HALF_BITS) - 1);
    uint32_t other_high = (uint32_t)(second >> COST_HALF_BITS);
    uint32_t other_low = (uint32_t)second & ((1 << COST_HALF_BITS) - 1);
    sum->high += (uint64_t)high * other_high;
    sum->middle += (uint64_t)high * other_low + (uint64_t)low * other_high;
    sum->low += (uint64_t)low * other_low;
}

/* Write what the r-th ideal costs users, and of that what led to ideals. */
static void charge_row(
    int64_t num_users, int64_t num_ranked, const int64_t *restrict before, int64_t unranked,
    const int32_t *restrict consulted, const int32_t *restrict fewer,
    const int32_t *restrict leading, const int64_t *restrict led_before, int64_t *restrict costs,
    int64_t *restrict led) {
    for (int64_t user = 0; user < num_users; user++) {
        int64_t c = consulted[user], listed = least(c, num_ranked);
        assert(c >= 0);
        int64_t ranked = before[listed], own = ranked - before[most(listed - 1, 0)];
        int64_t last = c == listed ? own : unranked, is_new = leading[user] > fewer[user];
        costs[user] = ranked + unranked * (c - listed);
        led[user] = led_before[user] + (last & -is_new);
        assert(0 <= led[user] && costs[user] >> MOST_COST_BITS == 0);
    }
}

void charge(
    Memory *memory, int64_t t, int64_t num_users, int64_t num_sums,
    const int32_t consulted[t][num_users], const int32_t leading[t][num_users],
    const int64_t before[num_sums], int64_t unranked, int64_t costs[t][num_users],
    int64_t led[t][num_users]) {
    const int32_t *fewer = take_zeros(memory, num_users, sizeof *fewer);
    const int64_t *led_before = take_zeros(memory, num_users, sizeof *led_before);
    for (int64_t r = 0; r < t; r++) {
        charge_row(
            num_users, num_sums - 1, before, unranked, consulted[r], fewer, leading[r],
            led_before, costs[r], led[r]);
        fewer = leading[r];
        led_before = led[r];
    }
}

/* Add up the users with a cost; return how many have none. */
static uint64_t sum_costs(
    int64_t num_users, const int64_t *restrict costs, const int64_t *restrict leading,
    uint64_t sums[15]) {
    const double one = (double)(UINT64_C(1) << RATIO_BITS);
    uint64_t total = 0, leads = 0, ratios = 0, without = 0;
    Product square = {0}, lead_square = {0}, ratio_square = {0}, product = {0};
    for (int64_t user = 0; user < num_users; user++) {
        int64_t cost = costs[user], lead = leading[user] & -(int64_t)(cost != 0);
        assert(0 <= lead && lead <= cost && cost >> MOST_COST_BITS == 0);
        uint64_t ratio = cut_off(
            of_whole((uint64_t)lead) / of_whole((uint64_t)(cost + (cost == 0))) * one);
        without += cost == 0;
        total += (uint64_t)cost;
        leads += (uint64_t)lead;
        ratios += ratio;
        add_product(&square, (uint64_t)cost, (uint64_t)cost);
        add_product(&lead_square, (uint64_t)lead, (uint64_t)lead);
        add_product(&ratio_square, ratio, ratio);
        add_product(&product, (uint64_t)cost, (uint64_t)lead);
    }
    uint64_t all[15] = {
        total, leads, ratios, square.high, square.middle, square.low, lead_square.high,
        lead_square.middle, lead_square.low, ratio_square.high, ratio_square.middle,
        ratio_square.low, product.high, product.middle, product.low,
    };
    memcpy(sums, all, sizeof all);
    return without;
}

/* Add up the number, leading cost and its square of users without cost. */
static void sum_led_at_end(
    int64_t num_users, const int64_t *restrict costs, const int64_t *restrict leading,
    uint64_t ended[5]) {
    uint64_t users = 0, leads = 0;
    Product square = {0};
    for (int64_t user = 0; user < num_users; user++) {
        uint64_t lead = (uint64_t)(leading[user] & -(int64_t)(costs[user] == 0));
        assert(lead >> MOST_COST_BITS == 0);
        users += costs[user] == 0;
        leads += lead;
        add_product(&square, lead, lead);
    }
    uint64_t all[5] = {users, leads, square.high, square.middle, square.low};
    memcpy(ended, all, sizeof all);
}

void add_costs(
    int64_t t, int64_t num_users, const int64_t costs[t][num_users],
    const int64_t leading[t][num_users], int64_t sums[15][t], int64_t ends[5][t]) {
    assert(num_users <= MOST_ADDED);
    uint64_t more[15], ended[5], fewer[5] = {0};
    for (int64_t r = 0; r < t; r++) {
        if (sum_costs(num_users, costs[r], leading[r], more)) {
            sum_led_at_end(num_users, costs[r], leading[r], ended);
            add_ended(5, t, r, ends, ended, fewer);
        }
        add_column(15, t, r, sums, more);
    }
}
