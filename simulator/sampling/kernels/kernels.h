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

/* An outcome is a context and what is seen in it. outcomes[k][0] is the probability, as bits, that
none of the outcomes up to k happens, counted from the last context that nobody passes; levels[c]
that of getting past the context before c. outcomes[k][1] says to which context outcome k leads
(upper half), or -1 at the end of the list, where the user sees the list of places of this number
(lower half), or, if that is negative, what is drawn in cell ~number. `guide` says with which
outcome to begin, by the upper bits of the probability's distance from 1; buckets[c][0] is the first
of its entries for c, and buckets[c][1] how many follow. Context c's ideals are starts[c] ..
starts[c + 1] - 1. A context has a row of `highs` and `hazards` for each of the `edges`. */
typedef struct {
    int64_t num_outcomes;
    int64_t num_guides;
    int64_t num_levels;
    int64_t num_contexts;
    int64_t num_ideals;
    int64_t num_lists;
    int64_t num_places;
    int64_t num_normals;
    int64_t num_edges;
    int64_t num_cells;
    int64_t shift;
    const int64_t *outcomes OF(num_outcomes, 2);
    const int32_t *guide OF(num_guides);
    const double *levels OF(num_levels);
    const int64_t *buckets OF(num_levels, 2);
    const int32_t *ranks OF(num_contexts);
    const int32_t *starts OF(num_contexts + 1);
    const int32_t *ideals OF(num_ideals);
    const int32_t *lists OF(num_lists, 2);
    const int32_t *places OF(num_places);
    const double *normals OF(num_normals);
    const double *edges OF(num_edges);
    const double *highs OF(num_cells);
    const double *hazards OF(num_cells);
    double rho;
} Contexts;

/* Draw the next users, from one context in which they see something to the next.

The next outcome is the first whose probability that none happened is less than levels[c] times a
uniform number, the next of the user's SplitMix64 numbers. `seen`, if there is room, takes the ranks
of first seeing the ideals. */
void contexts(
    Memory *memory, int64_t t, int64_t num_users, uint64_t key, int64_t first_user,
    const Contexts *tables, uint64_t state[4], uint64_t again[4], int64_t num_ranked,
    int64_t num_unranked, bool sampled, int32_t consulted[t][num_users],
    int32_t leading[t][num_users], MAYBE int32_t seen[t][num_users]);

/* ---- thinning ---- */

/* Column x's visits are starts[x] .. starts[x + 1] - 2, followed by one that means never; hazards
begin anew in each column. `guide` says with which visit to begin, by the hazard times scales[x]. */
typedef struct {
    int64_t t;
    int64_t num_visits;
    int64_t num_guides;
    const double *scales OF(t);
    const int64_t *own_ranks OF(t);
    const int64_t *starts OF(t + 1);
    const int64_t *guide_starts OF(t + 1);
    const double *hazards OF(num_visits);
    const int64_t *next_certain OF(num_visits);
    const int32_t *ranks OF(num_visits);
    const double *margins OF(num_visits);
    const int32_t *guide OF(num_guides);
} Thinning;

/* Draw the next users of a population, and write their C(r) and CL(r).

1 - f p >= (1 - p)^f: where a user with factor 1 adds the hazard -log(1 - p) to those passed, a user
with factor f adds at most f times that, and stops at the visit where the sum exceeds an exponential
number over f. They make this visit with the probability f p over 1 - (1 - p)^f, which is at least
1 - p, and otherwise go on; at the ideal's own rank they always see it. A user has t numbers from
`source`; further numbers for an ideal are SplitMix64's from that number on. `seen`, if there is
room, takes the ranks of first seeing the ideals. (gcc 12 crashes where an array is the 14th.) */
void thinned(
    Memory *memory, int64_t t, int64_t num_users, uint64_t source[4],
    const double factors[num_users], uint64_t state[4], uint64_t again[4], int64_t num_ranked,
    int64_t num_unranked, bool sampled, int32_t consulted[t][num_users],
    int32_t leading[t][num_users], MAYBE int32_t seen[t][num_users], const Thinning *tables);

/* ---- covering ---- */

/* Pieces of spans that every chunk shows whole or not at all; span x's from starts[x] on.

ends[k] is where piece k ends, counted from its span's start; `lengths` are the spans'.
guide[guide_starts[x] + (character >> shifts[x])] is a piece to begin with, seldom too early. */
typedef struct {
    int64_t t;
    int64_t num_pieces;
    int64_t num_guides;
    const int64_t *lengths OF(t);
    const int64_t *shifts OF(t);
    const int64_t *starts OF(t + 1);
    const int64_t *guide_starts OF(t + 1);
    const int64_t *ends OF(num_pieces);
    const int32_t *guide OF(num_guides);
} Pieces;

/* What shows a piece: certain[k] is the first rank whose own chunk does, or NEVER.

Openings that may show piece k before stand at starts[k] .. starts[k + 1], in order of ranks. */
typedef struct {
    int64_t num_pieces;
    int64_t num_openings;
    const int32_t *certain OF(num_pieces);
    const int64_t *starts OF(num_pieces + 1);
    const int32_t *ranks OF(num_openings);
    const uint64_t *salts OF(num_openings);
    const double *chances OF(num_openings);
} Showings;

/* Draw the next users who need a point of each span, or the whole of it, and open chunks; write
their C(r) and CL(r).

No law is used: a user's points are characters, and each opening is tossed. A user's toss of an
opening is a number of their own for its two chunks, so it is the same wherever it is looked up. */
void covering(
    Memory *memory, int64_t t, int64_t num_users, uint64_t points[4], uint64_t key,
    int64_t first_user, bool whole, const Pieces *pieces, const Showings *showings,
    uint64_t state[4], uint64_t again[4], int64_t num_ranked, int64_t num_unranked, bool sampled,
    int32_t consulted[t][num_users], int32_t leading[t][num_users]);

/* ---- consultations ---- */


/* ---- overlooking ---- */


/* ---- steering ---- */


/* ---- pushing ---- */

/* Groups of events, of which pushed users pick one by the cumulative `picks`.

Entries starts[group] .. starts[group + 1] - 1 of a group are events of `ideals`: that the user's
share of 2^53 is in lows .. highs - 1, which it is with probability `inside`. */
typedef struct {
    int64_t num_groups;
    int64_t num_entries;
    const double *picks OF(num_groups);
    const int64_t *starts OF(num_groups + 1);
    const int64_t *ideals OF(num_entries);
    const int64_t *lows OF(num_entries);
    const int64_t *highs OF(num_entries);
    const double *inside OF(num_entries);
} Groups;

/* Draw the next users, from number `done` of their block on, and write their C(r) and CL(r).

As `first_seen`, but the last of `every` users takes a number from `pushes`, which picks a group;
those of a unit have one stratum of it each. Then the user's share for the ideal of each entry of
the group falls in lows .. highs - 1 with probability `inside`, and stays uniform there and
elsewhere. */
void pushed_visits(
    Memory *memory, int64_t t, int64_t num_users, int64_t num_candidates, int64_t num_guides,
    uint64_t source[4], uint64_t pushes[4], int64_t done, int64_t every, int64_t unit_size,
    const Groups *groups, const int64_t starts[t + 1], const uint64_t cumulative[num_candidates],
    const int32_t ranks[num_candidates], const int64_t guide_starts[t + 1],
    const int32_t guides[num_guides], const uint64_t guide_shifts[t], uint64_t state[4],
    uint64_t again[4], int64_t num_ranked, int64_t num_unranked, int32_t consulted[t][num_users],
    int32_t leading[t][num_users]);

/* Write users' q / p, how much commoner pushed users are such than plain ones, from their C(r).

It is the sum over depths of by_count at the number of ideals seen by then, and over ranks of
weight theta^m, m the number of ideals first seen there; `rest` is what the latter is for m = 0. */
void weigh_visits(
    int64_t t, int64_t num_users, int64_t num_depths, int64_t num_ranks,
    const int32_t consulted[t][num_users], const int32_t depths[num_depths],
    const double by_count[num_depths][t + 1], const double weight[num_ranks],
    const double theta[num_ranks], double rest, double ratios[num_users]);

/* ---- pushed paths ---- */

/* Links by number of the element, with where elements are in the alias tables, and back. */
typedef struct {
    int64_t n;
    int64_t num_links;
    int64_t num_columns;
    const uint64_t *places OF(n);
    const int64_t *starts OF(n + 1);
    const int32_t *targets OF(num_links);
    const double *probabilities OF(num_links);
    const int32_t *nodes OF(num_columns);
} Moves;

/* What comes next: near[l, rows[v], c] is P(next ideal within l steps is of class c), from v.

An ideal is its own next ideal; `ideals` are those of the first rows; -1 is no row. `most` bounds
the sum of near over c by the first column of v in the alias tables. */
typedef struct {
    int64_t n;
    int64_t num_linked;
    int64_t t;
    int64_t steps;
    int64_t num_rows;
    int64_t num_classes;
    int64_t num_columns;
    const int32_t *rows OF(n);
    const int64_t *ideals OF(num_linked);
    const int64_t *classes OF(t);
    const double *near OF(steps, num_rows, num_classes);
    const float *most OF(num_columns);
} Ahead;

/* How users are pushed, entry by entry, and what it does to their probabilities.

`first`: cumulative probabilities of a push of the first leg to a class; `first_ratio` by what a
first leg to it is commoner than by no push. `later`: of a push from the one ideal seen; `onward`
cumulative shares of its classes, `onward_ratio` how much commoner a leg to it. `batches` are the
ends of batches of entries, from which users walk at a time. `towards` is the share of pushed users
who are pushed towards ideals, `unpushed` their probability of no push of a first leg, batch by
batch. Others shun `sets` with cumulative `shares`, of classes with `bits`, each up to the entry
`ends`; `shunned` is how common they are with this set of ends of first legs. */
typedef struct {
    int64_t num_entries;
    int64_t num_classes;
    int64_t t;
    int64_t num_batches;
    int64_t num_sets;
    int64_t num_ends;
    const double *first OF(num_entries, num_classes);
    const double *first_ratio OF(num_entries, num_classes);
    const double *later OF(num_entries, t);
    const double *onward OF(t, num_classes);
    const double *onward_ratio OF(t, num_classes);
    double towards;
    const int64_t *batches OF(num_batches);
    const double *unpushed OF(num_batches);
    const int64_t *bits OF(num_classes);
    const int64_t *ends OF(num_classes);
    const int64_t *sets OF(num_sets);
    const double *shares OF(num_sets);
    const double *shunned OF(num_batches, num_ends);
} Pushes;

/* Walk as `walks`, the last of `every` users pushed; write C(r), CL(r) and q / p.

Of a user who is not pushed, paths are those of `walks`. Pushes are drawn from SplitMix64 of
(push_key, v), and batches of entries from which users walk at a time are the list's: so no user
depends on others. */
void pushed_walks(
    Memory *memory, int64_t t, int64_t num_users, int64_t num_columns, int64_t num_slots,
    int64_t num_entries, uint64_t key, uint64_t push_key, int64_t every, int64_t first_user,
    const uint64_t columns[num_columns][2], const uint64_t slots[num_slots],
    const int32_t slot_ideals[num_slots], const int32_t ranks[num_entries],
    const int64_t entries[num_entries], const uint64_t places[num_entries],
    const int64_t entry_ideals[num_entries], const Moves *moves, const Ahead *ahead,
    const Pushes *pushes, uint64_t state[4], uint64_t again[4], int64_t num_ranked,
    int64_t num_unranked, int32_t consulted[t][num_users], int32_t leading[t][num_users],
    double ratios[num_users]);

/* ---- accumulation ---- */


/* ---- charging ---- */


/* ---- weighing ---- */


/* ---- effort ---- */


/* ---- stops ---- */


/* ---- elsewhere ---- */


#endif
