/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TEXT_H
#define COLLIO_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/** A text that grows. All-zero is an empty one. Without memory it keeps what it has and is marked:
 *  the end may be missing, but it is always a string. */
typedef struct collio_text_t {
    char *at; /* NULL while it is empty */
    size_t used;
    size_t room;
    bool cut;
} collio_text_t;

void collio_text_add(collio_text_t *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Adds a string of JSON: in quotes, with escapes. Bytes that are not UTF-8 become U+FFFD. */
void collio_text_json(collio_text_t *text, const char *string);

/** What it holds; "" while it is empty. */
const char *collio_text_string(const collio_text_t *text);

void collio_text_fini(collio_text_t *text);

#endif /* COLLIO_TEXT_H */
