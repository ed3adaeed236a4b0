/* Weighted users added up to whole-number sums over units, for a tally. */

#include "kernels.h"
#include "sums.h"

/* Users of a unit, as in `streams`. */
#define OF_UNIT 32
/* Bits behind the point of W (C / num_elements)^2. */
#define SQUARE_BITS 56
/* What of a unit is summed. */
#define UNIT_ROWS 5

/* What is added up: the units of some users at one r. */
typedef struct {
    int64_t num_pairs;
    const int64_t (*pairs)[2];
    uint64_t (*sums)[2], (*products)[3][2];
} Units;

/* What a weight, a whole number, is multiplied by for each sum, and what C is divided by. */
typedef struct {
    double ratio, square, share, num_elements;
} Scales;

static Scales scales_of(int64_t bits, int64_t cut, int64_t num_elements) {
    assert(0 <= bits && bits <= RATIO_BITS && 0 <= cut && cut < 64);
    return (Scales){
        .ratio = (double)(UINT64_C(1) << (RATIO_BITS - bits)),
        .square = (double)(UINT64_C(1) << (SQUARE_BITS - bits)),
        .share = 1.0 / (double)(UINT64_C(1) << cut),
        .num_elements = (double)num_elements,
    };
}

/* Add up W, W CL / C and W (C / num_elements)^2 of the users of a unit. */
static inline void sum_weights(
    const int64_t *restrict weights, const int64_t *restrict consulted,
    const int64_t *restrict leading, Scales scales, uint64_t unit[UNIT_ROWS]) {
    uint64_t weight = 0, ratio = 0, square = 0;
    for (int user = 0; user < OF_UNIT; user++) {
        assert(weights[user] >= 0 && 0 <= leading[user] && leading[user] <= consulted[user]);
        double w = of_whole((uint64_t)weights[user]), c = of_whole((uint64_t)consulted[user]);
        double depth = c / scales.num_elements;
        weight += (uint64_t)weights[user];
        ratio += cut_off(w * scales.ratio * of_whole((uint64_t)leading[user]) / c + 0.5);
        square += cut_off_large(w * scales.square * depth * depth + 0.5);
    }
    unit[0] = weight;
    unit[3] = ratio;
    unit[4] = square;
}

/* Add up W C, or W CL, of the users of a unit. */
static inline uint64_t sum_weighted(
    const int64_t *restrict weights, const int64_t *restrict values) {
    uint64_t sum = 0;
    for (int user = 0; user < OF_UNIT; user++) {
        sum += (uint64_t)weights[user] * (uint64_t)values[user];
    }
    return sum;
}

/* The same where a user's share of it is rounded. */
static inline uint64_t sum_shares(
    const int64_t *restrict weights, const int64_t *restrict values, double share) {
    uint64_t sum = 0;
    for (int user = 0; user < OF_UNIT; user++) {
        double w = of_whole((uint64_t)weights[user]);
        sum += cut_off_large(share * w * of_whole((uint64_t)values[user]) + 0.5);
    }
    return sum;
}

/* Add a number to sums of upper and of lower words. */
static inline void add_words(uint64_t number, uint64_t words[2]) {
    words[0] += number >> 32;
    words[1] += number & UINT32_MAX;
}

/* Add the product of two numbers below 2^63: of upper halves, of an upper and a lower, of lower. */
static inline void add_halves(uint64_t one, uint64_t other, uint64_t words[3][2]) {
    const uint64_t half = (UINT64_C(1) << UNIT_HALF_BITS) - 1;
    assert(one >> 63 == 0 && other >> 63 == 0);
    uint64_t high = one >> UNIT_HALF_BITS, low = one & half;
    uint64_t other_high = other >> UNIT_HALF_BITS, other_low = other & half;
    add_words(high * other_high, words[0]);
    add_words(high * other_low + low * other_high, words[1]);
    add_words(low * other_low, words[2]);
}

/* Add a unit to sums and products. */
static inline void add_unit(const uint64_t unit[UNIT_ROWS], Units units) {
    for (int row = 0; row < UNIT_ROWS; row++) {
        add_words(unit[row], units.sums[row]);
    }
    for (int64_t pair = 0; pair < units.num_pairs; pair++) {
        const int64_t *rows = units.pairs[pair];
        add_halves(unit[rows[0]], unit[rows[1]], units.products[pair]);
    }
}

void add_units(
    int64_t t, int64_t num_users, int64_t num_pairs, const int32_t consulted[t][num_users],
    const int32_t leading[t][num_users], int64_t skipped, const int64_t weights[num_users],
    int64_t bits, int64_t num_elements, const int64_t pairs[num_pairs][2],
    uint64_t sums[t][5][2], uint64_t products[t][num_pairs][3][2]) {
    assert(0 <= skipped && (num_users - skipped) % OF_UNIT == 0);
    Scales scales = scales_of(bits, 0, num_elements);
    for (int64_t r = 0; r < t; r++) {
        Units units = {num_pairs, pairs, sums[r], products[r]};
        for (int64_t begin = skipped; begin < num_users; begin += OF_UNIT) {
            int64_t all[OF_UNIT], led[OF_UNIT];
            for (int user = 0; user < OF_UNIT; user++) {
                all[user] = consulted[r][begin + user];
                led[user] = leading[r][begin + user];
            }
            uint64_t unit[UNIT_ROWS];
            sum_weights(&weights[begin], all, led, scales, unit);
            unit[1] = sum_weighted(&weights[begin], all);
            unit[2] = sum_weighted(&weights[begin], led);
            add_unit(unit, units);
        }
    }
}

void add_cost_units(
    int64_t t, int64_t num_users, int64_t num_pairs, const int64_t costs[t][num_users],
    const int64_t leading[t][num_users], int64_t skipped, const int64_t weights[num_users],
    int64_t bits, int64_t cut, int64_t largest, const int64_t pairs[num_pairs][2],
    uint64_t sums[t][5][2], uint64_t products[t][num_pairs][3][2]) {
    assert(0 <= skipped && (num_users - skipped) % OF_UNIT == 0);
    Scales scales = scales_of(bits, cut, largest);
    for (int64_t r = 0; r < t; r++) {
        Units units = {num_pairs, pairs, sums[r], products[r]};
        for (int64_t begin = skipped; begin < num_users; begin += OF_UNIT) {
            const int64_t *own = &weights[begin], *all = &costs[r][begin];
            const int64_t *led = &leading[r][begin];
            uint64_t unit[UNIT_ROWS];
            sum_weights(own, all, led, scales, unit);
            unit[1] = cut ? sum_shares(own, all, scales.share) : sum_weighted(own, all);
            unit[2] = cut ? sum_shares(own, led, scales.share) : sum_weighted(own, led);
            add_unit(unit, units);
        }
    }
}
