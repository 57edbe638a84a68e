/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Texts that users chose, in messages. */
#include "unit.h"

#include <string.h>

#include "printable.h"

UNIT_TEST(printable_escapes_control_bytes)
{
    char copy[64];

    collio_printable(copy, sizeof(copy), "a\nb\x1b[31m\x7f\t\xc3\xa9\\n");
    ck_assert_str_eq("a\\nb\\x1b[31m\\x7f\\x09\xc3\xa9\\n", copy);
    collio_printable(copy, sizeof(copy), "");
    ck_assert_str_eq("", copy);
}

UNIT_TEST(printable_truncates_between_escapes)
{
    char copy[6];

    memset(copy, 'x', sizeof(copy));
    collio_printable(copy, sizeof(copy), "12345678");
    ck_assert_str_eq("12345", copy);
    collio_printable(copy, sizeof(copy), "12\x1b");
    ck_assert_str_eq("12", copy);
    collio_printable(copy, 1, "12");
    ck_assert_str_eq("", copy);
}

UNIT_TEST(printable_finds_control_bytes)
{
    ck_assert(collio_is_printable(""));
    ck_assert(collio_is_printable("0,2,4-7 \xc3\xa9"));
    ck_assert(!collio_is_printable("0\nschedule=write"));
    ck_assert(!collio_is_printable("\x7f"));
}
