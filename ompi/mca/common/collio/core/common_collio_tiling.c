/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/*
 * Tilings: a file view, or a user buffer, as a short list of pieces that repeats.
 *
 * Problem: a request of n bytes in a view must become file pieces, and its bytes must be found in
 *          memory, without walking the view from its beginning for each part.
 * Method:  prefix sums of the piece lengths; a stream position is a division (which repetition)
 *          and a bisection (which piece). Pieces come out in file order; only a view whose offsets
 *          go back is sorted.
 * Cost:    seek O(log pieces), pieces O(n), or O(n log n) where sorting is needed; one allocation.
 *
 *   stream   [first ................ first + bytes)
 *   pieces      #  ##  ###  #  ##  ###  #               cut at both ends
 */
#include "common_collio_tiling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common_collio_grow.h"

/* Copies pieces that are not empty, joined; returns how many. */
static size_t copy_pieces(mca_common_collio_tiling_t *tiling,
                          const mca_common_collio_extent_t *pieces, size_t count)
{
    size_t n = 0;

    for (size_t i = 0; i < count; ++i) {
        if (0 >= pieces[i].length) {
            continue;
        }
        if (0 < n && tiling->offset[n - 1] + tiling->length[n - 1] == pieces[i].offset) {
            tiling->length[n - 1] += pieces[i].length;
            continue;
        }
        tiling->offset[n] = pieces[i].offset;
        tiling->length[n] = pieces[i].length;
        ++n;
    }
    return n;
}

/* Everything that follows from the pieces: prefix sums and properties. */
static void derive(mca_common_collio_tiling_t *tiling)
{
    size_t last = tiling->count - 1;

    tiling->uniform = 0 < tiling->count ? tiling->length[0] : 0;
    tiling->ascending = 0 < tiling->count;
    tiling->prefix[0] = 0;
    for (size_t i = 0; i < tiling->count; ++i) {
        int64_t next = i < last ? tiling->offset[i + 1] : tiling->offset[0] + tiling->extent;

        tiling->prefix[i + 1] = tiling->prefix[i] + tiling->length[i];
        if (tiling->length[i] != tiling->uniform) {
            tiling->uniform = 0;
        }
        if (next < tiling->offset[i] + tiling->length[i]) {
            tiling->ascending = false;
        }
    }
    tiling->size = tiling->prefix[tiling->count];
    tiling->dense = 1 == tiling->count && tiling->extent == tiling->length[0];
}

int mca_common_collio_tiling_init(mca_common_collio_tiling_t *tiling, int64_t base, int64_t extent,
                                  const mca_common_collio_extent_t *pieces, size_t count)
{
    *tiling = (mca_common_collio_tiling_t){.base = base, .extent = extent};
    /* one block for the three arrays */
    if (count > PTRDIFF_MAX / (3 * sizeof(int64_t)) - 1) {
        return -ENOMEM;
    }
    tiling->offset = malloc((3 * count + 1) * sizeof(int64_t));
    if (NULL == tiling->offset) {
        return -ENOMEM;
    }
    tiling->length = tiling->offset + count;
    tiling->prefix = tiling->length + count;
    tiling->count = copy_pieces(tiling, pieces, count);
    derive(tiling);
    return 0;
}

void mca_common_collio_tiling_fini(mca_common_collio_tiling_t *tiling)
{
    free(tiling->offset);
    *tiling = (mca_common_collio_tiling_t){0};
}

bool mca_common_collio_tiling_equal(const mca_common_collio_tiling_t *a,
                                    const mca_common_collio_tiling_t *b)
{
    size_t bytes = a->count * sizeof(int64_t);

    if (a->extent != b->extent || a->count != b->count || a->size != b->size) {
        return false;
    }
    return 0 == a->count
           || (0 == memcmp(a->offset, b->offset, bytes)
               && 0 == memcmp(a->length, b->length, bytes));
}

/* The piece that holds byte `within` of a repetition. */
static size_t find_piece(const mca_common_collio_tiling_t *tiling, int64_t within)
{
    size_t first = 0;
    size_t count = tiling->count;

    while (1 < count) {
        size_t half = count / 2;

        if (tiling->prefix[first + half] <= within) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return first;
}

void mca_common_collio_cursor_seek(mca_common_collio_cursor_t *cursor,
                                   const mca_common_collio_tiling_t *tiling, int64_t stream)
{
    int64_t repetition;

    *cursor = (mca_common_collio_cursor_t){.tiling = tiling, .origin = tiling->base};
    if (tiling->dense || 0 == tiling->size) {
        cursor->used = stream;
        return;
    }
    repetition = stream / tiling->size;
    stream -= repetition * tiling->size;
    cursor->origin += repetition * tiling->extent;
    cursor->piece = find_piece(tiling, stream);
    cursor->used = stream - tiling->prefix[cursor->piece];
}

int64_t mca_common_collio_tiling_piece_bound(const mca_common_collio_tiling_t *tiling,
                                             int64_t first, int64_t bytes)
{
    int64_t last = first + bytes - 1;
    int64_t from;
    int64_t to;

    if (0 >= bytes || 0 == tiling->size) {
        return 0;
    }
    if (tiling->dense) {
        return 1;
    }
    from = (int64_t) find_piece(tiling, first % tiling->size);
    to = (int64_t) find_piece(tiling, last % tiling->size);
    return (last / tiling->size - first / tiling->size) * (int64_t) tiling->count + to - from + 1;
}

void mca_common_collio_pieces_fini(mca_common_collio_pieces_t *pieces)
{
    free(pieces->at);
    *pieces = (mca_common_collio_pieces_t){0};
}

int mca_common_collio_pieces_append(mca_common_collio_pieces_t *pieces, int64_t offset,
                                    int64_t length, int64_t stream)
{
    if (0 < pieces->count) {
        mca_common_collio_piece_t *last = &pieces->at[pieces->count - 1];

        if (last->offset + last->length == offset && last->stream + last->length == stream) {
            last->length += length;
            return 0;
        }
    }
    if (pieces->count == pieces->capacity) {
        void *at = mca_common_collio_grow(pieces->at, &pieces->capacity, sizeof(*pieces->at));

        if (NULL == at) {
            return -ENOMEM;
        }
        pieces->at = at;
    }
    pieces->at[pieces->count++] = (mca_common_collio_piece_t){offset, length, stream};
    return 0;
}

static int by_offset(const void *left, const void *right)
{
    const mca_common_collio_piece_t *a = left;
    const mca_common_collio_piece_t *b = right;

    if (a->offset != b->offset) {
        return a->offset < b->offset ? -1 : 1;
    }
    return (a->stream > b->stream) - (a->stream < b->stream);
}

/* Sorting brings pieces together that continue each other. */
static void sort_and_join(mca_common_collio_pieces_t *pieces)
{
    size_t n = 0;

    qsort(pieces->at, pieces->count, sizeof(*pieces->at), by_offset);
    for (size_t i = 1; i < pieces->count; ++i) {
        mca_common_collio_piece_t *last = &pieces->at[n];
        const mca_common_collio_piece_t *next = &pieces->at[i];

        if (last->offset + last->length == next->offset
            && last->stream + last->length == next->stream) {
            last->length += next->length;
        } else {
            pieces->at[++n] = *next;
        }
    }
    pieces->count = n + 1;
}

int mca_common_collio_tiling_pieces(const mca_common_collio_tiling_t *tiling, int64_t first,
                                    int64_t bytes, mca_common_collio_pieces_t *pieces)
{
    int64_t bound = mca_common_collio_tiling_piece_bound(tiling, first, bytes);
    mca_common_collio_cursor_t cursor;
    int64_t last = INT64_MIN;
    bool sorted = true;

    if (0 == bound) {
        return 0;
    }
    if ((size_t) bound > pieces->capacity) {
        void *at = mca_common_collio_resize(pieces->at, (size_t) bound, sizeof(*pieces->at));

        if (NULL == at) {
            return -ENOMEM;
        }
        pieces->at = at;
        pieces->capacity = (size_t) bound;
    }
    mca_common_collio_cursor_seek(&cursor, tiling, first);
    for (int64_t done = 0; done < bytes;) {
        int64_t run;
        int64_t offset = mca_common_collio_cursor_run(&cursor, &run);

        run = run < bytes - done ? run : bytes - done;
        sorted = sorted && offset >= last;
        last = offset;
        (void) mca_common_collio_pieces_append(pieces, offset, run, done); /* there is room */
        mca_common_collio_cursor_advance(&cursor, run);
        done += run;
    }
    if (!sorted) {
        sort_and_join(pieces);
    }
    return 0;
}
