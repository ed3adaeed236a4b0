/* Users who stop at a rank, drawn step by step, never from a law of the rank. */

#include "kernels.h"
#include "random.h"
#include "searching.h"

/* What a user has seen, and whether they go on gaining. */
typedef struct {
    bool *seen;
    int64_t wanted, num_found;
    double theta;
    bool is_interested;
} Stopper;

/* See a new ideal: add its gain, and return whether the user leaves for it. */
static bool meet_ideal(
    const StoppingUsers *users, int64_t x, uint64_t state[4], Stopper *user, double *gain) {
    double keeping = users->keeping[user->num_found++], satisfying = users->satisfying[x];
    user->seen[x] = true;
    if (user->is_interested && keeping < 1) {
        user->is_interested = unit(next(state)) < keeping;
    }
    if (user->is_interested) {
        *gain += users->gains[x];
    }
    bool is_satisfied = satisfying > 0 && unit(next(state)) < user->theta * satisfying;
    return x == user->wanted || is_satisfied;
}

/* Make the visits of rank k: write what they add, and return whether the user leaves for it. */
static bool visit_rank(
    const StoppingUsers *users, int64_t k, uint64_t state[4], Stopper *user, double *gain) {
    bool leaves = false;
    for (int64_t edge = users->starts[k]; edge < users->starts[k + 1]; edge++) {
        int64_t x = users->ideals[edge];
        if (!user->seen[x] && unit(next(state)) < users->chances[edge]) {
            leaves |= meet_ideal(users, x, state, user, gain);
        }
    }
    return leaves;
}

void draw_stops(
    Memory *memory, int64_t num_users, uint64_t state[4], const StoppingUsers *users,
    const double thetas[num_users], double values[num_users][4], int64_t ranks[num_users]) {
    bool *seen = take(memory, users->t, sizeof *seen);
    for (int64_t number = 0; number < num_users; number++) {
        Stopper user = {seen, -1, 0, thetas[number], true};
        memset(seen, 0, (size_t)users->t * sizeof *seen);
        if (users->num_wanting) {
            double all = users->wanting[users->num_wanting - 1];
            user.wanted = first_above(
                users->wanting, 0, users->num_wanting, unit(next(state)) * all);
        }
        double gain = 0.0, total = 0.0;
        int64_t last = 0;
        for (int64_t k = 0; k < users->num_ranks && !last; k++) {
            gain = 0.0;
            bool leaves = visit_rank(users, k, state, &user, &gain);
            total += gain;
            if (users->leaving[k] > 0 && unit(next(state)) < user.theta * users->leaving[k]) {
                leaves = true;
            }
            last = leaves ? k + 1 : 0;
        }
        double effort = last ? users->efforts[last - 1] : 0.0;
        ranks[number] = last;
        values[number][0] = last ? gain : 0.0;
        values[number][1] = total;
        values[number][2] = effort;
        values[number][3] = last ? effort * total : 0.0;
    }
}
