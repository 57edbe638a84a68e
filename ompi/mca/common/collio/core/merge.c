/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Merge of sorted extent lists.
 *
 * Problem: an aggregator has one sorted list of each requester and needs their union.
 * Method:  a heap has the next extent of each input. Extents of the input on top are used, without
 *          a change of the heap, up to the second smallest key: one input, two inputs and inputs
 *          that do not interleave (blocks of ranks) are thus linear scans. An extent that touches
 *          or overlaps the last extent of the output is joined to it.
 *          Marks (marks.h) merge very many small extents that do not overlap.
 * Cost:    O(n log k) for n extents of k inputs that interleave at every step, O(n + k) if they do
 *          not; memory: the output and 40 bytes for each input.
 *
 *   a   [##]    [##]    [##]
 *   b       [##]    [##]          ->   [##############]  [##]
 */
#include "merge.h"

#include <errno.h>
#include <stdlib.h>

#include "debug_assert.h"
#include "grow.h"
#include "heap.h"
#include "marks.h"

/* Maximum number of inputs that need no allocation. */
#define FEW_INPUTS 16

/* An input that is not used up. */
typedef struct collio_merge_side_t {
    const collio_fragment_t *next; /* next piece */
    const collio_fragment_t *end;  /* end of the pieces */
    int64_t lo;                    /* offsets count from here */
} side_t;

/* The union of the extents that have been used. */
typedef struct collio_union_t {
    collio_extents_t *out; /* complete extents */
    int64_t lo;            /* start of the last extent, which may grow */
    int64_t hi;            /* end of the last extent; less than `lo`: there is none */
    int64_t overlap_bytes; /* bytes in n > 1 extents, counted n - 1 times */
} union_t;

static int union_push(union_t *all)
{
    return all->hi <= all->lo ? 0 : collio_extents_push(all->out, all->lo, all->hi - all->lo);
}

/* Adds the extents of a side that begin at `bound` or before it. 0 or -ENOMEM. */
static int merge_use(side_t *side, int64_t bound, union_t *all)
{
    for (; side->next < side->end; ++side->next) {
        int64_t offset = side->lo + side->next->offset;
        int64_t end = offset + side->next->length;

        COLLIO_ASSERT(all->lo <= offset && offset < end); /* sorted, not empty */
        if (offset > bound) {
            break;
        }
        if (offset > all->hi) {
            int rc = union_push(all);

            if (0 != rc) {
                return rc;
            }
            all->lo = offset;
            all->hi = end;
        } else {
            all->overlap_bytes += (end < all->hi ? end : all->hi) - offset;
            all->hi = end > all->hi ? end : all->hi;
        }
    }
    return 0;
}

static int merge(side_t *sides, collio_heap_entry_t *heap, size_t count, union_t *all)
{
    collio_heap_build(heap, count);
    while (0 < count) {
        side_t *side = &sides[heap[0].input];
        int rc = merge_use(side, collio_heap_second(heap, count), all);

        if (0 != rc) {
            return rc;
        }
        if (side->next < side->end) {
            heap[0].key = side->lo + side->next->offset;
        } else {
            heap[0] = heap[--count];
        }
        if (0 < count) {
            collio_heap_down(heap, count, 0);
        }
    }
    return union_push(all);
}

int collio_merge(const collio_merge_input_t *inputs, size_t input_count, const collio_span_t *span,
                 collio_extents_t *out, int64_t *overlap_bytes)
{
    side_t few_sides[FEW_INPUTS];
    collio_heap_entry_t few_entries[FEW_INPUTS];
    side_t *sides = few_sides;
    collio_heap_entry_t *heap = few_entries;
    union_t all = {out, 0, -1, 0};
    bool proven = false;
    size_t count = 0;
    int rc = 0;

    if (NULL != overlap_bytes) {
        *overlap_bytes = 0;
    }
    if (NULL != span && collio_marks_merge(inputs, input_count, span)) {
        rc = collio_marks_union(inputs, input_count, span, out, &proven);
    }
    if (0 != rc || proven) {
        return rc;
    }
    rc = -ENOMEM;
    if (FEW_INPUTS < input_count) {
        sides = collio_resize(NULL, input_count, sizeof(*sides));
        heap = collio_resize(NULL, input_count, sizeof(*heap));
        if (NULL == sides || NULL == heap) {
            goto out_free;
        }
    }
    for (size_t i = 0; i < input_count; ++i) {
        if (0 < inputs[i].count) {
            const collio_fragment_t *at = inputs[i].at;

            sides[count] = (side_t){at, at + inputs[i].count, inputs[i].lo};
            heap[count].key = inputs[i].lo + at->offset;
            heap[count].input = count;
            ++count;
        }
    }
    rc = merge(sides, heap, count, &all);
    if (NULL != overlap_bytes) {
        *overlap_bytes = all.overlap_bytes;
    }
out_free:
    if (FEW_INPUTS < input_count) {
        free(sides);
        free(heap);
    }
    return rc;
}
