/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

#ifndef COLLIO_SPLIT_H
#define COLLIO_SPLIT_H

#include "cycle.h"

/** Shared by the two sides of the split: the requester's (split.c; split_ordered.c for requests in
 *  file order) and the aggregator's (split_list.c). */

/** Reserves room for these numbers of parts and shares. 0 or -ENOMEM. */
int collio_split_allocate(collio_split_t *split, size_t parts, size_t shares);

/** Sorts parts by local offset, if they are not. */
void collio_split_sort(collio_piece_t *piece, size_t count);

/** Adds a window that begins with piece `first`. 0 or -ENOMEM. */
int collio_split_window(collio_split_t *split, size_t *capacity, int64_t index, size_t first);

/** Notes the windows of piece[first .. end), which ascend, and adds their share. 0 or -ENOMEM. */
int collio_split_share(collio_split_t *split, size_t *capacity, int aggregator,
                       int64_t window_bytes, size_t first, size_t end);

/** A view in file order by domains in file order. `split` has only its window_bytes; *pieces is 0.
 *  0 or -ENOMEM. */
int collio_split_ordered(const collio_tiling_t *view, int64_t stream, int64_t bytes,
                         const collio_domains_t *domains, collio_split_t *split, int64_t *pieces);

#endif /* COLLIO_SPLIT_H */
