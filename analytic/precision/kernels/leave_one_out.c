/* The law of a count without each ideal in turn, and what it says of gradients: of exact values, and
of PRUM. */

#include "extremes.h"
#include "kernels.h"

/* A factor both of whose terms are smaller is not divided out. */
static const double LEAST_DIVISOR = 1e-3;

/* Room, t + 1 numbers each: a law, a product and its next, what to divide by, quotients. */
typedef struct {
    double *law, *from, *to, *ratio, *inverse, *passed;
} LawRoom;

/* Ideals whose laws are summed at once. */
enum { ABREAST = 32 };

static LawRoom law_room_for(Memory *memory, int64_t t) {
    double *room = take(memory, 6 * (t + 1), sizeof(double));
    return (LawRoom){
        room, room + t + 1, room + 2 * (t + 1), room + 3 * (t + 1), room + 4 * (t + 1),
        room + 5 * (t + 1),
    };
}

/* Write the product of `size` coefficients and low + high z. */
static inline void times_factor(
    int64_t size, const double *restrict law, double low, double high, double *restrict out) {
    out[0] = law[0] * low;
    for (int64_t s = 1; s < size; s++) {
        out[s] = law[s] * low + law[s - 1] * high;
    }
    out[size] = law[size - 1] * high;
}

/* Write the coefficients of prod_y (low[y] + high[y] z), all y but the one skipped. */
static void law_without(
    int64_t t, const double low[t], const double high[t], int64_t skipped, LawRoom room,
    double *out) {
    int64_t size = 1;
    room.from[0] = 1.0;
    for (int64_t y = 0; y < t; y++) {
        if (y != skipped) {
            times_factor(size++, room.from, low[y], high[y], room.to);
            double *law = room.to;
            room.to = room.from;
            room.from = law;
        }
    }
    memcpy(out, room.from, (size_t)size * sizeof *out);
}

static void law_of(
    int64_t t, const double low[t], const double high[t], LawRoom room, double out[t + 1]) {
    law_without(t, low, high, t, room, out);
}

/* Write what division by each factor needs: 1 / its larger term, or 0, and the smaller by it. */
static void invert_factors(
    int64_t t, const double *restrict low, const double *restrict high, double *restrict inverse,
    double *restrict ratio) {
    for (int64_t x = 0; x < t; x++) {
        double large = larger_of(low[x], high[x]);
        inverse[x] = large >= LEAST_DIVISOR ? 1.0 / larger_of(large, LEAST_DIVISOR) : 0.0;
        ratio[x] = smaller_of(low[x], high[x]) * inverse[x];
    }
}

/* Write a row of quotients from the one before it, and to `others`. */
static inline void divide_up(
    int64_t t, double term, const double *restrict inverse, const double *restrict ratio,
    double *restrict passed, double *restrict others) {
    for (int64_t x = 0; x < t; x++) {
        passed[x] = larger_of(term * inverse[x] - ratio[x] * passed[x], 0.0);
        others[x] = passed[x];
    }
}

/* The same from the row behind it, to `others` where the larger term stands at this end. */
static inline void divide_down(
    int64_t t, double term, const double *restrict inverse, const double *restrict ratio,
    const double *restrict falling, double *restrict passed, double *restrict others) {
    for (int64_t x = 0; x < t; x++) {
        passed[x] = larger_of(term * inverse[x] - ratio[x] * passed[x], 0.0);
        others[x] += falling[x] * (passed[x] - others[x]);
    }
}

/* Write column x: the coefficients of prod_{y != x} (low[y] + high[y] z).

Factor x is divided out of the product over all, from the end where its larger term stands: then an
error is multiplied by at most 1 in each step. One that is nearly 0 is left out of the product
instead. */
static void without_each(
    int64_t t, const double low[t], const double high[t], LawRoom room, double others[t][t]) {
    law_of(t, low, high, room, room.law);
    invert_factors(t, low, high, room.inverse, room.ratio);
    memset(room.passed, 0, (size_t)t * sizeof(double));
    for (int64_t s = 0; s < t; s++) {
        divide_up(t, room.law[s], room.inverse, room.ratio, room.passed, others[s]);
    }
    memset(room.passed, 0, (size_t)t * sizeof(double));
    double *falling = room.from;
    for (int64_t x = 0; x < t; x++) {
        falling[x] = high[x] > low[x];
    }
    for (int64_t s = t - 1; s >= 0; s--) {
        divide_down(
            t, room.law[s + 1], room.inverse, room.ratio, falling, room.passed, others[s]);
    }
    for (int64_t x = 0; x < t; x++) {
        if (larger_of(low[x], high[x]) < LEAST_DIVISOR) {
            law_without(t, low, high, x, room, room.law);
            for (int64_t s = 0; s < t; s++) {
                others[s][x] = room.law[s];
            }
        }
    }
}

/* Sum weights[k][s] times the laws without some ideals, whose factors are divided out from the same
end, over s. */
static void sum_abreast(
    int64_t t, const double *law, bool falling, const double *const weights[3],
    const double inverse[ABREAST], const double ratio[ABREAST], double totals[3][ABREAST]) {
    double without[ABREAST] = {0};
    memset(totals, 0, 3 * sizeof *totals);
    for (int64_t step = 0; step < t; step++) {
        int64_t s = falling ? t - 1 - step : step;
        double term = law[falling ? s + 1 : s];
        for (int x = 0; x < ABREAST; x++) {
            double value = term * inverse[x] - ratio[x] * without[x];
            without[x] = value > 0.0 ? value : 0.0;
        }
        for (int k = 0; k < 3; k++) {
            for (int x = 0; x < ABREAST; x++) {
                totals[k][x] += weights[k][s] * without[x];
            }
        }
    }
}

/* Write the sums of the ideals whose larger term stands behind (`falling`) or in front. */
static void sum_from_end(
    int64_t t, const double low[t], const double high[t], bool falling,
    const double *const weights[3], LawRoom room, double sums[3][t]) {
    int64_t columns[ABREAST], x = 0;
    while (x < t) {
        double inverse[ABREAST] = {0}, ratio[ABREAST] = {0}, totals[3][ABREAST];
        int size = 0;
        for (; x < t && size < ABREAST; x++) {
            if ((high[x] > low[x]) == falling) {
                columns[size] = x;
                inverse[size] = room.inverse[x];
                ratio[size++] = room.ratio[x];
            }
        }
        if (size) {
            sum_abreast(t, room.law, falling, weights, inverse, ratio, totals);
        }
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < size; j++) {
                sums[k][columns[j]] = totals[k][j];
            }
        }
    }
}

/* Write sum_s weights[k][s] others[s][x] for each k and x; see `without_each`. */
static void sums_without_each(
    int64_t t, const double low[t], const double high[t], const double *const weights[3],
    LawRoom room, double sums[3][t]) {
    law_of(t, low, high, room, room.law);
    invert_factors(t, low, high, room.inverse, room.ratio);
    sum_from_end(t, low, high, false, weights, room, sums);
    sum_from_end(t, low, high, true, weights, room, sums);
    for (int64_t x = 0; x < t; x++) {
        if (larger_of(low[x], high[x]) < LEAST_DIVISOR) {
            law_without(t, low, high, x, room, room.law);
            for (int k = 0; k < 3; k++) {
                sums[k][x] = 0.0;
                for (int64_t s = 0; s < t; s++) {
                    sums[k][x] += weights[k][s] * room.law[s];
                }
            }
        }
    }
}

/* Write P(x not in S_i) and P(x in S_i) of every rank i = 0 .. o. */
static void follow_ideals(
    int64_t o, int64_t t, const double p[o][t], double unseen[o + 1][t], double seen[o + 1][t]) {
    for (int64_t x = 0; x < t; x++) {
        unseen[0][x] = 1.0;
        seen[0][x] = 0.0;
    }
    for (int64_t i = 0; i < o; i++) {
        for (int64_t x = 0; x < t; x++) {
            unseen[i + 1][x] = unseen[i][x] * (1.0 - p[i][x]);
            seen[i + 1][x] = smaller_of(seen[i][x] + unseen[i][x] * p[i][x], 1.0);
        }
    }
}

/* Turn derivatives in v_ix into those in p: v_kx = prod_{j <= k} (1 - p_jx). */
static void along_chain(
    int64_t o, int64_t t, const double p[o][t], const double unseen[o + 1][t],
    double out[o + 1][t]) {
    for (int64_t i = o - 2; i >= 0; i--) {
        for (int64_t x = 0; x < t; x++) {
            out[i + 1][x] += (1.0 - p[i + 1][x]) * out[i + 2][x];
        }
    }
    for (int64_t i = 0; i < o; i++) {
        for (int64_t x = 0; x < t; x++) {
            out[i + 1][x] *= -unseen[i][x];
        }
    }
}

/* Return whether a rank shows anything. */
static bool shows_any(int64_t t, const double p[t]) {
    for (int64_t x = 0; x < t; x++) {
        if (p[x] != 0.0) {
            return true;
        }
    }
    return false;
}

/* Add a row times a factor to another. */
static inline void add_scaled(
    int64_t t, const double *restrict row, double factor, double *restrict out) {
    for (int64_t x = 0; x < t; x++) {
        out[x] += row[x] * factor;
    }
}

void weighted_gradient(
    Memory *memory, int64_t o, int64_t t, const double p[o][t], const double weights[4][t],
    double out[o + 1][t]) {
    double (*unseen)[t] = take(memory, o + 1, sizeof *unseen);
    double (*seen)[t] = take(memory, o + 1, sizeof *seen);
    double (*sums)[t] = take_zeros(memory, 3, sizeof *sums);
    double (*stay)[t] = take_zeros(memory, 3, sizeof *stay);
    LawRoom room = law_room_for(memory, t);
    const double *along[3] = {weights[0], weights[2], weights[3]};
    const double *last[3] = {weights[1], weights[2], weights[3]};
    follow_ideals(o, t, p, unseen, seen);
    for (int64_t i = 0; i <= o; i++) {
        bool changed = i > 0 && shows_any(t, p[i - 1]);
        if (i == o) {
            sums_without_each(t, unseen[i], seen[i], last, room, stay);
            add_scaled(t, stay[0], 1.0, out[o]);
        }
        if (i == 0 || changed) {
            sums_without_each(t, unseen[i], seen[i], along, room, sums);
        }
        if (i < o) {
            add_scaled(t, sums[0], 1.0, out[i]);
        }
        if (changed) {
            sums_without_each(t, unseen[i], seen[i - 1], along, room, stay);
        } else {
            memcpy(stay, sums, 3 * sizeof *stay);
        }
        if (i > 0) {
            add_scaled(t, stay[2], 1.0, out[i - 1]);
            add_scaled(t, stay[1], -1.0, out[i]);
        }
    }
    along_chain(o, t, p, (const double (*)[t])unseen, out);
}

/* The gradient of PRUM: equation (8) backwards, from its product to the laws. */

/* Carry what the coefficients of law / (low + high z) count for back to the law's.

Return what it adds to the derivative in low = 1 - high. Coefficients stand in column x. From the
end where the larger term stands, so that an error is multiplied by at most 1 in each step. */
static double through_division(
    int64_t t, double low, double high, int64_t x, const double others[t][t],
    const double of_others[t][t], double of_law[t + 1]) {
    double total = 0.0, passed = 0.0;
    if (low >= high) {
        for (int64_t s = t - 1; s >= 0; s--) {
            passed = (of_others[s][x] - high * passed) / low;
            of_law[s] += passed;
            total -= passed * (others[s][x] - (s ? others[s - 1][x] : 0.0));
        }
    } else {
        for (int64_t s = 0; s < t; s++) {
            passed = (of_others[s][x] - low * passed) / high;
            of_law[s + 1] += passed;
            total -= passed * ((s + 1 < t ? others[s + 1][x] : 0.0) - others[s][x]);
        }
    }
    return total;
}

/* Room for a rank: ideals that it may show first, the chance of each, that none before is shown. */
typedef struct {
    int64_t *fresh;
    double *first, *chance, *before;
} FreshRoom;

/* Add the derivatives in P(x first seen here) and in -P(x not in S_i) of weight L(s), of one s.

Write what P(F = s without x) counts for; return what P(F = s), the probability `law`, does. */
static double add_first_seen(
    int64_t t, int64_t size, double law, double weight, FreshRoom room, const double others[t],
    double out[t], double out_after[t], double of_others[t]) {
    for (int64_t k = 0; k < size; k++) {
        int64_t x = room.fresh[k];
        room.chance[k] = smaller_of(room.first[x] * others[x] / law, 1.0);
        room.before[k + 1] = room.before[k] * (1.0 - room.chance[k]);
    }
    double after = 1.0, once = 0.0;
    for (int64_t k = size - 1; k >= 0; k--) {
        int64_t x = room.fresh[k];
        double without = room.before[k] * after;
        after *= 1.0 - room.chance[k];
        once += without * room.chance[k];
        double of_first = weight * without * others[x];
        out[x] += of_first;
        out_after[x] -= of_first;
        of_others[x] = weight * without * room.first[x];
    }
    return weight * (1.0 - room.before[size] - once);
}

void add_leading(
    Memory *memory, int64_t o, int64_t t, const double p[o][t], const double weights[t],
    double out[o + 1][t]) {
    double *unseen = take(memory, t, sizeof(double));
    double *seen = take_zeros(memory, t, sizeof(double));
    double *law = take(memory, t + 1, sizeof(double));
    double *of_law = take(memory, t + 1, sizeof(double));
    double (*others)[t] = take(memory, t, sizeof *others);
    double (*of_others)[t] = take(memory, t, sizeof *of_others);
    LawRoom room = law_room_for(memory, t);
    FreshRoom chances = {
        take(memory, t, sizeof(int64_t)), take(memory, t, sizeof(double)),
        take(memory, t, sizeof(double)), take(memory, t + 1, sizeof(double)),
    };
    chances.before[0] = 1.0;
    for (int64_t x = 0; x < t; x++) {
        unseen[x] = 1.0;
    }
    for (int64_t i = 0; i < o; i++) {
        int64_t size = 0;
        for (int64_t x = 0; x < t; x++) {
            chances.first[x] = unseen[x] * p[i][x];
            if (chances.first[x] > 0.0) {
                chances.fresh[size++] = x;
            }
        }
        if (!size) {
            continue;
        }
        law_of(t, unseen, seen, room, law);
        without_each(t, unseen, seen, room, others);
        memset(of_law, 0, (size_t)(t + 1) * sizeof *of_law);
        memset(of_others, 0, (size_t)t * sizeof *of_others);
        for (int64_t s = 0; s < t; s++) {
            if (law[s] > 0.0) {
                of_law[s] = add_first_seen(
                    t, size, law[s], weights[s], chances, others[s], out[i], out[i + 1],
                    of_others[s]);
            }
        }
        for (int64_t k = 0; k < size; k++) {
            int64_t x = chances.fresh[k];
            out[i][x] += through_division(
                t, unseen[x], seen[x], x, (const double (*)[t])others,
                (const double (*)[t])of_others, of_law);
        }
        for (int64_t s = 0; s < t; s++) {
            double slope = of_law[s] - of_law[s + 1];
            for (int64_t x = 0; x < t; x++) {
                out[i][x] += others[s][x] * slope;
            }
        }
        for (int64_t x = 0; x < t; x++) {
            seen[x] = smaller_of(seen[x] + chances.first[x], 1.0);
            unseen[x] *= 1.0 - p[i][x];
        }
    }
}
