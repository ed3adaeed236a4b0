/* Users who walk along links. */

#include "counting.h"
#include "kernels.h"
#include "walking.h"

/* Walks at a time: enough that some go on when most have stopped, few enough for the second
cache. */
#define ABREAST 1024

/* Let the users of a tile who have not seen all set out from an entry and take the first step,
behind those who walk already; return how many walk then.

Most walks stop there: the stream of a walker is written down for the others only. */
static int64_t first_step(
    int64_t num_users, const uint64_t identities[TILE], const int64_t found[TILE], int64_t t,
    uint64_t salt, uint64_t place, int32_t rank, const uint64_t (*columns)[2], int64_t walking,
    const Walkers *walkers) {
    uint64_t size = place & (0 - place), base = (place - size) >> 1;
    uint64_t numbers[TILE], seeds[TILE];
    for (int64_t user = 0; user < num_users; user++) {
        seeds[user] = identities[user] ^ salt;
        numbers[user] = mixed(seeds[user] + GOLDEN) + mixed(seeds[user] + 2 * GOLDEN) + 1;
    }
    int64_t begin = walking;
    for (int64_t user = 0; user < num_users; user++) {
        const uint64_t *column = columns[base + (((numbers[user] >> 32) * size) >> 32)];
        uint64_t at = outcome(column, numbers[user] * size);
        walkers->at[walking] = at;
        walkers->users[walking] = user;
        walking += (at != 0) & (found[user] < t);
    }
    for (int64_t k = begin; k < walking; k++) {
        int64_t user = walkers->users[k];
        uint64_t b = mixed(seeds[user] + 2 * GOLDEN), c = mixed(seeds[user] + 3 * GOLDEN);
        walkers->carried[k] = rank;
        walkers->first[k] = b ^ (b >> 11);
        walkers->second[k] = c + (c << 3);
        walkers->third[k] = ((c << 24) | (c >> 40)) + numbers[user];
    }
    return walking;
}

void walks(Memory *memory, const Paths *tables, const Block *block) {
    const uint64_t (*columns)[2] = (const uint64_t (*)[2])tables->columns;
    const int32_t *ranks = tables->ranks;
    uint64_t identities[TILE];
    int64_t found[TILE], t = block->t, num_entries = tables->num_entries;
    Walkers walkers = walkers_for(memory, ABREAST);
    for (Tiles tiles = tiles_of(memory, block); next_tile(&tiles);) {
        int64_t count = tiles.count;
        int32_t (*keys)[TILE] = tiles.keys;
        forget(&tiles);
        for (int64_t user = 0; user < count; user++) {
            identities[user] = identity_in(&tiles, user);
            found[user] = 0;
        }
        int64_t walking = 0;
        for (int64_t entry = 0; entry < num_entries; entry++) {
            int64_t x = tables->entry_ideals[entry];
            for (int64_t user = 0; x >= 0 && user < count; user++) {
                see(&keys[x][user], &found[user], ranks[entry]);
            }
            uint64_t place = tables->places[entry];
            if (place) {
                uint64_t salt = mixed((uint64_t)(tables->entries[entry] + 1) * GOLDEN);
                /* Users who have seen all need not walk. */
                walking = first_step(
                    count, identities, found, t, salt, place, ranks[entry], columns, walking,
                    &walkers);
            }
            if (walking + TILE > ABREAST || entry == num_entries - 1) {
                for (uint64_t counter = 2; walking; counter++) {
                    for (int64_t k = 0; k < walking; k++) {
                        int32_t ideal = ideal_at(
                            walkers.at[k], tables->num_slots, tables->slots, tables->slot_ideals);
                        if (ideal >= 0) {
                            int64_t user = walkers.users[k];
                            see(&keys[ideal][user], &found[user], (int32_t)walkers.carried[k]);
                        }
                    }
                    step(walking, &walkers, counter, columns);
                    walking = stay(walking, &walkers);
                }
            }
        }
    }
}
