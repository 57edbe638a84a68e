/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Shapes, places and ranges of requests, against offsets of every byte in 128 bits. */
#include "tiling.h"

#include <errno.h>

#include "unit.h"

typedef collio_tiling_t tiling_t;
typedef collio_extent_t extent_t;
__extension__ typedef __int128 wide_t;

static void make(tiling_t *tiling, int64_t base, int64_t extent, const extent_t *pieces,
                 size_t count)
{
    ck_assert_int_eq(0, collio_tiling_init(tiling, base, extent, pieces, count));
}

/* Offset of one byte of the stream, from the definition. */
static wide_t byte_at(const tiling_t *tiling, int64_t stream)
{
    int64_t within = stream % tiling->size;
    size_t i = 0;

    while (within >= collio_tiling_length(tiling, i)) {
        within -= collio_tiling_length(tiling, i++);
    }
    return (wide_t) tiling->base + (wide_t) (stream / tiling->size) * tiling->extent
           + tiling->offset[i] + within;
}

UNIT_TEST(place_shapes_that_differ)
{
    static const struct {
        int64_t base, extent;
        extent_t piece[2];
        size_t count;
        bool same;
    } row[] = {
        {1000, 16, {{0, 4}, {8, 4}}, 2, true}, {0, 16, {{100, 4}, {108, 4}}, 2, true},
        {0, 17, {{0, 4}, {8, 4}}, 2, false},   {0, 16, {{0, 4}}, 1, false},
        {0, 16, {{0, 4}, {9, 4}}, 2, false},   {0, 16, {{0, 5}, {8, 3}}, 2, false},
        {0, 16, {{8, 4}, {0, 4}}, 2, false},   {0, 0, {{0, 0}}, 0, false},
    };
    extent_t pieces[] = {{0, 4}, {8, 4}};
    tiling_t a, b;

    make(&a, 0, 16, pieces, 2);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        make(&b, row[i].base, row[i].extent, row[i].piece, row[i].count);
        ck_assert_msg(row[i].same == collio_tiling_same_shape(&a, &b), "row %zu", i);
        collio_tiling_fini(&b);
    }
    collio_tiling_fini(&a);
}

/* Types that begin somewhere: dense ones, which all have one shape, were once all taken to begin
 * at their displacement. */
UNIT_TEST(place_of_a_dense_type_that_begins_inside)
{
    for (int64_t at = 0; at < 5000; at += 1000) {
        extent_t piece = {at, 24};
        tiling_t tiling;
        int64_t anchor, phase;

        make(&tiling, 7, 24, &piece, 1);
        ck_assert(tiling.dense);
        collio_tiling_place(&tiling, 30, &anchor, &phase);
        ck_assert_int_eq(7 + at + 30, anchor);
        ck_assert_int_eq(0, phase);
        collio_tiling_fini(&tiling);
    }
}

enum { MOST_PIECES = 5, BYTES = 200 };

/* Few different values, so that two tilings are often alike. */
static void random_tiling(tiling_t *tiling)
{
    extent_t pieces[MOST_PIECES];
    size_t count = (size_t) unit_between(0, 3);
    int64_t first = unit_below(4) * 8, at = first;

    for (size_t i = 0; i < count; ++i) {
        pieces[i] = (extent_t){at, 4 * unit_between(1, 2)};
        at += pieces[i].length + 8 * unit_below(2);
    }
    if (1 < count && 0 == unit_below(4)) {
        extent_t swap = pieces[0];

        pieces[0] = pieces[1];
        pieces[1] = swap;
    }
    make(tiling, unit_below(3) * 100, at - first + 8 * unit_below(2), pieces, count);
}

/* What a plan relies on. */
UNIT_TEST(place_random_shapes_tell_every_offset)
{
    int alike = 0;

    for (int round = unit_rounds(20000); 0 < round; --round) {
        int64_t s = unit_below(60), t = unit_below(60), from, to, phase_a, phase_b;
        tiling_t a, b;

        random_tiling(&a);
        random_tiling(&b);
        collio_tiling_place(&a, s, &from, &phase_a);
        collio_tiling_place(&b, t, &to, &phase_b);
        if (0 < a.size && phase_a == phase_b && collio_tiling_same_shape(&a, &b)) {
            for (int64_t i = 0; i < BYTES; ++i) {
                unit_equal(to - from, byte_at(&b, t + i) - byte_at(&a, s + i));
            }
            ++alike;
        }
        collio_tiling_fini(&a);
        collio_tiling_fini(&b);
    }
    ck_assert(alike > 100 || unit_rounds(1000) < 1000);
}

UNIT_TEST(range_that_wraps_to_a_valid_offset)
{
    static const int64_t extents[] = {INT64_C(1) << 60, INT64_C(1) << 61, INT64_C(1) << 62,
                                      INT64_C(3) << 60, INT64_MAX};
    extent_t byte = {0, 1};
    tiling_t tiling;
    int64_t lo, hi;

    for (size_t i = 0; i < sizeof(extents) / sizeof(extents[0]); ++i) {
        make(&tiling, 0, extents[i], &byte, 1);
        ck_assert_int_eq(0, collio_tiling_range(&tiling, 0, 1, &lo, &hi));
        ck_assert_int_eq(-EOVERFLOW, collio_tiling_range(&tiling, 0, 100, &lo, &hi));
        ck_assert_int_eq(-EOVERFLOW, collio_tiling_range(&tiling, 16, 1, &lo, &hi));
        ck_assert_int_eq(-EOVERFLOW, collio_tiling_range(&tiling, INT64_MAX, 1, &lo, &hi));
        collio_tiling_fini(&tiling);
    }
    make(&tiling, 0, INT64_C(1) << 60, &byte, 1); /* seven fit, the eighth is at 2^63 - 2^60 */
    ck_assert_int_eq(0, collio_tiling_range(&tiling, 0, 8, &lo, &hi));
    ck_assert_int_eq(7 * (INT64_C(1) << 60) + 1, hi);
    ck_assert_int_eq(-EOVERFLOW, collio_tiling_range(&tiling, 0, 9, &lo, &hi));
    collio_tiling_fini(&tiling);
}

UNIT_TEST(range_refuses_what_no_file_has)
{
    extent_t before = {-8, 4};
    extent_t last = {INT64_MAX - 4, 8};
    extent_t huge[] = {{0, INT64_MAX - 1}, {INT64_MAX - 1, 1}, {3, INT64_MAX - 10}};
    extent_t dense = {0, 10};
    tiling_t tiling;
    int64_t lo, hi;

    make(&tiling, 0, 16, &before, 1);
    ck_assert_int_eq(-EOVERFLOW, collio_tiling_range(&tiling, 0, 1, &lo, &hi));
    collio_tiling_fini(&tiling);
    make(&tiling, 8, 16, &before, 1);
    ck_assert_int_eq(0, collio_tiling_range(&tiling, 0, 4, &lo, &hi));
    ck_assert_int_eq(0, lo);
    collio_tiling_fini(&tiling);
    make(&tiling, 0, 16, &last, 1);
    ck_assert(tiling.overflow);
    collio_tiling_fini(&tiling);
    make(&tiling, 0, INT64_MAX, huge, 3);
    ck_assert_int_eq(-EOVERFLOW, collio_tiling_range(&tiling, 0, 1, &lo, &hi));
    collio_tiling_fini(&tiling);
    make(&tiling, 100, 10, &dense, 1);
    ck_assert_int_eq(0, collio_tiling_range(&tiling, INT64_MAX - 200, 50, &lo, &hi));
    ck_assert_int_eq(-EOVERFLOW, collio_tiling_range(&tiling, INT64_MAX - 200, 150, &lo, &hi));
    ck_assert_int_eq(-EOVERFLOW, collio_tiling_range(&tiling, 0, INT64_MAX, &lo, &hi));
    ck_assert_int_eq(-EOVERFLOW, collio_tiling_range(&tiling, -1, 5, &lo, &hi));
    ck_assert_int_eq(0, collio_tiling_range(&tiling, 5, 0, &lo, &hi));
    collio_tiling_fini(&tiling);
}

/* Extents of all sizes, also backwards and to the limits: the range is that of every byte. */
UNIT_TEST(range_random_against_every_byte)
{
    for (int round = unit_rounds(20000); 0 < round; --round) {
        int64_t bytes = unit_between(1, 60), first, lo, hi;
        wide_t least, most;
        bool valid;
        tiling_t tiling;

        random_tiling(&tiling);
        if (0 == tiling.size) {
            collio_tiling_fini(&tiling);
            continue;
        }
        if (0 != unit_below(3)) {
            tiling.extent = (int64_t) (unit_bits() >> unit_between(1, 62))
                            * (unit_below(4) ? 1 : -1);
            tiling.ascending = false;
            tiling.dense = false;
        }
        first = 0 == unit_below(3) ? (int64_t) (unit_bits() >> unit_between(1, 63))
                                   : unit_below(90);
        first = first > INT64_MAX - bytes ? INT64_MAX - bytes : first;
        least = most = byte_at(&tiling, first);
        for (int64_t i = 0; i < bytes; ++i) {
            wide_t at = byte_at(&tiling, first + i);

            least = at < least ? at : least;
            most = at + 1 > most ? at + 1 : most;
        }
        valid = 0 <= least && most <= INT64_MAX;
        unit_equal(valid ? 0 : -EOVERFLOW, collio_tiling_range(&tiling, first, bytes, &lo, &hi));
        if (valid) {
            unit_equal(least, lo);
            unit_equal(most, hi);
        }
        collio_tiling_fini(&tiling);
    }
}
