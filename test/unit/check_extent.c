/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/* Extent lists, against a painted line of bytes. */
#include "common_collio_extent.h"

#include <errno.h>

#include "unit.h"

typedef mca_common_collio_extents_t list_t;

static void add(list_t *list, int64_t offset, int64_t length)
{
    ck_assert_int_eq(0, mca_common_collio_extents_append(list, offset, length));
}

START_TEST(extent_empty_list)
{
    list_t list;
    mca_common_collio_cover_t cover;

    mca_common_collio_extents_init(&list);
    ck_assert_int_eq(0, mca_common_collio_extents_bytes(&list));
    ck_assert(mca_common_collio_extents_sorted(&list));
    ck_assert_uint_eq(0, mca_common_collio_extents_find(&list, 5));
    ck_assert_int_eq(0, mca_common_collio_extents_slice(&list, 0, INT64_MAX, &list));
    mca_common_collio_extents_cover(&list, 0, INT64_MAX, &cover);
    ck_assert_int_eq(0, cover.bytes);
    ck_assert_int_eq(0, cover.hole_bytes);
    ck_assert_uint_eq(0, cover.hole_count);
    mca_common_collio_extents_fini(&list);
    mca_common_collio_extents_fini(&list);
}
END_TEST

START_TEST(extent_append_joins_and_drops)
{
    list_t list = {0};

    add(&list, 10, 5);
    add(&list, 100, 0); /* empty: dropped */
    add(&list, 15, 5);  /* touches: joined */
    ck_assert_uint_eq(1, list.count);
    ck_assert_int_eq(10, list.at[0].length);
    add(&list, 21, 1);
    add(&list, 21, 2); /* overlaps: stays apart */
    ck_assert_uint_eq(3, list.count);
    ck_assert(!mca_common_collio_extents_sorted(&list));
    add(&list, 0, 1); /* going back is allowed in a list */
    ck_assert_int_eq(14, mca_common_collio_extents_bytes(&list));
    mca_common_collio_extents_fini(&list);
}
END_TEST

START_TEST(extent_append_refuses_nonsense)
{
    list_t list = {0};

    ck_assert_int_eq(-EINVAL, mca_common_collio_extents_append(&list, -1, 1));
    ck_assert_int_eq(-EINVAL, mca_common_collio_extents_append(&list, 1, -1));
    ck_assert_int_eq(-EINVAL, mca_common_collio_extents_append(&list, 1, INT64_MAX));
    ck_assert_int_eq(-EINVAL, mca_common_collio_extents_append(&list, INT64_MAX, 1));
    ck_assert_int_eq(-EINVAL, mca_common_collio_extents_append(&list, -5, 0));
    ck_assert_uint_eq(0, list.count);
    add(&list, INT64_MAX - 1, 1);
    add(&list, 0, INT64_MAX);
    ck_assert_uint_eq(2, list.count);
    mca_common_collio_extents_fini(&list);
}
END_TEST

START_TEST(extent_reserve)
{
    list_t list = {0};

    ck_assert_int_eq(0, mca_common_collio_extents_reserve(&list, 100));
    ck_assert_uint_le(100, list.capacity);
    add(&list, 1, 1);
    ck_assert_int_eq(0, mca_common_collio_extents_reserve(&list, 3));
    ck_assert_uint_eq(1, list.count);
    ck_assert_int_eq(-ENOMEM, mca_common_collio_extents_reserve(&list, SIZE_MAX));
    ck_assert_int_eq(-ENOMEM, mca_common_collio_extents_reserve(&list, SIZE_MAX / 16 + 2));
    ck_assert_uint_eq(1, list.count);
    ck_assert_int_eq(1, list.at[0].offset);
    mca_common_collio_extents_fini(&list);
}
END_TEST

START_TEST(extent_beyond_four_gigabytes)
{
    const int64_t far = INT64_C(1) << 40;
    list_t list = {0};
    list_t part = {0};
    mca_common_collio_cover_t cover;

    add(&list, far, INT64_C(3) << 30);
    add(&list, far + (INT64_C(8) << 30), 100);
    add(&list, INT64_MAX - 8, 8);
    ck_assert_uint_eq(0, mca_common_collio_extents_find(&list, far + (INT64_C(3) << 30) - 1));
    ck_assert_uint_eq(1, mca_common_collio_extents_find(&list, far + (INT64_C(3) << 30)));
    ck_assert_uint_eq(2, mca_common_collio_extents_find(&list, INT64_MAX - 1));
    ck_assert_uint_eq(3, mca_common_collio_extents_find(&list, INT64_MAX));
    ck_assert_int_eq(0, mca_common_collio_extents_slice(&list, far + 1, INT64_MAX - 4, &part));
    ck_assert_uint_eq(3, part.count);
    ck_assert_int_eq((INT64_C(3) << 30) - 1, part.at[0].length);
    ck_assert_int_eq(4, part.at[2].length);
    mca_common_collio_extents_cover(&list, 0, far + (INT64_C(8) << 30) + 1, &cover);
    ck_assert_int_eq((INT64_C(3) << 30) + 1, cover.bytes);
    ck_assert_int_eq(INT64_C(5) << 30, cover.hole_bytes);
    ck_assert_int_eq(INT64_C(5) << 30, cover.largest_hole);
    ck_assert_uint_eq(1, cover.hole_count);
    mca_common_collio_extents_fini(&list);
    mca_common_collio_extents_fini(&part);
}
END_TEST

enum { LINE = 300 };

/* Random sorted list; touching neighbours may stay apart, as a caller may build lists by hand. */
static void random_list(list_t *list, char *line)
{
    int64_t at = unit_below(20);

    memset(line, 0, LINE);
    ck_assert_int_eq(0, mca_common_collio_extents_reserve(list, LINE));
    while (at < LINE - 20 && unit_below(30)) {
        int64_t length = unit_between(1, 15);

        list->at[list->count++] = (mca_common_collio_extent_t){at, length};
        memset(line + at, 1, (size_t) length);
        at += length + unit_below(4) * unit_below(6);
    }
}

static void check_cover(const list_t *list, const char *line, int64_t lo, int64_t hi)
{
    mca_common_collio_cover_t cover;
    int64_t bytes = 0;
    int64_t holes = 0;
    int64_t largest = 0;
    int64_t hole = 0; /* length of the hole that is open */
    size_t count = 0;

    for (int64_t at = lo; at < hi; ++at) {
        if (!line[at]) {
            ++hole;
            continue;
        }
        if (0 < bytes && 0 < hole) {
            holes += hole;
            count++;
            largest = hole > largest ? hole : largest;
        }
        hole = 0;
        ++bytes;
    }
    mca_common_collio_extents_cover(list, lo, hi, &cover);
    ck_assert_int_eq(bytes, cover.bytes);
    ck_assert_int_eq(holes, cover.hole_bytes);
    ck_assert_int_eq(largest, cover.largest_hole);
    ck_assert_uint_eq(count, cover.hole_count);
}

START_TEST(extent_random_against_painted_line)
{
    for (int round = unit_rounds(3000); 0 < round; --round) {
        list_t list = {0};
        list_t part = {0};
        char line[LINE];
        char sliced[LINE] = {0};
        int64_t lo = unit_below(LINE);
        int64_t hi = unit_between(lo, LINE - 1);
        size_t found;

        random_list(&list, line);
        unit_assert(mca_common_collio_extents_sorted(&list));
        check_cover(&list, line, lo, hi);
        unit_equal(0, mca_common_collio_extents_slice(&list, lo, hi, &part));
        for (size_t i = 0; i < part.count; ++i) {
            unit_assert(0 == i
                        || part.at[i - 1].offset + part.at[i - 1].length < part.at[i].offset);
            memset(sliced + part.at[i].offset, 1, (size_t) part.at[i].length);
        }
        for (int64_t at = 0; at < LINE; ++at) {
            unit_equal(lo <= at && at < hi && line[at], sliced[at]);
        }
        found = mca_common_collio_extents_find(&list, lo);
        unit_assert(found == list.count || list.at[found].offset + list.at[found].length > lo);
        unit_assert(0 == found || list.at[found - 1].offset + list.at[found - 1].length <= lo);
        mca_common_collio_extents_fini(&list);
        mca_common_collio_extents_fini(&part);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("extent");
    TCase *tests = unit_case(suite, "extent");

    tcase_add_test(tests, extent_empty_list);
    tcase_add_test(tests, extent_append_joins_and_drops);
    tcase_add_test(tests, extent_append_refuses_nonsense);
    tcase_add_test(tests, extent_reserve);
    tcase_add_test(tests, extent_beyond_four_gigabytes);
    tcase_add_test(tests, extent_random_against_painted_line);
    return unit_main(suite, "check_extent");
}
