/* What a list shows of spans, piece by piece. */

#include "extremes.h"
#include "kernels.h"

/* What is known of pieces: whether they have been seen, and whether a rank shows them. Each keeps a
probability and that it is not: sums of positive terms only. */
typedef struct {
    double *seen, *unseen, *hit, *miss;
} Pieces;

/* Let the pieces low .. high - 1 be shown by chance p, besides what the rank shows of them. */
static void show_pieces(Pieces pieces, int64_t low, int64_t high, double p) {
    for (int64_t k = low; k < high; k++) {
        pieces.hit[k] = p == 1.0 ? 1.0 : pieces.hit[k] + pieces.miss[k] * p;
        pieces.miss[k] *= 1.0 - p;
    }
}

/* End a rank for the pieces low .. high - 1; return how many characters are new. */
static double see_pieces(Pieces pieces, int64_t low, int64_t high, const int64_t *lengths) {
    double first = 0.0;
    for (int64_t k = low; k < high; k++) {
        double new = pieces.unseen[k] * pieces.hit[k];
        first += (double)lengths[k] * new;
        pieces.seen[k] = pieces.hit[k] == 1.0 ? 1.0 : smaller_of(1.0, pieces.seen[k] + new);
        pieces.unseen[k] *= pieces.miss[k];
        pieces.hit[k] = 0.0;
        pieces.miss[k] = 1.0;
    }
    return first;
}

int64_t gain(
    Memory *memory, int64_t num_entries, int64_t num_spans, int64_t num_pieces,
    const int64_t ranks[num_entries], const int64_t spans[num_entries],
    const int64_t lows[num_entries], const int64_t highs[num_entries],
    const double probabilities[num_entries], const int64_t begins[num_spans],
    const int64_t stops[num_spans], const int64_t lengths[num_pieces], bool apart,
    int64_t at[num_entries], double rows[num_entries][5]) {
    Pieces pieces = {
        take(memory, num_pieces, sizeof(double)), take(memory, num_pieces, sizeof(double)),
        take(memory, num_pieces, sizeof(double)), take(memory, num_pieces, sizeof(double)),
    };
    for (int64_t k = 0; k < num_pieces; k++) {
        pieces.seen[k] = pieces.hit[k] = 0.0;
        pieces.unseen[k] = pieces.miss[k] = 1.0;
    }
    double *seen_of = take_zeros(memory, num_spans, sizeof(double));
    double *unseen_of = take(memory, num_spans, sizeof(double));
    for (int64_t x = 0; x < num_spans; x++) {
        assert(0 <= begins[x] && begins[x] <= stops[x] && stops[x] <= num_pieces);
        int64_t length = 0;
        for (int64_t k = begins[x]; k < stops[x]; k++) {
            length += lengths[k];
        }
        unseen_of[x] = (double)length;
    }
    int64_t size = 0;
    for (int64_t entry = 0; entry < num_entries;) {
        int64_t begin = entry, x = spans[entry], low = lows[entry], high = highs[entry];
        assert(0 <= x && x < num_spans);
        for (; entry < num_entries && ranks[entry] == ranks[begin] && spans[entry] == x; entry++) {
            assert(0 <= lows[entry] && highs[entry] <= num_pieces);
            low = least(low, lows[entry]);
            high = most(high, highs[entry]);
            show_pieces(pieces, lows[entry], highs[entry], probabilities[entry]);
        }
        double first = see_pieces(pieces, low, high, lengths);
        if (first > 0.0) {
            double before = seen_of[x], not_before = unseen_of[x];
            seen_of[x] = unseen_of[x] = 0.0;
            for (int64_t k = begins[x]; k < stops[x]; k++) {
                seen_of[x] += (double)lengths[k] * pieces.seen[k];
                unseen_of[x] += (double)lengths[k] * pieces.unseen[k];
            }
            double row[5] = {before, not_before, seen_of[x], unseen_of[x], first};
            memcpy(rows[size], row, sizeof row);
            at[size++] = begin;
        }
        for (int64_t k = low; apart && k < high; k++) {
            pieces.seen[k] = 0.0;
            pieces.unseen[k] = 1.0;
        }
    }
    return size;
}

void covered_whole(
    Memory *memory, int64_t num_entries, const int64_t lows[num_entries],
    const int64_t highs[num_entries], const double probabilities[num_entries], int64_t begin,
    int64_t stop, double out[2]) {
    int64_t size = stop - begin;
    double *law = take_zeros(memory, size + 1, sizeof(double));
    law[0] = 1.0;
    for (int64_t entry = 0; entry < num_entries; entry++) {
        int64_t high = highs[entry] - begin;
        assert(begin <= lows[entry] && high <= size);
        for (int64_t k = lows[entry] - begin; k < high; k++) {
            law[high] += probabilities[entry] * law[k];
            law[k] *= 1.0 - probabilities[entry];
        }
    }
    out[0] = law[size];
    out[1] = 0.0;
    for (int64_t k = 0; k < size; k++) {
        out[1] += law[k];
    }
}
