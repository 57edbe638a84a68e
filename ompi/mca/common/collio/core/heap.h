/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HEAP_H
#define COLLIO_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * A binary min-heap for k-way merges: one entry for each input, keyed by the input's next element.
 * Entries contain their keys, so the heap of a few hundred inputs fits the first-level cache.
 * Equal keys leave the heap in the order of `input`, which makes every merge deterministic.
 */
typedef struct collio_heap_entry_t {
    int64_t key;  /* next element of the input */
    size_t input; /* number of the input */
} collio_heap_entry_t;

static inline bool collio_heap_less(collio_heap_entry_t a, collio_heap_entry_t b)
{
    return a.key < b.key || (a.key == b.key && a.input < b.input);
}

/** Restores the order after heap[at] has grown. */
static inline void collio_heap_down(collio_heap_entry_t *heap, size_t count, size_t at)
{
    collio_heap_entry_t moved = heap[at];
    size_t child;

    for (; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && collio_heap_less(heap[child + 1], heap[child])) {
            ++child;
        }
        if (!collio_heap_less(heap[child], moved)) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static inline void collio_heap_build(collio_heap_entry_t *heap, size_t count)
{
    for (size_t at = count / 2; 0 < at; --at) {
        collio_heap_down(heap, count, at - 1);
    }
}

/** Returns the smallest key below the top; INT64_MAX if there is none. Elements of the top's input
 *  up to this key can be used without a change of the heap. */
static inline int64_t collio_heap_second(const collio_heap_entry_t *heap, size_t count)
{
    if (2 > count) {
        return INT64_MAX;
    }
    return 2 < count && heap[2].key < heap[1].key ? heap[2].key : heap[1].key;
}

#endif /* COLLIO_HEAP_H */
