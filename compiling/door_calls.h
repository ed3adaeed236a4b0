/* What the wrappers that `compiling/door.py` writes are made of: arguments from Python, checked. */

#ifndef DOOR_CALLS_H
#define DOOR_CALLS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "door.h"

/* A call: its function, the arrays that it holds, its memory. */
typedef struct {
    const char *function;
    Py_buffer *held;
    int num_held;
    Memory memory;
} Door;

/* What a wrapper changes after `setjmp` it does not read again. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wclobbered"
#endif

static inline void door_close(Door *door) {
    give_back(&door->memory);
    while (door->num_held) {
        PyBuffer_Release(&door->held[--door->num_held]);
    }
}

static inline void door_count(const Door *door, Py_ssize_t given, int wanted) {
    PyErr_Format(PyExc_TypeError, "%s takes %d arguments, not %zd", door->function, wanted, given);
}

static inline void door_shape(
    const Door *door, const char *name, int axis, int64_t found, const char *rule, int64_t wanted) {
    PyErr_Format(
        PyExc_ValueError, "%s: axis %d of %s must have length %s = %lld, not %lld", door->function,
        axis, name, rule, (long long)wanted, (long long)found);
}

static inline char door_kind(const char *format) {
    switch (format ? *format : 'B') {
    case 'd': case 'f': return 'f';
    case '?': return '?';
    case 'b': case 'h': case 'i': case 'l': case 'q': return 'i';
    case 'B': case 'H': case 'I': case 'L': case 'Q': return 'u';
    default: return ' ';
    }
}

/* Take an array of `axes` axes, C-contiguous; the wrapper checks its shape. */
static inline int door_array(
    Door *door, PyObject *object, const char *name, char kind, int size, int axes, int writes,
    void **at, int64_t *shape) {
    if (!object) {
        return 0;
    }
    Py_buffer *view = &door->held[door->num_held];
    int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writes ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, view, flags)) {
        PyErr_Format(
            PyExc_ValueError, "%s: %s must be an array without gaps, row by row%s", door->function,
            name, writes ? ", that can be written to" : "");
        return 0;
    }
    door->num_held++;
    if (door_kind(view->format) != kind || view->itemsize != size || view->ndim != axes) {
        PyErr_Format(
            PyExc_TypeError, "%s: %s must have %d axes and elements '%c%d', not %d and %s",
            door->function, name, axes, kind, size, view->ndim, view->format ? view->format : "B");
        return 0;
    }
    *at = view->buf;
    for (int axis = 0; axis < axes; axis++) {
        shape[axis] = view->shape[axis];
    }
    return 1;
}

static inline PyObject *door_member(
    const Door *door, PyObject *object, PyObject **member, const char *name) {
    (void)door;
    Py_XDECREF(*member);
    *member = object ? PyObject_GetAttrString(object, name) : NULL;
    return *member;
}

static inline int door_double(const Door *door, PyObject *object, const char *name, double *out) {
    (void)door, (void)name;
    *out = object ? PyFloat_AsDouble(object) : -1.0;
    return object && !(*out == -1.0 && PyErr_Occurred());
}

static inline int door_int(const Door *door, PyObject *object, const char *name, int64_t *out) {
    PyObject *index = object ? PyNumber_Index(object) : NULL;
    *out = index ? PyLong_AsLongLong(index) : -1;
    Py_XDECREF(index);
    if (*out == -1 && PyErr_Occurred()) {
        PyErr_Format(
            PyExc_TypeError, "%s: %s must be a whole number of 64 bits, not %R", door->function,
            name, object);
        return 0;
    }
    return 1;
}

static inline int door_word(const Door *door, PyObject *object, const char *name, uint64_t *out) {
    PyObject *index = object ? PyNumber_Index(object) : NULL;
    *out = index ? PyLong_AsUnsignedLongLong(index) : (uint64_t)-1;
    Py_XDECREF(index);
    if (*out == (uint64_t)-1 && PyErr_Occurred()) {
        PyErr_Format(
            PyExc_TypeError, "%s: %s must be a whole number in [0, 2^64), not %R", door->function,
            name, object);
        return 0;
    }
    return 1;
}

static inline int door_truth(const Door *door, PyObject *object, const char *name, bool *out) {
    (void)door, (void)name;
    int truth = object ? PyObject_IsTrue(object) : -1;
    *out = truth > 0;
    return truth >= 0;
}

/* Which processors run what was compiled for a level of x86-64. */
#if defined(__x86_64__)
#include <cpuid.h>

static inline bool door_has(unsigned leaf, int word, unsigned bits) {
    unsigned words[4];
    return __get_cpuid_count(leaf, 0, &words[0], &words[1], &words[2], &words[3])
        && (words[word] & bits) == bits;
}

/* Whether the system keeps these parts of the processor's state (XCR0). */
static inline bool door_keeps(unsigned bits) {
    if (!door_has(1, 2, bit_OSXSAVE)) {
        return false;
    }
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & bits) == bits;
}

static inline bool door_runs_v3(void) {
    return door_keeps(0x6)
        && door_has(1, 2, bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT | bit_FMA
            | bit_MOVBE | bit_F16C | bit_AVX)
        && door_has(7, 1, bit_AVX2 | bit_BMI | bit_BMI2)
        && door_has(0x80000001, 2, bit_LZCNT);
}

static inline bool door_runs_v4(void) {
    return door_runs_v3() && door_keeps(0xe6)
        && door_has(7, 1, bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL);
}
#endif

#endif
