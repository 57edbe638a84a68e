/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_WIRE_FORMAT_H
#define COLLIO_WIRE_FORMAT_H

/**
 * The bytes of an encoded list: operations, each with a head = number * 4 + kind and arguments. All
 * are varints (z: zigzagged). A gap is the distance from the end of the previous piece (at first
 * from 0), a stride the distance between starts. The list has no end mark.
 *
 *   PIECES   n      n x (z gap, length)                              irregular
 *   SAME     n      length, n x (z gap)                              irregular, all of one length
 *   SECTION  n      z gap, length, z stride                          n pieces, e.g. rows of a tile
 *   BLOCK    n      z gap, length, z stride, rows, z outer stride    n sections of `rows` pieces,
 *                                                                    e.g. the planes of a 3-D block
 */
enum {
    COLLIO_WIRE_PIECES = 0,
    COLLIO_WIRE_SAME = 1,
    COLLIO_WIRE_SECTION = 2,
    COLLIO_WIRE_BLOCK = 3
};

#endif /* COLLIO_WIRE_FORMAT_H */
