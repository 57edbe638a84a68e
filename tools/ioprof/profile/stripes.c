/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/stripes.h"

/* Layouts, little endian. Plain: magic u32, pattern u32, 16 bytes, stripe size u32, stripe count
 * u16. Composite: magic u32, 10 bytes, number of entries u16, 16 bytes; each entry has 48 bytes: id
 * u32, flags u32, begin u64, end u64, offset and size of a plain layout u32. */
#define MAGIC_V1    0x0bd10bd0U
#define MAGIC_V3    0x0bd30bd0U
#define MAGIC_COMP  0x0bd60bd0U
#define PATTERN_MDT 0x100U /* data on the metadata server: no stripes */
#define ENTRY_INIT  0x10U  /* the component exists */
#define PLAIN_BYTES 32
#define COMP_BYTES  32
#define ENTRY_BYTES 48
#define MANY        0xffffU /* stripe count of "all servers" in a layout that does not exist yet */

static uint64_t number(const unsigned char *at, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t) at[i] << (8 * i);
    }
    return value;
}

static struct ioprof_stripes plain(const unsigned char *data, size_t bytes)
{
    struct ioprof_stripes none = {0, 0}, found;

    if (bytes < PLAIN_BYTES || 0 != (number(data + 4, 4) & PATTERN_MDT)) {
        return none;
    }
    found = (struct ioprof_stripes){number(data + 24, 4), number(data + 28, 2)};
    return 0 == found.bytes || 0 == found.count || MANY == found.count ? none : found;
}

static struct ioprof_stripes composite(const unsigned char *data, size_t bytes)
{
    struct ioprof_stripes found = {0, 0};
    uint64_t entries = bytes < COMP_BYTES ? 0 : number(data + 14, 2);

    for (uint64_t i = 0; i < entries && COMP_BYTES + (i + 1) * ENTRY_BYTES <= bytes; i++) {
        const unsigned char *entry = data + COMP_BYTES + i * ENTRY_BYTES;
        uint64_t offset = number(entry + 24, 4), size = number(entry + 28, 4);

        if (0 != (number(entry + 4, 4) & ENTRY_INIT) && offset <= bytes && size <= bytes - offset) {
            struct ioprof_stripes part = plain(data + offset, size);

            found = 0 != part.bytes ? part : found;
        }
    }
    return found;
}

struct ioprof_stripes ioprof_lustre_stripes(const unsigned char *data, size_t bytes)
{
    uint64_t magic = bytes < 4 ? 0 : number(data, 4);

    if (MAGIC_COMP == magic) {
        return composite(data, bytes);
    }
    return MAGIC_V1 == magic || MAGIC_V3 == magic ? plain(data, bytes)
                                                  : (struct ioprof_stripes){0, 0};
}
