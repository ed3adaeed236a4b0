/* The closed forms' kernels: what Python may call, see `compiling/door.py`. */

#ifndef KERNELS_H
#define KERNELS_H

#include "door.h"

/* ---- products ---- */

/* Write the coefficients of prod (unseen + seen z) to out. */
void product(int64_t m, const double seen[m], const double unseen[m], double out[m + 1]);

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

/* Write what the margins of each step say of K by s = 0 .. num_ideals, the number of ideals seen
before.

Step i has the entries p[starts[i]] .. p[starts[i + 1] - 1]. whole[i][0] <= s <= whole[i][1] and
mean[i][0][s] <= K <= whole[i][2]; mean[i][1][s] <= E[K] <= mean[i][2][s];
P(K > 0) >= some[i][s]. */
void margins(
    Memory *memory, int64_t n, int64_t num_entries, const int64_t starts[n + 1],
    const int64_t ideals[num_entries], const double p[num_entries], int64_t num_ideals,
    int64_t whole[n][3], double mean[n][3][num_ideals + 1], double some[n][num_ideals + 1]);

/* Write the least and most E[C(r)], and the least and most E[CL(r)] / E[C(r)], for each r wanted.

`gaps` is what ranks that show nothing cost, before each step and behind the last; `each` what the
steps cost, `unranked` an element behind the list. The ratio is v where the most that
sign (E[CL(r)] - v E[C(r)]) may be is 0: Newton's method (Dinkelbach 1967) from the ratio at the
most or least E[C(r)], kept within the v that are known to be on either side. */
void bounds(
    Memory *memory, int64_t t, int64_t u, int64_t n, int64_t num_wanted, const double gaps[n + 1],
    const int64_t whole[n][3], const double mean[n][3][t + 1], const double some[n][t + 1],
    const double each[n], double unranked, const int64_t wanted[num_wanted],
    double out[4][num_wanted]);


/* ---- covering ---- */

/* Follow the pieces of spans down the list; write the rows of `Gains`, return their number.

With `apart` each rank begins anew. `at` is the entry that a row begins with; a row has what of its
span is seen and unseen before, seen and unseen after, and seen for the first time. */
int64_t gain(
    Memory *memory, int64_t num_entries, int64_t num_spans, int64_t num_pieces,
    const int64_t ranks[num_entries], const int64_t spans[num_entries],
    const int64_t lows[num_entries], const int64_t highs[num_entries],
    const double probabilities[num_entries], const int64_t begins[num_spans],
    const int64_t stops[num_spans], const int64_t lengths[num_pieces], bool apart,
    int64_t at[num_entries], double rows[num_entries][5]);

/* Write the probability that pieces begin .. stop - 1 are all shown, and that they are not.

By the first piece that is not yet shown, over what is shown in the order of `lows`: what comes
later begins no earlier, so that a piece left before it stays unshown. */
void covered_whole(
    Memory *memory, int64_t num_entries, const int64_t lows[num_entries],
    const int64_t highs[num_entries], const double probabilities[num_entries], int64_t begin,
    int64_t stop, double out[2]);


/* ---- leave one out ---- */

/* Write the derivatives of sum_r a_r (E[CL(r)] - precision(r) E[C(r)]) in each entry of p.

Rows of `weights`, by s = 0 .. t - 1: what P(F_i = s without x) counts for before the end of the
list, what it counts for at its end, sum of a_r over r > s, and over r > s + 1. `out` has o rows of
derivatives, behind a row to spare; derivatives of more in the v_ix that stand in it are carried
along. Only sums over s are kept of the laws. */
void weighted_gradient(
    Memory *memory, int64_t o, int64_t t, const double p[o][t], const double weights[4][t],
    double out[o + 1][t]);


/* Add the derivatives of sum_s weights[s] L(s) in each v_ix = P(x not in S_i) to row i of out.

L(s) = sum_i P(F_{i-1} = s) (1 - prod_x (1 - P(x first seen at i given F_{i-1} = s))), where
P(x first seen at i, F_{i-1} = s) is f_x g_x(s), f_x = v_{i-1,x} - v_ix and g_x the law of F_{i-1}
without x, which is that of F_{i-1} with the factor of x divided out: an adjoint runs through the
same division. */
void add_leading(
    Memory *memory, int64_t o, int64_t t, const double p[o][t], const double weights[t],
    double out[o + 1][t]);


#endif
