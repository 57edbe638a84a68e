/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* What a list of components and a priority mean. */
#include "naming.h"

#include "unit.h"

enum { DEFAULT = COLLIO_PRIORITY_DEFAULT, NAMED = COLLIO_PRIORITY_NAMED };

UNIT_TEST(naming_finds_whole_names_only)
{
    ck_assert_int_eq(1, collio_naming_place("overlap", "overlap"));
    ck_assert_int_eq(2, collio_naming_place("overlap,vulcan", "overlap"));
    ck_assert_int_eq(1, collio_naming_place("vulcan,overlap", "overlap"));
    ck_assert_int_eq(0, collio_naming_place("overlapped,vulcan", "overlap"));
    ck_assert_int_eq(0, collio_naming_place("over,lap", "overlap"));
    ck_assert_int_eq(0, collio_naming_place("^overlap", "overlap"));
    ck_assert_int_eq(0, collio_naming_place("^vulcan,overlap", "overlap"));
    ck_assert_int_eq(0, collio_naming_place("", "overlap"));
    ck_assert_int_eq(0, collio_naming_place(NULL, "overlap"));
}

UNIT_TEST(naming_a_list_is_a_wish)
{
    ck_assert_int_lt(COLLIO_PRIORITY_STOCK_MAX,
                     collio_naming_priority("vulcan,overlap", "overlap", DEFAULT));
    ck_assert_int_eq(NAMED, collio_naming_priority("overlap", "overlap", DEFAULT));
    ck_assert_int_gt(collio_naming_priority("tam,overlap,vulcan", "tam", DEFAULT),
                     collio_naming_priority("tam,overlap,vulcan", "overlap", DEFAULT));
}

UNIT_TEST(naming_a_component_without_a_name_declines)
{
    ck_assert_int_eq(0, collio_naming_priority(NULL, "overlap", DEFAULT));
    ck_assert_int_eq(0, collio_naming_priority("", "overlap", DEFAULT));
    ck_assert_int_eq(0, collio_naming_priority("vulcan", "overlap", DEFAULT));
    ck_assert_int_eq(0, collio_naming_priority("^vulcan", "overlap", DEFAULT - 1));
}

UNIT_TEST(naming_a_priority_of_the_user_wins)
{
    ck_assert_int_eq(60, collio_naming_priority(NULL, "overlap", 60));
    ck_assert_int_eq(60, collio_naming_priority("vulcan,overlap", "overlap", 60));
    ck_assert_int_eq(1, collio_naming_priority("vulcan,overlap", "overlap", 1));
    ck_assert_int_eq(0, collio_naming_priority("overlap", "overlap", 0));
    ck_assert_int_eq(0, collio_naming_priority("overlap", "overlap", -1));
}
