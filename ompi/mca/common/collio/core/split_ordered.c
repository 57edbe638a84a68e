/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The requester's half of the split where everything is in file order: the view, and the domains
 * (even ones, or by bytes). Then parts come out by aggregator and window by themselves.
 *
 * Problem: in a first call with millions of pieces, memory that is written for the first time costs
 *          more than any arithmetic.
 * Method:  one walk over the view; a part is written once, to its final place, and a window or a
 *          share begins when the walk enters it.
 * Cost:    O(pieces + windows), one locate for each window entered.
 *
 *   view      # ## # | ## #  # | # ##    | ##         domains  |aggregator 0          |aggregator 1
 *   windows   0        1         0         1          shares   0: windows 0 1,  1: windows 0 1
 */
#include <errno.h>

#include "grow.h"
#include "split.h"

enum { BATCH = 256 }; /* pieces that are looked at together; they stay in the cache */

typedef struct collio_ordered_t {
    const collio_domains_t *domains;
    collio_split_t *split;
    size_t piece_capacity;
    size_t window_capacity;
    size_t share_capacity;
    int64_t hi;    /* the current window ends there, */
    int64_t shift; /* and local = offset + shift in it */
} ordered_t;

static int enter_share(ordered_t *ordered, int aggregator)
{
    collio_split_t *split = ordered->split;

    if (split->share_count == ordered->share_capacity) {
        void *at = collio_grow(split->share, &ordered->share_capacity, sizeof(*split->share));

        if (NULL == at) {
            return -ENOMEM;
        }
        split->share = at;
    }
    split->share[split->share_count++] = (collio_share_t){aggregator, split->window_count, 0, 0};
    return 0;
}

static int enter_window(ordered_t *ordered, int64_t offset)
{
    collio_split_t *split = ordered->split;
    collio_place_t place = collio_domains_locate(ordered->domains, offset);
    int64_t left = split->window_bytes - place.local % split->window_bytes;

    ordered->hi = offset + (place.run < left ? place.run : left);
    ordered->shift = place.local - offset;
    if ((0 == split->share_count
         || split->share[split->share_count - 1].aggregator != place.aggregator)
        && 0 != enter_share(ordered, place.aggregator)) {
        return -ENOMEM;
    }
    split->share[split->share_count - 1].count++;
    return collio_split_window(split, &ordered->window_capacity, place.local / split->window_bytes,
                               split->piece_count);
}

static int more_pieces(ordered_t *ordered)
{
    void *at = collio_grow(ordered->split->piece, &ordered->piece_capacity,
                           sizeof(*ordered->split->piece));

    if (NULL == at) {
        return -ENOMEM;
    }
    ordered->split->piece = at;
    return 0;
}

static int add_piece(ordered_t *ordered, const collio_piece_t *piece)
{
    collio_split_t *split = ordered->split;
    int64_t offset = piece->offset, end = offset + piece->length;
    int64_t stream = piece->stream - offset;

    while (offset < end) {
        int64_t to;

        if (offset >= ordered->hi && 0 != enter_window(ordered, offset)) {
            return -ENOMEM;
        }
        if (split->piece_count == ordered->piece_capacity && 0 != more_pieces(ordered)) {
            return -ENOMEM;
        }
        to = end < ordered->hi ? end : ordered->hi;
        split->piece[split->piece_count++] = (collio_piece_t){offset + ordered->shift, to - offset,
                                                              stream + offset};
        offset = to;
    }
    return 0;
}

/* Counts and bytes, from where the windows begin and from the streams, which have no gaps. */
static void measure(collio_split_t *split, int64_t bytes)
{
    size_t end = split->piece_count;

    for (size_t s = split->share_count; s-- > 0;) {
        collio_share_t *share = &split->share[s];

        for (size_t w = share->first + share->count; w-- > share->first;) {
            collio_window_t *window = &split->window[w];
            /* a window that exists has a piece: NOLINTNEXTLINE(clang-analyzer-core.*) */
            int64_t stream = split->piece[window->first].stream;

            window->count = end - window->first;
            window->bytes = bytes - stream;
            window->hi = split->piece[end - 1].offset + split->piece[end - 1].length;
            share->bytes += window->bytes;
            end = window->first;
            bytes = stream;
        }
    }
}

int collio_split_ordered(const collio_tiling_t *view, int64_t stream, int64_t bytes,
                         const collio_domains_t *domains, collio_split_t *split, int64_t *pieces)
{
    ordered_t ordered = {.domains = domains, .split = split, .hi = INT64_MIN};
    collio_piece_t batch[BATCH];
    collio_walk_t walk;
    size_t count;
    int rc = 0;

    /* those that borders cut are few; what is not used is never touched */
    ordered.piece_capacity = (size_t) collio_tiling_piece_bound(view, stream, bytes);
    ordered.piece_capacity += ordered.piece_capacity / 8 + 8;
    split->piece = collio_resize(NULL, ordered.piece_capacity, sizeof(*split->piece));
    if (NULL == split->piece) {
        return -ENOMEM;
    }
    collio_walk_start(&walk, view, stream, bytes);
    while (0 == rc && 0 < (count = collio_walk_next(&walk, batch, BATCH))) {
        for (size_t i = 0; 0 == rc && i < count; ++i) {
            rc = add_piece(&ordered, &batch[i]);
        }
        *pieces += (int64_t) count;
    }
    if (0 == rc) {
        measure(split, bytes);
    }
    return rc;
}
