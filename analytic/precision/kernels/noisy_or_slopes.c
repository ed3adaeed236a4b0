/* The gradient of PRUM: equation (8) backwards, from its product to the laws. */

#include "leaving_out.h"
#include "kernels.h"

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
