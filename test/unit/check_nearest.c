/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The nearest word of a list. */
#include "unit.h"

#include <string.h>

#include "nearest.h"

UNIT_TEST(nearest_distances)
{
    ck_assert_uint_eq(0, collio_word_distance("schedule", "schedule"));
    ck_assert_uint_eq(1, collio_word_distance("scedule", "schedule"));
    ck_assert_uint_eq(1, collio_word_distance("schedulle", "schedule"));
    ck_assert_uint_eq(1, collio_word_distance("schedula", "schedule"));
    ck_assert_uint_eq(1, collio_word_distance("shcedule", "schedule"));
    ck_assert_uint_eq(2, collio_word_distance("shcedul", "schedule"));
    ck_assert_uint_eq(3, collio_word_distance("kitten", "sitting"));
    ck_assert_uint_eq(8, collio_word_distance("", "schedule"));
    ck_assert_uint_eq(8, collio_word_distance("schedule", ""));
    ck_assert_uint_eq(0, collio_word_distance("", ""));
}

static const char *nearest(const char *word)
{
    static const char *const list[] = {"aggregators", "align_bytes", "buffer_bytes",
                                       "report",      "report_file", "schedule"};
    static collio_nearest_t found;

    found = (collio_nearest_t){.distance = 0};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); ++i) {
        collio_nearest_try(&found, word, list[i]);
    }
    return found.word;
}

UNIT_TEST(nearest_word)
{
    ck_assert_str_eq("schedule", nearest("scedule"));
    ck_assert_str_eq("aggregators", nearest("agregators"));
    ck_assert_str_eq("buffer_bytes", nearest("bufer_byte"));
    ck_assert_str_eq("report", nearest("reports"));
    ck_assert_str_eq("report_file", nearest("report_files"));
    ck_assert_str_eq("align_bytes", nearest("align_byte"));
    ck_assert_str_eq("", nearest("threads"));
    ck_assert_str_eq("", nearest(""));
    ck_assert_str_eq("", nearest("x"));
}

UNIT_TEST(nearest_long_words_are_not_compared)
{
    char word[100] = {0};

    memset(word, 'a', sizeof(word) - 1);
    ck_assert_str_eq("", nearest(word));
    word[COLLIO_NEAREST_BYTES - 1] = '\0';
    ck_assert_uint_eq(COLLIO_NEAREST_BYTES - 1, collio_word_distance(word, "schedule"));
    ck_assert_uint_eq(COLLIO_NEAREST_BYTES - 1, collio_word_distance("schedule", word));
}
