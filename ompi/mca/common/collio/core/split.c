/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The requester's side of the split: its pieces, divided by aggregator and by window.
 *
 * Problem: millions of tiny pieces, up to 100,000 aggregators; a piece may also span thousands of
 *          stripes.
 * Method:  walks pieces in file order inside a *box*, a range of the file that belongs to one
 *          aggregator and one window: a piece inside the current box needs two comparisons and no
 *          search. The first walk counts the parts per aggregator, the second writes them by
 *          aggregator, and a walk over the result makes the pieces of each window. A view in file
 *          order is walked in small batches, without a list of all pieces. split_ordered.c has a
 *          faster method if the domains are in file order, too.
 * Cost:    O(pieces + parts + aggregators) and one locate per box entered. If pieces overlap
 *          (reads), the parts of an aggregator may be out of order, and are sorted.
 *
 *   pieces   [a      ][b][c]      [d ]         boxes  |0  |1  |0  |1  |0  |1
 *   split    aggregator 0: a1 a3 b .. | aggregator 1: a2 ..
 */
#include <errno.h>
#include <stdlib.h>

#include "debug_assert.h"
#include "grow.h"
#include "split.h"

enum { BATCH = 256 }; /* number of pieces in a batch of a walk, which stays in the cache */

/* A range of the file that belongs to one aggregator and one window. */
typedef struct collio_box_t {
    int64_t lo;     /* first file offset of the box */
    int64_t hi;     /* file offset past the last byte of the box */
    int64_t shift;  /* local coordinate minus file offset, in the box */
    int aggregator; /* aggregator that owns the box */
} box_t;

typedef struct collio_splitter_t {
    const collio_domains_t *domains; /* file domains; owned by the caller */
    int64_t window_bytes;            /* bytes of a window, for domains without their own size */
    size_t *next; /* for each aggregator: number of its parts; while filling: index of the next */
    collio_piece_t *part; /* parts in local coordinates, by aggregator */
    box_t box;            /* current box */
} splitter_t;

static void enter_box(splitter_t *splitter, int64_t offset)
{
    collio_place_t place = collio_domains_locate(splitter->domains, offset);
    int64_t window_bytes = collio_domains_window(splitter->domains, place.aggregator,
                                                 splitter->window_bytes);
    int64_t left = window_bytes - place.local % window_bytes;

    COLLIO_ASSERT(0 <= place.aggregator && place.aggregator < splitter->domains->aggregators);
    COLLIO_ASSERT(0 <= place.local && 0 < place.run && 0 < window_bytes);
    splitter->box.lo = offset;
    splitter->box.hi = offset + collio_min(place.run, left);
    splitter->box.shift = place.local - offset;
    splitter->box.aggregator = place.aggregator;
}

/* Enters the box of `offset` and returns the end of the part of [offset, end) inside the box. */
static inline int64_t part_end(splitter_t *splitter, int64_t offset, int64_t end)
{
    if (offset < splitter->box.lo || offset >= splitter->box.hi) {
        enter_box(splitter, offset);
    }
    return collio_min(end, splitter->box.hi);
}

static void split_count_parts(splitter_t *splitter, const collio_piece_t *piece, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        int64_t offset = piece[i].offset;
        int64_t end = offset + piece[i].length;

        while (offset < end) {
            offset = part_end(splitter, offset, end);
            splitter->next[splitter->box.aggregator]++;
        }
    }
}

/* Replaces counts in next[] by first indices. Returns the number of parts; *shares = number of
 * aggregators that have parts. */
static size_t place_aggregators(splitter_t *splitter, size_t *shares)
{
    size_t parts = 0;

    *shares = 0;
    for (int aggregator = 0; aggregator < splitter->domains->aggregators; ++aggregator) {
        size_t count = splitter->next[aggregator];

        splitter->next[aggregator] = parts;
        parts += count;
        *shares += 0 < count;
    }
    return parts;
}

static void fill_parts(splitter_t *splitter, const collio_piece_t *piece, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        int64_t offset = piece[i].offset;
        int64_t end = offset + piece[i].length;
        int64_t stream = piece[i].stream - offset;

        while (offset < end) {
            int64_t to = part_end(splitter, offset, end);
            collio_piece_t *part = &splitter->part[splitter->next[splitter->box.aggregator]++];

            part->offset = offset + splitter->box.shift;
            part->length = to - offset;
            part->stream = stream + offset;
            offset = to;
        }
    }
}

/* Follows counting: computes first indices and allocates memory. 0 or -ENOMEM. */
static int begin_split(splitter_t *splitter, collio_split_t *split)
{
    size_t shares, parts = place_aggregators(splitter, &shares);

    splitter->part = collio_resize(NULL, parts + 1, sizeof(*splitter->part));
    return NULL == splitter->part ? -ENOMEM : collio_split_reserve(split, parts, 0, shares);
}

/* Follows filling, which has moved next[] past each aggregator's last part: makes the pieces,
 * windows and shares. 0 or -ENOMEM. */
static int end_split(const splitter_t *splitter, bool sorted, collio_split_t *split)
{
    size_t first = 0;

    for (int aggregator = 0; aggregator < splitter->domains->aggregators; ++aggregator) {
        size_t end = splitter->next[aggregator];
        int64_t window_bytes = collio_domains_window(splitter->domains, aggregator,
                                                     splitter->window_bytes);

        COLLIO_ASSERT(first <= end);
        if (first == end) {
            continue;
        }
        if (!sorted) {
            collio_split_sort(splitter->part + first, end - first);
        }
        if (0
            != collio_split_share(split, aggregator, window_bytes, splitter->part + first,
                                  end - first)) {
            return -ENOMEM;
        }
        first = end;
    }
    return 0;
}

static int splitter_init(splitter_t *splitter, const collio_domains_t *domains,
                         int64_t window_bytes, collio_split_t *split)
{
    *split = (collio_split_t){.window_bytes = window_bytes};
    *splitter = (splitter_t){.domains = domains, .window_bytes = window_bytes};
    splitter->next = calloc((size_t) domains->aggregators, sizeof(*splitter->next));
    return NULL == splitter->next ? -ENOMEM : 0;
}

static int splitter_fini(splitter_t *splitter, collio_split_t *split, int rc)
{
    free(splitter->next);
    free(splitter->part);
    if (0 != rc) {
        collio_split_fini(split);
    }
    return rc;
}

int collio_split_pieces(const collio_pieces_t *pieces, const collio_domains_t *domains,
                        int64_t window_bytes, collio_split_t *split)
{
    splitter_t splitter;
    int rc = splitter_init(&splitter, domains, window_bytes, split);

    if (0 == rc) {
        split_count_parts(&splitter, pieces->at, pieces->count);
        rc = begin_split(&splitter, split);
    }
    if (0 == rc) {
        fill_parts(&splitter, pieces->at, pieces->count);
        rc = end_split(&splitter, false, split);
    }
    return splitter_fini(&splitter, split, rc);
}

/* Splits a view in file order by cyclic domains. */
static int split_ascending(const collio_tiling_t *view, int64_t stream, int64_t bytes,
                           splitter_t *splitter, collio_split_t *split, int64_t *pieces)
{
    collio_piece_t batch[BATCH];
    collio_walk_t walk;
    size_t count;
    int rc;

    collio_walk_start(&walk, view, stream, bytes);
    while (0 < (count = collio_walk_next(&walk, batch, BATCH))) {
        split_count_parts(splitter, batch, count);
        *pieces += (int64_t) count;
    }
    rc = begin_split(splitter, split);
    if (0 != rc) {
        return rc;
    }
    collio_walk_start(&walk, view, stream, bytes);
    while (0 < (count = collio_walk_next(&walk, batch, BATCH))) {
        fill_parts(splitter, batch, count);
    }
    return end_split(splitter, true, split);
}

/* For asserts: shares are sorted by aggregator, and their bytes are all bytes of the request. */
static bool shares_hold(const collio_split_t *split, int64_t bytes)
{
    for (size_t i = 0; i < split->share_count; ++i) {
        bytes -= split->share[i].bytes;
        if (0 < i && split->share[i].aggregator <= split->share[i - 1].aggregator) {
            return false;
        }
    }
    return 0 == bytes;
}

int collio_split_view(const collio_tiling_t *view, int64_t stream, int64_t bytes,
                      const collio_domains_t *domains, int64_t window_bytes, collio_split_t *split,
                      int64_t *pieces)
{
    collio_pieces_t list = {0};
    splitter_t splitter;
    int rc;

    *pieces = 0;
    if (view->ascending && domains->partition->ascending) {
        *split = (collio_split_t){.window_bytes = window_bytes};
        rc = collio_split_ordered(view, stream, bytes, domains, split, pieces);
        COLLIO_ASSERT(0 != rc || shares_hold(split, bytes));
        if (0 != rc) {
            collio_split_fini(split);
        }
        return rc;
    }
    if (view->ascending) {
        rc = splitter_init(&splitter, domains, window_bytes, split);
        if (0 == rc) {
            rc = split_ascending(view, stream, bytes, &splitter, split, pieces);
            COLLIO_ASSERT(0 != rc || shares_hold(split, bytes));
        }
        return splitter_fini(&splitter, split, rc);
    }
    rc = collio_tiling_pieces(view, stream, bytes, &list);
    if (0 == rc) {
        *pieces = (int64_t) list.count;
        rc = collio_split_pieces(&list, domains, window_bytes, split);
    }
    COLLIO_ASSERT(0 != rc || shares_hold(split, bytes));
    collio_pieces_fini(&list);
    return rc;
}
