/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* FNV-1a against the vectors that its authors publish, and hashes in parts. */
#include "hash.h"

#include <string.h>

#include "unit.h"

static uint64_t hash_of(const char *text, size_t bytes)
{
    return collio_hash(COLLIO_HASH_BASIS, text, bytes);
}

UNIT_TEST(hash_published_vectors)
{
    static const struct {
        const char *text;
        uint64_t hash;
    } vectors[] = {
        {"", UINT64_C(0xcbf29ce484222325)},
        {"a", UINT64_C(0xaf63dc4c8601ec8c)},
        {"b", UINT64_C(0xaf63df4c8601f1a5)},
        {"foo", UINT64_C(0xdcb27518fed9d577)},
        {"foobar", UINT64_C(0x85944171f73967e8)},
        {"chongo was here!\n", UINT64_C(0x46810940eff5f915)},
    };

    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); ++i) {
        ck_assert_uint_eq(vectors[i].hash, hash_of(vectors[i].text, strlen(vectors[i].text)));
    }
    ck_assert_uint_eq(UINT64_C(0xaf63bd4c8601b7df), hash_of("", 1)); /* one zero byte */
}

UNIT_TEST(hash_in_parts)
{
    ck_assert_uint_eq(hash_of("foobar", 6), collio_hash(hash_of("foo", 3), "bar", 3));
}

UNIT_TEST(hash_positive_is_not_negative)
{
    ck_assert_int_eq(INT64_MAX, collio_hash_positive(UINT64_MAX));
    ck_assert_int_eq(0, collio_hash_positive(1));
}
