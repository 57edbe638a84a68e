/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The union of pieces that do not overlap, from their ends alone.
 *
 * Problem: an aggregator in shared memory needs the union of all requesters' pieces, and the
 *          certainty that no two pieces overlap. Lists that are made, sent, decoded and merged cost
 *          300 instructions per piece.
 * Method:  a line of bits for each window, one per byte. A piece flips the bit of its first byte
 *          and the bit after its last byte, and adds its length to a sum. Between the 1st and the
 *          2nd bit that is set, the 3rd and the 4th, ... every byte lies in an odd number of
 *          pieces, so at least in one; elsewhere in an even number. If these runs together have as
 *          many bytes as the sum of all lengths, then no byte of a run lies in more than one piece,
 *          and no other byte lies in any: the runs are the union, and nothing overlaps. If not,
 *          pieces overlap, and the marks are refused.
 * Cost:    about 20 instructions per piece; window_bytes / 64 words to clear and to read.
 *
 *   a       [##]    [##]                 flips   a 1  1    1  1
 *   b           [##]      [##]                   b     1  1      1  1
 *   runs    [##########]  [##]           bits      1           1 1  1
 */
#include "marks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "debug_assert.h"

enum {
    BITS = 64,
    RANK_PIECES = 64,   /* fewer pieces per rank are not worth a barrier */
    SPARSE = 2048,      /* bytes of span per piece above which the bitmap costs more than lists */
    FEW_LISTS = 3,      /* with fewer lists, merging is cheap */
    FEW_EXTENTS = 1024, /* with fewer extents, a merge costs less than the bitmap */
    SPARSE_LISTS = 512 /* bytes of span per extent above which the bitmap costs more than a merge */
};

enum { REFUSED = -1 };

typedef struct marks_of_window_t {
    _Atomic int64_t bytes;   /* sum of the lengths, or REFUSED */
    _Atomic uint64_t line[]; /* one bit per byte, and one after the last byte */
} window_t;

bool collio_marks_pay(int64_t span, int64_t bytes, int64_t pieces, int ranks)
{
    return bytes <= span && pieces / RANK_PIECES >= ranks && span / pieces <= SPARSE;
}

bool collio_marks_merge(const collio_merge_input_t *lists, size_t list_count,
                        const collio_span_t *span)
{
    size_t extents = 0;

    for (size_t i = 0; i < list_count; ++i) {
        extents += lists[i].count;
    }
    return FEW_LISTS <= list_count && FEW_EXTENTS <= extents
           && (span->hi - span->lo) / SPARSE_LISTS < (int64_t) extents;
}

static int64_t words_of(const collio_marks_t *marks)
{
    return marks->window_bytes / BITS + 1;
}

static int64_t stride_of(const collio_marks_t *marks)
{
    return (words_of(marks) + 1) * (int64_t) sizeof(uint64_t);
}

static window_t *marks_window_of(const collio_marks_t *marks, int64_t window)
{
    COLLIO_ASSERT(0 <= window && window < marks->windows);
    return (window_t *) (void *) (marks->at + window * stride_of(marks));
}

collio_marks_t collio_marks_in(void *memory, int64_t bytes, int64_t window_bytes, int64_t step)
{
    collio_marks_t marks = {.at = memory, .window_bytes = window_bytes, .step = step};

    marks.windows = bytes / stride_of(&marks);
    return marks;
}

void collio_marks_clear(const collio_marks_t *marks, int64_t windows)
{
    windows = windows < marks->windows ? windows : marks->windows;
    memset(marks->at, 0, (size_t) (windows * stride_of(marks)));
}

static inline uint64_t bit(uint64_t at)
{
    return UINT64_C(1) << at % BITS;
}

COLLIO_ALWAYS_INLINE void flip(_Atomic uint64_t *word, uint64_t bits, bool shared)
{
    if (shared) {
        atomic_fetch_xor_explicit(word, bits, memory_order_relaxed);
    } else {
        atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) ^ bits,
                              memory_order_relaxed);
    }
}

/* Flips the bits of a list in a window of `bytes` bytes at `lo`; `shared` (a constant where
 * this is inlined): others flip at the same time. */
COLLIO_ALWAYS_INLINE void flip_list(window_t *to, int64_t lo, int64_t bytes,
                                    const collio_merge_input_t *list, bool shared)
{
    const collio_fragment_t *at = list->at, *end = at + list->count;

    lo = list->lo - lo;
    for (; at < end; ++at) {
        uint64_t first = (uint64_t) lo + at->offset;
        uint64_t past = first + at->length;

        COLLIO_ASSERT(first < past && past <= (uint64_t) bytes);
        if (first / BITS == past / BITS) {
            flip(&to->line[first / BITS], bit(first) ^ bit(past), shared);
        } else {
            flip(&to->line[first / BITS], bit(first), shared);
            flip(&to->line[past / BITS], bit(past), shared);
        }
    }
}

void collio_marks_add(const collio_marks_t *marks, int64_t window, const collio_merge_input_t *list,
                      int64_t bytes)
{
    window_t *to = marks_window_of(marks, window);

    flip_list(to, window * marks->step, marks->window_bytes, list, true);
    atomic_fetch_add_explicit(&to->bytes, bytes, memory_order_relaxed);
}

bool collio_marks_hold(const collio_marks_t *marks, int64_t window)
{
    return window < marks->windows
           && REFUSED
                  != atomic_load_explicit(&marks_window_of(marks, window)->bytes,
                                          memory_order_relaxed);
}

int collio_marks_runs(const collio_marks_t *marks, int64_t window, collio_extents_t *out,
                      int64_t *bytes)
{
    window_t *from = marks_window_of(marks, window);
    int64_t lo = window * marks->step;
    int64_t words = words_of(marks), covered = 0, begin = -1;
    size_t before = out->count;

    for (int64_t word = 0; word < words; ++word) {
        uint64_t bits = atomic_load_explicit(&from->line[word], memory_order_relaxed);

        for (; 0 != bits; bits &= bits - 1) {
            int64_t at = word * BITS + __builtin_ctzll(bits);

            if (begin < 0) {
                begin = at;
                continue;
            }
            if (0 != collio_extents_push(out, lo + begin, at - begin)) {
                return -ENOMEM;
            }
            covered += at - begin;
            begin = -1;
        }
    }
    COLLIO_ASSERT(begin < 0);
    *bytes = atomic_load_explicit(&from->bytes, memory_order_relaxed);
    if (covered != *bytes) {
        out->count = before;
        *bytes = REFUSED;
        atomic_store_explicit(&from->bytes, REFUSED, memory_order_relaxed);
    }
    return 0;
}

int collio_marks_union(const collio_merge_input_t *lists, size_t list_count,
                       const collio_span_t *span, collio_extents_t *out, bool *proven)
{
    collio_marks_t marks = {.window_bytes = span->hi - span->lo, .windows = 1};
    size_t before = out->count;
    int64_t bytes = REFUSED;
    int rc;

    marks.at = calloc(1, (size_t) stride_of(&marks));
    if (NULL == marks.at) {
        return -ENOMEM;
    }
    marks_window_of(&marks, 0)->bytes = span->bytes;
    for (size_t i = 0; i < list_count; ++i) {
        flip_list(marks_window_of(&marks, 0), span->lo, marks.window_bytes, &lists[i], false);
    }
    rc = collio_marks_runs(&marks, 0, out, &bytes);
    for (size_t i = before; i < out->count; ++i) {
        out->at[i].offset += span->lo;
    }
    free(marks.at);
    *proven = REFUSED != bytes;
    return rc;
}
