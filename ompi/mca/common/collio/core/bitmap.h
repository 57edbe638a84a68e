/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_BITMAP_H
#define COLLIO_BITMAP_H

#include <stdbool.h>

#include "merge.h"

/** Are there so many small extents that a bitmap is cheaper than sorting? Sets *span if so,
 *  to what is `known` of it (may be NULL). */
bool collio_bitmap_pays(const collio_merge_input_t *inputs, size_t input_count,
                        const collio_span_t *known, collio_span_t *span);

/** The same union as collio_merge, computed in a bitmap with a bit per byte of *span. */
int collio_bitmap_union(const collio_merge_input_t *inputs, size_t input_count,
                        const collio_span_t *span, collio_extents_t *out, int64_t *overlap_bytes);

#endif /* COLLIO_BITMAP_H */
