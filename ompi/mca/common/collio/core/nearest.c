/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The nearest word of a list. See nearest.h.
 *
 * Damerau's distance (optimal string alignment) by rows: row i has the distances of the first i
 * characters of `a` from all beginnings of `b`.
 */
#include "nearest.h"

#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t collio_word_distance(const char *a, const char *b)
{
    size_t rows[3][COLLIO_NEAREST_BYTES], length = strlen(b);
    size_t *before = rows[0], *last = rows[1], *row = rows[2];

    for (size_t j = 0; j <= length; ++j) {
        before[j] = 0;
        row[j] = j;
    }
    for (size_t i = 1; '\0' != a[i - 1]; ++i) {
        size_t *next = before;

        before = last;
        last = row;
        row = next;
        row[0] = i;
        for (size_t j = 1; j <= length; ++j) {
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
    }
    return row[length];
}

void collio_nearest_try(collio_nearest_t *nearest, const char *word, const char *candidate)
{
    size_t distance;

    if (strlen(word) >= COLLIO_NEAREST_BYTES || strlen(candidate) >= COLLIO_NEAREST_BYTES) {
        return;
    }
    distance = collio_word_distance(word, candidate);
    if (3 * distance <= strlen(word)
        && ('\0' == nearest->word[0] || distance < nearest->distance)) {
        nearest->distance = distance;
        memcpy(nearest->word, candidate, strlen(candidate) + 1);
    }
}
