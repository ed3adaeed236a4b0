/* Users who consult element after element: as general as the model. */

#include "consulting.h"

/* In place of elements, for a user's order and places of the unranked part, and order of ties. */
#define ORDER UINT64_C(0x6F72646572)
#define PLACES UINT64_C(0x706C61636573)
#define TIED UINT64_C(0x74696564)

/* Note what the user sees from an element at a rank, browsing by `part`. */
static inline void consult(
    Visitor *visitor, const Entries *entries, int64_t entry, int64_t rank, double part) {
    const VisitTables *visits = visitor->visits;
    notice(visitor, entries->own[entry], rank);
    int64_t node = entries->nodes[entry];
    if (node < 0 || part <= 0.0) {
        return;
    }
    begin_at(visitor, entries->salts[entry]);
    if (visitor->dials->rule == WALK) {
        if (visitor_unit(visitor) < part) {
            walk_from(visitor, node, rank);
        }
        return;
    }
    Coupled coupled = coupled_by_chance(visitor);
    for (int64_t visit = visits->starts[node]; visit < visits->starts[node + 1]; visit++) {
        double margin = margin_of(visitor->dials, visits, visit, part, visitor->z);
        if (makes(visitor, &coupled, margin)) {
            notice(visitor, visits->ideals[visit], rank);
        }
    }
}

static Behind behind_for(
    Memory *memory, const DialTables *dials, const Entries *later, int64_t num_ranked,
    int64_t num_unranked) {
    assert(!dials->browses_unranked || later->n <= num_unranked);
    return (Behind){
        later, num_ranked, num_unranked,
        take(memory, later->n, sizeof(Keyed)), take(memory, later->n, sizeof(Keyed)),
        take(memory, later->n, sizeof(Keyed)), take(memory, dials->num_documents, sizeof(bool)),
    };
}

/* Merge two sorted runs. */
static inline void merge_runs(
    const Keyed *run, const Keyed *middle, const Keyed *end, Keyed *restrict out) {
    for (const Keyed *other = middle; run < middle || other < end;) {
        bool is_other = run == middle || (other < end && other->key < run->key);
        *out++ = is_other ? *other++ : *run++;
    }
}

/* Sort by keys, with room for as many. */
static void sort_keyed(int64_t n, Keyed *keyed, Keyed *room) {
    Keyed *from = keyed, *to = room;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            int64_t middle = least(begin + width, n), end = least(begin + 2 * width, n);
            merge_runs(&from[begin], &from[middle], &from[end], &to[begin]);
        }
        Keyed *other = from;
        from = to;
        to = other;
    }
    if (from != keyed) {
        memcpy(keyed, from, (size_t)n * sizeof *keyed);
    }
}

/* Return a random place among as many. */
static inline uint64_t place_among(Visitor *visitor, int64_t among) {
    return (uint64_t)(int64_t)(visitor_unit(visitor) * (double)among);
}

/* Write a uniformly random set of places in 0 .. among - 1, in order.

By selection sampling if more than half of all are wanted; else all at once, redrawing those that
coincide until none do. */
static void draw_distinct(
    Visitor *visitor, int64_t among, int64_t wanted, Keyed *places, Keyed *room) {
    int64_t count = 0;
    if (2 * wanted > among) {
        for (int64_t passed = 0; passed < among; passed++) {
            if (visitor_unit(visitor) * (double)(among - passed) < (double)(wanted - count)) {
                places[count++].key = (uint64_t)passed;
            }
        }
        assert(count == wanted);
        return;
    }
    for (int64_t k = 0; k < wanted; k++) {
        places[k] = (Keyed){place_among(visitor, among), 0};
    }
    for (bool again = true; again;) {
        again = false;
        sort_keyed(wanted, places, room);
        uint64_t before = UINT64_MAX;
        for (int64_t k = 0; k < wanted; k++) {
            uint64_t place = places[k].key;
            if (place == before) {
                places[k].key = place_among(visitor, among);
                again = true;
            }
            before = place;
        }
    }
}

/* Return how much browsing from the element at a rank behind the list has faded. */
static inline double fade_at(const DialTables *dials, int64_t rank) {
    int64_t last = dials->num_fades - 1;
    return last < 0 ? pow(dials->fading, (double)(rank - 1)) : dials->fades[least(rank - 1, last)];
}

/* Note what a user, who has found some ideals in the list, sees behind it, if they go there. */
static void browse_behind(Visitor *visitor, const Behind *behind) {
    const Entries *later = behind->later;
    const DialTables *dials = visitor->dials;
    if (!dials->browses_unranked || visitor->found == visitor->t) {
        return;
    }
    for (int64_t k = 0; k < later->n; k++) {
        behind->turns[k] = (Keyed){mixed(visitor->identity ^ mixed(later->salts[k] + ORDER)), k};
    }
    sort_keyed(later->n, behind->turns, behind->more);
    begin_at(visitor, PLACES);
    draw_distinct(visitor, behind->size, later->n, behind->places, behind->more);
    memcpy(behind->known, dials->known, (size_t)dials->num_documents * sizeof(bool));
    for (int64_t turn = 0; turn < later->n && visitor->found < visitor->t; turn++) {
        int64_t entry = behind->turns[turn].index, document = later->documents[entry];
        int64_t rank = behind->num_ranked + 1 + (int64_t)behind->places[turn].key;
        double part = visitor->factor * fade_at(dials, rank);
        part *= dials->satiated[visitor->found];
        if (document >= 0) {
            part = behind->known[document] ? 0.0 : part;
            behind->known[document] = true;
        }
        consult(visitor, later, entry, rank, part);
    }
}

/* Write in which order the user meets the elements of the list, those that are tied at random. */
static void order_ties(
    uint64_t identity, const Entries *listed, const Ties *ties, Keyed *order, Keyed *room) {
    for (int64_t begin = 0, end = 0; begin < ties->n; begin = end) {
        for (; end < ties->n && ties->groups[end] == ties->groups[begin]; end++) {
            order[end] = (Keyed){mixed(identity ^ mixed(listed->salts[end] + TIED)), end};
        }
        sort_keyed(end - begin, &order[begin], room);
    }
}

void consultations(
    Memory *memory, int64_t t, int64_t num_users, uint64_t key, int64_t first_user,
    const DialTables *dials, const VisitTables *visits, const Graph *graph, const Entries *listed,
    const Entries *later, const Ties *ties, double need, const UserFactors *users,
    uint64_t state[4], uint64_t again[4],
    int64_t num_ranked, int64_t num_unranked, bool sampled, int32_t consulted[t][num_users],
    int32_t leading[t][num_users], int32_t seen[t][num_users]) {
    assert(users->n == num_users && (ties->n == 0 || ties->n == listed->n));
    Unranked unranked = {
        state, again, num_ranked, num_unranked, sampled && !dials->browses_unranked};
    Room room = room_for(memory, t);
    Behind behind = behind_for(memory, dials, later, num_ranked, num_unranked);
    int32_t (*keys)[TILE] = take(memory, t, sizeof *keys);
    Keyed *order = take(memory, ties->n, sizeof *order);
    Keyed *more = take(memory, ties->n, sizeof *more);
    Visitor visitor = {.dials = dials, .visits = visits, .graph = graph, .t = t, .keys = keys};
    for (int64_t begin = 0; begin < num_users; begin += TILE) {
        int64_t end = least(begin + TILE, num_users);
        forget(t, keys);
        for (int64_t user = begin; user < end; user++) {
            uint64_t identity = identity_of(key, first_user + user);
            welcome(&visitor, user - begin, identity, users, user, need);
            order_ties(identity, listed, ties, order, more);
            for (int64_t turn = 0; turn < listed->n && visitor.found < t; turn++) {
                int64_t entry = ties->n ? order[turn].index : turn;
                double part = part_at(&visitor, listed, turn);
                consult(&visitor, listed, entry, listed->ranks[turn], part);
            }
            browse_behind(&visitor, &behind);
        }
        show_seen(t, keys, begin, end, num_users, seen);
        count_tile(t, keys, &unranked, room, begin, end, num_users, consulted, leading);
    }
}
