/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The requester's side of the split if the view and the domains (even, or by bytes) are in file
 * order. Then the parts are in the order of aggregators and windows without sorting.
 *
 * Problem: in a first call with millions of pieces, the first write to new memory costs more than
 *          the arithmetic.
 * Method:  one walk over the view writes each part once, to its final place, and adds a window or a
 *          share when it enters one. Whole pieces inside the current window, which are the common
 *          case, need no other test.
 * Cost:    O(pieces + windows), one locate for each window entered.
 *
 *   view      # ## # | ## #  # | # ##    | ##         domains  |aggregator 0          |aggregator 1
 *   windows   0        1         0         1          shares   0: windows 0 1,  1: windows 0 1
 */
#include <errno.h>

#include "grow.h"
#include "split.h"

typedef struct collio_ordered_t {
    const collio_domains_t *domains; /* file domains; owned by the caller */
    collio_split_t *split;           /* result; owned by the caller */
    size_t piece_capacity;           /* number of pieces that split->piece has memory for */
    size_t share_capacity;           /* number of shares that split->share has memory for */
    int64_t hi;                      /* file offset of the end of the current window */
    int64_t lo;                      /* file offset of the start of the window's first piece */
    int64_t end;                     /* file offset of the end of the last piece */
    int64_t pieces;                  /* number of pieces before cutting at window borders */
} ordered_t;

static int enter_share(ordered_t *ordered, int aggregator)
{
    collio_split_t *split = ordered->split;

    if (0
        != collio_more(&split->share, split->share_count, &ordered->share_capacity,
                       sizeof(*split->share))) {
        return -ENOMEM;
    }
    split->share[split->share_count++] = (collio_share_t){aggregator, split->window_count, 0, 0};
    return 0;
}

static int ordered_enter_window(ordered_t *ordered, int64_t offset, int64_t stream)
{
    collio_split_t *split = ordered->split;
    collio_place_t place = collio_domains_locate(ordered->domains, offset);
    int64_t left = split->window_bytes - place.local % split->window_bytes;

    ordered->hi = offset + collio_min(place.run, left);
    ordered->lo = offset;
    if ((0 == split->share_count
         || split->share[split->share_count - 1].aggregator != place.aggregator)
        && 0 != enter_share(ordered, place.aggregator)) {
        return -ENOMEM;
    }
    split->share[split->share_count - 1].count++;
    if (0 != collio_split_window(split, place.local / split->window_bytes, place.local)) {
        return -ENOMEM;
    }
    return collio_split_strand(split, stream);
}

/* Adds any piece. The piece may continue the last one and may cross windows. 0 or -ENOMEM. */
static int ordered_add_piece(ordered_t *ordered, int64_t offset, int64_t length, int64_t stream)
{
    collio_split_t *split = ordered->split;
    bool joined = offset == ordered->end;
    int64_t end = offset + length;

    ordered->pieces += !joined;
    ordered->end = end;
    if (joined && offset < ordered->hi) {
        int64_t to = collio_min(end, ordered->hi);

        split->piece[split->piece_count - 1].length += (uint32_t) (to - offset);
        stream += to - offset;
        offset = to;
    }
    while (offset < end) {
        int64_t to;

        if (offset >= ordered->hi && 0 != ordered_enter_window(ordered, offset, stream)) {
            return -ENOMEM;
        }
        if (0
            != collio_more(&split->piece, split->piece_count, &ordered->piece_capacity,
                           sizeof(*split->piece))) {
            return -ENOMEM;
        }
        to = collio_min(end, ordered->hi);
        split->piece[split->piece_count++] = (collio_fragment_t){(uint32_t) (offset - ordered->lo),
                                                                 (uint32_t) (to - offset)};
        stream += to - offset;
        offset = to;
    }
    return 0;
}

/* Returns the first piece in [at, last) that ends past `hi`, or past position `stream` of the
 * repetition; `last` if there is none. */
static size_t first_past(const collio_tiling_t *view, size_t at, size_t last, int64_t hi,
                         int64_t stream)
{
    while (at < last) {
        size_t middle = at + (last - at) / 2;

        if (view->offset[middle] + collio_tiling_length(view, middle) <= hi
            && collio_tiling_prefix(view, middle + 1) <= stream) {
            at = middle + 1;
        } else {
            last = middle;
        }
    }
    return at;
}

/* The inner loop: adds whole pieces of one repetition, starting at the cursor, inside the current
 * window. No piece continues its predecessor. */
static void ordered_add_whole(ordered_t *ordered, collio_walk_t *walk)
{
    collio_cursor_t *cursor = &walk->cursor;
    const collio_tiling_t view = *cursor->tiling; /* the compiler can keep a copy in registers */
    collio_split_t *split = ordered->split;
    collio_fragment_t *out = split->piece + split->piece_count;
    size_t at = cursor->piece, room = ordered->piece_capacity - split->piece_count;
    size_t last = view.count - at < room ? view.count : at + room;
    int64_t shift = cursor->origin - ordered->lo, stream = collio_tiling_prefix(&view, at);

    last = first_past(cursor->tiling, at, last, ordered->hi - cursor->origin,
                      stream - walk->done + walk->bytes);
    if (at == last) {
        return;
    }
    for (; at < last; ++at) {
        *out++ = (collio_fragment_t){(uint32_t) (view.offset[at] + shift),
                                     (uint32_t) collio_tiling_length(&view, at)};
    }
    ordered->end = cursor->origin + view.offset[at - 1] + collio_tiling_length(&view, at - 1);
    ordered->pieces += (int64_t) (at - cursor->piece);
    split->piece_count = (size_t) (out - split->piece);
    walk->done += collio_tiling_prefix(&view, at) - stream;
    cursor->piece = at - 1;
    collio_cursor_next(cursor);
}

/* Computes counts and bytes of windows and shares from the first piece of each window and its
 * stream. Streams have no gaps. */
static void ordered_measure(collio_split_t *split, int64_t bytes)
{
    size_t end = split->piece_count;

    for (size_t s = split->share_count; s-- > 0;) {
        collio_share_t *share = &split->share[s];

        for (size_t w = share->first + share->count; w-- > share->first;) {
            collio_window_t *window = &split->window[w];
            int64_t stream = split->strand[w].stream; /* each window is one strand */

            window->count = end - window->first;
            window->bytes = bytes - stream;
            /* a window that exists has a piece: NOLINTNEXTLINE(clang-analyzer-core.*) */
            window->hi = window->lo + split->piece[end - 1].offset + split->piece[end - 1].length;
            share->bytes += window->bytes;
            end = window->first;
            bytes = stream;
        }
    }
}

int collio_split_ordered(const collio_tiling_t *view, int64_t stream, int64_t bytes,
                         const collio_domains_t *domains, collio_split_t *split, int64_t *pieces)
{
    ordered_t ordered = {.domains = domains, .split = split, .hi = INT64_MIN, .end = INT64_MIN};
    collio_walk_t walk;

    /* an eighth more, because borders cut few pieces; unused memory is never touched */
    ordered.piece_capacity = (size_t) collio_tiling_piece_bound(view, stream, bytes);
    ordered.piece_capacity += ordered.piece_capacity / 8 + 8;
    split->piece = collio_resize(NULL, ordered.piece_capacity, sizeof(*split->piece));
    if (NULL == split->piece) {
        return -ENOMEM;
    }
    collio_walk_start(&walk, view, stream, bytes);
    while (walk.done < walk.bytes) {
        int64_t run, left = walk.bytes - walk.done;
        int64_t offset = collio_cursor_run(&walk.cursor, &run);
        int64_t length = collio_min(run, left);

        if (0 != ordered_add_piece(&ordered, offset, length, walk.done)) {
            return -ENOMEM;
        }
        collio_cursor_advance(&walk.cursor, length, run);
        walk.done += length;
        if (0 == walk.cursor.used && 0 < walk.cursor.piece) {
            ordered_add_whole(&ordered, &walk);
        }
    }
    *pieces = ordered.pieces;
    ordered_measure(split, bytes);
    return 0;
}
