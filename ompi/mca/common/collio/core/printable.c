/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Texts without control characters. See printable.h.
 */
#include "printable.h"

#include <stdio.h>
#include <string.h>

size_t collio_character(const char *text, uint32_t *code)
{
    /* the lowest number of a character of so many bytes: a lower one is an overlong form */
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *) text;
    size_t bytes;

    *code = at[0];
    if (at[0] < 0x80) {
        return 1;
    }
    bytes = at[0] < 0xc0 || at[0] >= 0xf8 ? 0 : 2U + (at[0] >= 0xe0) + (at[0] >= 0xf0);
    *code &= 0x7fU >> bytes;
    for (size_t i = 1; i < bytes; ++i) {
        if (0x80 != (at[i] & 0xc0)) {
            return 0;
        }
        *code = *code << 6 | (at[i] & 0x3fU);
    }
    return lowest[bytes] <= *code && 0x10ffff >= *code && 0xd800 != (*code & 0xfffff800) ? bytes
                                                                                         : 0;
}

bool collio_is_control(uint32_t code)
{
    return code < 0x20 || (0x7f <= code && code < 0xa0);
}

void collio_printable(char *copy, size_t size, const char *text)
{
    size_t used = 0, bytes;

    for (; '\0' != *text; text += bytes) {
        char shown[COLLIO_ESCAPE_BYTES + 1] = "\\n";
        size_t length;
        uint32_t code;

        bytes = collio_character(text, &code);
        if (0 < bytes && !collio_is_control(code)) {
            memcpy(shown, text, bytes);
            shown[bytes] = '\0';
        } else {
            bytes = 1;
            if ('\n' != *text) {
                (void) snprintf(shown, sizeof(shown), "\\x%02x", (unsigned char) *text);
            }
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
    const unsigned char *at = (const unsigned char *) text;

    while (0x20 <= *at && 0x7f != *at) {
        ++at;
    }
    return '\0' == *at;
}
