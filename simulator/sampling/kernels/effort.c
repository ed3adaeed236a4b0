/* Users drawn one by one, and the effort that a list takes.

An element shows a user a set of ideals: a row of 64-bit words, bit x % 64 of word x / 64 for ideal
x. Values are whole numbers, so that sums are exact. */

#include "kernels.h"
#include "random.h"

/* Numbers of up to 41 bits are squared in two halves. */
#define FIXED_HALF_BITS 20

/* A user: what each element shows, what is covered, and what of the list the
user saw when. */
typedef struct {
    int64_t num_words;
    uint64_t *masks, *covered;
    int64_t *ranks, *leads, *seen;
} Looker;

/* Room to search for the fewest elements: sets, and by depth what is covered, candidates, their
gains, single ideals. Each set chosen covers two ideals or more, so a search is at most t / 2
deep. */
typedef struct {
    int64_t num_elements, num_words, t;
    uint64_t *sets, *covered;
    int64_t *chosen, *gains, *singles, *values, *sizes, *num_singles, *nexts;
} Search;

static Looker looker_for(Memory *memory, int64_t t, const EffortVisits *visits) {
    return (Looker){
        visits->num_words,
        take(memory, visits->num_elements * visits->num_words, sizeof(uint64_t)),
        take(memory, visits->num_words, sizeof(uint64_t)),
        take(memory, t, sizeof(int64_t)),
        take(memory, t, sizeof(int64_t)),
        take(memory, visits->num_ranked, sizeof(int64_t)),
    };
}

static Search search_for(Memory *memory, int64_t t, const EffortVisits *visits) {
    int64_t depth = t / 2 + 1, num_elements = visits->num_elements;
    return (Search){
        num_elements, visits->num_words, t,
        take(memory, num_elements * visits->num_words, sizeof(uint64_t)),
        take(memory, depth * visits->num_words, sizeof(uint64_t)),
        take(memory, depth * num_elements, sizeof(int64_t)),
        take(memory, depth * num_elements, sizeof(int64_t)),
        take(memory, depth * t, sizeof(int64_t)),
        take(memory, depth, sizeof(int64_t)), take(memory, depth, sizeof(int64_t)),
        take(memory, depth, sizeof(int64_t)), take(memory, depth, sizeof(int64_t)),
    };
}

/* Write what each element shows one user: certain ideals, and those of tossed visits. */
static void toss_visits(const EffortVisits *visits, uint64_t state[4], uint64_t *masks) {
    size_t size = (size_t)(visits->num_elements * visits->num_words);
    memcpy(masks, visits->certain, size * sizeof *masks);
    for (int64_t k = 0; k < visits->num_tossed; k++) {
        if (unit(next(state)) < visits->chances[k]) {
            int64_t element = visits->tossed[2 * k], x = visits->tossed[2 * k + 1];
            masks[element * visits->num_words + (x >> 6)] |= UINT64_C(1) << (x & 63);
        }
    }
}

/* Return the value shown and not covered; worths[b][s] is that of set s in byte b. */
static int64_t new_worth(
    const uint64_t *shown, const uint64_t *covered, int64_t num_bytes,
    const int64_t (*worths)[256]) {
    int64_t worth = 0;
    for (int64_t byte = 0; byte < num_bytes; byte++) {
        uint64_t rest = shown[byte >> 3] & ~covered[byte >> 3];
        worth += worths[byte][rest >> (8 * (byte & 7)) & 255];
    }
    return worth;
}

/* Consult the list; return how many ideals it shows that were not covered.

Writes the rank of the n-th of them, how many elements led to ideals by then, and the value seen
after each rank. */
static int64_t consult_list(
    Looker looker, int64_t num_ranked, const int64_t *ranking, int64_t num_bytes,
    const int64_t (*worths)[256]) {
    int64_t found = 0, led = 0, value = 0;
    for (int64_t position = 0; position < num_ranked; position++) {
        const uint64_t *shown = &looker.masks[ranking[position] * looker.num_words];
        int64_t before = found, worth = new_worth(shown, looker.covered, num_bytes, worths);
        for (int64_t word = 0; word < looker.num_words; word++) {
            uint64_t rest = shown[word] & ~looker.covered[word];
            looker.covered[word] |= rest;
            for (; rest; rest &= rest - 1) {
                looker.ranks[found] = position + 1;
                looker.leads[found++] = led + 1;
            }
        }
        if (found > before) {
            led++;
            value += worth;
        }
        looker.seen[position] = value;
    }
    return found;
}

/* Put the other ideals at distinct random places behind the list (Floyd's sample). */
static void go_behind(
    uint64_t state[4], int64_t found, int64_t wanted, int64_t num_ranked, int64_t num_unranked,
    int64_t *ranks, int64_t *leads) {
    int64_t led = found ? leads[found - 1] : 0;
    for (int64_t k = found; k < wanted; k++) {
        int64_t top = num_unranked - wanted + k + 1;
        int64_t place = num_ranked + 1 + (int64_t)(unit(next(state)) * (double)top);
        for (int64_t other = found; other < k; other++) {
            if (ranks[other] == place) {
                place = num_ranked + top;
                break;
            }
        }
        int64_t slot = k;
        for (; slot > found && ranks[slot - 1] > place; slot--) {
            ranks[slot] = ranks[slot - 1];
        }
        ranks[slot] = place;
        leads[k] = led + k - found + 1;
    }
}

/* Return whether more than one ideal is shown and not covered. */
static bool is_several(int64_t num_words, const uint64_t *shown, const uint64_t *covered) {
    bool one = false;
    for (int64_t word = 0; word < num_words; word++) {
        uint64_t rest = shown[word] & ~covered[word];
        if (rest && (one || rest & (rest - 1))) {
            return true;
        }
        one |= rest != 0;
    }
    return false;
}

/* Return how many of the levels a value reaches, at least `level`. */
static int64_t level_of(int64_t t, const int64_t *levels, int64_t level, int64_t value) {
    while (level < t && levels[level] <= value) {
        level++;
    }
    return level;
}

/* Return whether one set holds all of the other. */
static bool holds_all(int64_t num_words, const uint64_t *one, const uint64_t *other) {
    uint64_t missing = 0;
    for (int64_t word = 0; word < num_words; word++) {
        missing |= other[word] & ~one[word];
    }
    return !missing;
}

/* Write the distinct sets of several ideals that no other set holds; return their number. */
static int64_t keep_undominated(const uint64_t *masks, Search search) {
    int64_t num_words = search.num_words, count = 0;
    size_t row = (size_t)num_words * sizeof(uint64_t);
    uint64_t *sets = search.sets, *nothing = search.covered;
    memset(nothing, 0, row);
    for (int64_t element = 0; element < search.num_elements; element++) {
        const uint64_t *shown = &masks[element * num_words];
        if (!is_several(num_words, shown, nothing)) {
            continue;
        }
        int64_t kept = 0;
        bool held = false;
        for (int64_t k = 0; k < count && !held; k++) {
            held = holds_all(num_words, &sets[k * num_words], shown);
            if (!held && !holds_all(num_words, shown, &sets[k * num_words])) {
                memmove(&sets[kept++ * num_words], &sets[k * num_words], row);
            }
        }
        if (!held) {
            memcpy(&sets[kept * num_words], shown, row);
            count = kept + 1;
        }
    }
    return count;
}

/* Find what can be added at a depth: sets that show more than one new ideal, best first.

Also the values of the heaviest ideals left, as many as there are elements to add; return all value
then. */
static int64_t look_around(
    int64_t depth, int64_t left, int64_t num_bytes, const int64_t (*worths)[256],
    const Efforts *efforts, Search search) {
    const uint64_t *covered = &search.covered[depth * search.num_words];
    int64_t *chosen = &search.chosen[depth * search.num_elements];
    int64_t *gains = &search.gains[depth * search.num_elements];
    int64_t *singles = &search.singles[depth * search.t];
    int64_t count = 0;
    for (int64_t k = 0; left && k < search.sizes[depth]; k++) {
        int64_t number = chosen[k];
        const uint64_t *set = &search.sets[number * search.num_words];
        if (is_several(search.num_words, set, covered)) {
            int64_t gain = new_worth(set, covered, num_bytes, worths), slot = count++;
            for (; slot > 0 && gains[slot - 1] < gain; slot--) {
                gains[slot] = gains[slot - 1];
                chosen[slot] = chosen[slot - 1];
            }
            gains[slot] = gain;
            chosen[slot] = number;
        }
    }
    search.sizes[depth] = count;
    search.nexts[depth] = 0;
    int64_t value = search.values[depth];
    count = 0;
    for (int64_t k = 0; k < search.t && count < left; k++) {
        int64_t x = efforts->heaviest[k];
        if (!(covered[x >> 6] >> (x & 63) & 1)) {
            singles[count++] = efforts->weights[x];
            value += efforts->weights[x];
        }
    }
    search.num_singles[depth] = count;
    return value;
}

/* Return a bound on what `left` elements add if candidate k is the first of them.

No set adds more together with others than it does alone. */
static int64_t most_added(int64_t depth, int64_t k, int64_t left, Search search) {
    const int64_t *gains = &search.gains[depth * search.num_elements];
    const int64_t *singles = &search.singles[depth * search.t];
    int64_t most_value = gains[k], one = k + 1, other = 0;
    for (int64_t more = 1; more < left; more++) {
        int64_t gain = one < search.sizes[depth] ? gains[one] : 0;
        int64_t single = other < search.num_singles[depth] ? singles[other] : 0;
        if (gain >= single) {
            most_value += gain;
            one++;
        } else {
            most_value += single;
            other++;
        }
    }
    return most_value;
}

/* Choose candidate k of a depth: write what is covered then, and the candidates left. */
static void choose(int64_t depth, int64_t k, Search search) {
    int64_t num_words = search.num_words;
    const uint64_t *covered = &search.covered[depth * num_words];
    const int64_t *chosen = &search.chosen[depth * search.num_elements];
    const uint64_t *set = &search.sets[chosen[k] * num_words];
    for (int64_t word = 0; word < num_words; word++) {
        search.covered[(depth + 1) * num_words + word] = covered[word] | set[word];
    }
    search.values[depth + 1] = search.values[depth] + search.gains[depth * search.num_elements + k];
    search.sizes[depth + 1] = search.sizes[depth] - k - 1;
    memcpy(
        &search.chosen[(depth + 1) * search.num_elements], &chosen[k + 1],
        (size_t)search.sizes[depth + 1] * sizeof *chosen);
}

/* Write the fewest elements that reach each of the first `wanted` levels.

Any ideal can be had by itself, so the search by branch and bound chooses sets of more than one; the
others are the heaviest ideals left. Return false if it takes too many steps. */
static bool find_fewest(
    const uint64_t *masks, const Efforts *efforts, int64_t wanted, int64_t most_steps,
    Search search, int64_t *fewest) {
    const int64_t (*worths)[256] = (const int64_t (*)[256])efforts->worths;
    const int64_t *levels = efforts->levels;
    int64_t num_sets = keep_undominated(masks, search), t = search.t, level = 0, steps = 0;
    memset(search.covered, 0, (size_t)search.num_words * sizeof *search.covered);
    search.values[0] = 0;
    for (int64_t number = 1; level < wanted; number++) {
        int64_t before = level, depth = 0;
        for (int64_t k = 0; k < num_sets; k++) {
            search.chosen[k] = k;
        }
        search.sizes[0] = num_sets;
        int64_t value = look_around(0, number, efforts->num_bytes, worths, efforts, search);
        level = level_of(t, levels, level, value);
        while (depth >= 0 && level < wanted) {
            int64_t left = number - depth, k = search.nexts[depth];
            if (left == 0 || k == search.sizes[depth] ||
                search.values[depth] + most_added(depth, k, left, search) < levels[level]) {
                depth--;
                continue;
            }
            if (++steps > most_steps) {
                return false;
            }
            search.nexts[depth]++;
            choose(depth++, k, search);
            assert(depth <= t / 2);
            value = look_around(depth, left - 1, efforts->num_bytes, worths, efforts, search);
            level = level_of(t, levels, level, value);
        }
        for (int64_t reached = before; reached < least(level, wanted); reached++) {
            fewest[reached] = number;
        }
    }
    return true;
}

int64_t draw_efforts(
    Memory *memory, int64_t t, int64_t num_ranked, int64_t size, const EffortVisits *visits,
    const Efforts *efforts, int64_t seen[num_ranked][size], int64_t effort[t][size], int64_t first,
    int64_t most_steps, const Block *block) {
    int64_t num_users = block->num_users;
    uint64_t *state = block->source;
    assert(num_ranked == visits->num_ranked && t == efforts->t && t == block->t);
    assert(0 <= first && first + size <= num_users);
    const int64_t (*worths)[256] = (const int64_t (*)[256])efforts->worths;
    Looker looker = looker_for(memory, t, visits);
    Search search = search_for(memory, t, visits);
    int64_t *fewest = take(memory, t, sizeof *fewest);
    for (int64_t user = 0; user < size; user++) {
        toss_visits(visits, state, looker.masks);
        memset(looker.covered, 0, (size_t)looker.num_words * sizeof *looker.covered);
        int64_t found = consult_list(
            looker, num_ranked, visits->ranking, efforts->num_bytes, worths);
        go_behind(state, found, t, num_ranked, block->num_unranked, looker.ranks, looker.leads);
        for (int64_t r = 0; r < t; r++) {
            block->consulted[r * num_users + first + user] = (int32_t)looker.ranks[r];
            block->leading[r * num_users + first + user] = (int32_t)looker.leads[r];
            effort[r][user] = 0;
        }
        for (int64_t position = 0; position < num_ranked; position++) {
            seen[position][user] = looker.seen[position];
        }
        int64_t value = num_ranked ? looker.seen[num_ranked - 1] : -1;
        int64_t reached = num_ranked ? level_of(t, efforts->levels, 0, value) : 0, rank = 0;
        if (!find_fewest(looker.masks, efforts, reached, most_steps, search, fewest)) {
            return user;
        }
        for (int64_t level = 0; level < reached; level++) {
            while (looker.seen[rank] < efforts->levels[level]) {
                rank++;
            }
            assert(fewest[level] <= rank + 1);
            effort[level][user] = ((fewest[level] << EFFORT_BITS) + (rank + 1) / 2) / (rank + 1);
        }
    }
    return size;
}

void add_fixed(
    int64_t num_rows, int64_t num_users, const int64_t values[num_rows][num_users],
    int64_t sums[num_rows][4]) {
    for (int64_t k = 0; k < num_rows; k++) {
        uint64_t total = 0, upper_square = 0, product = 0, lower_square = 0;
        for (int64_t user = 0; user < num_users; user++) {
            uint64_t value = (uint64_t)values[k][user];
            assert(value >> 41 == 0);
            uint32_t upper = (uint32_t)(value >> FIXED_HALF_BITS);
            uint32_t lower = (uint32_t)value & ((1 << FIXED_HALF_BITS) - 1);
            total += value;
            upper_square += (uint64_t)upper * upper;
            product += (uint64_t)upper * lower;
            lower_square += (uint64_t)lower * lower;
        }
        sums[k][0] += (int64_t)total;
        sums[k][1] += (int64_t)upper_square;
        sums[k][2] += (int64_t)product;
        sums[k][3] += (int64_t)lower_square;
    }
}
