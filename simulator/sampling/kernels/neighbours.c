/* What elements that are linked have in common. */

#include "kernels.h"

/* Numbers in order. */
typedef struct {
    const int64_t *numbers;
    int64_t size;
} Sorted;

/* Return the list of a place. */
static inline Sorted list_of(int64_t place, const int64_t *starts, const int64_t *lists) {
    return (Sorted){&lists[starts[place]], starts[place + 1] - starts[place]};
}

/* Return the first place from `low` on where a list is not below a number, or else its size. */
static inline int64_t first_not_below(int64_t number, Sorted list, int64_t low) {
    int64_t high = list.size;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (list.numbers[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void num_shared(
    int64_t num_pairs, int64_t num_starts, int64_t num_other_starts, int64_t size,
    int64_t other_size, const int64_t rows[num_pairs], const int64_t starts[num_starts],
    const int64_t lists[size], const int64_t columns[num_pairs],
    const int64_t other_starts[num_other_starts], const int64_t others[other_size],
    int64_t shared[num_pairs]) {
    for (int64_t pair = 0; pair < num_pairs; pair++) {
        assert(0 <= rows[pair] && rows[pair] + 1 < num_starts);
        assert(0 <= columns[pair] && columns[pair] + 1 < num_other_starts);
        Sorted small = list_of(rows[pair], starts, lists);
        Sorted large = list_of(columns[pair], other_starts, others);
        if (small.size > large.size) {
            Sorted first = small;
            small = large;
            large = first;
        }
        int64_t found = 0, low = 0;
        for (int64_t k = 0; k < small.size && low < large.size; k++) {
            low = first_not_below(small.numbers[k], large, low);
            found += low < large.size && large.numbers[low] == small.numbers[k];
        }
        shared[pair] = found;
    }
}
