/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_TEXT_H
#define MCA_COMMON_COLLIO_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/** A text that grows. All-zero is an empty one. Without memory it keeps what it has and is marked:
 *  the end may be missing, but it is always a string. */
typedef struct mca_common_collio_text_t {
    char *at; /* NULL while it is empty */
    size_t used;
    size_t room;
    bool cut;
} mca_common_collio_text_t;

void mca_common_collio_text_add(mca_common_collio_text_t *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Adds a string of JSON: in quotes, with escapes. Bytes that are not UTF-8 become U+FFFD. */
void mca_common_collio_text_json(mca_common_collio_text_t *text, const char *string);

/** What it holds; "" while it is empty. */
const char *mca_common_collio_text_string(const mca_common_collio_text_t *text);

void mca_common_collio_text_fini(mca_common_collio_text_t *text);

#endif /* MCA_COMMON_COLLIO_TEXT_H */
