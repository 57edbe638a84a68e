/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Extent lists.
 *
 * Problem: requests may have millions of tiny pieces.
 * Method:  one flat array, which grows by doubling. An extent that begins at the end of the last
 *          one is joined to it.
 * Cost:    append O(1) on average, 16 bytes per extent.
 */
#include "extent.h"

#include <errno.h>
#include <stdlib.h>

#include "grow.h"

void collio_extents_fini(collio_extents_t *list)
{
    free(list->at);
    *list = (collio_extents_t){0};
}

int collio_extents_reserve(collio_extents_t *list, size_t capacity)
{
    void *at;

    if (capacity <= list->capacity) {
        return 0;
    }
    at = collio_resize(list->at, capacity, sizeof(*list->at));
    if (NULL == at) {
        return -ENOMEM;
    }
    list->at = at;
    list->capacity = capacity;
    return 0;
}

int collio_extents_push(collio_extents_t *list, int64_t offset, int64_t length)
{
    if (0 != collio_more(&list->at, list->count, &list->capacity, sizeof(*list->at))) {
        return -ENOMEM;
    }
    list->at[list->count++] = (collio_extent_t){offset, length};
    return 0;
}

int collio_extents_append(collio_extents_t *list, int64_t offset, int64_t length)
{
    if (0 > offset || 0 > length || offset > INT64_MAX - length) {
        return -EINVAL;
    }
    if (0 == length) {
        return 0;
    }
    if (0 < list->count) {
        collio_extent_t *last = &list->at[list->count - 1];

        if (last->offset + last->length == offset) {
            last->length += length;
            return 0;
        }
    }
    return collio_extents_push(list, offset, length);
}
