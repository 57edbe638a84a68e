/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Build-IO, against walking both streams byte by byte. */
#include "buildio.h"

#include "unit.h"

typedef collio_tiling_t tiling_t;
typedef collio_extent_t extent_t;
typedef collio_segment_t segment_t;
typedef collio_buildio_t buildio_t;

/* Pieces of memory may come in any order. */
static void random_tiling(tiling_t *tiling, int64_t base, bool sorted)
{
    extent_t pieces[8];
    size_t count = (size_t) unit_between(1, 8);
    int64_t at = 0;

    for (size_t i = 0; i < count; ++i) {
        at += unit_below(4);
        pieces[i].offset = at;
        pieces[i].length = unit_between(1, 9);
        at += pieces[i].length;
    }
    at += unit_below(4);
    for (size_t i = 1; i < count && !sorted; ++i) {
        size_t other = (size_t) unit_below((int64_t) i + 1);
        extent_t swap = pieces[i];

        pieces[i] = pieces[other];
        pieces[other] = swap;
    }
    ck_assert_int_eq(0, collio_tiling_init(tiling, base, at, pieces, count));
}

static int64_t locate(const tiling_t *tiling, int64_t stream)
{
    int64_t origin = tiling->base + stream / tiling->size * tiling->extent;

    stream %= tiling->size;
    for (size_t i = 0; i < tiling->count; ++i) {
        if (stream < collio_tiling_length(tiling, i)) {
            return origin + tiling->offset[i] + stream;
        }
        stream -= collio_tiling_length(tiling, i);
    }
    return -1;
}

/* Every byte goes where it belongs, in stream order, and neighbours are joined. */
static void check_request(const tiling_t *file, int64_t first, const tiling_t *memory,
                          int64_t skipped, int64_t bytes, size_t room)
{
    static char base[1];
    segment_t segments[64];
    buildio_t build;
    int64_t done = 0;
    size_t count, total = 0;

    collio_buildio_init(&build, file, first, memory, skipped, base, bytes);
    while (0 < (count = collio_buildio_next(&build, segments, room))) {
        unit_assert(count <= room);
        total += count;
        for (size_t i = 0; i < count; ++i) {
            unit_assert(0 == i
                        || segments[i].offset != segments[i - 1].offset + segments[i - 1].length
                        || segments[i].addr != segments[i - 1].addr + segments[i - 1].length);
            for (int64_t k = 0; k < segments[i].length; ++k) {
                unit_equal(locate(file, first + done), segments[i].offset + k);
                unit_equal(locate(memory, skipped + done),
                           (int64_t) ((uintptr_t) segments[i].addr - (uintptr_t) base) + k);
                ++done;
            }
        }
    }
    unit_equal(bytes, done);
    if (room == 64) { /* N + M - 1, unless the list had to be given out in parts */
        int64_t most = collio_buildio_pieces(file, first, bytes)
                       + collio_buildio_pieces(memory, skipped, bytes) - 1;

        unit_assert(0 == bytes || (int64_t) total <= most + bytes / 64);
    }
}

UNIT_TEST(buildio_random_requests)
{
    for (int round = unit_rounds(3000); 0 < round; --round) {
        tiling_t file, memory;

        random_tiling(&file, unit_below(1000), true);
        random_tiling(&memory, 0, 0 == unit_below(2));
        check_request(&file, unit_below(200), &memory, unit_below(200), unit_below(300),
                      0 == unit_below(2) ? 64 : (size_t) unit_between(1, 5));
        collio_tiling_fini(&file);
        collio_tiling_fini(&memory);
    }
}

UNIT_TEST(buildio_contiguous_is_one_segment)
{
    extent_t all = {0, 1};
    tiling_t file, memory;
    segment_t segments[2];
    buildio_t build;
    char base[1];

    collio_tiling_init(&file, INT64_C(5) << 32, 1, &all, 1);
    collio_tiling_init(&memory, 0, 1, &all, 1);
    collio_buildio_init(&build, &file, 7, &memory, 0, base, INT64_C(3) << 31);
    ck_assert_uint_eq(1, collio_buildio_next(&build, segments, 2));
    ck_assert_int_eq((INT64_C(5) << 32) + 7, segments[0].offset);
    ck_assert_int_eq(INT64_C(3) << 31, segments[0].length);
    ck_assert_uint_eq(0, collio_buildio_next(&build, segments, 2));
    ck_assert_int_eq(1, collio_buildio_pieces(&file, 0, INT64_C(3) << 31));
    collio_tiling_fini(&file);
    collio_tiling_fini(&memory);
}

UNIT_TEST(buildio_packed_follows_the_file)
{
    extent_t pieces[] = {{2, 3}, {10, 1}};
    tiling_t file;
    segment_t segments[8];
    buildio_t build;
    char packed[8];

    collio_tiling_init(&file, 100, 20, pieces, 2);
    collio_buildio_init_packed(&build, &file, 1, packed, 7);
    ck_assert_uint_eq(4, collio_buildio_next(&build, segments, 8));
    ck_assert_int_eq(103, segments[0].offset);
    ck_assert_int_eq(2, segments[0].length);
    ck_assert_int_eq(110, segments[1].offset);
    ck_assert_int_eq(122, segments[2].offset);
    ck_assert_int_eq(3, segments[2].length);
    ck_assert(packed + 3 == segments[2].addr);
    ck_assert_int_eq(110 + 20, segments[3].offset);
    collio_tiling_fini(&file);
}

UNIT_TEST(buildio_nothing)
{
    tiling_t empty;
    segment_t segment;
    buildio_t build;

    collio_tiling_init(&empty, 0, 0, NULL, 0);
    collio_buildio_init(&build, &empty, 0, &empty, 0, NULL, 0);
    ck_assert_uint_eq(0, collio_buildio_next(&build, &segment, 1));
    ck_assert_int_eq(0, collio_buildio_pieces(&empty, 0, 100));
    collio_tiling_fini(&empty);
}
