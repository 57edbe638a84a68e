/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

#ifndef COLLIO_SPLIT_H
#define COLLIO_SPLIT_H

#include "cycle.h"
#include "number.h"

/** Functions that both sides of the split use: the requester (split.c; split_ordered.c for requests
 *  in file order) and the aggregator (split_list.c). */

/** Allocates memory for these numbers of pieces and shares, and for windows at first. 0 or -ENOMEM.
 */
int collio_split_reserve(collio_split_t *split, size_t pieces, size_t windows, size_t shares);

/** Sorts parts by local offset, then by stream, unless they are sorted. */
void collio_split_sort(collio_piece_t *part, size_t count);

/** Adds an empty window whose first piece is the next one and begins at local coordinate `lo`, or a
 *  strand that begins with the next piece. 0 or -ENOMEM. */
int collio_split_window(collio_split_t *split, int64_t index, int64_t lo);
int collio_split_strand(collio_split_t *split, int64_t stream);

/** Adds a share: parts in local coordinates, sorted, each inside one window. `split` has memory for
 *  the pieces and the share. 0 or -ENOMEM. */
int collio_split_share(collio_split_t *split, int aggregator, int64_t window_bytes,
                       const collio_piece_t *part, size_t count);

/** Splits a view in file order by domains in file order. On entry `split` is empty except for
 *  window_bytes, and *pieces is 0. 0 or -ENOMEM. */
int collio_split_ordered(const collio_tiling_t *view, int64_t stream, int64_t bytes,
                         const collio_domains_t *domains, collio_split_t *split, int64_t *pieces);

#endif /* COLLIO_SPLIT_H */
