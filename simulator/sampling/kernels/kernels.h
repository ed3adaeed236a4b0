/* The samplers' kernels: what Python may call, see `compiling/door.py`.

Every random number comes from the SFC64 states handed in, or from SplitMix64 of keys handed in.
Each kernel has a plain-Python twin in `tests.twins` that gives the same users on the same streams.
*/

#ifndef KERNELS_H
#define KERNELS_H

#include "door.h"

/* ---- blocks ---- */

/* The next users of a block, and room for their C(r) and CL(r): a row for each r, users in columns.

`source` is a stream from which numbers are drawn, or whose first word names the users, of whom
`done` come before. Places behind the list are drawn from `state`, and from `again` where they
coincide. If the unranked part is not sampled, C(r) is 0 where the list did not suffice, and CL(r)
is that of the list. `seen`, if it has room, takes the ranks, or places behind the list, of first
seeing the ideals. */
typedef struct {
    int64_t t;
    int64_t num_users;
    int64_t num_ranked;
    int64_t num_unranked;
    int64_t done;
    bool sampled;
    uint64_t *source OF(4);
    uint64_t *state OF(4);
    uint64_t *again OF(4);
    int32_t *consulted OF(t, num_users);
    int32_t *leading OF(t, num_users);
    MAYBE int32_t *seen OF(t, num_users);
} Block;

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

/* Column x's candidates are starts[x] .. starts[x + 1]; the top bits of a user's number for x point
to the candidate to begin with, which is seldom more than one too early. */
typedef struct {
    int64_t t;
    int64_t num_candidates;
    int64_t num_guides;
    const int64_t *starts OF(t + 1);
    const uint64_t *cumulative OF(num_candidates);
    const int32_t *ranks OF(num_candidates);
    const int64_t *guide_starts OF(t + 1);
    const int32_t *guides OF(num_guides);
    const uint64_t *shifts OF(t);
} Candidates;

/* Draw the next users under independent navigation.

Each user has t numbers from `source`. Ideal x is first seen at the rank whose cumulative
probability first exceeds the user's number for x. */
void first_seen(Memory *memory, const Candidates *tables, const Block *block);

/* ---- paths ---- */

/* `ranks` are the ranks, from 1, from which ideals can be seen, `entries` their elements, `places`
the places of these elements in the alias tables (0: without links), `entry_ideals` the ideals at
these ranks (-1: none). */
typedef struct {
    int64_t num_columns;
    int64_t num_slots;
    int64_t num_entries;
    const uint64_t *columns OF(num_columns, 2);
    const uint64_t *slots OF(num_slots);
    const int32_t *slot_ideals OF(num_slots);
    const int32_t *ranks OF(num_entries);
    const int64_t *entries OF(num_entries);
    const uint64_t *places OF(num_entries);
    const int64_t *entry_ideals OF(num_entries);
} Paths;

/* Let the next users walk from the entries of the list.

The path of user v from element e is drawn from SFC64, seeded with three SplitMix64 numbers of
(key, v, e): the same user takes the same path from e in every list. A step draws a column of the
element's alias table from the number's top bits and takes its first outcome if the other bits are
below its threshold, else its second. Outcomes are places: twice the table's first column plus its
number of columns, which divides that; 0 is to stop. Users walk in step, from several entries at a
time. */
void walks(Memory *memory, const Paths *tables, const Block *block);

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
uniform number, the next of the user's SplitMix64 numbers. */
void contexts(Memory *memory, const Contexts *tables, const Block *block);

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

/* Draw the next users of a population.

1 - f p >= (1 - p)^f: where a user with factor 1 adds the hazard -log(1 - p) to those passed, a user
with factor f adds at most f times that, and stops at the visit where the sum exceeds an exponential
number over f. They make this visit with the probability f p over 1 - (1 - p)^f, which is at least
1 - p, and otherwise go on; at the ideal's own rank they always see it. A user has t numbers from
`source`; further numbers for an ideal are SplitMix64's from that number on. */
void thinned(
    Memory *memory, int64_t num_users, const double factors[num_users], const Thinning *tables,
    const Block *block);

/* ---- covering ---- */

/* Pieces of spans that every chunk shows whole or not at all; span x's from starts[x] on.

ends[k] is where piece k ends, counted from its span's start; `lengths` are the spans'.
guide[guide_starts[x] + (character >> shifts[x])] is a piece to begin with, seldom too early.
certain[k] is the first rank whose own chunk shows piece k, or NEVER. Openings that may show it
before stand at opening_starts[k] .. opening_starts[k + 1], in order of ranks. */
typedef struct {
    int64_t t;
    int64_t num_pieces;
    int64_t num_guides;
    int64_t num_openings;
    const int64_t *lengths OF(t);
    const int64_t *shifts OF(t);
    const int64_t *starts OF(t + 1);
    const int64_t *guide_starts OF(t + 1);
    const int64_t *ends OF(num_pieces);
    const int32_t *guide OF(num_guides);
    const int32_t *certain OF(num_pieces);
    const int64_t *opening_starts OF(num_pieces + 1);
    const int32_t *ranks OF(num_openings);
    const uint64_t *salts OF(num_openings);
    const double *chances OF(num_openings);
} Pieces;

/* Draw the next users who need a point of each span, or the whole of it, and open chunks.

No law is used: a user's points are characters, and each opening is tossed. A user's toss of an
opening is a number of their own for its two chunks, so it is the same wherever it is looked up. */
void covering(
    Memory *memory, uint64_t points[4], bool whole, const Pieces *pieces, const Block *block);

/* ---- seen ---- */

/* Count users who see the ideals at known ranks, INT32_MAX behind the list. */
void count_seen(
    Memory *memory, int64_t t, int64_t num_users, const int32_t ranks[t][num_users],
    const Block *block);

/* ---- consultations ---- */

/* How visits from one element are coupled. */
enum { INDEPENDENT, EXCLUSIVE, COMONOTONE, COPULA, WALK };

/* Elements that may show an ideal, or make a document known.

`ranks` from 1 (0 behind the list), `fades` the factor of the rank; `own` the ideal that it is,
`nodes` the place in the graph of a walk, or among those with visits, and `documents`: -1 for
none. */
typedef struct {
    int64_t n;
    const uint64_t *salts OF(n);
    const int64_t *ranks OF(n);
    const double *fades OF(n);
    const int64_t *own OF(n);
    const int64_t *nodes OF(n);
    const int64_t *documents OF(n);
} Entries;

/* The rule by which visits are coupled, and the dials on which probabilities depend.

Visits are ideals and margins, node by node: visit_starts[node] .. visit_starts[node + 1]. A walk
has a graph instead: cumulative `shares` of each node's links, probabilities of `moving` on; a path
ends after `longest_path` moves, unless that is -1. `satiated` by number of ideals found; `fades` by
number of elements consulted, the last for all that follow, or, if there are none, `fading` to the
power of it; `known` are documents consulted in the list. Listed elements with one number in
`groups`, neighbours, are tied; it is empty where nothing is. */
typedef struct {
    int64_t rule;
    double rho;
    double one_factor;
    int64_t num_starts;
    int64_t num_visits;
    const int64_t *visit_starts OF(num_starts);
    const int64_t *ideals OF(num_visits);
    const double *margins OF(num_visits);
    int64_t n;
    int64_t num_links;
    const int64_t *starts OF(n + 1);
    const int64_t *targets OF(num_links);
    const double *shares OF(num_links);
    const double *moving OF(n);
    const int64_t *ideal_of OF(n);
    int64_t longest_path;
    int64_t most_found;
    const double *satiated OF(most_found);
    double fading;
    int64_t num_fades;
    const double *fades OF(num_fades);
    int64_t num_documents;
    const bool *known OF(num_documents);
    int64_t num_tied;
    const int64_t *groups OF(num_tied);
    bool browses_unranked;
} Consulting;

/* Draw the next users, who bring along a factor, and a normal number z; `need` is one more factor.

Users consult element after element. No law is used: each visit is drawn when it is due. Numbers are
keyed by user and element, so that a user does the same from an element in every list where the
probabilities are the same. */
void consultations(
    Memory *memory, int64_t num_users, const Consulting *tables, const Entries *listed,
    const Entries *later, double need, const double factors[num_users],
    const double normals[num_users], const Block *block);

/* ---- accumulation ---- */

/* Add users to integer sums, ten rows, which hold at most a block of 16,384.

C, CL, C^2 in two halves, CL^2, CL C, the ratio; then, of the ratio's upper and lower half, the
square of the first, their product, the square of the second. A user without C(r) (the unranked part
is not sampled) is counted at the end of the list instead: ends[:, s] takes the number, CL and CL^2
of users with s ideals there. */
void add_counts(
    int64_t t, int64_t num_users, const int32_t consulted[t][num_users],
    const int32_t leading[t][num_users], int64_t sums[10][t], int64_t ends[3][t]);

/* ---- charging ---- */

/* Costs are whole numbers of steps below 2^MOST_COST_BITS, see `prum.simulator.model.ListCosts`,
multiplied in halves. */
enum { MOST_COST_BITS = 48, COST_HALF_BITS = 24 };

/* Write what users' C(r) elements cost, and those of them that led to an unseen ideal.

The first i ranks cost before[i], each element behind the list `unranked`. Element C(r) led to
something new if CL(r) is more than CL(r - 1). Where C(r) is 0 (the list did not suffice, and the
unranked part is not sampled) the cost is 0, and the leading cost is that of the list. */
void charge(
    Memory *memory, int64_t t, int64_t num_users, int64_t num_sums,
    const int32_t consulted[t][num_users], const int32_t leading[t][num_users],
    const int64_t before[num_sums], int64_t unranked, int64_t costs[t][num_users],
    int64_t led[t][num_users]);

/* Add users to integer sums, fifteen rows, which hold at most a block of 16,384.

Cost, leading cost, the ratio; then in three rows each, products of upper halves, of an upper and a
lower, and of lower halves, the squares of these, and the product of the first two. As in
`add_counts`, a user without C(r) is counted at the end of the list instead: ends[:, s] takes the
number, leading cost, and its square in three rows, of users with s ideals there. */
void add_costs(
    int64_t t, int64_t num_users, const int64_t costs[t][num_users],
    const int64_t leading[t][num_users], int64_t sums[15][t], int64_t ends[5][t]);

/* ---- effort ---- */

/* Bits behind the point of the ratio of fewest elements to those consulted. */
enum { EFFORT_BITS = 40 };

/* What elements show, and the list: sets that are certain, and visits (element, ideal) that are
tossed. A set is a row of words, bit x % 64 of word x / 64 for ideal x. */
typedef struct {
    int64_t num_elements;
    int64_t num_words;
    int64_t num_tossed;
    int64_t num_ranked;
    const uint64_t *certain OF(num_elements, num_words);
    const int64_t *tossed OF(num_tossed, 2);
    const double *chances OF(num_tossed);
    const int64_t *ranking OF(num_ranked);
} EffortVisits;

/* Values of ideals: of all sets in a byte, from the heaviest on, of each; and levels, values to
reach. */
typedef struct {
    int64_t num_bytes;
    int64_t t;
    const int64_t *worths OF(num_bytes, 256);
    const int64_t *heaviest OF(t);
    const int64_t *weights OF(t);
    const int64_t *levels OF(t);
} Efforts;

/* Draw the next users, to columns from `first` on; return how many were drawn before a search took
too many steps.

Writes C(r) and CL(r), the value seen after each rank, and for each level the ratio of the fewest
elements that reach it to the ranks consulted, in 2^-40; 0 where the list did not reach it. */
int64_t draw_efforts(
    Memory *memory, int64_t t, int64_t num_ranked, int64_t size, const EffortVisits *visits,
    const Efforts *efforts, int64_t seen[num_ranked][size], int64_t effort[t][size], int64_t first,
    int64_t most_steps, const Block *block);

/* Add users' numbers of up to 41 bits: total, square of the upper bits, product, of the lower. */
void add_fixed(
    int64_t num_rows, int64_t num_users, const int64_t values[num_rows][num_users],
    int64_t sums[num_rows][4]);

/* ---- neighbours ---- */

/* Write how many numbers the list of `rows` and the other list of `columns` share, each.

List k stands sorted in starts[k] <= i < starts[k + 1]. The shorter one is looked up in the longer
one: for the lists of a table of m links that takes m^1.5 searches at most (Chiba and Nishizeki
1985). */
void num_shared(
    int64_t num_pairs, int64_t num_starts, int64_t num_other_starts, int64_t size,
    int64_t other_size, const int64_t rows[num_pairs], const int64_t starts[num_starts],
    const int64_t lists[size], const int64_t columns[num_pairs],
    const int64_t other_starts[num_other_starts], const int64_t others[other_size],
    int64_t shared[num_pairs]);

/* ---- swaps ---- */

/* Swap visits of each table in place: (a, y) and (b, z) become (a, z) and (b, y).

Visit i of table k is (rows[k][i], columns[k][i]); picks[k] are pairs of visits, one after the
other. They stay where (a, z) or (b, y) is taken. `columns` is changed, too. */
void swap_visits(
    int64_t num, int64_t n, int64_t m, int64_t visits, int64_t size, bool tables[num][n][m],
    const int64_t rows[num][visits], int64_t columns[num][visits],
    const int32_t picks[num][size][2]);

#endif
