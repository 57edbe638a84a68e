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
 *   irregular    each piece as (gap from the last end, length)    2-4 bytes per piece
 *
 * Lists are in the order of the sender's packed data. Gaps may be negative (overlapping or
 * unsorted read requests), so decoding returns any list in its original order.
 */
typedef struct collio_section_t {
    int64_t start;  /* offset of the first piece */
    int64_t length; /* bytes of each piece */
    int64_t stride; /* distance between starts of pieces; 0 if count is 1 */
    int64_t count;  /* number of pieces */
} collio_section_t;

/** A growable byte array. All-zero is a valid empty array. */
typedef struct collio_bytes_t {
    unsigned char *at; /* the bytes; owned by this struct */
    size_t count;      /* number of bytes */
    size_t capacity;   /* number of bytes that `at` has memory for */
} collio_bytes_t;

void collio_bytes_fini(collio_bytes_t *bytes);

/** Appends the compact form of a list, without empty extents, to `out`. 0 or -ENOMEM. */
int collio_wire_encode(const collio_extents_t *list, collio_bytes_t *out);

/** Appends the decoded list to `list`. Checks all input: returns 0, -ENOMEM, or -EBADMSG for
 *  malformed bytes, more than `max_extents` extents, or offsets that overflow. */
int collio_wire_decode(const unsigned char *bytes, size_t count, size_t max_extents,
                       collio_extents_t *list);

/** Like collio_wire_decode, for extents inside [0, size), such as local coordinates of a file
 *  domain. It returns -EBADMSG for an extent outside, too. Extents of a read may overlap, so there
 *  may be more than `size` of them. */
int collio_wire_decode_within(const unsigned char *bytes, size_t count, size_t max_extents,
                              int64_t size, collio_extents_t *list);

#endif /* COLLIO_WIRE_H */
