/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Values of parameters and hints: parsing and printing.
 */
#include "value.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 32 };

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Compares two words and ignores case. */
static bool word_equal(const char *a, const char *b)
{
    while ('\0' != *a && lower(*a) == lower(*b)) {
        ++a;
        ++b;
    }
    return lower(*a) == lower(*b);
}

/* Appends to a string of `used` bytes and cuts the result to `size`. Returns the new length. */
static size_t append(char *text, size_t size, size_t used, const char *more)
{
    while (used + 1 < size && '\0' != *more) {
        text[used++] = *more++;
    }
    if (used < size) {
        text[used] = '\0';
    }
    return used;
}

static size_t append_number(char *text, size_t size, size_t used, int64_t value)
{
    char digits[24];
    size_t at = sizeof(digits) - 1;
    uint64_t rest = value < 0 ? (uint64_t) 0 - (uint64_t) value : (uint64_t) value;

    digits[at] = '\0';
    do {
        digits[--at] = (char) ('0' + rest % 10);
        rest /= 10;
    } while (0 != rest);
    if (value < 0) {
        digits[--at] = '-';
    }
    return append(text, size, used, &digits[at]);
}

/* Reads the entry at *list: its word, and its value, which is *position unless the entry has one.
 * Advances *list and *position. False at the end of the list. */
static bool next_choice(const char **list, int64_t *position, char word[WORD_BYTES], int64_t *value)
{
    const char *at = *list;
    size_t length;

    if ('\0' == *at) {
        return false;
    }
    length = strcspn(at, "=,");
    length = length < WORD_BYTES ? length : WORD_BYTES - 1;
    memcpy(word, at, length);
    word[length] = '\0';
    at += strcspn(at, "=,");
    *value = (*position)++;
    if ('=' == *at) {
        *value = strtoll(at + 1, NULL, 10);
        at += strcspn(at, ",");
    }
    *list = ',' == *at ? at + 1 : at;
    return true;
}

static bool find_choice(const char *choices, const char *text, int64_t *value)
{
    char word[WORD_BYTES];
    int64_t position = 0, found;

    while (next_choice(&choices, &position, word, &found)) {
        if (word_equal(word, text)) {
            *value = found;
            return true;
        }
    }
    return false;
}

/* False, and *value is not changed, if the text is not a switch. */
static bool parse_switch(const char *text, int64_t *value)
{
    static const char *const words[2][5] = {{"false", "off", "no", "disable", "0"},
                                            {"true", "on", "yes", "enable", "1"}};

    for (int on = 0; on < 2; ++on) {
        for (size_t i = 0; i < sizeof(words[0]) / sizeof(words[0][0]); ++i) {
            if (word_equal(words[on][i], text)) {
                *value = on;
                return true;
            }
        }
    }
    return false;
}

static bool parse_choice(const char *choices, const char *text, int64_t *value)
{
    int64_t unused, on;

    if (find_choice(choices, text, value)) {
        return true;
    }
    if (!find_choice(choices, "on", &unused) || !find_choice(choices, "off", &unused)) {
        return false;
    }
    if (word_equal(text, "automatic")) {
        return find_choice(choices, "auto", value);
    }
    return parse_switch(text, &on) && find_choice(choices, 0 != on ? "on" : "off", value);
}

static bool parse_number(const char *text, int64_t least, int64_t most, int64_t *value)
{
    static const char units[] = "kmgt";
    const char *unit;
    char *end;
    int64_t number;

    errno = 0;
    number = strtoll(text, &end, 10);
    if (end == text || 0 != errno) {
        return false;
    }
    unit = '\0' == *end ? NULL : strchr(units, lower(*end));
    if (NULL != unit) {
        int shift = 10 * (int) (unit - units + 1);

        if (number < 0 || number > (INT64_MAX >> shift)) {
            return false;
        }
        number <<= shift;
        ++end;
    }
    if ('\0' != *end || number < least || number > most) {
        return false;
    }
    *value = number;
    return true;
}

bool collio_value_parse(collio_kind_t kind, const char *choices, int64_t least, const char *text,
                        int64_t *value)
{
    switch (kind) {
    case COLLIO_CHOICE:
        return parse_choice(choices, text, value);
    case COLLIO_NUMBER:
        return parse_number(text, least, INT_MAX, value);
    case COLLIO_BYTES:
        return parse_number(text, least, INT64_MAX, value);
    case COLLIO_SWITCH:
        return parse_switch(text, value);
    case COLLIO_TEXT:
        break;
    }
    return false;
}

void collio_value_format(collio_kind_t kind, const char *choices, int64_t value, char *text,
                         size_t size)
{
    char word[WORD_BYTES];
    int64_t position = 0, found;

    text[0] = '\0';
    if (COLLIO_SWITCH == kind) {
        append(text, size, 0, 0 == value ? "false" : "true");
    } else if (COLLIO_CHOICE != kind) {
        append_number(text, size, 0, value);
    } else {
        while (next_choice(&choices, &position, word, &found)) {
            if (found == value) {
                append(text, size, 0, word);
                return;
            }
        }
    }
}

void collio_value_romio(collio_kind_t kind, const char *choices, int64_t value, char *text,
                        size_t size)
{
    static const char *const words[3][2] = {
        {"auto", "automatic"}, {"on", "enable"}, {"off", "disable"}};

    collio_value_format(kind, choices, value, text, size);
    for (size_t i = 0; COLLIO_CHOICE == kind && i < 3; ++i) {
        if (0 == strcmp(words[i][0], text)) {
            append(text, size, 0, words[i][1]);
            return;
        }
    }
}

void collio_value_allowed(collio_kind_t kind, const char *choices, int64_t least, char *text,
                          size_t size)
{
    char word[WORD_BYTES];
    int64_t position = 0, value;
    size_t used = 0;

    switch (kind) {
    case COLLIO_CHOICE:
        while (next_choice(&choices, &position, word, &value)) {
            used = append(text, size, used, 0 == used ? "" : ", ");
            used = append(text, size, used, word);
        }
        break;
    case COLLIO_SWITCH:
        append(text, size, 0, "true, false");
        break;
    case COLLIO_TEXT:
        append(text, size, 0, "a text of less than 2048 characters");
        break;
    case COLLIO_NUMBER:
    case COLLIO_BYTES:
        used = append(text, size, 0,
                      COLLIO_BYTES == kind ? "a number of bytes (64K, 2M), " : "a number, ");
        used = append_number(text, size, used, least);
        append(text, size, used, " or more");
        break;
    }
}
