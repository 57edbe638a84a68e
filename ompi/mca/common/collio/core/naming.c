/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The names of a framework's list. See naming.h.
 */
#include "naming.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns the name after this one, or NULL at the end of the list. */
static const char *next_name(const char *word)
{
    const char *comma = strchr(word, ',');

    return NULL == comma ? NULL : comma + 1;
}

static bool is_name(const char *word, const char *name)
{
    size_t length = strcspn(word, ",");

    return strlen(name) == length && 0 == strncmp(word, name, length);
}

int collio_naming_place(const char *list, const char *name)
{
    int place = 0;

    if (NULL == list || '^' == *list) {
        return 0;
    }
    for (const char *word = list; NULL != word; word = next_name(word)) {
        place += 0 < place || is_name(word, name);
    }
    return place;
}

int collio_naming_priority(const char *list, const char *name, int priority)
{
    int place = collio_naming_place(list, name);

    if (0 >= priority || (0 == place && COLLIO_PRIORITY_DEFAULT >= priority)) {
        return 0;
    }
    return 0 < place && COLLIO_PRIORITY_DEFAULT == priority ? COLLIO_PRIORITY_NAMED + place - 1
                                                            : priority;
}
