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

/* A terminal may take U+0080 to U+009F, and single bytes with these values, for commands. */
UNIT_TEST(printable_escapes_what_is_not_utf8)
{
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"a\x9b"
         "31m\x80\x9f",
         "a\\x9b31m\\x80\\x9f"}, /* C1, single bytes */
        {"\xc2\x9b"
         "b\xc2\x80\xc2\x9f",
         "\\xc2\\x9bb\\xc2\\x80\\xc2\\x9f"},                      /* and in UTF-8 */
        {"\xe9t\xe9", "\\xe9t\\xe9"},                             /* Latin 1 */
        {"\xc3", "\\xc3"},                                        /* the end is missing */
        {"\xe0\x82\x9b", "\\xe0\\x82\\x9b"},                      /* overlong */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                      /* half of a pair of UTF-16 */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},             /* past the last character */
        {"\xf8\x80", "\\xf8\\x80"},                               /* no first byte */
        {"\xc2\xa0\xc3\x9b\xc5\x9b", "\xc2\xa0\xc3\x9b\xc5\x9b"}, /* two bytes: letters */
        {"\xe2\x82\xac\xf0\x9f\x9b\x9f", "\xe2\x82\xac\xf0\x9f\x9b\x9f"}, /* three, four */
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char copy[64];

        collio_printable(copy, sizeof(copy), rows[i].text);
        ck_assert_str_eq(rows[i].shown, copy);
    }
}

UNIT_TEST(printable_truncates_between_escapes)
{
    char copy[6];

    memset(copy, 'x', sizeof(copy));
    collio_printable(copy, sizeof(copy), "12345678");
    ck_assert_str_eq("12345", copy);
    collio_printable(copy, sizeof(copy), "12\x1b");
    ck_assert_str_eq("12", copy);
    collio_printable(copy, sizeof(copy), "1234\xc3\xa9");
    ck_assert_str_eq("1234", copy);
    collio_printable(copy, 1, "12");
    ck_assert_str_eq("", copy);
}

UNIT_TEST(printable_finds_control_bytes)
{
    ck_assert(collio_is_printable(""));
    ck_assert(collio_is_printable("0,2,4-7 \xc3\xa9"));
    ck_assert(collio_is_printable("/scratch/\xe9t\xe9"));
    ck_assert(!collio_is_printable("0\nschedule=write"));
    ck_assert(!collio_is_printable("\x7f"));
}
