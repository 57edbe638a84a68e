/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Writes the compact form of extent lists. wire_format.h describes the bytes.
 *
 * Problem: a list of 8-byte pieces is twice as long as the data when sent as pairs of integers.
 * Method:  one pass. Writes pieces as literals, and compares each piece with the next three. If a
 *          section (extents of equal length and stride) or a block (sections of equal shape and
 *          stride) may begin there, measures it, and writes it if it is long enough. The number of
 *          literals is written in front of them when they end.
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

enum {
    SECTION_MIN = 4, /* pieces of the shortest section: fewer pieces are cheaper as literals */
    BLOCK_MIN = 6,   /* pieces of the shortest block */
    SAME_MIN = 8,    /* with at least as many literals of one length, that length is written once */
    LITERALS_MAX = 256 /* literals of one operation: the output grows once for all of them */
};

typedef struct collio_encoder_t {
    const collio_extent_t *last; /* end of the input */
    collio_bytes_t *out;         /* output; owned by the caller */
    int64_t end;                 /* end offset of the last piece written */
} encoder_t;

void collio_bytes_fini(collio_bytes_t *bytes)
{
    free(bytes->at);
    *bytes = (collio_bytes_t){0};
}

/* Reserves memory for `n` varints at the end of the output. Returns its address, or NULL. */
static inline unsigned char *wire_room(collio_bytes_t *out, size_t n)
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

static inline uint64_t head(uint64_t number, unsigned kind)
{
    return number << 2 | kind;
}

/* True if a section or block may start at `at`: only if four pieces have one length and the
 * first stride is also the second one, or the third one (rows of two pieces). */
static inline bool looks_regular(const encoder_t *encoder, const collio_extent_t *at)
{
    if (encoder->last - at < SECTION_MIN || at[0].length != at[1].length) {
        return false;
    }
    return at[0].length == at[2].length && at[0].length == at[3].length
           && (at[1].offset - at[0].offset == at[2].offset - at[1].offset
               || at[1].offset - at[0].offset == at[3].offset - at[2].offset);
}

/* True if SAME_MIN pieces of one length start at `at`. */
static bool same_length(const encoder_t *encoder, const collio_extent_t *at)
{
    if (encoder->last - at < SAME_MIN) {
        return false;
    }
    for (int i = 1; i < SAME_MIN; ++i, ++at) {
        if (at[0].length != at[1].length) {
            return false;
        }
    }
    return true;
}

/* Writes at least one literal starting at *from, and moves *from past them. 0 or -ENOMEM. */
static int write_literals(encoder_t *encoder, const collio_extent_t **from)
{
    const encoder_t input = *encoder; /* the compiler can keep local copies in registers */
    const collio_extent_t *at = *from, *stop = input.last;
    bool same = same_length(encoder, at);
    int64_t length = at->length, end = input.end;
    unsigned char *begin = wire_room(input.out, 2 * LITERALS_MAX + 2), *to;
    uint64_t count;

    if (NULL == begin) {
        return -ENOMEM;
    }
    stop = stop - at < LITERALS_MAX ? stop : at + LITERALS_MAX;
    to = begin + 2; /* the head has two bytes, and is written last */
    if (same) {
        to = collio_varint_put(to, (uint64_t) length);
    }
    do {
        if (same && length != at->length) {
            break;
        }
        to = collio_varint_put(to, collio_zigzag(at->offset - end));
        if (!same) {
            to = collio_varint_put(to, (uint64_t) at->length);
        }
        end = at->offset + at->length;
    } while (++at < stop && !looks_regular(&input, at));
    count = head((uint64_t) (at - *from), same ? COLLIO_WIRE_SAME : COLLIO_WIRE_PIECES);
    begin[0] = (unsigned char) (count | 0x80);
    begin[1] = (unsigned char) (count >> 7);
    taken(input.out, to);
    encoder->end = end;
    *from = at;
    return 0;
}

/* Returns the section that begins at *at, and moves *at past it. */
static collio_section_t next_section(const encoder_t *encoder, const collio_extent_t **at)
{
    const collio_extent_t *extent = *at;
    collio_section_t section = {extent->offset, extent->length, 0, 1};

    while (++extent < encoder->last && extent->length == section.length
           && (1 == section.count || extent[0].offset - extent[-1].offset == section.stride)) {
        section.stride = extent[0].offset - extent[-1].offset;
        ++section.count;
    }
    *at = extent;
    return section;
}

/* Returns the first section of the block that begins at *at, and moves *at past the block.
 * *count = number of sections, *stride = distance between their starts. */
static collio_section_t next_block(const encoder_t *encoder, const collio_extent_t **at,
                                   int64_t *count, int64_t *stride)
{
    collio_section_t first = next_section(encoder, at);
    int64_t start = first.start;

    *count = 1;
    *stride = 0;
    for (const collio_extent_t *past = *at; past < encoder->last; *at = past, ++*count) {
        collio_section_t other = next_section(encoder, &past);

        if (other.length != first.length || other.stride != first.stride
            || other.count != first.count || (1 < *count && other.start - start != *stride)) {
            break;
        }
        *stride = other.start - start;
        start = other.start;
    }
    return first;
}

/* Writes the section or block that begins at *from, and moves *from past it. Returns the number
 * of its pieces, 0 if it is too short, or -ENOMEM. */
static int64_t write_regular(encoder_t *encoder, const collio_extent_t **from)
{
    const collio_extent_t *past = *from;
    int64_t count, stride;
    collio_section_t section = next_block(encoder, &past, &count, &stride);
    bool block = 1 < count;
    unsigned char *at;

    if (block ? 2 > section.count || BLOCK_MIN > count * section.count
              : SECTION_MIN > section.count) {
        return 0;
    }
    at = wire_room(encoder->out, 6);
    if (NULL == at) {
        return -ENOMEM;
    }
    at = collio_varint_put(at, block ? head((uint64_t) count, COLLIO_WIRE_BLOCK)
                                     : head((uint64_t) section.count, COLLIO_WIRE_SECTION));
    at = collio_varint_put(at, collio_zigzag(section.start - encoder->end));
    at = collio_varint_put(at, (uint64_t) section.length);
    at = collio_varint_put(at, collio_zigzag(section.stride));
    if (block) {
        at = collio_varint_put(at, (uint64_t) section.count);
        at = collio_varint_put(at, collio_zigzag(stride));
    }
    taken(encoder->out, at);
    encoder->end = section.start + section.stride * (section.count - 1) + section.length
                   + stride * (count - 1);
    *from = past;
    return count * section.count;
}

int collio_wire_encode(const collio_extents_t *list, collio_bytes_t *out)
{
    encoder_t encoder = {.out = out};
    const collio_extent_t *at = list->at;

    if (0 == list->count) {
        return 0; /* the address of an empty list may be NULL */
    }
    encoder.last = at + list->count;
    while (at < encoder.last) {
        int64_t written = looks_regular(&encoder, at) ? write_regular(&encoder, &at) : 0;

        if (0 > written || (0 == written && 0 != write_literals(&encoder, &at))) {
            return -ENOMEM;
        }
    }
    return 0;
}
