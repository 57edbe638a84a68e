/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Windows and shares of a split: memory, order, and the begin of windows. Both sides use it.
 */
#include <errno.h>
#include <stdlib.h>

#include "debug_assert.h"
#include "grow.h"
#include "split.h"

static int by_local(const void *left, const void *right)
{
    const collio_piece_t *a = left;
    const collio_piece_t *b = right;

    if (a->offset != b->offset) {
        return a->offset < b->offset ? -1 : 1;
    }
    return (a->stream > b->stream) - (a->stream < b->stream);
}

void collio_split_sort(collio_piece_t *piece, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        if (piece[i].offset < piece[i - 1].offset) {
            qsort(piece, count, sizeof(*piece), by_local);
            return;
        }
    }
}

int collio_split_window(collio_split_t *split, size_t *capacity, int64_t index, size_t first)
{
    if (split->window_count == *capacity) {
        void *at = collio_grow(split->window, capacity, sizeof(*split->window));

        if (NULL == at) {
            return -ENOMEM;
        }
        split->window = at;
    }
    split->window[split->window_count++] = (collio_window_t){
        .index = index, .first = first, .consecutive = true};
    return 0;
}

int collio_split_share(collio_split_t *split, size_t *capacity, int aggregator,
                       int64_t window_bytes, size_t first, size_t end)
{
    collio_share_t *share = &split->share[split->share_count++];
    collio_window_t *window = NULL;
    int64_t border = 0; /* end of the current window, in local coordinates */

    *share = (collio_share_t){aggregator, split->window_count, 0, 0};
    for (size_t i = first; i < end; ++i) {
        const collio_piece_t *piece = &split->piece[i];

        if (NULL == window || piece->offset >= border) {
            int64_t index = piece->offset / window_bytes;

            if (0 != collio_split_window(split, capacity, index, i)) {
                return -ENOMEM;
            }
            window = &split->window[split->window_count - 1];
            border = index < INT64_MAX / window_bytes ? (index + 1) * window_bytes : INT64_MAX;
        } else {
            window->consecutive = window->consecutive
                                  && piece[-1].stream + piece[-1].length == piece->stream;
        }
        COLLIO_ASSERT(first == i || piece[-1].offset <= piece->offset);
        COLLIO_ASSERT(0 < piece->length && piece->length <= border - piece->offset);
        window->count++;
        window->bytes += piece->length;
        window->hi = piece->offset + piece->length > window->hi ? piece->offset + piece->length
                                                                : window->hi;
        share->bytes += piece->length;
    }
    share->count = split->window_count - share->first;
    return 0;
}

int collio_split_allocate(collio_split_t *split, size_t parts, size_t shares)
{
    if (0 == parts) {
        return 0;
    }
    split->piece = collio_resize(NULL, parts, sizeof(*split->piece));
    split->share = collio_resize(NULL, shares, sizeof(*split->share));
    return NULL == split->piece || NULL == split->share ? -ENOMEM : 0;
}

void collio_split_fini(collio_split_t *split)
{
    free(split->piece);
    free(split->window);
    free(split->share);
    *split = (collio_split_t){0};
}

int collio_split_share_list(const collio_split_t *split, const collio_share_t *share,
                            collio_extents_t *list)
{
    const collio_window_t *last = &split->window[share->first + share->count - 1];
    const collio_piece_t *piece = &split->piece[split->window[share->first].first];
    const collio_piece_t *end = &split->piece[last->first + last->count];
    int rc = collio_extents_reserve(list, list->count + (size_t) (end - piece));

    for (; 0 == rc && piece < end; ++piece) {
        collio_extent_t *before = list->count > 0 ? &list->at[list->count - 1] : NULL;

        if (NULL != before && before->offset + before->length == piece->offset) {
            before->length += piece->length; /* joins an extent that a window border has cut */
        } else {
            list->at[list->count++] = (collio_extent_t){piece->offset, piece->length};
        }
    }
    return rc;
}
