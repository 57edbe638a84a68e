/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_BITMAP_H
#define MCA_COMMON_COLLIO_BITMAP_H

#include <stdbool.h>

#include "common_collio_merge.h"

/** Of all extents of all inputs. */
typedef struct mca_common_collio_span_t {
    int64_t lo;
    int64_t hi;
    int64_t bytes; /* sum of the lengths */
} mca_common_collio_span_t;

/** Are there so many small extents that a bitmap is cheaper than sorting? Sets *span if so. */
bool mca_common_collio_bitmap_pays(const mca_common_collio_merge_input_t *inputs,
                                   size_t input_count, mca_common_collio_span_t *span);

/** The same union as mca_common_collio_merge, computed in a bitmap with a bit per byte of *span. */
int mca_common_collio_bitmap_union(const mca_common_collio_merge_input_t *inputs,
                                   size_t input_count, const mca_common_collio_span_t *span,
                                   mca_common_collio_extents_t *out, int64_t *overlap_bytes);

#endif /* MCA_COMMON_COLLIO_BITMAP_H */
