/* Users who consult element after element: as general as the model. */

#include "consulting.h"

/* In place of elements, for a user's order and places of the unranked part, and order of ties. */
#define ORDER UINT64_C(0x6F72646572)
#define PLACES UINT64_C(0x706C61636573)
#define TIED UINT64_C(0x74696564)

/* Note what the user sees from an element at a rank, browsing by `part`. */
static inline void consult(
    Visitor *visitor, const Entries *entries, int64_t entry, int64_t rank, double part) {
    const Consulting *tables = visitor->tables;
    notice(visitor, entries->own[entry], rank);
    int64_t node = entries->nodes[entry];
    if (node < 0 || part <= 0.0) {
        return;
    }
    begin_at(visitor, entries->salts[entry]);
    if (tables->rule == WALK) {
        if (visitor_unit(visitor) < part) {
            walk_from(visitor, node, rank);
        }
        return;
    }
    Coupled coupled = coupled_by_chance(visitor);
    int64_t end = tables->visit_starts[node + 1];
    for (int64_t visit = tables->visit_starts[node]; visit < end; visit++) {
        double margin = part * given_z(tables, tables->margins[visit], visitor->z);
        if (makes(visitor, &coupled, margin)) {
            notice(visitor, tables->ideals[visit], rank);
        }
    }
}

static Behind behind_for(
    Memory *memory, const Consulting *tables, const Entries *later, const Block *block) {
    assert(!tables->browses_unranked || later->n <= block->num_unranked);
    return (Behind){
        later, block->num_ranked, block->num_unranked,
        take(memory, later->n, sizeof(Keyed)), take(memory, later->n, sizeof(Keyed)),
        take(memory, later->n, sizeof(Keyed)), take(memory, tables->num_documents, sizeof(bool)),
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
static inline double fade_at(const Consulting *tables, int64_t rank) {
    int64_t last = tables->num_fades - 1;
    return last < 0 ? pow(tables->fading, (double)(rank - 1))
                    : tables->fades[least(rank - 1, last)];
}

/* Note what a user, who has found some ideals in the list, sees behind it, if they go there. */
static void browse_behind(Visitor *visitor, const Behind *behind) {
    const Entries *later = behind->later;
    const Consulting *tables = visitor->tables;
    if (!tables->browses_unranked || visitor->found == visitor->t) {
        return;
    }
    for (int64_t k = 0; k < later->n; k++) {
        behind->turns[k] = (Keyed){mixed(visitor->identity ^ mixed(later->salts[k] + ORDER)), k};
    }
    sort_keyed(later->n, behind->turns, behind->more);
    begin_at(visitor, PLACES);
    draw_distinct(visitor, behind->size, later->n, behind->places, behind->more);
    memcpy(behind->known, tables->known, (size_t)tables->num_documents * sizeof(bool));
    for (int64_t turn = 0; turn < later->n && visitor->found < visitor->t; turn++) {
        int64_t entry = behind->turns[turn].index, document = later->documents[entry];
        int64_t rank = behind->num_ranked + 1 + (int64_t)behind->places[turn].key;
        double part = visitor->factor * fade_at(tables, rank);
        part *= tables->satiated[visitor->found];
        if (document >= 0) {
            part = behind->known[document] ? 0.0 : part;
            behind->known[document] = true;
        }
        consult(visitor, later, entry, rank, part);
    }
}

/* Write in which order the user meets the elements of the list, those that are tied at random. */
static void order_ties(
    uint64_t identity, const Entries *listed, const Consulting *tables, Keyed *order,
    Keyed *room) {
    for (int64_t begin = 0, end = 0; begin < tables->num_tied; begin = end) {
        for (; end < tables->num_tied && tables->groups[end] == tables->groups[begin]; end++) {
            order[end] = (Keyed){mixed(identity ^ mixed(listed->salts[end] + TIED)), end};
        }
        sort_keyed(end - begin, &order[begin], room);
    }
}

void consultations(
    Memory *memory, int64_t num_users, const Consulting *tables, const Entries *listed,
    const Entries *later, double need, const double factors[num_users],
    const double normals[num_users], const Block *block) {
    int64_t t = block->t, num_tied = tables->num_tied;
    assert(num_users == block->num_users && (num_tied == 0 || num_tied == listed->n));
    Behind behind = behind_for(memory, tables, later, block);
    Keyed *order = take(memory, num_tied, sizeof *order);
    Keyed *more = take(memory, num_tied, sizeof *more);
    Visitor visitor = {.tables = tables, .t = t};
    for (Tiles tiles = tiles_of(memory, block); next_tile(&tiles);) {
        forget(&tiles);
        visitor.keys = tiles.keys;
        for (int64_t user = 0; user < tiles.count; user++) {
            visitor.identity = identity_in(&tiles, user);
            visitor.factor = factors[tiles.begin + user] * need;
            visitor.z = normals[tiles.begin + user];
            visitor.found = 0;
            visitor.column = user;
            order_ties(visitor.identity, listed, tables, order, more);
            for (int64_t turn = 0; turn < listed->n && visitor.found < t; turn++) {
                int64_t entry = num_tied ? order[turn].index : turn;
                double part = part_at(&visitor, listed, turn);
                consult(&visitor, listed, entry, listed->ranks[turn], part);
            }
            browse_behind(&visitor, &behind);
        }
    }
}
