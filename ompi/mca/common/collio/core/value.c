/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Values of parameters and hints: parsing and printing.
 */
#include "value.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
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
        snprintf(text, size, "%s", 0 == value ? "false" : "true");
    } else if (COLLIO_CHOICE != kind) {
        snprintf(text, size, "%" PRId64, value);
    } else {
        while (next_choice(&choices, &position, word, &found)) {
            if (found == value) {
                snprintf(text, size, "%s", word);
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
            snprintf(text, size, "%s", words[i][1]);
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
        while (used < size && next_choice(&choices, &position, word, &value)) {
            used += (size_t) snprintf(text + used, size - used, "%s%s", 0 == used ? "" : ", ",
                                      word);
        }
        break;
    case COLLIO_SWITCH:
        snprintf(text, size, "true, false");
        break;
    case COLLIO_TEXT:
        snprintf(text, size, "a text of one line, less than %d characters", COLLIO_TEXT_BYTES);
        break;
    case COLLIO_NUMBER:
    case COLLIO_BYTES:
        snprintf(text, size, "a number%s, %" PRId64 " or more",
                 COLLIO_BYTES == kind ? " of bytes (64K, 2M)" : "", least);
        break;
    }
}
