/* Laws of a count of ideals, and the same without each of them in turn. */

#ifndef LEAVING_OUT_H
#define LEAVING_OUT_H

#include "door.h"
#include "extremes.h"

/* A factor both of whose terms are smaller is not divided out. */
static const double LEAST_DIVISOR = 1e-3;

/* Room, t + 1 numbers each: a law, a product and its next, what to divide by, quotients. */
typedef struct {
    double *law, *from, *to, *ratio, *inverse, *passed;
} LawRoom;

static LawRoom law_room_for(Memory *memory, int64_t t);
static void law_of(
    int64_t t, const double low[t], const double high[t], LawRoom room, double out[t + 1]);
static void without_each(
    int64_t t, const double low[t], const double high[t], LawRoom room, double others[t][t]);

#endif
