/* Generating functions of numbers of ideals: products of factors unseen + seen z. */

#ifndef POLYNOMIALS_H
#define POLYNOMIALS_H

#include "door.h"

/* Coefficients below this are set to nothing, before they become denormal numbers. */
#define TINY 1e-290
/* Coefficients handled at once: a loop over them vectorises. */
enum { AT_ONCE = 16 };

typedef struct {
    double unseen, seen;
} Factor;

/* Coefficients low .. high of a polynomial, 0 outside; times z^certain. */
typedef struct {
    double *at;
    int64_t low, high, certain;
} Poly;

/* Return room for polynomials of `width` coefficients, all of them 0. */
static inline Poly *polys_for(Memory *memory, int64_t count, int64_t width) {
    Poly *polys = take_zeros(memory, count, sizeof *polys);
    double *room = take_zeros(memory, count * width, sizeof *room);
    for (int64_t k = 0; k < count; k++) {
        polys[k].at = &room[k * width];
    }
    return polys;
}

/* Multiply coefficients whose lower neighbours are not yet multiplied. */
static inline void multiply_some(double some[AT_ONCE], Factor by) {
    double products[AT_ONCE];
    for (int s = 0; s < AT_ONCE; s++) {
        products[s] = by.unseen * some[s] + by.seen * some[s - 1];
    }
    memcpy(some, products, sizeof products);
}

/* Multiply in place, from the highest coefficient down. */
static inline void multiply(Poly *poly, Factor by) {
    double *at = poly->at;
    int64_t low = poly->low, high = poly->high, s = high;
    at[high + 1] = by.seen * at[high];
    for (; s - AT_ONCE >= low; s -= AT_ONCE) {
        multiply_some(&at[s - AT_ONCE + 1], by);
    }
    for (; s > low; s--) {
        at[s] = by.unseen * at[s] + by.seen * at[s - 1];
    }
    at[low] *= by.unseen;
    high++;
    while (high > low && at[high] < TINY) {
        at[high--] = 0.0;
    }
    while (low < high && at[low] < TINY) {
        at[low++] = 0.0;
    }
    poly->low = low;
    poly->high = high;
}

/* Copy a polynomial, clearing what the target held where the source has nothing. */
static inline void copy_poly(const Poly *source, Poly *target) {
    int64_t low = source->low, high = source->high;
    for (int64_t s = target->low; s < least(target->high + 1, low); s++) {
        target->at[s] = 0.0;
    }
    for (int64_t s = most(target->low, high + 1); s <= target->high; s++) {
        target->at[s] = 0.0;
    }
    memcpy(&target->at[low], &source->at[low], (size_t)(high + 1 - low) * sizeof(double));
    *target = (Poly){target->at, low, high, source->certain};
}

#endif
