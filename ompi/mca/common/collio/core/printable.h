/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PRINTABLE_H
#define COLLIO_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COLLIO_ESCAPE_BYTES = 4 }; /* longest escape of a byte: "\\x1b" */

/** Returns the number of bytes of the UTF-8 character at `text`, whose number goes to *code; 0 if
 *  these bytes are not UTF-8. */
size_t collio_character(const char *text, uint32_t *code);

/** True for a control character: ASCII's (C0 and DEL), or one of U+0080 to U+009F (C1), with which
 *  terminals begin commands, too. */
bool collio_is_control(uint32_t code);

/** Copies a text whose bytes a user may have chosen, such as the value of a hint, and replaces
 *  control characters, and bytes that are not UTF-8, by escapes as in C ("\n", "\x1b"), so that the
 *  copy is one line and no terminal obeys it. Other characters stay. Truncates to `size` bytes,
 *  with the final 0, before a character that does not fit. */
void collio_printable(char *copy, size_t size, const char *text);

/** True if the text has no control byte of ASCII. Other bytes may be those of a path. */
bool collio_is_printable(const char *text);

#endif /* COLLIO_PRINTABLE_H */
