/* What kernels share that add users up: ratios, sums that stay whole. */

#ifndef SUMS_H
#define SUMS_H

#include "door.h"

/* Bits behind the point of a user's ratio CL / C. */
#define RATIO_BITS 40
/* Users of a block, the most that are added up: so many products below 2^49 fit 63 bits. */
#define MOST_ADDED 16384

/* Return a whole number below 2^52 as it is. */
static inline double of_whole(uint64_t number) {
    const double point = (double)(UINT64_C(1) << 52);
    uint64_t bits;
    memcpy(&bits, &point, sizeof bits);
    bits |= number;
    double whole;
    memcpy(&whole, &bits, sizeof whole);
    return whole - point;
}

/* Return a number in [0, 2^51) without its fraction, as every processor does for many at once. */
static inline uint64_t cut_off(double number) {
    const double point = (double)(UINT64_C(1) << 52);
    double near = number + point;
    uint64_t bits, empty;
    memcpy(&bits, &near, sizeof bits);
    memcpy(&empty, &point, sizeof empty);
    return bits - empty - (near - point > number);
}

/* Add sums over users to column r of a table of `num_rows` rows. */
static inline void add_column(
    int64_t num_rows, int64_t t, int64_t r, int64_t table[num_rows][t],
    const uint64_t more[num_rows]) {
    for (int64_t row = 0; row < num_rows; row++) {
        assert(table[row][r] >= 0 && more[row] <= (uint64_t)(INT64_MAX - table[row][r]));
        table[row][r] += (int64_t)more[row];
    }
}

/* Count users at the end of the list by the ideals seen there, column r: `ended` are sums of users
with at most r ideals, `fewer` those of users whom columns before have taken. */
static inline void add_ended(
    int64_t num_rows, int64_t t, int64_t r, int64_t ends[num_rows][t],
    const uint64_t ended[num_rows], uint64_t fewer[num_rows]) {
    for (int64_t row = 0; row < num_rows; row++) {
        assert(ended[row] >= fewer[row] && ends[row][r] >= 0);
        ends[row][r] += (int64_t)(ended[row] - fewer[row]);
        fewer[row] = ended[row];
    }
}

#endif
