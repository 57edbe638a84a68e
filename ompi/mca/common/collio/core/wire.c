/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The compact form of extent lists: writing it. (wire_format.h says what the bytes mean.)
 *
 * Problem: a list of 8-byte pieces is twice as long as the data when sent as pairs of integers.
 * Method:  one pass with two open runs, each closed by the first element that does not fit:
 *          extents of equal length and stride make a section, sections of equal shape and stride
 *          make a block. What is too short to pay for its head joins the pending literal pieces,
 *          which are only remembered as a range of the input and written when something regular
 *          follows.
 * Cost:    O(n), no memory but the output. A regular list costs 5-20 bytes in all, an irregular one
 *          2-4 bytes a piece, at worst 20.
 *
 *   extents   # # # #     # # # #     # # # #      #  #    #
 *   sections  [ 4 of ]    [ 4 of ]    [ 4 of ]
 *   blocks    [ 3 of 4                       ]     literals
 */
#include "wire.h"

#include <errno.h>
#include <stdlib.h>

#include "grow.h"
#include "varint.h"
#include "wire_format.h"

/* Shorter sections are cheaper as literals. */
#define SECTION_MIN 4
#define BLOCK_MIN   6

typedef struct collio_encoder_t {
    const char *at; /* the input: an array of structs that begin with offset and length */
    size_t step;
    size_t count;
    collio_bytes_t *out;
    int64_t end;            /* of the last piece written */
    size_t literal;         /* input index of the first pending literal piece */
    int64_t literals;       /* pending; after joining */
    collio_section_t row;   /* the open section; count 0 = none */
    size_t row_at;          /* input index where it begins */
    collio_section_t plane; /* of the open block */
    int64_t plane_stride;
    int64_t planes; /* 0 = no open block */
    size_t plane_at;
} encoder_t;

void collio_bytes_fini(collio_bytes_t *bytes)
{
    free(bytes->at);
    *bytes = (collio_bytes_t){0};
}

/* Room for `n` varints at the end of the output, or NULL. */
static inline unsigned char *room(collio_bytes_t *out, size_t n)
{
    while (out->capacity - out->count < n * COLLIO_VARINT_MAX) {
        void *at = collio_grow(out->at, &out->capacity, 1);

        if (NULL == at) {
            return NULL;
        }
        out->at = at;
    }
    return out->at + out->count;
}

static inline void taken(collio_bytes_t *out, const unsigned char *end)
{
    out->count = (size_t) (end - out->at);
}

/* The next extent of the input, joined with those that touch it; moves *index behind them. */
static inline bool next(const encoder_t *encoder, size_t *index, collio_extent_t *extent)
{
    size_t i = *index;
    const char *at = i < encoder->count ? encoder->at + i * encoder->step : NULL;

    extent->offset = 0;
    extent->length = 0;
    for (; i < encoder->count; ++i, at += encoder->step) {
        const int64_t *element = (const int64_t *) (const void *) at;

        if (0 == element[1]) {
            continue;
        }
        if (0 == extent->length) {
            extent->offset = element[0];
        } else if (extent->offset + extent->length != element[0]) {
            break;
        }
        extent->length += element[1];
    }
    *index = i;
    return 0 < extent->length;
}

static inline uint64_t head(int64_t number, unsigned kind)
{
    return (uint64_t) number << 2 | kind;
}

static bool literals_same(const encoder_t *encoder)
{
    collio_extent_t extent;
    size_t index = encoder->literal;
    int64_t length;

    (void) next(encoder, &index, &extent);
    length = extent.length;
    for (int64_t i = 1; i < encoder->literals; ++i) {
        (void) next(encoder, &index, &extent);
        if (length != extent.length) {
            return false;
        }
    }
    return true;
}

static int flush_literals(encoder_t *encoder)
{
    collio_extent_t extent;
    size_t index = encoder->literal;
    bool same = literals_same(encoder);
    unsigned char *at = room(encoder->out, 4);

    if (NULL == at) {
        return -ENOMEM;
    }
    at = collio_varint_put(at,
                           head(encoder->literals, same ? COLLIO_WIRE_SAME : COLLIO_WIRE_PIECES));
    for (int64_t i = 0; i < encoder->literals; ++i) {
        (void) next(encoder, &index, &extent);
        if (same && 0 == i) {
            at = collio_varint_put(at, (uint64_t) extent.length);
        }
        at = collio_varint_put(at, collio_zigzag(extent.offset - encoder->end));
        if (!same) {
            at = collio_varint_put(at, (uint64_t) extent.length);
        }
        encoder->end = extent.offset + extent.length;
        taken(encoder->out, at);
        at = room(encoder->out, 2);
        if (NULL == at) {
            return -ENOMEM;
        }
    }
    encoder->literals = 0;
    return 0;
}

/* Writes the open block as BLOCK, or as SECTION if it is one section. */
static int flush_regular(encoder_t *encoder)
{
    const collio_section_t *plane = &encoder->plane;
    bool block = 1 < encoder->planes;
    unsigned char *at = room(encoder->out, 6);

    if (NULL == at) {
        return -ENOMEM;
    }
    at = collio_varint_put(at, block ? head(encoder->planes, COLLIO_WIRE_BLOCK)
                                     : head(plane->count, COLLIO_WIRE_SECTION));
    at = collio_varint_put(at, collio_zigzag(plane->start - encoder->end));
    at = collio_varint_put(at, (uint64_t) plane->length);
    at = collio_varint_put(at, collio_zigzag(plane->stride));
    if (block) {
        at = collio_varint_put(at, (uint64_t) plane->count);
        at = collio_varint_put(at, collio_zigzag(encoder->plane_stride));
    }
    taken(encoder->out, at);
    encoder->end = plane->start + plane->stride * (plane->count - 1) + plane->length
                   + encoder->plane_stride * (encoder->planes - 1);
    return 0;
}

static int close_block(encoder_t *encoder)
{
    int64_t pieces = encoder->planes * encoder->plane.count;
    bool regular = 1 == encoder->planes ? SECTION_MIN <= pieces
                                        : 2 <= encoder->plane.count && BLOCK_MIN <= pieces;
    int rc = 0;

    if (!regular) {
        if (0 == encoder->literals) {
            encoder->literal = encoder->plane_at;
        }
        encoder->literals += pieces;
    } else {
        if (0 < encoder->literals) {
            rc = flush_literals(encoder);
        }
        if (0 == rc) {
            rc = flush_regular(encoder);
        }
    }
    encoder->planes = 0;
    return rc;
}

/* start + stride * count without overflow: what does not fit cannot be equal to an offset. */
static inline bool follows(int64_t offset, int64_t start, int64_t stride, int64_t count)
{
    return (uint64_t) offset == (uint64_t) start + (uint64_t) stride * (uint64_t) count;
}

static int close_row(encoder_t *encoder)
{
    const collio_section_t *row = &encoder->row;
    const collio_section_t *plane = &encoder->plane;
    int rc = 0;

    if (0 < encoder->planes) {
        bool same = row->length == plane->length && row->stride == plane->stride
                    && row->count == plane->count;

        if (same && 1 == encoder->planes) {
            encoder->plane_stride = row->start - plane->start;
            encoder->planes = 2;
            return 0;
        }
        if (same && follows(row->start, plane->start, encoder->plane_stride, encoder->planes)) {
            encoder->planes++;
            return 0;
        }
        rc = close_block(encoder);
    }
    encoder->plane = *row;
    encoder->plane_at = encoder->row_at;
    encoder->plane_stride = 0;
    encoder->planes = 1;
    return rc;
}

/* Adds an extent to the open section; false if it does not fit. */
static inline bool extend(collio_section_t *row, collio_extent_t extent)
{
    if (0 == row->count || row->length != extent.length) {
        return false;
    }
    if (1 == row->count) {
        row->stride = extent.offset - row->start;
    } else if (!follows(extent.offset, row->start, row->stride, row->count)) {
        return false;
    }
    row->count++;
    return true;
}

int collio_wire_encode(const void *extents, size_t count, size_t element_bytes, collio_bytes_t *out)
{
    encoder_t encoder = {.at = extents, .step = element_bytes, .count = count, .out = out};
    collio_extent_t extent;
    size_t index = 0;
    size_t at = 0;
    int rc = 0;

    for (; 0 == rc && next(&encoder, &index, &extent); at = index) {
        if (!extend(&encoder.row, extent)) {
            if (0 < encoder.row.count) {
                rc = close_row(&encoder);
            }
            encoder.row = (collio_section_t){extent.offset, extent.length, 0, 1};
            encoder.row_at = at;
        }
    }
    if (0 == rc && 0 < encoder.row.count) {
        rc = close_row(&encoder);
    }
    if (0 == rc && 0 < encoder.planes) {
        rc = close_block(&encoder);
    }
    if (0 == rc && 0 < encoder.literals) {
        rc = flush_literals(&encoder);
    }
    return rc;
}
