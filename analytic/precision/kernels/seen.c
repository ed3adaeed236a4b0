/* The law of the number of ideals seen, along a list; see `prum.analytic.precision.seen`. */

#include "kernels.h"
#include "polynomials.h"

void follow(
    int64_t t, int64_t num_entries, const int64_t ideals[num_entries],
    const double probabilities[num_entries], bool kept[num_entries],
    double changed[num_entries][5], double seen[t], double unseen[t]) {
    for (int64_t entry = 0; entry < num_entries; entry++) {
        int64_t x = ideals[entry];
        double p = probabilities[entry];
        assert(x >= 0 && x < t);
        if (p == 0.0 || unseen[x] == 0.0) {
            continue;
        }
        kept[entry] = true;
        double *change = changed[entry], first = unseen[x] * p;
        change[0] = seen[x];
        change[1] = unseen[x];
        seen[x] = p == 1.0 || seen[x] + first > 1.0 ? 1.0 : seen[x] + first;
        unseen[x] *= 1.0 - p;
        change[2] = seen[x];
        change[3] = unseen[x];
        change[4] = first;
    }
}

static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

/* Add what ranks that cost `begin` to `end` give to moments about `pivots`, whose law of F is
given: the sum over ranks beyond a of ((end - a)^k - (begin - a)^k) P(F < r), minus that over ranks
before a of the same differences times P(F >= r). Far from a both are nearly nothing, so nothing
large cancels. */
static void add_depths_of(
    const Poly *law, double begin, double end, int64_t t, const double pivots[t],
    double moments[3][t]) {
    double total = 0.0;
    for (int64_t r = 1; r <= t; r++) {
        int64_t s = r - 1 - law->certain;
        if (s >= law->low && s <= law->high) {
            total += law->at[s];
        }
        double a = pivots[r - 1];
        if (total > 0.0 && end > a) {
            double since = larger(begin, a) - a, until = end - a;
            moments[0][r - 1] += total * (until - since);
            moments[1][r - 1] += total * (until * until - since * since);
            moments[2][r - 1] += total * (until * until * until - since * since * since);
        }
    }
    total = 0.0;
    for (int64_t r = t; r > 0; r--) {
        int64_t s = r - law->certain;
        if (s < law->low) {
            total = 1.0;
        } else if (s <= law->high) {
            total += law->at[s];
        }
        double a = pivots[r - 1];
        if (total > 0.0 && begin < a) {
            double since = begin - a, until = smaller(end, a) - a;
            moments[0][r - 1] -= total * (until - since);
            moments[1][r - 1] -= total * (until * until - since * since);
            moments[2][r - 1] -= total * (until * until * until - since * since * since);
        }
    }
}

void add_depths(
    Memory *memory, int64_t num_ranks, int64_t t, const double counts[num_ranks][t + 1],
    const double edges[num_ranks + 1], const double pivots[t], double moments[3][t]) {
    Poly *law = polys_for(memory, 1, t + 1);
    law->high = t;
    for (int64_t i = 0; i < num_ranks; i++) {
        memcpy(law->at, counts[i], sizeof counts[i]);
        add_depths_of(law, edges[i], edges[i + 1], t, pivots, moments);
    }
}

/* A binary tree above the laws between events: `size` = 2^depth leaves, nodes numbered from 1.

Each stretch of laws in which a factor stays the same is split over nodes: node's factors are
ends[node - 1] .. ends[node] - 1. polys[level] is the product of all factors from the root to the
node of that level to which the tree was last descended. */
typedef struct {
    int64_t depth, size;
    int64_t *ends;
    Factor *factors;
    Poly *polys;
} Tree;

/* Return how many levels are below the root if there are so many leaves. */
static int64_t depth_of(int64_t num_leaves) {
    int64_t depth = 0;
    while ((INT64_C(1) << depth) < num_leaves) {
        depth++;
    }
    return depth;
}

/* Return the highest level whose node changes when one goes on to this leaf. */
static inline int64_t level_of(int64_t leaf, int64_t depth) {
    int64_t level = leaf ? depth : 0;
    while (leaf && !(leaf >> (depth - level) & 1)) {
        level--;
    }
    return level;
}

/* Hang a factor to a node; without factors only count them. */
static inline void hang(Tree *tree, int64_t node, Factor factor) {
    if (tree->factors) {
        tree->factors[tree->ends[node]] = factor;
    }
    tree->ends[node]++;
}

/* Hang a factor to the nodes that make up the leaves begin .. end - 1. */
static void hang_stretch(Tree *tree, int64_t begin, int64_t end, Factor factor) {
    int64_t left = begin + tree->size, right = end + tree->size;
    for (; left < right; left >>= 1, right >>= 1) {
        if (left & 1) {
            hang(tree, left++, factor);
        }
        if (right & 1) {
            hang(tree, --right, factor);
        }
    }
}

/* Hang all factors; `begins` and `factors` are room for one of each ideal. */
static void hang_all(Tree *tree, const Changes *change, int64_t *begins, Factor *factors) {
    for (int64_t x = 0; x < change->t; x++) {
        begins[x] = -1;
    }
    for (int64_t event = 0; event < change->num_events; event++) {
        for (int64_t k = change->starts[event]; k < change->starts[event + 1]; k++) {
            int64_t x = change->ideals[k];
            assert(x >= 0 && x < change->t);
            if (begins[x] >= 0) {
                hang_stretch(tree, begins[x], event, factors[x]);
            }
            begins[x] = event + 1;
            factors[x] = (Factor){change->unseen_after[k], change->seen_after[k]};
        }
    }
    for (int64_t x = 0; x < change->t; x++) {
        if (begins[x] >= 0) {
            hang_stretch(tree, begins[x], change->num_events + 1, factors[x]);
        }
    }
}

static Tree tree_of(Memory *memory, const Changes *change) {
    Tree tree = {.depth = depth_of(change->num_events + 1)};
    tree.size = INT64_C(1) << tree.depth;
    tree.ends = take_zeros(memory, 2 * tree.size, sizeof *tree.ends);
    int64_t *begins = take(memory, change->t, sizeof *begins);
    Factor *factors = take(memory, change->t, sizeof *factors);
    hang_all(&tree, change, begins, factors);
    int64_t total = 0;
    for (int64_t node = 0; node < 2 * tree.size; node++) {
        int64_t count = tree.ends[node];
        tree.ends[node] = total;
        total += count;
    }
    tree.factors = take(memory, total, sizeof *tree.factors);
    /* Hanging moves each node's beginning to its end. */
    hang_all(&tree, change, begins, factors);
    tree.polys = polys_for(memory, tree.depth + 1, change->t + 1);
    tree.polys[0].at[0] = 1.0;
    return tree;
}

/* Return the law in force at a leaf, the next one or the first. */
static const Poly *descend(Tree *tree, int64_t leaf) {
    for (int64_t level = level_of(leaf, tree->depth); level <= tree->depth; level++) {
        int64_t node = (tree->size + leaf) >> (tree->depth - level);
        Poly *poly = &tree->polys[level];
        if (level) {
            copy_poly(poly - 1, poly);
        }
        for (int64_t k = tree->ends[node - 1]; k < tree->ends[node]; k++) {
            if (tree->factors[k].unseen == 0.0) {
                poly->certain++;
            } else {
                multiply(poly, tree->factors[k]);
            }
        }
    }
    return &tree->polys[tree->depth];
}

/* Take in P(not first seen here given F = s), which is 1 - first P(F = s without x) / P(F = s). */
static inline void take_in(
    const Poly *law, const Poly *without, double first, double *restrict nothing_new) {
    const double *at = law->at, *others = without->at;
    int64_t end = least(law->high, without->high);
    for (int64_t s = most(law->low, without->low); s <= end; s++) {
        if (at[s] > 0.0) {
            nothing_new[s] *= larger(0.0, 1.0 - first * others[s] / at[s]);
        }
    }
}

/* Write prod_x (1 - P(x first seen here given F = s)), equation (8), for each s of `law`.

P(F = s given x not seen) is the product over all ideals but x: a second tree, over the
ideals that change here; each step down multiplies the sibling's factors in to `base`, the product
over those that do not change. `others` are as many polynomials as the tree has levels. */
static void see_nothing_new(
    const Changes *change, int64_t event, const Poly *base, const Poly *law, Poly *others,
    double *nothing_new) {
    int64_t begin = change->starts[event], count = change->starts[event + 1] - begin;
    int64_t depth = depth_of(count);
    for (int64_t s = law->low; s <= law->high; s++) {
        nothing_new[s] = 1.0;
    }
    copy_poly(base, &others[0]);
    for (int64_t item = 0; item < count; item++) {
        for (int64_t level = most(1, level_of(item, depth)); level <= depth; level++) {
            int64_t below = depth - level, sibling = item >> below ^ 1;
            copy_poly(&others[level - 1], &others[level]);
            int64_t end = begin + least(count, (sibling + 1) << below);
            for (int64_t k = begin + (sibling << below); k < end; k++) {
                if (change->seen_before[k] > 0.0) {
                    Factor factor = {change->unseen_before[k], change->seen_before[k]};
                    multiply(&others[level], factor);
                }
            }
        }
        take_in(law, &others[depth], change->first[begin + item], nothing_new);
    }
}

/* Write P(F = s before an event, and more after it) by equation (8), a noisy-or over the ideals. */
static void move_by_noisy_or(
    const Changes *change, int64_t event, const Poly *base, const Poly *before, Poly *others,
    double *moved) {
    see_nothing_new(change, event, base, before, others, moved);
    for (int64_t s = before->low; s <= before->high; s++) {
        moved[s] = before->at[s] * (1.0 - moved[s]);
    }
}

/* Write the same exactly: P(F = s before and after) is that of ideals seen before, or never. */
static void move_exactly(
    const Changes *change, int64_t event, const Poly *base, const Poly *before, Poly *stay,
    double *moved) {
    copy_poly(base, stay);
    for (int64_t k = change->starts[event]; k < change->starts[event + 1]; k++) {
        multiply(stay, (Factor){change->unseen_after[k], change->seen_before[k]});
    }
    for (int64_t s = before->low; s <= before->high; s++) {
        moved[s] = larger(0.0, before->at[s] - stay->at[s]);
    }
}

/* Write P(F_i < r), i at a leaf, for rising r. */
static void write_below(
    const Poly *law, int64_t num_recall, const int64_t recall[num_recall],
    double below[num_recall]) {
    double total = 0.0;
    int64_t s = law->low;
    for (int64_t k = 0; k < num_recall; k++) {
        for (; s <= least(law->high, recall[k] - 1 - law->certain); s++) {
            total += law->at[s];
        }
        below[k] = smaller(1.0, total);
    }
}

/* Add a law's values, or others of the same places, times a cost. */
static void add_values(
    const Poly *law, const double *restrict values, double cost, double *restrict sums) {
    for (int64_t s = law->low; s <= law->high; s++) {
        sums[s + law->certain] += cost * values[s];
    }
}

/* Return how many ideals an event changes at most. */
static int64_t most_at_once(const Changes *change) {
    int64_t largest = 0;
    for (int64_t event = 0; event < change->num_events; event++) {
        largest = most(largest, change->starts[event + 1] - change->starts[event]);
    }
    return largest;
}

void along_list(
    Memory *memory, int64_t num_events, int64_t num_counts, int64_t num_recall,
    const Changes *change, const double edges[num_events + 2], const double costs[num_events],
    bool noisy_or, MAYBE double consulted[num_counts], MAYBE double leading[num_counts],
    double last[num_counts], const int64_t recall[num_recall],
    double below[(num_events + 1) * num_recall], MAYBE const double pivots[num_counts - 1],
    MAYBE double moments[3][num_counts - 1]) {
    assert(num_events == change->num_events && num_counts == change->t + 1);
    Tree tree = tree_of(memory, change);
    int64_t num_others = noisy_or ? depth_of(most_at_once(change)) + 1 : 1;
    Poly *before = polys_for(memory, 1, num_counts);
    Poly *others = polys_for(memory, num_others, num_counts);
    double *moved = take(memory, num_counts, sizeof *moved);
    for (int64_t leaf = 0; leaf <= num_events; leaf++) {
        const Poly *base = descend(&tree, leaf);
        copy_poly(base, before);
        if (leaf == num_events) {
            add_values(base, base->at, 1.0, last);
        } else {
            for (int64_t k = change->starts[leaf]; k < change->starts[leaf + 1]; k++) {
                if (change->seen_before[k] > 0.0) {
                    multiply(before, (Factor){change->unseen_before[k], change->seen_before[k]});
                }
            }
            if (leading) {
                (noisy_or ? move_by_noisy_or : move_exactly)(
                    change, leaf, base, before, others, moved);
                add_values(before, moved, costs[leaf], leading);
            }
        }
        if (leading) {
            add_values(before, before->at, edges[leaf + 1] - edges[leaf], consulted);
        }
        if (pivots) {
            add_depths_of(before, edges[leaf], edges[leaf + 1], change->t, pivots, moments);
        }
        if (num_recall) {
            write_below(before, num_recall, recall, &below[leaf * num_recall]);
        }
    }
}
