/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

#ifndef COLLIO_SPLIT_H
#define COLLIO_SPLIT_H

#include "cycle.h"

/** Functions that both sides of the split use: the requester (split.c; split_ordered.c for requests
 *  in file order) and the aggregator (split_list.c). */

/** Allocates memory for these numbers of parts and shares. 0 or -ENOMEM. */
int collio_split_allocate(collio_split_t *split, size_t parts, size_t shares);

/** Sorts parts by local offset, unless they are sorted. */
void collio_split_sort(collio_piece_t *piece, size_t count);

/** Adds a window that begins with piece `first`. 0 or -ENOMEM. */
int collio_split_window(collio_split_t *split, size_t *capacity, int64_t index, size_t first);

/** Adds the windows of piece[first .. end), which are sorted, and their share. 0 or -ENOMEM. */
int collio_split_share(collio_split_t *split, size_t *capacity, int aggregator,
                       int64_t window_bytes, size_t first, size_t end);

/** Splits a view in file order by domains in file order. On entry `split` is empty except for
 *  window_bytes, and *pieces is 0. 0 or -ENOMEM. */
int collio_split_ordered(const collio_tiling_t *view, int64_t stream, int64_t bytes,
                         const collio_domains_t *domains, collio_split_t *split, int64_t *pieces);

#endif /* COLLIO_SPLIT_H */
