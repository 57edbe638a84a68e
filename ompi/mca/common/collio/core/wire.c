/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Writes the compact form of extent lists. wire_format.h describes the bytes.
 *
 * Problem: a list of 8-byte pieces is twice as long as the data when sent as pairs of integers.
 * Method:  cuts the list into stretches of extents of one length, because sections and blocks have
 *          one length. Walks a stretch with an open section and an open block, each closed by the
 *          first element that does not fit: extents of equal stride make a section, sections of
 *          equal shape and stride make a block. Sections, blocks and stretches that are too short
 *          become pending literal pieces: a range of the input that is written when a section or
 *          block follows.
 * Cost:    O(n), no memory except the output. A regular list costs 5-20 bytes in total, an
 *          irregular list 2-4 bytes per piece, at most 20.
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

/* Minimum numbers of pieces: shorter sections and blocks are cheaper as literals. */
#define SECTION_MIN 4
#define BLOCK_MIN   6

typedef struct collio_encoder_t {
    const char *last;       /* end of the input, an array of structs that begin with an extent */
    size_t step;            /* bytes of a struct of the input */
    collio_bytes_t *out;    /* output; owned by the caller */
    int64_t end;            /* end offset of the last piece written */
    const char *literal;    /* first pending literal piece, in the input */
    int64_t literals;       /* number of pending literal pieces, after joining */
    int64_t literal_length; /* length of every pending literal piece; 0 if lengths differ */
} encoder_t;

/* A section or block that is still growing. */
typedef struct collio_open_t {
    const char *at; /* first element, in the input */
    int64_t start;  /* offset of the first element */
    int64_t stride; /* distance between starts of elements; 0 if count is 1 */
    int64_t count;  /* number of elements; 0: no section or block is open */
} open_t;

void collio_bytes_fini(collio_bytes_t *bytes)
{
    free(bytes->at);
    *bytes = (collio_bytes_t){0};
}

/* Reserves memory for `n` varints at the end of the output. Returns its address, or NULL. */
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

static inline const int64_t *element(const char *at)
{
    return (const int64_t *) (const void *) at;
}

/* Returns the extent at *at, joined with the extents that continue it. Moves *at behind these and
 * behind empty extents. */
static inline collio_extent_t next(const encoder_t *encoder, const char **at)
{
    collio_extent_t extent = {element(*at)[0], element(*at)[1]};

    for (*at += encoder->step; *at < encoder->last; *at += encoder->step) {
        int64_t length = element(*at)[1];

        if (extent.offset + extent.length != element(*at)[0] && 0 != length) {
            break;
        }
        extent.length += length;
    }
    return extent;
}

static inline uint64_t head(int64_t number, unsigned kind)
{
    return (uint64_t) number << 2 | kind;
}

/* Writes the pending literal pieces, in groups, so that the output grows once for a group. */
static int flush_literals(encoder_t *encoder)
{
    enum { TURN = 256 };
    const char *from = encoder->literal;
    bool same = 0 != encoder->literal_length;
    int64_t end = encoder->end;
    unsigned char *at = room(encoder->out, 2);

    if (NULL == at) {
        return -ENOMEM;
    }
    at = collio_varint_put(at,
                           head(encoder->literals, same ? COLLIO_WIRE_SAME : COLLIO_WIRE_PIECES));
    if (same) {
        at = collio_varint_put(at, (uint64_t) encoder->literal_length);
    }
    while (0 < encoder->literals) {
        int64_t turn = encoder->literals < TURN ? encoder->literals : TURN;

        encoder->literals -= turn;
        taken(encoder->out, at);
        at = room(encoder->out, 2 * TURN);
        if (NULL == at) {
            return -ENOMEM;
        }
        for (; 0 < turn; --turn) {
            collio_extent_t extent = next(encoder, &from);

            at = collio_varint_put(at, collio_zigzag(extent.offset - end));
            if (!same) {
                at = collio_varint_put(at, (uint64_t) extent.length);
            }
            end = extent.offset + extent.length;
        }
    }
    taken(encoder->out, at);
    encoder->end = end;
    return 0;
}

static inline void add_literals(encoder_t *encoder, const char *at, int64_t count, int64_t length)
{
    if (0 == encoder->literals) {
        encoder->literal = at;
        encoder->literal_length = length;
    } else if (length != encoder->literal_length) {
        encoder->literal_length = 0;
    }
    encoder->literals += count;
}

/* Writes a block as BLOCK, or as SECTION if it has one section. `section` has the shape of the
 * block's sections. */
static int write_regular(encoder_t *encoder, const open_t *block, const collio_section_t *section)
{
    bool several = 1 < block->count;
    unsigned char *at = room(encoder->out, 6);

    if (NULL == at) {
        return -ENOMEM;
    }
    at = collio_varint_put(at, several ? head(block->count, COLLIO_WIRE_BLOCK)
                                       : head(section->count, COLLIO_WIRE_SECTION));
    at = collio_varint_put(at, collio_zigzag(block->start - encoder->end));
    at = collio_varint_put(at, (uint64_t) section->length);
    at = collio_varint_put(at, collio_zigzag(section->stride));
    if (several) {
        at = collio_varint_put(at, (uint64_t) section->count);
        at = collio_varint_put(at, collio_zigzag(block->stride));
    }
    taken(encoder->out, at);
    encoder->end = block->start + section->stride * (section->count - 1) + section->length
                   + block->stride * (block->count - 1);
    return 0;
}

/* Writes a block, or adds its pieces to the pending literals if it is too short. `section` has the
 * shape of the block's sections. */
static int close_block(encoder_t *encoder, const open_t *block, const collio_section_t *section)
{
    int64_t pieces = block->count * section->count;
    int rc = 0;

    if (1 == block->count ? SECTION_MIN > pieces : 2 > section->count || BLOCK_MIN > pieces) {
        add_literals(encoder, block->at, pieces, section->length);
        return 0;
    }
    if (0 < encoder->literals) {
        rc = flush_literals(encoder);
    }
    return 0 != rc ? rc : write_regular(encoder, block, section);
}

/* Adds an element to an open section or block; false if it does not fit. */
static inline bool extend(open_t *open, int64_t start)
{
    if (1 == open->count) {
        open->stride = start - open->start;
    } else if ((uint64_t) start
               != (uint64_t) open->start + (uint64_t) open->stride * (uint64_t) open->count) {
        return false; /* unsigned: a sum that overflows int64_t cannot equal an offset */
    }
    open->count++;
    return true;
}

/* Adds a closed row to the open block, or closes the block and opens a new one with the row. */
static int add_row(encoder_t *encoder, const open_t *row, int64_t length, open_t *block,
                   collio_section_t *section)
{
    int rc;

    if (row->count == section->count && row->stride == section->stride
        && extend(block, row->start)) {
        return 0;
    }
    rc = 0 < block->count ? close_block(encoder, block, section) : 0;
    *block = (open_t){row->at, row->start, 0, 1};
    *section = (collio_section_t){row->start, length, row->stride, row->count};
    return rc;
}

/* Encodes the pieces [at, end) of the input, which all have one length. */
static int encode_stretch(encoder_t *encoder, const char *at, const char *end, int64_t length)
{
    open_t row = {0}, block = {0};
    collio_section_t section = {0};
    int rc = 0;

    while (0 == rc && at < end) {
        const char *from = at;
        int64_t offset = next(encoder, &at).offset;

        if (0 < row.count) {
            if (extend(&row, offset)) {
                continue;
            }
            rc = add_row(encoder, &row, length, &block, &section);
        }
        row = (open_t){from, offset, 0, 1};
    }
    if (0 == rc) {
        rc = add_row(encoder, &row, length, &block, &section);
    }
    return 0 != rc ? rc : close_block(encoder, &block, &section);
}

/* Walks one stretch, which begins with *extent. Returns its number of pieces. *from = end of the
 * stretch, *extent = first extent of the next stretch, *at = position behind that extent. */
static inline int64_t stretch(const encoder_t *encoder, const char **from, const char **at,
                              collio_extent_t *extent)
{
    int64_t length = extent->length, count = 1;

    for (*from = *at; *at < encoder->last; *from = *at, ++count) {
        *extent = next(encoder, at);
        if (extent->length != length) {
            return count;
        }
    }
    return count;
}

int collio_wire_encode(const void *extents, size_t count, size_t element_bytes, collio_bytes_t *out)
{
    encoder_t encoder = {.step = element_bytes, .out = out};
    const char *from = extents, *at;
    collio_extent_t extent;

    if (0 == count) {
        return 0; /* the address of an empty list may be NULL */
    }
    encoder.last = from + count * element_bytes;
    while (0 == element(from)[1]) {
        from += element_bytes;
        if (from == encoder.last) {
            return 0;
        }
    }
    at = from;
    extent = next(&encoder, &at);
    while (from < encoder.last) {
        const char *begin = from;
        int64_t length = extent.length;
        int64_t pieces = stretch(&encoder, &from, &at, &extent);

        if (SECTION_MIN > pieces) {
            add_literals(&encoder, begin, pieces, length);
        } else if (0 != encode_stretch(&encoder, begin, from, length)) {
            return -ENOMEM;
        }
    }
    return 0 < encoder.literals ? flush_literals(&encoder) : 0;
}
