/* Sparse equations, by Gauss and Seidel. */

#include <math.h>

#include "kernels.h"

/* Where B moves from row i. */
typedef struct {
    int64_t i, count;
    const int32_t *columns;
    const double *moves;
} Row;

/* Return the probability that a move from a row leads back to it. */
static inline double staying(const Row *row) {
    double stays = 0.0;
    for (int64_t k = 0; k < row->count; k++) {
        stays += row->columns[k] == row->i ? row->moves[k] : 0.0;
    }
    return stays;
}

/* Set `lanes` entries of a row; return the largest change of the first `counted`.

`right` and `solution` begin at the first of the columns. Called with constants, so that the sums
stay in registers. */
static inline double set_lanes(
    int lanes, int64_t counted, const Row *row, double left, int64_t width, const double *right,
    double *solution) {
    double sums[8], largest = 0.0;
    memcpy(sums, &right[row->i * width], (size_t)lanes * sizeof *sums);
    for (int64_t k = 0; k < row->count; k++) {
        if (row->columns[k] != row->i) {
            const double *other = &solution[row->columns[k] * width];
            double move = row->moves[k];
            for (int x = 0; x < lanes; x++) {
                sums[x] += move * other[x];
            }
        }
    }
    double *own = &solution[row->i * width];
    for (int x = 0; x < lanes; x++) {
        double value = sums[x] / left, change = fabs(value - own[x]);
        largest = x < counted && change > largest ? change : largest;
        own[x] = value;
    }
    return largest;
}

double sweep(
    int64_t n, int64_t width, int64_t num_moves, const int64_t starts[n + 1],
    const int32_t columns[num_moves], const double moves[num_moves], const double right[n][width],
    double solution[n][width], bool upward) {
    int64_t lanes = width >= 8 ? 8 : width >= 4 ? 4 : width >= 2 ? 2 : 1;
    double largest = 0.0;
    for (int64_t step = 0; step < n; step++) {
        int64_t i = upward ? n - 1 - step : step;
        Row row = {i, starts[i + 1] - starts[i], &columns[starts[i]], &moves[starts[i]]};
        double left = 1.0 - staying(&row);
        for (int64_t end = lanes; end < width + lanes; end += lanes) {
            /* The last columns may be set twice, to the same. */
            int64_t x = least(end, width) - lanes, counted = width - 1 - x;
            const double *from = &right[0][x];
            double *to = &solution[0][x], change;
            switch (lanes) {
            case 8: change = set_lanes(8, counted, &row, left, width, from, to); break;
            case 4: change = set_lanes(4, counted, &row, left, width, from, to); break;
            case 2: change = set_lanes(2, counted, &row, left, width, from, to); break;
            default: change = set_lanes(1, counted, &row, left, width, from, to);
            }
            largest = change > largest ? change : largest;
        }
    }
    return largest;
}
