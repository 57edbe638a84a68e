/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Texts that grow, and strings that users chose, in lines and in JSON.
 */
#define _POSIX_C_SOURCE 200809L

#include "report/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/printable.h"

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

void collio_text_printable(collio_text_t *text, const char *string)
{
    size_t size = COLLIO_ESCAPE_BYTES * strlen(string) + 1;
    char *copy = malloc(size);

    if (NULL != copy) {
        collio_printable(copy, size, string);
        collio_text_add(text, "%s", copy);
        free(copy);
    }
}

void collio_text_json(collio_text_t *text, const char *string)
{
    collio_text_add(text, "\"");
    while ('\0' != *string) {
        uint32_t code;
        size_t bytes = collio_character(string, &code);

        if (0 == bytes) {
            collio_text_add(text, "\\ufffd");
        } else if (collio_is_control(code)) {
            collio_text_add(text, "\\u%04x", (unsigned) code);
        } else if ('"' == *string || '\\' == *string) {
            collio_text_add(text, "\\%c", *string);
        } else {
            collio_text_add(text, "%.*s", (int) bytes, string);
        }
        string += 0 < bytes ? bytes : 1;
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
