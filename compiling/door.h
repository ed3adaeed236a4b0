/* What the kernels of every room share: memory of a call, shapes of arrays, assertions.

A header `kernels.h` lists what Python may call; `compiling/door.py` makes the calls from it. */

#ifndef DOOR_H
#define DOOR_H

#include <assert.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* In a structure: `const double *reached OF(t, n);` is an array of shape (t, n), and its members t
and n are set from the array. */
#define OF(...)
/* Before a parameter: an array of this shape, or an empty one, which is NULL here. */
#define MAYBE

/* Memory that lives as long as a call. */
typedef struct Memory {
    struct Piece *pieces;
    jmp_buf failed;
} Memory;

struct Piece {
    struct Piece *next;
    max_align_t content[];
};

/* Return room for `count` things of some size, not cleared. Where there is none, the call ends
with Python's MemoryError. */
static inline void *take(Memory *memory, int64_t count, size_t size) {
    assert(count >= 0);
    struct Piece *piece = NULL;
    if ((uint64_t)count <= (SIZE_MAX - sizeof *piece) / (size ? size : 1)) {
        piece = malloc(sizeof *piece + (size_t)count * size);
    }
    if (!piece) {
        longjmp(memory->failed, 1);
    }
    piece->next = memory->pieces;
    memory->pieces = piece;
    return piece->content;
}

/* The same, cleared. */
static inline void *take_zeros(Memory *memory, int64_t count, size_t size) {
    void *room = take(memory, count, size);
    return memset(room, 0, (size_t)count * size);
}

static inline void give_back(Memory *memory) {
    while (memory->pieces) {
        struct Piece *next = memory->pieces->next;
        free(memory->pieces);
        memory->pieces = next;
    }
}

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
