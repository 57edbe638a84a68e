/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Reports: columns that line up, one unit in each, no empty rows; JSON that is JSON. */
#include "report/format.h"

#include "unit.h"

static const collio_counted_t counted[] = {
    {"time_io", COLLIO_UNIT_TIME, 0, 3500000, 4000000},
    {"time_none", COLLIO_UNIT_TIME, 0, 0, 0},
    {"copied_bytes", COLLIO_UNIT_BYTES, 1, 3 << 20, 6 << 20},
    {"cycles", COLLIO_UNIT_COUNT, 1, 2, 6},
};

static collio_record_t record_of(const char *path)
{
    static const collio_table_t section = {"write", counted, 4};

    return (collio_record_t){.component = "fcoll/test",
                             .path = path,
                             .ranks = 4,
                             .traffic_name = {"write", "read"},
                             .traffic = {{3, 6 << 20, 12 * 1000000}, {0, 0, 0}},
                             .section = &section,
                             .sections = 1};
}

static char *find(char *text, const char *word)
{
    char *at = strstr(text, word);

    ck_assert_msg(NULL != at, "no '%s' in:\n%s", word, text);
    return at;
}

/* Column after the last character of a word of the line that contains `row`. */
static int column_after(char *text, const char *row, const char *word)
{
    char *at = find(text, row), *begin = at;

    while (begin > text && '\n' != begin[-1]) {
        --begin;
    }
    at = find(at, word);
    return (int) (at + strlen(word) - begin);
}

UNIT_TEST(format_table_lines_up)
{
    collio_record_t record = record_of("/a/file");
    collio_text_t text = {0};

    collio_format_table(&text, &record);
    find(text.at, "fcoll/test: /a/file\n");
    unit_equal(column_after(text.at, "write: time, ms", "max"),
               column_after(text.at, "time_io", "3.500"));
    unit_equal(column_after(text.at, "write: time, ms", "sum"),
               column_after(text.at, "time_io", "4.000"));
    unit_equal(column_after(text.at, "write: data, MiB", "min"),
               column_after(text.at, "copied_bytes", "<0.001"));
    unit_equal(column_after(text.at, "write: data, MiB", "avg"),
               column_after(text.at, "copied_bytes", "1.500"));
    unit_equal(column_after(text.at, "write: count", "avg"),
               column_after(text.at, "cycles", "1.5"));
    unit_equal(column_after(text.at, "all ranks", "MiB/s"),
               column_after(text.at, "  write  ", "500.0"));
    ck_assert(NULL == strstr(text.at, "time_none"));
    ck_assert(NULL == strstr(text.at, "  read"));
    collio_text_fini(&text);
}

UNIT_TEST(format_lines_end_with_the_name)
{
    collio_record_t record = record_of("/a/file");
    collio_text_t text = {0};

    collio_format_heading(&text, &record);
    collio_format_line(&text, &record, record.path);
    record.traffic[0].bytes = 123456789012;
    collio_format_line(&text, &record, "total of 2 files");
    unit_equal(column_after(text.at, "  file\n", "file"),
               column_after(text.at, "/a/file\n", "/a/f"));
    unit_equal(column_after(text.at, "  file\n", "file"),
               column_after(text.at, "total of 2 files\n", "tota"));
    collio_text_fini(&text);
}

/* A name of a file that looks like a line of the report, or like a command of a terminal. */
UNIT_TEST(format_escapes_names)
{
    collio_record_t record = record_of("/a\n  write\x9b\xc3\xa9");
    collio_text_t text = {0};

    collio_format_table(&text, &record);
    find(text.at, "fcoll/test: /a\\n  write\\x9b\xc3\xa9\n");
    collio_format_line(&text, &record, record.path);
    find(text.at, " -  /a\\n  write\\x9b\xc3\xa9\n");
    collio_text_fini(&text);
}

UNIT_TEST(format_json_escapes)
{
    collio_record_t record = record_of("a\"b\\c\n\xff\xc2\x9b\xc3\xa9");
    collio_text_t text = {0};

    collio_format_json(&text, &record, 0);
    find(text.at, "\"file\":\"a\\\"b\\\\c\\u000a\\ufffd\\u009b\xc3\xa9\"");
    find(text.at,
         "\"write\":{\"calls\":3,\"bytes\":6291456,\"ns\":12000000,\"mib_per_s\":500.000}");
    find(text.at,
         "\"copied_bytes\":{\"unit\":\"bytes\",\"min\":1,\"max\":3145728,\"sum\":6291456}");
    ck_assert(NULL == strstr(text.at, "time_none"));
    ck_assert_int_eq('\n', text.at[text.used - 1]);
    ck_assert_ptr_eq(strchr(text.at, '\n'), text.at + text.used - 1);
    collio_text_fini(&text);
    collio_format_json(&text, &record, 7);
    find(text.at, "\"files\":7");
    ck_assert(NULL == strstr(text.at, "\"file\":"));
    collio_text_fini(&text);
}

UNIT_TEST(text_grows)
{
    collio_text_t text = {0};

    ck_assert_str_eq("", collio_text_string(&text));
    for (int i = 0; i < 1000; ++i) {
        collio_text_add(&text, "%03d,", i);
    }
    unit_equal(4000, text.used);
    unit_equal(4000, strlen(text.at));
    ck_assert(0 == strncmp(text.at + 3996, "999,", 4));
    collio_text_fini(&text);
    ck_assert(NULL == text.at && 0 == text.used);
}
