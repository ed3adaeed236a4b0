/* The samplers' kernels: what Python may call, see `compiling/door.py`.

Every random number comes from the SFC64 states handed in, or from SplitMix64 of keys handed in.
Each kernel has a plain-Python twin in `tests.twins` that gives the same users on the same streams.
Users stand in columns: `consulted` and `leading` take C(r) and CL(r), a row for each r. */

#ifndef KERNELS_H
#define KERNELS_H

#include "door.h"

/* ---- independent ---- */

/* Write SFC64's next numbers to out: 64 random bits each. */
void fill_uniform(int64_t size, uint64_t state[4], uint64_t out[size]);

/* ---- alias ---- */

/* Write each element's alias table (Vose 1991) over its links and stopping.

Tables have 2^row_bits columns; columns beyond the outcomes are empty and always go to their alias.
A column's threshold is columns[k][0]. */
void alias_tables(
    Memory *memory, int64_t n, int64_t num_links, int64_t size, const int64_t starts[n + 1],
    const int32_t targets[num_links], const double probabilities[num_links],
    const int64_t row_starts[n], const int64_t row_bits[n], uint64_t columns[size][2],
    int32_t stays[size], int32_t goes[size]);

/* ---- first seen ---- */

/* Draw the next users under independent navigation, and write their C(r) and CL(r).

Each user has t numbers from `source`. Ideal x is first seen at the rank whose cumulative
probability first exceeds the user's number for x. Column x's candidates are starts[x] ..
starts[x + 1]; the number's top bits point to the candidate to begin with, which is seldom more than
one too early. */
void first_seen(
    Memory *memory, int64_t t, int64_t num_users, int64_t num_candidates, int64_t num_guides,
    uint64_t source[4], const int64_t starts[t + 1], const uint64_t cumulative[num_candidates],
    const int32_t ranks[num_candidates], const int64_t guide_starts[t + 1],
    const int32_t guides[num_guides], const uint64_t guide_shifts[t], uint64_t state[4],
    uint64_t again[4], int64_t num_ranked, int64_t num_unranked, bool sampled,
    int32_t consulted[t][num_users], int32_t leading[t][num_users]);

/* ---- paths ---- */

/* Walk from the entries of the list, and write C(r) and CL(r) of the next users.

`ranks` are the ranks, from 1, from which ideals can be seen, `entries` their elements, `places` the
places of these elements in the alias tables (0: without links), `entry_ideals` the ideals at these
ranks (-1: none). The path of user v from element e is drawn from SFC64, seeded with three
SplitMix64 numbers of (key, v, e): the same user takes the same path from e in every list. A step
draws a column of the element's alias table from the number's top bits and takes its first outcome
if the other bits are below its threshold, else its second. Outcomes are places: twice the table's
first column plus its number of columns, which divides that; 0 is to stop. Users walk in step, from
several entries at a time. */
void walks(
    Memory *memory, int64_t t, int64_t num_users, int64_t num_columns, int64_t num_slots,
    int64_t num_entries, uint64_t key, int64_t first_user,
    const uint64_t columns[num_columns][2], const uint64_t slots[num_slots],
    const int32_t slot_ideals[num_slots], const int32_t ranks[num_entries],
    const int64_t entries[num_entries], const uint64_t places[num_entries],
    const int64_t entry_ideals[num_entries], uint64_t state[4], uint64_t again[4],
    int64_t num_ranked, int64_t num_unranked, bool sampled, int32_t consulted[t][num_users],
    int32_t leading[t][num_users]);

/* ---- outcomes ---- */


/* ---- thinning ---- */


/* ---- covering ---- */


/* ---- consultations ---- */

/* How visits from one element are coupled. */
enum { INDEPENDENT, EXCLUSIVE, COMONOTONE, COPULA, WALK };

/* Elements that may show an ideal, or make a document known.

`ranks` from 1 (0 behind the list), `fades` the factor of the rank; `own` the ideal that it is,
`nodes` the place in the Graph of a walk, or in VisitTables, and `documents`: -1 for none. */
typedef struct {
    int64_t n;
    const uint64_t *salts OF(n);
    const int64_t *ranks OF(n);
    const double *fades OF(n);
    const int64_t *own OF(n);
    const int64_t *nodes OF(n);
    const int64_t *documents OF(n);
} Entries;

/* Ideals and margins, node by node: starts[node] .. starts[node + 1]. */
typedef struct {
    int64_t num_starts;
    int64_t num_visits;
    const int64_t *starts OF(num_starts);
    const int64_t *ideals OF(num_visits);
    const double *margins OF(num_visits);
} VisitTables;

/* The graph of a walk: cumulative shares of each node's links, probabilities of moving on. */
typedef struct {
    int64_t n;
    int64_t num_links;
    const int64_t *starts OF(n + 1);
    const int64_t *targets OF(num_links);
    const double *shares OF(num_links);
    const double *moving OF(n);
    const int64_t *ideal_of OF(n);
} Graph;

/* The dials on which probabilities depend, and the rule by which visits are coupled.

`satiated` by number of ideals found; `known` are documents consulted in the list; a path ends after
`longest_path` moves, unless that is -1. */
typedef struct {
    int64_t rule;
    double rho;
    double one_factor;
    int64_t longest_path;
    int64_t most_found;
    const double *satiated OF(most_found);
    double fading;
    int64_t num_documents;
    const bool *known OF(num_documents);
    bool browses_unranked;
} DialTables;

/* What users bring along: a factor, and a normal number z. */
typedef struct {
    int64_t n;
    const double *factors OF(n);
    const double *normals OF(n);
} Users;

/* Draw the next users, with a factor for their need, and write their C(r) and CL(r).

Users consult element after element. No law is used: each visit is drawn when it is due. Numbers are
keyed by user and element, so that a user does the same from an element in every list where the
probabilities are the same. `seen`, if it has room, takes the ranks, or places behind the list, of
first seeing the ideals. */
void consultations(
    Memory *memory, int64_t t, int64_t num_users, uint64_t key, int64_t first_user,
    const DialTables *dials, const VisitTables *visits, const Graph *graph, const Entries *listed,
    const Entries *later, double need, const Users *users, uint64_t state[4], uint64_t again[4],
    int64_t num_ranked, int64_t num_unranked, bool sampled, int32_t consulted[t][num_users],
    int32_t leading[t][num_users], MAYBE int32_t seen[t][num_users]);

/* ---- overlooking ---- */

/* Where paths get to: ideals[x, v] is P(a path from node v gets to ideal x), sets[A, v] that it
gets to one of A, of which x is one if bit x of A is 1. */
typedef struct {
    int64_t t;
    int64_t n;
    int64_t num_sets;
    const double *ideals OF(t, n);
    const double *sets OF(num_sets, n);
} Reaching;

/* How ideals are overlooked: each is kept with keeps[goal, ideal], and P(goal) of these goals. With
a copula, `factors` and `weights` are where the common factor's law is integrated. */
typedef struct {
    int64_t t;
    int64_t num_goals;
    int64_t num_factors;
    const double *keeps OF(num_goals, t);
    const double *shares OF(num_goals);
    const double *factors OF(num_factors);
    const double *weights OF(num_factors);
} Overlooking;

/* Add to `out` how much commoner users with these first-seen ranks are if they overlook ideals.

They keep what they would see with some probability only, and are commoner by how much likelier this
makes what they see, and do not see, from each element: independent visits, and those given the
common factor of a copula, are kept one by one; of exclusive ones the one that is made; paths whole.
With comonotone visits other users see any of the sets that are possible. */
void overlooked(
    Memory *memory, int64_t t, int64_t num_users, const Overlooking *overlooking,
    const Reaching *reaching, const DialTables *dials, const VisitTables *visits,
    const Entries *listed, double need, const Users *users, const int32_t seen[t][num_users],
    double out[num_users]);

/* ---- steering ---- */

/* Goals: P(this or an earlier one), two ideals (-1: none), ranks.

One has no ideal: users who are steered nowhere. `overlooks` is the row of Overlooking.keeps of
those who overlook ideals, or -1. */
typedef struct {
    int64_t n;
    const double *shares OF(n);
    const int64_t *firsts OF(n);
    const int64_t *seconds OF(n);
    const int64_t *ranks OF(n);
    const int64_t *overlooks OF(n);
} Goals;

/* What may show an ideal in the list, in order of ranks, and which goals it is part of.

`margins` are as in VisitTables, and NaN where the element is the ideal. `singles` are P(goal) of
that ideal alone, at this rank; `missing` those of each ideal not in the list. `pairs` holds two
tosses for each goal of two ideals, whose P(goal) are in `doubles`. `none` is P(no goal). */
typedef struct {
    int64_t n;
    int64_t t;
    int64_t num_pairs;
    const int64_t *ranks OF(n);
    const int64_t *ideals OF(n);
    const double *margins OF(n);
    const double *fades OF(n);
    const double *singles OF(n);
    const double *missing OF(t);
    const int64_t *pairs OF(num_pairs, 2);
    const double *doubles OF(num_pairs);
    double none;
} Tosses;

/* Draw the next users, each towards a goal of their own; `seen` takes first-seen ranks.

A goal is that one or two ideals are first seen at a rank each, or not in the list. On the way every
choice is drawn given that the goal is still met, where it can be: nothing else is pushed. So a user
is commoner by 1 / P(each choice goes so), along the very path that they take. */
void steered(
    Memory *memory, int64_t t, int64_t num_users, uint64_t key, int64_t first_user,
    const Goals *goals, const Overlooking *overlooking, const Reaching *reaching,
    const DialTables *dials, const VisitTables *visits, const Graph *graph, const Entries *listed,
    const Entries *later, double need, const Users *users, uint64_t state[4], uint64_t again[4],
    int64_t num_ranked, int64_t num_unranked, int32_t consulted[t][num_users],
    int32_t leading[t][num_users], int32_t seen[t][num_users]);

/* Multiply `out` by how much commoner users with these first-seen ranks are if steered.

`others` is what those who overlook ideals add. Of each goal the ideals' chances multiply, given the
path so far. An ideal's, for a rank, is 0 where the user did not do what was aimed at, and else 1
over the probability of doing so. */
void ratios(
    Memory *memory, int64_t t, int64_t num_users, const Tosses *tosses, const DialTables *dials,
    int64_t num_ranked, double need, const Users *users, const int32_t seen[t][num_users],
    const double others[num_users], double out[num_users]);

/* ---- pushing ---- */


/* ---- pushed paths ---- */


/* ---- accumulation ---- */


/* ---- charging ---- */


/* ---- weighing ---- */


/* ---- effort ---- */


/* ---- stops ---- */


/* ---- elsewhere ---- */


#endif
