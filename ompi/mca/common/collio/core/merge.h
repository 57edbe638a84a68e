/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_MERGE_H
#define COLLIO_MERGE_H

#include "extent.h"

/** A sorted input of the merge: anything whose first two members are offset and length. */
typedef struct collio_merge_input_t {
    const void *at;
    size_t count;
    size_t element_bytes;
} collio_merge_input_t;

/** From where to where inputs go. */
typedef struct collio_span_t {
    int64_t lo;
    int64_t hi;
    int64_t bytes; /* sum of the lengths */
} collio_span_t;

/** k-way merge, O(n log k) or better: appends to `out` the union of the inputs, sorted, overlapping
 *  and touching extents joined. Inputs ascend by offset (overlap inside an input is allowed).
 *  The first one is not joined to what `out` held before (cycles are appended one by one).
 *  `span` holds all inputs; with it (else NULL) many small extents are merged faster, by marks.
 *  *overlap_bytes (may be NULL) = bytes that were in n > 1 input extents, counted n - 1 times.
 *  Returns 0 or -ENOMEM. */
int collio_merge(const collio_merge_input_t *inputs, size_t input_count, const collio_span_t *span,
                 collio_extents_t *out, int64_t *overlap_bytes);

#endif /* COLLIO_MERGE_H */
