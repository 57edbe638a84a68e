/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TEXT_H
#define COLLIO_TEXT_H

#include <stdio.h>

/** A text that grows. All-zero is an empty text. If memory is short, the end is missing. */
typedef struct collio_text_t {
    char *at;     /* the string; NULL while it is empty */
    size_t used;  /* length of the string */
    FILE *stream; /* stream that extends the string; NULL while it is empty */
} collio_text_t;

void collio_text_add(collio_text_t *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Adds a text that a user may have chosen, such as the name of a file: see core/printable.h. */
void collio_text_printable(collio_text_t *text, const char *string);

/** Adds a JSON string, in quotes and with escapes. Bytes that are not UTF-8 become U+FFFD. */
void collio_text_json(collio_text_t *text, const char *string);

/** Returns the string; "" while the text is empty. */
const char *collio_text_string(const collio_text_t *text);

void collio_text_fini(collio_text_t *text);

#endif /* COLLIO_TEXT_H */
