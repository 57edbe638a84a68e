/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_GROW_H
#define COLLIO_GROW_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/**
 * Growth of arrays: one rule for all lists of the core (extents, pieces, sections, bytes, windows).
 */

/** Reallocates to exactly `capacity` elements. Returns NULL, and leaves `at` valid, if there is no
 *  memory or the size overflows. */
static inline void *collio_resize(void *at, size_t capacity, size_t element_bytes)
{
    if (capacity > PTRDIFF_MAX / element_bytes) {
        return NULL;
    }
    return realloc(at, capacity * element_bytes);
}

/** Grows an array by doubling, so that n appends cost O(n). Returns NULL, and leaves `at` valid, if
 *  there is no memory. */
static inline void *collio_grow(void *at, size_t *capacity, size_t element_bytes)
{
    size_t wanted = *capacity < 16 ? 16 : 2 * *capacity;
    void *grown = collio_resize(at, wanted, element_bytes);

    if (NULL != grown) {
        *capacity = wanted;
    }
    return grown;
}

/** Grows an array, unless it has memory for one more element. `array` is the address of the pointer
 *  to the elements. 0 or -ENOMEM. */
static inline int collio_more(void *array, size_t count, size_t *capacity, size_t element_bytes)
{
    void *at;

    if (count < *capacity) {
        return 0;
    }
    memcpy(&at, array, sizeof(at)); /* a pointer of any type */
    at = collio_grow(at, capacity, element_bytes);
    if (NULL == at) {
        return -ENOMEM;
    }
    memcpy(array, &at, sizeof(at));
    return 0;
}

#endif /* COLLIO_GROW_H */
