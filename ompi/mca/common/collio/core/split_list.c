/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The aggregator's side of the split: a requester's list, in local coordinates, cut at window
 * borders.
 *
 * Problem: lists of millions of extents, from each requester; an extent may also span thousands of
 *          windows.
 * Method:  cuts and numbers a list in order and without overlaps, which is the common case, in one
 *          walk. Cuts, sorts and then divides other lists (reads may overlap) into windows.
 * Cost:    O(extents + parts), O(parts log parts) if parts must be sorted.
 *
 *   list      [a      ][b]  [c]        windows  |0   |1   |2   |3
 *   split     0: a1 | 1: a2 | 2: b c   streams count the bytes of each window from 0
 */
#include <errno.h>
#include <stdlib.h>

#include "split.h"

/* Returns the number of parts after cutting at window borders; SIZE_MAX if there are too many. */
static size_t count_cut(const collio_extents_t *local, int64_t window_bytes)
{
    size_t parts = 0;
    int64_t lo = 0;
    int64_t hi = 0; /* the current window is [lo, hi) */

    for (size_t i = 0; i < local->count; ++i) {
        int64_t offset = local->at[i].offset;
        int64_t last = offset + local->at[i].length - 1;
        size_t cuts = 0;

        if (offset < lo || last >= hi) {
            cuts = (size_t) (last / window_bytes - offset / window_bytes);
            lo = last - last % window_bytes;
            hi = lo < INT64_MAX - window_bytes ? lo + window_bytes : INT64_MAX;
        }
        if (cuts > PTRDIFF_MAX - 1 - parts) {
            return SIZE_MAX;
        }
        parts += cuts + 1;
    }
    return parts;
}

static void fill_cut(const collio_extents_t *local, collio_split_t *split)
{
    collio_piece_t *part = split->piece;
    int64_t lo = 0;
    int64_t hi = 0;

    for (size_t i = 0; i < local->count; ++i) {
        int64_t offset = local->at[i].offset;
        int64_t end = offset + local->at[i].length;

        while (offset < end) {
            if (offset < lo || offset >= hi) {
                lo = offset - offset % split->window_bytes;
                hi = lo < INT64_MAX - split->window_bytes ? lo + split->window_bytes : INT64_MAX;
            }
            part->offset = offset;
            part->length = (end < hi ? end : hi) - offset;
            part->stream = part - split->piece; /* keeps the order of equal offsets in a sort */
            offset += part->length;
            ++part;
        }
    }
}

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

static int split_any(const collio_extents_t *local, collio_split_t *split)
{
    size_t capacity = 0;
    int rc;

    split->piece_count = count_cut(local, split->window_bytes);
    rc = collio_split_allocate(split, split->piece_count, 1);
    if (0 == rc) {
        fill_cut(local, split);
        collio_split_sort(split->piece, split->piece_count);
        rc = collio_split_share(split, &capacity, 0, split->window_bytes, 0, split->piece_count);
    }
    if (0 == rc) {
        number_streams(split);
    }
    return rc;
}

/* Is the list in order and without overlaps? *cuts = upper bound on window borders crossed. */
static bool in_order(const collio_extents_t *local, int64_t window_bytes, int64_t *cuts)
{
    const collio_extent_t *last = &local->at[local->count - 1];
    int64_t bytes = local->at->length;

    for (size_t i = 1; i < local->count; ++i) {
        if (local->at[i].offset < local->at[i - 1].offset + local->at[i - 1].length) {
            return false;
        }
        bytes += local->at[i].length;
    }
    *cuts = (last->offset + last->length) / window_bytes - local->at->offset / window_bytes;
    if (*cuts - (int64_t) local->count > bytes / window_bytes) {
        *cuts = (int64_t) local->count + bytes / window_bytes; /* sparse */
    }
    return true;
}

/* Returns the end of window `index`, in local coordinates. */
static inline int64_t window_end(int64_t index, int64_t window_bytes)
{
    return index < INT64_MAX / window_bytes ? (index + 1) * window_bytes : INT64_MAX;
}

/* Completes the last window. Streams begin at 0 in each window, so the end of the last part in the
 * stream is the number of bytes of the window. */
static void end_window(collio_split_t *split, const collio_piece_t *part)
{
    collio_window_t *window = &split->window[split->window_count - 1];

    window->count = (size_t) (part - split->piece) - window->first;
    window->bytes = part[-1].stream + part[-1].length;
    window->hi = part[-1].offset + part[-1].length;
    split->share->bytes += window->bytes;
}

static int split_in_order(const collio_extents_t *local, int64_t cuts, collio_split_t *split)
{
    const collio_extent_t *extent = local->at, *last = extent + local->count;
    size_t capacity = 0;
    int64_t hi = 0, stream = 0; /* the current window ends at hi */
    collio_piece_t *part;
    int rc = collio_split_allocate(split, local->count + (size_t) cuts, 1);

    if (0 != rc) {
        return rc;
    }
    *split->share = (collio_share_t){0};
    split->share_count = 1;
    for (part = split->piece; extent < last; ++extent) {
        int64_t offset = extent->offset, end = offset + extent->length;

        while (end > hi) { /* the extent begins in, or crosses into, another window */
            if (offset < hi) {
                *part++ = (collio_piece_t){offset, hi - offset, stream};
                offset = hi;
            }
            if (0 < split->window_count) {
                end_window(split, part);
            }
            if (0
                != collio_split_window(split, &capacity, offset / split->window_bytes,
                                       (size_t) (part - split->piece))) {
                return -ENOMEM;
            }
            hi = window_end(offset / split->window_bytes, split->window_bytes);
            stream = 0;
        }
        *part++ = (collio_piece_t){offset, end - offset, stream};
        stream += end - offset;
    }
    end_window(split, part);
    split->piece_count = (size_t) (part - split->piece);
    split->share->count = split->window_count;
    return 0;
}

int collio_split_extents(const collio_extents_t *local, int64_t window_bytes, collio_split_t *split)
{
    int64_t cuts;
    int rc;

    *split = (collio_split_t){.window_bytes = window_bytes};
    if (0 == local->count) {
        return 0;
    }
    rc = in_order(local, window_bytes, &cuts) ? split_in_order(local, cuts, split)
                                              : split_any(local, split);
    if (0 != rc) {
        collio_split_fini(split);
    }
    return rc;
}
