/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HINT_FILE_H
#define COLLIO_HINT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * The text of a hint file: lines "KEY VALUE", as in ROMIO_HINTS, below lines "[PATTERN]" that name
 * the files.
 *
 *   # a comment
 *   cb_nodes 4                  for all files: no pattern stands above
 *   [*.h5]                      for files with such a name, until the next pattern
 *   striping_factor 8
 *
 * In a pattern * stands for any text and ? for one character. A pattern without a slash is compared
 * with the name without its directories. Of several lines that match, the last one counts.
 */
enum {
    COLLIO_HINT_KEY_MAX = 35,     /* longest key, as in MPI */
    COLLIO_HINT_VALUE_MAX = 255,  /* longest value */
    COLLIO_HINT_TEXT_BYTES = 4096 /* bytes of the hints of one file, with the end */
};

typedef struct collio_hint_file_wrong_t {
    int lines;        /* number of lines that are not understood */
    int first;        /* number of the first of them, counted from 1 */
    const char *text; /* that line, in the text of the file */
    int length;       /* its length */
} collio_hint_file_wrong_t;

/** True if the pattern, which has `length` characters, matches the name of a file. */
bool collio_hint_file_matches(const char *pattern, size_t length, const char *name);

/** Writes the hints of a file as lines "KEY VALUE\n", each key once. Lines that are not understood
 *  are counted and ignored. Lines below a wrong pattern apply to no file. */
void collio_hint_file_select(const char *text, const char *name, char hints[COLLIO_HINT_TEXT_BYTES],
                             collio_hint_file_wrong_t *wrong);

/** Takes the next hint from the lines at *at, and moves *at past it. Returns false at the end. */
bool collio_hint_file_next(const char **at, char key[COLLIO_HINT_KEY_MAX + 1],
                           char value[COLLIO_HINT_VALUE_MAX + 1]);

#endif /* COLLIO_HINT_FILE_H */
