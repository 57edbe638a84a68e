/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* What a hint file gives to which file. */
#include "hint_file.h"

#include "unit.h"

static char hints[COLLIO_HINT_TEXT_BYTES];
static collio_hint_file_wrong_t wrong;

static const char *of(const char *text, const char *name)
{
    memset(hints, 'x', sizeof(hints));
    collio_hint_file_select(text, name, hints, &wrong);
    return hints;
}

static bool matches(const char *pattern, const char *name)
{
    return collio_hint_file_matches(pattern, strlen(pattern), name);
}

UNIT_TEST(hint_file_patterns)
{
    static const char *const yes[][2] = {
        {"*", "/a/b.h5"},    {"b.h5", "/a/b.h5"},    {"*.h5", "/a/b.h5"}, {"b*", "b"},
        {"b.?5", "b.h5"},    {"*a*b*", "xxayybzz"},  {"*ab", "aab"},      {"/a/*", "/a/c/b.h5"},
        {"*/a/b", "/x/a/b"}, {"a[1].h5", "a[1].h5"}, {"**", ""},          {"*aab", "aaab"},
    };
    static const char *const no[][2] = {
        {"b.h5", "/a/bb.h5"}, {"*.h5", "b.h5x"}, {"b?", "b"}, {"a/b", "/x/a/b"},
        {"*ab", "aba"},       {"B", "b"},        {"?", ""},   {"/a/*", "/b/c"},
    };

    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); ++i) {
        ck_assert_msg(matches(yes[i][0], yes[i][1]), "%s, %s", yes[i][0], yes[i][1]);
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); ++i) {
        ck_assert_msg(!matches(no[i][0], no[i][1]), "%s, %s", no[i][0], no[i][1]);
    }
}

/* The oracle is recursive. */
static bool slow(const char *pattern, const char *name)
{
    if ('*' == *pattern) {
        return slow(pattern + 1, name) || ('\0' != *name && slow(pattern, name + 1));
    }
    return '\0' == *pattern ? '\0' == *name
                            : '\0' != *name && ('?' == *pattern || *pattern == *name)
                                  && slow(pattern + 1, name + 1);
}

UNIT_TEST(hint_file_random_patterns)
{
    for (int round = 0; round < 5000; ++round) {
        char pattern[8] = "", name[10] = "";

        for (int64_t i = unit_below(7); 0 < i; --i) {
            pattern[strlen(pattern)] = "ab*?"[unit_below(4)];
        }
        for (int64_t i = unit_below(9); 0 < i; --i) {
            name[strlen(name)] = "ab"[unit_below(2)];
        }
        ck_assert_msg(slow(pattern, name) == matches(pattern, name), "%s, %s", pattern, name);
    }
}

UNIT_TEST(hint_file_sections)
{
    const char *text = "# all\r\ncb_nodes 4\r\n\n  striping_unit\t 1048576  \n[*.h5]\ncb_nodes 8\n"
                       "[ckpt*]\ncollio_pool a b\ncb_nodes 2";

    ck_assert_str_eq(of(text, "x"), "cb_nodes 4\nstriping_unit 1048576\n");
    ck_assert_str_eq(of(text, "/d/x.h5"), "striping_unit 1048576\ncb_nodes 8\n");
    ck_assert_str_eq(of(text, "ckpt.h5"), "striping_unit 1048576\ncollio_pool a b\ncb_nodes 2\n");
    ck_assert_int_eq(wrong.lines, 0);
    ck_assert_str_eq(of("", "x"), "");
}

UNIT_TEST(hint_file_wrong_lines_lose_nothing)
{
    ck_assert_str_eq(of("a 1\ncb_nodes=4\nb 2\n[x\nc 3\n[]\nd 4\n[x]\ne 5\n", "x"),
                     "a 1\nb 2\ne 5\n");
    ck_assert_int_eq(wrong.lines, 3);
    ck_assert_int_eq(wrong.first, 2);
    ck_assert_int_eq(wrong.length, 10);
    ck_assert_int_eq(0, strncmp(wrong.text, "cb_nodes=4", 10));
    /* A line is wrong for every file, even if its section is for another one. */
    (void) of("[y]\nwrong\n", "x");
    ck_assert_int_eq(wrong.lines, 1);
}

UNIT_TEST(hint_file_long_lines)
{
    char text[2 * COLLIO_HINT_TEXT_BYTES], key[COLLIO_HINT_KEY_MAX + 1];
    char value[COLLIO_HINT_VALUE_MAX + 1];
    const char *at = hints;
    int used = 0, count = 0;

    snprintf(text, sizeof(text), "%036d 1\n%035d 2\na %0256d\nb %0255d\n", 1, 2, 3, 4);
    (void) of(text, "x");
    ck_assert_int_eq(wrong.lines, 2);
    ck_assert(collio_hint_file_next(&at, key, value));
    ck_assert_int_eq(35, strlen(key));
    ck_assert_str_eq(value, "2");
    ck_assert(collio_hint_file_next(&at, key, value));
    ck_assert_str_eq(key, "b");
    ck_assert_int_eq(255, strlen(value));
    ck_assert(!collio_hint_file_next(&at, key, value));
    /* More than there is room for */
    for (int i = 0; i < 40; ++i) {
        used += snprintf(text + used, sizeof(text) - (size_t) used, "k%d %0200d\n", i, i);
    }
    at = of(text, "x");
    while (collio_hint_file_next(&at, key, value)) {
        ++count;
    }
    ck_assert_int_gt(count, 18);
    ck_assert_int_eq(40, count + wrong.lines);
}

UNIT_TEST(hint_file_next_survives_any_text)
{
    char key[COLLIO_HINT_KEY_MAX + 1], value[COLLIO_HINT_VALUE_MAX + 1];
    const char *at = "no_value\n";

    ck_assert(!collio_hint_file_next(&at, key, value));
    at = "";
    ck_assert(!collio_hint_file_next(&at, key, value));
    at = "a b"; /* without an end of the line */
    ck_assert(collio_hint_file_next(&at, key, value));
    ck_assert_str_eq(value, "b");
    ck_assert_str_eq(at, "");
}
