/* Bounds on precision: what margins say, and the program over ranks and ideals. */

#include <math.h>

#include "extremes.h"
#include "kernels.h"

static const double RATIO_CONVERGED = 1e-13;
/* By so much, relatively, rounding lifts a point above its chord. */
static const double HULL_ROUNDING = 4e-16;
enum { MOST_NEWTON_STEPS = 100 };

/* A step's entries at ideals surely not seen before, and, rising, at those that may have been. */
typedef struct {
    double sum_fresh, most_fresh;
    int64_t num_fresh, sure_fresh, num_again, sure_again;
    double *again, *sums;
} Margins;

static int compare_rising(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static void part_margins(
    int64_t begin, int64_t end, const int64_t *ideals, const double *p, const double *unseen,
    Margins *step) {
    *step = (Margins){.again = step->again, .sums = step->sums};
    for (int64_t k = begin; k < end; k++) {
        if (unseen[ideals[k]] == 1.0) {
            step->num_fresh++;
            step->sum_fresh += p[k];
            step->sure_fresh += p[k] == 1.0;
            step->most_fresh = larger_of(step->most_fresh, p[k]);
        } else if (unseen[ideals[k]] > 0.0) {
            step->again[step->num_again++] = p[k];
            step->sure_again += p[k] == 1.0;
        }
    }
    qsort(step->again, (size_t)step->num_again, sizeof(double), compare_rising);
    step->sums[0] = 0.0;
    for (int64_t k = 0; k < step->num_again; k++) {
        step->sums[k + 1] = step->sums[k] + step->again[k];
    }
}

/* Write a step's `mean` and `some`; `spare` ideals that may have been seen are not reached. */
static void write_margins(
    int64_t num_ideals, const Margins *step, int64_t certain, int64_t spare,
    double mean[3][num_ideals + 1], double some[num_ideals + 1]) {
    int64_t count = step->num_again;
    double all = (double)(step->num_fresh + count);
    for (int64_t s = 0; s <= num_ideals; s++) {
        int64_t taken = least(most(s - certain, 0), spare + count);
        double smallest = step->sum_fresh + step->sums[most(count - taken, 0)];
        double largest = step->sum_fresh + step->sums[count] - step->sums[most(taken - spare, 0)];
        mean[0][s] = (double)(step->sure_fresh + most(step->sure_again - taken, 0));
        mean[1][s] = smaller_of(larger_of(smallest, mean[0][s]), all);
        mean[2][s] = smaller_of(larger_of(largest, mean[1][s]), all);
        double left = taken < count ? step->again[count - 1 - taken] : 0.0;
        some[s] = larger_of(step->most_fresh, left);
    }
}

void margins(
    Memory *memory, int64_t n, int64_t num_entries, const int64_t starts[n + 1],
    const int64_t ideals[num_entries], const double p[num_entries], int64_t num_ideals,
    int64_t whole[n][3], double mean[n][3][num_ideals + 1], double some[n][num_ideals + 1]) {
    double *unseen = take(memory, num_ideals, sizeof(double));
    Margins step = {
        .again = take(memory, num_ideals, sizeof(double)),
        .sums = take(memory, num_ideals + 1, sizeof(double)),
    };
    for (int64_t x = 0; x < num_ideals; x++) {
        unseen[x] = 1.0;
    }
    int64_t certain = 0, possible = 0;
    for (int64_t i = 0; i < n; i++) {
        assert(0 <= starts[i] && starts[i] <= starts[i + 1] && starts[i + 1] <= num_entries);
        assert(starts[i + 1] - starts[i] <= num_ideals);
        for (int64_t k = starts[i]; k < starts[i + 1]; k++) {
            assert(0 <= ideals[k] && ideals[k] < num_ideals);
        }
        int64_t uncertain = 0;
        for (int64_t x = 0; x < num_ideals; x++) {
            uncertain += 0.0 < unseen[x] && unseen[x] < 1.0;
        }
        part_margins(starts[i], starts[i + 1], ideals, p, unseen, &step);
        whole[i][0] = certain;
        whole[i][1] = least(possible, num_ideals);
        whole[i][2] = step.num_fresh + step.num_again;
        write_margins(num_ideals, &step, certain, uncertain - step.num_again, mean[i], some[i]);
        for (int64_t k = starts[i]; k < starts[i + 1]; k++) {
            double after = unseen[ideals[k]] * (1.0 - p[k]);
            certain += unseen[ideals[k]] > 0.0 && after == 0.0;
            unseen[ideals[k]] = after;
        }
        possible += whole[i][2];
    }
}

/* What counts for how much: ranks that show something new, and all. */
typedef struct {
    double leading, consulted;
} Rewards;

/* What is known of the steps, see `margins`, what they cost, and the program's rows by s. */
typedef struct {
    int64_t t, u, n;
    const double *gaps, *each;
    double unranked;
    const int64_t *whole;
    const double *mean, *some;
    double *value, *lifted, *other;
} Program;

/* Two points k of a concave hull, and the slope of the chord between them. */
typedef struct {
    int64_t k1, k2;
    double slope;
} Chord;

/* A law of K: k1, or with probability `share` k2. */
typedef struct {
    int64_t k1, k2;
    double share;
} TwoPoints;

/* Return the first k of begin .. end - 1 where worth[k] - slope k is most above the line.

-1 if nowhere. Few points are above it, so a branch that is foreseen beats choosing. */
static int64_t highest(
    const double *worth, int64_t begin, int64_t end, double slope, double line) {
    int64_t best = -1;
    for (int64_t k = begin; k < end; k++) {
        double height = worth[k] - slope * (double)k;
        if (__builtin_expect(height > line, 0)) {
            best = k;
            line = height;
        }
    }
    return best;
}

/* Return k1 <= mean < k2 between which the concave hull of the worth of K is a chord.

K = 0 is worth `none`, K = k > 0 worth[k]. `guess` holds k1 and k2 to begin with. The points of
either side that lie highest above a chord make the next one, until there are none. */
static Chord bridge(
    const double *worth, double none, int64_t first_k, int64_t last_k, double mean, Chord guess) {
    int64_t split = (int64_t)mean;
    int64_t k1 = least(most(guess.k1, first_k), split), k2 = most(guess.k2, split + 1);
    while (true) {
        double first = k1 ? worth[k1] : none, second = worth[k2];
        double slope = (second - first) / (double)(k2 - k1);
        double line = first - slope * (double)k1;
        line += HULL_ROUNDING * (fabs(first) + fabs(second) + fabs(slope) * (double)k2);
        int64_t right = highest(worth, split + 1, last_k + 1, slope, line), left = -1;
        if (split > first_k) {
            left = highest(worth, most(first_k, 1), split + 1, slope, line);
            if (first_k == 0 && none > line
                && (left < 0 || none > worth[left] - slope * (double)left)) {
                left = 0;
            }
        }
        if (left < 0 && right < 0) {
            return (Chord){k1, k2, slope};
        }
        k1 = left >= 0 ? left : k1;
        k2 = right >= 0 ? right : k2;
    }
}

/* Return the best law of K with at least `first_k`, at most `last_k` and a mean in [low, high].

The hull at either end, or the largest worth between. */
static TwoPoints best_of_mean(
    const double *worth, double none, int64_t first_k, int64_t last_k, double low, double high,
    Chord guess) {
    if (low >= (double)last_k) {
        return (TwoPoints){last_k, last_k, 0.0};
    }
    double at = low;
    Chord chord = bridge(worth, none, first_k, last_k, low, guess);
    if (chord.slope > 0.0 && high > low) {
        at = high;
        if (high >= (double)last_k) {
            chord.k1 = chord.k2 = last_k;
        } else if (high > (double)chord.k2) {
            chord = bridge(worth, none, first_k, last_k, high, chord);
        }
        if (chord.slope < 0.0) {
            int64_t begin = most((int64_t)ceil(low), 1);
            int64_t k = highest(worth, begin, (int64_t)high + 1, 0.0, -INFINITY);
            assert(k >= 0);
            return (TwoPoints){k, k, 0.0};
        }
    }
    double span = (double)(chord.k2 - chord.k1);
    return (TwoPoints){chord.k1, chord.k2, span > 0.0 ? (at - (double)chord.k1) / span : 0.0};
}

/* Choose the law of K at step i for each s below r, and write what ranks from it on are worth. */
static void take_step(
    const Program *program, int64_t i, int64_t r, Rewards rewards, Rewards beside) {
    int64_t row = program->t + 1, last_k = program->whole[3 * i + 2];
    const double *mean = &program->mean[3 * i * row], *some = &program->some[i * row];
    double *value = program->value, *lifted = program->lifted, *other = program->other;
    double each = program->each[i];
    double lead = each * rewards.leading, step = each * rewards.consulted;
    double lead_beside = each * beside.leading, step_beside = each * beside.consulted;
    assert(0 <= last_k && last_k <= program->t);
    for (int64_t s = 0; s < r + last_k; s++) {
        lifted[s] = value[s] + lead;
    }
    Chord guess = {0, 1, 0.0};
    int64_t end = least(program->whole[3 * i + 1], r - 1) + 1;
    for (int64_t s = program->whole[3 * i]; s < end; s++) {
        const double *worth = &lifted[s];
        double none = value[s];
        int64_t first_k = (int64_t)mean[s];
        guess.k1 = most(guess.k1 - 1, 0);
        guess.k2 = least(most(guess.k2 - 1, 1), last_k);
        TwoPoints law = best_of_mean(
            worth, none, first_k, last_k, mean[row + s], mean[2 * row + s], guess);
        guess = (Chord){law.k1, law.k2, 0.0};
        double first = law.k1 ? worth[law.k1] : none, second = law.k2 ? worth[law.k2] : none;
        double best = (1.0 - law.share) * first + law.share * second;
        double along = (1.0 - law.share) * (other[s + law.k1] + (law.k1 ? lead_beside : 0.0));
        along += law.share * (other[s + law.k2] + (law.k2 ? lead_beside : 0.0));
        /* Some new ideal is not worth less than none if it is not for k2. */
        if (first_k == 0 && last_k && none > second && (law.k1 || some[s] > law.share)) {
            int64_t new = highest(worth, 1, last_k + 1, 0.0, -INFINITY);
            assert(new > 0);
            double limit = (1.0 - some[s]) * none + some[s] * worth[new];
            if (none > worth[new] && limit < best) {
                best = limit;
                along = (1.0 - some[s]) * other[s];
                along += some[s] * (other[s + new] + lead_beside);
            }
        }
        value[s] = best + step;
        other[s] = along + step_beside;
    }
}

/* Add what ranks that show nothing are worth. */
static void add_gap(const Program *program, double gap, int64_t r, double worth, double beside) {
    for (int64_t s = 0; s < r; s++) {
        program->value[s] += gap * worth;
        program->other[s] += gap * beside;
    }
}

/* Return the most that a E[CL(r)] + b E[C(r)] may be, (a, b) = rewards, by choice of laws.

Write to `along` what `beside` makes of E[CL(r)] and E[C(r)] under these laws. Ranks count by their
costs, those of the steps and of an element behind the list. From the last rank up: over laws of K
with a mean in [low, high] the best is the concave hull of its worth at either end, or the largest
worth between; over laws with P(K > 0) >= some it is 0 with what that leaves, or never. */
static double best_program(
    const Program *program, int64_t r, Rewards rewards, Rewards beside, double *along) {
    int64_t t = program->t, n = program->n;
    for (int64_t s = 0; s < 2 * t + 2; s++) {
        program->value[s] = program->other[s] = 0.0;
    }
    for (int64_t s = 0; s < r; s++) {
        /* Unseen ideals are among the u: other s never are. */
        double wanted = (double)(r - s), draws = (double)(program->u + 1) / (double)(t - s + 1);
        double depth = wanted * larger_of(draws, 1.0);
        double worth = rewards.leading * wanted + rewards.consulted * depth;
        double worth_beside = beside.leading * wanted + beside.consulted * depth;
        program->value[s] = program->unranked * worth;
        program->other[s] = program->unranked * worth_beside;
    }
    add_gap(program, program->gaps[n], r, rewards.consulted, beside.consulted);
    for (int64_t i = n - 1; i >= 0; i--) {
        take_step(program, i, r, rewards, beside);
        add_gap(program, program->gaps[i], r, rewards.consulted, beside.consulted);
    }
    *along = program->other[0];
    return program->value[0];
}

/* Return the most (sign 1) or least (sign -1) E[CL(r)] / E[C(r)], from a ratio v near it. */
static double best_ratio(const Program *program, int64_t r, double sign, double v) {
    /* The answer may be 1: it should not be the end of a bracket. */
    double low = 0.0, high = 2.0, answer = sign > 0 ? 1.0 : 0.0, depth;
    for (int step = 0; step < MOST_NEWTON_STEPS; step++) {
        Rewards rewards = {sign, -sign * v}, beside = {0.0, 1.0};
        double best = best_program(program, r, rewards, beside, &depth);
        double onward = v + sign * best / depth;
        if (fabs(best) <= RATIO_CONVERGED * v * depth) {
            return onward;
        }
        if ((best > 0) == (sign > 0)) {
            low = v;
        } else {
            high = v;
        }
        if (best <= 0) {
            answer = v;
        }
        if (high - low <= RATIO_CONVERGED * high) {
            break;
        }
        v = low < onward && onward < high ? onward : (low + high) / 2;
    }
    return answer;
}

void bounds(
    Memory *memory, int64_t t, int64_t u, int64_t n, int64_t num_wanted, const double gaps[n + 1],
    const int64_t whole[n][3], const double mean[n][3][t + 1], const double some[n][t + 1],
    const double each[n], double unranked, const int64_t wanted[num_wanted],
    double out[4][num_wanted]) {
    Program program = {
        t, u, n, gaps, each, unranked, (const int64_t *)whole, (const double *)mean,
        (const double *)some,
        take(memory, 2 * t + 2, sizeof(double)),
        take(memory, 2 * t + 2, sizeof(double)),
        take(memory, 2 * t + 2, sizeof(double)),
    };
    for (int64_t number = 0; number < num_wanted; number++) {
        int64_t r = wanted[number];
        assert(1 <= r && r <= t);
        for (int side = 0; side < 2; side++) {
            double sign = side == 0 ? -1.0 : 1.0, leading;
            Rewards rewards = {0.0, -sign}, beside = {1.0, 0.0};
            double consulted = fabs(best_program(&program, r, rewards, beside, &leading));
            out[1 - side][number] = consulted;
            out[2 + side][number] = best_ratio(&program, r, sign, leading / consulted);
        }
    }
}
