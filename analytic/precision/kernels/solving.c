/* Sparse equations, by Gauss and Seidel. */

#include <math.h>

#include "kernels.h"

double sweep(
    Memory *memory, int64_t n, int64_t width, int64_t num_moves, const int64_t starts[n + 1],
    const int32_t columns[num_moves], const double moves[num_moves], const double right[n][width],
    double solution[n][width], bool upward) {
    double *restrict row = take(memory, width, sizeof *row);
    double largest = 0.0;
    for (int64_t step = 0; step < n; step++) {
        int64_t i = upward ? n - 1 - step : step;
        double stays = 0.0;
        memcpy(row, right[i], sizeof right[i]);
        for (int64_t k = starts[i]; k < starts[i + 1]; k++) {
            int64_t j = columns[k];
            assert(j >= 0 && j < n);
            if (j == i) {
                stays += moves[k];
            } else {
                for (int64_t x = 0; x < width; x++) {
                    row[x] += moves[k] * solution[j][x];
                }
            }
        }
        for (int64_t x = 0; x < width; x++) {
            double value = row[x] / (1.0 - stays), change = fabs(value - solution[i][x]);
            if (x < width - 1 && change > largest) {
                largest = change;
            }
            solution[i][x] = value;
        }
    }
    return largest;
}
