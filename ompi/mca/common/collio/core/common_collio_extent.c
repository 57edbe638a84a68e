/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/*
 * Extent lists: the currency of the whole engine.
 *
 * Problem: requests of millions of tiny pieces must be held, searched and cut to windows.
 * Method:  one flat array, grown by doubling, neighbours joined while they are appended, so that
 *          a list never holds more extents than it must; look-up by bisection.
 * Cost:    append O(1), find O(log n), slice and cover O(log n + what they touch).
 *
 *   list      [####]   [##][###]      [#####]
 *   window          |------------------|
 *   slice            [#][##][###]         cover: bytes, and the holes between the first and the
 *                                         last covered byte
 */
#include "common_collio_extent.h"

#include <errno.h>
#include <stdlib.h>

#include "common_collio_grow.h"

void mca_common_collio_extents_init(mca_common_collio_extents_t *list)
{
    list->at = NULL;
    list->count = 0;
    list->capacity = 0;
}

void mca_common_collio_extents_fini(mca_common_collio_extents_t *list)
{
    free(list->at);
    mca_common_collio_extents_init(list);
}

int mca_common_collio_extents_reserve(mca_common_collio_extents_t *list, size_t capacity)
{
    void *at;

    if (capacity <= list->capacity) {
        return 0;
    }
    at = mca_common_collio_resize(list->at, capacity, sizeof(*list->at));
    if (NULL == at) {
        return -ENOMEM;
    }
    list->at = at;
    list->capacity = capacity;
    return 0;
}

int mca_common_collio_extents_append(mca_common_collio_extents_t *list, int64_t offset,
                                     int64_t length)
{
    void *at;

    if (0 > offset || 0 > length || offset > INT64_MAX - length) {
        return -EINVAL;
    }
    if (0 == length) {
        return 0;
    }
    if (0 < list->count) {
        mca_common_collio_extent_t *last = &list->at[list->count - 1];

        if (last->offset + last->length == offset) {
            last->length += length;
            return 0;
        }
    }
    if (list->count == list->capacity) {
        at = mca_common_collio_grow(list->at, &list->capacity, sizeof(*list->at));
        if (NULL == at) {
            return -ENOMEM;
        }
        list->at = at;
    }
    list->at[list->count].offset = offset;
    list->at[list->count].length = length;
    list->count++;
    return 0;
}

int64_t mca_common_collio_extents_bytes(const mca_common_collio_extents_t *list)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < list->count; ++i) {
        bytes += list->at[i].length;
    }
    return bytes;
}

bool mca_common_collio_extents_sorted(const mca_common_collio_extents_t *list)
{
    for (size_t i = 1; i < list->count; ++i) {
        if (list->at[i].offset < list->at[i - 1].offset + list->at[i - 1].length) {
            return false;
        }
    }
    return true;
}

size_t mca_common_collio_extents_find(const mca_common_collio_extents_t *list, int64_t offset)
{
    size_t first = 0;
    size_t count = list->count;

    while (0 < count) {
        size_t half = count / 2;
        const mca_common_collio_extent_t *middle = &list->at[first + half];

        if (middle->offset + middle->length <= offset) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/* The part of an extent inside [lo, hi); its length is 0 or less if there is none. */
static inline mca_common_collio_extent_t clip(mca_common_collio_extent_t extent, int64_t lo,
                                              int64_t hi)
{
    int64_t from = extent.offset > lo ? extent.offset : lo;
    int64_t end = extent.offset + extent.length;

    return (mca_common_collio_extent_t){from, (end < hi ? end : hi) - from};
}

int mca_common_collio_extents_slice(const mca_common_collio_extents_t *list, int64_t lo, int64_t hi,
                                    mca_common_collio_extents_t *out)
{
    for (size_t i = mca_common_collio_extents_find(list, lo); i < list->count; ++i) {
        mca_common_collio_extent_t part = clip(list->at[i], lo, hi);
        int rc;

        if (0 >= part.length) {
            break;
        }
        rc = mca_common_collio_extents_append(out, part.offset, part.length);
        if (0 != rc) {
            return rc;
        }
    }
    return 0;
}

void mca_common_collio_extents_cover(const mca_common_collio_extents_t *list, int64_t lo,
                                     int64_t hi, mca_common_collio_cover_t *cover)
{
    int64_t end = 0;

    *cover = (mca_common_collio_cover_t){0};
    for (size_t i = mca_common_collio_extents_find(list, lo); i < list->count; ++i) {
        mca_common_collio_extent_t part = clip(list->at[i], lo, hi);
        int64_t hole = part.offset - end;

        if (0 >= part.length) {
            break;
        }
        if (0 < cover->bytes && 0 < hole) {
            cover->hole_bytes += hole;
            cover->hole_count++;
            cover->largest_hole = hole > cover->largest_hole ? hole : cover->largest_hole;
        }
        cover->bytes += part.length;
        end = part.offset + part.length;
    }
}
