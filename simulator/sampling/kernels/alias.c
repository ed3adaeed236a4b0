/* Alias tables, from which a walk's steps are drawn. */

#include "kernels.h"

#define STOP (-1)

void alias_tables(
    Memory *memory, int64_t n, int64_t num_links, int64_t size, const int64_t starts[n + 1],
    const int32_t targets[num_links], const double probabilities[num_links],
    const int64_t row_starts[n], const int64_t row_bits[n], uint64_t columns[size][2],
    int32_t stays[size], int32_t goes[size]) {
    int64_t widest = 0;
    for (int64_t element = 0; element < n; element++) {
        widest = most(widest, (int64_t)1 << row_bits[element]);
    }
    double *mass = take(memory, widest, sizeof *mass);
    int64_t *small = take(memory, widest, sizeof *small);
    int64_t *large = take(memory, widest, sizeof *large);
    for (int64_t element = 0; element < n; element++) {
        int64_t begin = starts[element], links = starts[element + 1] - begin;
        int64_t width = (int64_t)1 << row_bits[element], base = row_starts[element];
        assert(links <= width && base + width <= size && begin + links <= num_links);
        double total = 0.0;
        for (int64_t k = begin; k < begin + links; k++) {
            total += probabilities[k];
        }
        double scale = (double)width / (total > 1.0 ? total : 1.0);
        for (int64_t column = 0; column < width; column++) {
            bool is_link = column < links;
            mass[column] = is_link ? probabilities[begin + column] * scale : 0.0;
            stays[base + column] = is_link ? targets[begin + column] : STOP;
        }
        if (total < 1.0 && links < width) {
            mass[links] = (1.0 - total) * scale;
        }
        int64_t num_small = 0, num_large = 0;
        for (int64_t column = 0; column < width; column++) {
            /* Alone unless paired below: such a column's share is 1 up to rounding. */
            columns[base + column][0] = UINT64_MAX;
            goes[base + column] = stays[base + column];
            if (mass[column] < 1.0) {
                small[num_small++] = column;
            } else {
                large[num_large++] = column;
            }
        }
        while (num_small && num_large) {
            int64_t low = small[--num_small], high = large[num_large - 1];
            double share = mass[low] > 0.0 ? mass[low] : 0.0;
            columns[base + low][0] = (uint64_t)(share * 9007199254740992.0) << 11;
            goes[base + low] = stays[base + high];
            mass[high] -= 1.0 - mass[low];
            if (mass[high] < 1.0) {
                num_large--;
                small[num_small++] = high;
            }
        }
    }
}
