/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Pieces, strands, windows and shares of a split: memory, order, and the start of windows. Both
 * sides use it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

void collio_split_sort(collio_piece_t *part, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        if (part[i].offset < part[i - 1].offset) {
            qsort(part, count, sizeof(*part), by_local);
            return;
        }
    }
}

int collio_split_window(collio_split_t *split, int64_t index, int64_t lo)
{
    if (0
        != collio_more(&split->window, split->window_count, &split->window_capacity,
                       sizeof(*split->window))) {
        return -ENOMEM;
    }
    split->window[split->window_count++] = (collio_window_t){
        .index = index, .first = split->piece_count, .lo = lo};
    return 0;
}

int collio_split_strand(collio_split_t *split, int64_t stream)
{
    if (0
        != collio_more(&split->strand, split->strand_count, &split->strand_capacity,
                       sizeof(*split->strand))) {
        return -ENOMEM;
    }
    split->strand[split->strand_count++] = (collio_strand_t){stream, split->piece_count};
    return 0;
}

int collio_split_share(collio_split_t *split, int aggregator, int64_t window_bytes,
                       const collio_piece_t *part, size_t count)
{
    const collio_piece_t *last = part + count;
    collio_share_t *share = &split->share[split->share_count++];
    collio_window_t *window = NULL;
    int64_t border = 0, stream = -1; /* ends of the window and of the strand */

    COLLIO_ASSERT(0 < window_bytes && window_bytes <= COLLIO_WINDOW_MAX);
    *share = (collio_share_t){aggregator, split->window_count, 0, 0};
    for (; part < last; ++part) {
        if (NULL == window || part->offset >= border) {
            int64_t index = part->offset / window_bytes;

            if (0 != collio_split_window(split, index, part->offset)) {
                return -ENOMEM;
            }
            window = &split->window[split->window_count - 1];
            border = index < INT64_MAX / window_bytes ? (index + 1) * window_bytes : INT64_MAX;
            stream = -1;
        }
        if (stream != part->stream && 0 != collio_split_strand(split, part->stream)) {
            return -ENOMEM;
        }
        COLLIO_ASSERT(window->lo <= part->offset);
        COLLIO_ASSERT(0 < part->length && part->length <= border - part->offset);
        split->piece[split->piece_count++] = (collio_fragment_t){
            (uint32_t) (part->offset - window->lo), (uint32_t) part->length};
        stream = part->stream + part->length;
        window->count++;
        window->bytes += part->length;
        window->hi = collio_max(part->offset + part->length, window->hi);
        share->bytes += part->length;
    }
    share->count = split->window_count - share->first;
    return 0;
}

int collio_split_reserve(collio_split_t *split, size_t pieces, size_t windows, size_t shares)
{
    split->window_capacity = windows + 1;
    split->piece = collio_resize(NULL, pieces + 1, sizeof(*split->piece));
    split->window = collio_resize(NULL, windows + 1, sizeof(*split->window));
    split->share = collio_resize(NULL, shares + 1, sizeof(*split->share));
    return NULL == split->piece || NULL == split->window || NULL == split->share ? -ENOMEM : 0;
}

void collio_split_fini(collio_split_t *split)
{
    free(split->piece);
    free(split->window);
    free(split->strand);
    free(split->share);
    *split = (collio_split_t){0};
}

int64_t collio_split_memory(const collio_split_t *split)
{
    return (int64_t) (split->piece_count * sizeof(*split->piece)
                      + split->window_count * sizeof(*split->window)
                      + split->strand_count * sizeof(*split->strand)
                      + split->share_count * sizeof(*split->share));
}

int collio_split_list(const collio_split_t *split, size_t first, size_t count,
                      collio_extents_t *list)
{
    const collio_window_t *window = &split->window[first], *last = window + count;
    size_t pieces = 0 == count ? 0 : last[-1].first + last[-1].count - window->first;
    int64_t end = 0 == list->count
                      ? -1
                      : list->at[list->count - 1].offset + list->at[list->count - 1].length;
    collio_extent_t *out;

    if (0 != collio_extents_reserve(list, list->count + pieces)) {
        return -ENOMEM;
    }
    out = list->at + list->count;
    for (; window < last; ++window) {
        const collio_fragment_t *piece = &split->piece[window->first];

        for (const collio_fragment_t *past = piece + window->count; piece < past; ++piece) {
            int64_t offset = window->lo + piece->offset;

            if (offset == end) {
                out[-1].length += piece->length;
            } else {
                *out++ = (collio_extent_t){offset, piece->length};
            }
            end = offset + piece->length;
        }
    }
    if (0 < pieces) {
        list->count = (size_t) (out - list->at);
    }
    return 0;
}

int collio_split_copy(collio_split_t *split, const collio_split_t *from,
                      const collio_window_t *window)
{
    size_t strand = collio_reader(from, window).strand, end = window->first + window->count;
    size_t piece_count = split->piece_count;

    if (0 != collio_split_window(split, window->index, window->lo)) {
        return -ENOMEM;
    }
    for (; strand < from->strand_count && from->strand[strand].first < end; ++strand) {
        split->piece_count = piece_count + from->strand[strand].first - window->first;
        if (0 != collio_split_strand(split, from->strand[strand].stream)) {
            return -ENOMEM;
        }
    }
    memcpy(&split->piece[piece_count], &from->piece[window->first],
           window->count * sizeof(*split->piece));
    split->window[split->window_count - 1] = *window;
    split->window[split->window_count - 1].first = piece_count;
    split->piece_count = piece_count + window->count;
    return 0;
}
