/* Looking numbers up in order. */

#ifndef SEARCHING_H
#define SEARCHING_H

#include "door.h"

/* Return the first of low .. high - 1 whose value exceeds a number, else high. */
static inline int64_t first_above(
    const double *values, int64_t low, int64_t high, double number) {
    while (low < high) {
        int64_t middle = (low + high) >> 1;
        if (values[middle] > number) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

#endif
