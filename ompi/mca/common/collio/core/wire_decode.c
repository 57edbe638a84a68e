/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Reads the compact form of extent lists. wire_format.h describes the bytes.
 *
 * Problem: the bytes come from another process. No input may cause invalid reads or writes, or
 *          excessive allocations.
 * Method:  checks every number before its use: counts against the caller's limit and, for literals,
 *          against the bytes that remain; literal pieces against the caller's range; regular pieces
 *          against the range at the corners of their block, between which offsets are linear.
 * Cost:    O(bytes + extents); the list grows at most once for each operation. A literal piece of
 *          short numbers, the common case, needs one check of the bytes that remain.
 */
#include <errno.h>
#include <stdlib.h>

#include "grow.h"
#include "varint.h"
#include "wire.h"
#include "wire_format.h"

typedef struct collio_decoder_t {
    const unsigned char *at;   /* next byte of the input */
    const unsigned char *last; /* end of the input */
    collio_extents_t *list;    /* output; owned by the caller */
    size_t left;               /* number of extents that the input may still have */
    int64_t limit;             /* upper bound on the end offset of every extent */
    int64_t end;               /* end offset of the last piece */
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

/* Computes the extent that begins `gap` (zigzagged) bytes after `end`. False if it is empty or
 * outside [0, limit). The sum cannot wrap into this range, because `end` lies in it. */
static inline bool place(int64_t end, uint64_t gap, uint64_t length, int64_t limit,
                         collio_extent_t *extent)
{
    uint64_t offset = (uint64_t) end + (uint64_t) collio_unzigzag(gap);

    if (length - 1 >= (uint64_t) limit || offset > (uint64_t) limit - length) {
        return false;
    }
    *extent = (collio_extent_t){(int64_t) offset, (int64_t) length};
    return true;
}

/* Subtracts `count` extents from `left` and reserves memory for them in the list. 0, -EBADMSG or
 * -ENOMEM. */
static int wire_decode_take(decoder_t *decoder, uint64_t count)
{
    collio_extents_t *list = decoder->list;
    size_t wanted;

    if (0 == count || count > decoder->left) {
        return -EBADMSG;
    }
    decoder->left -= (size_t) count;
    wanted = list->count + (size_t) count;
    if (wanted > list->capacity && wanted < 2 * list->capacity) {
        wanted = 2 * list->capacity; /* avoids a reallocation for each of many short operations */
    }
    return collio_extents_reserve(list, wanted);
}

/* Reads a number of one or two bytes, both in the input; false if the number is longer. */
static inline bool get_short(const unsigned char **at, uint64_t *value)
{
    const unsigned char *byte = *at;

    *value = byte[0];
    *at = byte + 1;
    if (0x80 > byte[0]) {
        return true;
    }
    *value += byte[1] * UINT64_C(0x80) - 0x80;
    *at = byte + 2;
    return 0x80 > byte[1];
}

/* Reads the numbers of a literal piece. */
static inline bool get_piece(decoder_t *decoder, bool same, uint64_t *gap, uint64_t *length)
{
    const unsigned char *at = decoder->at;

    if (4 <= decoder->last - at && get_short(&at, gap) && (same || get_short(&at, length))) {
        decoder->at = at;
        return true;
    }
    return get(decoder, gap) && (same || get(decoder, length));
}

static int pieces(decoder_t *decoder, uint64_t count, bool same)
{
    decoder_t reader;
    collio_extent_t *out;
    uint64_t gap, length = 0;
    int rc;

    if (same && !get(decoder, &length)) {
        return -EBADMSG;
    }
    if (count > (size_t) (decoder->last - decoder->at) / (same ? 1 : 2)) {
        return -EBADMSG;
    }
    rc = wire_decode_take(decoder, count);
    if (0 != rc) {
        return rc;
    }
    reader = *decoder; /* the compiler can keep a local copy in registers */
    out = decoder->list->at + decoder->list->count;
    for (uint64_t i = 0; i < count; ++i, ++out) {
        if (!get_piece(&reader, same, &gap, &length)
            || !place(reader.end, gap, length, reader.limit, out)) {
            return -EBADMSG;
        }
        reader.end = out->offset + out->length;
    }
    *decoder = reader;
    decoder->list->count += (size_t) count;
    return 0;
}

/* *to = from + stride * steps; false if the result is outside 0 .. limit, in which `from` lies. */
static bool corner(int64_t from, int64_t stride, int64_t steps, int64_t limit, int64_t *to)
{
    if (0 > stride) {
        if (0 < steps && stride < -from / steps) {
            return false;
        }
    } else if (0 < steps && stride > (limit - from) / steps) {
        return false;
    }
    *to = from + stride * steps;
    return true;
}

static int sections(decoder_t *decoder, uint64_t planes, uint64_t rows, bool block)
{
    int64_t stride, plane_stride = 0, highest, last_row, last_plane, last;
    uint64_t gap, length;
    collio_extent_t first, *out;
    int rc;

    if (!get(decoder, &gap) || !get(decoder, &length) || !get_signed(decoder, &stride)
        || (block && (!get(decoder, &rows) || !get_signed(decoder, &plane_stride)))) {
        return -EBADMSG;
    }
    if (0 == planes || 0 == rows || planes > decoder->left / rows
        || !place(decoder->end, gap, length, decoder->limit, &first)) {
        return -EBADMSG;
    }
    highest = decoder->limit - first.length;
    if (!corner(first.offset, stride, (int64_t) rows - 1, highest, &last_row)
        || !corner(first.offset, plane_stride, (int64_t) planes - 1, highest, &last_plane)
        || !corner(last_row, plane_stride, (int64_t) planes - 1, highest, &last)) {
        return -EBADMSG;
    }
    rc = wire_decode_take(decoder, planes * rows);
    if (0 != rc) {
        return rc;
    }
    out = decoder->list->at + decoder->list->count;
    for (uint64_t plane = 0; plane < planes; ++plane) {
        uint64_t offset = (uint64_t) first.offset + plane * (uint64_t) plane_stride;

        for (uint64_t i = 0; i < rows; ++i, ++out) {
            out->offset = (int64_t) offset;
            out->length = first.length;
            offset += (uint64_t) stride; /* can wrap only after the last piece */
        }
    }
    decoder->list->count += (size_t) (planes * rows);
    decoder->end = last + first.length;
    return 0;
}

static int operation(decoder_t *decoder)
{
    uint64_t head;

    if (!get(decoder, &head)) {
        return -EBADMSG;
    }
    switch (head & 3) {
    case COLLIO_WIRE_PIECES:
        return pieces(decoder, head >> 2, false);
    case COLLIO_WIRE_SAME:
        return pieces(decoder, head >> 2, true);
    case COLLIO_WIRE_SECTION:
        return sections(decoder, 1, head >> 2, false);
    default:
        return sections(decoder, head >> 2, 0, true);
    }
}

/* Decodes extents inside [0, limit), at most `most`. */
static int decode(const unsigned char *bytes, size_t count, size_t most, int64_t limit,
                  collio_extents_t *list)
{
    decoder_t decoder = {.at = bytes, .list = list, .left = most, .limit = limit};
    size_t before = list->count;
    int rc;

    if (0 == count) {
        return 0; /* the address of an empty list may be NULL */
    }
    decoder.last = bytes + count;
    /* for literals of two bytes or more; unused memory is never touched */
    rc = collio_extents_reserve(list, before + (count / 2 < most ? count / 2 : most));
    while (0 == rc && decoder.at < decoder.last) {
        rc = operation(&decoder);
    }
    if (0 != rc) {
        list->count = before;
    }
    return rc;
}

int collio_wire_decode(const unsigned char *bytes, size_t count, size_t max_extents,
                       collio_extents_t *list)
{
    return decode(bytes, count, max_extents < INT64_MAX ? max_extents : INT64_MAX, INT64_MAX, list);
}

int collio_wire_decode_within(const unsigned char *bytes, size_t count, size_t max_extents,
                              int64_t size, collio_extents_t *list)
{
    return decode(bytes, count, max_extents, size, list);
}
