/* The closed forms' kernels: what Python may call, see `compiling/door.py`. */

#ifndef KERNELS_H
#define KERNELS_H

#include "door.h"

/* ---- products ---- */

/* Write the coefficients of prod (1 - p + p z) to out. */
void product(int64_t m, const double probabilities[m], double out[m + 1]);

/* ---- seen ---- */

/* What each rank changes, see `prum.analytic.precision.seen.Changes`. */
typedef struct {
    int64_t t;
    int64_t num_events;
    int64_t num_changes;
    const int64_t *ranks OF(num_events);
    const int64_t *starts OF(num_events + 1);
    const int64_t *ideals OF(num_changes);
    const double *seen_before OF(num_changes);
    const double *unseen_before OF(num_changes);
    const double *seen_after OF(num_changes);
    const double *unseen_after OF(num_changes);
    const double *first OF(num_changes);
    const double *unseen OF(t);
} Changes;

/* Follow equation (6) down the list; see `prum.analytic.precision.seen.changes`.

A kept entry changes seen and unseen of its ideal: changed[entry] is both before, both after, and
the probability that the ideal is first seen there. */
void follow(
    int64_t t, int64_t num_entries, const int64_t ideals[num_entries],
    const double probabilities[num_entries], bool kept[num_entries],
    double changed[num_entries][5], double seen[t], double unseen[t]);

/* Add to E[(D(r) - a)^k], k = 1, 2, 3, what ranks of cost edges[i] to edges[i + 1] give.

D(r) is what the first min(C(r), o) ranks cost, their number if each costs 1; before rank i
counts[i][s] is P(F = s). a = pivots[r - 1] is one of the edges. */
void add_depths(
    Memory *memory, int64_t num_ranks, int64_t t, const double counts[num_ranks][t + 1],
    const double edges[num_ranks + 1], const double pivots[t], double moments[3][t]);

/* Sum the law of F_i over the list; see `prum.analytic.precision.seen`.

Leaf e is the law in force where ranks have cost edges[e] until they have cost edges[e + 1]; the
rank of event e costs costs[e]. What is asked for by arrays that are not empty: `leading` with
`consulted`; `below`, by leaf, for the rising r of `recall`; `moments` about `pivots`. `last` is 0
before. */
void along_list(
    Memory *memory, int64_t num_events, int64_t num_counts, int64_t num_recall,
    const Changes *change, const double edges[num_events + 2], const double costs[num_events],
    bool noisy_or, MAYBE double consulted[num_counts], MAYBE double leading[num_counts],
    double last[num_counts], const int64_t recall[num_recall],
    double below[(num_events + 1) * num_recall], MAYBE const double pivots[num_counts - 1],
    MAYBE double moments[3][num_counts - 1]);

/* ---- draws ---- */

/* Return the fewest draws from u elements by which a share of the users has what they want.

A share weights[i] wants wanted[i] of among[i] elements, which stand in random places; `among`
rises. `level` is the share of all users, at most the sum of the weights. */
int64_t draws_needed(
    Memory *memory, int64_t num_kinds, int64_t unranked, const int64_t wanted[num_kinds],
    const int64_t among[num_kinds], const double weights[num_kinds], double level);

/* ---- solving ---- */

/* Set each row of `solution` in turn to what (I - B) H = R says of it given the others.

B has moves[k] in column columns[k] of row i for starts[i] <= k < starts[i + 1]. Return the largest
change of the columns but the last. */
double sweep(
    int64_t n, int64_t width, int64_t num_moves, const int64_t starts[n + 1],
    const int32_t columns[num_moves], const double moves[num_moves], const double right[n][width],
    double solution[n][width], bool upward);

/* ---- normal ---- */

/* Multiply out[s] by prod_x (1 - first[x] P(F without x = s) / law[s]), s = 0 .. t.

seen[x] = P(x in S), law[s] = P(F = s) by normal counts. A law is normal if more than `normal_above`
ideals are neither certain nor impossible; mean and variance without x are those of all less its
own. The two laws are approximations apart, so a ratio is cut at 1. */
void nothing_new(
    Memory *memory, int64_t t, int64_t num_ideals, const double seen[t], const double law[t + 1],
    const int64_t ideals[num_ideals], const double first[num_ideals], int64_t normal_above,
    double out[t + 1]);

/* ---- bounds ---- */


/* ---- covering ---- */


/* ---- leave one out ---- */


/* ---- noisy-or slopes ---- */


#endif
