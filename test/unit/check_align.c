/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Alignment: which unit for which file system, and what domains and windows make of it. */
#include "align.h"
#include "file_system.h"

#include "unit.h"

enum { KIB = 1024, MIB = 1024 * 1024 };
enum { NFS = 0x6969, FUSE = 0x65735546, GPFS = 0x47504653, EXT4 = 0xef53, TMPFS = 0x01021994 };

typedef collio_align_t align_t;
typedef collio_align_facts_t facts_t;

static const struct {
    const char *what;
    facts_t facts; /* magic, Lustre, stripe, block, set */
    align_t align; /* unit, source, strict */
} choices[] = {
    {"ext4", {EXT4, false, 0, 4096, 0}, {1, COLLIO_ALIGN_NONE, false}},
    {"tmpfs", {TMPFS, false, 0, 4096, 0}, {1, COLLIO_ALIGN_NONE, false}},
    {"unknown", {0, false, 0, 1 * MIB, 0}, {1, COLLIO_ALIGN_NONE, false}},
    {"a stripe means nothing on ext4",
     {EXT4, false, 64 * KIB, 4096, 0},
     {1, COLLIO_ALIGN_NONE, false}},
    {"NFS", {NFS, false, 0, 1 * MIB, 0}, {1 * MIB, COLLIO_ALIGN_BLOCK, false}},
    {"GlusterFS", {FUSE, false, 0, 128 * KIB, 0}, {128 * KIB, COLLIO_ALIGN_BLOCK, false}},
    {"GPFS", {GPFS, false, 0, 16 * MIB, 0}, {16 * MIB, COLLIO_ALIGN_BLOCK, false}},
    {"stripe before block",
     {0x19830326, false, 512 * KIB, 4096, 0},
     {512 * KIB, COLLIO_ALIGN_STRIPE, false}},
    {"no block", {NFS, false, 0, 0, 0}, {4096, COLLIO_ALIGN_BLOCK, false}},
    {"a block below a page", {NFS, false, 0, 512, 0}, {4096, COLLIO_ALIGN_BLOCK, false}},
    {"no whole pages", {NFS, false, 0, 10000, 0}, {4096, COLLIO_ALIGN_BLOCK, false}},
    {"no file system has such blocks",
     {FUSE, false, 0, INT64_C(1) << 31, 0},
     {4096, COLLIO_ALIGN_BLOCK, false}},
    {"Lustre", {0x0bd00bd0, true, 1 * MIB, 4 * MIB, 0}, {1 * MIB, COLLIO_ALIGN_STRIPE, true}},
    {"Lustre, stripes of any size", {EXT4, true, 5000, 0, 0}, {5000, COLLIO_ALIGN_STRIPE, true}},
    {"Lustre without a component for it",
     {0x0bd00bd0, false, 0, 4 * MIB, 0},
     {4 * MIB, COLLIO_ALIGN_BLOCK, false}},
    {"Lustre, stripes that are not known",
     {0x0bd00bd0, true, 0, 4 * MIB, 0},
     {4 * MIB, COLLIO_ALIGN_BLOCK, false}},
    {"set", {EXT4, false, 0, 4096, 8192}, {8192, COLLIO_ALIGN_SET, true}},
    {"set wins over stripes", {0x0bd00bd0, true, 1 * MIB, 0, 100}, {100, COLLIO_ALIGN_SET, true}},
    {"switched off", {NFS, false, 0, 1 * MIB, 1}, {1, COLLIO_ALIGN_SET, true}},
};

static bool same(const align_t *a, const align_t *b)
{
    return a->unit == b->unit && a->source == b->source && a->strict == b->strict;
}

UNIT_TEST(align_by_file_system)
{
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); ++i) {
        align_t align = collio_align_choose(&choices[i].facts);
        align_t back = collio_align_unpack(collio_align_pack(&align));

        ck_assert_msg(same(&align, &choices[i].align), "%s: unit %" PRId64 ", source %d, strict %d",
                      choices[i].what, align.unit, (int) align.source, align.strict);
        ck_assert_msg(same(&align, &back), "%s: lost on the way", choices[i].what);
    }
}

UNIT_TEST(align_largest_unit_wins)
{
    align_t local = {1, COLLIO_ALIGN_NONE, false};
    align_t page = {4096, COLLIO_ALIGN_SET, true};
    align_t block = {8192, COLLIO_ALIGN_BLOCK, false};
    align_t beyond = collio_align_choose(&(facts_t){.set_bytes = INT64_MAX});

    ck_assert(collio_align_pack(&local) < collio_align_pack(&page));
    ck_assert(collio_align_pack(&page) < collio_align_pack(&block));
    ck_assert(collio_align_pack(&block) < collio_align_pack(&beyond));
}

UNIT_TEST(align_networks)
{
    ck_assert(collio_file_system_on_network(NFS));
    ck_assert(collio_file_system_on_network(FUSE));
    ck_assert(collio_file_system_on_network(0x0bd00bd0));
    ck_assert(!collio_file_system_on_network(EXT4));
    ck_assert(!collio_file_system_on_network(0));
    ck_assert(collio_file_system_in_memory(0x01021994)); /* tmpfs */
    ck_assert(collio_file_system_in_memory(0x858458f6)); /* ramfs */
    ck_assert(!collio_file_system_in_memory(EXT4));
    ck_assert(collio_file_system_interruptible(0x65735546)); /* FUSE */
    ck_assert(!collio_file_system_interruptible(EXT4));
}

UNIT_TEST(align_domains_of_small_requests)
{
    align_t block = {16 * MIB, COLLIO_ALIGN_BLOCK, false};
    align_t stripe = {16 * MIB, COLLIO_ALIGN_STRIPE, true};

    unit_equal(16 * MIB, collio_align_domains(&block, INT64_C(1) << 30, 4));
    unit_equal(2 * MIB, collio_align_domains(&block, 32 * MIB, 4));
    unit_equal(4096, collio_align_domains(&block, 100, 4));
    unit_equal(4096, collio_align_domains(&block, 0, 1));
    unit_equal(16 * MIB, collio_align_domains(&stripe, 100, 4));
    unit_equal(1, collio_align_domains(&(align_t){.unit = 1}, 100, 4));
}

/* Never empty-handed, never an imbalance above a quarter unless units are pages, always a part of
 * the unit. */
UNIT_TEST(align_domains_random)
{
    for (int round = unit_rounds(20000); 0 < round; --round) {
        align_t align = {4096 * unit_between(1, 4096), COLLIO_ALIGN_BLOCK, false};
        int64_t span = unit_between(0, INT64_C(1) << 40) >> unit_below(40);
        int aggregators = (int) unit_between(1, 3000);
        int64_t unit = collio_align_domains(&align, span, aggregators);

        unit_assert(unit >= 4096 && 0 == unit % 4096 && 0 == align.unit % unit);
        unit_assert(0 != unit % 8192 || span / unit >= 4 * (int64_t) aggregators
                    || unit < align.unit || 0 != align.unit % 8192);
    }
}

UNIT_TEST(align_windows)
{
    align_t none = {1, COLLIO_ALIGN_NONE, false};
    align_t block = {128 * KIB, COLLIO_ALIGN_BLOCK, false};
    align_t odd = {3 * 4096, COLLIO_ALIGN_SET, true};

    unit_equal(8 * MIB, collio_align_window(&block, 8 * MIB));
    unit_equal(8 * MIB, collio_align_window(&block, 8 * MIB + 130000));
    unit_equal(64 * KIB, collio_align_window(&block, 100 * KIB));
    unit_equal(4096, collio_align_window(&block, 5000));
    unit_equal(1000, collio_align_window(&block, 1000));
    unit_equal(1, collio_align_window(&block, 0));
    unit_equal(8192, collio_align_window(&none, 10000));
    unit_equal(100, collio_align_window(&none, 100));
    unit_equal(24576, collio_align_window(&odd, 30000));
    unit_equal(10000, collio_align_window(&odd, 10000));
}

UNIT_TEST(align_in_words)
{
    static const struct {
        align_t align;
        const char *text;
    } row[] = {
        {{1, COLLIO_ALIGN_NONE, false}, "none, a local file system"},
        {{131072, COLLIO_ALIGN_BLOCK, false}, "131072 bytes, the file system's block"},
        {{1 << 20, COLLIO_ALIGN_STRIPE, true}, "1048576 bytes, the file's stripe"},
        {{4096, COLLIO_ALIGN_SET, true}, "4096 bytes, as it was set"},
        {{1, COLLIO_ALIGN_SET, true}, "none, as it was set"},
    };
    char text[64];

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        collio_align_format(&row[i].align, text, sizeof(text));
        ck_assert_str_eq(row[i].text, text);
    }
}
