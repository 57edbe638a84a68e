/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The position of a request in the file, and the test whether two requests have the same shape.
 *
 * Problem: a plan may serve a second request only if all its bytes have the same distance from
 *          those of the first request. Also, views may have offsets that no file has: a repetition
 *          times an extent can overflow to a small number that looks valid.
 * Method:  compares shapes relative to the first piece, so a view that begins inside its type
 *          equals a view that begins at its displacement; the anchor has the difference. Computes
 *          ranges once per request, with checked arithmetic; later code needs no checks.
 * Cost:    place O(1), same_shape O(pieces of a repetition), range O(log pieces) for ascending
 *          views, else O(pieces of a repetition).
 *
 *   base      anchor (of stream position 0)
 *    |.........##..###....|.........##..###....
 *    <- offset[0] ->
 */
#include <errno.h>
#include <string.h>

#include "tiling.h"

bool collio_tiling_same_shape(const collio_tiling_t *a, const collio_tiling_t *b)
{
    if (a->dense && b->dense) {
        return true;
    }
    if (a->extent != b->extent || a->count != b->count || a->size != b->size || a->dense != b->dense
        || a->uniform != b->uniform || a->wide != b->wide) {
        return false;
    }
    for (size_t i = 0; i < a->count; ++i) {
        if (a->offset[i] - a->offset[0] != b->offset[i] - b->offset[0]) {
            return false;
        }
    }
    return 0 != a->uniform || 0 == a->count
           || 0 == memcmp(a->prefix, b->prefix, collio_tiling_positions(a->wide, a->count));
}

/* Computes the offset of one byte of the stream. False: the offset does not fit int64_t. */
static bool place_offset_of(const collio_tiling_t *tiling, int64_t repetition, size_t piece,
                            int64_t used, int64_t *offset)
{
    int64_t at;

    return !__builtin_mul_overflow(repetition, tiling->extent, &at)
           && !__builtin_add_overflow(at, tiling->base, &at)
           && !__builtin_add_overflow(at, tiling->offset[piece], &at)
           && !__builtin_add_overflow(at, used, offset);
}

void collio_tiling_place(const collio_tiling_t *tiling, int64_t stream, int64_t *anchor,
                         int64_t *phase)
{
    *anchor = *phase = 0;
    if (0 == tiling->size) {
        return;
    }
    *anchor = tiling->base + tiling->offset[0];
    if (tiling->dense) { /* the phase is always 0, and the anchor is the offset of the position */
        *anchor += stream;
        return;
    }
    *anchor += stream / tiling->size * tiling->extent;
    *phase = stream % tiling->size;
}

/* Widens [*lo, *hi) by the offsets of stream range [from, to) of one repetition. False: an offset
 * does not fit int64_t. */
static bool widen(const collio_tiling_t *tiling, int64_t repetition, int64_t from, int64_t to,
                  int64_t *lo, int64_t *hi)
{
    for (size_t i = 0; i < tiling->count; ++i) {
        int64_t first = collio_tiling_prefix(tiling, i);
        int64_t next = collio_tiling_prefix(tiling, i + 1);
        int64_t begin = first > from ? first : from;
        int64_t end = next < to ? next : to;
        int64_t offset, after;

        if (begin >= end) {
            continue;
        }
        if (!place_offset_of(tiling, repetition, i, begin - first, &offset)
            || __builtin_add_overflow(offset, end - begin, &after)) {
            return false;
        }
        *lo = offset < *lo ? offset : *lo;
        *hi = after > *hi ? after : *hi;
    }
    return true;
}

/* Whole repetitions differ by a constant distance, so the first and the last whole repetition bound
 * all of them. Repetitions that an end of the request cuts are handled separately. */
static bool range_unsorted(const collio_tiling_t *tiling, int64_t first, int64_t last, int64_t *lo,
                           int64_t *hi)
{
    int64_t size = tiling->size, from = first / size, to = last / size;

    *lo = INT64_MAX;
    *hi = INT64_MIN;
    if (from == to) {
        return widen(tiling, from, first % size, last % size + 1, lo, hi);
    }
    return widen(tiling, from, first % size, size, lo, hi)
           && widen(tiling, to, 0, last % size + 1, lo, hi)
           && (to - from < 2
               || (widen(tiling, from + 1, 0, size, lo, hi)
                   && widen(tiling, to - 1, 0, size, lo, hi)));
}

static bool byte_offset(const collio_tiling_t *tiling, int64_t stream, int64_t *offset)
{
    int64_t within = stream % tiling->size;
    size_t piece = collio_tiling_find(tiling, within);

    return place_offset_of(tiling, stream / tiling->size, piece,
                           within - collio_tiling_prefix(tiling, piece), offset);
}

int collio_tiling_range(const collio_tiling_t *tiling, int64_t first, int64_t bytes, int64_t *lo,
                        int64_t *hi)
{
    int64_t last;
    bool known;

    *lo = *hi = 0;
    if (0 == bytes || 0 == tiling->size) {
        return 0;
    }
    if (tiling->overflow || 0 > first || 0 > bytes
        || __builtin_add_overflow(first, bytes - 1, &last)) {
        return -EOVERFLOW;
    }
    if (tiling->dense) {
        known = place_offset_of(tiling, 0, 0, first, lo) && !__builtin_add_overflow(*lo, bytes, hi);
    } else if (tiling->ascending) {
        known = byte_offset(tiling, first, lo) && byte_offset(tiling, last, hi)
                && !__builtin_add_overflow(*hi, 1, hi);
    } else {
        known = range_unsorted(tiling, first, last, lo, hi);
    }
    return known && 0 <= *lo ? 0 : -EOVERFLOW;
}
