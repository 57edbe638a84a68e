/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/** See verbose.h. */
#include "compat/verbose.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/printable.h"

void collio_verbose_print(int stream, const char *format, ...)
{
    char *text = NULL, *line = NULL;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (0 > length) {
        return;
    }
    line = malloc(COLLIO_ESCAPE_BYTES * (size_t) length + 1);
    if (NULL != line) {
        collio_printable(line, COLLIO_ESCAPE_BYTES * (size_t) length + 1, text);
        opal_output(stream, "%s", line);
    }
    free(line);
    free(text);
}
