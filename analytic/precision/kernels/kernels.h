/* The closed forms' kernels: what Python may call, see `compiling/door.py`. */

#ifndef KERNELS_H
#define KERNELS_H

#include "door.h"

/* ---- products ---- */


/* ---- normal ---- */


/* ---- bounds ---- */


/* ---- covering ---- */


/* ---- leave one out ---- */


/* ---- noisy-or slopes ---- */


#endif
