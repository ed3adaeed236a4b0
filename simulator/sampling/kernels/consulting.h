/* Users who consult element after element, and how they decide what to visit. */

#ifndef CONSULTING_H
#define CONSULTING_H

#include <math.h>

#include "counting.h"
#include "searching.h"
#include "kernels.h"

/* A user: a name among all, how much they browse, the stream of the element at which they are, and
which ideals they have seen, a column of `keys`. */
typedef struct {
    const Consulting *tables;
    uint64_t identity, source[4];
    double factor, z;
    int64_t t, found, column;
    int32_t (*keys)[TILE];
} Visitor;

/* What couples the visits from one element: a point in [0, 1), the common factor of a copula, and
the sum of the margins of the visits that were decided. */
typedef struct {
    double point, shared, at;
} Coupled;

/* Numbers to be sorted, each with what it belongs to. */
typedef struct {
    uint64_t key;
    int64_t index;
} Keyed;

/* What is behind the list, with room for a user's order of it. */
typedef struct {
    const Entries *later;
    int64_t num_ranked, size;
    Keyed *turns, *places, *more;
    bool *known;
} Behind;

/* Start the user's stream at one element. */
static inline void begin_at(Visitor *visitor, uint64_t salt) {
    uint64_t seed = visitor->identity ^ mixed(salt + GOLDEN);
    visitor->source[0] = mixed(seed + GOLDEN);
    visitor->source[1] = mixed(seed + 2 * GOLDEN);
    visitor->source[2] = mixed(seed + 3 * GOLDEN);
    visitor->source[3] = 1;
}

/* Return the user's next number in [0, 1), by SFC64. */
static inline double visitor_unit(Visitor *visitor) { return unit(next(visitor->source)); }

/* Return how probably the user browses from an element of the list. */
static inline double part_at(const Visitor *visitor, const Entries *listed, int64_t entry) {
    assert(visitor->found < visitor->tables->most_found);
    return visitor->factor * listed->fades[entry] * visitor->tables->satiated[visitor->found];
}

/* Note that the user sees an ideal, -1 for none. */
static inline void notice(Visitor *visitor, int64_t ideal, int64_t rank) {
    assert(ideal < visitor->t && rank < NEVER);
    visitor->found += note(visitor->t, visitor->keys, ideal, visitor->column, (int32_t)rank);
}

/* Return the normal law's distribution function. */
static inline double normal_below(double quantile) { return 0.5 * erfc(-quantile / sqrt(2.0)); }

/* Return a standard normal number (Box and Muller) from a uniform one and the next. */
static inline double normal_from(Visitor *visitor, double uniform) {
    double angle = 2.0 * 3.141592653589793 * visitor_unit(visitor);
    return sqrt(-2.0 * log(1.0 - uniform)) * cos(angle);
}

/* Return the probability of a user with factor z; margins are then quantiles of the normal. */
static inline double given_z(const Consulting *tables, double margin, double z) {
    double rho = tables->one_factor;
    return rho == 0.0 ? margin : normal_below((margin - sqrt(rho) * z) / sqrt(1.0 - rho));
}

/* Return what couples the visits from the element at which the user is. */
static inline Coupled coupled_by_chance(Visitor *visitor) {
    Coupled coupled = {0};
    if (visitor->tables->rule != INDEPENDENT) {
        coupled.point = visitor_unit(visitor);
    }
    if (visitor->tables->rule == COPULA) {
        coupled.shared = normal_from(visitor, coupled.point);
    }
    return coupled;
}

/* Return whether the user makes the next visit. */
static inline bool makes(Visitor *visitor, Coupled *coupled, double margin) {
    const Consulting *tables = visitor->tables;
    if (tables->rule == EXCLUSIVE) {
        double start = coupled->at - coupled->point;
        double end = coupled->at + margin - coupled->point;
        coupled->at += margin;
        return ceil(end) > ceil(start);
    }
    if (tables->rule == COMONOTONE) {
        return coupled->point < margin;
    }
    if (tables->rule == COPULA) {
        double rho = tables->rho, alone = normal_from(visitor, visitor_unit(visitor));
        return normal_below(sqrt(rho) * coupled->shared + sqrt(1.0 - rho) * alone) < margin;
    }
    return visitor_unit(visitor) < margin;
}

/* Note what the user sees on a path from a node. */
static inline void walk_from(Visitor *visitor, int64_t node, int64_t rank) {
    const Consulting *graph = visitor->tables;
    for (int64_t moves = 0;; moves++) {
        assert(0 <= node && node < graph->n);
        double number = visitor_unit(visitor);
        double moving = given_z(graph, graph->moving[node], visitor->z);
        if (number >= moving || moves == graph->longest_path) {
            return;
        }
        int64_t last = graph->starts[node + 1] - 1;
        node = graph->targets[first_above(
            graph->shares, graph->starts[node], last, number / moving)];
        notice(visitor, graph->ideal_of[node], rank);
    }
}

#endif
