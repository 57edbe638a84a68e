/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Texts that grow, and strings of JSON.
 */
#define _POSIX_C_SOURCE 200809L

#include "report/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void collio_text_add(collio_text_t *text, const char *format, ...)
{
    va_list arguments;

    if (NULL == text->stream) {
        text->stream = open_memstream(&text->at, &text->used);
    }
    if (NULL != text->stream && !ferror(text->stream)) {
        va_start(arguments, format);
        (void) vfprintf(text->stream, format, arguments);
        va_end(arguments);
        (void) fflush(text->stream);
    }
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
    if (NULL != text->stream) {
        (void) fclose(text->stream);
    }
    free(text->at);
    memset(text, 0, sizeof(*text));
}
