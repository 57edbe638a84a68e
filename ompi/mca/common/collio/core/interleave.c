/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Interleaving of ranks. See interleave.h.
 *
 * Cost: O(n log n) for n ranks, on the stack.
 */
#include "interleave.h"

#include "debug_assert.h"
#include "heap.h"
#include "number.h"

static void crossing_add(collio_crossing_t *sum, const collio_rank_range_t *rank, bool crosses)
{
    if (crosses) {
        sum->pieces = collio_sum(sum->pieces, rank->pieces);
        sum->crossing_spans = collio_sum(sum->crossing_spans, rank->hi - rank->lo);
    } else {
        sum->spans = collio_sum(sum->spans, rank->hi - rank->lo);
    }
}

void collio_crossing_add(collio_crossing_t *sum, const collio_rank_range_t *rank, size_t count)
{
    collio_heap_entry_t heap[COLLIO_INTERLEAVE_RANKS];
    const collio_rank_range_t *last = NULL;
    bool last_crosses = false;
    size_t left = 0;

    COLLIO_ASSERT(count <= COLLIO_INTERLEAVE_RANKS);
    for (; left < count; ++left) {
        heap[left] = (collio_heap_entry_t){.key = rank[left].lo, .input = left};
    }
    collio_heap_build(heap, left);
    for (; 0 < left; --left) {
        const collio_rank_range_t *next = &rank[heap[0].input];
        bool crosses = NULL != last && next->lo < last->hi;

        if (NULL != last) {
            crossing_add(sum, last, last_crosses || crosses);
        }
        last = next;
        last_crosses = crosses;
        heap[0] = heap[left - 1];
        collio_heap_down(heap, left - 1, 0);
    }
    if (NULL != last) {
        crossing_add(sum, last, last_crosses);
    }
}

bool collio_interleaved(const collio_crossing_t *all, int64_t span, int64_t pieces)
{
    return all->pieces > pieces - all->pieces || all->spans > span;
}
