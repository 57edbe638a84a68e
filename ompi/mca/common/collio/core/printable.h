/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PRINTABLE_H
#define COLLIO_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/** Copies a text whose bytes a user may have chosen, such as the value of a hint, and replaces
 *  control bytes by escapes as in C ("\n", "\x1b"), so that the copy is one line and no terminal
 *  obeys it. Bytes of UTF-8 stay. Truncates to `size` bytes, with the final 0. */
void collio_printable(char *copy, size_t size, const char *text);

/** True if the text has no control byte. */
bool collio_is_printable(const char *text);

#endif /* COLLIO_PRINTABLE_H */
