/* Users who overlook ideals. */

#ifndef OVERLOOKING_H
#define OVERLOOKING_H

#include "consulting.h"

/* Note what the user sees from an element of the list if each ideal is kept with a probability;
`edges` is room for t + 2 numbers. */
static void overlook(
    Visitor *visitor, const Entries *listed, int64_t entry, const Reaching *reaching,
    const double *keeps, double part, double *edges);

#endif
