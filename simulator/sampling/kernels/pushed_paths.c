/* Walkers some of whom are pushed to what is rare, and how much commoner a push makes them.

A path is a sequence of legs. A leg begins at the entry, or at an ideal, and ends at the next ideal
or where the walk stops. Within `steps` steps of a leg the links can be tilted so that it ends in a
class of ideals, or in none of some classes; how much commoner this makes the leg depends on where
it began and where it ended, and on nothing between. So the ratio of the two laws is known for each
user, however drawn. */

#include "counting.h"
#include "kernels.h"
#include "walking.h"

/* Plans of users: a user who is not pushed, and one who is pushed towards ideals; others shun the
set of classes of this number. */
enum { PLAIN = -1, TOWARDS = 0 };
/* Of a path that has met more than one ideal; -1 is none. */
enum { SEVERAL = -2 };

/* The users of a tile, and their paths from the entries of a batch.

By user: plans, ends of first legs, batches walked, ideals found, ratios of the laws, sources of
pushes. By entry of the batch, from `low` on, and user: the one ideal that the path has `met`,
whether it is on its `first` leg, and up to what step the leg ends in time. */
typedef struct {
    const Moves *moves;
    const Ahead *ahead;
    const Pushes *pushes;
    const int32_t *ranks;
    int64_t low;
    int32_t (*keys)[TILE];
    int64_t (*met)[TILE], (*due)[TILE];
    bool (*first)[TILE];
    int64_t plans[TILE], ends[TILE], walked[TILE], found[TILE];
    double ratios[TILE];
    uint64_t identities[TILE], sources[TILE];
} Paths;

/* Return the first place whose cumulative probability exceeds a number, -1 if none does. */
static int64_t place_of(int64_t count, const double *cumulative, double number) {
    for (int64_t place = 0; place < count; place++) {
        if (number < cumulative[place]) {
            return place;
        }
    }
    return -1;
}

/* Return how a pushed user is pushed. */
static int64_t planned(const Pushes *pushes, uint64_t *source) {
    if (next_unit(source) < pushes->towards) {
        return TOWARDS;
    }
    return pushes->sets[place_of(pushes->num_sets, pushes->shares, next_unit(source))];
}

/* Return P(next ideal within some steps is of a class) by class, NULL if all are 0. */
static inline const double *near_of(const Ahead *ahead, int64_t steps, int64_t node) {
    int64_t row = ahead->rows[node];
    if (row < 0) {
        return NULL;
    }
    return &ahead->near[(steps * ahead->num_rows + row) * ahead->num_classes];
}

/* Return P(a link is followed, and the next ideal is of a class within some steps more). */
static inline double leads(
    const Moves *moves, const Ahead *ahead, int64_t link, int64_t steps, int64_t to) {
    const double *near = near_of(ahead, steps, moves->targets[link]);
    return near ? moves->probabilities[link] * near[to] : 0.0;
}

/* Return the ideal to which a leg from a node leads that has to end in a class. */
static int64_t led(
    const Moves *moves, const Ahead *ahead, uint64_t *source, int64_t node, int64_t to) {
    for (int64_t left = ahead->steps - 1; left >= 0; left--) {
        int64_t begin = moves->starts[node], end = moves->starts[node + 1];
        double total = 0.0, passed = 0.0;
        for (int64_t link = begin; link < end; link++) {
            total += leads(moves, ahead, link, left, to);
        }
        double share = next_unit(source) * total;
        for (int64_t link = begin; link < end; link++) {
            passed += leads(moves, ahead, link, left, to);
            if (passed > share) {
                node = moves->targets[link];
                break;
            }
        }
        if (ahead->rows[node] < ahead->num_linked) {
            break;
        }
    }
    return node;
}

/* Note that a leg ended at an ideal; return the probability of a push from there. */
static double end_leg(Paths *paths, int64_t user, int64_t entry, int64_t x, int64_t counter) {
    const Pushes *pushes = paths->pushes;
    int64_t t = paths->ahead->t, num_classes = pushes->num_classes;
    int64_t to = paths->ahead->classes[x], at = entry - paths->low, only = paths->met[at][user];
    double *ratio = &paths->ratios[user];
    see(&paths->keys[x][user], &paths->found[user], paths->ranks[entry]);
    if (only == SEVERAL) {
        return 0.0;
    }
    if (counter <= paths->due[at][user]) {
        if (paths->first[at][user]) {
            *ratio *= pushes->first_ratio[entry * num_classes + to];
            paths->ends[user] |= entry < pushes->ends[to] ? pushes->bits[to] : 0;
        } else {
            double push = pushes->later[entry * t + only];
            *ratio *= 1.0 + push / (1.0 - push) * pushes->onward_ratio[only * num_classes + to];
        }
    }
    paths->first[at][user] = false;
    if (only >= 0 && only != x) {
        paths->met[at][user] = SEVERAL;
        return 0.0;
    }
    paths->met[at][user] = x;
    paths->due[at][user] = counter + paths->ahead->steps;
    double push = pushes->later[entry * t + x];
    *ratio *= 1.0 - push;
    return push;
}

/* Return the class to which a user is pushed from an ideal. */
static inline int64_t onward_from(const Pushes *pushes, int64_t x, uint64_t *source) {
    const double *shares = &pushes->onward[x * pushes->num_classes];
    return place_of(pushes->num_classes, shares, next_unit(source));
}

/* Push a user from a node to a class of ideals, and perhaps on; return their place then. */
static uint64_t lead(
    Paths *paths, int64_t user, int64_t entry, int64_t node, int64_t to, int64_t counter) {
    const Ahead *ahead = paths->ahead;
    uint64_t *source = &paths->sources[user];
    while (true) {
        node = led(paths->moves, ahead, source, node, to);
        int64_t x = ahead->ideals[ahead->rows[node]];
        double push = end_leg(paths, user, entry, x, counter);
        if (push == 0.0 || next_unit(source) >= push) {
            return paths->moves->places[node];
        }
        to = onward_from(paths->pushes, x, source);
    }
}

/* Return the first column of the alias table at a place. */
static inline uint64_t column_of(uint64_t place) {
    return (place - (place & (0 - place))) >> 1;
}

/* Let walkers who have come to ideals arrive there. */
static void arrive(
    Paths *paths, int64_t walking, const Walkers *walkers, int64_t counter, int64_t num_slots,
    const uint64_t *slots, const int32_t *slot_ideals) {
    for (int64_t k = 0; k < walking; k++) {
        int32_t x = ideal_at(walkers->at[k], num_slots, slots, slot_ideals);
        if (x < 0) {
            continue;
        }
        int64_t user = walkers->users[k], entry = walkers->carried[k];
        uint64_t *source = &paths->sources[user];
        double push = end_leg(paths, user, entry, x, counter);
        if (push > 0.0 && paths->plans[user] == TOWARDS && next_unit(source) < push) {
            int64_t node = paths->moves->nodes[column_of(walkers->at[k])];
            int64_t to = onward_from(paths->pushes, x, source);
            walkers->at[k] = lead(paths, user, entry, node, to, counter);
        }
    }
}

/* Return the probability that the leg ends in a class that is shunned. */
static double danger(
    const Paths *paths, int64_t steps, int64_t node, int64_t shunned, int64_t entry) {
    const double *near = near_of(paths->ahead, steps, node);
    const int64_t *bits = paths->pushes->bits, *ends = paths->pushes->ends;
    double total = 0.0;
    for (int64_t to = 0; near && to < paths->ahead->num_classes; to++) {
        if ((bits[to] & shunned) && entry < ends[to]) {
            total += near[to];
        }
    }
    return total < 1.0 ? total : 1.0;
}

/* Return where a user goes from a node, links being as likely as they are safe; 0 is to stop. */
static uint64_t turned(Paths *paths, int64_t steps, int64_t node, int64_t user, int64_t entry) {
    const Moves *moves = paths->moves;
    int64_t begin = moves->starts[node], end = moves->starts[node + 1];
    int64_t shunned = paths->plans[user];
    double safe = 0.0, moving = 0.0, passed = 0.0;
    for (int64_t link = begin; link < end; link++) {
        double unsafe = danger(paths, steps, moves->targets[link], shunned, entry);
        safe += moves->probabilities[link] * (1.0 - unsafe);
        moving += moves->probabilities[link];
    }
    double stopping = 1.0 - moving > 0.0 ? 1.0 - moving : 0.0;
    double share = next_unit(&paths->sources[user]) * (safe + stopping);
    for (int64_t link = begin; link < end; link++) {
        double unsafe = danger(paths, steps, moves->targets[link], shunned, entry);
        passed += moves->probabilities[link] * (1.0 - unsafe);
        if (passed > share) {
            return moves->places[moves->targets[link]];
        }
    }
    return 0;
}

/* Let walkers on their first leg turn away from what leads to classes that they shun, and step
again from where they were before. */
static void shun(
    Paths *paths, int64_t walking, const Walkers *walkers, const uint64_t *before, int64_t steps) {
    const float *most_near = paths->ahead->most;
    const int32_t *nodes = paths->moves->nodes;
    for (int64_t k = 0; k < walking; k++) {
        int64_t user = walkers->users[k], entry = walkers->carried[k];
        uint64_t at = walkers->at[k];
        if (paths->plans[user] <= TOWARDS || !at || !paths->first[entry - paths->low][user]) {
            continue;
        }
        double bound = (double)most_near[column_of(at)];
        if (!(bound > 0.0)) {
            continue;
        }
        double number = next_unit(&paths->sources[user]);
        int64_t node = nodes[column_of(at)];
        if (number < bound && number < danger(paths, steps, node, paths->plans[user], entry)) {
            walkers->at[k] = turned(paths, steps, nodes[column_of(before[k])], user, entry);
        }
    }
}

/* Begin with the users of a tile, from the block's user `number` on. */
static void meet(
    Paths *paths, int64_t num_users, int64_t t, int64_t number, int64_t every, uint64_t key,
    uint64_t push_key) {
    forget(t, paths->keys);
    for (int64_t user = 0; user < num_users; user++, number++) {
        paths->ends[user] = paths->walked[user] = paths->found[user] = 0;
        paths->ratios[user] = 1.0;
        paths->identities[user] = identity_of(key, number);
        paths->sources[user] = identity_of(push_key, number);
        bool is_pushed = number % every == every - 1;
        paths->plans[user] = is_pushed ? planned(paths->pushes, &paths->sources[user]) : PLAIN;
    }
}

/* Write which users have not seen all, and return how many; others need not walk a batch. */
static int64_t search(Paths *paths, int64_t num_users, int64_t t, int64_t active[TILE]) {
    int64_t searching = 0;
    for (int64_t user = 0; user < num_users; user++) {
        active[searching] = user;
        paths->walked[user] += paths->found[user] < t;
        searching += paths->found[user] < t;
    }
    return searching;
}

/* Let walker k set out from an entry that is ideal x (-1: none), pushed or not. */
static void depart(
    Paths *paths, const Walkers *walkers, int64_t k, int64_t user, int64_t entry, int64_t node,
    int64_t x, uint64_t salt) {
    const Pushes *pushes = paths->pushes;
    int64_t at = entry - paths->low;
    uint64_t place = paths->moves->places[node];
    paths->met[at][user] = x;
    paths->first[at][user] = true;
    paths->due[at][user] = paths->ahead->steps;
    if (paths->plans[user] == TOWARDS) {
        const double *first = &pushes->first[entry * pushes->num_classes];
        int64_t to = place_of(pushes->num_classes, first, next_unit(&paths->sources[user]));
        place = to >= 0 ? lead(paths, user, entry, node, to, 0) : place;
    }
    set_out(walkers, k, user, entry, place, paths->identities[user] ^ salt);
}

/* Return the most entries of a batch. */
static int64_t widest(const Pushes *pushes) {
    int64_t most_entries = 1;
    for (int64_t batch = 1; batch < pushes->num_batches; batch++) {
        most_entries = most(most_entries, pushes->batches[batch] - pushes->batches[batch - 1]);
    }
    return most_entries;
}

void pushed_walks(
    Memory *memory, int64_t t, int64_t num_users, int64_t num_columns, int64_t num_slots,
    int64_t num_entries, uint64_t key, uint64_t push_key, int64_t every, int64_t first_user,
    const uint64_t columns[num_columns][2], const uint64_t slots[num_slots],
    const int32_t slot_ideals[num_slots], const int32_t ranks[num_entries],
    const int64_t entries[num_entries], const uint64_t places[num_entries],
    const int64_t entry_ideals[num_entries], const Moves *moves, const Ahead *ahead,
    const Pushes *pushes, uint64_t state[4], uint64_t again[4], int64_t num_ranked,
    int64_t num_unranked, int32_t consulted[t][num_users], int32_t leading[t][num_users],
    double ratios[num_users]) {
    Unranked unranked = {state, again, num_ranked, num_unranked, true};
    Room room = room_for(memory, t);
    assert(ahead->t == t && pushes->t == t && pushes->num_entries == num_entries);
    assert(ahead->n == moves->n && ahead->num_columns == num_columns);
    assert(moves->num_columns == num_columns && ahead->num_classes == pushes->num_classes);
    int64_t width = widest(pushes), abreast = width * TILE, active[TILE];
    Walkers walkers = walkers_for(memory, abreast);
    uint64_t *before = take(memory, abreast, sizeof *before);
    Paths *paths = take(memory, 1, sizeof *paths);
    paths->moves = moves;
    paths->ahead = ahead;
    paths->pushes = pushes;
    paths->ranks = ranks;
    paths->keys = take(memory, t, sizeof *paths->keys);
    paths->met = take(memory, width, sizeof *paths->met);
    paths->due = take(memory, width, sizeof *paths->due);
    paths->first = take(memory, width, sizeof *paths->first);
    for (int64_t begin = 0; begin < num_users; begin += TILE) {
        int64_t end = least(begin + TILE, num_users), count = end - begin;
        meet(paths, count, t, first_user + begin, every, key, push_key);
        for (int64_t batch = 0; batch < pushes->num_batches - 1; batch++) {
            int64_t searching = search(paths, count, t, active), walking = 0;
            if (!searching) {
                break;
            }
            paths->low = pushes->batches[batch];
            for (int64_t entry = paths->low; entry < pushes->batches[batch + 1]; entry++) {
                int64_t x = entry_ideals[entry];
                for (int64_t user = 0; x >= 0 && user < count; user++) {
                    see(&paths->keys[x][user], &paths->found[user], ranks[entry]);
                }
                uint64_t salt = mixed((uint64_t)(entries[entry] + 1) * GOLDEN);
                for (int64_t k = 0; places[entry] && k < searching; k++) {
                    depart(paths, &walkers, walking++, active[k], entry, entries[entry], x, salt);
                }
            }
            for (int64_t counter = 1; walking; counter++) {
                bool shuns = pushes->num_sets && counter <= ahead->steps;
                if (shuns) {
                    memcpy(before, walkers.at, (size_t)walking * sizeof *before);
                }
                step(walking, &walkers, (uint64_t)counter, columns);
                if (shuns) {
                    shun(paths, walking, &walkers, before, ahead->steps - counter);
                }
                walking = stay(walking, &walkers);
                arrive(paths, walking, &walkers, counter, num_slots, slots, slot_ideals);
            }
        }
        for (int64_t user = 0; user < count; user++) {
            int64_t walked = paths->walked[user];
            double shunned = pushes->shunned[walked * pushes->num_ends + paths->ends[user]];
            double towards = pushes->unpushed[walked] * paths->ratios[user];
            ratios[begin + user] = pushes->towards * towards + (1.0 - pushes->towards) * shunned;
        }
        count_tile(t, paths->keys, &unranked, room, begin, end, num_users, consulted, leading);
    }
}
