/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Extent lists. */
#include "extent.h"

#include <errno.h>

#include "unit.h"

typedef collio_extents_t list_t;

static void add(list_t *list, int64_t offset, int64_t length)
{
    ck_assert_int_eq(0, collio_extents_append(list, offset, length));
}

UNIT_TEST(extent_empty_list)
{
    list_t list = {0};

    collio_extents_fini(&list);
    collio_extents_fini(&list);
}

UNIT_TEST(extent_append_joins_and_drops)
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
    add(&list, 0, 1); /* going back is allowed in a list */
    ck_assert_uint_eq(4, list.count);
    collio_extents_fini(&list);
}

UNIT_TEST(extent_append_refuses_nonsense)
{
    list_t list = {0};

    ck_assert_int_eq(-EINVAL, collio_extents_append(&list, -1, 1));
    ck_assert_int_eq(-EINVAL, collio_extents_append(&list, 1, -1));
    ck_assert_int_eq(-EINVAL, collio_extents_append(&list, 1, INT64_MAX));
    ck_assert_int_eq(-EINVAL, collio_extents_append(&list, INT64_MAX, 1));
    ck_assert_int_eq(-EINVAL, collio_extents_append(&list, -5, 0));
    ck_assert_uint_eq(0, list.count);
    add(&list, INT64_MAX - 1, 1);
    add(&list, 0, INT64_MAX);
    ck_assert_uint_eq(2, list.count);
    collio_extents_fini(&list);
}

UNIT_TEST(extent_reserve)
{
    list_t list = {0};

    ck_assert_int_eq(0, collio_extents_reserve(&list, 100));
    ck_assert_uint_le(100, list.capacity);
    add(&list, 1, 1);
    ck_assert_int_eq(0, collio_extents_reserve(&list, 3));
    ck_assert_uint_eq(1, list.count);
    ck_assert_int_eq(-ENOMEM, collio_extents_reserve(&list, SIZE_MAX));
    ck_assert_int_eq(-ENOMEM, collio_extents_reserve(&list, SIZE_MAX / 16 + 2));
    ck_assert_uint_eq(1, list.count);
    ck_assert_int_eq(1, list.at[0].offset);
    collio_extents_fini(&list);
}
