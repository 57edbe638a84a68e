/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_COPY_H
#define COLLIO_COPY_H

#include <stdint.h>
#include <string.h>

/**
 * Inline copies of a few bytes. Requests with tiny pieces spend most of their time in such copies.
 */

/** Forces inlining, so that a loop with constant arguments is compiled for these constants. */
#if defined(__GNUC__)
#    define COLLIO_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#    define COLLIO_ALWAYS_INLINE static inline
#endif

/** Returns base + offset. Integer arithmetic: the base may be MPI_BOTTOM, the offset negative. */
COLLIO_ALWAYS_INLINE char *collio_place(char *base, int64_t offset)
{
    return (char *) ((uintptr_t) base + (uintptr_t) offset);
}

/** Copies the first and the last `half` bytes of `length` bytes, half <= length <= 2 * half. */
#define COLLIO_COPY_HALVES(half, to, from, length)        \
    do {                                                  \
        unsigned char head[half], tail[half];             \
                                                          \
        memcpy(head, (from), (half));                     \
        memcpy(tail, (from) + (length) - (half), (half)); \
        memcpy((to), head, (half));                       \
        memcpy((to) + (length) - (half), tail, (half));   \
    } while (0)

/** Copies `length` bytes between two places that do not overlap. */
COLLIO_ALWAYS_INLINE void collio_copy(char *to, const char *from, size_t length)
{
    if (32 < length) {
        memcpy(to, from, length);
    } else if (16 <= length) {
        COLLIO_COPY_HALVES(16, to, from, length);
    } else if (8 <= length) {
        COLLIO_COPY_HALVES(8, to, from, length);
    } else if (4 <= length) {
        COLLIO_COPY_HALVES(4, to, from, length);
    } else {
        while (0 < length--) {
            *to++ = *from++;
        }
    }
}

#endif /* COLLIO_COPY_H */
