/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The aggregator's side of the split: a requester's list, in local coordinates, cut at window
 * borders.
 *
 * Problem: lists of millions of extents, from each requester; an extent may also span thousands of
 *          windows.
 * Method:  one walk cuts the list and makes the windows. A list that is not in order, or that
 *          overlaps (reads), is cut into parts, which are sorted and then divided into windows.
 * Cost:    O(extents + parts), O(parts log parts) if parts must be sorted.
 *
 *   list      [a      ][b]  [c]        windows  |0   |1   |2   |3
 *   split     0: a1 | 1: a2 | 2: b c
 */
#include <errno.h>
#include <stdlib.h>

#include "grow.h"
#include "split.h"

/* The state of a walk over a list. */
typedef struct collio_cutter_t {
    collio_split_t *split; /* result; owned by the caller */
    size_t capacity;       /* number of pieces that split->piece has memory for */
    int64_t end;           /* end of the last piece */
    int64_t lo;            /* start of the first piece of the current window */
    int64_t hi;            /* end of the current window */
    int64_t bytes;         /* bytes of the current window */
} cutter_t;

/* The inner loop: adds whole extents inside the current window. Returns the first other extent. */
static const collio_extent_t *cutter_add_whole(cutter_t *cutter, const collio_extent_t *extent,
                                               const collio_extent_t *last)
{
    collio_fragment_t *out = cutter->split->piece + cutter->split->piece_count;
    int64_t end = cutter->end, lo = cutter->lo, hi = cutter->hi, bytes = cutter->bytes;

    for (; extent < last; ++extent) {
        int64_t offset = extent->offset, to = offset + extent->length;

        if (offset < end || to > hi) {
            break;
        }
        *out++ = (collio_fragment_t){(uint32_t) (offset - lo), (uint32_t) extent->length};
        bytes += extent->length;
        end = to;
    }
    cutter->split->piece_count = (size_t) (out - cutter->split->piece);
    cutter->end = end;
    cutter->bytes = bytes;
    return extent;
}

/* Completes the last window. */
static void end_window(cutter_t *cutter)
{
    collio_split_t *split = cutter->split;
    collio_window_t *window = &split->window[split->window_count - 1];

    window->count = split->piece_count - window->first;
    window->hi = cutter->end;
    window->bytes = cutter->bytes;
    split->share->bytes += cutter->bytes;
}

/* Reserves memory for `pieces` further pieces. 0 or -ENOMEM. */
static int more_pieces(cutter_t *cutter, size_t pieces)
{
    size_t wanted = cutter->split->piece_count + pieces;
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

/* Completes the last window and enters the window of `offset`. 0 or -ENOMEM. */
static int split_list_enter_window(cutter_t *cutter, int64_t offset)
{
    collio_split_t *split = cutter->split;
    int64_t index = offset / split->window_bytes;

    if (0 < split->window_count) {
        end_window(cutter);
    }
    cutter->bytes = 0;
    cutter->lo = offset;
    cutter->hi = index < INT64_MAX / split->window_bytes ? (index + 1) * split->window_bytes
                                                         : INT64_MAX;
    return collio_split_window(split, index, offset);
}

/* Adds an extent that ends past the current window. `left` extents, with this one, are to be
 * added. 0 or -ENOMEM. */
static int add_across(cutter_t *cutter, const collio_extent_t *extent, size_t left)
{
    collio_split_t *split = cutter->split;
    int64_t offset = extent->offset, end = offset + extent->length;
    int64_t cuts = end / split->window_bytes - offset / split->window_bytes;

    if (0 != more_pieces(cutter, left + (size_t) cuts)) {
        return -ENOMEM;
    }
    while (offset < end) {
        int64_t to;

        if (offset >= cutter->hi && 0 != split_list_enter_window(cutter, offset)) {
            return -ENOMEM;
        }
        to = collio_min(end, cutter->hi);
        split->piece[split->piece_count++] = (collio_fragment_t){(uint32_t) (offset - cutter->lo),
                                                                 (uint32_t) (to - offset)};
        cutter->bytes += to - offset;
        cutter->end = offset = to;
    }
    return 0;
}

/* Returns the number of pieces that a list is cut into, or SIZE_MAX if it is too large. */
static size_t split_list_count_parts(const collio_extents_t *local, int64_t window_bytes)
{
    size_t count = 0;

    for (size_t i = 0; i < local->count; ++i) {
        const collio_extent_t *extent = &local->at[i];
        int64_t last = (extent->offset + extent->length - 1) / window_bytes;

        if (__builtin_add_overflow(count, (size_t) (last - extent->offset / window_bytes + 1),
                                   &count)) {
            return SIZE_MAX;
        }
    }
    return count;
}

/* Cuts a list that is not in order, or overlaps. 0 or -ENOMEM. */
static int cut_unordered(const collio_extents_t *local, collio_split_t *split)
{
    size_t count = split_list_count_parts(local, split->window_bytes), next = 0;
    collio_piece_t *part = collio_resize(NULL, count, sizeof(*part));
    int64_t stream = 0;
    int rc = -ENOMEM;

    if (NULL == part || 0 != collio_split_reserve(split, count, 0, 1)) {
        goto out_free;
    }
    for (size_t i = 0; i < local->count; ++i) {
        int64_t offset = local->at[i].offset, left = local->at[i].length;

        while (0 < left) {
            int64_t room = split->window_bytes - offset % split->window_bytes;
            int64_t length = collio_min(left, room);

            /* the number keeps the order of equal offsets in a sort */
            part[next] = (collio_piece_t){offset, length, (int64_t) next};
            ++next;
            offset += length;
            left -= length;
        }
    }
    collio_split_sort(part, count);
    for (size_t i = 0; i < count; ++i) {
        part[i].stream = stream;
        stream += part[i].length;
    }
    rc = collio_split_share(split, 0, split->window_bytes, part, count);
out_free:
    free(part);
    return rc;
}

/* Cuts the list. Returns 0 or -ENOMEM, or -EAGAIN if the list is not in order. */
static int split_list_cut(const collio_extents_t *local, collio_split_t *split)
{
    const collio_extent_t *extent = local->at, *last = extent + local->count;
    /* an eighth more, because borders cut few extents; unused memory is never touched */
    cutter_t cutter = {.split = split, .capacity = local->count + local->count / 8 + 1};
    int rc = collio_split_reserve(split, cutter.capacity, 0, 1);

    if (0 != rc) {
        return rc;
    }
    *split->share = (collio_share_t){0};
    for (; (extent = cutter_add_whole(&cutter, extent, last)) < last; ++extent) {
        if (extent->offset < cutter.end) {
            return -EAGAIN;
        }
        if (0 != add_across(&cutter, extent, (size_t) (last - extent))) {
            return -ENOMEM;
        }
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
    rc = split_list_cut(local, split);
    if (-EAGAIN == rc) {
        collio_split_fini(split);
        split->window_bytes = window_bytes;
        rc = cut_unordered(local, split);
    }
    if (0 != rc) {
        collio_split_fini(split);
    }
    return rc;
}
