/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The aggregator's side of the split: a requester's list, in local coordinates, cut at window
 * borders.
 *
 * Problem: lists of millions of extents, from each requester; an extent may also span thousands of
 *          windows.
 * Method:  one walk cuts the list and makes the windows. Parts of a list that is not in order, or
 *          that overlaps (reads), are then sorted and divided into windows again.
 * Cost:    O(extents + parts), O(parts log parts) if parts must be sorted.
 *
 *   list      [a      ][b]  [c]        windows  |0   |1   |2   |3
 *   split     0: a1 | 1: a2 | 2: b c   streams count the bytes of each window from 0
 */
#include <errno.h>
#include <stdlib.h>

#include "grow.h"
#include "split.h"

/* Sets the streams of all parts: packed bytes of the window before the part. */
static void number_streams(collio_split_t *split)
{
    for (size_t w = 0; w < split->window_count; ++w) {
        collio_window_t *window = &split->window[w];
        int64_t stream = 0;

        window->consecutive = true;
        for (size_t i = window->first; i < window->first + window->count; ++i) {
            split->piece[i].stream = stream;
            stream += split->piece[i].length;
        }
    }
}

/* Sorts parts that are not in order, and makes their windows. 0 or -ENOMEM. */
static int sort_parts(collio_split_t *split, size_t *window_capacity)
{
    for (size_t i = 0; i < split->piece_count; ++i) {
        split->piece[i].stream = (int64_t) i; /* keeps the order of equal offsets in a sort */
    }
    collio_split_sort(split->piece, split->piece_count);
    split->window_count = split->share_count = 0;
    if (0
        != collio_split_share(split, window_capacity, 0, split->window_bytes, 0,
                              split->piece_count)) {
        return -ENOMEM;
    }
    number_streams(split);
    return 0;
}

/* The state of a walk over a list. */
typedef struct collio_cutter_t {
    collio_split_t *split;  /* result; owned by the caller */
    size_t capacity;        /* number of parts that split->piece has memory for */
    size_t window_capacity; /* number of windows that split->window has memory for */
    size_t count;           /* number of parts */
    int64_t end;            /* end of the last part */
    int64_t hi;             /* end of the current window */
    int64_t stream;         /* bytes of the current window before the next part */
    bool unordered;         /* a part begins before the end of its predecessor */
} cutter_t;

/* The inner loop: adds whole extents inside the current window. Returns the first other extent. */
static const collio_extent_t *add_whole(cutter_t *cutter, const collio_extent_t *extent,
                                        const collio_extent_t *last)
{
    collio_piece_t *part = cutter->split->piece + cutter->count;
    int64_t end = cutter->end, hi = cutter->hi, stream = cutter->stream;

    for (; extent < last; ++extent) {
        int64_t offset = extent->offset, length = extent->length;

        if (offset < end || length > hi - offset) {
            break;
        }
        *part++ = (collio_piece_t){offset, length, stream};
        stream += length;
        end = offset + length;
    }
    cutter->count = (size_t) (part - cutter->split->piece);
    cutter->end = end;
    cutter->stream = stream;
    return extent;
}

/* Completes the last window. Streams begin at 0 in each window, so the position behind the last
 * part is the number of bytes of the window. */
static void end_window(cutter_t *cutter)
{
    collio_window_t *window = &cutter->split->window[cutter->split->window_count - 1];

    window->count = cutter->count - window->first;
    window->bytes = cutter->stream;
    window->hi = cutter->end;
    cutter->split->share->bytes += cutter->stream;
}

/* Reserves memory for `parts` parts in addition to those of the cutter. 0 or -ENOMEM. */
static int more_parts(cutter_t *cutter, size_t parts)
{
    size_t wanted = cutter->count + parts;
    void *at;

    if (wanted <= cutter->capacity) {
        return 0;
    }
    wanted = wanted < 2 * cutter->capacity ? 2 * cutter->capacity : wanted;
    at = collio_resize(cutter->split->piece, wanted, sizeof(*cutter->split->piece));
    if (NULL == at) {
        return -ENOMEM;
    }
    cutter->split->piece = at;
    cutter->capacity = wanted;
    return 0;
}

/* Enters the window of `offset`, and completes the last window. 0 or -ENOMEM. */
static int enter_window(cutter_t *cutter, int64_t offset)
{
    collio_split_t *split = cutter->split;
    int64_t index = offset / split->window_bytes;

    cutter->hi = index < INT64_MAX / split->window_bytes ? (index + 1) * split->window_bytes
                                                         : INT64_MAX;
    if (cutter->unordered) {
        return 0; /* windows are made after sorting */
    }
    if (0 < split->window_count) {
        end_window(cutter);
    }
    cutter->stream = 0;
    return collio_split_window(split, &cutter->window_capacity, index, cutter->count);
}

/* Adds an extent that begins before the end of the last part, or ends behind the current window.
 * `left` extents, with this one, are to be added. 0 or -ENOMEM. */
static int add_across(cutter_t *cutter, const collio_extent_t *extent, size_t left)
{
    collio_split_t *split = cutter->split;
    int64_t offset = extent->offset, end = offset + extent->length;
    int64_t cuts = end / split->window_bytes - offset / split->window_bytes;

    if (0 != more_parts(cutter, left + (size_t) cuts)) {
        return -ENOMEM;
    }
    if (offset < cutter->end) {
        cutter->unordered = true;
        cutter->hi = offset;
    }
    while (offset < end) {
        int64_t to;

        if (offset >= cutter->hi && 0 != enter_window(cutter, offset)) {
            return -ENOMEM;
        }
        to = end < cutter->hi ? end : cutter->hi;
        split->piece[cutter->count++] = (collio_piece_t){offset, to - offset, cutter->stream};
        cutter->stream += to - offset;
        cutter->end = offset = to;
    }
    return 0;
}

/* Cuts the list. 0 or -ENOMEM. */
static int cut(const collio_extents_t *local, collio_split_t *split)
{
    const collio_extent_t *extent = local->at, *last = extent + local->count;
    /* an eighth more, because borders cut few extents; unused memory is never touched */
    cutter_t cutter = {.split = split, .capacity = local->count + local->count / 8 + 1};
    int rc = collio_split_allocate(split, cutter.capacity, 1);

    if (0 != rc) {
        return rc;
    }
    *split->share = (collio_share_t){0};
    for (; (extent = add_whole(&cutter, extent, last)) < last; ++extent) {
        if (0 != add_across(&cutter, extent, (size_t) (last - extent))) {
            return -ENOMEM;
        }
    }
    split->piece_count = cutter.count;
    if (cutter.unordered) {
        return sort_parts(split, &cutter.window_capacity);
    }
    end_window(&cutter);
    split->share_count = 1;
    split->share->count = split->window_count;
    return 0;
}

int collio_split_extents(const collio_extents_t *local, int64_t window_bytes, collio_split_t *split)
{
    int rc;

    *split = (collio_split_t){.window_bytes = window_bytes};
    if (0 == local->count) {
        return 0;
    }
    rc = cut(local, split);
    if (0 != rc) {
        collio_split_fini(split);
    }
    return rc;
}
