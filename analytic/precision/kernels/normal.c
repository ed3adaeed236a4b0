/* PRUM with normal counts: whether a rank shows nothing new, by equation (8). */

#include <math.h>

#include "kernels.h"

/* Standard deviations beyond which a normal law has less mass (2e-19) than rounding leaves. */
#define FAR 9.0

/* The uncertain ideals: their probabilities, and mean and variance of the number seen. */
typedef struct {
    double *probabilities, mean, variance;
    int64_t count;
} Uncertain;

/* Multiply out[s] by 1 - joint / law[s]. */
static inline void divide_out(double *out, const double *law, int64_t s, double joint) {
    if (law[s] > 0.0) {
        double share = joint / law[s];
        out[s] *= 1.0 - (share < 1.0 ? share : 1.0);
    }
}

/* Return the probability that a standard normal number exceeds z. */
static inline double tail(double z) {
    return 0.5 * erfc(z * 0x1.6a09e667f3bcdp-1);
}

/* Take an ideal in by the normal law of `number` uncertain ones. */
static void divide_normal(
    double mean, double variance, int64_t number, double first, const double *law, double *out) {
    double deviation = sqrt(variance > 0.0 ? variance : 0.0);
    if (deviation == 0.0) {
        /* What is certain up to rounding. */
        divide_out(out, law, (int64_t)rint(mean), first);
        return;
    }
    int64_t low = most(0, (int64_t)ceil(mean - FAR * deviation - 0.5));
    int64_t high = least(number, (int64_t)floor(mean + FAR * deviation + 0.5));
    /* The mass of a cell is the difference of its edges' tails, both to the side where it lies. */
    double edge = ((double)low - 0.5 - mean) / deviation;
    double below = tail(-edge), above = tail(edge);
    for (int64_t s = low; s <= high; s++) {
        bool is_above = edge > 0.0;
        edge = ((double)s + 0.5 - mean) / deviation;
        double further = tail(is_above ? edge : -edge);
        double mass = is_above ? above - further : further - below;
        if (is_above) {
            above = further;
        } else {
            below = further;
            above = edge > 0.0 ? tail(edge) : above;
        }
        divide_out(out, law, s, first * mass);
    }
}

/* Take an ideal in by the law of few uncertain ones without it: all, or all but one of p. */
static void divide_exactly(
    const Uncertain *uncertain, bool leaves_out, double p, int64_t number, double first,
    double *others, double *exact, const double *law, double *out) {
    int64_t filled = 0;
    for (int64_t k = 0; k < uncertain->count; k++) {
        if (leaves_out && uncertain->probabilities[k] == p) {
            leaves_out = false;
        } else {
            others[number + filled] = 1.0 - uncertain->probabilities[k];
            others[filled++] = uncertain->probabilities[k];
        }
    }
    assert(filled == number);
    product(number, others, &others[number], exact);
    for (int64_t s = 0; s <= number; s++) {
        divide_out(out, law, s, first * exact[s]);
    }
}

void nothing_new(
    Memory *memory, int64_t t, int64_t num_ideals, const double seen[t], const double law[t + 1],
    const int64_t ideals[num_ideals], const double first[num_ideals], int64_t normal_above,
    double out[t + 1]) {
    Uncertain uncertain = {.probabilities = take(memory, t, sizeof(double))};
    int64_t num_certain = 0;
    for (int64_t x = 0; x < t; x++) {
        double p = seen[x];
        if (p == 1.0) {
            num_certain++;
        } else if (p > 0.0) {
            uncertain.probabilities[uncertain.count++] = p;
            uncertain.mean += p;
            uncertain.variance += p * (1.0 - p);
        }
    }
    double *others = take(memory, 2 * (normal_above + 1), sizeof *others);
    double *exact = take(memory, normal_above + 1, sizeof *exact);
    for (int64_t k = 0; k < num_ideals; k++) {
        double p = seen[ideals[k]], mean = uncertain.mean, variance = uncertain.variance;
        bool is_uncertain = p > 0.0 && p < 1.0;
        int64_t number = uncertain.count - is_uncertain, shift = num_certain - (p == 1.0);
        if (number > normal_above) {
            mean = is_uncertain ? mean - p : mean;
            variance = is_uncertain ? variance - p * (1.0 - p) : variance;
            divide_normal(mean, variance, number, first[k], &law[shift], &out[shift]);
        } else {
            divide_exactly(
                &uncertain, is_uncertain, p, number, first[k], others, exact, &law[shift],
                &out[shift]);
        }
    }
}
