/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_MERGE_H
#define COLLIO_MERGE_H

#include "extent.h"

/** A sorted input of the merge. */
typedef struct collio_merge_input_t {
    const collio_fragment_t *at; /* first piece; the caller owns the pieces */
    size_t count;                /* number of pieces */
    int64_t lo;                  /* offsets of the pieces count from here */
} collio_merge_input_t;

/** The range of all inputs. */
typedef struct collio_span_t {
    int64_t lo;    /* lowest offset */
    int64_t hi;    /* end of the highest extent */
    int64_t bytes; /* sum of the lengths of all extents */
} collio_span_t;

/** k-way merge, O(n log k) or better: appends to `out` the union of the inputs, sorted, overlapping
 *  and touching extents joined. Inputs ascend by offset (overlap inside an input is allowed).
 *  The first extent is not joined to earlier extents of `out` (cycles are appended one by one).
 *  `span` is the range of all inputs, or NULL; with a range, marks merge many small extents faster.
 *  *overlap_bytes (may be NULL) = bytes that were in n > 1 input extents, counted n - 1 times.
 *  Returns 0 or -ENOMEM. */
int collio_merge(const collio_merge_input_t *inputs, size_t input_count, const collio_span_t *span,
                 collio_extents_t *out, int64_t *overlap_bytes);

#endif /* COLLIO_MERGE_H */
