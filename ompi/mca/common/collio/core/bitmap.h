/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_BITMAP_H
#define COLLIO_BITMAP_H

#include <stdbool.h>

#include "merge.h"

/** Of all extents of all inputs. */
typedef struct collio_span_t {
    int64_t lo;
    int64_t hi;
    int64_t bytes; /* sum of the lengths */
} collio_span_t;

/** Are there so many small extents that a bitmap is cheaper than sorting? Sets *span if so. */
bool collio_bitmap_pays(const collio_merge_input_t *inputs, size_t input_count,
                        collio_span_t *span);

/** The same union as collio_merge, computed in a bitmap with a bit per byte of *span. */
int collio_bitmap_union(const collio_merge_input_t *inputs, size_t input_count,
                        const collio_span_t *span, collio_extents_t *out, int64_t *overlap_bytes);

#endif /* COLLIO_BITMAP_H */
