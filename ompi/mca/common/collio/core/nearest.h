/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_NEAREST_H
#define COLLIO_NEAREST_H

#include <stddef.h>

enum { COLLIO_NEAREST_BYTES = 64 }; /* longer words are not compared */

/** Returns the number of characters to insert, delete, replace or swap with their neighbor to turn
 *  `b` into `a`. Only for words of less than COLLIO_NEAREST_BYTES characters. */
size_t collio_word_distance(const char *a, const char *b);

/** The word of a list that is nearest to a word with a typo: all zero, then one call of
 *  collio_nearest_try for each word of the list. */
typedef struct collio_nearest_t {
    char word[COLLIO_NEAREST_BYTES]; /* the nearest word; "" if none is near */
    size_t distance;                 /* its distance */
} collio_nearest_t;

/** Takes `candidate` if it is nearer to `word` than the one that `nearest` has. A word that differs
 *  in more than a third of the characters is not near. */
void collio_nearest_try(collio_nearest_t *nearest, const char *word, const char *candidate);

#endif /* COLLIO_NEAREST_H */
