/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The aggregator's half of the cycle plan: the windows of all requesters become cycles.
 *
 * Problem: an aggregator has the split of each requester, and needs the requesters and the covered
 *          bytes of each window that is not empty.
 * Method:  requesters list their windows in ascending order, so a heap over the requesters gives
 *          all windows in order; the pieces of one window are merged into its runs.
 * Cost:    O(windows log requesters + pieces log requesters); memory for the result, and 48 bytes
 *          for each requester.
 *
 *   requester 0   w0 w1    w7            cycles   w0 {0,2}  w1 {0,1}  w7 {0,1,2}
 *   requester 1      w1    w7
 *   requester 2   w0       w7
 */
#include <errno.h>
#include <stdlib.h>

#include "cycle.h"
#include "debug_assert.h"
#include "grow.h"
#include "heap.h"
#include "merge.h"

typedef struct collio_collector_t {
    const collio_split_t *splits; /* the split of each requester; the caller owns them */
    collio_heap_entry_t *heap;    /* requesters by the number of their next window */
    size_t heap_count;            /* requesters that have windows left */
    size_t *next;                 /* position of each requester's next window in its split */
    collio_merge_input_t *inputs; /* pieces of the sources of one cycle */
    const collio_marks_t *marks;  /* marks of windows; NULL: no window has marks */
    size_t cycle_capacity;        /* cycles that collect->cycle has room for */
} collector_t;

static void collector_fini(collector_t *collector)
{
    free(collector->heap);
    free(collector->next);
    free(collector->inputs);
}

/* Allocates and builds the heap. Returns the number of windows of all requesters; SIZE_MAX: no
 * memory. */
static size_t collector_init(collector_t *collector, const collio_split_t *splits,
                             size_t split_count)
{
    size_t windows = 0;

    collector->heap = collio_resize(NULL, split_count, sizeof(*collector->heap));
    collector->next = calloc(split_count, sizeof(*collector->next));
    collector->inputs = collio_resize(NULL, split_count, sizeof(*collector->inputs));
    if (NULL == collector->heap || NULL == collector->next || NULL == collector->inputs) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < split_count; ++i) {
        if (0 < splits[i].window_count) {
            collector->heap[collector->heap_count].key = splits[i].window[0].index;
            collector->heap[collector->heap_count].input = i;
            collector->heap_count++;
            windows += splits[i].window_count;
        }
    }
    collio_heap_build(collector->heap, collector->heap_count);
    return windows;
}

/* Adds the next window of the requester on top of the heap to the cycle, and advances this
 * requester. */
static void take_source(collector_t *collector, collio_cycle_t *cycle, collio_source_t *source)
{
    size_t requester = collector->heap[0].input;
    const collio_split_t *split = &collector->splits[requester];
    size_t at = collector->next[requester]++;
    const collio_window_t *window = &split->window[at];

    *source = (collio_source_t){requester, at};
    collector->inputs[cycle->source_count++] = (collio_merge_input_t){split->piece + window->first,
                                                                      window->count, window->lo};
    cycle->bytes += window->bytes;
    cycle->lo = window->lo < cycle->lo ? window->lo : cycle->lo;
    cycle->hi = window->hi > cycle->hi ? window->hi : cycle->hi;
    if (at + 1 < split->window_count) {
        collector->heap[0].key = split->window[at + 1].index;
    } else {
        collector->heap[0] = collector->heap[--collector->heap_count];
    }
    if (0 < collector->heap_count) {
        collio_heap_down(collector->heap, collector->heap_count, 0);
    }
}

/* True if the runs of a cycle ascend without overlap from its first byte to its last one, and have
 * the bytes of its sources. */
static bool runs_hold(const collio_collect_t *collect, const collio_cycle_t *cycle,
                      int64_t overlap_bytes)
{
    const collio_extent_t *run = &collect->runs.at[cycle->run];
    int64_t bytes = overlap_bytes;

    for (size_t i = 0; i < cycle->run_count; ++i) {
        if (0 < i && run[i - 1].offset + run[i - 1].length >= run[i].offset) {
            return false;
        }
        bytes += run[i].length;
    }
    return 0 < cycle->run_count && bytes == cycle->bytes && cycle->lo == run->offset
           && cycle->hi == run[cycle->run_count - 1].offset + run[cycle->run_count - 1].length;
}

/* Appends the runs of a cycle: the union of the pieces of its sources. 0 or -ENOMEM. */
static int add_runs(collector_t *collector, collio_collect_t *collect, collio_cycle_t *cycle)
{
    collio_span_t span = {cycle->lo, cycle->hi, cycle->bytes};
    int64_t overlap_bytes = 0;
    int rc;

    if (NULL != collector->marks && collio_marks_hold(collector->marks, cycle->index)) {
        rc = collio_marks_runs(collector->marks, cycle->index, &collect->runs, &cycle->bytes);
        collect->refused += cycle->bytes < 0;
    } else {
        rc = collio_merge(collector->inputs, cycle->source_count, &span, &collect->runs,
                          &overlap_bytes);
    }
    if (0 != rc) {
        return rc;
    }
    collect->overlap_bytes += overlap_bytes;
    cycle->run_count = collect->runs.count - cycle->run;
    COLLIO_ASSERT(0 < collect->refused || runs_hold(collect, cycle, overlap_bytes));
    return 0;
}

static int add_cycle(collector_t *collector, collio_collect_t *collect)
{
    collio_cycle_t cycle = {.index = collector->heap[0].key,
                            .lo = INT64_MAX,
                            .hi = INT64_MIN,
                            .source = collect->source_count,
                            .run = collect->runs.count};
    int rc;

    while (0 < collector->heap_count && cycle.index == collector->heap[0].key) {
        take_source(collector, &cycle, &collect->source[collect->source_count++]);
    }
    rc = add_runs(collector, collect, &cycle);
    if (0 != rc) {
        return rc;
    }
    if (0
        != collio_more(&collect->cycle, collect->cycle_count, &collector->cycle_capacity,
                       sizeof(*collect->cycle))) {
        return -ENOMEM;
    }
    COLLIO_ASSERT(0 == collect->cycle_count
                  || (cycle.index > collect->cycle[collect->cycle_count - 1].index
                      && cycle.lo >= collect->cycle[collect->cycle_count - 1].hi));
    collect->cycle[collect->cycle_count++] = cycle;
    return 0;
}

int collio_collect_build(const collio_split_t *splits, size_t split_count,
                         const collio_marks_t *marks, collio_collect_t *collect)
{
    collector_t collector = {.splits = splits, .marks = marks};
    size_t windows;
    int rc = 0;

    *collect = (collio_collect_t){0};
    if (0 == split_count) {
        return 0;
    }
    windows = collector_init(&collector, splits, split_count);
    if (SIZE_MAX == windows) {
        rc = -ENOMEM;
    } else if (0 < windows) {
        collect->source = collio_resize(NULL, windows, sizeof(*collect->source));
        rc = NULL == collect->source ? -ENOMEM : 0;
    }
    while (0 == rc && 0 < collector.heap_count) {
        rc = add_cycle(&collector, collect);
    }
    COLLIO_ASSERT(0 != rc || collect->source_count == windows);
    collector_fini(&collector);
    if (0 != rc) {
        collio_collect_fini(collect);
    }
    return rc;
}

void collio_collect_fini(collio_collect_t *collect)
{
    free(collect->cycle);
    free(collect->source);
    collio_extents_fini(&collect->runs);
    *collect = (collio_collect_t){0};
}
