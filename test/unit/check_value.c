/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Values as users write them: any case, units, ROMIO's words; what is wrong changes nothing. */
#include "value.h"

#include "unit.h"

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
    collio_value_allowed(COLLIO_CHOICE, modes, 0, small, sizeof(small));
    ck_assert_str_eq("auto, o", small); /* cut, and terminated */
    collio_value_romio(COLLIO_CHOICE, on_off, 2, text, sizeof(text));
    ck_assert_str_eq("disable", text);
    collio_value_romio(COLLIO_BYTES, NULL, 4096, text, sizeof(text));
    ck_assert_str_eq("4096", text);
}
