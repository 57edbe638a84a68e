/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_VARINT_H
#define COLLIO_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Variable-length integers: seven bits per byte, lowest first; the top bit is set if more bytes
 * follow. Signed integers are zigzagged first (0, -1, 1, -2, ... -> 0, 1, 2, 3, ...), so that small
 * integers of either sign are short.
 */
#define COLLIO_VARINT_MAX 10 /* maximum bytes of a variable-length integer */

static inline unsigned char *collio_varint_put(unsigned char *at, uint64_t value)
{
    while (0x80 <= value) {
        *at++ = (unsigned char) (value | 0x80);
        value >>= 7;
    }
    *at++ = (unsigned char) value;
    return at;
}

static inline uint64_t collio_zigzag(int64_t value)
{
    return ((uint64_t) value << 1) ^ (0 > value ? UINT64_MAX : 0);
}

static inline int64_t collio_unzigzag(uint64_t value)
{
    return (int64_t) (value >> 1) ^ -(int64_t) (value & 1);
}

/** Reads an integer and moves *at past it. False if the bytes end, or for more than 64 bits. */
static inline bool collio_varint_get(const unsigned char **at, const unsigned char *end,
                                     uint64_t *value)
{
    const unsigned char *byte = *at;
    uint64_t sum = 0;

    for (unsigned shift = 0; byte < end && 64 > shift; shift += 7) {
        uint64_t bits = *byte & 0x7f;

        if (63 == shift && 1 < bits) {
            return false;
        }
        sum |= bits << shift;
        if (0x80 > *byte++) {
            *at = byte;
            *value = sum;
            return true;
        }
    }
    return false;
}

#endif /* COLLIO_VARINT_H */
