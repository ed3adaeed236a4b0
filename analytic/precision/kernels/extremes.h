/* The larger and the smaller of two numbers, the first where neither is. */

#ifndef EXTREMES_H
#define EXTREMES_H

static inline double larger_of(double a, double b) { return b > a ? b : a; }
static inline double smaller_of(double a, double b) { return b < a ? b : a; }

#endif
