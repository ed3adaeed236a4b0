/* Users who are steered towards an ideal at a rank, and how likely they are. */

#include "overlooking.h"

/* In place of an element, for the goal of a user. */
#define GOAL UINT64_C(0x676F616C)

/* A goal of a user: two ideals (-1: none), the rank at which to see them, and the probabilities to
keep ideals, NULL where none is overlooked. */
typedef struct {
    int64_t first, second, rank;
    const double *keeps;
} Goal;

/* Draw the goal of a user. */
static Goal goal_of(Visitor *visitor, const Goals *goals, const Overlooking *overlooking) {
    begin_at(visitor, GOAL);
    int64_t goal = first_above(goals->shares, 0, goals->n - 1, visitor_unit(visitor));
    int64_t row = goals->overlooks[goal];
    assert(row < overlooking->num_goals);
    return (Goal){
        goals->firsts[goal], goals->seconds[goal], goals->ranks[goal],
        row >= 0 ? &overlooking->keeps[row * overlooking->t] : NULL,
    };
}

/* Return 1 if the goal has the visit made, -1 if not made, 0 if it leaves it to chance. */
static inline int decided(
    const Visitor *visitor, const Goal *goal, int64_t ideal, int64_t rank, double margin) {
    bool is_aimed = (ideal == goal->first || ideal == goal->second) && goal->rank >= rank;
    if (!is_aimed || margin <= 0.0 || margin >= 1.0 || seen_at(visitor, ideal) != NEVER) {
        return 0;
    }
    return goal->rank == rank ? 1 : -1;
}

/* The one of coupled visits that is decided (-1: none): where its stretch begins, how long it is,
and whether it is made. */
typedef struct {
    int64_t visit;
    double start, width;
    bool is_made;
} Aimed;

/* Return which of the visits from a node is decided. */
static Aimed aimed_at(
    const Visitor *visitor, const Goal *goal, int64_t node, int64_t rank, double part) {
    const VisitTables *visits = visitor->visits;
    Aimed aimed = {.visit = -1};
    double at = 0.0;
    for (int64_t visit = visits->starts[node]; visit < visits->starts[node + 1]; visit++) {
        double margin = margin_of(visitor->dials, visits, visit, part, visitor->z);
        int choice = decided(visitor, goal, visits->ideals[visit], rank, margin);
        if (choice) {
            aimed = (Aimed){visit, at, margin, choice > 0};
        }
        at += margin;
    }
    return aimed;
}

/* Return what couples visits, given what is decided. */
static Coupled coupled_by_aim(Visitor *visitor, const Aimed *aimed) {
    if (aimed->visit < 0) {
        return coupled_by_chance(visitor);
    }
    Coupled coupled = {visitor_unit(visitor), 0.0, 0.0};
    double width = aimed->width;
    coupled.point =
        aimed->is_made ? coupled.point * width : width + coupled.point * (1.0 - width);
    if (visitor->dials->rule == COPULA) {
        double latent = quantile_of(coupled.point);
        double rest = normal_from(visitor, visitor_unit(visitor));
        coupled.shared = latent_of(visitor->dials->rho, latent, rest);
    } else if (visitor->dials->rule == EXCLUSIVE) {
        coupled.point = fmod(aimed->start + coupled.point, 1.0);
    }
    return coupled;
}

/* Note what a steered user sees from a node by visits. */
static void visit_steered(
    Visitor *visitor, const Goal *goal, int64_t node, int64_t rank, double part) {
    const VisitTables *visits = visitor->visits;
    bool is_coupled = visitor->dials->rule != INDEPENDENT;
    Aimed aimed = {.visit = -1};
    if (is_coupled) {
        aimed = aimed_at(visitor, goal, node, rank, part);
    }
    Coupled coupled = coupled_by_aim(visitor, &aimed);
    for (int64_t visit = visits->starts[node]; visit < visits->starts[node + 1]; visit++) {
        double margin = margin_of(visitor->dials, visits, visit, part, visitor->z);
        int64_t ideal = visits->ideals[visit];
        bool is_made = makes(visitor, &coupled, margin);
        int choice = is_coupled ? 0 : decided(visitor, goal, ideal, rank, margin);
        is_made = choice ? choice > 0 : visit == aimed.visit ? aimed.is_made : is_made;
        if (is_made) {
            notice(visitor, ideal, rank);
        }
    }
}

/* Return the node to which a steered user moves, -1 to stop: each link has its probability times
that of getting to the ideal, or not getting there, from its target. */
static int64_t steered_move(
    const Graph *graph, int64_t node, int64_t ideal, const double *reached, bool is_made,
    double number) {
    double before = 0.0, passed = 0.0;
    int64_t chosen = -1;
    number *= is_made ? reached[node] : 1.0 - reached[node];
    for (int64_t link = graph->starts[node]; link < graph->starts[node + 1]; link++) {
        int64_t target = graph->targets[link];
        double there = graph->ideal_of[target] == ideal ? 1.0 : reached[target];
        double step = (graph->shares[link] - before) * graph->moving[node];
        before = graph->shares[link];
        step *= is_made ? there : 1.0 - there;
        passed += step;
        if (step > 0.0) {
            chosen = target;
            if (passed > number) {
                return chosen;
            }
        }
    }
    return is_made || passed > number ? chosen : -1;
}

/* Note what a steered user sees on a path from a node.

Given that the path gets to the ideal, or not, each step has its probability times that of doing so
from there, over that of doing so from here. */
static void walk_steered(
    Visitor *visitor, const Goal *goal, const Reaching *reaching, int64_t node, int64_t rank,
    double part) {
    const Graph *graph = visitor->graph;
    int64_t ideal = goal->first;
    const double *reached = &reaching->ideals[most(ideal, 0) * reaching->n];
    double margin = ideal >= 0 ? part * reached[node] : 0.0;
    int choice = ideal >= 0 ? decided(visitor, goal, ideal, rank, margin) : 0;
    if (!choice) {
        if (visitor_unit(visitor) < part) {
            walk_from(visitor, node, rank);
        }
        return;
    }
    bool is_made = choice > 0;
    if (!is_made && visitor_unit(visitor) >= part * (1.0 - reached[node]) / (1.0 - margin)) {
        return;
    }
    while (true) {
        node = steered_move(graph, node, ideal, reached, is_made, visitor_unit(visitor));
        if (node < 0) {
            return;
        }
        notice(visitor, graph->ideal_of[node], rank);
        if (is_made && graph->ideal_of[node] == ideal) {
            walk_from(visitor, node, rank);
            return;
        }
    }
}

/* Note what a steered user sees from an element of the list. */
static void consult_steered(
    Visitor *visitor, const Goal *goal, const Reaching *reaching, const Entries *listed,
    int64_t entry, double part) {
    int64_t rank = listed->ranks[entry], node = listed->nodes[entry];
    notice(visitor, listed->own[entry], rank);
    if (node < 0 || part <= 0.0) {
        return;
    }
    begin_at(visitor, listed->salts[entry]);
    if (visitor->dials->rule == WALK) {
        walk_steered(visitor, goal, reaching, node, rank, part);
    } else {
        visit_steered(visitor, goal, node, rank, part);
    }
}

void steered(
    Memory *memory, int64_t t, int64_t num_users, uint64_t key, int64_t first_user,
    const Goals *goals, const Overlooking *overlooking, const Reaching *reaching,
    const DialTables *dials, const VisitTables *visits, const Graph *graph, const Entries *listed,
    const Entries *later, double need, const UserFactors *users, uint64_t state[4],
    uint64_t again[4],
    int64_t num_ranked, int64_t num_unranked, int32_t consulted[t][num_users],
    int32_t leading[t][num_users], int32_t seen[t][num_users]) {
    assert(users->n == num_users && goals->n > 0 && overlooking->t == t);
    assert(dials->rule != WALK || (reaching->n == graph->n && reaching->t == t));
    Unranked unranked = {state, again, num_ranked, num_unranked, !dials->browses_unranked};
    Room room = room_for(memory, t);
    Behind behind = behind_for(memory, dials, later, num_ranked, num_unranked);
    double *edges = take(memory, t + 2, sizeof *edges);
    int32_t (*keys)[TILE] = take(memory, t, sizeof *keys);
    Visitor visitor = {.dials = dials, .visits = visits, .graph = graph, .t = t, .keys = keys};
    for (int64_t begin = 0; begin < num_users; begin += TILE) {
        int64_t end = least(begin + TILE, num_users);
        forget(t, keys);
        for (int64_t user = begin; user < end; user++) {
            uint64_t identity = identity_of(key, first_user + user);
            welcome(&visitor, user - begin, identity, users, user, need);
            Goal goal = goal_of(&visitor, goals, overlooking);
            for (int64_t entry = 0; entry < listed->n && visitor.found < t; entry++) {
                double part = part_at(&visitor, listed, entry);
                if (goal.keeps) {
                    overlook(&visitor, listed, entry, reaching, goal.keeps, part, edges);
                } else {
                    consult_steered(&visitor, &goal, reaching, listed, entry, part);
                }
            }
            browse_behind(&visitor, &behind);
        }
        show_seen(t, keys, begin, end, num_users, seen);
        count_tile(t, keys, &unranked, room, begin, end, num_users, consulted, leading);
    }
}

/* Return 1 over the probability of what a user did who was to see an ideal at a toss, or 0.

`unseen` is P(not seen so far), `certain` 1 over it where the ideal was then certain to be seen. */
static inline double did_so(double margin, bool is_seen, double *unseen, double *certain) {
    if (margin >= 1.0) {
        return *certain = 1.0 / *unseen;
    }
    if (margin <= 0.0) {
        return 1.0 / *unseen;
    }
    if (is_seen) {
        return 1.0 / (*unseen * margin);
    }
    *unseen *= 1.0 - margin;
    return 0.0;
}

/* Return how probably a user who browses by `part` sees an ideal at a toss. */
static inline double toss_margin(
    const Tosses *tosses, int64_t toss, const DialTables *dials, double part, double z) {
    double margin = tosses->margins[toss];
    if (isnan(margin)) {
        return 1.0;
    }
    return part > 0.0 ? part * given_z(dials, margin, z) : 0.0;
}

void ratios(
    Memory *memory, int64_t t, int64_t num_users, const Tosses *tosses, const DialTables *dials,
    int64_t num_ranked, double need, const UserFactors *users, const int32_t seen[t][num_users],
    const double others[num_users], double out[num_users]) {
    assert(users->n == num_users && tosses->t == t && dials->most_found == t);
    double *chances = take(memory, tosses->n, sizeof *chances);
    double *unseen = take(memory, t, sizeof *unseen), *certain = take(memory, t, sizeof *certain);
    for (int64_t user = 0; user < num_users; user++) {
        double factor = users->factors[user] * need, total = tosses->none + others[user];
        int64_t found = 0, fresh = 0, before = 0;
        for (int64_t ideal = 0; ideal < t; ideal++) {
            unseen[ideal] = 1.0;
            certain[ideal] = 0.0;
        }
        for (int64_t toss = 0; toss < tosses->n; toss++) {
            int64_t rank = tosses->ranks[toss], ideal = tosses->ideals[toss];
            int64_t at = seen[ideal][user];
            if (rank != before) {
                found += fresh;
                fresh = 0;
                before = rank;
            }
            chances[toss] = certain[ideal];
            if (at >= rank) {
                double part = factor * tosses->fades[toss] * dials->satiated[found];
                double margin = toss_margin(tosses, toss, dials, part, users->normals[user]);
                chances[toss] = did_so(margin, at == rank, &unseen[ideal], &certain[ideal]);
                fresh += at == rank;
            }
            if (tosses->singles[toss] > 0.0) {
                total += tosses->singles[toss] * chances[toss];
            }
        }
        for (int64_t ideal = 0; ideal < t; ideal++) {
            double missing = tosses->missing[ideal];
            if (missing > 0.0) {
                bool is_missed = seen[ideal][user] > num_ranked;
                total += is_missed ? missing / unseen[ideal] : missing * certain[ideal];
            }
        }
        for (int64_t pair = 0; pair < tosses->num_pairs; pair++) {
            double one = chances[tosses->pairs[2 * pair]];
            double other = chances[tosses->pairs[2 * pair + 1]];
            if (one > 0.0 && other > 0.0) {
                total += tosses->doubles[pair] * one * other;
            }
        }
        out[user] *= total;
    }
}
