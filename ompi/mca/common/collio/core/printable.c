/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Texts without control bytes. See printable.h.
 */
#include "printable.h"

#include <stdio.h>
#include <string.h>

static bool is_control(unsigned char byte)
{
    return byte < 0x20 || 0x7f == byte;
}

void collio_printable(char *copy, size_t size, const char *text)
{
    size_t used = 0;

    for (const unsigned char *at = (const unsigned char *) text; '\0' != *at; ++at) {
        char shown[8] = {(char) *at};
        size_t length;

        if ('\n' == *at) {
            (void) snprintf(shown, sizeof(shown), "\\n");
        } else if (is_control(*at)) {
            (void) snprintf(shown, sizeof(shown), "\\x%02x", *at);
        }
        length = strlen(shown);
        if (used + length >= size) {
            break;
        }
        memcpy(copy + used, shown, length);
        used += length;
    }
    copy[used] = '\0';
}

bool collio_is_printable(const char *text)
{
    while ('\0' != *text && !is_control((unsigned char) *text)) {
        ++text;
    }
    return '\0' == *text;
}
