/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Values as users write them: any case, units, ROMIO's words; what is wrong changes nothing. */
#include "aggregator.h"
#include "value.h"

#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static const char modes[] = "auto=-1,off=0,element=4,view=5";
static const char on_off[] = "auto,on,off";

static int64_t parsed(collio_kind_t kind, const char *choices, const char *text)
{
    int64_t value = -77;

    return collio_value_parse(kind, choices, 0, text, &value) ? value : -99;
}

UNIT_TEST(value_choice_in_any_case)
{
    unit_equal(0, parsed(COLLIO_CHOICE, on_off, "auto"));
    unit_equal(1, parsed(COLLIO_CHOICE, on_off, "ON"));
    unit_equal(2, parsed(COLLIO_CHOICE, on_off, "Off"));
    unit_equal(-1, parsed(COLLIO_CHOICE, modes, "AUTO"));
    unit_equal(5, parsed(COLLIO_CHOICE, modes, "view"));
    unit_equal(-99, parsed(COLLIO_CHOICE, modes, "elem"));
    unit_equal(-99, parsed(COLLIO_CHOICE, modes, "viewx"));
    unit_equal(-99, parsed(COLLIO_CHOICE, on_off, ""));
}

UNIT_TEST(value_choice_in_romio_words)
{
    unit_equal(0, parsed(COLLIO_CHOICE, on_off, "automatic"));
    unit_equal(1, parsed(COLLIO_CHOICE, on_off, "ENABLE"));
    unit_equal(2, parsed(COLLIO_CHOICE, on_off, "disable"));
    unit_equal(1, parsed(COLLIO_CHOICE, on_off, "TRUE"));
    unit_equal(-99, parsed(COLLIO_CHOICE, modes, "enable")); /* no "on" there */
}

UNIT_TEST(value_switch)
{
    static const char *const yes[] = {"true", "TRUE", "on", "yes", "Enable", "1"};
    static const char *const no[] = {"false", "Off", "NO", "disable", "0"};

    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); ++i) {
        unit_equal(1, parsed(COLLIO_SWITCH, NULL, yes[i]));
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); ++i) {
        unit_equal(0, parsed(COLLIO_SWITCH, NULL, no[i]));
    }
    unit_equal(-99, parsed(COLLIO_SWITCH, NULL, "2"));
    unit_equal(-99, parsed(COLLIO_SWITCH, NULL, "perhaps"));
}

UNIT_TEST(value_numbers_and_units)
{
    unit_equal(65536, parsed(COLLIO_BYTES, NULL, "64k"));
    unit_equal(2097152, parsed(COLLIO_BYTES, NULL, "2M"));
    unit_equal(INT64_C(3) << 30, parsed(COLLIO_BYTES, NULL, "3g"));
    unit_equal(INT64_C(1) << 40, parsed(COLLIO_BYTES, NULL, "1T"));
    unit_equal(INT64_MAX, parsed(COLLIO_BYTES, NULL, "9223372036854775807"));
    unit_equal(-99, parsed(COLLIO_BYTES, NULL, "9223372036854775808"));
    unit_equal(-99, parsed(COLLIO_BYTES, NULL, "9000000000G"));
    unit_equal(-99, parsed(COLLIO_BYTES, NULL, "-1"));
    unit_equal(-99, parsed(COLLIO_BYTES, NULL, "-1M"));
    unit_equal(-99, parsed(COLLIO_BYTES, NULL, "4X"));
    unit_equal(-99, parsed(COLLIO_BYTES, NULL, "4MM"));
    unit_equal(-99, parsed(COLLIO_NUMBER, NULL, "abc"));
    unit_equal(-99, parsed(COLLIO_NUMBER, NULL, ""));
    unit_equal(-99, parsed(COLLIO_NUMBER, NULL, "2147483648"));
    unit_equal(2147483647, parsed(COLLIO_NUMBER, NULL, "2147483647"));
}

UNIT_TEST(value_wrong_text_leaves_the_value)
{
    static const char *const wrong[] = {"abc", "-4", "", "1x"};
    int64_t value = 42;

    for (int kind = 0; kind <= COLLIO_SWITCH; ++kind) {
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
            ck_assert(!collio_value_parse((collio_kind_t) kind, on_off, 0, wrong[i], &value));
            unit_equal(42, value);
        }
    }
    ck_assert(!collio_value_parse(COLLIO_NUMBER, NULL, 1, "0", &value));
    unit_equal(42, value);
}

UNIT_TEST(value_format_is_the_reverse)
{
    static const int64_t numbers[] = {0, 1, 65536, INT64_MAX};
    char text[64];

    for (int64_t mode = -1; mode <= 5; ++mode) {
        collio_value_format(COLLIO_CHOICE, modes, mode, text, sizeof(text));
        if (mode < 1 || mode > 3) {
            unit_equal(mode, parsed(COLLIO_CHOICE, modes, text));
        } else {
            ck_assert_str_eq("", text);
        }
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        collio_value_format(COLLIO_BYTES, NULL, numbers[i], text, sizeof(text));
        unit_equal(numbers[i], parsed(COLLIO_BYTES, NULL, text));
    }
    collio_value_format(COLLIO_SWITCH, NULL, 1, text, sizeof(text));
    ck_assert_str_eq("true", text);
    collio_value_format(COLLIO_NUMBER, NULL, INT64_MIN, text, sizeof(text));
    ck_assert_str_eq("-9223372036854775808", text);
}

UNIT_TEST(value_texts_for_users)
{
    char text[64], small[8];

    collio_value_allowed(COLLIO_CHOICE, modes, 0, text, sizeof(text));
    ck_assert_str_eq("auto, off, element, view", text);
    collio_value_allowed(COLLIO_NUMBER, NULL, 1, text, sizeof(text));
    ck_assert_str_eq("a number, 1 or more", text);
    collio_value_allowed(COLLIO_BYTES, NULL, 0, text, sizeof(text));
    ck_assert_str_eq("a number of bytes (64K, 2M), 0 or more", text);
    collio_value_allowed(COLLIO_TEXT, NULL, 0, text, sizeof(text));
    ck_assert_str_eq("a text of one line, less than 512 characters", text);
    collio_value_allowed(COLLIO_CHOICE, modes, 0, small, sizeof(small));
    ck_assert_str_eq("auto, o", small); /* cut, and terminated */
    collio_value_romio(COLLIO_CHOICE, on_off, 2, text, sizeof(text));
    ck_assert_str_eq("disable", text);
    collio_value_romio(COLLIO_BYTES, NULL, 4096, text, sizeof(text));
    ck_assert_str_eq("4096", text);
}

enum { UNTOUCHED = -777, ROOM = 40, LENGTH = 24 };

/* Characters of right values, and some of wrong ones. */
static void random_text(char text[LENGTH + 1])
{
    static const char letters[] = "0123456789,-=autonfvieweblsrmdckKMGT +x.\x80\xff";
    static const char *const words[] = {"auto", "on", "OFF", "view", "true", "disable", "64k"};
    int length = (int) unit_below(LENGTH);

    snprintf(text, LENGTH + 1, "%s", words[unit_below(7)]);
    if (0 != unit_below(3)) {
        for (int i = 0; i < length; ++i) {
            text[i] = letters[unit_below((int64_t) sizeof(letters) - 1)];
        }
        text[length] = '\0';
    }
}

/* Printed into too little room, the text is cut, ends with 0, and nothing after it is touched. */
static void check_room(collio_kind_t kind, const char *choices, int64_t value, size_t room)
{
    char text[ROOM + 1];

    memset(text, '#', sizeof(text));
    collio_value_format(kind, choices, value, text, room);
    unit_assert(strlen(text) < room && '#' == text[room]);
    memset(text, '#', sizeof(text));
    collio_value_romio(kind, choices, value, text, room);
    unit_assert(strlen(text) < room && '#' == text[room]);
    memset(text, '#', sizeof(text));
    collio_value_allowed(kind, choices, value, text, room);
    unit_assert(NULL != memchr(text, '\0', room) && '#' == text[room]);
}

/* Whatever the text: refused and nothing changed, or an allowed value that prints and parses to
 * itself. */
UNIT_TEST(value_random_text)
{
    static const char *const lists[] = {on_off, modes, "none,comm,write"};

    for (int round = unit_rounds(20000); 0 < round; --round) {
        collio_kind_t kind = (collio_kind_t) unit_below(COLLIO_SWITCH + 1);
        const char *choices = lists[unit_below(3)];
        int64_t least = unit_below(3), value = UNTOUCHED, again = UNTOUCHED;
        char text[LENGTH + 1], printed[ROOM];

        random_text(text);
        check_room(kind, choices, value, (size_t) unit_between(1, ROOM));
        if (!collio_value_parse(kind, choices, least, text, &value)) {
            unit_equal(UNTOUCHED, value);
            continue;
        }
        if (COLLIO_NUMBER == kind || COLLIO_BYTES == kind) {
            unit_assert(value >= least && (COLLIO_BYTES == kind || value <= INT_MAX));
        }
        check_room(kind, choices, value, (size_t) unit_between(1, ROOM));
        collio_value_format(kind, choices, value, printed, sizeof(printed));
        unit_assert(collio_value_parse(kind, choices, least, printed, &again));
        unit_equal(value, again);
        if (on_off == choices || COLLIO_CHOICE != kind) {
            collio_value_romio(kind, choices, value, printed, sizeof(printed));
            unit_assert(collio_value_parse(kind, choices, least, printed, &again));
            unit_equal(value, again);
        }
    }
}

/* A list of aggregators, whatever the text: different ranks that exist, or an error. */
UNIT_TEST(value_random_list_of_ranks)
{
    enum { RANKS = 40 };

    for (int round = unit_rounds(20000); 0 < round; --round) {
        int list[RANKS], seen[RANKS] = {0}, count;
        const char *bad = NULL;
        char text[LENGTH + 1];

        random_text(text);
        count = collio_aggregators_parse(text, RANKS, list, &bad);
        unit_assert(RANKS >= count && (0 <= count || -EINVAL == count));
        for (int i = 0; i < count; ++i) {
            unit_assert(0 <= list[i] && list[i] < RANKS && !seen[list[i]]++);
        }
        unit_assert(0 <= count || (NULL != bad && text <= bad && bad <= text + strlen(text)));
    }
}
