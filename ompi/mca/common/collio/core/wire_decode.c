/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The compact form of extent lists: reading it. (wire_format.h says what the bytes mean.)
 *
 * Problem: the bytes come from a peer and must never make this process read, write or allocate
 *          what it should not, whatever they are.
 * Method:  every number is checked before it is used: counts against the caller's limit and, for
 *          literals, against the bytes that are left; offsets of regular pieces at the corners of
 *          their block, between which they are linear.
 * Cost:    O(bytes + extents); the list grows once for each operation.
 */
#include <errno.h>
#include <stdlib.h>

#include "grow.h"
#include "varint.h"
#include "wire.h"
#include "wire_format.h"

typedef struct collio_decoder_t {
    const unsigned char *at;
    const unsigned char *last;
    collio_extents_t *list;
    size_t left; /* extents that may still come */
    int64_t end; /* of the last piece */
} decoder_t;

static inline bool get(decoder_t *decoder, uint64_t *value)
{
    return collio_varint_get(&decoder->at, decoder->last, value);
}

static inline bool get_signed(decoder_t *decoder, int64_t *value)
{
    uint64_t bits;

    if (!get(decoder, &bits)) {
        return false;
    }
    *value = collio_unzigzag(bits);
    return true;
}

/* A length: 1 .. INT64_MAX. */
static inline bool get_length(decoder_t *decoder, int64_t *value)
{
    uint64_t bits;

    if (!get(decoder, &bits) || 0 == bits || INT64_MAX < bits) {
        return false;
    }
    *value = (int64_t) bits;
    return true;
}

/* The offset of a piece from its gap; checked to lie in 0 .. INT64_MAX. */
static inline bool get_offset(decoder_t *decoder, int64_t *offset)
{
    int64_t gap;

    if (!get_signed(decoder, &gap) || gap < -decoder->end || gap > INT64_MAX - decoder->end) {
        return false;
    }
    *offset = decoder->end + gap;
    return true;
}

/* Takes `count` extents from what may still come, with room in the list. */
static int take(decoder_t *decoder, uint64_t count)
{
    collio_extents_t *list = decoder->list;
    size_t wanted;

    if (0 == count || count > decoder->left) {
        return -EBADMSG;
    }
    decoder->left -= (size_t) count;
    wanted = list->count + (size_t) count;
    if (wanted > list->capacity && wanted < 2 * list->capacity) {
        wanted = 2 * list->capacity; /* many short operations must not reallocate at each */
    }
    return collio_extents_reserve(list, wanted);
}

static int pieces(decoder_t *decoder, uint64_t count, bool same)
{
    collio_extent_t *out;
    int64_t length = 0;
    int64_t offset;
    int rc;

    if (same && !get_length(decoder, &length)) {
        return -EBADMSG;
    }
    if (count > (size_t) (decoder->last - decoder->at) / (same ? 1 : 2)) {
        return -EBADMSG;
    }
    rc = take(decoder, count);
    if (0 != rc) {
        return rc;
    }
    out = decoder->list->at + decoder->list->count;
    for (uint64_t i = 0; i < count; ++i) {
        if (!get_offset(decoder, &offset) || (!same && !get_length(decoder, &length))
            || offset > INT64_MAX - length) {
            return -EBADMSG;
        }
        out[i].offset = offset;
        out[i].length = length;
        decoder->end = offset + length;
    }
    decoder->list->count += (size_t) count;
    return 0;
}

/* *to = from + stride * steps; false if a piece of `length` there would leave 0 .. INT64_MAX. */
static bool corner(int64_t from, int64_t stride, int64_t steps, int64_t length, int64_t *to)
{
    int64_t limit = INT64_MAX - length;

    if (0 > stride) {
        if (0 < steps && stride < -from / steps) {
            return false;
        }
    } else if (0 < steps && stride > (limit - from) / steps) {
        return false;
    }
    *to = from + stride * steps;
    return 0 <= *to && *to <= limit;
}

static int sections(decoder_t *decoder, uint64_t planes, uint64_t rows, bool block)
{
    collio_section_t row;
    int64_t plane_stride = 0;
    int64_t last_row;
    int64_t last_plane;
    int64_t last;
    collio_extent_t *out;
    int rc;

    if (!get_offset(decoder, &row.start) || !get_length(decoder, &row.length)
        || !get_signed(decoder, &row.stride)
        || (block && (!get(decoder, &rows) || !get_signed(decoder, &plane_stride)))) {
        return -EBADMSG;
    }
    if (0 == planes || 0 == rows || planes > decoder->left / rows) {
        return -EBADMSG;
    }
    if (row.start > INT64_MAX - row.length
        || !corner(row.start, row.stride, (int64_t) rows - 1, row.length, &last_row)
        || !corner(row.start, plane_stride, (int64_t) planes - 1, row.length, &last_plane)
        || !corner(last_row, plane_stride, (int64_t) planes - 1, row.length, &last)) {
        return -EBADMSG;
    }
    rc = take(decoder, planes * rows);
    if (0 != rc) {
        return rc;
    }
    out = decoder->list->at + decoder->list->count;
    for (uint64_t plane = 0; plane < planes; ++plane) {
        uint64_t offset = (uint64_t) row.start + plane * (uint64_t) plane_stride;

        for (uint64_t i = 0; i < rows; ++i, ++out) {
            out->offset = (int64_t) offset;
            out->length = row.length;
            offset += (uint64_t) row.stride; /* wraps only behind the last one */
        }
    }
    decoder->list->count += (size_t) (planes * rows);
    decoder->end = last + row.length;
    return 0;
}

int collio_wire_decode(const unsigned char *bytes, size_t count, size_t max_extents,
                       collio_extents_t *list)
{
    decoder_t decoder = {.at = bytes, .list = list, .left = max_extents};
    size_t before = list->count;
    int rc = 0;

    if (0 == count) {
        return 0; /* an empty list may have no address at all */
    }
    decoder.last = bytes + count;
    if (INT64_MAX < max_extents) {
        decoder.left = INT64_MAX;
    }
    while (0 == rc && decoder.at < decoder.last) {
        uint64_t head;
        uint64_t number;

        if (!get(&decoder, &head)) {
            rc = -EBADMSG;
            break;
        }
        number = head >> 2;
        switch (head & 3) {
        case COLLIO_WIRE_PIECES:
        case COLLIO_WIRE_SAME:
            rc = pieces(&decoder, number, COLLIO_WIRE_SAME == (head & 3));
            break;
        case COLLIO_WIRE_SECTION:
            rc = sections(&decoder, 1, number, false);
            break;
        default:
            rc = sections(&decoder, number, 0, true);
        }
    }
    if (0 != rc) {
        list->count = before;
    }
    return rc;
}

int collio_wire_decode_within(const unsigned char *bytes, size_t count, int64_t size,
                              collio_extents_t *list)
{
    size_t before = list->count;
    int rc = collio_wire_decode(bytes, count, (size_t) size, list);

    for (size_t i = before; 0 == rc && i < list->count; ++i) {
        const collio_extent_t *extent = &list->at[i];

        if (extent->offset < 0 || extent->length > size || extent->offset > size - extent->length) {
            list->count = before;
            rc = -EBADMSG;
        }
    }
    return rc;
}
