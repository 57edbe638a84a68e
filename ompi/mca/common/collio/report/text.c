/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Texts that grow, and strings of JSON.
 */
#include "report/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Allocates memory for `more` bytes and the end of the string. Returns false without memory. */
static bool reserve(collio_text_t *text, size_t more)
{
    size_t wanted = text->room < 256 ? 256 : text->room;
    char *grown;

    while (wanted < text->used + more + 1) {
        wanted *= 2;
    }
    if (wanted == text->room) {
        return true;
    }
    grown = realloc(text->at, wanted);
    if (NULL == grown) {
        text->cut = true;
        return false;
    }
    text->at = grown;
    text->room = wanted;
    return true;
}

void collio_text_add(collio_text_t *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || text->cut || !reserve(text, (size_t) length)) {
        return;
    }
    va_start(arguments, format);
    (void) vsnprintf(text->at + text->used, text->room - text->used, format, arguments);
    va_end(arguments);
    text->used += (size_t) length;
}

/* Returns the length of a UTF-8 character with this first byte; 0: no character begins so. */
static size_t announced(unsigned char first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xc2 || first >= 0xf5) {
        return 0;
    }
    return first < 0xe0 ? 2 : 3 + (first >= 0xf0);
}

/* Returns the bytes of the UTF-8 character at `at`; 0 if it is invalid. Accepts surrogates and
 * overlong forms, which readers of JSON replace. */
static size_t utf8_length(const unsigned char *at)
{
    size_t length = announced(at[0]);

    for (size_t i = 1; i < length; ++i) {
        if (0x80 != (at[i] & 0xc0)) {
            return 0;
        }
    }
    return length;
}

void collio_text_json(collio_text_t *text, const char *string)
{
    const unsigned char *at = (const unsigned char *) string;

    collio_text_add(text, "\"");
    while ('\0' != *at) {
        size_t length = utf8_length(at);

        if (0 == length) {
            collio_text_add(text, "\\ufffd");
        } else if (*at < 0x20 || 0x7f == *at) {
            collio_text_add(text, "\\u%04x", *at);
        } else if ('"' == *at || '\\' == *at) {
            collio_text_add(text, "\\%c", *at);
        } else {
            collio_text_add(text, "%.*s", (int) length, (const char *) at);
        }
        at += length > 0 ? length : 1;
    }
    collio_text_add(text, "\"");
}

const char *collio_text_string(const collio_text_t *text)
{
    return NULL == text->at ? "" : text->at;
}

void collio_text_fini(collio_text_t *text)
{
    free(text->at);
    memset(text, 0, sizeof(*text));
}
