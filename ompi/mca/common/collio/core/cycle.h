/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CYCLE_H
#define COLLIO_CYCLE_H

#include "domain.h"
#include "marks.h"
#include "tiling.h"

#include <stdbool.h>

/**
 * The cycle plan: who sends what to whom in which cycle, without any rank knowing all extents.
 *
 * The domain of an aggregator, in local coordinates, is cut into *windows* of
 * `window_bytes`. Requester and aggregator both compute the window number as local / window_bytes,
 * so they agree without a message. Empty windows are not listed by either side, so the cost depends
 * on the data and not on the span of the request. Each pair (requester, aggregator) uses windows in
 * ascending order.
 *
 *   requester:  split    its pieces -> per aggregator, per window: pieces
 *   aggregator: collect  all requesters' windows -> cycles: their sources and the covered runs
 */

/** The pieces of a request in one window: piece[first .. first + count). */
typedef struct collio_window_t {
    int64_t index; /* local / window_bytes */
    size_t first;
    size_t count;
    int64_t bytes;    /* sum of the pieces' lengths = size of the packed message */
    int64_t hi;       /* end of the highest piece, local */
    bool consecutive; /* the pieces follow each other in the stream */
} collio_window_t;

/** The part of a request in one aggregator's domain: window[first .. first + count). */
typedef struct collio_share_t {
    int aggregator;
    size_t first;
    size_t count;
    int64_t bytes;
} collio_share_t;

typedef struct collio_split_t {
    collio_piece_t *piece; /* offset = local; by aggregator, then ascending by local */
    size_t piece_count;
    collio_window_t *window; /* by aggregator, then ascending by index */
    size_t window_count;
    collio_share_t *share; /* ascending by aggregator; only aggregators with bytes */
    size_t share_count;
    int64_t window_bytes; /* of aggregators that have none of their own: see domains_window */
} collio_split_t;

/** Splits sorted pieces (file offsets) by aggregator and window; pieces are cut at domain and
 *  window borders, and keep their stream positions. Every piece lies in [lo, hi). 0 or -ENOMEM. */
int collio_split_pieces(const collio_pieces_t *pieces, const collio_domains_t *domains,
                        int64_t window_bytes, collio_split_t *split);

/** The same for the bytes [stream, stream + bytes) of a view; *pieces = how many pieces they are.
 *  Views in file order are split as they are walked, others are sorted first. */
int collio_split_view(const collio_tiling_t *view, int64_t stream, int64_t bytes,
                      const collio_domains_t *domains, int64_t window_bytes, collio_split_t *split,
                      int64_t *pieces);

/** The aggregator's side of the same: one requester's list in local coordinates, as decoded from
 *  the wire, becomes a split with one share (aggregator 0) whose streams count the packed bytes of
 *  each WINDOW from 0. 0 or -ENOMEM. */
int collio_split_extents(const collio_extents_t *local, int64_t window_bytes,
                         collio_split_t *split);

void collio_split_fini(collio_split_t *split);

/** Appends every piece of a share to the list: what its aggregator would decode from the wire. 0 or
 *  -ENOMEM. */
int collio_split_share_list(const collio_split_t *split, const collio_share_t *share,
                            collio_extents_t *list);

/** A requester that takes part in a cycle. */
typedef struct collio_source_t {
    size_t requester; /* index in the array given to collect_build */
    size_t window;    /* index in that requester's split->window */
} collio_source_t;

/** One cycle of an aggregator: one non-empty window. */
typedef struct collio_cycle_t {
    int64_t index; /* window number; local coordinates from index * window_bytes */
    int64_t lo;    /* lowest and end of highest local byte wanted in it */
    int64_t hi;
    int64_t bytes; /* sum over the sources */
    size_t source; /* sources[source .. source + source_count), ascending by requester */
    size_t source_count;
    size_t run; /* runs.at[run .. run + run_count): union of the pieces, local */
    size_t run_count;
} collio_cycle_t;

typedef struct collio_collect_t {
    collio_cycle_t *cycle; /* ascending by index */
    size_t cycle_count;
    collio_source_t *source;
    size_t source_count;
    collio_extents_t runs; /* never joined across window borders */
    int64_t overlap_bytes; /* covered by more than one piece */
    size_t refused;        /* cycles whose marks prove nothing, because pieces overlap */
} collio_collect_t;

/** Merges the requesters' windows to cycles. Each split has at most one share. 0 or -ENOMEM. */
int collio_collect_build(const collio_split_t *splits, size_t split_count,
                         collio_collect_t *collect);
/** The same where the splits of some windows are outlines only: their runs are taken from the marks
 *  of these windows. If collect->refused is not 0 the cycles cannot be used. */
int collio_collect_marked(const collio_split_t *splits, size_t split_count,
                          const collio_marks_t *marks, collio_collect_t *collect);
void collio_collect_fini(collio_collect_t *collect);

#endif /* COLLIO_CYCLE_H */
