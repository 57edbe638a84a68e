/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_WIRE_H
#define COLLIO_WIRE_H

#include "extent.h"

/**
 * The compact form of an extent list: *regular sections* (start, length, stride, count), and
 * sections of sections, written as variable-length integers.
 *
 *   extents      [0,8) [32,8) [64,8) ... 100 of them            1600 bytes
 *   section      start 0, length 8, stride 32, count 100           ~6 bytes on the wire
 *   irregular    each piece as (gap from the last end, length)    2-4 bytes a piece
 *
 * Lists are in the order of the sender's packed data. Gaps may be negative (overlapping or
 * unsorted read requests), so any list survives the round trip, in order.
 */
typedef struct collio_section_t {
    int64_t start;
    int64_t length;
    int64_t stride; /* between starts; 0 when count is 1 */
    int64_t count;
} collio_section_t;

/** A growable byte buffer. All-zero is a valid empty one. */
typedef struct collio_bytes_t {
    unsigned char *at;
    size_t count;
    size_t capacity;
} collio_bytes_t;

void collio_bytes_fini(collio_bytes_t *bytes);

/** Appends the compact form of the list. `stride_bytes` between array elements lets a caller
 *  encode an array of larger structs whose first two members are offset and length (an
 *  extent_t, or a piece_t). Neighbours that touch exactly are joined. 0 or -ENOMEM. */
int collio_wire_encode(const void *extents, size_t count, size_t element_bytes,
                       collio_bytes_t *out);

/** Appends the decoded list to `list`. Never trusts the peer: -EBADMSG on any malformed or
 *  absurd input (more than `max_extents`, overflow, trailing bytes); -ENOMEM. */
int collio_wire_decode(const unsigned char *bytes, size_t count, size_t max_extents,
                       collio_extents_t *list);

/** The same for a list of extents inside [0, size): -EBADMSG if one lies outside, or if there are
 *  more than `size` of them. For offsets in a domain, whose size the receiver knows. */
int collio_wire_decode_within(const unsigned char *bytes, size_t count, int64_t size,
                              collio_extents_t *list);

#endif /* COLLIO_WIRE_H */
