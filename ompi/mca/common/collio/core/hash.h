/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HASH_H
#define COLLIO_HASH_H

#include <stddef.h>
#include <stdint.h>

/** FNV-1a, 64 bits: the hash of no bytes, which is the first value of every hash. */
#define COLLIO_HASH_BASIS UINT64_C(14695981039346656037)

/** Adds bytes to a hash. Two calls give the same hash as one call with all bytes. */
static inline uint64_t collio_hash(uint64_t hash, const void *data, size_t count)
{
    const unsigned char *bytes = data;

    for (size_t i = 0; i < count; ++i) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

/** Returns the hash without its lowest bit: not negative, so that a reduction can negate it. */
static inline int64_t collio_hash_positive(uint64_t hash)
{
    return (int64_t) (hash >> 1);
}

#endif /* COLLIO_HASH_H */
