/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Union of sorted lists by a bitmap.
 *
 * Problem: where pieces of a few bytes of many ranks interleave at every step, a merge compares its
 *          way through a heap for each of them, and every comparison is a coin toss.
 * Method:  a line of bits, one per byte of the span; each extent sets its bits, in any order; the
 *          runs of set bits are the union. What was set twice is the sum of the lengths less
 *          the length of the union.
 * Cost:    O(n + span / 64), span / 8 bytes of memory for the time it takes.
 *
 *   a  [##]    [##]    [##]
 *   b      [##]    [##]            1111111111111111  0000  1111   ->   [##############]  [##]
 */
#include "bitmap.h"

#include <errno.h>
#include <stdlib.h>

#include "debug_assert.h"

enum {
    BITS = 64,
    FEW_INPUTS = 3, /* below, a merge has little to compare */
    FEW_EXTENTS = 1024,
    SPARSE = 512 /* bytes of span for each extent */
};

typedef struct collio_line_t {
    uint64_t *word;
    int64_t words;
    int64_t lo; /* what bit 0 stands for */
} line_t;

static collio_span_t measure(const collio_merge_input_t *inputs, size_t input_count)
{
    collio_span_t span = {INT64_MAX, INT64_MIN, 0};

    for (size_t i = 0; i < input_count; ++i) {
        const char *at = inputs[i].at;

        for (size_t n = inputs[i].count; 0 < n; --n, at += inputs[i].element_bytes) {
            const int64_t *extent = (const int64_t *) (const void *) at;
            int64_t end = extent[0] + extent[1];

            span.lo = extent[0] < span.lo ? extent[0] : span.lo;
            span.hi = end > span.hi ? end : span.hi;
            span.bytes += extent[1];
        }
    }
    return span;
}

bool collio_bitmap_pays(const collio_merge_input_t *inputs, size_t input_count,
                        const collio_span_t *known, collio_span_t *span)
{
    size_t extents = 0;

    for (size_t i = 0; i < input_count; ++i) {
        extents += inputs[i].count;
    }
    if (FEW_INPUTS > input_count || FEW_EXTENTS > extents) {
        return false;
    }
    *span = NULL != known ? *known : measure(inputs, input_count);
    return (span->hi - span->lo) / SPARSE < (int64_t) extents;
}

static inline void set_bits(const line_t *line, int64_t offset, int64_t length)
{
    uint64_t from = (uint64_t) (offset - line->lo), last = from + (uint64_t) length - 1;
    uint64_t *word = &line->word[from / BITS], *end = &line->word[last / BITS];
    uint64_t mask = UINT64_MAX << (from % BITS);

    for (; word < end; ++word) {
        *word |= mask;
        mask = UINT64_MAX;
    }
    *end |= mask & UINT64_MAX >> (BITS - 1 - last % BITS);
}

/* The next bit from `at` on that is set (or, flipped, not set); the end of the line if none is. */
static int64_t next_bit(const line_t *line, int64_t at, bool set)
{
    int64_t word = at / BITS;
    uint64_t flip = set ? 0 : UINT64_MAX, left;

    if (word >= line->words) {
        return line->words * BITS;
    }
    left = (line->word[word] ^ flip) & UINT64_MAX << (at % BITS);
    while (0 == left && ++word < line->words) {
        left = line->word[word] ^ flip;
    }
    return word < line->words ? word * BITS + __builtin_ctzll(left) : line->words * BITS;
}

static int append_runs(const line_t *line, collio_extents_t *out, int64_t *covered)
{
    int64_t end = line->words * BITS, at, to;

    for (at = next_bit(line, 0, true); at < end; at = next_bit(line, to, true)) {
        to = next_bit(line, at, false);
        if (0 != collio_extents_push(out, line->lo + at, to - at)) {
            return -ENOMEM;
        }
        *covered += to - at;
    }
    return 0;
}

int collio_bitmap_union(const collio_merge_input_t *inputs, size_t input_count,
                        const collio_span_t *span, collio_extents_t *out, int64_t *overlap_bytes)
{
    line_t line = {.lo = span->lo};
    int64_t covered = 0;
    int rc;

    line.words = (span->hi - span->lo) / BITS + 1; /* one bit more: every run ends on the line */
    line.word = calloc((size_t) line.words, sizeof(*line.word));
    if (NULL == line.word) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < input_count; ++i) {
        const char *at = inputs[i].at;

        for (size_t n = inputs[i].count; 0 < n; --n, at += inputs[i].element_bytes) {
            const int64_t *extent = (const int64_t *) (const void *) at;

            COLLIO_ASSERT(0 < extent[1]);
            set_bits(&line, extent[0], extent[1]);
        }
    }
    rc = append_runs(&line, out, &covered);
    free(line.word);
    if (NULL != overlap_bytes) {
        *overlap_bytes = span->bytes - covered;
    }
    return rc;
}
